import BoundedWork
import CherishCore
import Pictures
import Secrets

extension RefusedRequest: ExplainedInKorean {
    package var korean: (problem: String, remedy: String) {
        switch self {
        case .unknownPath: ("이 경로에는 아무것도 없어요.", "/openapi.json을 확인해 주세요.")
        case .wrongMethod(let allowed):
            ("이 경로에서는 다른 메서드를 써야 해요.", "\(allowed.joined(separator: ", ")) 중에서 골라 주세요.")
        case .unreadableBody: ("본문이 UTF-8로 쓴 JSON이 아니에요.", "객체를 보내 주세요.")
        case .brokenBody: ("본문이 HTTP 규칙에 어긋나요.", "다시 보내 주세요.")
        case .brokenForm: ("파일 하나가 담긴 양식이 아니에요.", "파일만 본문으로 보내 주세요.")
        case .uploadRunning: ("앞서 보낸 파일을 아직 읽고 있어요.", "끝난 뒤에 보내 주세요.")
        case .bodyTooLong(let limit): ("본문이 너무 길어요.", "\(limit)바이트까지 보낼 수 있어요.")
        case .wrongMediaType(let wanted): ("본문의 종류가 달라요.", "\(wanted) 형식으로 보내 주세요.")
        case .foreignOrigin: ("다른 사이트가 보낸 요청이에요.", "이 서비스의 페이지나 토큰을 사용해 주세요.")
        case .invalidHeader(let header): ("\(header.rawValue) 헤더를 이해할 수 없어요.", header.wantedInKorean)
        case .tooSlow: ("요청이 도착하는 데 너무 오래 걸렸어요.", "다시 보내 주세요.")
        case .answerTooSlow: ("처리하는 데 너무 오래 걸렸어요.", "잠시 후 다시 시도해 주세요.")
        case .clientLeft: ("답을 보내기 전에 연결이 끊겼어요.", "다시 보내 주세요.")
        case .idempotencyConflict: ("다른 요청이 이 Idempotency-Key를 이미 썼어요.", "요청마다 새 키를 만들어 주세요.")
        case .requestRunning: ("이 키로 보낸 첫 요청을 아직 처리하고 있어요.", "잠시 후 다시 시도해 주세요.")
        case .answerLost: ("이 키로 보낸 첫 요청은 처리했지만, 그 답이 사라졌어요.", "지금 무엇이 있는지 읽어 주세요.")
        case .versionPassed:
            ("그 사이에 바뀌었어요. 다른 기기에서 바꿨을 수도 있어요.", "present를 보고 새로 정해 주세요.")
        }
    }
}

extension RefusedRequest.Header {
    fileprivate var wantedInKorean: String {
        switch self {
        case .host: "하나만 보내 주세요."
        case .idempotencyKey: "눈에 보이는 ASCII 문자 1~64자로 써 주세요."
        case .ifMatch: "받은 답의 ETag나 \"7\" 같은 버전을 써 주세요."
        }
    }
}

extension InvalidRequest: ExplainedInKorean {
    var korean: (problem: String, remedy: String) {
        problems.count == 1
            ? (problems[0].detail(in: .korean), "") : ("요청의 여러 값이 잘못됐어요.", "errors를 확인해 주세요.")
    }
}

extension PictureError: ExplainedInKorean {
    public var korean: (problem: String, remedy: String) {
        switch self {
        case .notAPicture: ("사진이 아니에요.", "움직이지 않는 JPEG, PNG, WebP를 보내 주세요.")
        case .notAReceipt: ("영수증으로 쓸 수 없는 파일이에요.", "PDF나, 움직이지 않는 JPEG, PNG, WebP를 보내 주세요.")
        case .tooManyPages: ("PDF는 1~20쪽이어야 해요.", "영수증이 있는 쪽만 보내 주세요.")
        case .tooManyBytes: ("파일이 5MiB보다 커요.", "더 작은 파일을 보내 주세요.")
        case .tooManyPixels: ("사진의 화소가 4천만 개보다 많거나 한 변이 2만 화소보다 길어요.", "더 작은 사진을 보내 주세요.")
        case .broken: ("파일이 손상됐거나 잠겨 있어요.", "다른 프로그램으로 다시 저장하거나 다른 파일을 보내 주세요.")
        case .busy: ("기다리는 사진이 너무 많아요.", "잠시 후 다시 시도해 주세요.")
        case .unusableProgram: ("지금은 서비스가 이 일을 할 수 없어요.", "잠시 후 다시 시도해 주세요.")
        }
    }
}

extension LineFull: ExplainedInKorean {
    public var korean: (problem: String, remedy: String) {
        ("지금 읽고 있는 파일이 너무 많아요.", "잠시 후 다시 시도해 주세요.")
    }
}

extension PasswordHasherBusy: ExplainedInKorean {
    public var korean: (problem: String, remedy: String) {
        ("지금 로그인하는 사람이 너무 많아요.", "잠시 후 다시 시도해 주세요.")
    }
}
