import Foundation

/// Sebastiano Vigna's SplitMix64: a small generator whose sequence depends only on its seed.
///
/// The module `SeededChance` turns a seed into reproducible numbers, choices, and UUIDs, and does nothing else. Start
/// reading here; this is its only file.
///
/// It does not use the standard library's random functions, whose algorithms may change between versions.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts the sequence of a seed; all seeds are equally good.
    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// A uniformly distributed integer in a range.
    package mutating func number(in range: ClosedRange<Int>) -> Int {
        let count = UInt64(range.upperBound - range.lowerBound + 1)
        return range.lowerBound + Int(next().multipliedFullWidth(by: count).high)
    }

    /// True with a probability of `percent` in 100.
    package mutating func chance(_ percent: Int) -> Bool {
        number(in: 1...100) <= percent
    }

    /// A random element of a non-empty pool.
    package mutating func element<Value>(of pool: [Value]) -> Value {
        pool[number(in: 0...(pool.count - 1))]
    }

    /// A random UUID (version 4), optionally with a fixed last byte.
    package mutating func uuid(lastByte: UInt8? = nil) -> UUID {
        let high = (next() & 0xffff_ffff_ffff_0fff) | 0x4000
        var low = (next() & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000
        if let lastByte { low = (low & ~0xff) | UInt64(lastByte) }
        return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes in
            UUID(uuid: bytes.load(as: Foundation.uuid_t.self))
        }
    }
}
