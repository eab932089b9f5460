import AddressBook
import ArgumentParser
import CherishCore
import CherishService
import CherishStore
import Foundation

extension FriendCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Registers the friends of an address book: vCards, a table (CSV) with a header, or JSON Lines.",
            discussion: """
                The file's content tells its format and encoding. Contacts are refused one by one and reported with \
                their line; --errors writes them to a table that can be corrected and imported. The same file again \
                adds nothing; a corrected name is taken over. Friends that were removed stay removed, unless --restore \
                brings them back. All or nothing is written: an import that is stopped has done nothing, and 'cherish \
                import undo' takes one back. With more than \(ImportOptions.spreadsAbove) new friends the first due \
                dates are spread over the cycle.

                EXAMPLES
                  cherish friend import minji@example.com contacts.vcf --dry-run
                  cherish friend import minji@example.com google.csv --errors problems.csv
                  cherish friend import minji@example.com members.csv \\
                    --map name=성함,phone=연락처 --tag 동호회
                """)
        @Argument(help: "The account's e-mail or id.") var account: String
        @Argument(help: "The file; its content tells the format.") var file: String
        @Option(
            parsing: .unconditional, help: "The cycle of friends for whom neither the file nor a tag names one, 1-90.")
        var cycleDays = WholeNumber(argument: "7")!  // a whole number
        @Option(help: "The title of the column that holds the cycle in days.") var cycleColumn: String?
        @Option(help: "What columns hold, like name=성함,phone=연락처.", transform: { try ColumnMap($0) })
        var map = ColumnMap.none
        @Option(help: "A tag for every friend of the file; may be repeated.") var tag: [String] = []
        @Flag(help: "Put contacts of the same person together, and add what is unknown of friends who are there.")
        var merge = false
        @Flag(
            inversion: .prefixedNo,
            help:
                "Spread first due dates over the cycle, so that not all are due on one day. By default above 20 new friends."
        )
        var spread: Bool?
        @Flag(help: "Read 05/06/1994 as the fifth of June.") var dayFirst = false
        @Option(
            help: """
                Write what was refused or left out to this table, to be corrected and imported; - is the standard \
                output.
                """)
        var errors: String?
        @Flag(help: "Only tell what would happen.") var dryRun = false
        @Flag(help: "Bring back friends that were removed.") var restore = false
        @OptionGroup var common: CommonOptions

        func run() async throws {
            let wanted = try contactImport()
            let errorTable = try errors.map { try ErrorTable(path: $0) }
            try await common.withGarden(.account(account)) { garden in
                let progress = ReadingProgress()
                let imported = try await garden.importContacts(
                    from: try .file(file), wanted, progress: { progress.show("\($0) contacts", $0, $1) })
                Progress.clear()
                let report = ImportReportDocument(imported, of: wanted, remedy: \.text)
                // The import is committed, so it is reported even if the table cannot be written.
                let table = Result { try errorTable?.write(imported.rows) }
                try Output.print(
                    common.output, json: report, table: report.table, text: report.text,
                    isAside: errorTable?.isStandardOutput == true)
                try table.get()
            }
        }

        private func contactImport() throws -> ContactImport {
            var options = ImportOptions(cycle: try Cycle(days: cycleDays.value))
            options.restoring = restore
            options.merging = merge
            options.spreading = spread
            var wanted = ContactImport(options)
            wanted.columns = cycleColumn.map { map.settingCycleColumn($0) } ?? map
            wanted.readsDayFirst = dayFirst
            wanted.tags = try tag.map { text throws(CareError) in try TagName(text) }
            wanted.isDryRun = dryRun
            return wanted
        }
    }
}

extension ImportReportDocument {
    fileprivate var table: Table {
        Table(
            [
                Table.Column(title: "LINE", isNumber: true), Table.Column(title: "NAME"), Table.Column(title: "RESULT"),
                Table.Column(title: "DUE"), Table.Column(title: "CODE"), Table.Column(title: "MESSAGE"),
                Table.Column(title: "REMEDY"),
            ],
            rows: rows.map {
                [
                    "\($0.line)", $0.name.value ?? "", $0.result, $0.dueOn.value ?? "", $0.code.value ?? "",
                    $0.message.value ?? "", $0.remedy.value ?? "",
                ]
            })
    }

    /// The totals, and the rows that need attention.
    fileprivate var text: String {
        let counts = [
            ("planted", planted), ("renamed", renamed), ("merged", merged), ("restored", restored),
            ("unchanged", unchanged), ("skipped", skipped), ("refused", refused), ("warnings", warnings),
        ].filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        var lines = [(dryRun ? "would be: " : "") + (counts.isEmpty ? "nothing to do" : counts.joined(separator: ", "))]
        if spread, planted > 0 {
            lines.append("first due dates spread over the cycles, rule 1.9; --no-spread plants as rule 1.4 says")
        }
        if !newTags.isEmpty { lines.append("new tags: \(newTags.joined(separator: ", "))") }
        if !tagsLeftOut.isEmpty {
            let more = tagsLeftOut.count > 10 ? " and \(tagsLeftOut.count - 10) more" : ""
            let named = tagsLeftOut.prefix(10).joined(separator: ", ")
            lines.append("no room for more than \(Tag.maximumPerAccount) tags: \(named)\(more)")
        }
        let notable = dryRun ? rows : rows.filter { $0.message.value != nil }
        lines += notable.map(Self.line)
        if let id = importId.value { lines.append("'cherish import undo \(id.prefix(8))' takes it back") }
        return lines.map(\.harmless).joined(separator: "\n")
    }

    private static func line(_ row: Row) -> String {
        let due = row.dueOn.value.map { row.result == "planted" || row.result == "restored" ? ", due \($0)" : "" } ?? ""
        let message = [row.message.value, row.remedy.value].compactMap { $0 }.joined(separator: "; ")
        return "  line \(row.line), \(row.name.value ?? "without a name"): \(row.result)\(due)"
            + (message.isEmpty ? "" : ": \(message)")
    }
}

extension ErrorTable {
    /// Writes the table after an import.
    fileprivate func write(_ rows: [ImportedContact]) throws {
        for row in rows {
            let problems: [ImportedContact.Problem] =
                if case .failure(let problem) = row.result { [problem] + row.warnings } else { row.warnings }
            if !problems.isEmpty { try append(line: row.line, problems, row.card) }
        }
        try finish()
    }
}
