import Testing

@testable import CherishCore

@Suite("Search")
struct SearchTests {
    private func matches(_ search: String) throws -> Bool {
        var garden = try Garden(registeredAt: seoul("2027-03-01T10:00"))
        try garden.edit(at: seoul("2027-03-01T10:00")) { $0.nickname = "Best Friend 1호" }
        return PlantSearch(search).matches(garden.plant)
    }

    @Test(
        "8.1: by name, nickname and phone",
        arguments: [
            "김하나", "하나", "김", "best", "FRIEND", "friend 1호", " best   friend ", "1호", "",
            "\u{1112}\u{1161}\u{1102}\u{1161}", "+821012345678", "821012345678", "010-1234-5678", "01012345678",
            "010 1234", "1234-5678", "5678", "+82 10", "(010) 1234.5678",
        ])
    func found(search: String) throws {
        let isFound = try matches(search)
        #expect(isFound)
    }

    @Test(
        "8.1: anything else is not found", arguments: ["하늘", "frend", "010-9999", "0000", "5678-1234", "하나1234"])
    func notFound(search: String) throws {
        let isFound = try matches(search)
        #expect(!isFound)
    }
}

@Suite("Calendar of a plant")
struct CalendarDayTests {
    private func describe(_ days: [CalendarDay]) -> [String] {
        days.map { "\($0.day) \($0.kind.rawValue)" }
    }

    @Test("8.3: days watered, the due date, and projections every cycle")
    func days() throws {
        var garden = try Garden(cycle: 10, registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-05T10:00"), keywords: ["안부"])
        try garden.water(at: seoul("2027-03-09T10:00"))
        let days = CalendarDay.days(
            of: garden.plant, waterings: garden.waterings, from: try civilDay("2027-03-01"),
            to: try civilDay("2027-04-10"), today: try civilDay("2027-03-01"))
        #expect(
            describe(days) == [
                "2027-03-05 watered", "2027-03-09 watered", "2027-03-19 due", "2027-03-29 projected",
                "2027-04-08 projected",
            ])
        #expect(days.first?.watering?.review?.keywords == ["안부"])
        #expect(days.last?.watering == nil)
    }

    @Test("8.3: only the requested days, both ends included")
    func range() throws {
        var garden = try Garden(cycle: 10, registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-05T10:00"))
        try garden.water(at: seoul("2027-03-09T10:00"))
        func days(_ first: String, _ last: String) throws -> [String] {
            describe(
                CalendarDay.days(
                    of: garden.plant, waterings: garden.waterings, from: try civilDay(first), to: try civilDay(last),
                    today: try civilDay("2027-03-01")))
        }
        let middle = try days("2027-03-09", "2027-03-19")
        #expect(middle == ["2027-03-09 watered", "2027-03-19 due"])
        let between = try days("2027-03-10", "2027-03-18")
        #expect(between.isEmpty)
        let backwards = try days("2027-03-19", "2027-03-09")
        #expect(backwards.isEmpty)
        let later = try days("2027-04-08", "2027-04-08")
        #expect(later == ["2027-04-08 projected"])
    }

    @Test("8.3: two waterings of a day stay in the order of recording")
    func twoOfADay() throws {
        var garden = try Garden(cycle: 10, registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-05T10:00"))
        try garden.water(at: seoul("2027-03-06T10:00"))
        try garden.water(at: seoul("2027-03-06T11:00"), on: civilDay("2027-03-05"))
        let days = CalendarDay.days(
            of: garden.plant, waterings: garden.waterings, from: try civilDay("2027-03-01"),
            to: try civilDay("2027-03-10"), today: try civilDay("2027-03-01"))
        let numbers = days.compactMap { $0.watering?.number }
        #expect(numbers == [1, 3, 2])
    }

    @Test("8.3: a plant watered on its due date shows the next one; a removed plant has no days ahead")
    func daysToCome() throws {
        var garden = try Garden(cycle: 10, registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-11T10:00"))
        let (first, last) = (try civilDay("2027-03-01"), try civilDay("2027-03-31"))
        let living = CalendarDay.days(
            of: garden.plant, waterings: garden.waterings, from: first, to: last, today: first)
        #expect(describe(living) == ["2027-03-11 watered", "2027-03-21 due", "2027-03-31 projected"])
        try garden.remove(at: seoul("2027-03-12T10:00"))
        let removed = CalendarDay.days(
            of: garden.plant, waterings: garden.waterings, from: first, to: last, today: first)
        #expect(describe(removed) == ["2027-03-11 watered"])
    }

    @Test("8.3, 6.2: a postponed due date moves the projections")
    func postponed() throws {
        var garden = try Garden(cycle: 10, registeredAt: seoul("2027-03-01T10:00"))
        try garden.postpone(3, at: seoul("2027-03-11T10:00"))
        let days = CalendarDay.days(
            of: garden.plant, waterings: [], from: try civilDay("2027-03-01"), to: try civilDay("2027-03-31"),
            today: try civilDay("2027-03-01"))
        #expect(describe(days) == ["2027-03-14 due", "2027-03-24 projected"])
    }

    @Test("8.3: a withered plant is projected from today on, not into the past")
    func witheredProjections() throws {
        let garden = try Garden(cycle: 3, registeredAt: seoul("2027-03-01T10:00"))
        let days = CalendarDay.days(
            of: garden.plant, waterings: [], from: try civilDay("2027-03-01"), to: try civilDay("2027-03-15"),
            today: try civilDay("2027-03-10"))
        #expect(describe(days) == ["2027-03-04 due", "2027-03-13 projected"])
    }

    @Test(
        "8.3: projections come every cycle after the due date, wherever the days begin", arguments: [1, 3, 7, 30, 90])
    func projections(cycle: Int) throws {
        let garden = try Garden(cycle: cycle, registeredAt: seoul("2027-03-01T10:00"))
        let dueOn = garden.plant.dueOn
        for today in [dueOn + -cycle, dueOn, dueOn + 1, dueOn + 40] {
            for first in stride(from: dueOn + -10, through: dueOn + 200, by: 1) {
                let last = first + 100
                let days = CalendarDay.days(of: garden.plant, waterings: [], from: first, to: last, today: today)
                let wanted = (1...400).map { dueOn + $0 * cycle }.filter { $0 > today && $0 >= first && $0 <= last }
                #expect(days.filter { $0.kind == .projected }.map(\.day) == wanted)
            }
        }
        let end = try civilDay("9999-12-31")
        let far = CalendarDay.days(of: garden.plant, waterings: [], from: end + -90, to: end, today: dueOn)
        #expect(far.allSatisfy { ($0.day - dueOn).isMultiple(of: cycle) } && !far.isEmpty)
    }
}
