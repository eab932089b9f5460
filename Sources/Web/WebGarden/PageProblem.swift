import CherishCore
import CherishRuntime

/// What is wrong with a form, before any rule is asked.
enum PageProblem: ExplainedError, Sendable, Equatable {
    case methodMissing
    case noRowChosen
    case tooManyRows(limit: Int)
    case unreadableCard
    case presentPasswordWrong
    case erasureUnconfirmed
    case invalidPosition

    var code: String {
        switch self {
        case .methodMissing: "method_missing"
        case .noRowChosen: "no_row"
        case .tooManyRows: "too_many_rows"
        case .unreadableCard: "unreadable_card"
        case .presentPasswordWrong: "present_password_wrong"
        case .erasureUnconfirmed: "erasure_unconfirmed"
        case .invalidPosition: "invalid_position"
        }
    }

    var description: String {
        switch self {
        case .methodMissing: "nobody said how the contact was made; choose one of the methods"
        case .noRowChosen: "nobody was chosen; tick at least one person"
        case .tooManyRows(let limit): "this is more than one page takes; import at most \(limit) people at once"
        case .unreadableCard: "there is no contact with a name and a phone number in this file; choose another file"
        case .presentPasswordWrong: "this is not your password; type it again"
        case .erasureUnconfirmed: "nothing was erased; tick the box if you are sure"
        case .invalidPosition:
            "this is no position on the earth; write degrees like 37.5665 for the latitude, 126.978 for the longitude"
        }
    }

    var exitStatus: Int32 { 64 }
    var httpStatus: Int { 422 }
}

extension PageProblem: ExplainedInKorean {
    var korean: (problem: String, remedy: String) {
        switch self {
        case .methodMissing: ("연락한 방법을 고르지 않았어요.", "방법을 하나 골라 주세요.")
        case .noRowChosen: ("고른 사람이 없어요.", "한 사람 이상 골라 주세요.")
        case .tooManyRows(let limit): ("한 번에 가져올 수 있는 것보다 많아요.", "\(limit)명까지 골라 주세요.")
        case .unreadableCard: ("이 파일에는 이름과 전화번호가 있는 연락처가 없어요.", "다른 파일을 골라 주세요.")
        case .presentPasswordWrong: ("비밀번호가 달라요.", "다시 써 주세요.")
        case .erasureUnconfirmed: ("아무것도 지우지 않았어요.", "정말 지우려면 상자에 표시해 주세요.")
        case .invalidPosition: ("지구 위의 위치가 아니에요.", "위도는 37.5665, 경도는 126.978처럼 써 주세요.")
        }
    }
}
