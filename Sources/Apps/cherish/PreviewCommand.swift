import ArgumentParser
import CherishCore
import CherishService
import CherishStore
import CherishWorker
import Foundation

extension PushPreview.Form: ExpressibleByArgument {}

struct PreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview", abstract: "Shows what an account will be sent if nobody does anything.",
        discussion: """
            A worker is assumed to run all the time, and providers to take everything. Quiet hours, texts, pushes that \
            are combined, the daily cap and its digest are worked out as the worker does.

            EXAMPLES
              cherish preview minji@example.com
              cherish preview minji@example.com --days 30 --to devices
            """)
    @Argument(help: "The account's e-mail or id.") var account: String
    @Option(parsing: .unconditional, help: "How many days, today among them, 1-366.")
    var days = WholeNumber(argument: "30")!  // a whole number
    @Option(help: "devices, combined as phones show them, or lines, one a plant; without it, as CHERISH_PUSH says.")
    var to: PushPreview.Form?
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard (1...366).contains(days.value) else { throw ValidationError("write 1 to 366 --days") }
    }

    func run() async throws {
        try await common.withGarden(.account(account)) { garden in
            let preview = try await garden.preview(days: days.value, as: to)
            try Output.print(
                common.output, json: preview.document, table: PreviewCommand.table(preview),
                text: PreviewCommand.text(preview))
        }
    }

    private static func table(_ preview: AccountPreview) -> Table {
        let zone = preview.forecast.zone
        return Table(
            ["DAY", "TIME", "KIND", "FRIENDS", "TITLE", "BODY"].map { Table.Column(title: $0) },
            rows: preview.pushes.pushes.map { push in
                [
                    zone.date(at: push.sentAt).description, zone.timeOfDay(at: push.sentAt).description, push.kind,
                    push.subjects.map(\.name).joined(separator: ", "), push.text.title, push.text.body,
                ]
            })
    }

    private static func text(_ preview: AccountPreview) -> String {
        let clock = WallClock(zone: preview.forecast.zone)
        var lines = preview.forecast.calendarAheadUntil.map { [clock.warning(calendarAheadUntil: $0)] } ?? []
        if preview.pushes.pushes.isEmpty {
            lines.append("nothing will be sent until \(clock.text(preview.forecast.span.upperBound))")
        } else {
            lines.append(table(preview).text)
        }
        if let obstacle = preview.obstacle {
            lines.append("None of it goes out as things are, because \(obstacle.meaning).")
        }
        lines += preview.forecast.withheld.compactMap { entry -> String? in
            let occurrence = entry.occurrence
            return entry.end.map {
                """
                Not sent: \(occurrence.topic) of \(occurrence.topic.subject) \(occurrence.subjectID.short) at \(clock.text(entry.at)), \
                because \($0.reason.meaning).
                """
            }
        }
        return lines.joined(separator: "\n")
    }
}
