import CherishCore
import CherishPush
import CherishWorker
import Configuration
import Foundation
import Secrets

/// The push providers configured in the environment. Key files are read on use, so that a broken key does not break
/// commands that need none.
public struct ProviderSettings: Sendable {
    package struct APNs: Sendable {
        package let keyPath, keyID, teamID, topic: String
        /// Whether pushes go to development builds, through Apple's sandbox.
        package let isSandbox: Bool
        /// The URL of a server to use instead of Apple's.
        package let url: String?
    }

    package struct FCM: Sendable {
        package let credentialsPath: String
        /// The URL of a server to use instead of Google's.
        package let url: String?
    }

    package struct WebPush: Sendable {
        package let keyPath: String
        package let subject: VAPIDSubject
        /// Where people reach the web garden, such as `https://cherish.example`.
        package let origin: String
        /// Hosts of push services, besides those of the usual browsers.
        package let hosts: [String]

        /// Reads the key by which push services recognize this installation.
        ///
        /// - Throws: ``SettingError`` that names the variable.
        package func key() throws -> VAPIDKey {
            let variable = "CHERISH_WEBPUSH_KEY"
            guard let key = VAPIDKey(pem: try ProviderSettings.contents(keyPath, of: variable)) else {
                throw SettingError(
                    variable: variable,
                    problem: "it holds no P-256 private key in PEM; 'cherish push key --new FILE' makes one")
            }
            return key
        }
    }

    /// Which webhooks receive pushes (`CHERISH_WEBHOOKS`).
    package enum Webhooks: String, CaseIterable, Sendable {
        case `public`, `private`, off
    }

    package private(set) var apns: APNs?
    package private(set) var fcm: FCM?
    package private(set) var webPush: WebPush?
    package private(set) var webhooks: Webhooks
    package let trustedCertificatesPath: String?
    package let deadline: Duration
    package let concurrency: Int
    package let dailyCap: Int

    /// Whether a provider with credentials is configured.
    package var areSetUp: Bool { apns != nil || fcm != nil || webPush != nil }

    /// The platforms that can be reached.
    package var platforms: Set<Device.Platform> {
        var platforms: Set<Device.Platform> = []
        if apns != nil { platforms.insert(.ios) }
        if fcm != nil { platforms.insert(.android) }
        if webhooks != .off { platforms.insert(.webhook) }
        if webPush != nil { platforms.insert(.web) }
        return platforms
    }

    /// A copy with these credentials only, and without webhooks.
    package func with(apns: APNs? = nil, fcm: FCM? = nil, webPush: WebPush? = nil) -> ProviderSettings {
        var copy = self
        copy.apns = apns
        copy.fcm = fcm
        copy.webPush = webPush
        copy.webhooks = .off
        return copy
    }
}

extension Settings {
    /// Refuses a webhook URL that the sender would always refuse.
    ///
    /// - Throws: ``WebhookAddress/Refusal``.
    public func requireUsable(webhook url: String) throws {
        _ = try WebhookAddress(url, allowsPrivateAddresses: providers.webhooks == .private)
    }

    /// Refuses a subscription to which the sender would never send.
    ///
    /// - Throws: ``PushServiceAddress/Refusal``.
    public func requireUsable(_ subscription: PushSubscription) throws {
        _ = try PushServiceAddress(
            subscription.endpoint, hosts: providers.webPush?.hosts ?? [],
            allowsPrivateAddresses: providers.webhooks == .private)
    }
}

extension SettingsReader {
    func providers() throws -> ProviderSettings {
        ProviderSettings(
            apns: try apns(), fcm: try fcm(), webPush: try webPush(), webhooks: try webhooks(),
            trustedCertificatesPath: text("cherish.push.ca.file"),
            deadline: .milliseconds(
                try number("cherish.push.deadline.milliseconds", default: 10_000, in: 100...120_000)),
            concurrency: try number("cherish.push.concurrency", default: 500, in: 1...10_000),
            dailyCap: try number("cherish.push.daily.cap", default: DeviceSenders.standardDailyCap, in: 1...1000))
    }

    private func apns() throws -> ProviderSettings.APNs? {
        let environment = text("cherish.apns.environment") ?? "production"
        let keys: [ConfigKey] = [
            "cherish.apns.key", "cherish.apns.key.id", "cherish.apns.team.id", "cherish.apns.topic",
        ]
        guard keys.contains(where: { text($0) != nil }) else { return nil }
        let values = try keys.map { key in
            guard let value = text(key) else {
                throw SettingError(
                    variable: key.variable, problem: "it is missing; docs/push.md says where Apple shows it")
            }
            return value
        }
        for (key, value) in zip(keys, values).dropFirst()
        where !value.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-.".contains($0)) }) {
            throw SettingError(variable: key.variable, expected: "letters, digits, hyphens and dots, as Apple shows it")
        }
        guard ["production", "sandbox"].contains(environment) else {
            throw SettingError(variable: "CHERISH_APNS_ENVIRONMENT", expected: "production or sandbox")
        }
        return ProviderSettings.APNs(
            keyPath: values[0], keyID: values[1], teamID: values[2], topic: values[3],
            isSandbox: environment == "sandbox", url: try url("cherish.apns.url"))
    }

    private func fcm() throws -> ProviderSettings.FCM? {
        guard let path = text("cherish.fcm.credentials") else { return nil }
        return ProviderSettings.FCM(credentialsPath: path, url: try url("cherish.fcm.url"))
    }

    private func webPush() throws -> ProviderSettings.WebPush? {
        let keys: [ConfigKey] = ["cherish.webpush.key", "cherish.webpush.subject", "cherish.webpush.hosts"]
        guard keys.contains(where: { text($0) != nil }) else { return nil }
        guard let path = text("cherish.webpush.key") else {
            throw SettingError(
                variable: "CHERISH_WEBPUSH_KEY", problem: "it is missing; 'cherish push key --new FILE' makes a key")
        }
        guard let subject = text("cherish.webpush.subject").flatMap({ VAPIDSubject($0) }) else {
            throw SettingError(
                variable: "CHERISH_WEBPUSH_SUBJECT",
                expected: "what push services may contact, like mailto:you@example.com or https://example.com/contact")
        }
        guard let origin = text("cherish.public.url") else {
            throw SettingError(
                variable: "CHERISH_PUBLIC_URL", problem: "it is missing; pushes to browsers lead there when tapped")
        }
        return ProviderSettings.WebPush(
            keyPath: path, subject: subject, origin: try ServerSetting.origin(origin), hosts: try pushServiceHosts())
    }

    private func pushServiceHosts() throws -> [String] {
        let hosts = (text("cherish.webpush.hosts") ?? "").lowercased().split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        guard hosts.allSatisfy({ $0.wholeMatch(of: #/[a-z0-9:]([a-z0-9.:-]*[a-z0-9])?/#) != nil }) else {
            throw SettingError(
                variable: "CHERISH_WEBPUSH_HOSTS", expected: "names of hosts, like push.example.com,push.example.org")
        }
        return hosts
    }

    private func webhooks() throws -> ProviderSettings.Webhooks {
        guard let value = text("cherish.webhooks") else { return .public }
        guard let webhooks = ProviderSettings.Webhooks(rawValue: value) else {
            throw SettingError(variable: "CHERISH_WEBHOOKS", expected: "public, private or off")
        }
        return webhooks
    }

    /// The URL of a server to use instead of the provider's, such as a proxy or a test server.
    private func url(_ key: ConfigKey) throws -> String? {
        guard let value = text(key) else { return nil }
        guard let url = URL(string: value), url.scheme == "https", url.host?.isEmpty == false, !value.hasSuffix("/")
        else { throw SettingError(variable: key.variable, expected: "an https URL without a slash at its end") }
        return value
    }
}

extension ConfigKey {
    /// The name of the environment variable.
    var variable: String { components.joined(separator: "_").uppercased() }
}

extension ProviderSettings {
    /// Reads a secret from the file that a variable names.
    ///
    /// - Throws: ``SettingError`` that names the variable, if the file is unreadable or accessible to other users.
    package static func contents(_ path: String, of variable: String) throws -> String {
        try refuseContents(path, of: variable)
        try refuseOpenFile(path, of: variable)
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw SettingError(
                variable: variable, problem: "\(path) cannot be read; check that it is there, is text and may be read")
        }
    }

    /// Refuses a key pasted in place of a path: messages may quote a path, but never a key.
    package static func refuseContents(_ path: String, of variable: String) throws {
        if path.contains(where: \.isNewline) || path.contains("{") || path.contains("-----") {
            throw SettingError(variable: variable, problem: "it must be the path of a file, not what is in it")
        }
    }

    /// Checks permissions as libpq does for key files: a file owned by root may be group-readable, any other only
    /// readable by its owner.
    private static func refuseOpenFile(_ path: String, of variable: String) throws {
        var information = stat()
        // A pipe belongs to whoever created it; a missing file is reported when it is read.
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return }
        let others: mode_t = information.st_uid == 0 ? 0o037 : 0o077
        if information.st_mode & others != 0 {
            throw SettingError(
                variable: variable,
                problem: "other users may read or change \(path); run 'chmod 600 \(path)', and renew what is in it if "
                    + "they were not to see it")
        }
    }
}
