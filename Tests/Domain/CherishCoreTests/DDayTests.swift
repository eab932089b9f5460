import SeededChance
import Testing

@testable import CherishCore

@Suite("D-day")
struct DDayTests {
    static let labels: [(Int, String, Condition)] = [
        (90, "D-90", .thriving), (3, "D-3", .thriving), (1, "D-1", .thriving), (0, "D-DAY", .thirsty),
        (-1, "D+1", .withered), (-2, "D+2", .withered), (-400, "D+400", .withered),
    ]

    @Test("2.1, 2.2: label and condition by the days left", arguments: DDayTests.labels)
    func labelAndCondition(daysLeft: Int, label: String, condition: Condition) throws {
        let today = try civilDay("2027-03-02")
        let dDay = DDay(dueOn: today + daysLeft, anchor: today + (daysLeft - 7), today: today)
        #expect(dDay.daysLeft == daysLeft)
        #expect(dDay.label == label)
        #expect(dDay.condition == condition)
    }

    @Test("2.1: days left count civil days across months, leap days and years")
    func daysLeft() throws {
        let cases: [(String, String, Int)] = [
            ("2027-03-01", "2027-02-28", 1), ("2028-03-01", "2028-02-28", 2), ("2028-01-01", "2027-12-31", 1),
            ("2100-03-01", "2100-02-28", 1), ("2027-03-02", "2027-03-09", -7),
        ]
        for (due, today, expected) in cases {
            let dDay = DDay(dueOn: try civilDay(due), anchor: try civilDay(due), today: try civilDay(today))
            #expect(dDay.daysLeft == expected, "\(due) seen from \(today)")
        }
    }

    @Test("2.3: the gauge falls from 1 to 0 and stays there")
    func gauge() throws {
        let anchor = try civilDay("2027-03-01")
        let due = anchor + 10
        let gauges = [0, 1, 5, 9, 10, 11, 100].map { DDay(dueOn: due, anchor: anchor, today: anchor + $0).gauge }
        #expect(gauges == [1, 0.9, 0.5, 0.1, 0, 0, 0])
        // A traveller can be on the day before the anchor.
        let before = DDay(dueOn: due, anchor: anchor, today: anchor + -1)
        #expect(before.gauge == 1)
        // An edited cycle can make a plant due on its anchor, so the gauge has length 0.
        let none = DDay(dueOn: anchor, anchor: anchor, today: anchor)
        #expect(none.gauge == 0)
    }

    @Test("2.3: the anchor is the registration day, then the last watering day; postponing stretches the gauge")
    func anchor() throws {
        var garden = try Garden(cycle: 10, registeredAt: seoul("2027-03-01T10:00"))
        let afterFive = try garden.dDay(seoul("2027-03-06T10:00"))
        #expect(afterFive.gauge == 0.5)
        try garden.water(at: seoul("2027-03-06T10:00"))
        let watered = try garden.dDay(seoul("2027-03-06T10:00"))
        #expect(watered.gauge == 1)
        try garden.postpone(2, at: seoul("2027-03-16T10:00"))
        let postponed = try garden.dDay(seoul("2027-03-16T10:00"))
        #expect(postponed.gauge == 2.0 / 12.0)
    }

    @Test("2.2: the condition follows from dates, even if no worker ran")
    func conditionWithoutWorker() throws {
        let garden = try Garden(cycle: 7, registeredAt: seoul("2027-03-01T10:00"))
        let conditions = try ["2027-03-07T23:59", "2027-03-08T00:00", "2027-03-08T23:59", "2027-03-09T00:00"].map {
            try garden.dDay(seoul($0)).condition
        }
        #expect(conditions == [.thriving, .thirsty, .thirsty, .withered])
    }

    /// A plant with the fields that determine the order of the list.
    private func plant(_ number: UInt8, daysLeft: Int, affection: Int, nickname: String) throws -> Plant {
        let template = try Garden(registeredAt: seoul("2027-03-01T10:00")).plant
        return Plant(
            id: identifier(number), accountID: template.accountID, name: template.name, phone: template.phone,
            nickname: try Nickname(nickname), birthday: nil, cycle: template.cycle, alarmTime: template.alarmTime,
            plantedOn: template.plantedOn, lastWateredOn: nil, dueOn: try civilDay("2027-03-02") + daysLeft,
            dueSource: .registration, affection: Affection(points: affection), wateringCount: 0, postponementCount: 0,
            pushesEnabled: true, plans: Plans(), archivedAt: nil)
    }

    @Test("2.4: plants are ordered by days left, then affection, then nickname, all ascending")
    func order() throws {
        let ordered = [
            try plant(9, daysLeft: -3, affection: 100, nickname: "하나"),
            try plant(8, daysLeft: 0, affection: 0, nickname: "하나"),
            try plant(7, daysLeft: 0, affection: 8, nickname: "Zoe"),
            try plant(6, daysLeft: 0, affection: 8, nickname: "가람"),
            try plant(5, daysLeft: 0, affection: 8, nickname: "하나"),
            try plant(4, daysLeft: 2, affection: 0, nickname: "가람"),
            // These differ only by id.
            try plant(1, daysLeft: 2, affection: 16, nickname: "가람"),
            try plant(2, daysLeft: 2, affection: 16, nickname: "가람"),
        ]
        var generator = SplitMix64(seed: 24)
        for _ in 0..<50 {
            let shuffled = ordered.shuffled(using: &generator)
            #expect(Plant.listed(shuffled).map(\.id) == ordered.map(\.id))
            #expect(PlantGlance.listed(shuffled.map(\.glance)) == ordered.map(\.glance))
        }
    }
}

@Suite("Phrases")
struct PhraseTests {
    @Test("2.5: six pools of at least five different phrases in each language", arguments: Language.allCases)
    func pools(language: Language) {
        let pools = Phrases.Pool.allCases.map { Phrases.phrases($0, language) }
        #expect(pools.count == 6)
        for pool in pools {
            #expect(pool.count >= 5)
            #expect(Set(pool).count == pool.count)
            let hasBlank = pool.contains { $0.isEmpty }
            #expect(!hasBlank)
        }
        let all = pools.flatMap { $0 }
        #expect(Set(all).count == all.count, "a phrase is in one pool only")
    }

    @Test("2.5: the pool follows watering and condition")
    func pool() throws {
        var garden = try Garden(cycle: 7, registeredAt: seoul("2027-03-01T10:00"))
        let (before, due) = (try civilDay("2027-03-05"), try civilDay("2027-03-08"))
        #expect(Phrases.pool(for: garden.plant.glance, on: before) == .neverWatered)
        #expect(Phrases.pool(for: garden.plant.glance, on: due + 3) == .neverWatered)
        try garden.water(at: seoul("2027-03-01T11:00"))
        #expect(Phrases.pool(for: garden.plant.glance, on: before) == .thriving)
        #expect(Phrases.pool(for: garden.plant.glance, on: due) == .thirsty)
        #expect(Phrases.pool(for: garden.plant.glance, on: due + 1) == .withered)
        #expect(Phrases.pool(for: garden.plant.glance, on: due + 30) == .withered)
        #expect(Phrases.pool(for: garden.plant.glance, on: due + 31) == .longWithered)
        var resting = garden.plant
        resting.dueSource = .outage
        #expect(Phrases.pool(for: resting.glance, on: due) == .resting)
        #expect(Phrases.pool(for: resting.glance, on: before) == .thriving)
        (resting.dueSource, resting.originalDueOn) = (.watering, due + -3)
        #expect(Phrases.pool(for: resting.glance, on: due) == .resting)
        let phrase = Phrases.phrase(for: garden.plant.glance, on: due, language: .korean)
        #expect(Phrases.phrases(.thirsty, .korean).contains(phrase))
    }

    @Test("2.5: a phrase is stable within a day, and varies by day and plant")
    func choice() throws {
        var garden = try Garden(cycle: 90, registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-01T10:00"))
        let first = garden.plant
        try garden.edit(at: seoul("2027-03-01T11:00")) { $0.nickname = "짝꿍" }
        let today = try civilDay("2027-03-01")
        let days = (0..<60).map { today + $0 }
        for language in Language.allCases {
            let phrases = days.map { Phrases.phrase(for: first.glance, on: $0, language: language) }
            let again = days.map { Phrases.phrase(for: garden.plant.glance, on: $0, language: language) }
            #expect(phrases == again, "the phrase does not depend on the nickname")
            #expect(Set(phrases).count >= 3)
        }
    }
}
