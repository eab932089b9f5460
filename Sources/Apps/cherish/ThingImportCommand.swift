import AddressBook
import ArgumentParser
import CherishCore
import CherishService
import ThingFile

extension ThingCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Records the things of a file: a table (CSV), JSON, or a calendar (iCalendar).",
            discussion: """
                The file's content tells its format. A table has a header, with titles such as kind, title, due_on, due_time, \
                note, category, bought_on, order_number, alerts, notice, every, from, until, tags and favourite; other titles \
                are named with --map. Todoist's table of a project, Grocy's /api/stock and /api/objects/products, the JSON \
                of 'cherish thing list' and calendars (.ics) are recognized. Tags that are missing are made. Things are refused one by one and reported \
                with their line; the same file again records nothing.

                EXAMPLES
                  cherish thing import minji@example.com calendar.ics --dry-run
                  cherish thing import minji@example.com fridge.csv --kind food --map title=품명,due_on=소비기한
                """)
        @Argument(help: "The account's e-mail or id.") var account: String
        @Argument(help: "The file; its content tells the format. - is the standard input.") var file: String
        @Option(help: "The kind of things that name none.") var kind: Thing.Kind = .reminder
        @Option(help: "What columns hold, like title=제목,due_on=기한.", transform: { try ThingField.columns($0) })
        var map: [ThingField: String] = [:]
        @Flag(help: "Only tell what would happen.") var dryRun = false
        @OptionGroup var common: CommonOptions

        func run() async throws {
            var wanted = ThingImport()
            (wanted.kind, wanted.columns, wanted.isDryRun) = (kind, map, dryRun)
            let settings = wanted
            try await common.withGarden(.account(account)) { garden in
                let progress = ReadingProgress()
                let report = try await garden.importThings(
                    from: try .file(file), settings, progress: { progress.show("\($0) things", $0, $1) })
                Progress.clear()
                let document = report.document
                try Output.print(common.output, json: document, table: table(document), text: text(document))
            }
        }

        private func table(_ document: ThingImportDocument) -> Table {
            Table(
                [
                    Table.Column(title: "LINE", isNumber: true), Table.Column(title: "TITLE"),
                    Table.Column(title: "MESSAGE"),
                ],
                rows: document.notable.map { ["\($0.line)", $0.title ?? "", $0.text] })
        }

        private func text(_ document: ThingImportDocument) -> String {
            let lines =
                [(dryRun ? "would be: " : "") + document.counts]
                + document.notable.map { "  line \($0.line), \($0.title ?? "without a title"): \($0.text)" }
            return lines.map(\.harmless).joined(separator: "\n")
        }
    }
}
