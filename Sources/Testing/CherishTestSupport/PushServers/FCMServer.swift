import Foundation
import Synchronization

/// Google's token endpoint and Firebase Cloud Messaging's HTTP v1 interface, in one server.
public final class FCMServer: Sendable {
    /// A message answered with 200.
    public struct AcceptedMessage: Sendable {
        /// The registration token it was sent to.
        public let token: String
        /// The whole request.
        public let request: PushServer.Request
        /// The JSON of the request.
        public var body: [UInt8] { request.body }
    }

    /// The underlying server.
    public let server: PushServer
    /// The project that receives messages.
    public let projectID: String
    /// The service account that requests access tokens.
    public let clientEmail: String

    private let accessTokens: FCMAccessTokens
    private let rules: FCMRules

    private init(server: PushServer, accessTokens: FCMAccessTokens, rules: FCMRules) {
        self.server = server
        self.projectID = rules.projectID
        self.clientEmail = accessTokens.clientEmail
        self.accessTokens = accessTokens
        self.rules = rules
    }

    /// Starts a server for one project and one service account.
    ///
    /// - Parameters:
    ///   - authority: Signs the server's certificate.
    ///   - publicKeyPEM: The public half of the service account's RSA key.
    ///   - projectID: The only project whose messages are accepted.
    ///   - clientEmail: The service account, the `iss` of assertions.
    ///   - httpProtocol: The protocol the server speaks.
    ///   - maximumStreams: The limit of concurrent requests on one HTTP/2 connection.
    ///   - port: Zero for any free port.
    ///   - tokenLifetime: The lifetime of an access token, in seconds.
    ///   - remembers: False for benchmarks, so that accepted messages are only counted.
    ///   - now: The server's clock.
    ///   - tokenFault: May answer instead of the token endpoint; called before any check.
    ///   - fault: May answer instead of the messaging rules; called before any check, with an empty token if the
    ///     message has none.
    public static func start(
        authority: TestCertificateAuthority, publicKeyPEM: String, projectID: String = "cherish-test",
        clientEmail: String = "sender@cherish-test.iam.gserviceaccount.com",
        protocol httpProtocol: PushServer.HTTPProtocol = .http2, maximumStreams: Int = 100, port: Int = 0,
        tokenLifetime: Int = 3599, remembers: Bool = true, now: @escaping @Sendable () -> Date = { Date() },
        tokenFault: @escaping @Sendable (PushServer.Request) -> PushServer.Answer? = { _ in nil },
        fault: @escaping @Sendable (PushServer.Request, _ deviceToken: String) -> PushServer.Answer? = { _, _ in nil }
    ) async throws -> FCMServer {
        let accessTokens = FCMAccessTokens(
            verifier: try await TokenVerifier.rs256(publicKeyPEM: publicKeyPEM),
            clientEmail: clientEmail,
            lifetime: tokenLifetime,
            now: now,
            fault: tokenFault
        )
        let rules = FCMRules(projectID: projectID, accessTokens: accessTokens, remembers: remembers, fault: fault)
        let server = try await PushServer.start(
            authority: authority, protocol: httpProtocol, maximumStreams: maximumStreams, port: port,
            respond: { $0.path == FCMAccessTokens.path ? accessTokens.answer($0) : rules.answer($0) })
        // Known only now that the server has a port; no request can come earlier.
        accessTokens.audience.withLock { $0 = server.url + FCMAccessTokens.path }
        return FCMServer(server: server, accessTokens: accessTokens, rules: rules)
    }

    /// The base URL for senders.
    public var url: String { server.url }

    /// Where senders request access tokens.
    public var tokenURL: String { url + FCMAccessTokens.path }

    /// The messages answered with 200, oldest first; empty if the server does not remember.
    public var accepted: [AcceptedMessage] { rules.accepted.withLock { $0 } }

    /// How many messages were answered with 200.
    public var acceptedCount: Int { rules.acceptedCount.load(ordering: .relaxed) }

    /// How many access tokens were issued.
    public var issuedTokenCount: Int { accessTokens.issuedCount.load(ordering: .relaxed) }

    /// Revokes all access tokens issued so far.
    public func revokeTokens() {
        accessTokens.revoke()
    }

    /// Closes the server.
    public func stop() async {
        await server.stop()
    }

    /// A service account file in Google's format that points to this server.
    public func serviceAccount(privateKeyPEM: String, privateKeyID: String = "test-key") throws -> String {
        let account = [
            "type": "service_account", "project_id": projectID, "private_key_id": privateKeyID,
            "private_key": privateKeyPEM, "client_email": clientEmail, "token_uri": tokenURL,
        ]
        let data = try JSONSerialization.data(withJSONObject: account, options: [.prettyPrinted, .sortedKeys])
        return String(decoding: data, as: UTF8.self)
    }

    /// A refusal as Google sends it.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - code: The name of the `google.rpc` status, such as `NOT_FOUND`.
    ///   - errorCode: Firebase's own code, such as `UNREGISTERED`.
    ///   - retryAfter: The seconds in the header `retry-after`.
    ///   - badField: The path of the invalid field.
    public static func refusal(
        status: Int, code: String, errorCode: String? = nil, retryAfter: Int? = nil, badField: String? = nil
    ) -> PushServer.Answer {
        var details: [[String: Any]] = []
        if let errorCode {
            details.append([
                "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": errorCode,
            ])
        }
        if let badField {
            details.append([
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": [["field": badField, "description": "Invalid value at '\(badField)'"]],
            ])
        }
        var error: [String: Any] = ["code": status, "status": code, "message": "Refused by the test server: \(code)."]
        if !details.isEmpty { error["details"] = details }
        return .json(status, ["error": error], headers: retryAfter.map { [("retry-after", String($0))] } ?? [])
    }
}
