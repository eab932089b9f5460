import Testing

@testable import CherishCore

@Suite("Affection")
struct AffectionTests {
    @Test("4.2, 4.5: contacts earn 8 each up to 100, and the ledger adds up to the affection")
    func growth() throws {
        var garden = try Garden(registeredAt: seoul("2027-03-01T10:00"))
        var points: [Int] = []
        for day in 1...15 {
            try garden.water(at: seoul("2027-03-01T10:00").adding(hours: 24 * day))
            points.append(garden.plant.affection.points)
            #expect(garden.ledger.map(\.points).reduce(0, +) == garden.plant.affection.points)
        }
        #expect(points == [8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 100, 100, 100])
        #expect(garden.ledger.count == 13, "a gain of 0 adds no row")
        let smallest = garden.ledger.map(\.points).min()
        #expect(smallest == 4)
    }

    @Test("4.1: each reason has its own ledger row")
    func reasons() throws {
        var garden = try Garden(registeredAt: seoul("2027-03-01T10:00"))
        let change = try garden.water(at: seoul("2027-03-02T10:00"), keywords: ["안부", "점심"], memo: "메모")
        #expect(change.entries.map(\.reason) == [.contact, .keywords, .memo])
        #expect(change.entries.map(\.points) == [8, 8, 8])
        #expect(change.entries.map(\.wateringNumber) == [1, 1, 1])
        #expect(AffectionReason.allCases.map(\.rawValue) == ["contact", "keywords", "memo"])
    }

    @Test("4.3: nothing lowers it: postponing, withering, deleting or declining a review, editing, removing")
    func neverLower() throws {
        var garden = try Garden(cycle: 7, registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-02T10:00"), keywords: ["안부"], memo: "메모")
        #expect(garden.plant.affection.points == 24)
        try garden.writeReview(1, at: seoul("2027-03-02T11:00"), keywords: ["점심"])
        try garden.deleteReview(1, at: seoul("2027-03-02T12:00"))
        try garden.declineReview(1, at: seoul("2027-03-02T13:00"))
        try garden.postpone(1, at: seoul("2027-03-09T10:00"))
        let ninety = try Cycle(days: 90)
        try garden.edit(at: seoul("2027-03-20T10:00")) { $0.cycle = ninety }
        try garden.remove(at: seoul("2027-03-21T10:00"))
        try garden.restore(at: seoul("2027-03-22T10:00"))
        #expect(garden.plant.affection.points == 24)
    }

    @Test("4.4: a keyword or memo added later earns once; removed and added again it earns nothing")
    func earnedOnce() throws {
        var garden = try Garden(registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-02T10:00"))
        let now = try seoul("2027-03-05T10:00")
        let keywords = try garden.writeReview(1, at: now, keywords: ["안부"])
        #expect(keywords == [AffectionEntry(wateringNumber: 1, reason: .keywords, points: 8)])
        let memo = try garden.writeReview(1, at: now, keywords: ["안부"], memo: "메모")
        #expect(memo == [AffectionEntry(wateringNumber: 1, reason: .memo, points: 8)])
        let edited = try garden.writeReview(1, at: now, keywords: ["점심", "여행"], memo: "다른 메모")
        #expect(edited.isEmpty)
        try garden.deleteReview(1, at: now)
        let again = try garden.writeReview(1, at: now, keywords: ["안부"], memo: "메모")
        #expect(again.isEmpty)
        #expect(garden.plant.affection.points == 24)
    }

    @Test("4.4: replacing keywords with a memo earns for the memo and keeps the keywords' points")
    func swapped() throws {
        var garden = try Garden(registeredAt: seoul("2027-03-01T10:00"))
        try garden.water(at: seoul("2027-03-02T10:00"), keywords: ["안부"])
        let now = try seoul("2027-03-05T10:00")
        let memo = try garden.writeReview(1, at: now, memo: "메모")
        #expect(memo.map(\.reason) == [.memo])
        let keywords = try garden.writeReview(1, at: now, keywords: ["안부"], memo: "메모")
        #expect(keywords.isEmpty)
        #expect(garden.plant.affection.points == 24)
    }

    static let stages: [(Int, GrowthStage)] = [
        (0, .sprout), (23, .sprout), (24, .bud), (47, .bud), (48, .bloom), (99, .bloom), (100, .bloom),
    ]

    @Test("4.6: growth stages", arguments: AffectionTests.stages)
    func stage(points: Int, stage: GrowthStage) {
        let affection = Affection(points: points)
        #expect(affection.stage == stage)
        #expect(affection.isFull == (points == 100))
    }

    @Test("4.2: affection is never outside 0 to 100")
    func range() {
        #expect(Affection(points: -8).points == 0)
        #expect(Affection(points: 101).points == 100)
    }
}
