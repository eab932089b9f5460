import ArgumentParser
import CherishCore
import CherishRuntime
import CherishService
import CherishStore
import Foundation
import GardenArchive
import ReportPage

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report", abstract: "Lists the reports, shows one, or draws a page of pictures.",
        discussion: """
            A report is a view of the schema "report", which psql, Metabase and Grafana read as well.

            EXAMPLES
              cherish report
              cherish report overdue --account minji@example.com
              cherish report watering_daily --from 2027-01-01 --output csv > waterings.csv
              cherish report page --out garden.html --account minji@example.com
            """,
        subcommands: [Show.self, Page.self], defaultSubcommand: Show.self)

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows a report; without a name lists them all.",
            discussion: """
                A table is cut to the terminal, and has 100 rows unless --limit says otherwise. csv and json have \
                everything, under the names of the view's columns.
                """)
        @Argument(help: "The report's name.") var name: String?
        @Option(help: "Only the rows of this account: its e-mail or id.") var account: String?
        @Option(help: "Only rows of this day and later, like 2027-03-02.") var from: CivilDay?
        @Option(help: "Only rows of this day and earlier, like 2027-03-02.") var to: CivilDay?
        @Option(parsing: .unconditional, help: "How many rows at most; 100 of a table without it.")
        var limit: WholeNumber?
        @Flag(help: "Tell what the columns mean.") var columns = false
        @OptionGroup var common: CommonOptions

        private static let rowsOfTable = 100
        private static let narrowestMeaning = 28

        func validate() throws {
            if name == nil && (account != nil || from != nil || to != nil || limit != nil || columns) {
                throw ValidationError("name the report that is meant; 'cherish report' lists them")
            }
            if let from, let to, from > to { throw ValidationError("--from must not lie after --to; swap them") }
            if let limit, limit.value < 1 { throw ValidationError("--limit must be at least 1") }
        }

        func run() async throws {
            try await common.withEngine(requiresSchema: false) { engine in
                let reports = engine.store.reports
                guard let name else { return try list(try await reports.list()) }
                let report = try await self.report(name, among: reports)
                if columns { return try list(columnsOf: report) }
                var filter = ReportFilter(from: from, to: to, limit: limit?.value)
                if let account { filter.account = try await reports.account(account).id }
                // Fetch one row more than shown, to learn whether there are more.
                if common.output == .table { filter.limit = shownRows == Int.max ? shownRows : shownRows + 1 }
                try show(try await reports.rows(of: report, filter))
            }
        }

        /// - Throws: ``ReportError/unknown`` with similar names, or with all if none is similar.
        private func report(_ name: String, among reports: Reports) async throws -> ReportDescription {
            do {
                return try await reports.report(name)
            } catch ReportError.unknown(let name, let known) {
                let alike = known.filter { $0.contains(name) || $0.difference(from: name).count <= 3 }
                throw ReportError.unknown(name: name, known: alike.isEmpty ? known : alike)
            }
        }

        private var shownRows: Int { limit?.value ?? Self.rowsOfTable }

        private func list(_ reports: [ReportDescription]) throws {
            try Output.print(
                common.output, json: ReportListDocument(reports: reports.map(ReportListDocument.Report.init)),
                table: Table(
                    ["name", "description"].map { Table.Column(title: $0) },
                    rows: reports.map { [$0.name, $0.explanation] }),
                text: Self.lines(reports.map { ($0.name, $0.explanation.firstSentence) }))
        }

        private func list(columnsOf report: ReportDescription) throws {
            try Output.print(
                common.output, json: ReportListDocument.Report(report),
                table: Table(
                    ["name", "type", "description"].map { Table.Column(title: $0) },
                    rows: report.columns.map { [$0.name, $0.type, $0.explanation] }),
                text: Self.lines(report.columns.map { ($0.name, $0.explanation) }))
        }

        /// Names, each with its meaning beside it, or below it on a narrow terminal.
        private static func lines(_ entries: [(name: String, meaning: String)]) -> String {
            let width = Terminal.width
            let column = (entries.map { $0.name.displayWidth }.max() ?? 0) + 2
            let isBelow = width.map { $0 < column + narrowestMeaning } ?? false
            let indent = isBelow ? 4 : column
            let margin = String(repeating: " ", count: indent)
            return entries.map { entry in
                let meaning = entry.meaning.harmless.wrapped(toWidth: width.map { $0 - indent }, indent: margin)
                return (isBelow ? entry.name + "\n" + margin : entry.name.fitted(toWidth: column)) + meaning
            }.joined(separator: "\n")
        }

        private func show(_ rows: ReportRows) throws {
            switch common.output {
            case .table: try showTable(rows)
            case .csv: try ReportFile.writeCSV(rows)
            case .json: try ReportFile.writeJSON(rows)
            }
        }

        private func showTable(_ rows: ReportRows) throws {
            let values = try (0..<min(rows.count, shownRows)).map { try rows.values(at: $0) }
            let table = ReportTable(
                rows.report, rows: values, width: Terminal.width, isOfOneAccount: account != nil)
            let more = "\n" + "more rows follow; --limit shows more of them".wrapped(toWidth: Terminal.width)
            try Output.write(table.text + (rows.count > shownRows ? more : "") + "\n")
        }
    }

    struct Page: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes a page of pictures: HTML in one file that needs nothing else.",
            discussion: """
                It shows the garden, the D-days of the next 13 weeks, waterings, the rhythm of contacts, keywords and \
                pushes, of one account or of the whole service. A page of an account that is named by its id names \
                nobody.

                EXAMPLES
                  cherish report page --out service.html --days 365
                  cherish report page --out minji.html --account minji@example.com
                """)
        @Option(help: "The file to write; - is the standard output.") var out: String
        @Option(help: "The account's e-mail or id; the whole service without it.") var account: String?
        @Option(help: "The language of the page; the account's without it, else English.") var language: Language?
        @Option(parsing: .unconditional, help: "For how many days waterings and pushes are counted, 1-730.")
        var days = WholeNumber(argument: "90")!  // a whole number
        @OptionGroup var common: CommonOptions

        private static let daysAhead = 13 * 7

        func validate() throws {
            guard (1...730).contains(days.value) else { throw ValidationError("--days must be 1 to 730") }
        }

        func run() async throws {
            let file = try OutputFile(out)
            try await common.withEngine(requiresSchema: false) { engine in
                let reports = engine.store.reports
                var owner: ReportedAccount?
                if let account { owner = try await reports.account(account) }
                let figures = try await reports.figures(of: owner, days: days.value, daysAhead: Self.daysAhead)
                let subject = owner.map { ReportPage.Subject.account(nickname: $0.nickname?.description) } ?? .service
                let page = ReportPage.html(figures, of: subject, in: language ?? owner?.language ?? .english)
                try file.write(page)
                try file.finish()
                if file.isStandardOutput { return }
                try Output.print(
                    common.output, json: ["file": out],
                    table: Table([Table.Column(title: "FILE")], rows: [[out]]), text: "written to \(out)")
            }
        }
    }
}

// MARK: - Files

/// A report as a file, written row by row because it may have millions of rows.
private enum ReportFile {
    static func writeCSV(_ rows: ReportRows) throws {
        let output = try OutputFile("-")
        try output.write(FriendTable.row(rows.report.columns.map(\.name)))
        for position in 0..<rows.count {
            try output.write(FriendTable.row(try rows.values(at: position).map { $0?.cell ?? .text("") }))
        }
        try output.finish()
    }

    /// A single document, with one row per line.
    static func writeJSON(_ rows: ReportRows) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        func text(_ value: some Encodable) throws -> String {
            String(decoding: try encoder.encode(value), as: UTF8.self)
        }
        let output = try OutputFile("-")
        let name = try text(rows.report.name)
        try output.write("{\"report\": \(name), \"rows\": [")
        for position in 0..<rows.count {
            let row = ReportRowDocument(columns: rows.report.columns, values: try rows.values(at: position))
            try output.write((position == 0 ? "\n" : ",\n") + text(row))
        }
        try output.write("\n]}\n")
        try output.finish()
    }
}

// MARK: - JSON

private struct ReportListDocument: Encodable {
    struct Report: Encodable {
        let name, description: String
        let columns: [Column]

        init(_ report: ReportDescription) {
            name = report.name
            description = report.explanation
            columns = report.columns.map { Column(name: $0.name, type: $0.type, description: $0.explanation) }
        }
    }

    struct Column: Encodable {
        let name, type, description: String
    }

    let reports: [Report]
}

/// A row, keyed by the names of the view's columns. Numbers keep all their digits.
private struct ReportRowDocument: Encodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            return nil
        }
    }

    let columns: [ReportColumn]
    let values: [ReportValue?]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for (column, value) in zip(columns, values) {
            let name = Name(stringValue: column.name)
            switch value {
            case nil: try container.encodeNil(forKey: name)
            case .number(let text)?: try container.encode(Nullable(Self.number(text)), forKey: name)
            case .boolean(let value)?: try container.encode(value, forKey: name)
            case .numbers(let texts)?: try container.encode(texts.map { Nullable(Self.number($0)) }, forKey: name)
            case .texts(let texts)?: try container.encode(texts, forKey: name)
            case .day?, .instant?, .text?: try container.encode(value?.plain, forKey: name)
            }
        }
    }

    /// nil for values that JSON cannot represent as numbers, such as NaN.
    private static func number(_ text: String) -> Decimal? {
        text.last?.isNumber == true ? Decimal(string: text) : nil
    }
}

extension String {
    /// The first sentence, without its full stop.
    fileprivate var firstSentence: String {
        let end = range(of: ". ")?.lowerBound ?? endIndex
        let sentence = self[..<end]
        return String(sentence.last == "." ? sentence.dropLast() : sentence)
    }
}
