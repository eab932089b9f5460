import AddressBook
import CherishRuntime

// What goes wrong with files that commands read, for the table of ``Failure``.

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
