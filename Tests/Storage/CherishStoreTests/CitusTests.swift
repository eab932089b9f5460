import CherishCore
import CherishTestSupport
import Foundation
import Postgres
import Testing

@testable import CherishStore

/// Where Citus places the rows of each table, according to `sql/citus`.
struct CitusPlacement {
    /// By lane, in the order of distribution.
    let distributed: [String]
    /// Replicated to every node.
    let copied: [String]
    /// Only on the coordinator.
    let local: [String]

    var all: [String] { distributed + copied + local }

    /// The folder of the package.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    init() throws {
        let distribution = try Self.statements(of: "01_distribute.sql")
        let check = try Self.statements(of: "02_check.sql")
        distributed = distribution.matches(of: #/create_distributed_table\('([a-z_]+)', 'lane'/#).map { String($0.1) }
        copied = distribution.matches(of: #/create_reference_table\('([a-z_]+)'\)/#).map { String($0.1) }
        let kept = check.firstMatch(of: #/kept_local \(name\) AS \(VALUES ([^\n]+)\)\n/#)?.1 ?? ""
        local = kept.matches(of: #/\('([a-z_]+)'\)/#).map { String($0.1) }
    }

    /// A file without its comments.
    static func statements(of file: String) throws -> String {
        let text = try String(contentsOf: root.appendingPathComponent("sql/citus/\(file)"), encoding: .utf8)
        return text.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: "\n") + "\n"
    }
}

/// Compares `sql/citus` with the catalogue. `SchemaTests` checks that keys begin with the lane.
@Suite("Moving to Citus", .migratedDatabase, .serialized)
struct CitusTests {
    @Test("every table of the schema is listed once")
    func everyTable() async throws {
        let service = ServiceUnderTest()
        let placement = try CitusPlacement()
        let tables = try await service.texts(
            """
            SELECT relname::text FROM pg_class
            WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
            """)
        #expect(placement.all.sorted() == tables.sorted())
    }

    @Test("the distributed tables are those whose primary key begins with the lane")
    func distributed() async throws {
        let service = ServiceUnderTest()
        let placement = try CitusPlacement()
        let tables = try await service.texts(
            """
            SELECT class.relname::text FROM pg_class AS class
            JOIN pg_index AS key ON key.indrelid = class.oid AND key.indisprimary
            JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid AND attribute.attnum = key.indkey[0]
            WHERE class.relnamespace = 'public'::regnamespace AND NOT class.relispartition
                AND attribute.attname = 'lane' AND attribute.atttypid = 'smallint'::regtype
            """)
        #expect(placement.distributed.sorted() == tables.sorted())
    }

    @Test("every foreign key stays within a lane")
    func foreignKeys() async throws {
        let service = ServiceUnderTest()
        let astray = try await service.texts(
            """
            SELECT conname::text FROM pg_constraint
            WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND NOT EXISTS (
                SELECT FROM unnest(conkey, confkey) AS pair (own, other)
                JOIN pg_attribute AS own ON own.attrelid = conrelid AND own.attnum = pair.own
                JOIN pg_attribute AS other ON other.attrelid = confrelid AND other.attnum = pair.other
                WHERE own.attname = 'lane' AND other.attname = 'lane')
            """)
        #expect(astray.isEmpty)
    }

    @Test("a referenced table is distributed before the tables that refer to it")
    func order() async throws {
        let service = ServiceUnderTest()
        let distributed = try CitusPlacement().distributed
        let keys = try await service.texts(
            """
            SELECT conrelid::regclass || ' ' || confrelid::regclass FROM pg_constraint
            WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND conrelid <> confrelid
            """)
        #expect(keys.count > 8)
        for key in keys {
            let tables = key.split(separator: " ").map { distributed.firstIndex(of: String($0)) }
            let (referring, referred) = (try #require(tables[0], "\(key)"), try #require(tables[1], "\(key)"))
            #expect(referred < referring, "\(key)")
        }
    }

    @Test("the way back makes the schema garden what the migrations made of it")
    func leaving() async throws {
        let service = ServiceUnderTest()
        let definition: SQL = "SELECT pg_get_functiondef('garden.account_id()'::regprocedure)"
        let before = try await service.texts(definition)
        try await service.pool.withConnection { connection in
            try await connection.script(
                """
                CREATE OR REPLACE FUNCTION garden.account_id() RETURNS uuid LANGUAGE plpgsql STABLE AS
                'BEGIN RAISE EXCEPTION ''not here''; END'
                """)
            try await connection.script(SQL(trusting: try CitusPlacement.statements(of: "04_leave.sql")))
        }
        #expect(try await service.texts(definition) == before)
    }

    @Test("on plain PostgreSQL, a look at all lanes that fails is not repeated for some of them")
    func looks() async throws {
        let service = ServiceUnderTest()
        let looks = Counter()
        await #expect(throws: PostgresError.self) {
            try await service.pool.askAboutLanes { _, lanes -> [Lane] in
                #expect(lanes == nil)
                await looks.increment()
                throw PostgresError(code: .connection)
            }
        }
        #expect(await looks.value == 1)
    }
}

private actor Counter {
    private(set) var value = 0

    func increment() {
        value += 1
    }
}
