import Foundation
import SeededChance
import Synchronization

extension SplitMix64 {
    /// An element of a pool; nil if it is empty.
    mutating func elementIfAny<Value>(of pool: [Value]) -> Value? {
        pool.isEmpty ? nil : element(of: pool)
    }
}

/// Generates ids whose last byte is one of the first lanes.
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
            return generator.uuid(lastByte: lane)
        }
    }
}
