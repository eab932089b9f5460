import Metrics
import Synchronization

/// The value of one metric for one set of labels.
protocol Series: AnyObject, Sendable {
    /// Appends its lines to the exposition.
    func write(_ name: String, _ labels: String, to text: inout String)
}

final class CounterSeries: Series, CounterHandler, FloatingPointCounterHandler {
    private let value = Mutex(0.0)

    func increment(by amount: Int64) {
        increment(by: Double(amount))
    }

    /// Ignores amounts that are not positive and finite: a counter that falls looks like a process restart.
    func increment(by amount: Double) {
        guard amount > 0, amount.isFinite else { return }
        value.withLock { $0 += amount }
    }

    func reset() {
        value.withLock { $0 = 0 }
    }

    func write(_ name: String, _ labels: String, to text: inout String) {
        text += Exposition.sample(name, labels, value.withLock { $0 })
    }
}

final class GaugeSeries: Series, MeterHandler, RecorderHandler {
    private let value = Mutex(0.0)

    func set(_ value: Int64) {
        set(Double(value))
    }

    func set(_ value: Double) {
        self.value.withLock { $0 = value }
    }

    func increment(by amount: Double) {
        value.withLock { $0 += amount }
    }

    func decrement(by amount: Double) {
        increment(by: -amount)
    }

    func record(_ value: Int64) {
        set(Double(value))
    }

    func record(_ value: Double) {
        set(value)
    }

    func write(_ name: String, _ labels: String, to text: inout String) {
        text += Exposition.sample(name, labels, value.withLock { $0 })
    }
}

final class HistogramSeries: Series, TimerHandler, RecorderHandler {
    private struct State {
        /// Per bucket, not cumulative; the last one counts values above all bounds.
        var counts: [Int]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    /// Timers are exposed in seconds.
    func recordNanoseconds(_ duration: Int64) {
        record(Double(duration) / 1_000_000_000)
    }

    func record(_ value: Int64) {
        record(Double(value))
    }

    /// Ignores NaN, which fits no bucket.
    func record(_ value: Double) {
        guard !value.isNaN else { return }
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }

    func write(_ name: String, _ labels: String, to text: inout String) {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        var total = 0
        for (bound, count) in zip(bounds + [.infinity], counts) {
            total += count
            let bucket = (labels.isEmpty ? "" : labels + ",") + "le=\"\(Exposition.number(bound))\""
            text += Exposition.sample("\(name)_bucket", bucket, Double(total))
        }
        text += Exposition.sample("\(name)_sum", labels, sum)
        text += Exposition.sample("\(name)_count", labels, Double(total))
    }
}
