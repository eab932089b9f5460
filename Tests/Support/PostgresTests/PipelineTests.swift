import CherishTestSupport
import Foundation
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
            Statement("\(insert)", [1]), Statement("\(insert)", [2]), Statement("SELECT id FROM item ORDER BY id"),
            Statement("DELETE FROM item"),
        ])
        #expect(answers.map(\.affectedRows) == [1, 1, 2, 2])
        #expect(try answers[2].map { try $0.decode(0, as: Int.self) } == [1, 2])
        #expect(try await connection.pipeline([]).isEmpty)
        #expect(try await connection.execute("\(insert)", [1]) == 1)
    }

    @Test func failsWithTheFirstErrorAndUndoesAll() async throws {
        let connection = try await preparedConnection()
        let insert = "INSERT INTO item VALUES ($1)"
        let error = try await #require(throws: PostgresError.self) {
            _ = try await connection.pipeline([
                Statement("\(insert)", [1]), Statement("\(insert)", [1]), Statement("SELECT 'never prepared'"),
                Statement("\(insert)", [3]),
            ])
        }
        #expect(error.sqlState == "23505")
        #expect(error.constraint == "item_key")
        #expect(connection.isUsable)
        #expect(connection.transactionStatus == .idle)
        #expect(try await single(connection, "SELECT count(*) FROM item", as: Int.self) == 0)
        #expect(try await single(connection, "SELECT 'never prepared'", as: String.self) == "never prepared")
        #expect(try await connection.pipeline([Statement("\(insert)", [1])]).count == 1)
    }

    @Test func reportsConstraintsCheckedAtTheEnd() async throws {
        let connection = try await openConnection()
        try await connection.script("CREATE TABLE item (id bigint UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        let insert = "INSERT INTO item VALUES (1)"
        let error = try await #require(throws: PostgresError.self) {
            _ = try await connection.pipeline([Statement("\(insert)"), Statement("\(insert)")])
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

/// The value as an optional.
private func present<Value>(_ value: Value) -> Value? { value }

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
        let copied = try await connection.copyIn("\(Self.copy)") { writer in
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
            _ = try await connection.copyIn("\(Self.copy)") { writer in
                for number in 1...5_000 { try writer.append(number, "name", PostgresDate?.none) }
                throw GivenUp()
            }
        }
        #expect(connection.transactionStatus == .idle)
        #expect(try await single(connection, "SELECT count(*) FROM item", as: Int.self) == 0)
    }

    @Test func reportsWhatTheServerRefuses() async throws {
        let connection = try await preparedConnection()
        let twice = try await #require(throws: PostgresError.self) {
            _ = try await connection.copyIn("\(Self.copy)") { writer in
                for _ in 1...20_000 { try writer.append(1, "name", PostgresDate?.none) }
            }
        }
        #expect(twice.constraint == "item_key")
        let nul = try await #require(throws: PostgresError.self) {
            _ = try await connection.copyIn("\(Self.copy)") { try $0.append(1, "\0", PostgresDate?.none) }
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
                _ = try await connection.copyIn("\(sql)") { _ in }
            }
            #expect(error.code == .usage)
            #expect(try await connection.execute("SELECT 1") == 1)
        }
    }

    @Test("a row may have values of all types, or NULL in their place")
    func carriesAllTypes() async throws {
        let connection = try await openConnection()
        try await connection.script(
            """
            CREATE TABLE item (flag boolean, small smallint, medium integer, large bigint, number bigint,
                fraction double precision, name text, id uuid, bytes bytea, document jsonb, day date,
                instant timestamptz, numbers bigint[], names text[])
            """)
        let id = UUID()
        let bytes = Bytea([0, 255])
        let document = JSONB("[1]")
        let day = PostgresDate(daysSince1970: -1)
        let instant = PostgresTimestamp(microsecondsSince1970: 1)
        let numbers = [0, 256]
        let names: [String?] = [nil, "", "x"]
        let noNumbers: [Int]? = nil
        let noNames: [String?]? = nil
        let copied = try await connection.copyIn("COPY item FROM STDIN (FORMAT binary)") { writer in
            try writer.append(
                true, Int16.min, Int32.max, Int64.min, Int.max, -0.5, "가 나", id, bytes, document, day, instant, numbers,
                names)
            try writer.append(
                Bool?.none, Int16?.none, Int32?.none, Int64?.none, Int?.none, Double?.none, String?.none, UUID?.none,
                Bytea?.none, JSONB?.none, PostgresDate?.none, PostgresTimestamp?.none, noNumbers, noNames)
            try writer.append(
                present(true), present(Int16.min), present(Int32.max), present(Int64.min), present(Int.max),
                present(-0.5), present("가 나"), present(id), present(bytes), present(document), present(day),
                present(instant), present(numbers), present(names))
        }
        #expect(copied == 3)
        // In the server's notation.
        let columns = "flag, small, medium, large, number, fraction, name, id, bytes, document, day, numbers, names"
        let lines = try await connection.query(
            """
            SELECT concat_ws(' ', num_nulls(\(columns), instant), \(columns), extract(epoch FROM instant))
            FROM item ORDER BY ctid
            """
        ).map { try $0.decode(0, as: String.self) }
        let line = [
            "0 t -32768 2147483647 -9223372036854775808 9223372036854775807 -0.5 가 나", id.uuidString.lowercased(),
            #"\x00ff [1] 1969-12-31 {0,256} {NULL,"",x} 0.000001"#,
        ].joined(separator: " ")
        #expect(lines == [line, "14", line])
    }

    /// Expects a row to be refused because of one of its values.
    private static func expectNUL(in column: Int, _ append: () throws -> Void) {
        do {
            try append()
            Issue.record("value \(column) was accepted")
        } catch {
            #expect("\(error)".contains("value \(column) is text with a NUL byte"))
        }
    }

    @Test("text with a NUL byte is refused in any column, and nothing of its row is sent, whatever the caller does")
    func leavesOutRowsWithNUL() async throws {
        let connection = try await openConnection()
        try await connection.script("CREATE TABLE item (name text, id bigint, names text[], document jsonb, last text)")
        let copied = try await connection.copyIn("COPY item FROM STDIN (FORMAT binary)") { writer in
            let long = String(repeating: "x", count: 100_000)
            let object = JSONB("{}")
            CopyTests.expectNUL(in: 1) { try writer.append("\0", -1, ["x"], object, "last") }
            for number in 1...5_000 {
                try writer.append("name", number, ["x"], object, "last")
                guard number.isMultiple(of: 1_000) else { continue }
                CopyTests.expectNUL(in: 1) { try writer.append("name\0", -1, ["x"], object, "last") }
                CopyTests.expectNUL(in: 3) { try writer.append(long, -1, ["x", "\0"], object, "last") }
                CopyTests.expectNUL(in: 4) { try writer.append("name", -1, ["x"], JSONB("\"\0\""), "last") }
                CopyTests.expectNUL(in: 5) { try writer.append(long, -1, ["x"], object, "\0last") }
            }
        }
        #expect(copied == 5_000)
        let ids: String = try await single(
            connection, "SELECT concat_ws(' ', count(*), min(id), max(id), sum(id)) FROM item")
        #expect(ids == "5000 1 5000 12502500")
    }

    @Test("a row of forty columns arrives with each value in its place")
    func carriesManyColumns() async throws {
        let connection = try await openConnection()
        let types = ["bigint", "text", "bigint", "boolean"]
        let columns = (0..<40).map { "c\($0) \(types[$0 % 4])" }.joined(separator: ", ")
        try await connection.script("CREATE TABLE item (\(columns))")
        let copied = try await connection.copyIn("COPY item FROM STDIN (FORMAT binary)") { writer in
            for number in 1...2 {
                let name = "name \(number)"
                let none = Int?.none
                let isOdd = number == 1
                try writer.append(
                    number, name, none, isOdd, number, name, none, isOdd, number, name, none, isOdd, number, name,
                    none, isOdd, number, name, none, isOdd, number, name, none, isOdd, number, name, none, isOdd,
                    number, name, none, isOdd, number, name, none, isOdd, number, name, none, isOdd)
            }
        }
        #expect(copied == 2)
        let rows = try await connection.query("SELECT item::text FROM item ORDER BY c0")
        let lines = try rows.map { try $0.decode(0, as: String.self) }
        let expected = [#"1,"name 1",,t"#, #"2,"name 2",,f"#].map { values in
            "(" + Array(repeating: values, count: 10).joined(separator: ",") + ")"
        }
        #expect(lines == expected)
    }

    @Test("rows longer than a send buffer arrive whole")
    func carriesLongRows() async throws {
        let connection = try await preparedConnection()
        let copied = try await connection.copyIn("\(Self.copy)") { writer in
            for number in 1...20 {
                let letter = number.isMultiple(of: 2) ? "x" : "가"
                try writer.append(number, String(repeating: letter, count: number * 10_000), PostgresDate?.none)
            }
        }
        #expect(copied == 20)
        let whole: Int = try await single(
            connection,
            "SELECT count(*) FROM item WHERE name = repeat(CASE id % 2 WHEN 0 THEN 'x' ELSE '가' END, id::int * 10000)")
        #expect(whole == 20)
    }
}
