import CherishTestSupport
import Postgres
import Synchronization
import Testing

/// Records what it sees; rewrites and fails statements on request.
private final class Meddler: StatementInterceptor {
    struct Death: Error {}

    private let seen = Mutex<(before: [String], after: [String])>(([], []))
    private let rewrite: @Sendable (String) -> String
    private let diesBefore: String?
    private let diesAfter: String?

    init(
        diesBefore: String? = nil, diesAfter: String? = nil,
        rewrite: @escaping @Sendable (String) -> String = { $0 }
    ) {
        self.diesBefore = diesBefore
        self.diesAfter = diesAfter
        self.rewrite = rewrite
    }

    var before: [String] { seen.withLock { $0.before } }
    var after: [String] { seen.withLock { $0.after } }

    func beforeSending(_ sql: String) throws -> String {
        seen.withLock { $0.before.append(sql) }
        if sql == diesBefore { throw Death() }
        return rewrite(sql)
    }

    func afterAnswer(to sql: String) throws {
        seen.withLock { $0.after.append(sql) }
        if sql == diesAfter { throw Death() }
    }
}

@Suite("A statement interceptor", .emptyDatabase)
struct StatementInterceptorTests {
    private func connection(_ interceptor: Meddler) async throws -> Connection {
        var configuration = databaseConfiguration()
        configuration.interceptor = interceptor
        return try await Connection.connect(configuration)
    }

    private func count(_ table: String) async throws -> Int {
        try await single(try await openConnection(), "SELECT count(*) FROM \(table)")
    }

    @Test("sees every kind of statement before it is sent and after its answer, in order")
    func sees() async throws {
        let meddler = Meddler()
        let connection = try await connection(meddler)
        try await connection.script("CREATE TABLE item (id bigint)")
        try await connection.execute("INSERT INTO item VALUES ($1)", [1])
        _ = try await connection.query("SELECT id FROM item")
        _ = try await connection.pipeline([Statement("SELECT 1"), Statement("SELECT 2")])
        _ = try await connection.copyIn("COPY item FROM STDIN (FORMAT binary)") { try $0.append(Int64(2)) }
        let all = [
            "CREATE TABLE item (id bigint)", "INSERT INTO item VALUES ($1)", "SELECT id FROM item", "SELECT 1",
            "SELECT 2", "COPY item FROM STDIN (FORMAT binary)",
        ]
        #expect(meddler.before == all)
        #expect(meddler.after == all)
        await #expect(throws: PostgresError.self) { try await connection.execute("SELECT 1 / 0") }
        #expect(meddler.before.last == "SELECT 1 / 0")
        #expect(meddler.after == all)
    }

    @Test("may replace a statement without the caller noticing")
    func rewrites() async throws {
        let meddler = Meddler(rewrite: { $0.replacing("+ 1", with: "+ 2") })
        let connection = try await connection(meddler)
        #expect(try await single(connection, "SELECT $1 + 1", [1]) == 3)
        let rows = try await connection.pipeline([Statement("SELECT 1 + 1"), Statement("SELECT 5")])
        #expect(try rows.map { try $0.first?.decode(0, as: Int.self) } == [3, 5])
        #expect(meddler.after.first == "SELECT $1 + 1")
    }

    @Test("dies before a statement: it did not run, and the connection and its transaction are gone")
    func diesBefore() async throws {
        try await openConnection().script("CREATE TABLE item (id bigint)")
        let connection = try await connection(Meddler(diesBefore: "COMMIT"))
        await #expect(throws: Meddler.Death.self) {
            try await connection.script("BEGIN")
            try await connection.execute("INSERT INTO item VALUES (1)")
            try await connection.script("COMMIT")
        }
        #expect(connection.isUsable == false)
        await connection.close()
        #expect(try await eventually { try await count("item") == 0 })
        await #expect(throws: PostgresError.self) { try await connection.execute("SELECT 1") }
    }

    @Test("dies after an answer: the statement ran, but the caller does not know")
    func diesAfter() async throws {
        try await openConnection().script("CREATE TABLE item (id bigint)")
        let connection = try await connection(Meddler(diesAfter: "INSERT INTO item VALUES (1)"))
        await #expect(throws: Meddler.Death.self) { try await connection.execute("INSERT INTO item VALUES (1)") }
        #expect(connection.isUsable == false)
        #expect(try await count("item") == 1)
    }

    @Test("dies within a pipeline: all of its statements ran, or none")
    func pipelines() async throws {
        try await openConnection().script("CREATE TABLE item (id bigint)")
        let (first, second) = ("INSERT INTO item VALUES (1)", "INSERT INTO item VALUES (2)")
        for (meddler, expected) in [(Meddler(diesBefore: second), 0), (Meddler(diesAfter: first), 2)] {
            let connection = try await connection(meddler)
            await #expect(throws: Meddler.Death.self) {
                _ = try await connection.pipeline([Statement("\(first)"), Statement("\(second)")])
            }
            #expect(connection.isUsable == false)
            #expect(try await count("item") == expected)
        }
    }

    @Test("costs a pool only the connection on which it died")
    func pools() async throws {
        var configuration = databaseConfiguration()
        configuration.interceptor = Meddler(diesBefore: "SELECT 2")
        let pool = ConnectionPool(configuration: configuration, maximumConnections: 1)
        await #expect(throws: Meddler.Death.self) {
            _ = try await pool.withTransaction { try await $0.query("SELECT 2") }
        }
        let one = try await pool.withConnection { try await single($0, "SELECT 1", as: Int.self) }
        #expect(one == 1)
        await pool.close()
    }
}
