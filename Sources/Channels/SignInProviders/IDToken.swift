import Foundation

/// An ID token taken apart: a JSON Web Token in compact form (RFC 7515, RFC 7519). It proves nothing before its
/// signature is verified.
struct IDToken {
    /// Bytes. Google's and Apple's tokens have about a thousand.
    static let longest = 8_192
    /// The only algorithm that Google and Apple name in `id_token_signing_alg_values_supported` of their
    /// `/.well-known/openid-configuration`.
    static let algorithm = "RS256"

    /// Which key signed it, as it says.
    let keyID: String
    /// The bytes that are signed.
    let signed: Data
    let signature: Data
    private let payload: Data

    /// Addresses of keys and keys in the header (`jku`, `x5u`, `jwk`, `x5c`) are not read: a forger would name their
    /// own.
    private struct Header: Decodable {
        enum CodingKeys: CodingKey { case alg, kid, crit }

        let algorithm: String?
        let keyID: String?
        let hasCriticalExtensions: Bool

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            algorithm = try container.decodeIfPresent(String.self, forKey: .alg)
            keyID = try container.decodeIfPresent(String.self, forKey: .kid)
            hasCriticalExtensions = container.contains(.crit)
        }
    }

    /// - Throws: ``SignInProviderError/invalidToken(_:)``.
    init(_ text: String) throws(SignInProviderError) {
        guard text.utf8.count <= IDToken.longest else { throw .invalidToken(.tooLong) }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .invalidToken(.notThreeParts) }
        let bytes = parts.compactMap { Data(base64URL: $0) }
        guard bytes.count == 3 else { throw .invalidToken(.notBase64URL) }
        guard let header = UniqueJSON.decode(Header.self, from: bytes[0]) else { throw .invalidToken(.header) }
        guard header.algorithm == IDToken.algorithm else { throw .invalidToken(.algorithm) }
        guard !header.hasCriticalExtensions else { throw .invalidToken(.criticalExtension) }
        guard let keyID = header.keyID else { throw .invalidToken(.keyMissing) }
        self.keyID = keyID
        signed = Data("\(parts[0]).\(parts[1])".utf8)
        (payload, signature) = (bytes[1], bytes[2])
    }

    /// What the token says. Call it once the signature is verified.
    ///
    /// - Throws: ``SignInProviderError/invalidToken(_:)``.
    func claims() throws(SignInProviderError) -> Claims {
        guard let claims = UniqueJSON.decode(Claims.self, from: payload) else { throw .invalidToken(.claims) }
        return claims
    }

    /// The claims that we read (OpenID Connect Core 1.0, 2 and 5.1). Times are seconds since 1970.
    struct Claims: Decodable {
        enum CodingKeys: String, CodingKey {
            case iss, sub, aud, azp, exp, iat, nbf, nonce, email
            case emailVerified = "email_verified"
        }

        let issuer, subject, authorizedParty, nonce, email: String?
        let audiences: [String]
        let expiresAt, issuedAt, notBefore: Double?
        let isEmailVerified: Bool

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            func text(_ key: CodingKeys) throws -> String? { try container.decodeIfPresent(String.self, forKey: key) }
            func time(_ key: CodingKeys) throws -> Double? { try container.decodeIfPresent(Double.self, forKey: key) }
            (issuer, subject, authorizedParty) = (try text(.iss), try text(.sub), try text(.azp))
            (nonce, email) = (try text(.nonce), try text(.email))
            (expiresAt, issuedAt, notBefore) = (try time(.exp), try time(.iat), try time(.nbf))
            // One audience need not be in a list.
            if let one = try? text(.aud) {
                audiences = [one]
            } else {
                audiences = try container.decodeIfPresent([String].self, forKey: .aud) ?? []
            }
            // Apple writes true or "true".
            if let word = try? text(.emailVerified) {
                guard let isVerified = Bool(word) else {
                    throw DecodingError.dataCorruptedError(
                        forKey: .emailVerified, in: container, debugDescription: "neither true nor false")
                }
                isEmailVerified = isVerified
            } else {
                isEmailVerified = try container.decodeIfPresent(Bool.self, forKey: .emailVerified) ?? false
            }
        }
    }
}

extension Data {
    /// Base64url in its only canonical form: without padding, other characters, or bits that are left over (RFC 4648,
    /// 3.5). So nobody can write one token in two ways.
    fileprivate init?(base64URL text: Substring) {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let standard = String(text).replacing("-", with: "+").replacing("_", with: "/") + padding
        guard let data = Data(base64Encoded: standard), data.base64URL == text else { return nil }
        self = data
    }

    /// Base64url without padding.
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
