import Postgres
import Synchronization

/// A fault between a program and its database.
enum Fault: String, CaseIterable, Sendable {
    /// The program dies before a statement is sent, or after its answer.
    case killedBeforeStatement = "killed before a statement"
    case killedAfterStatement = "killed after a statement"
    /// The connection breaks before a statement reaches the server, or before its answer returns; the program survives.
    case cutBeforeStatement = "cut before a statement"
    case cutAfterStatement = "cut after a statement"
    /// The connection breaks before the answer of a commit returns.
    case commitAnswerLost = "answer of a commit lost"

    var kills: Bool { self == .killedBeforeStatement || self == .killedAfterStatement }
    fileprivate var comesBefore: Bool { self == .killedBeforeStatement || self == .cutBeforeStatement }
}

/// The program is dead: none of its statements reaches the server.
struct Killed: Error {}

/// Injects one fault into a program at a chosen statement.
final class FaultInjector: StatementInterceptor {
    private struct State {
        var armed: Fault?
        /// How many statements succeed first.
        var countdown = 0
        var fired: Fault?
        var gate: CommitGate?

        mutating func fire(_ fault: Fault) -> any Error {
            armed = nil
            fired = fault
            if fault.kills { return Killed() }
            return PostgresError(code: .connection, explanation: "the simulation cut the connection")
        }
    }

    private let rewrite: @Sendable (String) -> String
    private let state = Mutex(State())
    private let sent = Mutex(0)

    /// How many statements the program has tried to send.
    var statementCount: Int { sent.withLock { $0 } }

    /// - Parameter rewrite: changes every statement, for broken variants.
    init(rewrite: @escaping @Sendable (String) -> String) {
        self.rewrite = rewrite
    }

    /// Arms a fault that fires after a number of statements.
    func arm(_ fault: Fault, after countdown: Int) {
        state.withLock { $0 = State(armed: fault, countdown: countdown) }
    }

    /// Revives a dead program and returns the fault that fired.
    func disarm() -> Fault? {
        state.withLock { state -> Fault? in
            let fired = state.fired
            state = State()
            return fired
        }
    }

    /// Makes commits wait at a gate; nil lets them pass.
    func stopCommits(at gate: CommitGate?) {
        state.withLock { $0.gate = gate }
    }

    func beforeSending(_ sql: String) async throws -> String {
        sent.withLock { $0 += 1 }
        let gate = try state.withLock { state -> CommitGate? in
            try FaultInjector.requireAlive(state)
            if state.armed != nil { state.countdown -= 1 }
            if let fault = state.armed, fault.comesBefore, state.countdown < 0 { throw state.fire(fault) }
            return sql == "COMMIT" ? state.gate : nil
        }
        await gate?.pass()
        return rewrite(sql)
    }

    func afterAnswer(to sql: String) throws {
        try state.withLock { state in
            try FaultInjector.requireAlive(state)
            guard let fault = state.armed, !fault.comesBefore else { return }
            let isDue = fault == .commitAnswerLost ? sql == "COMMIT" : state.countdown < 0
            if isDue { throw state.fire(fault) }
        }
    }

    private static func requireAlive(_ state: State) throws {
        if state.fired?.kills == true { throw Killed() }
    }
}

/// Holds back a commit until it is opened.
final class CommitGate: Sendable {
    private struct State {
        var isReached = false
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    var isReached: Bool { state.withLock { $0.isReached } }

    func reach() {
        state.withLock { $0.isReached = true }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until the gate is open, and holds no thread meanwhile: two simulations may wait at once, on two cores.
    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                state.isReached = true
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
