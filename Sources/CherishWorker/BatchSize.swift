import CherishCore
import Synchronization

/// How large the batches of each lane are. A lane that is slow shrinks its own; one that was not seen yet begins with the
/// largest that another has.
final class LaneBatchSizes: Sendable {
    private let start: Int
    private let range: ClosedRange<Int>
    private let target: Duration
    private let sizes = Mutex<[Lane: BatchSize]>([:])

    /// The parameters of ``BatchSize``.
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

/// How many jobs a batch takes: as many as are done in the time a batch should take. So a slow sink holds few jobs, each
/// with a receipt soon, and a fast one is not held up by commits; memory is bounded by the largest size.
final class BatchSize: Sendable {
    private let range: ClosedRange<Int>
    private let target: Duration
    private let size: Mutex<Int>

    /// - Parameters:
    ///   - start: before anything is known.
    ///   - range: never fewer and never more.
    ///   - target: how long a batch should take.
    init(start: Int, range: ClosedRange<Int>, target: Duration) {
        self.range = range
        self.target = target
        size = Mutex(min(max(start, range.lowerBound), range.upperBound))
    }

    var current: Int { size.withLock { $0 } }

    /// Learns from a batch. Only a full one says that more would have been possible.
    func note(_ count: Int, of limit: Int, took duration: Duration) {
        // An empty batch says how long somebody else took.
        guard count > 0 else { return }
        size.withLock { size in
            if duration > target {
                // As many as would have taken the time; from one slow batch not below half, since it may have been an
                // accident.
                let fitting = Int(Double(count) * (target / duration))
                size = max(range.lowerBound, size / 2, min(size, fitting))
            } else if count >= limit, limit == size {
                // A little more even close to the target: a batch that takes long however small it is should be large.
                size = min(range.upperBound, duration < target / 2 ? size * 2 : size + max(size / 4, 1))
            }
        }
    }
}
