import CherishCore
import Testing

@testable import CherishRuntime
@testable import CherishService

@Suite("What the doctor makes of what it sees")
struct FindingTests {
    /// This machine asked at second 100 and had the answer at second 101.
    private func clock(_ database: Int64) -> Finding {
        DatabaseChecks.clock(
            before: Instant(secondsSinceEpoch: 100), database: Instant(secondsSinceEpoch: database),
            after: Instant(secondsSinceEpoch: 101))
    }

    @Test("clocks: what the way to the server took is no difference; 2 s are bearable, more than 60 are not")
    func clocks() {
        #expect([100, 101, 98, 103].map { clock($0).verdict } == [.ok, .ok, .ok, .ok])
        #expect([97, 104, 40, 161].map { clock($0).verdict } == [.warning, .warning, .warning, .warning])
        #expect([39, 162].map { clock($0).verdict } == [.problem, .problem])
        #expect(clock(39).message == "the database's clock is 61 s behind this machine's")
        #expect(clock(162).message == "the database's clock is 61 s ahead of this machine's")
    }

    @Test("the exit status: warnings are none, an unusable database is 69, any other problem 1")
    func exitStatus() {
        let ok = Finding.ok("clock", "agree")
        let warning = Finding.warning("roles", "superuser", "connect as another")
        let problem = Finding.problem("leases", "ran out", "start a worker")
        let unreachable = Finding.problem("database", "away", "start it")
        #expect([Finding]().exitStatus == 0)
        #expect([ok, warning].exitStatus == 0)
        #expect([ok, warning].verdict == .warning)
        #expect([problem, warning].exitStatus == 1)
        #expect([problem, unreachable].exitStatus == 69)
        #expect([Finding.problem("migrations", "5 of 6", "migrate")].exitStatus == 69)
        #expect([ok, problem, warning].verdict == .problem)
    }
}
