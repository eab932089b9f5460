import ArgumentParser
import CherishCore
import CherishRuntime
import CherishStore
import CherishWorker
import Foundation

struct TickCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tick", abstract: "Schedules and delivers all pushes that are due, then exits.",
        discussion: """
            CHERISH_PUSH says where pushes go: stdout (the default), jsonl:PATH to append one JSON object a line, or devices
            for the phones and webhooks of the accounts, whose providers docs/push.md tells how to set up. With --output
            json or csv the lines for people go to standard error, so that standard output stays one document.

            EXAMPLE
              CHERISH_PUSH=jsonl:pushes.jsonl cherish tick --now 2027-03-02T09:00:00+09:00
            """)
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.withEngine { engine in
            let counts = try await engine.tick(
                lineDescriptor: common.output == .table ? STDOUT_FILENO : STDERR_FILENO)
            let all = [
                ("enqueued", counts.enqueued), ("delivered", counts.delivered), ("superseded", counts.superseded),
                ("suppressed", counts.suppressed), ("expired", counts.expired), ("retrying", counts.retrying),
                ("dead", counts.dead),
            ]
            try Output.print(
                common.output, json: Dictionary(uniqueKeysWithValues: all),
                table: Table(
                    all.map { Table.Column(title: $0.0.uppercased(), isNumber: true) }, rows: [all.map { "\($0.1)" }]),
                text: all.map { "\($0.1) \($0.0)" }.joined(separator: ", "))
        }
    }
}

struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Lists pushes and explains why one came or did not.",
        subcommands: [List.self, Explain.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists what was planned for an account's plants and how it ended.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withEngine { engine in
                let pushes = try await engine.store.pushes(try await engine.store.account(account))
                try Output.print(
                    common.output, json: ["pushes": pushes.map(PushDocument.init)], table: Garden.pushTable(pushes),
                    text: pushes.isEmpty ? "no push was due yet" : nil)
            }
        }
    }

    struct Explain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Explains why a plant's push came or did not, and what comes next.",
            discussion: "EXAMPLE\n  cherish push explain 5f3e2a10 --on 2027-03-02")
        @Argument(help: "The plant's id, or its first 8 digits or more.") var plant: String
        @Option(help: "The day in question; today without it.") var on: CivilDay?
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withEngine { engine in
                let found = try await engine.store.plant(plant)
                let owner = try await engine.store.account(of: found)
                let now = try await engine.store.now()
                let zone = try engine.zones.rules(owner.timeZone)
                let day = on ?? zone.day(at: now)
                let pushes = try await engine.store.pushes(owner, plant: found.id)
                    .filter { $0.occursOn == day || zone.day(at: $0.plannedAt) == day }
                let explanation = PushExplanation(
                    plant: found, account: owner, zone: zone, now: now, day: day, pushes: pushes,
                    deviceRecords: try await engine.store.deviceRecords(of: found))
                struct Document: Encodable {
                    let plantId, on: String
                    let pushes: [PushDocument]
                    let explanation: [String]
                }
                try Output.print(
                    common.output,
                    json: Document(
                        plantId: found.id.description, on: day.description, pushes: pushes.map(PushDocument.init),
                        explanation: explanation.sentences),
                    table: Garden.pushTable(pushes), text: explanation.sentences.joined(separator: "\n"))
            }
        }
    }
}

/// Why pushes of a plant came or did not on a day, and what comes next, in sentences.
struct PushExplanation {
    let plant: Plant
    let account: Account
    let zone: TimeZoneRules
    let now: Instant
    let day: CivilDay
    let pushes: [PushRecord]
    let deviceRecords: [DeviceRecord]

    var sentences: [String] {
        pushes.flatMap { [past($0)] + devices($0) } + (pushes.isEmpty ? [silence] : []) + ahead
    }

    private func past(_ push: PushRecord) -> String {
        let planned = "\(push.kind.rawValue) for \(push.occursOn), planned for \(clock(push.plannedAt)):"
        guard let outcome = push.outcome else { return "\(planned) pending; it is being delivered or tried again." }
        let finished = push.finishedAt.map { " at \(clock($0))" } ?? ""
        if outcome == .delivered, push.reason != PushReason.combined.rawValue, push.reason != PushReason.digest.rawValue
        {
            return "\(planned) delivered\(finished)."
        }
        return "\(planned) \(outcome.rawValue)\(finished), because \(meaning(push.reason))."
    }

    /// What came of it at each device.
    private func devices(_ push: PushRecord) -> [String] {
        deviceRecords.filter { $0.seq == push.seq }.map { record in
            let device = record.platform.map { "\($0.rawValue) device" } ?? "removed device"
            let attempts = record.attempts == 1 ? "" : " after \(record.attempts) attempts"
            let reason = record.outcome == .accepted ? "" : " (\(record.reason))"
            return
                "  \(device) \(record.deviceID.description.prefix(8)): \(record.outcome.rawValue)\(reason)\(attempts)."
        }
    }

    private var silence: String {
        if let archivedAt = plant.archivedAt, zone.day(at: archivedAt) <= day {
            return "Nothing was scheduled for \(day): the plant was removed on \(zone.day(at: archivedAt))."
        }
        if day == plant.dueOn, plant.plans.wateringDue == nil {
            return plant.plans.alarmedDueDates.contains(day)
                ? "Nothing was scheduled again for \(day): the alarm of that due date had been reached before."
                : "Nothing was scheduled for \(day): its alarm time was past when a command set it."
        }
        if day == plant.dueOn { return "\(day) is the due date; its alarm has not been scheduled yet." }
        return "Nothing was scheduled for \(day): it was not the due date, and no reminder was due."
    }

    /// What the plant points at.
    private var ahead: [String] {
        if plant.archivedAt != nil { return [] }
        var lines = [
            "Now it is \(clock(now)); the plant is due on \(plant.dueOn) (\(plant.dDay(on: zone.day(at: now)).label))."
        ]
        for kind in PushKind.allCases {
            guard let planned = plant.plans[kind], planned.at > now else { continue }
            lines.append("Next: \(kind.rawValue) at \(clock(planned.at)).")
        }
        if !plant.pushesEnabled { lines.append("The plant's pushes are off.") }
        // The other kinds are off unless they were asked for.
        for kind in [PushKind.wateringDue, .reviewMissing] where !account.switches.allows(kind) {
            lines.append("The account has turned \(kind.rawValue) off.")
        }
        return lines
    }

    private func meaning(_ reason: String?) -> String {
        switch reason.flatMap(PushReason.init) {
        case .sent: "it was sent"
        case .sentAfterRetry: "it was sent after trying again"
        case .combined: "a push that spoke of this plant too had been sent"
        case .digest: "the daily cap was reached, and the digest of the day stands for it"
        case .providerNotConfigured: "no provider is set up for the account's devices"
        case .tokenDead: "the tokens of all its devices are dead"
        case .watered: "the plant had been watered"
        case .postponed: "the due date had been postponed"
        case .edited: "the plan had been changed"
        case .reviewed: "the review had been written"
        case .declined: "the review had been declined"
        case .archived: "the plant had been removed"
        case .erased: "the account had been erased"
        case .newerWatering: "there was a newer watering"
        case .accountPushesOff: "the account has turned such pushes off"
        case .plantPushesOff: "the plant's pushes were off"
        case .noDevice: "the account has no device"
        case .tooLate: "it was too late to be worth sending"
        case .refused: "the provider refused it"
        case .attemptsExhausted: "the provider did not take it, however often it was tried"
        case nil: "of \(reason ?? "nothing recorded")"
        }
    }

    private func clock(_ instant: Instant) -> String {
        "\(zone.day(at: instant)) \(zone.timeOfDay(at: instant)) \(account.timeZone)"
    }
}
