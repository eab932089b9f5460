import AddressBook
import ArgumentParser
import CherishService
import Foundation

struct PostcodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postcode",
        abstract: "Imports postcodes and where they are, for shopping lists between neighbours.",
        subcommands: [Import.self])

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Imports the postal codes of GeoNames: twelve columns, separated by tabs.",
            discussion: """
                A file says everything about the countries that it names: their codes before are replaced. Other countries \
                stay. Lines are refused one by one and reported. All or nothing else is written.

                EXAMPLE
                  cherish postcode import KR.txt
                """)
        @Argument(help: "The file; - is the standard input.") var file: String
        @Flag(help: "Only tell what would happen.") var dryRun = false
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withService { service in
                let progress = ReadingProgress()
                let report = try await service.importPostcodes(
                    from: try .file(file), isDryRun: dryRun, progress: { progress.show("\($0) lines", $0, $1) })
                Progress.clear()
                try Output.print(
                    common.output, json: report.document,
                    table: Table(
                        [Table.Column(title: "LINE", isNumber: true), Table.Column(title: "PROBLEM")],
                        rows: report.refused.map { ["\($0.line)", $0.reason] }), text: Self.text(report))
            }
        }

        private static func text(_ report: PostcodeImportReport) -> String {
            let counts = report.counts
            var lines = [
                """
                \(report.isDryRun ? "would import" : "imported") \(counts.after) postcodes of \(counts.countries) \
                countries, in place of \(counts.before)
                """
            ]
            lines += report.refused.map { "refused line \($0.line): \($0.reason)" }
            if report.refusedCount > report.refused.count {
                lines.append("and \(report.refusedCount - report.refused.count) more lines")
            }
            return lines.joined(separator: "\n")
        }
    }
}
