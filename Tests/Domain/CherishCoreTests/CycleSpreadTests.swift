import Foundation
import SeededChance
import Testing

@testable import CherishCore

@Suite("Spreading first due dates")
struct CycleSpreadTests {
    /// The first due dates, in days from now, of friends with these cycles.
    private func spread(_ days: [Int]) throws -> [Int] {
        let cycles = try days.map { try Cycle(days: $0) }
        var spread = CycleSpread(cycles: cycles)
        return cycles.map { spread.next($0) }
    }

    @Test("1.9: the first friend of a cycle is due after the whole cycle, the next at even distances before")
    func distances() throws {
        let alone = try spread([30])
        #expect(alone == [30])
        let two = try spread([30, 30])
        #expect(two == [30, 15])
        let three = try spread([30, 30, 30])
        #expect(three == [30, 20, 10])
        let daily = try spread([1, 1, 1])
        #expect(daily == [1, 1, 1])
    }

    @Test(
        "1.9: the days of the cycle differ by one friend at most, and no other day gets any",
        arguments: [1, 2, 7, 30, 90], [1, 6, 7, 8, 30, 91, 300, 1000])
    func even(cycle: Int, count: Int) throws {
        let days = try spread(Array(repeating: cycle, count: count))
        let isInside = days.allSatisfy { (1...cycle).contains($0) }
        #expect(isInside)
        let counts = (1...cycle).map { day in days.count { $0 == day } }
        let (least, most) = (try #require(counts.min()), try #require(counts.max()))
        #expect(most - least <= 1)
    }

    @Test("1.9: friends with another cycle do not count")
    func cycles() throws {
        let days = try spread([2, 3, 2, 3, 3, 2, 2])
        #expect(days == [2, 3, 2, 2, 1, 1, 1])
    }

    @Test("1.9: for very many friends, ids distribute evenly over the cycle", arguments: [1, 7, 30, 90])
    func byID(cycleDays: Int) throws {
        let cycle = try Cycle(days: cycleDays)
        var random = SplitMix64(seed: 1)
        var counts: [Int: Int] = [:]
        for _ in 0..<(cycleDays * 400) {
            let day = CycleSpread.firstDueIn(cycle, for: randomID(&random))
            counts[day, default: 0] += 1
        }
        #expect(counts.keys.sorted() == Array(1...cycleDays))
        // 400 expected per day, with a standard deviation of at most 20.
        let isShared = counts.values.allSatisfy { (300...500).contains($0) }
        #expect(isShared)
    }

    /// A random id in which any bit may be set.
    private func randomID(_ random: inout SplitMix64) -> Plant.ID {
        var bytes = UUID().uuid
        withUnsafeMutableBytes(of: &bytes) { buffer in
            for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: random.next()) }
        }
        return Identifier(UUID(uuid: bytes))
    }
}
