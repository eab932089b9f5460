import Metrics
import Synchronization

/// A backend of swift-metrics that tells Prometheus, in its text format 0.0.4.
///
/// Families may be described ahead; they are exposed from the start. A metric that was not is kept as what it is first
/// made as, without a description. Timers are histograms in seconds, recorders that aggregate are histograms, and those
/// that do not are gauges.
public final class PrometheusRegistry: MetricsFactory {
    /// What an HTTP answer with ``exposition()`` calls its content.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// How often a metric was made that is not exposed.
    public static let refusals = MetricFamily(
        "metrics_refused_total", .counter,
        help: "How often a metric was not kept: there were too many series, or its name is of another type.")

    private struct Family {
        let described: MetricFamily
        /// By their labels, as the exposition has them.
        var series: [String: any Series] = [:]
    }

    private struct State {
        var families: [String: Family] = [:]
        var seriesCount = 0
    }

    private let maximumSeries: Int
    private let refused = CounterSeries()
    private let state: Mutex<State>

    /// - Parameters:
    ///   - families: each name once.
    ///   - maximumSeries: how many series are kept in all; what comes later is counted, not exposed.
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

    /// All that was counted and measured so far, families by name, series by labels.
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

    /// The series of a name and labels, made when it is first asked for. One that cannot be kept counts for nobody.
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

    /// Whoever still has a series that was destroyed goes on with it unseen.
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

// MARK: - What swift-metrics asks for

extension PrometheusRegistry {
    private static let timing = MetricFamily.Kind.histogram(bounds: MetricFamily.secondBounds)
    /// For values of which nothing is known.
    private static let recording = MetricFamily.Kind.histogram(
        bounds: [0.001, 0.01, 0.1, 1, 10, 100, 1000, 10_000, 100_000, 1_000_000])

    /// A sum of whole numbers.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter, otherwise: CounterSeries())
    }

    /// A sum of any numbers.
    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions, .counter, otherwise: CounterSeries())
    }

    /// A gauge.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge, otherwise: GaugeSeries())
    }

    /// A histogram if it aggregates, else a gauge.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else { return series(label, dimensions, .gauge, otherwise: GaugeSeries()) }
        return series(label, dimensions, Self.recording, otherwise: HistogramSeries(bounds: [1]))
    }

    /// A histogram in seconds.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, Self.timing, otherwise: HistogramSeries(bounds: [1]))
    }

    /// Exposes it no longer.
    public func destroyCounter(_ handler: any CounterHandler) {
        destroy(ObjectIdentifier(handler))
    }

    /// Exposes it no longer.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {
        destroy(ObjectIdentifier(handler))
    }

    /// Exposes it no longer.
    public func destroyMeter(_ handler: any MeterHandler) {
        destroy(ObjectIdentifier(handler))
    }

    /// Exposes it no longer.
    public func destroyRecorder(_ handler: any RecorderHandler) {
        destroy(ObjectIdentifier(handler))
    }

    /// Exposes it no longer.
    public func destroyTimer(_ handler: any TimerHandler) {
        destroy(ObjectIdentifier(handler))
    }
}
