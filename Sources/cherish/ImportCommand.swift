import ArgumentParser
import CherishCore
import CherishRuntime
import CherishStore
import Foundation

extension FriendCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Registers the friends of an address book: a vCard 3.0 file, or a CSV file with a header.",
            discussion: """
                Contacts are refused one by one and reported with their line. The same file again adds nothing; a corrected
                name is taken over. Friends that were removed stay removed, unless --restore brings them back.

                EXAMPLES
                  cherish friend import minji@example.com contacts.vcf --cycle-days 14 --dry-run
                  cherish friend import minji@example.com google-contacts.csv
                """)
        @Argument(help: "The account's e-mail or id.") var account: String
        @Argument(help: "The file; its content tells the format.") var file: String
        @Option(parsing: .unconditional, help: "The cycle of friends for whom the file names none, 1-90.")
        var cycleDays = WholeNumber(argument: "7")!  // a whole number
        @Flag(help: "Only tell what would happen.") var dryRun = false
        @Flag(help: "Bring back friends that were removed.") var restore = false
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withEngine { engine in
                let owner = try await engine.store.account(account)
                let rows = try await engine.importContacts(
                    from: file, to: owner, cycle: try Cycle(days: cycleDays.value), restoring: restore,
                    isDryRun: dryRun, progress: { Progress.show("\($0) contacts read …") })
                Progress.clear()
                let report = ImportReport(rows, isDryRun: dryRun)
                try Output.print(common.output, json: report, table: report.table, text: report.text)
            }
        }
    }
}

/// The report of an import: how many of what, and every contact that was not planted.
struct ImportReport: Encodable {
    struct Row: Encodable {
        let line: Int
        let name, plantId: Nullable<String>
        let result: String
        let code, message: Nullable<String>
    }

    let dryRun: Bool
    let planted, renamed, restored, unchanged, skipped, refused: Int
    let rows: [Row]

    init(_ imported: [ImportRow], isDryRun: Bool) {
        dryRun = isDryRun
        rows = imported.map(ImportReport.row)
        func count(_ result: String) -> Int { imported.count { ImportReport.row($0).result == result } }
        planted = count("planted")
        renamed = count("renamed")
        restored = count("restored")
        unchanged = count("unchanged")
        skipped = count("skipped")
        refused = count("refused")
    }

    private static func row(_ row: ImportRow) -> Row {
        let (result, plant, code, message): (String, Plant?, String?, String?) =
            switch row.result {
            case .success(.planted(let plant)): ("planted", plant, nil, nil)
            case .success(.renamed(let plant)): ("renamed", plant, nil, "the name was corrected")
            case .success(.restored(let plant)): ("restored", plant, nil, nil)
            case .success(.unchanged(let plant)): ("unchanged", plant, nil, nil)
            case .success(.removedBefore(let plant)):
                ("skipped", plant, nil, "this friend was removed; --restore brings them back")
            case .success(.repeated): ("skipped", nil, nil, "an earlier contact of this file has the same phone")
            case .failure(let refusal): ("refused", nil, refusal.code, refusal.message)
            }
        return Row(
            line: row.line, name: Nullable(row.name), plantId: Nullable(plant?.id.description), result: result,
            code: Nullable(code), message: Nullable(message))
    }

    var table: Table {
        Table(
            [
                Table.Column(title: "LINE", isNumber: true), Table.Column(title: "NAME"), Table.Column(title: "RESULT"),
                Table.Column(title: "CODE"), Table.Column(title: "MESSAGE"),
            ],
            rows: rows.map {
                ["\($0.line)", $0.name.value ?? "", $0.result, $0.code.value ?? "", $0.message.value ?? ""]
            })
    }

    /// The sum, and what a person has to look at.
    var text: String {
        let counts = [
            ("planted", planted), ("renamed", renamed), ("restored", restored), ("unchanged", unchanged),
            ("skipped", skipped), ("refused", refused),
        ].filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        let sum = (dryRun ? "would be: " : "") + (counts.isEmpty ? "nothing to do" : counts.joined(separator: ", "))
        let notes = rows.compactMap { row in
            row.message.value.map { "  line \(row.line), \(row.name.value ?? "without a name"): \(row.result): \($0)" }
        }
        return ([sum] + notes).joined(separator: "\n")
    }
}
