import CherishTestSupport
import Foundation
import Postgres
import Testing

@testable import CherishSchema
@testable import CherishStore

@Suite("The schema of the reports", .emptyDatabase, .serialized)
struct ReportSchemaTests {
    /// A migrator whose reports have one view of this name.
    private func migrator(
        _ service: ServiceUnderTest, view: String, more: String = "", roles: Roles? = nil
    ) -> Migrator {
        Migrator(
            pool: service.pool, migrations: Schema.migrations,
            reports: """
                DROP SCHEMA IF EXISTS report CASCADE;
                CREATE SCHEMA report;
                COMMENT ON SCHEMA report IS 'Views for reporting.';
                CREATE VIEW report.\(view) AS SELECT count(*) AS plants FROM plant;
                \(more)
                """, roles: roles)
    }

    private func views(_ service: ServiceUnderTest) async throws -> [String] {
        try await service.texts(
            "SELECT relname::text FROM pg_class WHERE relnamespace = to_regnamespace('report') ORDER BY 1")
    }

    /// Differs each time the schema is created.
    private func identity(_ service: ServiceUnderTest) async throws -> String {
        try await service.single("SELECT to_regnamespace('report')::oid::text")
    }

    private func state(_ migrator: Migrator) async throws -> Migrator.ReportState {
        try await migrator.status().reports
    }

    @Test("is created with the migrations, and not again while nothing changed")
    func unchanged() async throws {
        let service = ServiceUnderTest()
        let migrator = Migrator(pool: service.pool)
        #expect(try await state(migrator) == .missing)
        try await migrator.migrate()
        #expect(try await state(migrator) == .current)
        let made = try await identity(service)
        try await migrator.migrate()
        #expect(try await identity(service) == made)
        #expect(try await service.count("SELECT count(*) FROM report.dday") == 0)
        let comment: String = try await service.single(
            "SELECT obj_description(to_regnamespace('report')::oid, 'pg_namespace')")
        #expect(comment.hasPrefix("Views for reporting"))
    }

    @Test("is created once by four concurrent programs")
    func atOnce() async throws {
        let service = ServiceUnderTest(maximumConnections: 8)
        let results = await concurrently(4) { _ in try await Migrator(pool: service.pool).migrate() }
        for result in results { try result.get() }
        #expect(try await state(Migrator(pool: service.pool)) == .current)
    }

    @Test("is replaced as a whole by a program with other reports, which works until then")
    func changed() async throws {
        let service = ServiceUnderTest()
        let earlier = migrator(service, view: "earlier")
        let later = migrator(service, view: "later")
        try await earlier.migrate()
        #expect(try await state(earlier) == .current)
        #expect(try await state(later) == .outdated)
        try await later.requireCurrent()
        try await later.migrate()
        #expect(try await views(service) == ["later"])
        #expect(try await state(later) == .current)
        #expect(try await state(earlier) == .outdated)
    }

    @Test("gets back a dropped view, and loses an added one")
    func repaired() async throws {
        let service = ServiceUnderTest()
        let migrator = migrator(service, view: "plants")
        try await migrator.migrate()
        try await service.execute("DROP VIEW report.plants")
        #expect(try await state(migrator) == .outdated)
        try await migrator.migrate()
        #expect(try await views(service) == ["plants"])
        try await service.execute("CREATE VIEW report.mine AS SELECT 1 AS one")
        #expect(try await state(migrator) == .outdated)
        try await migrator.migrate()
        #expect(try await views(service) == ["plants"])
        try await service.execute("DROP SCHEMA report CASCADE")
        #expect(try await state(migrator) == .missing)
        try await migrator.migrate()
        #expect(try await views(service) == ["plants"])
    }

    @Test("keeps the roles' grants when it is replaced")
    func grants() async throws {
        let service = ServiceUnderTest()
        let roles = Roles(
            pool: service.pool, application: "app_\(TestDatabase.current.name)",
            reporting: "reader_\(TestDatabase.current.name)", account: "account_\(TestDatabase.current.name)")
        try await migrator(service, view: "earlier", roles: roles).migrate()
        _ = try await roles.establish()
        try await migrator(service, view: "later", roles: roles).migrate()
        for role in ["app", "reader"] {
            let user = ServiceUnderTest(role: "\(role)_\(TestDatabase.current.name)")
            #expect(try await user.count("SELECT plants FROM report.later") == 0)
        }
    }

    @Test("leaves the roles their rights to new tables even if it cannot be replaced")
    func grantsWithoutReports() async throws {
        let service = ServiceUnderTest()
        let name = TestDatabase.current.name
        let roles = Roles(
            pool: service.pool, application: "app_\(name)", reporting: "reader_\(name)", account: "account_\(name)")
        try await migrator(service, view: "earlier", roles: roles).migrate()
        _ = try await roles.establish()
        try await service.execute("CREATE SCHEMA analytics")
        try await service.execute("CREATE VIEW analytics.weekly AS SELECT plants FROM report.earlier")
        // As after a migration that recreates tables.
        try await service.execute("REVOKE ALL ON account FROM app_\(name)")
        try await service.execute("DELETE FROM schema_migration WHERE version = \(Schema.migrations.count)")
        let last = try #require(Schema.migrations.last)
        let again = Schema.Migration(last.version, last.name, Array("SELECT 1;".utf8))
        let later = Migrator(
            pool: service.pool, migrations: Schema.migrations.dropLast() + [again],
            reports: "CREATE SCHEMA report; COMMENT ON SCHEMA report IS '';", roles: roles)
        await #expect(throws: SchemaError.reportsInUse(by: ["analytics.weekly"])) { try await later.migrate() }
        #expect(try await ServiceUnderTest(role: "app_\(name)").rows(of: "account") == 0)
    }

    @Test("is not replaced while other views depend on it: they would be dropped")
    func others() async throws {
        let service = ServiceUnderTest()
        try await migrator(service, view: "earlier").migrate()
        try await service.execute("CREATE SCHEMA analytics")
        try await service.execute("CREATE VIEW analytics.weekly AS SELECT plants FROM report.earlier")
        let later = migrator(service, view: "later")
        let error = SchemaError.reportsInUse(by: ["analytics.weekly"])
        await #expect(throws: error) { try await later.migrate() }
        #expect(error.code == "reports_in_use")
        #expect(error.description.contains("analytics.weekly"))
        #expect(try await views(service) == ["earlier"])
        #expect(try await service.count("SELECT plants FROM analytics.weekly") == 0)
        try await service.execute("DROP VIEW analytics.weekly")
        try await later.migrate()
        #expect(try await views(service) == ["later"])
    }

    @Test("stays unchanged if its successor cannot be created")
    func failing() async throws {
        let service = ServiceUnderTest()
        let earlier = migrator(service, view: "earlier")
        try await earlier.migrate()
        let broken = migrator(service, view: "later", more: "SELECT 1 / 0;")
        let error = try await #require(throws: PostgresError.self) { try await broken.migrate() }
        #expect(error.sqlState == "22012")
        #expect(try await views(service) == ["earlier"])
        #expect(try await state(earlier) == .current)
    }

    @Test("consists of all files in sql/reports, in the order of their names")
    func files() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("sql/reports")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".sql") }.sorted()
        #expect(Schema.reports.map { $0.name + ".sql" } == names)
        for file in Schema.reports {
            let text = try String(contentsOf: folder.appendingPathComponent(file.name + ".sql"), encoding: .utf8)
            let isSame = text == file.sql
            #expect(isSame, "\(file.name) differs from the file in Schema.swift")
        }
    }
}
