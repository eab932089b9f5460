import CherishCore
import CherishRuntime
import CherishStore
import Foundation

/// How much room a widget has.
public enum WidgetSize: String, CaseIterable, Sendable {
    case small, medium, large

    /// How many entries it shows.
    var entryCount: Int {
        switch self {
        case .small: 3
        case .medium: 6
        case .large: 12
        }
    }
}

extension GardenService {
    /// What a widget shows of today, in one small answer (rule 14.4).
    public func widget(_ size: WidgetSize) async throws -> WidgetDocument {
        let due = try await garden.dueToday(limit: size.entryCount)
        let entries =
            due.plants.map { WidgetEntry($0, on: due.today) } + due.things.map { WidgetEntry($0, on: due.today) }
        return WidgetDocument(
            day: due.today.description, dueCount: due.dueCount, overdueCount: due.overdueCount,
            friendLink: "\(engine.settings.linkScheme)://plants/{id}",
            thingLink: "\(engine.settings.linkScheme)://things/{id}", thingCompletion: "/v1/things/{id}/completion",
            entries: entries.sorted(by: WidgetEntry.comesFirst).prefix(size.entryCount).map(\.document))
    }
}

/// A friend or a thing as a widget shows it.
private struct WidgetEntry {
    let kind, id, title: String
    let daysLeft: Int
    let time: TimeOfDay?

    init(_ plant: Plant, on today: CivilDay) {
        (kind, id, title) = ("friend", plant.id.description, plant.nickname.description)
        (daysLeft, time) = (plant.dDay(on: today).daysLeft, nil)
    }

    init(_ thing: Thing, on today: CivilDay) {
        (kind, id, title) = (thing.kind.rawValue, thing.id.description, thing.title.description)
        (daysLeft, time) = (thing.due.day - today, thing.due.time)
    }

    /// What is due today comes before what is overdue, what has a time before what has none.
    static func comesFirst(_ left: WidgetEntry, _ right: WidgetEntry) -> Bool {
        func place(_ entry: WidgetEntry) -> (Int, Int, String, String) {
            (-entry.daysLeft, entry.time?.minuteOfDay ?? .max, entry.title, entry.id)
        }
        return place(left) < place(right)
    }

    var document: WidgetDocument.Entry {
        WidgetDocument.Entry(
            kind: kind, id: id, title: WidgetDocument.short(title), daysLeft: daysLeft,
            time: Nullable(time?.description))
    }
}

/// What a widget shows: at most 3 KiB, so links and routes stand once, with `{id}` for that of an entry.
public struct WidgetDocument: Codable, Sendable {
    struct Entry: Codable, Sendable {
        /// `friend`, or the kind of a thing.
        let kind: String
        let id: String
        /// The nickname or the title, cut.
        let title: String
        /// 0 today, less before.
        let daysLeft: Int
        let time: Nullable<String>
    }

    let day: String
    /// How many there are: due today, and overdue.
    let dueCount, overdueCount: Int
    /// Where a tap leads.
    let friendLink, thingLink: String
    /// The POST by which one tap completes a thing.
    let thingCompletion: String
    let entries: [Entry]

    /// The first 40 characters, or as many as 120 bytes hold: a character may be a family with many bytes.
    static func short(_ text: String) -> String {
        var (short, characters, bytes) = ("", 0, 0)
        for character in text {
            // What JSON escapes takes more.
            let length = character.utf8.reduce(0) { $0 + ($1 < 0x20 ? 6 : $1 == 0x22 || $1 == 0x5C ? 2 : 1) }
            guard characters < 40, bytes + length <= 120 else { break }
            short.append(character)
            (characters, bytes) = (characters + 1, bytes + length)
        }
        return short
    }
}
