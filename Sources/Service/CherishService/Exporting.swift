import CherishCore
import CherishRuntime
import CherishStore
import GardenArchive

/// The format of an export.
public enum ExportFormat: String, Sendable, CaseIterable {
    /// Everything in the account, in the format that `seed` reads.
    case json
    /// A CSV table of living friends, in the format that an import reads.
    case csv
    /// A vCard 4.0 for each living friend.
    case vcard
    /// A calendar of due days, birthdays and things.
    case ical
}

extension GardenService {
    /// Writes the account, or its living friends, page by page from one snapshot. Memory use does not grow with the
    /// garden.
    ///
    /// - Parameter write: receives the next bytes; may block.
    public func export(_ format: ExportFormat, to write: @escaping ([UInt8]) throws -> Void) async throws {
        let now = try await engine.store.now()
        try await garden.withExport { export in
            let tags = export.head.tags
            switch format {
            case .json: try await GardenService.writeDocument(export, to: write)
            case .csv:
                try write(FriendTable.write([], tags: tags))
                try await export.plants(withHistory: false) {
                    try write(FriendTable.write($0, tags: tags, withHeader: false))
                }
            case .vcard:
                try await export.plants(withHistory: false) { try write(VCardWriter.write($0, tags: tags, at: now)) }
            case .ical: try await writeCalendar(export, asFeed: false, now: now, to: write)
            }
        }
    }

    /// Writes the calendar of due days, birthdays and things.
    ///
    /// - Parameters:
    ///   - isFeed: whether a program subscribes to it. Then the same content gives the same bytes all day.
    ///   - write: receives the next bytes; may block.
    func writeCalendar(asFeed isFeed: Bool, to write: @escaping ([UInt8]) throws -> Void) async throws {
        let now = try await engine.store.now()
        try await garden.withExport { try await writeCalendar($0, asFeed: isFeed, now: now, to: write) }
    }

    private func writeCalendar(
        _ export: ExportReader, asFeed isFeed: Bool, now: Instant, to write: @escaping ([UInt8]) throws -> Void
    ) async throws {
        let account = export.head.account
        let zone = try engine.zones.clock(of: account)
        let today = zone.day(at: now)
        let writtenAt = isFeed ? zone.start(of: today) : now
        var calendar = ICalendarWriter(for: account, today: today, at: writtenAt, isFeed: isFeed)
        try write(calendar.begin())
        try await export.plants(withHistory: false) { try write(calendar.add($0)) }
        try write(calendar.add(ThingOrder.due.sorted(export.head.things.map(\.thing)), in: zone))
        try write(calendar.finish())
    }

    private static func writeDocument(
        _ export: ExportReader, to write: @escaping ([UInt8]) throws -> Void
    ) async throws {
        let writer = try DocumentWriter(export.head, pretty: true, to: write)
        for batch in export.head.imports {
            try writer.add(batch)
            try await export.changes(of: batch.id) { try writer.add($0) }
        }
        try await export.plants { try writer.add($0) }
        try await export.pushes { try writer.add($0) }
        try writer.finish()
    }
}
