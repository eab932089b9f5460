import Foundation

/// Sebastiano Vigna's SplitMix64: a small generator whose sequence a seed decides.
///
/// It chooses by arithmetic of its own: how the standard library chooses may change with its version.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The sequence that begins with a seed; every seed is as good as another.
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

    /// A whole number of a range, each as often as the others.
    package mutating func number(in range: ClosedRange<Int>) -> Int {
        let count = UInt64(range.upperBound - range.lowerBound + 1)
        return range.lowerBound + Int(next().multipliedFullWidth(by: count).high)
    }

    /// Whether something happens that happens so many times of a hundred.
    package mutating func chance(_ percent: Int) -> Bool {
        number(in: 1...100) <= percent
    }

    /// One of a pool that is not empty.
    package mutating func element<Value>(of pool: [Value]) -> Value {
        pool[number(in: 0...(pool.count - 1))]
    }

    /// A random UUID (version 4) with a given last byte, or with any.
    package mutating func uuid(lastByte: UInt8? = nil) -> UUID {
        let high = (next() & 0xffff_ffff_ffff_0fff) | 0x4000
        var low = (next() & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000
        if let lastByte { low = (low & ~0xff) | UInt64(lastByte) }
        return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { bytes in
            UUID(uuid: bytes.load(as: Foundation.uuid_t.self))
        }
    }
}
