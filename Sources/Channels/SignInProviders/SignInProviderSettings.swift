import CherishCore
import NIOSSL

/// A setting for a sign-in provider cannot be used. The message says what to write.
public struct SignInSettingError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The environment variable.
    public let variable: String
    /// What is wrong, and what to do.
    public let problem: String

    public var description: String { "\(variable) cannot be used: \(problem)" }
}

/// Which providers sign people in, from the environment:
///
/// | variable | meaning |
/// |---|---|
/// | `CHERISH_GOOGLE_CLIENT_IDS` | the client ids of our apps and pages in Google's console, separated by commas |
/// | `CHERISH_APPLE_CLIENT_IDS` | the bundle ids of our apps and the service ids of our pages at Apple, likewise |
///
/// A provider without client ids is off.
public struct SignInProviderSettings: Sendable {
    /// One provider that is on.
    struct Entry: Sendable {
        let clientIDs: Set<String>
        let origin: TokenOrigin
    }

    let entries: [IdentityProvider: Entry]
    /// Certificates to trust besides the system's.
    let additionalRoots: [NIOSSLCertificate]
    /// The clock that ages keys.
    var clock: any Clock<Duration> = ContinuousClock()

    /// Reads the environment.
    ///
    /// - Throws: ``SignInSettingError`` for an unusable value.
    public init(environment: [String: String]) throws(SignInSettingError) {
        var clientIDs: [IdentityProvider: Set<String>] = [:]
        for provider in IdentityProvider.allCases {
            let variable = "CHERISH_\(provider.rawValue.uppercased())_CLIENT_IDS"
            guard let value = environment[variable], !value.isEmpty else { continue }
            clientIDs[provider] = try SignInProviderSettings.clientIDs(value, in: variable)
        }
        self.init(clientIDs: clientIDs)
    }

    /// - Parameters:
    ///   - clientIDs: The providers that are on, with the audiences that are ours.
    ///   - origins: Other issuers and keys than the provider's own, such as those of a test server.
    ///   - additionalRoots: Certificates to trust besides the system's.
    public init(
        clientIDs: [IdentityProvider: Set<String>], origins: [IdentityProvider: TokenOrigin] = [:],
        additionalRoots: [NIOSSLCertificate] = []
    ) {
        self.additionalRoots = additionalRoots
        entries = Dictionary(
            uniqueKeysWithValues: clientIDs.map { provider, ids in
                (provider, Entry(clientIDs: ids, origin: origins[provider] ?? provider.origin))
            })
    }

    private static func clientIDs(_ text: String, in variable: String) throws(SignInSettingError) -> Set<String> {
        let ids = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        for id in ids where id.wholeMatch(of: #/[A-Za-z0-9._-]{1,255}/#) == nil {
            throw SignInSettingError(
                variable: variable,
                problem: "it must be client ids separated by commas, like "
                    + "1234-abc.apps.googleusercontent.com of Google or com.example.cherish of Apple")
        }
        return Set(ids)
    }
}
