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
            json is everything of the account: its plants with all that happened, tags, devices, pushes and imports. csv is a
            table that 'friend import' reads. vcard is a vCard 4.0 per friend. ical is a calendar of due days, of guesses after
            them, and of birthdays.

            EXAMPLES
              cherish export minji@example.com --format json > minji.json
              cherish export minji@example.com --format ical --file garden.ics
            """)
    @Argument(help: "The account's e-mail or id.") var account: String
    @Option(help: "json, csv, vcard or ical.") var format: Format
    @Option(help: "Where to write; the standard output without it.") var file: String?
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.withEngine { engine in
            let owner = try await engine.store.account(account)
            let archive = try await engine.store.archive(of: owner.id)
            let bytes = Data(try await written(archive, at: try await engine.store.now(), engine))
            guard let file else { return try FileHandle.standardOutput.write(contentsOf: bytes) }
            do {
                try bytes.write(to: URL(fileURLWithPath: file), options: .atomic)
            } catch {
                throw UsageError("\(file) cannot be written; choose another file")
            }
        }
    }

    private func written(_ archive: AccountArchive, at now: Instant, _ engine: Engine) async throws -> [UInt8] {
        switch format {
        case .json: return try ArchiveDocument.encode(archive, pretty: true)
        case .csv: return FriendTable.write(archive.plants, tags: archive.tags)
        case .vcard: return VCardWriter.write(archive.plants, tags: archive.tags, at: now)
        case .ical:
            let today = try engine.zones.rules(archive.account.timeZone).day(at: now)
            return ICalendarWriter.write(archive.plants, for: archive.account, today: today, at: now)
        }
    }
}
