import Foundation
import Synchronization

/// Firebase Cloud Messaging's checks of a message.
final class FCMRules: Sendable {
    /// A missing or invalid field of a message.
    private struct BadField: Error {
        let path: String
    }

    let projectID: String
    let accepted = Mutex<[FCMServer.AcceptedMessage]>([])
    let acceptedCount = Atomic<Int>(0)

    private let accessTokens: FCMAccessTokens
    private let remembers: Bool
    private let fault: @Sendable (PushServer.Request, _ deviceToken: String) -> PushServer.Answer?

    private static let maximumMessage = 4096
    /// Four weeks.
    private static let maximumLifetime = 2_419_200.0

    init(
        projectID: String, accessTokens: FCMAccessTokens, remembers: Bool,
        fault: @escaping @Sendable (PushServer.Request, _ deviceToken: String) -> PushServer.Answer?
    ) {
        self.projectID = projectID
        self.accessTokens = accessTokens
        self.remembers = remembers
        self.fault = fault
    }

    func answer(_ request: PushServer.Request) -> PushServer.Answer {
        let json = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
        let message = json?["message"] as? [String: Any] ?? [:]
        let token = message["token"] as? String ?? ""
        if let answer = fault(request, token) { return answer }
        if let answer = refusalOfSender(request) { return answer }
        do {
            try check(message, token: token, size: request.body.count)
        } catch {
            return FCMServer.refusal(
                status: 400, code: "INVALID_ARGUMENT", errorCode: "INVALID_ARGUMENT",
                badField: (error as? BadField)?.path)
        }
        if remembers {
            accepted.withLock { $0.append(FCMServer.AcceptedMessage(token: token, request: request)) }
        }
        let number = acceptedCount.wrappingAdd(1, ordering: .relaxed).newValue
        return PushServer.Answer(
            headers: [("content-type", "application/json; charset=UTF-8")],
            body: Array(#"{"name":"projects/\#(projectID)/messages/\#(number)"}"#.utf8)
        )
    }

    private func refusalOfSender(_ request: PushServer.Request) -> PushServer.Answer? {
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false)
        guard request.method == "POST", parts.count == 5, parts[0].isEmpty, parts[1] == "v1",
            parts[2] == "projects", parts[4] == "messages:send"
        else { return FCMServer.refusal(status: 404, code: "NOT_FOUND") }
        guard accessTokens.isValid(request.header("authorization")) else {
            return FCMServer.refusal(status: 401, code: "UNAUTHENTICATED")
        }
        guard parts[3] == projectID else {
            return FCMServer.refusal(status: 403, code: "PERMISSION_DENIED", errorCode: "SENDER_ID_MISMATCH")
        }
        return nil
    }

    private func check(_ message: [String: Any], token: String, size: Int) throws {
        guard !token.isEmpty else { throw BadField(path: "message.token") }
        guard size <= Self.maximumMessage else { throw BadField(path: "message") }
        if let data = message["data"], !(data is [String: String]) { throw BadField(path: "message.data") }
        guard let value = message["android"] else { return }
        guard let android = value as? [String: Any] else { throw BadField(path: "message.android") }
        if let lifetime = android["ttl"], !Self.isDuration(lifetime) { throw BadField(path: "message.android.ttl") }
        if let priority = android["priority"], !["HIGH", "NORMAL"].contains(priority as? String) {
            throw BadField(path: "message.android.priority")
        }
    }

    /// Seconds as JSON writes a `google.protobuf.Duration`, such as `3.5s`.
    private static func isDuration(_ value: Any) -> Bool {
        guard let text = value as? String, text.hasSuffix("s"),
            text.dropLast().utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
            let seconds = Double(text.dropLast())
        else { return false }
        return seconds <= maximumLifetime
    }
}
