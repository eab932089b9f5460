import CherishCore

/// What somebody asks the operator of the service.
public struct Enquiry: Sendable {
    public let subject, message: String
    public let account: Account
}

/// A message to a person about their account, such as a code, or to the operator.
public struct PersonalMessage: Sendable {
    /// What the message is about.
    public enum Topic: Sendable {
        /// The code that confirms the e-mail of a new account (rule 12.1).
        case signUpCode(VerificationCode)
        /// Somebody wants an account with the e-mail of an account.
        case accountExists
        /// The code that resets a forgotten password (rule 12.4).
        case passwordResetCode(VerificationCode)
        /// The code that confirms another e-mail (rule 12.6).
        case newEmailCode(VerificationCode)
        /// The account has another e-mail from now on: to the one before.
        case emailChanged
        /// What somebody asks, to the operator.
        case enquiry(Enquiry)
        /// From now on, somebody signs in to the account by Google or Apple, too (rule 12.5).
        case identityLinked(IdentityProvider)
        /// The code that confirms a phone (rule 12.6).
        case newPhoneCode(VerificationCode)
        /// From now on, a phone resets the password of the account, too (rule 12.4).
        case phoneConfirmed
    }

    /// Where a message goes.
    public enum Recipient: Sendable, CustomStringConvertible {
        case email(EmailAddress)
        case phone(PhoneNumber)

        public var description: String {
            switch self {
            case .email(let email): email.description
            case .phone(let phone): phone.description
            }
        }
    }

    public let topic: Topic
    public let recipient: Recipient
    public let language: Language

    /// A mail.
    public init(_ topic: Topic, to recipient: EmailAddress, in language: Language) {
        (self.topic, self.recipient, self.language) = (topic, .email(recipient), language)
    }

    /// A text message.
    public init(_ topic: Topic, to recipient: PhoneNumber, in language: Language) {
        (self.topic, self.recipient, self.language) = (topic, .phone(recipient), language)
    }

    /// Who receives an answer; nil for the service.
    public var replyTo: EmailAddress? {
        if case .enquiry(let enquiry) = topic { enquiry.account.email } else { nil }
    }

    /// The subject of a mail, without the code: subjects show on locked screens. A text message has none.
    public var subject: String {
        switch (topic, language) {
        case (.signUpCode, .korean): "Cherish 가입 확인 코드"
        case (.signUpCode, .english): "Your Cherish sign-up code"
        case (.accountExists, .korean): "이미 Cherish 계정이 있어요"
        case (.accountExists, .english): "You already have a Cherish account"
        case (.passwordResetCode, .korean): "Cherish 비밀번호 재설정 코드"
        case (.passwordResetCode, .english): "Your Cherish password reset code"
        case (.newEmailCode, .korean): "Cherish 이메일 변경 확인 코드"
        case (.newEmailCode, .english): "Confirm your new e-mail for Cherish"
        case (.emailChanged, .korean): "Cherish 이메일이 변경되었어요"
        case (.emailChanged, .english): "Your e-mail for Cherish was changed"
        case (.enquiry(let enquiry), _): "Cherish: \(enquiry.subject)"
        case (.identityLinked(let provider), .korean): "Cherish 계정이 \(provider.name) 로그인과 연결되었어요"
        case (.identityLinked(let provider), .english): "\(provider.name) was linked to your Cherish account"
        case (.newPhoneCode, .korean): "Cherish 전화번호 확인 코드"
        case (.newPhoneCode, .english): "Your Cherish phone code"
        case (.phoneConfirmed, .korean): "Cherish 계정의 전화번호가 확인되었어요"
        case (.phoneConfirmed, .english): "A phone was confirmed for your Cherish account"
        }
    }

    /// The text. One that goes to a phone fits into one text message.
    public var text: String {
        if case .phone = recipient { return textMessage }
        return switch (topic, language) {
        case (.signUpCode(let code), .korean): message(code, "가입하려면 이 코드를 입력하세요.")
        case (.signUpCode(let code), .english): message(code, "Enter this code to create your account.")
        case (.accountExists, .korean):
            """
            누군가 이 이메일로 Cherish에 가입하려고 했지만, 이미 계정이 있어요. 로그인하거나 비밀번호를 재설정하세요.

            직접 요청하지 않았다면 이 메일은 무시해도 됩니다.
            """
        case (.accountExists, .english):
            """
            Somebody wanted to create a Cherish account with this e-mail address, which has one already. Sign in, or reset \
            your password.

            If it was not you, ignore this message.
            """
        case (.passwordResetCode(let code), .korean): message(code, "새 비밀번호를 정하려면 이 코드를 입력하세요.")
        case (.passwordResetCode(let code), .english): message(code, "Enter this code to choose a new password.")
        case (.newPhoneCode(let code), .korean): message(code, "이 전화번호를 사용하려면 코드를 입력하세요.")
        case (.newPhoneCode(let code), .english): message(code, "Enter this code to use this phone.")
        case (.newEmailCode(let code), .korean): message(code, "이 이메일을 사용하려면 코드를 입력하세요.")
        case (.newEmailCode(let code), .english): message(code, "Enter this code to use this e-mail address.")
        case (.emailChanged, .korean):
            "Cherish 계정의 이메일이 변경되었어요. 직접 변경하지 않았다면 바로 서비스 운영자에게 알려 주세요."
        case (.emailChanged, .english):
            """
            Your Cherish account has another e-mail address from now on. If you did not change it, tell the operator of the \
            service at once.
            """
        case (.enquiry(let enquiry), _):
            // The operator's commands take the id.
            "\(enquiry.message)\n\n--\nCherish account \(enquiry.account.id), \(enquiry.account.language.rawValue)"
        case (.identityLinked(let provider), .korean):
            "이제 \(provider.name) 계정으로 Cherish에 로그인할 수 있어요. 직접 연결하지 않았다면 앱에서 연결을 끊고 비밀번호를 바꾸세요."
        case (.identityLinked(let provider), .english):
            """
            A \(provider.name) account can sign in to your Cherish account from now on. If you did not link it, unlink it in \
            the app and change your password.
            """
        case (.phoneConfirmed, .korean):
            "이제 확인된 전화번호로 Cherish 비밀번호를 재설정할 수 있어요. 직접 확인하지 않았다면 앱에서 번호를 지우고 비밀번호를 바꾸세요."
        case (.phoneConfirmed, .english):
            """
            A phone can reset the password of your Cherish account from now on. If you did not confirm it, remove it in the app \
            and change your password.
            """
        }
    }

    private var textMessage: String {
        switch (topic, language) {
        case (.passwordResetCode(let code), .korean): "\(code.text) Cherish 비밀번호 재설정 코드예요. 10분 동안 쓸 수 있어요."
        case (.passwordResetCode(let code), .english):
            "\(code.text) resets your Cherish password. Valid for 10 minutes."
        case (.newPhoneCode(let code), .korean): "\(code.text) Cherish 전화번호 확인 코드예요. 10분 동안 쓸 수 있어요."
        case (.newPhoneCode(let code), .english): "\(code.text) confirms your phone for Cherish. Valid for 10 minutes."
        // Nothing else goes to phones.
        default: subject
        }
    }

    private func message(_ code: VerificationCode, _ purpose: String) -> String {
        switch language {
        case .korean: "\(code.text)\n\n\(purpose) 10분 동안 사용할 수 있어요.\n\n직접 요청하지 않았다면 이 메일은 무시해도 됩니다."
        case .english:
            "\(code.text)\n\n\(purpose) It is valid for 10 minutes.\n\nIf you did not ask for it, ignore this message."
        }
    }
}

/// Sends messages to people, in the background: how long that takes must not tell whether an account exists.
public protocol PersonalMessageSender: Sendable {
    /// Takes a message to be sent soon. A message may be lost if the program is killed; the person asks again.
    func send(_ message: PersonalMessage)
}
