/// Why a rule refused a password, a code, an identity or a sign-in (rule 12). No case carries a password, a code or a token.
public enum PeopleError: Error, Hashable, Sendable {
    /// Rule 12.2.
    case weakPassword(WeakPassword)
    /// The password is not that of the account. Nobody learns whether the account exists.
    case wrongPassword
    // Rule 12.4.
    case codeWrong
    case codeExpired
    case tooManyTries
    // Rule 12.5.
    /// The provider's token is not valid.
    case identityRefused
    /// No account has the identity.
    case identityUnknown
    /// Another account has the identity.
    case identityTaken
    /// The account has another identity of the provider.
    case providerLinked
    /// Nothing else would let the person in.
    case lastWayIn
    /// An account has the e-mail of the identity. An e-mail alone never links one.
    case emailKnown
    /// The provider does not say that the person reads the e-mail.
    case emailUnconfirmed
    /// Somebody anonymous wants a password, by which nobody could sign in.
    case emailMissing
    /// There is no phone to confirm (rule 12.4).
    case phoneMissing
    /// Rule 12.8: what was typed is not the nickname.
    case confirmationWrong
    /// The service does not know the provider's keys.
    case providerNotOffered
    /// The provider's keys cannot be read now.
    case providerUnreachable
    /// Rule 12.3.
    case notSignedIn
    /// Rule 12.8: the sign-in is older than 10 minutes.
    case signInTooOld
    /// Rules 12.4 and 12.9: it may be tried again after this many seconds, at least 1.
    case slowDown(seconds: Int)

    /// The stable code of the refusal.
    public var code: String {
        switch self {
        case .weakPassword: "weak_password"
        case .wrongPassword: "wrong_password"
        case .codeWrong: "code_wrong"
        case .codeExpired: "code_expired"
        case .tooManyTries: "too_many_tries"
        case .identityRefused: "identity_refused"
        case .identityUnknown: "identity_unknown"
        case .identityTaken: "identity_taken"
        case .providerLinked: "provider_linked"
        case .lastWayIn: "last_way_in"
        case .emailKnown: "email_known"
        case .emailUnconfirmed: "email_unconfirmed"
        case .emailMissing: "email_missing"
        case .phoneMissing: "phone_missing"
        case .confirmationWrong: "confirmation_wrong"
        case .providerNotOffered: "provider_not_offered"
        case .providerUnreachable: "provider_unreachable"
        case .notSignedIn: "not_signed_in"
        case .signInTooOld: "sign_in_too_old"
        case .slowDown: "slow_down"
        }
    }
}

/// What a password lacks, or has and must not have (rule 12.2). The raw values are stable.
public enum WeakPassword: String, CaseIterable, Sendable {
    /// Fewer than 8 characters.
    case tooShort = "too_short"
    /// More than 128 characters, or more than 1,024 bytes.
    case tooLong = "too_long"
    case noDigit = "no_digit"
    case noSpecial = "no_special"
    /// A control character, such as a tab or a line break, or U+FFFD, which replaces invalid bytes.
    case controlCharacter = "control_character"
    /// One of the most common passwords, possibly disguised.
    case common
    /// It contains the e-mail address, the part of it before the `@`, or the nickname.
    case containsName = "contains_name"
}

extension PeopleError: CustomStringConvertible {
    /// ``problem`` and ``remedy`` in one sentence.
    public var description: String { "\(problem); \(remedy)" }

    /// What is wrong. It never repeats a password, a code, a name or an address.
    public var problem: String { words.problem }

    /// What to do about it, worded for any client.
    public var remedy: String { words.remedy }

    private var words: (problem: String, remedy: String) {
        switch self {
        case .weakPassword(let reason): reason.words
        case .wrongPassword:
            ("the e-mail address and the password do not belong together", "check both, or reset the password")
        case .codeWrong: ("this is not the code that was sent", "write the \(VerificationCode.length) digits again")
        case .codeExpired:
            ("this code is used up, or older than 10 minutes", "ask for a new one")
        case .tooManyTries:
            ("\(VerificationCode.maximumTries) wrong codes are the most", "ask for a new code")
        case .identityRefused:
            ("the sign-in at the provider is not valid here, or has expired", "sign in at the provider again")
        case .identityUnknown:
            ("no account is linked to this identity", "sign up with it, or sign in another way and link it")
        case .identityTaken:
            ("another account is linked to this identity", "sign in with it, or unlink it there first")
        case .providerLinked:
            ("the account is linked to another identity of this provider", "unlink that one first")
        case .lastWayIn:
            ("without this identity nobody could sign in", "set a password or link another identity first")
        case .emailKnown:
            ("an account has the e-mail address of this identity", "sign in to that account and link the identity")
        case .emailUnconfirmed:
            ("the provider has not confirmed an e-mail address", "sign up with a code by mail")
        case .emailMissing: ("the account has no e-mail address", "add one first")
        case .phoneMissing: ("the account has no phone", "add one first")
        case .confirmationWrong: ("this is not the nickname of the account", "write it as the settings show it")
        case .providerNotOffered:
            ("this service does not know the provider", "sign in another way")
        case .providerUnreachable: ("the provider cannot be reached", "try again soon")
        case .notSignedIn: ("nobody is signed in, or the session has ended", "sign in")
        case .signInTooOld:
            ("this cannot be undone, and the sign-in is older than 10 minutes", "sign in again and repeat it")
        case .slowDown(let seconds):
            ("this was tried too often", "try again in \(max(seconds, 1).counted("second"))")
        }
    }
}

extension WeakPassword {
    fileprivate var words: (problem: String, remedy: String) {
        switch self {
        case .tooShort:
            ("the password is too short", "write at least \(Password.lengths.lowerBound) characters")
        case .tooLong:
            (
                "the password is too long",
                "write at most \(Password.lengths.upperBound) characters and \(Password.maximumBytes) bytes"
            )
        case .noDigit: ("the password has no digit", "add one")
        case .noSpecial: ("the password has no special character", "add one that is no letter, digit or space")
        case .controlCharacter:
            ("the password has a control character, such as a tab or a line break", "leave it out")
        case .common:
            (
                "this is one of the most common passwords, or one with a simple disguise",
                "combine several unrelated words"
            )
        case .containsName:
            ("the password contains the e-mail address or the nickname", "choose one that does not")
        }
    }
}
