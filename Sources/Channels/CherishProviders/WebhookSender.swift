import CherishCore
import CherishPush
import Crypto
import Foundation
import Logging
import NIOHTTP1

/// Sends pushes to any HTTP endpoint, signed according to Standard Webhooks.
public final class WebhookSender: DeviceSender {
    private let hosts: PinnedHosts
    private let places: WebhookPlaces
    /// An answer that takes longer counts as late.
    private let punctuality: Duration
    private let allowsPrivateAddresses: Bool
    private let clock: @Sendable () -> Date

    /// - Parameters:
    ///   - allowsPrivateAddresses: Whether webhooks may be inside the operator's own network, and without TLS.
    ///   - concurrency: The maximum number of concurrent pushes to all hosts that answer within a second.
    ///   - clock: The wall clock that receivers compare with their own; not the engine's now.
    public init(
        allowsPrivateAddresses: Bool = false, concurrency: Int = 64,
        transport: TransportSettings = TransportSettings(), clock: @escaping @Sendable () -> Date = { Date() },
        logger: Logger
    ) {
        // These servers belong to accounts: the operator cannot fix them.
        var logger = logger
        logger.logLevel = .critical
        hosts = PinnedHosts(transport, allowsPrivateAddresses: allowsPrivateAddresses) { [logger] _ in
            Provider(
                name: "webhook",
                settings: ProviderSettingNames(credentials: "its URL", address: "its URL", environment: "its URL"),
                concurrency: nil, isOnlyOne: false, clock: transport.clock, logger: logger)
        }
        places = WebhookPlaces(WebhookPlaces.Limits(fast: concurrency), clock: transport.clock)
        punctuality = transport.deadline / 2
        self.allowsPrivateAddresses = allowsPrivateAddresses
        self.clock = clock
    }

    /// Closes all connections. Call once, at the end.
    public func close() async {
        await hosts.close()
    }

    /// Posts one push to one URL.
    public func send(_ push: AccountPush, to device: Device, at now: Instant) async -> DeviceResult {
        let address: WebhookAddress
        do {
            address = try WebhookAddress(device.token, allowsPrivateAddresses: allowsPrivateAddresses)
        } catch {
            return .refused(reason: error.reason)
        }
        guard let secret = device.secret else { return .refused(reason: "no secret") }
        let body = push.payloadForWebhook()
        let id = "msg_\(push.messageID(for: device).uuidString.lowercased())"
        return await places.send(to: address.server) { place in
            await hosts.with(address.host) { host in
                await host.provider.send {
                    let headers = WebhookSignature.headers(id: id, at: clock(), body: body, secret: secret)
                    let started = ContinuousClock.now
                    var answer =
                        switch await host.transport.post(address.url, headers, body) {
                        case .success(let http): WebhookAnswers.answer(http)
                        case .failure(let failure): WebhookAnswers.answer(failure)
                        }
                    answer.isLate = ContinuousClock.now - started > punctuality
                    place.noteAnswer()
                    return answer
                }
            } otherwise: { failure in
                place.noteAnswer()
                return failure == .privateAddress
                    ? .refused(reason: failure.rawValue) : .failed(reason: failure.rawValue, retryAfter: nil)
            }
        }
    }
}

/// Signs according to Standard Webhooks (github.com/standard-webhooks/standard-webhooks).
enum WebhookSignature {
    /// - Parameters:
    ///   - id: The same for every attempt.
    ///   - time: The time of this attempt.
    static func headers(id: String, at time: Date, body: [UInt8], secret: WebhookSecret) -> HTTPHeaders {
        let seconds = String(Int(time.timeIntervalSince1970))
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("\(id).\(seconds).".utf8) + body, using: SymmetricKey(data: secret.bytes))
        return [
            "content-type": "application/json",
            "user-agent": "cherish",
            "webhook-id": id,
            "webhook-timestamp": seconds,
            "webhook-signature": "v1,\(Data(code).base64EncodedString())",
        ]
    }
}

/// The consequence of each answer of a webhook's server.
enum WebhookAnswers {
    /// 2xx is success. 410 means that the receiver is gone. Redirects are not followed, since they could lead anywhere.
    static func answer(_ http: HTTPAnswer) -> ProviderAnswer {
        let consequence: Consequence =
            switch http.status {
            case 200...299: .accepted
            case 410: .tokenDead
            case 429: .slowDown
            case 408, 425, 500...599: .retry
            default: .refused
            }
        return ProviderAnswer(consequence: consequence, reason: String(http.status), retryAfter: http.retryAfter)
    }

    /// An unreachable server is for the account to fix, not the operator: it counts as an attempt.
    static func answer(_ failure: TransportFailure) -> ProviderAnswer {
        ProviderAnswer(consequence: failure == .cancelled ? .abandoned : .retry, reason: failure.rawValue)
    }
}

extension AccountPush {
    /// The payload for a webhook. `fixtures/push` has examples.
    func payloadForWebhook() -> [UInt8] {
        let text = text
        var json = JSONWriter()
        json.object { json in
            json.member("data") { json in
                json.member("accountId", accountID)
                json.member("body", text.body)
                json.member("collapseId", collapseID)
                json.member("kind", kind)
                json.member("link", link)
                json.member("occursOn", occursOn)
                json.members(ofSubject: subjectID, subject)
                json.member("title", text.title)
            }
            // Shown by Slack, Mattermost and the like.
            json.member("text", "\(text.title)\n\(text.body)")
            json.member("timestamp", plannedAt)
            json.member("type", "push.\(kind)")
        }
        return json.bytes
    }
}

extension WebhookAddress.Refusal {
    /// The reason recorded for a push.
    var reason: String {
        switch self {
        case .notHTTPS: "not https"
        case .privateAddress: TransportFailure.privateAddress.rawValue
        case .notURL, .controlCharacter, .userOrPassword, .noHost, .noPort, .unusualNumber:
            TransportFailure.invalidURL.rawValue
        }
    }
}
