import ArgumentParser
import CherishCore
import CherishRuntime
import CherishService
import CherishStore

struct OutageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outage",
        abstract: "Lists when pushes could not leave, and declares an outage that nothing recorded.",
        discussion: """
            Workers record an outage by themselves: no worker scheduled pushes that were due, or a provider took none, for more \
            than 30 minutes. A plant whose push of the due date expired meanwhile is excused: it is due on the first day on which \
            pushes leave again, one push says so, and no day counts as withered.

            EXAMPLES
              cherish outage list
              cherish outage add --from 2027-03-04T08:50:00+09:00 --to 2027-03-06T10:00:00+09:00
            """,
        subcommands: [List.self, Add.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists outages, the newest first.")
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withEngine { try await OutageCommand.show($0.store, common.output) }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Declares that no push could leave in a past span.",
            discussion: "A worker, or the next 'cherish tick', excuses the plants whose pushes expired in it.")
        @Option(help: "When it began, with an offset: 2027-03-04T08:50:00+09:00; at most 30 days ago.") var from:
            Instant
        @Option(help: "When it ended.") var to: Instant
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withEngine { engine in
                try await engine.store.declareOutage(from: from, to: to)
                try await OutageCommand.show(engine.store, common.output)
            }
        }
    }

    private struct Document: Encodable {
        struct Entry: Encodable {
            let cause, from: String
            let to: Nullable<String>
            let lanes, excused: Int
            let settled: Bool
        }

        let outages: [Entry]
    }

    private static func show(_ store: CareStore, _ format: OutputFormat) async throws {
        let outages = try await store.outages().map { outage in
            Document.Entry(
                cause: outage.cause.rawValue, from: outage.beganAt.description,
                to: Nullable(outage.endedAt?.description), lanes: outage.laneCount, excused: outage.excusedCount,
                settled: outage.isSettled)
        }
        try Output.print(
            format, json: Document(outages: outages),
            table: Table(
                [
                    Table.Column(title: "CAUSE"), Table.Column(title: "FROM"), Table.Column(title: "TO"),
                    Table.Column(title: "LANES", isNumber: true), Table.Column(title: "EXCUSED", isNumber: true),
                    Table.Column(title: "SETTLED"),
                ],
                rows: outages.map { outage in
                    [
                        outage.cause, outage.from, outage.to.value ?? "lasts", "\(outage.lanes)", "\(outage.excused)",
                        outage.settled ? "yes" : "not yet",
                    ]
                }),
            text: outages.isEmpty ? "no outage was recorded or declared" : nil)
    }
}
