import Foundation
import Logging

/// Checks where pushes go: whether key files are readable, well-formed and private.
package struct CredentialChecks {
    private static let quietLogger = Logger(label: "cherish") { _ in SwiftLogNoOpLogHandler() }

    private let settings: Settings

    package init(_ settings: Settings) {
        self.settings = settings
    }

    package func findings() async -> [Finding] {
        let providers = settings.providers
        var findings = [destination]
        if let apns = providers.apns {
            findings.append(
                await credentials("apns", of: "CHERISH_APNS_KEY", providers.with(apns: apns, fcm: nil)))
        }
        if let fcm = providers.fcm {
            findings.append(
                await credentials("fcm", of: "CHERISH_FCM_CREDENTIALS", providers.with(apns: nil, fcm: fcm)))
        }
        return findings
    }

    private var destination: Finding {
        switch settings.workerPush {
        case .standardOutput, .jsonLines("-"): return .ok("pushes", "go to standard output")
        case .jsonLines(let path):
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            let isThere = FileManager.default.fileExists(atPath: path)
            guard FileManager.default.isWritableFile(atPath: isThere ? path : folder) else {
                return .problem(
                    "pushes", "\(path) cannot be written", "let this user write there, or change CHERISH_PUSH")
            }
            return .ok("pushes", "are appended to \(path)")
        case .devices:
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
    }

    /// - Parameter providers: with this provider alone.
    private func credentials(_ check: String, of variable: String, _ providers: ProviderSettings) async -> Finding {
        do {
            // Open it as a worker does, which refuses files that others may read, and close it without a request.
            let outlet = try PushOutlet(.devices, providers, lineDescriptor: STDERR_FILENO, logger: Self.quietLogger)
            try await outlet.closing {}
            return .ok(check, "the file of \(variable) can be used, and is nobody else's to read")
        } catch {
            return Finding(broken: check, error)
        }
    }
}

extension ProviderSettings {
    /// A copy with only these credentials.
    func with(apns: APNs?, fcm: FCM?) -> ProviderSettings {
        ProviderSettings(
            apns: apns, fcm: fcm, webhooks: .off, trustedCertificatesPath: trustedCertificatesPath,
            deadline: deadline, concurrency: concurrency, dailyCap: dailyCap)
    }
}
