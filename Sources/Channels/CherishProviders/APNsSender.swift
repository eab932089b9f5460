import CherishCore
import CherishPush
import Foundation
import JWTKit
import Logging
import NIOHTTP1
import SystemUUID

/// An operator's credentials from Apple.
public struct APNsSettings: Sendable {
    /// The signing key, `.p8`, in PEM.
    public var privateKey: String
    public var keyID: String
    public var teamID: String
    /// The app's bundle id.
    public var topic: String
    /// `https://api.push.apple.com`, or the sandbox's.
    public var url: String
    /// The maximum number of concurrent pushes. Those beyond the limit of Apple's server wait for a stream.
    public var concurrency: Int

    public static let production = "https://api.push.apple.com"
    public static let sandbox = "https://api.sandbox.push.apple.com"

    public init(
        privateKey: String, keyID: String, teamID: String, topic: String, url: String = production,
        concurrency: Int = 1000
    ) {
        self.privateKey = privateKey
        self.keyID = keyID
        self.teamID = teamID
        self.topic = topic
        self.url = url
        self.concurrency = concurrency
    }
}

/// Sends pushes to iPhones: Apple's HTTP/2 API with token authentication.
public final class APNsSender: DeviceSender {
    private let settings: APNsSettings
    private let credential: APNsCredential
    private let transport: HTTPTransport
    private let provider: Provider

    /// - Throws: ``CredentialError`` if the key cannot be read.
    public init(_ settings: APNsSettings, transport: TransportSettings = TransportSettings(), logger: Logger) throws {
        self.settings = settings
        credential = try APNsCredential(settings)
        self.transport = HTTPTransport(transport)
        provider = Provider(
            name: "APNs",
            settings: ProviderSettingNames(
                credentials: "CHERISH_APNS_KEY, CHERISH_APNS_KEY_ID, CHERISH_APNS_TEAM_ID, CHERISH_APNS_TOPIC",
                address: "CHERISH_APNS_URL, CHERISH_PUSH_CA_FILE",
                environment: "CHERISH_APNS_ENVIRONMENT and CHERISH_APNS_TOPIC"), concurrency: settings.concurrency,
            clock: transport.clock, logger: logger)
    }

    public var concurrency: Int { settings.concurrency }

    /// Closes all connections. Call once, at the end.
    public func close() async {
        await transport.close()
    }

    /// Sends one push to one iPhone.
    public func send(_ push: AccountPush, to device: Device, at now: Instant) async -> DeviceResult {
        // The token becomes part of the path.
        guard (1...200).contains(device.token.utf8.count), device.token.utf8.allSatisfy(\.isHexadecimalDigit)
        else {
            return .refused(reason: "malformed token")
        }
        return await provider.send {
            // Only now, so that a push that waits for its turn takes no memory for it.
            let payload = push.payloadForAPNs()
            guard let token = try? await credential.token() else {
                return ProviderAnswer(consequence: .misconfigured, reason: "the key cannot sign")
            }
            let answer = await ask(push, device, payload, token)
            switch answer.consequence {
            case .credentialExpired:
                guard let token = await credential.token(insteadOf: token) else { return answer }
                return await ask(push, device, payload, token)
            case .connectionUnfit:
                if let generation = answer.clientGeneration { transport.renew(generation) }
                return await ask(push, device, payload, token)
            default: return answer
            }
        }
    }

    private func ask(
        _ push: AccountPush, _ device: Device, _ payload: [UInt8], _ token: String
    ) async -> ProviderAnswer {
        let headers: HTTPHeaders = [
            "authorization": "bearer \(token)",
            "apns-topic": settings.topic,
            "apns-push-type": "alert",
            // 10: immediately; 5: when the phone's battery allows.
            "apns-priority": push.isUrgent ? "10" : "5",
            "apns-expiration": String(push.expiresAt.secondsSinceEpoch),
            "apns-collapse-id": push.collapseID,
            "apns-id": push.messageID(for: device).uuidString.lowercased(),
        ]
        switch await transport.post("\(settings.url)/3/device/\(device.token)", headers, payload) {
        case .success(let http):
            var answer = APNsAnswers.answer(http)
            answer.clientGeneration = http.clientGeneration
            return answer
        case .failure(let failure): return failure.answer
        }
    }
}

extension AccountPush {
    private static let namespace = UUID(
        uuid: (0x4f, 0x2c, 0x61, 0x7a, 0x9b, 0x0e, 0x4d, 0x38, 0xa6, 0x15, 0x63, 0x68, 0x65, 0x72, 0x69, 0x73))

    /// Identifies the push to one device (UUID version 5). Every attempt has the same id, unless the number of subjects
    /// in the push has changed.
    func messageID(for device: Device) -> UUID {
        var name = "\(accountID)/\(device.id)/\(collapseID)"
        if case .several(_, _, _, _, let others) = content { name += "/\(others)" }
        return UUID.nameBased(in: AccountPush.namespace, name: name)
    }
}

extension AccountPush {
    /// The payload for an iPhone. `fixtures/push` has examples.
    func payloadForAPNs() -> [UInt8] {
        let text = text
        var json = JSONWriter()
        json.object { json in
            json.member("aps") { json in
                json.member("alert") { json in
                    json.member("body", text.body)
                    json.member("title", text.title)
                }
                json.member("sound", "default")
                json.member("thread-id", kind)
            }
            json.member("kind", kind)
            json.member("link", link)
            json.member("occursOn", occursOn)
            json.members(ofSubject: subjectID, subject)
        }
        return json.bytes
    }
}
