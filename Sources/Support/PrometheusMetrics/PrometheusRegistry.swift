import Metrics
import Synchronization

/// A swift-metrics backend that exposes metrics in Prometheus's text format 0.0.4.
///
/// The module `PrometheusMetrics` knows swift-metrics and the text format, but none of Cherish's metrics. It performs
/// no I/O: a caller serves the text. Start reading here; `Series.swift` keeps the values, and `Exposition.swift` writes
/// them.
///
/// Families may be described in advance; the exposition then contains them from the start. An undescribed metric takes
/// the kind of its first use and gets a placeholder description. Timers become histograms in seconds; recorders become
/// histograms if they aggregate, and gauges otherwise.
public final class PrometheusRegistry: MetricsFactory {
    /// The content type of an HTTP response with ``exposition()``.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Counts the metrics that were created but are not exposed.
    public static let refusals = MetricFamily(
        "metrics_refused_total", .counter,
        help: "How often a metric was not kept: there were too many series, or its name is of another type.")

    private struct Family {
        let described: MetricFamily
        /// By their labels in exposition format.
        var series: [String: any Series] = [:]
    }

    private struct State {
        var families: [String: Family] = [:]
        var seriesCount = 0
    }

    private let maximumSeries: Int
    private let refused = CounterSeries()
    private let state: Mutex<State>

    /// Creates a registry.
    ///
    /// - Parameters:
    ///   - families: The described families; no name may appear twice.
    ///   - maximumSeries: The maximum number of series; further ones are counted, not exposed.
    public init(_ families: [MetricFamily] = [], maximumSeries: Int = 1000) {
        self.maximumSeries = maximumSeries
        var state = State()
        for family in families {
            precondition(state.families[family.name] == nil, "\(family.name) is described twice")
            state.families[family.name] = Family(described: family)
        }
        let refusals = PrometheusRegistry.refusals
        state.families[refusals.name] = Family(described: refusals, series: ["": refused])
        self.state = Mutex(state)
    }

    /// Everything measured so far, families sorted by name, series by labels.
    public func exposition() -> String {
        let families = state.withLock { $0.families }
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text += Exposition.header(family.described)
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                series.write(name, labels, to: &text)
            }
        }
        return text
    }

    /// Returns the series for a name and labels, creating it on first use. A refused series works, but is not exposed.
    private func series<Kept: Series>(
        _ label: String, _ dimensions: [(String, String)], _ kind: MetricFamily.Kind,
        otherwise makeUnkept: @autoclosure () -> Kept
    ) -> Kept {
        let name = Exposition.name(label)
        let labels = Exposition.labels(dimensions)
        let kept = state.withLock { state -> Kept? in
            var family = state.families[name] ?? Family(described: MetricFamily(name, kind, help: "Not described."))
            if let series = family.series[labels] { return series as? Kept }
            guard state.seriesCount < maximumSeries, let made = family.described.kind.makeSeries() as? Kept else {
                return nil
            }
            family.series[labels] = made
            state.families[name] = family
            state.seriesCount += 1
            return made
        }
        if let kept { return kept }
        refused.increment(by: 1 as Int64)
        return makeUnkept()
    }

    /// Stops exposing a series; code that still holds it can keep using it.
    private func destroy(_ identity: ObjectIdentifier) {
        state.withLock { state in
            for (name, family) in state.families {
                for (labels, series) in family.series where ObjectIdentifier(series) == identity {
                    state.families[name]?.series[labels] = nil
                    state.seriesCount -= 1
                }
            }
        }
    }
}

// MARK: - Requirements of swift-metrics

extension PrometheusRegistry {
    private static let timing = MetricFamily.Kind.histogram(bounds: MetricFamily.secondBounds)
    /// For values of unknown scale.
    private static let recording = MetricFamily.Kind.histogram(
        bounds: [0.001, 0.01, 0.1, 1, 10, 100, 1000, 10_000, 100_000, 1_000_000])

    /// A sum of integers.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter, otherwise: CounterSeries())
    }

    /// A sum of floating-point numbers.
    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions, .counter, otherwise: CounterSeries())
    }

    /// A gauge.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge, otherwise: GaugeSeries())
    }

    /// A histogram if it aggregates, otherwise a gauge.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else { return series(label, dimensions, .gauge, otherwise: GaugeSeries()) }
        return series(label, dimensions, Self.recording, otherwise: HistogramSeries(bounds: [1]))
    }

    /// A histogram in seconds.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, Self.timing, otherwise: HistogramSeries(bounds: [1]))
    }

    /// Stops exposing it.
    public func destroyCounter(_ handler: any CounterHandler) {
        destroy(ObjectIdentifier(handler))
    }

    /// Stops exposing it.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {
        destroy(ObjectIdentifier(handler))
    }

    /// Stops exposing it.
    public func destroyMeter(_ handler: any MeterHandler) {
        destroy(ObjectIdentifier(handler))
    }

    /// Stops exposing it.
    public func destroyRecorder(_ handler: any RecorderHandler) {
        destroy(ObjectIdentifier(handler))
    }

    /// Stops exposing it.
    public func destroyTimer(_ handler: any TimerHandler) {
        destroy(ObjectIdentifier(handler))
    }
}
