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

    @Test("a counter adds up, whoever made it, by labels in any order; what is not positive is left out")
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

    @Test("a counter of fractions keeps them, and takes no number that is none")
    func floatingPointCounter() {
        let registry = registry("seconds_total", .counter)
        let counter = FloatingPointCounter(label: "seconds_total", factory: registry)
        for amount in [0.25, 0.5, .nan, .infinity, -1] { counter.increment(by: amount) }
        #expect(lines(registry, of: "seconds_total").last == "seconds_total 0.75")
    }

    @Test("a meter and a gauge report their last value, a meter also goes up and down")
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

    @Test("whole numbers come without a fraction, and what is no number as Prometheus spells it")
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

    @Test("buckets hold all that is not above their bound, and the last one holds everything")
    func histogram() {
        let registry = registry("tick_seconds", .histogram(bounds: [0.1, 1, 10]))
        let timer = Metrics.Timer(label: "tick_seconds", dimensions: [("service", "delivery")], factory: registry)
        // Exactly a bound belongs to its bucket.
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

    @Test("a recorder is a histogram when it aggregates, else a gauge; a histogram takes no number that is none")
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

    @Test("what would end a label's value is escaped, also where a combining accent hides it from Swift")
    func labelValues() {
        let registry = PrometheusRegistry()
        let value = "a\\b\"c\nd\"\u{0301}e\r\n하나"
        Counter(label: "odd_total", dimensions: [("value", value)], factory: registry).increment()
        let expected = "odd_total{value=\"a\\\\b\\\"c\\nd\\\"\u{0301}e\r\\n하나\"} 1"
        let text = registry.exposition()
        // Byte by byte: to Swift, texts are equal that are not to others.
        let isThere = text.utf8.split(separator: UInt8(ascii: "\n")).contains { $0.elementsEqual(expected.utf8) }
        #expect(isThere, "\(text)")
    }

    @Test("help is escaped, and names that none may have are bent")
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

    @Test("families come by name, series by labels, and those without a series show that they exist")
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

    @Test("more series than allowed are counted and not kept; a destroyed one makes room")
    func limit() {
        let registry = PrometheusRegistry(maximumSeries: 3)
        let first = Counter(label: "lanes_total", dimensions: [("lane", "1")], factory: registry)
        for lane in 2...5 {
            Counter(label: "lanes_total", dimensions: [("lane", "\(lane)")], factory: registry).increment()
        }
        // Those that are there already go on counting.
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

    @Test("every sort of metric can be destroyed")
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

    @Test("a name keeps its type: what another type counts under it is refused")
    func otherType() {
        let registry = registry("tick_seconds", .histogram(bounds: [1]))
        Counter(label: "tick_seconds", factory: registry).increment()
        Meter(label: "tick_seconds", factory: registry).set(1)
        #expect(lines(registry, of: "tick_seconds").count == 2)
        #expect(lines(registry, of: "metrics_refused_total").last == "metrics_refused_total 2")
        Metrics.Timer(label: "tick_seconds", factory: registry).recordSeconds(1)
        #expect(lines(registry, of: "tick_seconds").last == "tick_seconds_count 1")
    }

    @Test("nothing is lost where many count at once, and what is read meanwhile is whole")
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
