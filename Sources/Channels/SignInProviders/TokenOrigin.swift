import CherishCore
import Foundation

extension IdentityProvider {
    /// Where the provider's tokens come from, by its own documentation:
    /// https://developers.google.com/identity/openid-connect/reference and
    /// https://developer.apple.com/documentation/signinwithapple/verifying-a-user.
    public var origin: TokenOrigin {
        switch self {
        case .google:
            // Google writes the second one to older clients.
            TokenOrigin(
                checkedIssuers: ["https://accounts.google.com", "accounts.google.com"],
                keysURL: "https://www.googleapis.com/oauth2/v3/certs")
        case .apple:
            TokenOrigin(
                checkedIssuers: ["https://appleid.apple.com"], keysURL: "https://appleid.apple.com/auth/keys")
        }
    }
}

/// Who issues ID tokens, and where the keys that sign them are published.
public struct TokenOrigin: Hashable, Sendable {
    /// What a token may say in `iss`.
    public let issuers: Set<String>
    /// The address of the keys, an https URL.
    public let keysURL: String

    fileprivate init(checkedIssuers: Set<String>, keysURL: String) {
        (self.issuers, self.keysURL) = (checkedIssuers, keysURL)
    }

    /// nil without an issuer, or if the URL is no https URL with a host, or has a user or a password.
    public init?(issuers: Set<String>, keysURL: String) {
        guard !issuers.isEmpty, let url = URL(string: keysURL), url.scheme == "https", url.host?.isEmpty == false,
            url.user == nil, url.password == nil
        else { return nil }
        self.init(checkedIssuers: issuers, keysURL: keysURL)
    }
}
