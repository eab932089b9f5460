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
            CHERISH_PUSH says where pushes go: stdout (the default), jsonl:PATH to append one JSON object a line, or \
            devices for the phones and webhooks of the accounts, whose providers docs/push.md tells how to set up. \
            With --output json or csv the lines for people go to standard error, so that standard output stays one \
            document.

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
                    try await engine.store.history(of: found.reference), account: owner, zone: zone, now: now, day: day,
                    pushes: pushes, deviceRecords: try await engine.store.deviceRecords(of: found),
                    retentionDays: try Settings().retentionDays,
                    calendarAheadUntil: try await engine.store.calendarAhead(in: owner.id.lane))
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
