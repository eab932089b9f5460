import ArgumentParser
import CherishService

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Writes an account, or its living friends, as a file.",
        discussion: """
            json is everything of the account: its plants with all that happened, tags, devices, pushes and imports. \
            csv is a table that 'friend import' reads. vcard is a vCard 4.0 per friend. ical is a calendar of due \
            days, of guesses after them, and of birthdays.

            EXAMPLES
              cherish export minji@example.com --format json > minji.json
              cherish export minji@example.com --format ical --file garden.ics
            """)
    @Argument(help: "The account's e-mail or id.") var account: String
    @Option(help: "json, csv, vcard or ical.") var format: ExportFormat
    @Option(help: "The file to write; - is the standard output.") var file = "-"
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let output = try OutputFile(file)
        try await common.withGarden(.account(account)) { garden in
            try await garden.export(format) { try output.write($0) }
            try output.finish()
        }
    }
}

extension ExportFormat: ExpressibleByArgument {}
