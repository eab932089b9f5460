import CherishCore
import CherishProviders
import CherishPush
import CherishRuntime
import CherishWorker
import Logging
import NIOSSL

extension PushOutlet {
    /// Opens the destination that a setting names, devices included.
    ///
    /// - Parameter lineDescriptor: receives human-readable lines, and JSON Lines if their path is `-`.
    /// - Throws: ``SettingError`` that names the unusable variable.
    static func open(
        _ setting: PushOutletSetting, _ providers: ProviderSettings, lineDescriptor: Int32, logger: Logger
    ) throws -> PushOutlet {
        if let lines = PushOutlet(lines: setting, descriptor: lineDescriptor) { return lines }
        let transport = try providers.transport()
        // Do what can fail first: senders hold connections that must be closed.
        let fcmSettings = try providers.fcm.map { try settings($0, providers) }
        let webPushSettings = try providers.webPush.map { try settings($0, providers) }
        let apns = try providers.apns.map { try sender($0, providers, transport, logger) }
        let fcm = fcmSettings.map { FCMSender($0, transport: transport, logger: logger) }
        let webPush = webPushSettings.map { WebPushSender($0, transport: transport, logger: logger) }
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
        senders[.web] = webPush
        return PushOutlet(
            .devices(
                DeviceSenders(
                    senders, dailyCap: providers.dailyCap, patience: providers.deadline + .seconds(5),
                    waitsForWebhooks: false)),
            "devices: " + senders.keys.map(\.rawValue).sorted().joined(separator: ", ")
        ) {
            await apns?.close()
            await fcm?.close()
            await webhook?.close()
            await webPush?.close()
        }
    }

    private static func sender(
        _ apns: ProviderSettings.APNs, _ providers: ProviderSettings, _ transport: TransportSettings, _ logger: Logger
    ) throws -> APNsSender {
        let key = try ProviderSettings.contents(apns.keyPath, of: "CHERISH_APNS_KEY")
        return try naming("CHERISH_APNS_KEY") {
            try APNsSender(
                APNsSettings(
                    privateKey: key, keyID: apns.keyID, teamID: apns.teamID, topic: apns.topic,
                    url: apns.url ?? (apns.isSandbox ? APNsSettings.sandbox : APNsSettings.production),
                    concurrency: providers.concurrency), transport: transport, logger: logger)
        }
    }

    private static func settings(_ fcm: ProviderSettings.FCM, _ providers: ProviderSettings) throws -> FCMSettings {
        let file = try ProviderSettings.contents(fcm.credentialsPath, of: "CHERISH_FCM_CREDENTIALS")
        let account = try naming("CHERISH_FCM_CREDENTIALS") { try ServiceAccount(json: file) }
        return FCMSettings(
            account: account, url: fcm.url ?? FCMSettings.production, concurrency: providers.concurrency)
    }

    private static func settings(
        _ webPush: ProviderSettings.WebPush, _ providers: ProviderSettings
    ) throws -> WebPushSettings {
        WebPushSettings(
            key: try webPush.key(), subject: webPush.subject, origin: webPush.origin, hosts: webPush.hosts,
            allowsPrivateAddresses: providers.webhooks == .private, concurrency: providers.concurrency)
    }

    /// Turns an error about credentials into one that names their variable.
    private static func naming<Result>(_ variable: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as CredentialError {
            throw SettingError(variable: variable, problem: error.description)
        }
    }
}

extension ProviderSettings {
    /// - Throws: ``SettingError`` that names the variable.
    func transport() throws -> TransportSettings {
        var settings = TransportSettings(deadline: deadline)
        guard let trustedCertificatesPath else { return settings }
        try ProviderSettings.refuseContents(trustedCertificatesPath, of: "CHERISH_PUSH_CA_FILE")
        do {
            settings.additionalRoots = try NIOSSLCertificate.fromPEMFile(trustedCertificatesPath)
        } catch {
            throw SettingError(
                variable: "CHERISH_PUSH_CA_FILE",
                problem: "\(trustedCertificatesPath) is no file with certificates in PEM")
        }
        return settings
    }
}
