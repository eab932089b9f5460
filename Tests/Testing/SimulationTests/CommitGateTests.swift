import CherishTestSupport
import Testing

@testable import Simulation

@Suite("Gates that hold back commits")
struct CommitGateTests {
    @Test("hold no thread: more may be waited at than there are processors")
    func manyAtOnce() async throws {
        let gates = (0..<64).map { _ in CommitGate() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for gate in gates { group.addTask { await gate.pass() } }
            try await eventually("all are reached") { gates.allSatisfy { $0.isReached } }
            for gate in gates { gate.open() }
        }
        // Whoever comes later does not wait.
        await gates[0].pass()
    }
}
