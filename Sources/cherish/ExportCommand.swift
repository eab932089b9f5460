import ArgumentParser
import CherishCore
import CherishRuntime
import CherishStore
import Foundation
import GardenArchive

struct ExportCommand: AsyncParsableCommand {
    /// In which form a garden leaves.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case json, csv, vcard, ical
    }

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
    @Option(help: "json, csv, vcard or ical.") var format: Format
    @Option(help: "The file to write; - is the standard output.") var file = "-"
    @OptionGroup var common: CommonOptions

    func run() async throws {
        let output = try OutputFile(file)
        try await common.withEngine { engine in
            let owner = try await engine.store.account(account)
            let now = try await engine.store.now()
            try await engine.store.withArchive(of: owner.id) { try await write($0, at: now, engine, to: output) }
            try output.finish()
        }
    }

    /// Page by page, so that memory does not grow with the garden.
    private func write(_ archive: ArchiveReader, at now: Instant, _ engine: Engine, to output: OutputFile) async throws
    {
        let tags = archive.head.tags
        switch format {
        case .json: try await writeDocument(archive, to: output)
        case .csv:
            try output.write(FriendTable.write([], tags: tags))
            try await archive.plants(withHistory: false) {
                try output.write(FriendTable.write($0, tags: tags, withHeader: false))
            }
        case .vcard:
            try await archive.plants(withHistory: false) {
                try output.write(VCardWriter.write($0, tags: tags, at: now))
            }
        case .ical:
            let account = archive.head.account
            let today = try engine.zones.rules(account.timeZone).day(at: now)
            var calendar = ICalendarWriter(for: account, today: today, at: now)
            try output.write(calendar.begin())
            try await archive.plants(withHistory: false) { try output.write(calendar.add($0)) }
            try output.write(calendar.finish())
        }
    }

    private func writeDocument(_ archive: ArchiveReader, to output: OutputFile) async throws {
        let writer = try DocumentWriter(archive.head, pretty: true) { try output.write($0) }
        for batch in archive.head.imports {
            try writer.add(batch)
            try await archive.changes(of: batch.id) { try writer.add($0) }
        }
        try await archive.plants { try writer.add($0) }
        try await archive.pushes { try writer.add($0) }
        try writer.finish()
    }
}
