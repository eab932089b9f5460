import AddressBook
import CherishCore
import CherishRuntime

// Errors of files that commands read, with their codes and statuses for ``Failure``.

extension UnreadableFile: ExplainedError {
    public var code: String { "unreadable_file" }
    public var exitStatus: Int32 { 65 }
    public var httpStatus: Int { 422 }
}

extension UnreadableFile: ExplainedInKorean {
    public var korean: (problem: String, remedy: String) {
        ("주소록 파일로 읽을 수 없어요.", "연락처 앱에서 vCard나 CSV로 다시 내보내 주세요.")
    }
}

extension TemporaryFileError: ExplainedError {
    var code: String { "cannot_create" }
    var exitStatus: Int32 { 73 }
    var httpStatus: Int { 500 }
}
