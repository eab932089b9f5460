import Foundation

/// The finding of one `cherish doctor` check.
public struct Finding: Codable, Sendable, Equatable {
    /// The severity of a finding.
    public enum Verdict: String, CaseIterable, Codable, Comparable, Sendable {
        case ok
        /// Works, but needs attention.
        case warning
        /// Broken, or about to break.
        case problem

        public static func < (left: Verdict, right: Verdict) -> Bool {
            allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!  // every case is among all cases
        }
    }

    /// The name of the check, such as `database`; `docs/command-line.md` lists them.
    public let check: String
    public let verdict: Verdict
    /// What was found, without secrets or personal data.
    public let message: String
    /// What to do; nil if all is well.
    public let remedy: String?

    package init(check: String, verdict: Verdict, message: String, remedy: String?) {
        self.check = check
        self.verdict = verdict
        self.message = message
        self.remedy = remedy
    }

    package static func ok(_ check: String, _ message: String) -> Finding {
        Finding(check: check, verdict: .ok, message: message, remedy: nil)
    }

    package static func warning(_ check: String, _ message: String, _ remedy: String) -> Finding {
        Finding(check: check, verdict: .warning, message: message, remedy: remedy)
    }

    package static func problem(_ check: String, _ message: String, _ remedy: String) -> Finding {
        Finding(check: check, verdict: .problem, message: message, remedy: remedy)
    }
}

extension Finding {
    /// A check that could not run.
    package init(broken check: String, _ error: any Error) {
        let failure = Failure(error)
        self = .problem(
            check, failure.message,
            failure.code == "database_unreachable"
                ? "check DATABASE_URL, that the server runs, and that this user may connect"
                : "do what the message says, then run 'cherish doctor' again")
    }
}

extension Finding {
    /// Checks that lines can be written to the push destination; nil if pushes go to devices.
    package init?(lines setting: PushOutletSetting) {
        switch setting {
        case .standardOutput, .jsonLines("-"): self = .ok("pushes", "go to standard output")
        case .jsonLines(let path):
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            let isThere = FileManager.default.fileExists(atPath: path)
            guard FileManager.default.isWritableFile(atPath: isThere ? path : folder) else {
                self = .problem(
                    "pushes", "\(path) cannot be written", "let this user write there, or change CHERISH_PUSH")
                return
            }
            self = .ok("pushes", "are appended to \(path)")
        case .devices: return nil
        }
    }
}

extension Collection<Finding> {
    /// The worst verdict; `ok` if there are none.
    public var verdict: Finding.Verdict { map(\.verdict).max() ?? .ok }

    /// 0 without a problem, 69 if the database cannot be used at all, otherwise 1.
    public var exitStatus: Int32 {
        let problems = filter { $0.verdict == .problem }
        if problems.isEmpty { return 0 }
        return problems.contains { ["database", "migrations"].contains($0.check) } ? 69 : 1
    }
}
