import CherishCore
import CherishProviders
import CherishPush
import CherishWorker
import Logging

/// The destination of pushes, opened as the settings say. Close it after use, because it holds connections.
struct PushOutlet: Sendable {
    let destination: PushDestination
    /// For a log line.
    let description: String
    private let close: @Sendable () async -> Void

    /// - Parameter lineDescriptor: where lines for people go, and the JSON Lines of `-`.
    /// - Throws: ``SettingError`` that names the variable that cannot be used.
    init(
        _ setting: PushOutletSetting, _ providers: ProviderSettings, lineDescriptor: Int32, logger: Logger
    ) throws {
        switch setting {
        case .standardOutput:
            self.init(.lines(LineSender(descriptor: lineDescriptor)), "stdout")
        case .jsonLines("-"):
            self.init(.lines(JSONLinesSender(descriptor: lineDescriptor)), "jsonl")
        case .jsonLines(let path):
            self.init(.lines(JSONLinesSender(path: path)), "jsonl")
        case .devices:
            let transport = try providers.transport()
            // Do what can fail first: senders hold connections that must be closed.
            let fcmSettings = try providers.fcm.map { try PushOutlet.settings($0, providers) }
            let apns = try providers.apns.map { try PushOutlet.sender($0, providers, transport, logger) }
            let fcm = fcmSettings.map { FCMSender($0, transport: transport, logger: logger) }
            let webhook =
                providers.webhooks == .off
                ? nil
                : WebhookSender(
                    allowsPrivateAddresses: providers.webhooks == .private,
                    concurrency: min(providers.concurrency, 64), transport: transport, logger: logger)
            var senders: [Device.Platform: any DeviceSender] = [:]
            senders[.ios] = apns
            senders[.android] = fcm
            senders[.webhook] = webhook
            self.init(
                .devices(
                    DeviceSenders(
                        senders, dailyCap: providers.dailyCap, patience: providers.deadline + .seconds(5),
                        waitsForWebhooks: false)),
                "devices: " + senders.keys.map(\.rawValue).sorted().joined(separator: ", ")
            ) {
                await apns?.close()
                await fcm?.close()
                await webhook?.close()
            }
        }
    }

    private init(
        _ destination: PushDestination, _ description: String, close: @escaping @Sendable () async -> Void = {}
    ) {
        self.destination = destination
        self.description = description
        self.close = close
    }

    /// Runs the body, then closes whatever is open.
    func closing<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        do {
            let result = try await body()
            await close()
            return result
        } catch {
            await close()
            throw error
        }
    }

    private static func sender(
        _ apns: ProviderSettings.APNs, _ providers: ProviderSettings, _ transport: TransportSettings, _ logger: Logger
    ) throws -> APNsSender {
        let key = try ProviderSettings.contents(apns.keyPath, of: "CHERISH_APNS_KEY")
        return try ProviderSettings.naming("CHERISH_APNS_KEY") {
            try APNsSender(
                APNsSettings(
                    privateKey: key, keyID: apns.keyID, teamID: apns.teamID, topic: apns.topic, url: apns.url,
                    concurrency: providers.concurrency), transport: transport, logger: logger)
        }
    }

    private static func settings(_ fcm: ProviderSettings.FCM, _ providers: ProviderSettings) throws -> FCMSettings {
        let file = try ProviderSettings.contents(fcm.credentialsPath, of: "CHERISH_FCM_CREDENTIALS")
        let account = try ProviderSettings.naming("CHERISH_FCM_CREDENTIALS") { try ServiceAccount(json: file) }
        return FCMSettings(account: account, url: fcm.url, concurrency: providers.concurrency)
    }
}
