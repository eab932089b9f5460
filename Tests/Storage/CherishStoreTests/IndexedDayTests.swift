import CherishCore
import CherishTestSupport
import Postgres
import Testing

@testable import CherishStore

@Suite("Days of the log that have ended", .migratedDatabase, .serialized)
struct IndexedDayTests {
    private func indexes(_ service: ServiceUnderTest) async throws -> [String] {
        try await service.texts("SELECT relname FROM pg_class WHERE relname ~ '^push_job_.*_account$' ORDER BY 1")
    }

    private func housekeeping(_ service: ServiceUnderTest) throws -> Housekeeping {
        try service.housekeeping(at: seoul("2027-03-04T15:00"), retention: 100_000)
    }

    @Test("are indexed by account, once; a day to which schedulers still add is not")
    func ended() async throws {
        let service = ServiceUnderTest()
        let account = try await service.account(at: seoul("2027-02-23T10:00"))
        try await service.push(on: 5, of: account)
        try await service.push(on: 6, of: account)
        let first = try await housekeeping(service).run()
        #expect(first.indexed == [try civilDay("2020-01-06"), try civilDay("2020-01-05")])
        #expect(try await indexes(service) == ["push_job_20200105_account", "push_job_20200106_account"])
        #expect(try await housekeeping(service).run().indexed == [])
        // An account is still erased from a day with an index.
        #expect(try await service.count("SELECT count(*) FROM push_job WHERE account_id = $1", [account.id]) == 2)
        _ = try await service.store(at: seoul("2027-03-04T15:00")).eraseAccount(account.id)
        #expect(try await service.count("SELECT count(*) FROM push_job WHERE account_id = $1", [account.id]) == 0)
    }

    @Test("concurrent workers index each once")
    func concurrent() async throws {
        let service = ServiceUnderTest()
        let account = try await service.account(at: seoul("2027-02-23T10:00"))
        try await service.push(on: 5, of: account)
        let housekeeping = try housekeeping(service)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...4 { group.addTask { _ = try await housekeeping.run() } }
            try await group.waitForAll()
        }
        #expect(try await indexes(service) == ["push_job_20200105_account"])
    }

    @Test("wait for the next run while somebody writes to them, and nothing else of the run does")
    func held() async throws {
        let service = ServiceUnderTest()
        let account = try await service.account(at: seoul("2027-02-23T10:00"))
        try await service.push(on: 5, of: account)
        let housekeeping = try housekeeping(service)
        let report = try await service.pool.withTransaction { connection in
            try await connection.execute("UPDATE push_job SET ref = ref")
            return try await housekeeping.run()
        }
        #expect(report.indexed == [])
        #expect(report.counted == [try civilDay("2020-01-05")])
        #expect(try await housekeeping.run().indexed == [try civilDay("2020-01-05")])
    }

    @Test(
        "nothing else can be indexed that way",
        arguments: ["account", "push_job", "push_job_20200105; DROP TABLE plant"])
    func others(name: String) async throws {
        let error = await #expect(throws: PostgresError.self) {
            try await ServiceUnderTest().execute("SELECT index_day($1)", [name])
        }
        #expect(error?.sqlState == "22023")
    }
}
