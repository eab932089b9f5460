import Foundation
import Synchronization

/// Sebastiano Vigna's SplitMix64: a small generator whose sequence a seed decides. All chance of a simulation comes from one.
struct SplitMix64: Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func number(in range: ClosedRange<Int>) -> Int {
        let count = UInt64(range.upperBound - range.lowerBound + 1)
        return range.lowerBound + Int(next().multipliedFullWidth(by: count).high)
    }

    mutating func chance(_ percent: Int) -> Bool {
        number(in: 1...100) <= percent
    }

    /// One of a pool; nil if it is empty.
    mutating func element<Value>(of pool: [Value]) -> Value? {
        pool.isEmpty ? nil : pool[number(in: 0...(pool.count - 1))]
    }

    /// A random UUID (version 4) with a given last byte, or with any.
    mutating func identifier(lastByte: UInt8? = nil) -> UUID {
        let high = (next() & 0xffff_ffff_ffff_0fff) | 0x4000
        var low = (next() & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000
        if let lastByte { low = (low & ~0xff) | UInt64(lastByte) }
        return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes in
            UUID(uuid: bytes.load(as: Foundation.uuid_t.self))
        }
    }
}

/// Ids for whoever needs one, whose last byte is one of the first lanes.
final class SharedChance: Sendable {
    private let generator: Mutex<SplitMix64>
    private let lanes: Int

    init(seed: UInt64, lanes: Int) {
        generator = Mutex(SplitMix64(seed: seed))
        self.lanes = lanes
    }

    func identifier() -> UUID {
        generator.withLock { generator in
            let lane = UInt8(generator.number(in: 0...(lanes - 1)))
            return generator.identifier(lastByte: lane)
        }
    }
}
