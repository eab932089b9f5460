import CherishTestSupport
import Postgres
import Testing

@Suite("A pipeline", .emptyDatabase)
struct PipelineTests {
    private func preparedConnection() async throws -> Connection {
        let connection = try await openConnection()
        try await connection.script("CREATE TABLE item (id bigint CONSTRAINT item_key PRIMARY KEY)")
        return connection
    }

    @Test func answersEachStatement() async throws {
        let connection = try await preparedConnection()
        let insert = "INSERT INTO item VALUES ($1)"
        let answers = try await connection.pipeline([
            Statement(insert, [1]), Statement(insert, [2]), Statement("SELECT id FROM item ORDER BY id"),
            Statement("DELETE FROM item"),
        ])
        #expect(answers.map(\.affectedRows) == [1, 1, 2, 2])
        #expect(try answers[2].map { try $0.decode(0, as: Int.self) } == [1, 2])
        #expect(try await connection.pipeline([]).isEmpty)
        #expect(try await connection.execute(insert, [1]) == 1)
    }

    @Test func failsWithTheFirstErrorAndUndoesAll() async throws {
        let connection = try await preparedConnection()
        let insert = "INSERT INTO item VALUES ($1)"
        let error = try await #require(throws: PostgresError.self) {
            _ = try await connection.pipeline([
                Statement(insert, [1]), Statement(insert, [1]), Statement("SELECT 'never prepared'"),
                Statement(insert, [3]),
            ])
        }
        #expect(error.sqlState == "23505")
        #expect(error.constraint == "item_key")
        #expect(await connection.isUsable)
        #expect(await connection.transactionStatus == .idle)
        #expect(try await single(connection, "SELECT count(*) FROM item", as: Int.self) == 0)
        #expect(try await single(connection, "SELECT 'never prepared'", as: String.self) == "never prepared")
        #expect(try await connection.pipeline([Statement(insert, [1])]).count == 1)
    }

    @Test func tellsOfConstraintsCheckedAtTheEnd() async throws {
        let connection = try await openConnection()
        try await connection.script("CREATE TABLE item (id bigint UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        let insert = "INSERT INTO item VALUES (1)"
        let error = try await #require(throws: PostgresError.self) {
            _ = try await connection.pipeline([Statement(insert), Statement(insert)])
        }
        #expect(error.sqlState == "23505")
        #expect(try await single(connection, "SELECT count(*) FROM item", as: Int.self) == 0)
    }

    @Test func sendsNothingIfAParameterIsRefused() async throws {
        let connection = try await preparedConnection()
        let error = try await #require(throws: PostgresError.self) {
            _ = try await connection.pipeline([Statement("SELECT 1"), Statement("SELECT $1", ["\0"])])
        }
        #expect(error.code == .usage)
        #expect(try await connection.execute("SELECT 1") == 1)
    }

    @Test func carriesMoreThanBuffersHold() async throws {
        let connection = try await openConnection()
        let text = String(repeating: "x", count: 10_000)
        let answers = try await connection.pipeline(
            (0..<2_000).map { number in Statement("SELECT $1 || $2::text", [text, number]) })
        #expect(answers.count == 2_000)
        let last = try #require(answers.last?.first)
        #expect(try last.decode(0, as: String.self) == text + "1999")
    }

    @Test func holdsMoreStatementsThanTheCache() async throws {
        let connection = try await openConnection()
        let answers = try await connection.pipeline((0..<600).map { Statement("SELECT \($0)") })
        #expect(try answers.map { try $0[0].decode(0, as: Int.self) } == Array(0..<600))
        #expect(try await single(connection, "SELECT count(*) FROM pg_prepared_statements", as: Int.self) <= 256)
    }
}

@Suite("COPY", .emptyDatabase)
struct CopyTests {
    private struct GivenUp: Error {}
    private static let copy = "COPY item (id, name, day) FROM STDIN (FORMAT binary)"

    private func preparedConnection() async throws -> Connection {
        let connection = try await openConnection()
        try await connection.script(
            "CREATE TABLE item (id bigint CONSTRAINT item_key PRIMARY KEY, name text, day date)")
        return connection
    }

    @Test func fillsATable() async throws {
        let connection = try await preparedConnection()
        let copied = try await connection.copyIn(Self.copy) { writer in
            for number in 1...10_000 {
                let day = number.isMultiple(of: 2) ? nil : PostgresDate(daysSince1970: Int32(number))
                try writer.append(number, "name \(number)", day)
            }
        }
        #expect(copied == 10_000)
        let rows = try await connection.query(
            "SELECT count(*), count(day), sum(id)::bigint, max(length(name)) FROM item")
        var reader = try #require(rows.first).reader
        let numbers = [
            try reader.next(Int.self), try reader.next(Int.self), try reader.next(Int.self), try reader.next(Int.self),
        ]
        #expect(numbers == [10_000, 5_000, 50_005_000, 10])
    }

    @Test func leavesNothingWhenGivenUp() async throws {
        let connection = try await preparedConnection()
        await #expect(throws: GivenUp.self) {
            _ = try await connection.copyIn(Self.copy) { writer in
                for number in 1...5_000 { try writer.append(number, "name", PostgresDate?.none) }
                throw GivenUp()
            }
        }
        #expect(await connection.transactionStatus == .idle)
        #expect(try await single(connection, "SELECT count(*) FROM item", as: Int.self) == 0)
    }

    @Test func tellsWhatTheServerRefuses() async throws {
        let connection = try await preparedConnection()
        let twice = try await #require(throws: PostgresError.self) {
            _ = try await connection.copyIn(Self.copy) { writer in
                for _ in 1...20_000 { try writer.append(1, "name", PostgresDate?.none) }
            }
        }
        #expect(twice.constraint == "item_key")
        let nul = try await #require(throws: PostgresError.self) {
            _ = try await connection.copyIn(Self.copy) { try $0.append(1, "\0", PostgresDate?.none) }
        }
        #expect(nul.code == .usage)
        let noSuchTable = try await #require(throws: PostgresError.self) {
            _ = try await connection.copyIn("COPY absent FROM STDIN (FORMAT binary)") { _ in }
        }
        #expect(noSuchTable.sqlState == "42P01")
        #expect(try await connection.execute("SELECT 1") == 1)
    }

    @Test func wantsABinaryCopy() async throws {
        let connection = try await preparedConnection()
        for sql in ["COPY item FROM STDIN", "SELECT 1"] {
            let error = try await #require(throws: PostgresError.self) {
                _ = try await connection.copyIn(sql) { _ in }
            }
            #expect(error.code == .usage)
            #expect(try await connection.execute("SELECT 1") == 1)
        }
    }
}
