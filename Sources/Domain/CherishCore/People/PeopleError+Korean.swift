extension PeopleError: ExplainedInKorean {
    public var korean: (problem: String, remedy: String) {
        switch self {
        case .weakPassword(let reason): reason.korean
        case .wrongPassword: ("이메일과 비밀번호가 서로 맞지 않아요.", "둘 다 확인하거나 비밀번호를 재설정해 주세요.")
        case .codeWrong: ("보내 드린 코드가 아니에요.", "숫자 \(VerificationCode.length)자리를 다시 입력해 주세요.")
        case .codeExpired: ("이미 썼거나 10분이 지난 코드예요.", "코드를 다시 요청해 주세요.")
        case .tooManyTries: ("코드는 \(VerificationCode.maximumTries)번까지만 틀릴 수 있어요.", "코드를 다시 요청해 주세요.")
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
