import CherishTestSupport
import SeededChance
import Testing

@testable import CherishCore

/// The order of edits by the time at which people made them (rule 14.3).
@Suite("Edits in the order in which they were made")
struct EditOrderTests {
    private let now = Instant("2027-03-05T10:00:00Z")!

    private func order(_ madeAt: String?, after times: [String: Instant] = [:]) throws -> EditOrder {
        try EditOrder(times, madeAt: madeAt.map { Instant($0)! }, now: now)
    }

    private func check(_ order: inout EditOrder, _ part: String, wins expected: Bool) {
        let won = order.wins(part)
        #expect(won == expected)
    }

    @Test("the newer edit of a part wins, whichever arrives first; in a tie the later arrival")
    func newerWins() throws {
        var first = try order("2027-03-05T09:00:03Z")
        check(&first, "title", wins: true)
        var earlier = try order("2027-03-05T09:00:01Z", after: first.times)
        check(&earlier, "title", wins: false)
        #expect(earlier.isOvertaken && !earlier.hasWon)
        // Another part of the same edit still counts.
        check(&earlier, "note", wins: true)
        #expect(!earlier.isOvertaken && earlier.hasWon)
        var tie = try order("2027-03-05T09:00:03.999999Z", after: earlier.times)
        check(&tie, "title", wins: true)
        #expect(tie.times == ["title": Instant("2027-03-05T09:00:03Z")!, "note": Instant("2027-03-05T09:00:01Z")!])
    }

    @Test("a clock that is ahead counts as at most 60 seconds ahead; what is older than 90 days is refused")
    func clocks() throws {
        var ahead = try order("2027-03-06T00:00:00Z")
        check(&ahead, "title", wins: true)
        #expect(ahead.times["title"] == Instant("2027-03-05T10:01:00Z")!)
        _ = try order("2026-12-05T10:00:00Z")
        #expect(throws: CareError.madeTooLongAgo(try civilDay("2026-12-05"), days: 90)) {
            _ = try order("2026-12-05T09:59:59.999999Z")
        }
        for odd in ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"] { _ = try? order(odd) }
    }

    @Test("an edit without a time was made by somebody who sees the item, and wins even over a clock that is ahead")
    func withoutATime() throws {
        var plain = try order(nil, after: ["title": Instant("2027-03-05T10:00:59Z")!])
        check(&plain, "title", wins: true)
        #expect(plain.times["title"] == Instant("2027-03-05T10:00:59Z")!)
        var usual = try order(nil, after: ["title": Instant("2027-03-05T09:00:00Z")!])
        check(&usual, "title", wins: true)
        #expect(usual.times["title"] == now)
    }

    @Test("a deletion beats older edits and those of the same second, and gives way to newer ones")
    func deletions() throws {
        let times = ["title": Instant("2027-03-05T09:00:03Z")!]
        var older = try order("2027-03-05T09:00:02Z", after: times)
        #expect(throws: CareError.editedSince) { try older.delete() }
        var same = try order("2027-03-05T09:00:03Z", after: times)
        try same.delete()
        // Brought back at ten: a deletion that was made before counts no more.
        var restoration = try order(nil, after: same.times)
        restoration.restore()
        var late = try order("2027-03-05T09:30:00Z", after: restoration.times)
        #expect(throws: CareError.editedSince) { try late.delete() }
        var without = try order(nil, after: restoration.times)
        try without.delete()
    }

    @Test("times that nothing is compared with any more are forgotten")
    func forgetting() throws {
        var edit = try order(
            nil, after: ["old": Instant("2026-12-05T09:59:59Z")!, "kept": Instant("2026-12-05T10:00:00Z")!])
        check(&edit, "title", wins: true)
        #expect(Set(edit.times.keys) == ["kept", "title"])
    }

    /// A second implementation: all edits sorted by their second, then by arrival.
    @Test("random edits in any order of arrival leave what the sorted edits leave", arguments: 0..<200)
    func random(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        struct Arrival {
            let part: String
            let second: Int64
            let value: Int
        }
        let arrivals = (0..<40).map { value in
            Arrival(
                part: ["a", "b", "c"].randomElement(using: &generator)!,
                second: .random(in: -20...90, using: &generator),
                value: value)
        }
        var times: [String: Instant] = [:]
        var values: [String: Int] = [:]
        for arrival in arrivals {
            var edit = try EditOrder(
                times,
                madeAt: now.adding(
                    microseconds: arrival.second * 1_000_000 + Int64.random(in: 0...999_999, using: &generator)),
                now: now)
            if edit.wins(arrival.part) { values[arrival.part] = arrival.value }
            times = edit.times
        }
        var expected: [String: Int] = [:]
        for arrival in arrivals.enumerated().sorted(by: {
            (min($0.element.second, 60), $0.offset) < (min($1.element.second, 60), $1.offset)
        }) {
            expected[arrival.element.part] = arrival.element.value
        }
        #expect(values == expected)
    }
}
