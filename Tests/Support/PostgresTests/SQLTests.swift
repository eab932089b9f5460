import CherishTestSupport
import Postgres
import Testing

@Suite("The text of SQL")
struct SQLTests {
    @Test("consists of literals, other SQL, integers and quoted names")
    func parts() {
        let columns: SQL = "a, b"
        let text: SQL = "SELECT \(columns) FROM \(name: "t\"; DROP TABLE x; --") LIMIT \(Int16(7)) OFFSET $\(2)"
        #expect(text.text == #"SELECT a, b FROM "t""; DROP TABLE x; --" LIMIT 7 OFFSET $2"#)
        #expect(text.description == text.text)
        #expect((["a = $1", "b = $2"] as [SQL]).joined(separator: " AND ") == "a = $1 AND b = $2")
        #expect(([] as [SQL]).joined(separator: ", ") == "")
        var sum: SQL = "BEGIN" + "; SET"
        sum += " x"
        #expect(sum == "BEGIN; SET x")
    }

    @Test(
        "a quoted name is one name to the server, whatever it contains",
        .emptyDatabase, arguments: ["plain", "Two Words", "a\"b", "\"", "'; SELECT 1", "순간", "$1"])
    func names(name: String) async throws {
        let pool = TestDatabase.current.pool()
        let rows = try await pool.withConnection { try await $0.query("SELECT 1 AS \(name: name)") }
        #expect(rows.columns == [name])
        await pool.close()
    }
}
