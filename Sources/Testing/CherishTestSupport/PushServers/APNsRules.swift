import Foundation
import Synchronization

/// Apple's checks of a request, in this order: path, sender, headers, device token, payload.
final class APNsRules: Sendable {
    /// Why a request is refused.
    struct Refusal: Error {
        let status: Int
        let reason: String
    }

    let providerTokens: APNsProviderTokens?
    let accepted = Mutex<[APNsServer.AcceptedPush]>([])
    let acceptedCount = Atomic<Int>(0)

    private let topic: String
    private let checksPayload: Bool
    private let remembers: Bool
    private let fault: @Sendable (PushServer.Request, _ deviceToken: String) -> PushServer.Answer?

    private static let devicePath = "/3/device/"
    private static let pushTypes: Set<String> = [
        "alert", "background", "complication", "controls", "fileprovider", "liveactivity", "location", "mdm",
        "pushtotalk", "voip", "widgets",
    ]
    private static let maximumPayload = 4096
    private static let maximumCollapseID = 64
    private static let minimumDeviceToken = 64

    init(
        topic: String, providerTokens: APNsProviderTokens?, checksPayload: Bool, remembers: Bool,
        fault: @escaping @Sendable (PushServer.Request, _ deviceToken: String) -> PushServer.Answer?
    ) {
        self.topic = topic
        self.providerTokens = providerTokens
        self.checksPayload = checksPayload
        self.remembers = remembers
        self.fault = fault
    }

    func answer(_ request: PushServer.Request) -> PushServer.Answer {
        let identifier = request.header("apns-id")
        do {
            guard request.path.hasPrefix(Self.devicePath) else { throw Refusal(status: 404, reason: "BadPath") }
            let deviceToken = String(request.path.dropFirst(Self.devicePath.count))
            if let answer = fault(request, deviceToken) { return answer }
            try check(request)
            try checkHeaders(of: request, identifier: identifier)
            try check(deviceToken: deviceToken)
            try check(payload: request.body)
            if remembers {
                accepted.withLock { $0.append(APNsServer.AcceptedPush(deviceToken: deviceToken, request: request)) }
            }
            acceptedCount.wrappingAdd(1, ordering: .relaxed)
            return PushServer.Answer(headers: [("apns-id", identifier ?? UUID().uuidString)])
        } catch {
            return refuse(error, identifier: identifier)
        }
    }

    private func refuse(_ error: any Error, identifier: String?) -> PushServer.Answer {
        let refusal = error as? Refusal ?? Refusal(status: 500, reason: "InternalServerError")
        var answer = APNsServer.refusal(status: refusal.status, reason: refusal.reason)
        if let identifier {
            answer.headers.removeAll { $0.0 == "apns-id" }
            answer.headers.append(("apns-id", identifier))
        }
        return answer
    }

    private func check(_ request: PushServer.Request) throws {
        guard request.method == "POST" else { throw Refusal(status: 405, reason: "MethodNotAllowed") }
        try providerTokens?.check(request.header("authorization"))
        guard let topic = request.header("apns-topic") else { throw Refusal(status: 400, reason: "MissingTopic") }
        guard topic == self.topic else { throw Refusal(status: 400, reason: "TopicDisallowed") }
    }

    private func checkHeaders(of request: PushServer.Request, identifier: String?) throws {
        if let type = request.header("apns-push-type"), !Self.pushTypes.contains(type) {
            throw Refusal(status: 400, reason: "InvalidPushType")
        }
        if let priority = request.header("apns-priority"), !["1", "5", "10"].contains(priority) {
            throw Refusal(status: 400, reason: "BadPriority")
        }
        if let expiration = request.header("apns-expiration"), UInt64(expiration) == nil {
            throw Refusal(status: 400, reason: "BadExpirationDate")
        }
        if let collapse = request.header("apns-collapse-id"), collapse.utf8.count > Self.maximumCollapseID {
            throw Refusal(status: 400, reason: "BadCollapseId")
        }
        if let identifier, UUID(uuidString: identifier) == nil {
            throw Refusal(status: 400, reason: "BadMessageId")
        }
    }

    private func check(deviceToken: String) throws {
        let isHexadecimal = deviceToken.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
        }
        guard deviceToken.utf8.count >= Self.minimumDeviceToken, isHexadecimal else {
            throw Refusal(status: 400, reason: "BadDeviceToken")
        }
    }

    private func check(payload: [UInt8]) throws {
        guard !payload.isEmpty else { throw Refusal(status: 400, reason: "PayloadEmpty") }
        guard payload.count <= Self.maximumPayload else { throw Refusal(status: 413, reason: "PayloadTooLarge") }
        guard checksPayload else { return }
        let object = try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any]
        guard object?["aps"] is [String: Any] else { throw Refusal(status: 400, reason: "PayloadEmpty") }
    }
}
