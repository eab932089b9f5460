import CherishCore

/// A promise that was not kept.
public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// What the oracle watches over.
    public enum Promise: String, CaseIterable, Sendable {
        /// Everything planned ends in one outcome, each job has one receipt, cursors move ahead only (rule 7.8).
        case oneOutcome = "one outcome"
        /// A phone sees one push of a kind per plant and due date, watering or birthday (rules 7.2, 7.3 and 7.10).
        case sentOnce = "sent once"
        /// What was due, wanted and not done was sent, and what is recorded as sent was seen (rule 7.7).
        case nothingLost = "nothing lost"
        /// No push for what was done meanwhile (rule 7.6), nor before its time.
        case notWhenDone = "not when done"
        /// No push that is switched off, or was not asked for (rules 7.4 and 7.10).
        case switchedOff = "not when switched off"
        /// No reminder in quiet hours (rule 7.3).
        case quietHours = "quiet hours"
        /// No push to phones that were removed, or of which their provider said that they are gone (docs/push.md).
        case deadPhones = "not to dead phones"
        /// After so many pushes on a day comes a digest, not before and nothing else (docs/push.md).
        case dailyCap = "daily cap"
        /// A push speaks of all plants that are due in its minute, a digest counts those that thirst (docs/push.md).
        case folding = "folding"
        /// No push for plants that were archived (rule 1.8).
        case archived = "not for the archived"
        /// Nothing is left of those who left, and nothing is sent to them (rule 8.6).
        case erased = "nothing of the erased"
        /// Affection is the sum of the ledger and what the rules say (rule 4).
        case affection
        /// Due dates and D-days (rules 1, 2, 3 and 6).
        case dueDate = "due date"
        /// Commands are accepted and refused as the rules say, and are done as a whole or not at all.
        case wholeCommands = "whole commands"
        /// A worker fails only where the simulation made something go wrong.
        case workersGoOn = "workers go on"
    }

    /// Which promise.
    public let promise: Promise
    /// When the simulation found it.
    public let at: Instant
    /// The plant it is about, if it is about one.
    public let plant: Plant.ID?
    /// What was expected, and what was found.
    public let what: String

    /// In a line.
    public var description: String {
        "\(at) \(promise.rawValue): \(plant.map { "plant \($0): " } ?? "")\(what)"
    }
}

/// What a simulation did and found.
public struct SimulationReport: Sendable {
    /// What decided it.
    public let settings: SimulationSettings
    /// How many days were simulated: fewer than asked for where something was found.
    public var days = 0
    /// What people did, by kind, refused acts included.
    public var acts: [String: Int] = [:]
    /// Pushes that phones were handed, by kind, repetitions included.
    public var pushes: [String: Int] = [:]
    /// Pushes that were repeated, which a phone shows once.
    public var repetitions = 0
    /// What went wrong, by kind.
    public var faults: [String: Int] = [:]
    /// How many comparisons the oracle made.
    public var checks = 0
    /// What was found; empty if all promises were kept.
    public var violations: [Violation] = []
    /// A hash of the final state: the same for the same settings.
    public var digest = ""

    init(settings: SimulationSettings) {
        self.settings = settings
    }

    /// For people.
    public var text: String {
        var lines = [
            "seed \(settings.seed): \(days) days of \(settings.accounts) accounts with \(settings.workers) workers",
            "acts \(list(acts))", "pushes \(list(pushes)), repeated \(repetitions)", "faults \(list(faults))",
            "checks \(checks), digest \(digest)",
        ]
        if violations.isEmpty { return (lines + ["all promises were kept"]).joined(separator: "\n") }
        lines += violations.map { "VIOLATION \($0)" }
        if settings.isToldByCommand { lines.append("again: \(settings.command)") }
        return lines.joined(separator: "\n")
    }

    private func list(_ counts: [String: Int]) -> String {
        let parts = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return "\(counts.values.reduce(0, +))" + (parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))")
    }
}
