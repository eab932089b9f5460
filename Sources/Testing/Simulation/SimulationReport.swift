import CherishCore

/// A broken promise.
public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// What the oracle checks.
    public enum Promise: String, CaseIterable, Sendable {
        /// Every occurrence has one outcome, each job has one receipt, and cursors only move ahead (rule 7.8).
        case oneOutcome = "one outcome"
        /// A phone sees one push about a topic per subject and ref: for plants, per due date, watering or birthday
        /// (rules 7.2, 7.3 and 7.10).
        case sentOnce = "sent once"
        /// What was due, wanted and not yet done was sent, and what is recorded as sent was seen (rule 7.7).
        case nothingLost = "nothing lost"
        /// No push for what was done meanwhile (rule 7.6), and none before its time.
        case notWhenDone = "not when done"
        /// No push of a kind that is off or was not asked for (rules 7.4 and 7.10).
        case switchedOff = "not when switched off"
        /// No reminder in quiet hours (rule 7.3).
        case quietHours = "quiet hours"
        /// No push to phones that were removed, or that their provider reported as gone (docs/push.md).
        case deadPhones = "not to dead phones"
        /// A digest comes only after the daily cap; after the cap, nothing else comes (docs/push.md).
        case dailyCap = "daily cap"
        /// A push names all subjects that are due in its minute; a digest counts the thirsty plants (docs/push.md).
        case folding = "folding"
        /// No push for removed plants (rule 1.8).
        case archived = "not for the archived"
        /// Nothing remains of erased accounts, and nothing is sent to them (rule 8.6).
        case erased = "nothing of the erased"
        /// Affection equals the sum of the ledger, and is what the rules demand (rule 4).
        case affection
        /// Due dates and D-days (rules 1, 2, 3, 6 and 13.2).
        case dueDate = "due date"
        /// No push in a pause (rule 13.1).
        case paused = "not in a pause"
        /// Whose push an outage kept back is excused, and nobody else (rule 13.3).
        case excused
        /// A list has one helper, whose lane agrees; a helper has five places; ratings arrive (rules 11.4 and 11.6).
        case oneHelper = "one helper"
        /// People find the lists that rule 11.3 shows them, and pushes and receipts tell nobody else of them.
        case whoSeesWhat = "who sees what"
        /// A device that follows the changes of its account has what there is (rule 14.2).
        case onEveryDevice = "on every device"
        /// Commands are accepted and refused as the rules say, and are atomic.
        case wholeCommands = "whole commands"
        /// A worker fails only if the simulation injected a fault.
        case workersGoOn = "workers go on"
    }

    public let promise: Promise
    /// When the simulation noticed it.
    public let at: Instant
    /// The subject it concerns, if any.
    public let subject: Subject.ID?
    /// The expected and the actual state.
    public let what: String

    /// One line of text.
    public var description: String {
        "\(at) \(promise.rawValue): \(subject.map { "subject \($0): " } ?? "")\(what)"
    }
}

/// What a simulation did and found.
public struct SimulationReport: Sendable {
    public let settings: SimulationSettings
    /// How many days were simulated; fewer than requested after a violation.
    public var days = 0
    /// How many acts there were of each kind, refused ones included.
    public var acts: [String: Int] = [:]
    /// How many pushes phones received of each kind, repetitions included.
    public var pushes: [String: Int] = [:]
    /// How many pushes were repeated; a phone shows each once.
    public var repetitions = 0
    /// How many due dates were excused after outages.
    public var excused = 0
    /// How many faults there were of each kind.
    public var faults: [String: Int] = [:]
    /// How many comparisons the oracle made.
    public var checks = 0
    /// The violations; empty if all promises were kept.
    public var violations: [Violation] = []
    /// A hash of the final state; equal settings give equal hashes.
    public var digest = ""

    init(settings: SimulationSettings) {
        self.settings = settings
    }

    /// The report as text for people.
    public var text: String {
        var lines = [
            "seed \(settings.seed): \(days) days of \(settings.accounts) accounts with \(settings.workers) workers",
            "acts \(list(acts))", "pushes \(list(pushes)), repeated \(repetitions)",
            "faults \(list(faults)), excused \(excused)",
            "checks \(checks), digest \(digest)",
        ]
        if violations.isEmpty { return (lines + ["all promises were kept"]).joined(separator: "\n") }
        lines += violations.map { "VIOLATION \($0)" }
        if settings.isRepeatedByCommand { lines.append("again: \(settings.command)") }
        return lines.joined(separator: "\n")
    }

    private func list(_ counts: [String: Int]) -> String {
        let parts = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return "\(counts.values.reduce(0, +))" + (parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))")
    }
}
