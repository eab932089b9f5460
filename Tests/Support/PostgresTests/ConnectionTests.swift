import CherishTestSupport
import Foundation
import Postgres
import Testing

@Suite("A connection", .emptyDatabase)
struct ConnectionTests {
    @Test func answersAndCounts() async throws {
        let connection = try await openConnection()
        #expect(connection.isUsable)
        #expect(await connection.serverVersion >= 130_000)
        try await connection.script("CREATE TABLE item (id bigint PRIMARY KEY, name text); SELECT 1")
        let inserted = try await connection.execute(
            "INSERT INTO item SELECT n, 'name ' || n FROM generate_series(1, $1) AS n", [Int32(5)])
        #expect(inserted == 5)
        let rows = try await connection.query("SELECT id, name FROM item WHERE id > $1 ORDER BY id", [2])
        #expect(rows.columns == ["id", "name"])
        #expect(try rows.map { try $0.decode("id", as: Int.self) } == [3, 4, 5])
        #expect(try rows.last?.decode(1, as: String.self) == "name 5")
        #expect(try await connection.execute("DELETE FROM item") == 5)
        #expect(try await connection.query("").isEmpty)
        await connection.close()
        #expect(connection.isUsable == false)
        #expect(connection.transactionStatus == .unknown)
        let error = try await #require(throws: PostgresError.self) { try await connection.execute("SELECT 1") }
        #expect(error.code == .connection)
    }

    @Test func followsTransactions() async throws {
        let connection = try await openConnection()
        #expect(connection.transactionStatus == .idle)
        try await connection.script("BEGIN")
        #expect(connection.transactionStatus == .inTransaction)
        await #expect(throws: PostgresError.self) { try await connection.execute("SELECT 1/0") }
        #expect(connection.transactionStatus == .inFailedTransaction)
        try await connection.script("ROLLBACK")
        #expect(connection.transactionStatus == .idle)
    }

    @Test("goes on when the server cannot reach another server, and ends when it is ended itself")
    func lossesOfOthers() async throws {
        let connection = try await openConnection()
        let other = try await #require(throws: PostgresError.self) {
            try await connection.script("DO 'BEGIN RAISE EXCEPTION ''no node'' USING ERRCODE = ''08006''; END'")
        }
        #expect(other.isConnectionFailure)
        #expect(connection.isUsable)
        #expect(try await connection.execute("SELECT 1") == 1)
        let own = try await #require(throws: PostgresError.self) {
            try await connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        }
        #expect(own.isConnectionFailure)
        #expect(connection.isUsable == false)
    }

    @Test func errorsGiveTheirStateAndKeepValuesToThemselves() async throws {
        let connection = try await openConnection()
        try await connection.script("CREATE TABLE person (email text CONSTRAINT person_email_key UNIQUE)")
        let marker = "marker-value@example.org"
        try await connection.execute("INSERT INTO person VALUES ($1)", [marker])
        let error = try await #require(throws: PostgresError.self) {
            try await connection.execute("INSERT INTO person VALUES ($1) -- statement-marker", [marker])
        }
        #expect(error.code == .server)
        #expect(error.sqlState == "23505")
        #expect(error.constraint == "person_email_key")
        #expect(error.table == "person")
        #expect(error.isRetryable == false)
        #expect(error.isConnectionFailure == false)
        #expect("\(error)".contains("person_email_key"))
        #expect("\(error)".contains(marker) == false)
        #expect("\(error)".contains("statement-marker") == false)
        #expect(error.debugDescription.contains(marker))
        #expect(error.debugDescription.contains("statement-marker"))
        #expect(try await connection.execute("SELECT 1") == 1)
    }

    @Test(
        "a name chosen by the server cannot inject lines into a log",
        arguments: ["E'a\\nerror: all is lost'", "repeat('a', 64)"])
    func hostileName(name: String) async throws {
        let connection = try await openConnection()
        let error = try await #require(throws: PostgresError.self) {
            try await connection.execute(
                "DO $$ BEGIN RAISE EXCEPTION USING MESSAGE = 'm', ERRCODE = '23505', CONSTRAINT = \(name); END $$")
        }
        #expect("\(error)" == "server 23505")
    }

    @Test func preparedStatementsAreBounded() async throws {
        let connection = try await openConnection()
        for number in 0..<300 {
            #expect(try await single(connection, "SELECT \(number)", as: Int.self) == number)
        }
        let prepared: Int = try await single(connection, "SELECT count(*) FROM pg_prepared_statements")
        #expect((200...256).contains(prepared))
        #expect(try await single(connection, "SELECT 0", as: Int.self) == 0)
        // The same text with other types is another statement.
        #expect(try await single(connection, "SELECT pg_typeof($1)::text", [1], as: String.self) == "bigint")
        #expect(try await single(connection, "SELECT pg_typeof($1)::text", [Int16(1)], as: String.self) == "smallint")
    }

    @Test func preparedStatementsSurviveChangesOfTables() async throws {
        let connection = try await openConnection()
        try await connection.script("CREATE TABLE changing (a int)")
        _ = try await connection.query("SELECT * FROM changing")
        try await connection.script("ALTER TABLE changing ADD COLUMN b int")
        await #expect(throws: PostgresError.self) { _ = try await connection.query("SELECT * FROM changing") }
        #expect(try await connection.query("SELECT * FROM changing").columns == ["a", "b"])
        try await connection.script("DEALLOCATE ALL")
        await #expect(throws: PostgresError.self) { _ = try await connection.query("SELECT * FROM changing") }
        #expect(try await connection.query("SELECT * FROM changing").columns == ["a", "b"])
    }

    @Test func nulBytesAreRefused() async throws {
        let connection = try await openConnection()
        for parameter in ["a\0b", ["fine", "a\0b"], JSONB("\0")] as [any PostgresEncodable] {
            let error = try await #require(throws: PostgresError.self) {
                try await connection.execute("SELECT $1", [parameter])
            }
            #expect(error.code == .usage)
        }
        let error = try await #require(throws: PostgresError.self) { try await connection.execute("SELECT 1\0") }
        #expect(error.code == .usage)
        #expect(try await connection.execute("SELECT $1", [Bytea([0])]) == 1)
    }

    @Test func tooManyParametersAreRefused() async throws {
        let connection = try await openConnection()
        let error = try await #require(throws: PostgresError.self) {
            try await connection.execute("SELECT 1", [any PostgresEncodable](repeating: 1, count: 65_536))
        }
        #expect(error.code == .usage)
    }

    @Test func copyOutsideOfCopyInIsRefused() async throws {
        let connection = try await openConnection()
        let error = try await #require(throws: PostgresError.self) {
            try await connection.script("COPY (SELECT 1) TO STDOUT")
        }
        #expect(error.code == .usage)
        #expect(connection.isUsable == false)
    }
}

@Suite("Connecting", .emptyDatabase)
struct ConnectingTests {
    private func failure(_ connectionString: String) async throws -> PostgresError {
        try await #require(throws: PostgresError.self) {
            _ = try await Connection.connect(PostgresConfiguration(connectionString: connectionString))
        }
    }

    @Test(arguments: [
        "postgresql://user:secret@localhost:port/database", "postgresql://user:sec/ret@localhost/database",
        "host=localhost password=secret port", "nonsense=secret",
    ])
    func settingsThatCannotBeUnderstood(_ connectionString: String) async throws {
        let error = try await failure(connectionString)
        #expect(error.code == .connection)
        #expect(error.isConnectionFailure)
        #expect(error.description.contains("connection settings"))
        #expect(error.debugDescription.contains("sec") == false)
    }

    @Test func nobodyThere() async throws {
        let error = try await failure("host=/nonexistent dbname=postgres password=secret")
        #expect(error.code == .connection)
        #expect(error.description.contains("no server answers"))
        #expect(error.debugDescription.contains("secret") == false)
    }

    @Test func noSuchDatabase() async throws {
        let connectionString = TestDatabase.current.connectionString.replacingOccurrences(
            of: TestDatabase.current.name, with: "no_such_database")
        let error = try await failure(connectionString)
        #expect(error.code == .connection)
        #expect(error.sqlState == "3D000")
        #expect(error.description.contains("no such database"))
        #expect(error.debugDescription.contains("no_such_database"))
    }

    @Test func configurationsDoNotPrintTheirSecrets() {
        let configuration = PostgresConfiguration(connectionString: "password=secret")
        #expect("\(configuration)".contains("secret") == false)
        #expect(String(reflecting: configuration).contains("secret") == false)
    }
}
