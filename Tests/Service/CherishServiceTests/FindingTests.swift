import CherishCore
import Testing

@testable import CherishRuntime
@testable import CherishService

@Suite("The doctor's judgements")
struct FindingTests {
    /// Asked at second 100, answered at second 101 of this machine.
    private func clock(_ database: Int64) -> Finding {
        DatabaseChecks.clock(
            before: Instant(secondsSinceEpoch: 100), database: Instant(secondsSinceEpoch: database),
            after: Instant(secondsSinceEpoch: 101))
    }

    @Test("clocks: the round trip does not count; up to 2 s are fine, more than 60 s are a problem")
    func clocks() {
        #expect([100, 101, 98, 103].map { clock($0).verdict } == [.ok, .ok, .ok, .ok])
        #expect([97, 104, 40, 161].map { clock($0).verdict } == [.warning, .warning, .warning, .warning])
        #expect([39, 162].map { clock($0).verdict } == [.problem, .problem])
        #expect(clock(39).message == "the database's clock is 61 s behind this machine's")
        #expect(clock(162).message == "the database's clock is 61 s ahead of this machine's")
    }

    @Test("the exit status: 0 for warnings, 69 for an unusable database, 1 for any other problem")
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
