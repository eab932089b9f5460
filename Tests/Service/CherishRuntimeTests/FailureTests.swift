import CherishCore
import Foundation
import Postgres
import PrivatePostgres
import Testing

@testable import CherishRuntime
@testable import CherishService
@testable import CherishStore

@Suite("Failures as reported to people")
struct FailureTests {
    @Test(
        "by SQLSTATE: busy and unavailable servers may be tried again, everything else is a bug",
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

    @Test("a missing privilege is reported with the command that grants it")
    func missingPrivilege() {
        var error = PostgresError(code: .server)
        error.sqlState = "42501"
        let failure = Failure(error)
        #expect(failure.code == "missing_privilege")
        #expect(failure.exitStatus == 69)
        #expect(failure.message.contains("cherish database roles"))
    }

    @Test("an unreadable row is not our bug: it is reported with its key and a repair")
    func unreadableRow() {
        let row = UnreadableRow(what: "an infinite instant", in: "lane", [.lane(Lane(7))], column: "cursor_at")
        let failure = Failure(row)
        #expect(failure.code == "unreadable_row")
        #expect(failure.exitStatus == 65)
        #expect(failure.message.contains("UPDATE lane SET cursor_at = … WHERE lane = 7"))
    }

    @Test("a due date beyond the calendar is reported as such; any other refused value is a bug")
    func beyondTheCalendar() {
        var error = PostgresError(code: .server)
        error.sqlState = "23514"
        error.constraint = "plant_days_range"
        let beyond = Failure(error)
        #expect(beyond.code == "outside_calendar")
        #expect(beyond.exitStatus == 65)
        #expect(beyond.message == OutsideCalendar().description)
        error.constraint = "plant_counts_range"
        let other = Failure(error)
        #expect(other.code == "internal")
        #expect(other.exitStatus == 70)
    }

    @Test("failed output is not a bug, and differs from a file that cannot be created")
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

    @Test("a home that cannot be created is not an unreachable server")
    func home() async throws {
        let error = await #expect(throws: PrivateClusterError.self) {
            try await PrivateCluster(home: "/dev/null/cherish").ensureRunning()
        }
        let failure = Failure(try #require(error))
        #expect(failure.code == "cannot_create")
        #expect(failure.exitStatus == 73)
        #expect(failure.message.contains("CHERISH_HOME"))
    }

    @Test(
        "missing, conflicting and invalid requests have different HTTP statuses",
        arguments: [
            (CareError.notFound(.plant), "not_found", 404), (.notYetDue(daysLeft: 1), "not_yet_due", 409),
            (.withered(daysOver: 2), "withered", 409), (.duplicateEmail("a@example.com"), "duplicate_email", 409),
            (.invalidCycle(91), "invalid_cycle", 422), (.reviewEmpty, "review_empty", 422),
        ])
    func care(error: CareError, code: String, httpStatus: Int) {
        let failure = Failure(error)
        #expect(failure.code == code)
        #expect(failure.exitStatus == 1)
        #expect(failure.httpStatus == httpStatus)
        #expect(failure.message == "\(failure.problem); \(failure.remedy ?? "")")
    }

    @Test("an unreachable or busy database is 503, a bug 500")
    func later() {
        var busy = PostgresError(code: .server)
        busy.sqlState = "55P03"
        #expect(Failure(busy).httpStatus == 503)
        #expect(Failure(PostgresError(code: .connection)).httpStatus == 503)
        #expect(Failure(PostgresError(code: .server)).httpStatus == 500)
        #expect(Failure(RequestError.missingCycle).httpStatus == 422)
    }
}
