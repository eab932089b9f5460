import CherishTestSupport
import Foundation
import Postgres
import Testing

/// Its SQL queries; `MetricCatalogueTests` checks the rest.
@Suite("The Grafana dashboard's queries", .migratedDatabase)
struct DashboardTests {
    private struct Query {
        let panel: String
        let format: String
        let sql: String
    }

    private func queries() throws -> [Query] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
                "dashboards/grafana/cherish.json")
        let document = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        let panels = try #require(document?["panels"] as? [[String: Any]])
        return panels.flatMap { panel in
            (panel["targets"] as? [[String: Any]] ?? []).compactMap { target -> Query? in
                guard let sql = target["rawSql"] as? String else { return nil }
                return Query(
                    panel: panel["title"] as? String ?? "", format: target["format"] as? String ?? "", sql: sql)
            }
        }
    }

    @Test("all of them run, read only reports, and give time series a time")
    func run() async throws {
        let pool = TestDatabase.current.pool(maximumConnections: 1)
        let all = try queries()
        #expect(all.count >= 8)
        for query in all {
            // As Grafana expands its macros.
            let sql = query.sql.replacing("$__timeFrom()", with: "'2027-02-01T00:00:00Z'")
                .replacing("$__timeTo()", with: "'2027-03-02T00:00:00.5Z'")
            #expect(!sql.contains("$"), "\(query.panel) has a macro unknown to this test")
            for relation in sql.matches(of: #/(?:FROM|JOIN)\s+([a-z_.]+)/#) {
                #expect(relation.1.hasPrefix("report."), "\(query.panel) reads \(relation.1)")
            }
            do {
                let columns = try await pool.withConnection { try await $0.query("\(sql)").columns }
                if query.format == "time_series" { #expect(columns.first == "time", "\(query.panel)") }
            } catch {
                Issue.record("\(query.panel): \(error)")
            }
        }
        await pool.close()
    }
}
