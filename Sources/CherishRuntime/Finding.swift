/// What one check of `cherish doctor` found.
public struct Finding: Sendable, Equatable {
    /// How bad it is.
    public enum Verdict: String, CaseIterable, Comparable, Sendable {
        case ok
        /// It works, and somebody should look at it.
        case warning
        /// Something does not work, or will not for long.
        case problem

        public static func < (left: Verdict, right: Verdict) -> Bool {
            allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!  // every case is among all cases
        }
    }

    /// What was checked, such as `database`; `docs/command-line.md` lists them.
    public let check: String
    public let verdict: Verdict
    /// What was found, without secrets and personal data.
    public let message: String
    /// What to do; nil where all is well.
    public let remedy: String?

    static func ok(_ check: String, _ message: String) -> Finding {
        Finding(check: check, verdict: .ok, message: message, remedy: nil)
    }

    static func warning(_ check: String, _ message: String, _ remedy: String) -> Finding {
        Finding(check: check, verdict: .warning, message: message, remedy: remedy)
    }

    static func problem(_ check: String, _ message: String, _ remedy: String) -> Finding {
        Finding(check: check, verdict: .problem, message: message, remedy: remedy)
    }
}

extension Collection<Finding> {
    /// The worst of them; `ok` where there are none.
    public var verdict: Finding.Verdict { map(\.verdict).max() ?? .ok }

    /// 0 without a problem, 69 where the database cannot be used at all, else 1.
    public var exitStatus: Int32 {
        let problems = filter { $0.verdict == .problem }
        if problems.isEmpty { return 0 }
        return problems.contains { ["database", "migrations"].contains($0.check) } ? 69 : 1
    }
}
