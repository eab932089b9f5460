import ArgumentParser
import CherishCore
import CherishService

struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Leaves an account, the friends with a tag, or one friend in peace for some days.",
        discussion: """
            During a pause no plant becomes thirsty or withers, and no push is sent. What would have been due is due on the first \
            day after it.

            EXAMPLES
              cherish pause add minji@example.com --from 2027-03-04 --to 2027-03-20
              cherish pause add minji@example.com --to 2027-03-20 --tag work --spread
              cherish pause list minji@example.com
              cherish pause end 5f3e2a10
            """,
        subcommands: [Add.self, List.self, Edit.self, End.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Begins a pause, or plans one.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @Option(help: "The first day, at most 7 days back; today without it.") var from: CivilDay?
        @Option(help: "The last day, at most 365 days after the first.") var to: CivilDay
        @Option(help: "Only the friends with this tag.") var tag: String?
        @Option(help: "Only this friend: the id, or its first 8 digits or more.") var friend: String?
        @Flag(help: "Spreads what is due on the first day after it over the friends' cycles.") var spread = false
        @OptionGroup var common: CommonOptions

        func run() async throws {
            var request = PauseRequest(to: to)
            (request.from, request.tag, request.friend, request.isSpread) = (from, tag, friend, spread)
            let wanted = request
            try await common.withGarden(.account(account)) { garden in
                try PauseCommand.show([try await garden.beginPause(wanted)], common.output)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists an account's pauses, those that are over too.")
        @Argument(help: "The account's e-mail or id.") var account: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.account(account)) { garden in
                let document = try await garden.pauses().document
                try Output.print(
                    common.output, json: document, table: PauseCommand.table(document.pauses),
                    text: document.pauses.isEmpty ? "no pause yet; 'cherish pause add' begins one" : nil)
            }
        }
    }

    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes a pause that is not over; what is not given stays.")
        @Argument(help: "The pause's id, or its first 8 digits or more.") var pause: String
        @Option(help: "Another first day, of a pause that has not begun.") var from: CivilDay?
        @Option(help: "Another last day.") var to: CivilDay?
        @Flag(inversion: .prefixedNo, help: "Whether what is due on the first day after it is spread.") var spread:
            Bool?
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.pause(pause)) { garden in
                try PauseCommand.show(
                    [try await garden.editPause(pause, from: from, to: to, isSpread: spread)], common.output)
            }
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ends a pause, so that today is no part of it; one that has not begun goes.")
        @Argument(help: "The pause's id, or its first 8 digits or more.") var pause: String
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.pause(pause)) { garden in
                let left = try await garden.endPause(pause)
                try Output.print(
                    common.output, json: PausesDocument(pauses: left.map { [$0] } ?? []),
                    table: PauseCommand.table(left.map { [$0] } ?? []),
                    text: left.map { "ended; its last day was \($0.to)" } ?? "ended before it began")
            }
        }
    }

    private static func show(_ pauses: [PauseDocument], _ format: OutputFormat) throws {
        try Output.print(format, json: pauses[0], table: table(pauses))
    }

    private static func table(_ pauses: [PauseDocument]) -> Table {
        Table(
            ["PAUSE", "FROM", "TO", "FOR", "STATE", "SPREAD"].map { Table.Column(title: $0) },
            rows: pauses.map { pause in
                [
                    String(pause.id.prefix(8)), pause.from, pause.to,
                    pause.tag.value.map { "tag \($0)" } ?? pause.friend.value ?? "the whole account",
                    pause.state, pause.spread ? "yes" : "",
                ]
            })
    }
}
