/// The name, meaning, and kind of a metric. Its series differ by their labels.
public struct MetricFamily: Sendable, Equatable {
    /// How the values of a series are aggregated.
    public enum Kind: Sendable, Equatable {
        /// The sum since the start of the process; it only grows.
        case counter
        /// The last value.
        case gauge
        /// The number of values per bucket. The upper bounds are finite and ascending; one more bucket holds the rest.
        case histogram(bounds: [Double])
    }

    /// Bounds in seconds for durations from a millisecond to a minute.
    public static let secondBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

    /// ASCII letters, digits, and underscores; by convention it ends with the unit, or with `_total` for a counter.
    public let name: String
    /// A description for people.
    public let help: String
    public let kind: Kind

    public init(_ name: String, _ kind: Kind, help: String) {
        precondition(name == Exposition.name(name), "\(name) is no name of a metric")
        if case .histogram(let bounds) = kind {
            precondition(
                !bounds.isEmpty && bounds.allSatisfy(\.isFinite) && zip(bounds, bounds.dropFirst()).allSatisfy(<),
                "bounds of buckets are finite and ascend")
        }
        self.name = name
        self.help = help
        self.kind = kind
    }
}

extension MetricFamily.Kind {
    /// The name of the type in the exposition.
    var typeName: String {
        switch self {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }

    func makeSeries() -> any Series {
        switch self {
        case .counter: return CounterSeries()
        case .gauge: return GaugeSeries()
        case .histogram(let bounds): return HistogramSeries(bounds: bounds)
        }
    }
}
