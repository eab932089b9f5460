/// What a metric is called, what it means and how it is kept. The series of a family differ by their labels.
public struct MetricFamily: Sendable, Equatable {
    /// What becomes of the values of a series.
    public enum Kind: Sendable, Equatable {
        /// Their sum, from 0 at the start of the process; it only grows.
        case counter
        /// The last one.
        case gauge
        /// How many there were up to each of these bounds, which are finite and ascend, and how many above the last.
        case histogram(bounds: [Double])
    }

    /// Bounds for what takes from a millisecond to a minute, in seconds.
    public static let secondBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

    /// ASCII letters, digits and underscores; by custom it ends with the unit, and a counter's with `_total`.
    public let name: String
    /// What it tells, for people.
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
    /// As the exposition calls it.
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
