import AddressBook
import CherishRuntime

// Errors of files that commands read, with their codes and statuses for ``Failure``.

extension UnreadableFile: ExplainedError {
    public var code: String { "unreadable_file" }
    public var exitStatus: Int32 { 65 }
    public var httpStatus: Int { 422 }
}

extension TemporaryFileError: ExplainedError {
    var code: String { "cannot_create" }
    var exitStatus: Int32 { 73 }
    var httpStatus: Int { 500 }
}
