import Foundation
import Postgres
import PrivatePostgres
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

    @Test("a missing privilege is told as such, with who gives it")
    func missingPrivilege() {
        var error = PostgresError(code: .server)
        error.sqlState = "42501"
        let failure = Failure(error)
        #expect(failure.code == "missing_privilege")
        #expect(failure.exitStatus == 69)
        #expect(failure.message.contains("cherish database roles"))
    }

    @Test("output that cannot be written is no bug, and a file that cannot be made is another thing")
    func output() {
        let full = Failure(OutputError.failed("garden.html", reason: ENOSPC))
        #expect(full.code == "output_failed")
        #expect(full.exitStatus == 74)
        #expect(full.message.contains("garden.html") && full.message.contains("No space left"))
        let missing = Failure(OutputError.cannotCreate("nowhere/garden.html", reason: ENOENT))
        #expect(missing.code == "cannot_create")
        #expect(missing.exitStatus == 73)
        #expect(missing.message.contains("nowhere/garden.html"))
    }

    @Test("a home that cannot be made is no server that does not answer")
    func home() async throws {
        let error = await #expect(throws: PrivateClusterError.self) {
            try await PrivateCluster(home: "/dev/null/cherish").ensureRunning()
        }
        let failure = Failure(try #require(error))
        #expect(failure.code == "cannot_create")
        #expect(failure.exitStatus == 73)
        #expect(failure.message.contains("CHERISH_HOME"))
    }
}
