import Foundation
import SeededChance
import Testing

@testable import CherishCore

@Suite("Spreading first due dates")
struct CycleSpreadTests {
    /// After how many days friends of these cycles are due, in their order.
    private func spread(_ days: [Int]) throws -> [Int] {
        let cycles = try days.map { try Cycle(days: $0) }
        var spread = CycleSpread(cycles: cycles)
        return cycles.map { spread.next($0) }
    }

    @Test("1.9: the first of a cycle is due after the whole cycle, the others at even distances before it")
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
        "1.9: no day of the cycle gets two friends more than another, and none outside of it any",
        arguments: [1, 2, 7, 30, 90], [1, 6, 7, 8, 30, 91, 300, 1000])
    func even(cycle: Int, count: Int) throws {
        let days = try spread(Array(repeating: cycle, count: count))
        let isInside = days.allSatisfy { (1...cycle).contains($0) }
        #expect(isInside)
        let counts = (1...cycle).map { day in days.count { $0 == day } }
        let (least, most) = (try #require(counts.min()), try #require(counts.max()))
        #expect(most - least <= 1)
    }

    @Test("1.9: friends of another cycle do not count")
    func cycles() throws {
        let days = try spread([2, 3, 2, 3, 3, 2, 2])
        #expect(days == [2, 3, 2, 2, 1, 1, 1])
    }

    @Test("1.9: among very many friends each day of the cycle gets its share, by their ids", arguments: [1, 7, 30, 90])
    func byID(cycleDays: Int) throws {
        let cycle = try Cycle(days: cycleDays)
        var random = SplitMix64(seed: 1)
        var counts: [Int: Int] = [:]
        for _ in 0..<(cycleDays * 400) {
            let day = CycleSpread.firstDueIn(cycle, for: randomID(&random))
            counts[day, default: 0] += 1
        }
        #expect(counts.keys.sorted() == Array(1...cycleDays))
        // Of 400 each, with a standard deviation of 20 at most.
        let isShared = counts.values.allSatisfy { (300...500).contains($0) }
        #expect(isShared)
    }

    /// An id as a digest gives it: any bit may be set.
    private func randomID(_ random: inout SplitMix64) -> Plant.ID {
        var bytes = UUID().uuid
        withUnsafeMutableBytes(of: &bytes) { buffer in
            for index in buffer.indices { buffer[index] = UInt8(truncatingIfNeeded: random.next()) }
        }
        return Identifier(UUID(uuid: bytes))
    }
}
