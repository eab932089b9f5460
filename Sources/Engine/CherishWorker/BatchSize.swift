import CherishCore
import Synchronization

/// The batch size of each lane. A slow lane shrinks only its own size; a new lane starts with the largest size of any other.
final class LaneBatchSizes: Sendable {
    private let start: Int
    private let range: ClosedRange<Int>
    private let target: Duration
    private let sizes = Mutex<[Lane: BatchSize]>([:])

    /// Takes the parameters of ``BatchSize``.
    init(start: Int, range: ClosedRange<Int>, target: Duration) {
        self.start = start
        self.range = range
        self.target = target
    }

    subscript(lane: Lane) -> BatchSize {
        sizes.withLock { sizes in
            if let size = sizes[lane] { return size }
            let largest = sizes.values.map(\.current).max() ?? start
            let size = BatchSize(start: max(start, largest), range: range, target: target)
            sizes[lane] = size
            return size
        }
    }
}

/// The number of jobs per batch: as many as fit into the target time. A slow sink then holds few jobs and gets receipts
/// soon, commits do not slow a fast one down, and the upper bound limits memory.
final class BatchSize: Sendable {
    private let range: ClosedRange<Int>
    private let target: Duration
    private let size: Mutex<Int>

    /// - Parameters:
    ///   - start: the size before the first measurement.
    ///   - range: the smallest and the largest size.
    ///   - target: how long a batch should take.
    init(start: Int, range: ClosedRange<Int>, target: Duration) {
        self.range = range
        self.target = target
        size = Mutex(min(max(start, range.lowerBound), range.upperBound))
    }

    var current: Int { size.withLock { $0 } }

    /// Adjusts the size after a batch. Only a full batch shows that a larger one might fit.
    func note(_ count: Int, of limit: Int, took duration: Duration) {
        // The duration of an empty batch measures other work.
        guard count > 0 else { return }
        size.withLock { size in
            if duration > target {
                // Shrink to what would have fitted, but at most by half: one slow batch may be an outlier.
                let fitting = Int(Double(count) * (target / duration))
                size = max(range.lowerBound, size / 2, min(size, fitting))
            } else if count >= limit, limit == size {
                // Grow a little even near the target: if a batch takes long at any size, a large one is better.
                size = min(range.upperBound, duration < target / 2 ? size * 2 : size + max(size / 4, 1))
            }
        }
    }
}
