import Foundation
import PrometheusMetrics
import Testing

@testable import WorkerRuntime

/// The catalogue, the code, the documentation, the dashboard and the alarms agree on the metrics.
@Suite("The catalogue of metrics")
struct MetricCatalogueTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let known = Set((MetricCatalogue.families + [PrometheusRegistry.refusals]).map(\.name))

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The names of metrics in a Prometheus expression or file, without the suffixes of histograms.
    private func metrics(in text: String) -> Set<String> {
        let names = text.matches(of: #/\b(?:cherish|process|metrics)_[a-z_]+/#).map { String($0.0) }
        return Set(
            names.map { name in
                let family = name.replacing(#/_(bucket|sum|count)$/#, with: "")
                return Self.known.contains(name) ? name : family
            })
    }

    @Test("every metric counted is described, and vice versa")
    func sources() throws {
        let folder = Self.root.appendingPathComponent("Sources")
        let found = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var counted: Set<String> = [PrometheusRegistry.refusals.name]
        for case let file as URL in found where file.pathExtension == "swift" {
            let source = try String(contentsOf: file, encoding: .utf8)
            let names = source.matches(of: #/(?:label: |gauge\()"((?:cherish|process)_[a-z_]+)"/#)
            counted.formUnion(names.map { String($0.1) })
        }
        #expect(counted == Self.known)
    }

    @Test("docs/metrics.md has a row for each, with its type")
    func documentation() throws {
        let rows = try text("docs/metrics.md").split(separator: "\n")
            .compactMap { $0.prefixMatch(of: #/\| `([a-z_]+)` \| (\w+) \|/#) }
        let documented = Dictionary(rows.map { (String($0.1), String($0.2)) }, uniquingKeysWith: { first, _ in first })
        #expect(rows.count == documented.count)
        #expect(Set(documented.keys) == Self.known)
        for family in MetricCatalogue.families {
            let type =
                switch family.kind {
                case .counter: "counter"
                case .gauge: "gauge"
                case .histogram: "histogram"
                }
            #expect(documented[family.name] == type, "\(family.name)")
        }
    }

    @Test("alarms and scrapes use only existing metrics")
    func alarms() throws {
        let named = metrics(in: try text("dashboards/prometheus/alerts.yml"))
        #expect(named.count > 8)
        #expect(named.subtracting(Self.known).isEmpty, "\(named.subtracting(Self.known))")
    }

    // MARK: - The dashboard

    private func panels() throws -> [[String: Any]] {
        let data = Data(try text("dashboards/grafana/cherish.json").utf8)
        let document = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return try #require(document?["panels"] as? [[String: Any]])
    }

    @Test("the dashboard uses only existing metrics, and shows all of ours")
    func dashboard() throws {
        let expressions = try panels().flatMap { $0["targets"] as? [[String: Any]] ?? [] }
            .compactMap { $0["expr"] as? String }
        let named = metrics(in: expressions.joined(separator: "\n"))
        #expect(named.subtracting(Self.known).isEmpty, "\(named.subtracting(Self.known))")
        let unseen = Self.known.subtracting(named).subtracting([PrometheusRegistry.refusals.name])
        #expect(unseen.isEmpty, "\(unseen)")
    }

    @Test("each panel has a description, a unit, and a data source chosen by the reader")
    func panelsAreWhole() throws {
        for panel in try panels() where panel["type"] as? String != "row" {
            let title = try #require(panel["title"] as? String)
            #expect((panel["description"] as? String ?? "").hasSuffix("."), "\(title)")
            let field = (panel["fieldConfig"] as? [String: Any])?["defaults"] as? [String: Any]
            #expect(field?["unit"] is String, "\(title)")
            let targets = try #require(panel["targets"] as? [[String: Any]])
            for holder in [panel] + targets {
                let source = (holder["datasource"] as? [String: Any])?["uid"] as? String
                #expect(["${prometheus}", "${postgres}"].contains(source), "\(title)")
            }
        }
    }

    @Test("panels do not overlap, and their ids are unique")
    func layout() throws {
        var taken: Set<[Int]> = []
        var numbers: Set<Int> = []
        for panel in try panels() {
            let title = panel["title"] as? String ?? ""
            let place = try #require(panel["gridPos"] as? [String: Any])
            let x = try #require(place["x"] as? Int)
            let y = try #require(place["y"] as? Int)
            let width = try #require(place["w"] as? Int)
            let height = try #require(place["h"] as? Int)
            #expect(x >= 0 && y >= 0 && width > 0 && height > 0 && x + width <= 24, "\(title)")
            for column in x..<(x + width) {
                for line in y..<(y + height) {
                    let isFree = taken.insert([column, line]).inserted
                    #expect(isFree, "\(title)")
                }
            }
            let number = try #require(panel["id"] as? Int)
            let isNew = numbers.insert(number).inserted
            #expect(isNew, "\(title)")
        }
    }
}
