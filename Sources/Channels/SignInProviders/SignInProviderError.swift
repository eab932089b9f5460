import CherishCore

/// Why nobody is signed in. No case carries anything of a token.
public enum SignInProviderError: Error, Hashable, Sendable {
    /// No client id of the provider is set.
    case off(IdentityProvider)
    /// The token proves nothing. The flaw is for the log: whoever sent the token need not learn what was checked last.
    case invalidToken(TokenFlaw)
    /// The provider's keys cannot be read, so nobody knows whether the token is valid.
    case providerAway(IdentityProvider, KeyTrouble)
}

extension SignInProviderError: CustomStringConvertible {
    /// The reason, for the log.
    public var description: String {
        switch self {
        case .off: "no client id is set"
        case .invalidToken(let flaw): flaw.rawValue
        case .providerAway(_, let trouble): "\(trouble)"
        }
    }
}

/// The first thing that is wrong with a token, in the order of the checks. The raw values are words for the log.
public enum TokenFlaw: String, CaseIterable, Sendable {
    /// The nonce that came with the token has not 16 to 128 visible ASCII characters.
    case nonceUnusable = "nonce unusable"
    /// More than 8 KiB.
    case tooLong = "too long"
    /// Not three parts in canonical Base64url (RFC 4648, without padding).
    case notThreeParts = "not three parts"
    case notBase64URL = "not Base64url"
    /// The header is no JSON object, names something twice, or has a value of the wrong type.
    case header
    /// Any algorithm but RS256.
    case algorithm
    /// The header names extensions that must be understood (RFC 7515, 4.1.11).
    case criticalExtension = "critical extension"
    /// The header names no key.
    case keyMissing = "no key id"
    /// The provider publishes no such key.
    case keyUnknown = "unknown key id"
    case signature
    /// The claims are no JSON object, name something twice, or have a value of the wrong type.
    case claims
    case issuer
    /// No audience is ours.
    case audience
    /// The token is for several audiences, and was not issued to us.
    case authorizedParty = "authorized party"
    case expired
    /// Issued or valid only in the future.
    case notYetValid = "not yet valid"
    /// No time of issue, or one more than a day ago.
    case tooOld = "too old"
    /// No nonce, or that of another sign-in.
    case nonce
    /// Not 1 to 255 visible ASCII characters.
    case subject
}

/// Why a provider's keys cannot be read.
public enum KeyTrouble: Error, Hashable, Sendable, CustomStringConvertible {
    /// No trusted connection, or one that broke off.
    case unreachable
    /// No complete answer within five seconds.
    case timeout
    /// Another status than 200, redirects included.
    case status(Int)
    /// More than 64 KiB.
    case tooLarge
    /// The answer is no key set, or one without a key that we use.
    case noKeys

    public var description: String {
        switch self {
        case .unreachable: "no connection"
        case .timeout: "no answer in time"
        case .status(let status): "status \(status)"
        case .tooLarge: "answer too large"
        case .noKeys: "no usable keys in the answer"
        }
    }
}
