import Metrics
import PrometheusMetrics
import Testing

@Suite("Metrics in Prometheus's text format")
struct PrometheusRegistryTests {
    /// The lines of one family: its help, its type, its samples.
    private func lines(_ registry: PrometheusRegistry, of name: String) -> [String] {
        let begins = ["# HELP \(name) ", "# TYPE \(name) ", "\(name) ", "\(name){", "\(name)_"]
        return registry.exposition().split(separator: "\n").map(String.init)
            .filter { line in begins.contains { line.hasPrefix($0) } }
    }

    private func registry(_ name: String, _ kind: MetricFamily.Kind, help: String = "About it.") -> PrometheusRegistry {
        PrometheusRegistry([MetricFamily(name, kind, help: help)])
    }

    // MARK: - Counters and gauges

    @Test("counters with the same labels in any order share a value; increments that are not positive are ignored")
    func counter() {
        let registry = registry("pushes_total", .counter)
        let labels = [("outcome", "dead"), ("lane", "7")]
        Counter(label: "pushes_total", dimensions: labels, factory: registry).increment(by: 2)
        Counter(label: "pushes_total", dimensions: labels.reversed(), factory: registry).increment()
        Counter(label: "pushes_total", dimensions: labels, factory: registry).increment(by: -5)
        Counter(label: "pushes_total", factory: registry).increment(by: 40)
        #expect(
            lines(registry, of: "pushes_total") == [
                "# HELP pushes_total About it.", "# TYPE pushes_total counter", "pushes_total 40",
                #"pushes_total{lane="7",outcome="dead"} 3"#,
            ])
        Counter(label: "pushes_total", factory: registry).reset()
        #expect(lines(registry, of: "pushes_total").contains("pushes_total 0"))
    }

    @Test("a floating-point counter keeps fractions, and ignores NaN and infinity")
    func floatingPointCounter() {
        let registry = registry("seconds_total", .counter)
        let counter = FloatingPointCounter(label: "seconds_total", factory: registry)
        for amount in [0.25, 0.5, .nan, .infinity, -1] { counter.increment(by: amount) }
        #expect(lines(registry, of: "seconds_total").last == "seconds_total 0.75")
    }

    @Test("a meter and a gauge report their last value; a meter can also be incremented and decremented")
    func gauges() {
        let registry = PrometheusRegistry()
        let meter = Meter(label: "connections", factory: registry)
        meter.set(8)
        meter.increment(by: 2.5)
        meter.decrement(by: 1.0)
        Gauge(label: "lag_seconds", factory: registry).record(3)
        Gauge(label: "lag_seconds", factory: registry).record(1.5)
        #expect(lines(registry, of: "connections").dropFirst() == ["# TYPE connections gauge", "connections 9.5"])
        #expect(lines(registry, of: "lag_seconds").last == "lag_seconds 1.5")
    }

    @Test("whole numbers have no fraction, and special values are spelled as in Prometheus")
    func numbers() {
        let registry = PrometheusRegistry()
        let meter = Meter(label: "value", factory: registry)
        let texts: [(value: Double, text: String)] = [
            (0, "0"), (-0.0, "0"), (12, "12"), (-3.25, "-3.25"), (123_456_789_012, "123456789012"), (1e21, "1e+21"),
            (Double.nan, "NaN"), (Double.infinity, "+Inf"), (-Double.infinity, "-Inf"),
        ]
        for (value, text) in texts {
            meter.set(value)
            #expect(lines(registry, of: "value").last == "value \(text)")
        }
    }

    // MARK: - Histograms

    @Test("each bucket counts values up to its bound, and the last one counts all")
    func histogram() {
        let registry = registry("tick_seconds", .histogram(bounds: [0.1, 1, 10]))
        let timer = Metrics.Timer(label: "tick_seconds", dimensions: [("service", "delivery")], factory: registry)
        // A value equal to a bound belongs to its bucket.
        for milliseconds in [50, 100, 500, 2000, 60_000] { timer.recordMilliseconds(milliseconds) }
        #expect(
            lines(registry, of: "tick_seconds") == [
                "# HELP tick_seconds About it.", "# TYPE tick_seconds histogram",
                #"tick_seconds_bucket{service="delivery",le="0.1"} 2"#,
                #"tick_seconds_bucket{service="delivery",le="1"} 3"#,
                #"tick_seconds_bucket{service="delivery",le="10"} 4"#,
                #"tick_seconds_bucket{service="delivery",le="+Inf"} 5"#,
                #"tick_seconds_sum{service="delivery"} 62.65"#,
                #"tick_seconds_count{service="delivery"} 5"#,
            ])
    }

    @Test("an aggregating recorder is a histogram, another one a gauge; a histogram ignores NaN")
    func recorder() {
        let registry = PrometheusRegistry()
        let recorder = Recorder(label: "batch", factory: registry)
        recorder.record(7)
        recorder.record(Double.nan)
        Recorder(label: "last", aggregate: false, factory: registry).record(7)
        #expect(lines(registry, of: "batch").suffix(2) == ["batch_sum 7", "batch_count 1"])
        #expect(lines(registry, of: "batch").contains(#"batch_bucket{le="10"} 1"#))
        #expect(lines(registry, of: "batch").contains(#"batch_bucket{le="1"} 0"#))
        #expect(lines(registry, of: "last").last == "last 7")
    }

    // MARK: - Words

    @Test("label values are escaped, even where a combining accent hides a character from Swift")
    func labelValues() {
        let registry = PrometheusRegistry()
        let value = "a\\b\"c\nd\"\u{0301}e\r\n하나"
        Counter(label: "odd_total", dimensions: [("value", value)], factory: registry).increment()
        let expected = "odd_total{value=\"a\\\\b\\\"c\\nd\\\"\u{0301}e\r\\n하나\"} 1"
        let text = registry.exposition()
        // By bytes: Swift considers texts equal that others do not.
        let isThere = text.utf8.split(separator: UInt8(ascii: "\n")).contains { $0.elementsEqual(expected.utf8) }
        #expect(isThere, "\(text)")
    }

    @Test("help is escaped, and invalid names are adapted")
    func names() {
        let registry = registry("one", .gauge, help: "First\nsecond \\ \"third\"")
        #expect(lines(registry, of: "one").first == #"# HELP one First\nsecond \\ "third""#)
        Counter(label: "http.requests-total", dimensions: [("le", "1"), ("9th.label", "x")], factory: registry)
            .increment()
        Meter(label: "5xx", factory: registry).set(1)
        Meter(label: "온도", factory: registry).set(2)
        #expect(lines(registry, of: "http_requests_total").last == #"http_requests_total{_9th_label="x",le_="1"} 1"#)
        #expect(lines(registry, of: "_5xx").last == "_5xx 1")
        #expect(lines(registry, of: "__").last == "__ 2")
    }

    @Test("families are sorted by name, series by labels, and families without a series still appear")
    func order() {
        let registry = PrometheusRegistry(
            ["b_total", "a_total", "c_total"].map { MetricFamily($0, .counter, help: "Help.") })
        for lane in ["2", "1"] {
            Counter(label: "b_total", dimensions: [("lane", lane)], factory: registry).increment()
        }
        let text = registry.exposition()
        #expect(
            text.hasPrefix(
                """
                # HELP a_total Help.
                # TYPE a_total counter
                # HELP b_total Help.
                # TYPE b_total counter
                b_total{lane="1"} 1
                b_total{lane="2"} 1
                # HELP c_total Help.
                # TYPE c_total counter

                """), "\(text)")
        #expect(text.hasSuffix("\nmetrics_refused_total 0\n"))
    }

    // MARK: - Limits

    @Test("series beyond the limit are counted and dropped; destroying one makes room")
    func limit() {
        let registry = PrometheusRegistry(maximumSeries: 3)
        let first = Counter(label: "lanes_total", dimensions: [("lane", "1")], factory: registry)
        for lane in 2...5 {
            Counter(label: "lanes_total", dimensions: [("lane", "\(lane)")], factory: registry).increment()
        }
        // Existing series keep counting.
        Counter(label: "lanes_total", dimensions: [("lane", "3")], factory: registry).increment()
        #expect(
            lines(registry, of: "lanes_total").dropFirst(2) == [
                #"lanes_total{lane="1"} 0"#, #"lanes_total{lane="2"} 1"#, #"lanes_total{lane="3"} 2"#,
            ])
        #expect(lines(registry, of: "metrics_refused_total").last == "metrics_refused_total 2")
        first.destroy()
        Counter(label: "lanes_total", dimensions: [("lane", "9")], factory: registry).increment()
        #expect(lines(registry, of: "lanes_total").contains(#"lanes_total{lane="9"} 1"#))
        #expect(!lines(registry, of: "lanes_total").contains(#"lanes_total{lane="1"} 0"#))
    }

    @Test("every kind of metric can be destroyed")
    func destroying() {
        let registry = PrometheusRegistry()
        Counter(label: "a", factory: registry).destroy()
        FloatingPointCounter(label: "b", factory: registry).destroy()
        Meter(label: "c", factory: registry).destroy()
        Recorder(label: "d", factory: registry).destroy()
        Metrics.Timer(label: "e", factory: registry).destroy()
        let samples = registry.exposition().split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(samples == ["metrics_refused_total 0"])
    }

    @Test("a name keeps its type: metrics of another type are refused")
    func otherType() {
        let registry = registry("tick_seconds", .histogram(bounds: [1]))
        Counter(label: "tick_seconds", factory: registry).increment()
        Meter(label: "tick_seconds", factory: registry).set(1)
        #expect(lines(registry, of: "tick_seconds").count == 2)
        #expect(lines(registry, of: "metrics_refused_total").last == "metrics_refused_total 2")
        Metrics.Timer(label: "tick_seconds", factory: registry).recordSeconds(1)
        #expect(lines(registry, of: "tick_seconds").last == "tick_seconds_count 1")
    }

    @Test("concurrent updates are not lost, and reads in between are consistent")
    func concurrency() async {
        let registry = registry("work_seconds", .histogram(bounds: [1]))
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<1000 {
                        Counter(label: "work_total", dimensions: [("part", "\(round % 10)")], factory: registry)
                            .increment()
                        Metrics.Timer(label: "work_seconds", factory: registry).recordSeconds(2)
                        Meter(label: "level", factory: registry).increment(by: task % 2 == 0 ? 1.0 : 2.0)
                    }
                }
            }
            group.addTask {
                for _ in 0..<200 {
                    let samples = lines(registry, of: "work_seconds").suffix(3).map { $0.split(separator: " ").last }
                    // Bucket, sum and count: each value is 2.
                    guard samples.count == 3, let count = samples[2].flatMap({ Int($0) }) else { continue }
                    #expect(samples[0] == samples[2])
                    #expect(samples[1] == "\(2 * count)")
                }
            }
        }
        let counted = lines(registry, of: "work_total").filter { !$0.hasPrefix("#") }
        let expected = (0..<10).map { "work_total{part=\"\($0)\"} 800" }
        #expect(counted == expected)
        #expect(lines(registry, of: "work_seconds").last == "work_seconds_count 8000")
        #expect(lines(registry, of: "level").last == "level 12000")
    }
}
