import ArgumentParser
import CherishCore
import CherishService

extension FriendCommand {
    struct Explain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Explains why a plant's affection and due date are what they are, and what comes next.",
            discussion: """
                For a past day all is told as of its end. Names, birthday, alarm time, time zone and switches have no \
                history: they are those of now.

                EXAMPLES
                  cherish friend explain 5f3e2a10
                  cherish friend explain 5f3e2a10 --on 2027-03-02
                """)
        @Argument(help: "The plant's id, or its first 8 digits or more.") var plant: String
        @Option(help: "The day in question; today without it.") var on: CivilDay?
        @OptionGroup var common: CommonOptions

        func run() async throws {
            try await common.withGarden(.plant(plant)) { garden in
                let explanation = try await garden.explainFriend(plant, on: on)
                try Output.print(
                    common.output, json: explanation.document, table: Self.table(explanation.plant.events),
                    text: explanation.lines.map(\.harmless).joined(separator: "\n"))
            }
        }

        private static func table(_ events: [PlantEvent]) -> Table {
            Table(
                ["AT", "DAY", "EVENT", "DUE ON"].map { Table.Column(title: $0) },
                rows: events.map {
                    [
                        $0.at.description, $0.day.description, FriendExplanation.words($0.kind),
                        $0.dueOn?.description ?? "",
                    ]
                })
        }
    }
}
