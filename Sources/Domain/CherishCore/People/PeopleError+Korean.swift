extension PeopleError: ExplainedInKorean {
    public var korean: (problem: String, remedy: String) {
        switch self {
        case .weakPassword(let reason): reason.korean
        case .wrongPassword: ("이메일과 비밀번호가 서로 맞지 않아요.", "둘 다 확인하거나 비밀번호를 재설정해 주세요.")
        case .codeWrong: ("보내 드린 코드가 아니에요.", "숫자 \(VerificationCode.length)자리를 다시 입력해 주세요.")
        case .codeExpired: ("이미 썼거나 10분이 지난 코드예요.", "코드를 다시 요청해 주세요.")
        case .tooManyTries: ("코드는 \(VerificationCode.maximumTries)번까지만 틀릴 수 있어요.", "코드를 다시 요청해 주세요.")
        case .identityRefused: ("로그인 제공자가 확인해 준 것이 여기에서 유효하지 않거나 만료되었어요.", "제공자에 다시 로그인해 주세요.")
        case .identityUnknown: ("이 소셜 로그인과 연결된 계정이 없어요.", "이것으로 가입하거나, 다른 방법으로 로그인해 연결해 주세요.")
        case .identityTaken: ("다른 계정이 이 소셜 로그인과 연결되어 있어요.", "이것으로 로그인하거나, 그 계정에서 먼저 연결을 끊어 주세요.")
        case .providerLinked: ("이 제공자의 다른 소셜 로그인과 이미 연결되어 있어요.", "그 연결을 먼저 끊어 주세요.")
        case .lastWayIn: ("이 연결을 끊으면 로그인할 방법이 없어요.", "먼저 비밀번호를 정하거나 다른 소셜 로그인을 연결해 주세요.")
        case .emailKnown: ("이 소셜 로그인의 이메일을 쓰는 계정이 있어요.", "그 계정에 로그인해 연결해 주세요.")
        case .emailUnconfirmed: ("제공자가 이메일을 확인해 주지 않았어요.", "메일로 코드를 받아 가입해 주세요.")
        case .emailMissing: ("계정에 이메일이 없어요.", "먼저 이메일을 추가해 주세요.")
        case .phoneMissing: ("계정에 전화번호가 없어요.", "먼저 전화번호를 추가해 주세요.")
        case .confirmationWrong: ("계정의 별명과 달라요.", "설정에 보이는 대로 써 주세요.")
        case .providerNotOffered: ("이 서비스에서 쓸 수 없는 로그인 제공자예요.", "다른 방법으로 로그인해 주세요.")
        case .providerUnreachable: ("로그인 제공자에 연결할 수 없어요.", "잠시 뒤에 다시 시도해 주세요.")
        case .notSignedIn: ("로그인하지 않았거나 세션이 끝났어요.", "로그인해 주세요.")
        case .signInTooOld: ("되돌릴 수 없는 일인데, 로그인한 지 10분이 넘었어요.", "다시 로그인한 뒤 한 번 더 해 주세요.")
        case .slowDown(let seconds): ("너무 자주 시도했어요.", "\(max(seconds, 1))초 뒤에 다시 시도해 주세요.")
        }
    }
}

extension WeakPassword {
    fileprivate var korean: (problem: String, remedy: String) {
        switch self {
        case .tooShort: ("비밀번호가 너무 짧아요.", "\(Password.lengths.lowerBound)자 이상으로 정해 주세요.")
        case .tooLong:
            (
                "비밀번호가 너무 길어요.",
                "\(Password.lengths.upperBound)자, \(Password.maximumBytes)바이트 이하로 정해 주세요."
            )
        case .noDigit: ("비밀번호에 숫자가 없어요.", "하나 넣어 주세요.")
        case .noSpecial: ("비밀번호에 특수 문자가 없어요.", "글자, 숫자, 공백이 아닌 것을 하나 넣어 주세요.")
        case .controlCharacter: ("비밀번호에 탭이나 줄바꿈 같은 제어 문자가 있어요.", "빼 주세요.")
        case .common: ("가장 흔한 비밀번호이거나, 그것을 조금 바꾼 것이에요.", "서로 관련 없는 단어를 여러 개 이어 주세요.")
        case .containsName: ("비밀번호에 이메일이나 별명이 들어 있어요.", "들어 있지 않은 것으로 정해 주세요.")
        }
    }
}
