import CherishCore
import CherishStore

/// The days of a calendar: from 30 days back to 60 ahead, unless somebody chooses others.
struct CalendarSpan {
    let first, last: CivilDay

    /// - Parameter mostDays: by how many days the first may lie before the last.
    /// - Throws: ``RequestError/invalidSpan(mostDays:)``.
    init(from first: CivilDay?, to last: CivilDay?, today: CivilDay, mostDays: Int) throws(RequestError) {
        self.first = first ?? min(today + -30, last ?? today)
        self.last = last ?? max(today + 60, self.first)
        guard self.first <= self.last, self.last - self.first <= mostDays else {
            throw .invalidSpan(mostDays: mostDays)
        }
    }
}

/// What happens in a garden on some days.
public struct GardenCalendarView: Sendable {
    /// One plant on one day.
    public struct Entry: Sendable {
        public let plant: Plant
        public let day: CalendarDay
    }

    public let first, last: CivilDay
    /// The days with entries, in their order; each day's entries are in the order of rule 2.4.
    public let days: [(day: CivilDay, entries: [Entry])]

    public var document: GardenCalendarDocument { GardenCalendarDocument(self) }
}

/// What happens in a garden on some days.
public struct GardenCalendarDocument: Codable, Sendable {
    struct Entry: Codable, Sendable {
        let plantId, nickname, kind: String
        let method: Nullable<String>
        let keywords: [String]
        let memo: Nullable<String>

        init(_ entry: GardenCalendarView.Entry) {
            plantId = entry.plant.id.description
            nickname = entry.plant.nickname.description
            kind = entry.day.kind.rawValue
            method = Nullable(entry.day.watering?.method.rawValue)
            keywords = entry.day.watering?.review?.keywords ?? []
            memo = Nullable(entry.day.watering?.review?.memo)
        }
    }

    struct Day: Codable, Sendable {
        let day: String
        let entries: [Entry]
    }

    let from, to: String
    /// Without days on which nothing happens.
    let days: [Day]

    init(_ calendar: GardenCalendarView) {
        from = calendar.first.description
        to = calendar.last.description
        days = calendar.days.map { Day(day: $0.day.description, entries: $0.entries.map(Entry.init)) }
    }
}

extension GardenService {
    /// By how many days the first day of the garden's calendar may lie before the last.
    public static let longestGardenCalendar = 366
    /// The maximum number of entries in one calendar: a garden may have 100,000 friends.
    public static let mostCalendarEntries = 20_000

    /// The calendar of all friends: days watered, due dates, and projected days. Removed friends are not in it.
    ///
    /// - Parameters:
    ///   - first: nil means 30 days back.
    ///   - last: nil means 60 days ahead.
    /// - Throws: ``RequestError/invalidSpan(mostDays:)``, ``RequestError/tooManyEntries(limit:)``.
    public func calendar(from first: CivilDay?, to last: CivilDay?) async throws -> GardenCalendarView {
        let limit = GardenService.mostCalendarEntries
        let seen = try await garden.days(from: first, to: last, limit: limit)
        let today = try today(seen.viewpoint)
        let span = try CalendarSpan(
            from: first, to: last, today: today, mostDays: GardenService.longestGardenCalendar)
        var entries: [CivilDay: [GardenCalendarView.Entry]] = [:]
        var count = 0
        for plant in seen.plants {
            let days = CalendarDay.days(
                of: plant, waterings: seen.waterings[plant.id] ?? [], from: span.first, to: span.last, today: today)
            count += days.count
            guard count <= limit, !seen.isCut else { throw RequestError.tooManyEntries(limit: limit) }
            for day in days { entries[day.day, default: []].append(GardenCalendarView.Entry(plant: plant, day: day)) }
        }
        return GardenCalendarView(
            first: span.first, last: span.last,
            days: entries.sorted { $0.key < $1.key }.map { (day: $0.key, entries: $0.value) })
    }
}
