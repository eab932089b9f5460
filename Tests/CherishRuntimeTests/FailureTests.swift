import Postgres
import Testing

@testable import CherishRuntime

@Suite("What a failure of the server means to a person at the terminal")
struct FailureTests {
    @Test(
        "by SQLSTATE: who waits for a lock may try again, a server that cannot be used is told from a bug",
        arguments: [
            ("55P03", "database_busy", 69), ("53300", "database_unreachable", 69),
            ("57P03", "database_unreachable", 69), ("55000", "internal", 70), ("23505", "internal", 70),
        ] as [(String, String, Int32)])
    func server(state: String, code: String, exitStatus: Int32) {
        var error = PostgresError(code: .server)
        error.sqlState = state
        let failure = Failure(error)
        #expect(failure.code == code)
        #expect(failure.exitStatus == exitStatus)
        #expect(failure.message.contains("try again") == (exitStatus == 69))
    }
}
