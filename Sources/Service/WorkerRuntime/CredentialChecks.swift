import CherishRuntime
import Foundation
import Logging

/// Checks the push destination: whether key files are readable, well-formed and private.
struct CredentialChecks {
    private static let quietLogger = Logger(label: "cherish") { _ in SwiftLogNoOpLogHandler() }

    private let settings: Settings

    init(_ settings: Settings) {
        self.settings = settings
    }

    func findings() async -> [Finding] {
        let providers = settings.providers
        var findings = [destination]
        if let apns = providers.apns {
            findings.append(
                await credentials("apns", of: "CHERISH_APNS_KEY", providers.with(apns: apns)))
        }
        if let fcm = providers.fcm {
            findings.append(
                await credentials("fcm", of: "CHERISH_FCM_CREDENTIALS", providers.with(fcm: fcm)))
        }
        if let webPush = providers.webPush {
            findings.append(
                await credentials("webpush", of: "CHERISH_WEBPUSH_KEY", providers.with(webPush: webPush)))
        }
        return findings
    }

    private var destination: Finding {
        if let lines = Finding(lines: settings.workerPush) { return lines }
        do {
            _ = try settings.providers.transport()
        } catch {
            return Finding(broken: "pushes", error)
        }
        let platforms = settings.providers.platforms.map(\.rawValue).sorted()
        if platforms.isEmpty {
            return .problem("pushes", "go to devices, and no provider is set up", "docs/push.md says how")
        }
        return .ok("pushes", "go to devices: \(platforms.joined(separator: ", "))")
    }

    /// - Parameter providers: the settings of this provider alone.
    private func credentials(_ check: String, of variable: String, _ providers: ProviderSettings) async -> Finding {
        do {
            // Open it as a worker does, which refuses files that others may read, and close it without a request.
            let outlet = try PushOutlet.open(
                .devices, providers, lineDescriptor: STDERR_FILENO, logger: Self.quietLogger)
            try await outlet.closing {}
            return .ok(check, "the file of \(variable) can be used, and is nobody else's to read")
        } catch {
            return Finding(broken: check, error)
        }
    }
}
