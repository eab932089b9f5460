import ArgumentParser
import CherishCore
import CherishRuntime
import CherishStore

extension DatabaseCommand {
    struct MarkTest: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "mark-test",
            abstract: "Says that the database is for tests, so that ticks may go far into the future there.",
            discussion: """
                A tick with a --now of the future walks all calendars to that moment: what lies before it does not ring, and \
                what is added rings after it. So it is refused on a server that people share, unless its database is marked. \
                The owner of the tables marks it; there is no command to take that back, since calendars may have been moved \
                meanwhile.

                EXAMPLE
                  DATABASE_URL=postgres://cherish@db/cherish_test cherish database mark-test
                """)
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withEngine { engine in
                let isNew = try await engine.databaseMark.markTest()
                try Output.print(
                    common.output, json: Document(test: true, marked: isNew),
                    table: Table([Table.Column(title: "FOR TESTS")], rows: [["yes"]]),
                    text: """
                        this database is \(isNew ? "now marked" : "marked already") as one for tests: 'cherish tick --now' may go \
                        far into the future here, and alarms ring late or not at all after that
                        """)
            }
        }

        private struct Document: Encodable {
            let test: Bool
            /// Whether this command added the mark.
            let marked: Bool
        }
    }

    struct RepairCursors: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "repair-cursors",
            abstract: "Puts calendars back to the present that a tick walked ahead of the clock.",
            discussion: """
                For when 'cherish doctor' finds cursors ahead. What was passed over between now and then is planned again and \
                rings at its time; what was sent too early is sent again. Each lane is a transaction: its commands and pushes \
                wait for some seconds at most, and after an interruption the same command repairs the others. Workers may run.

                EXAMPLES
                  cherish database repair-cursors --dry-run
                  cherish database repair-cursors
                """)
        @Flag(help: "Only tells what would be done.") var dryRun = false
        @OptionGroup var common: CommonOptions

        func run() async throws {
            guard common.now == nil else {
                throw UsageError("calendars are put back to the database's clock; leave --now out")
            }
            try await common.withEngine { engine in
                let reports = try await engine.cursorRepair.run(isDryRun: dryRun)
                try Output.print(
                    common.output, json: Document(dryRun: dryRun, lanes: reports.map(Lane.init)),
                    table: Table(
                        [
                            Table.Column(title: "LANE", isNumber: true), Table.Column(title: "WALKED TO"),
                            Table.Column(title: "TAKEN OUT", isNumber: true),
                            Table.Column(title: "REPLANNED", isNumber: true),
                            Table.Column(title: "PLANNED AGAIN", isNumber: true),
                        ],
                        rows: reports.map {
                            [
                                "\($0.lane)", "\($0.walkedTo)", "\($0.deletedCount)", "\($0.subjectCount)",
                                "\($0.plannedCount)",
                            ]
                        }),
                    text: text(reports))
            }
        }

        private func text(_ reports: [CursorRepair.LaneReport]) -> String {
            guard let furthest = reports.map(\.walkedTo).max() else {
                return "no calendar is ahead of the clock: there is nothing to repair"
            }
            let (subjects, planned) = (
                reports.reduce(0) { $0 + $1.subjectCount }, reports.reduce(0) { $0 + $1.plannedCount }
            )
            return """
                \(reports.count.counted("lane")), walked up to \(furthest), \(dryRun ? "would be" : "were") put back to now: \
                \(subjects) plants and things \(dryRun ? "would be" : "were") replanned, with \(planned.counted("new occurrence"))
                """
        }

        private struct Lane: Encodable {
            let lane: Int
            let walkedTo, now: String
            let deletedCount, subjectCount, plannedCount: Int

            init(_ report: CursorRepair.LaneReport) {
                lane = Int(report.lane.number)
                walkedTo = report.walkedTo.description
                now = report.now.description
                deletedCount = report.deletedCount
                subjectCount = report.subjectCount
                plannedCount = report.plannedCount
            }
        }

        private struct Document: Encodable {
            let dryRun: Bool
            let lanes: [Lane]
        }
    }
}
