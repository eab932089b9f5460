import CherishCore
import CherishPush
import Foundation
import Logging
import NIOHTTP1

/// An operator's credentials from Google.
public struct FCMSettings: Sendable {
    public var account: ServiceAccount
    public var url: String
    /// The maximum number of concurrent pushes.
    public var concurrency: Int

    public static let production = "https://fcm.googleapis.com"

    public init(account: ServiceAccount, url: String = production, concurrency: Int = 500) {
        self.account = account
        self.url = url
        self.concurrency = concurrency
    }
}

/// Sends pushes to Android phones: the HTTP v1 API of Firebase Cloud Messaging.
public final class FCMSender: DeviceSender {
    public let concurrency: Int
    private let url: String
    private let credential: GoogleCredential
    private let transport: HTTPTransport
    private let provider: Provider

    public init(_ settings: FCMSettings, transport: TransportSettings = TransportSettings(), logger: Logger) {
        concurrency = settings.concurrency
        url = "\(settings.url)/v1/projects/\(settings.account.projectID)/messages:send"
        self.transport = HTTPTransport(transport)
        credential = GoogleCredential(settings.account, transport: self.transport)
        provider = Provider(
            name: "FCM",
            settings: ProviderSettingNames(
                credentials: "CHERISH_FCM_CREDENTIALS, the account's rights in its project",
                address: "the token_uri in CHERISH_FCM_CREDENTIALS, CHERISH_FCM_URL, CHERISH_PUSH_CA_FILE",
                environment: "CHERISH_FCM_CREDENTIALS, which must be of the app's own project"),
            concurrency: settings.concurrency, clock: transport.clock, logger: logger)
    }

    /// Closes all connections. Call once, at the end.
    public func close() async {
        await transport.close()
    }

    /// Sends one push to one phone.
    public func send(_ push: AccountPush, to device: Device, at now: Instant) async -> DeviceResult {
        await provider.send {
            // Only now, so that a push that waits for its turn takes no memory for it.
            let message = push.messageForFCM(to: device, at: now)
            switch await credential.accessToken() {
            case .failure(let failure): return failure.answer
            case .success(let token):
                let answer = await ask(message, token)
                guard answer.consequence == .credentialExpired else { return answer }
                switch await credential.accessToken(insteadOf: token) {
                case .failure(let failure): return failure.answer
                case .success(let token): return await ask(message, token)
                }
            }
        }
    }

    private func ask(_ message: [UInt8], _ token: String) async -> ProviderAnswer {
        let headers: HTTPHeaders = ["authorization": "Bearer \(token)", "content-type": "application/json"]
        switch await transport.post(url, headers, message) {
        case .success(let http): return FCMAnswers.answer(http)
        case .failure(let failure): return failure.answer
        }
    }
}

extension AccountPush {
    /// How long a provider should keep the push. FCM, which is also Chrome's push service, takes at most four weeks.
    func secondsToLive(at now: Instant) -> Int64 {
        min(max(expiresAt.secondsSinceEpoch - now.secondsSinceEpoch, 0), 28 * 86_400)
    }

    /// The message for an Android phone. `fixtures/push` has examples.
    func messageForFCM(to device: Device, at now: Instant) -> [UInt8] {
        let text = text
        var json = JSONWriter()
        json.object { json in
            json.member("message") { json in
                json.member("android") { json in
                    json.member("collapse_key", collapseID)
                    // A phone shows one notification per tag.
                    json.member("notification") { $0.member("tag", collapseID) }
                    json.member("priority", isUrgent ? "HIGH" : "NORMAL")
                    json.member("ttl", "\(secondsToLive(at: now))s")
                }
                json.member("data") { json in
                    json.member("kind", kind)
                    json.member("link", link)
                    json.member("occursOn", occursOn)
                    json.members(ofSubject: subjectID, subject)
                }
                json.member("notification") { json in
                    json.member("body", text.body)
                    json.member("title", text.title)
                }
                json.member("token", device.token)
            }
        }
        return json.bytes
    }
}
