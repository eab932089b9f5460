import BoundedWork
import CherishCore
import Synchronization

/// Takes files that people send: one at a time from each account, and few in all, so that their disk space is bounded.
/// They are read one after the other, on a thread that gives way to everything else.
final class UploadLine: Sendable {
    /// How many may arrive or wait at once.
    static let mostUnderway = 32
    /// How long reading one may take, with those before it.
    static let answerTime = Duration.seconds(300)

    private let executor = LowPriorityExecutor(name: "uploads")
    private let line = WaitingLine(places: 1, limit: UploadLine.mostUnderway)
    private let underway = Mutex<Set<Account.ID>>([])

    /// Receives a file and what is done with it.
    ///
    /// - Throws: ``RefusedRequest/uploadRunning`` while another file of the account is underway, ``LineFull``.
    func admit<Result: Sendable>(_ account: Account.ID, _ body: () async throws -> Result) async throws -> Result {
        try underway.withLock { underway in
            guard !underway.contains(account) else { throw RefusedRequest.uploadRunning }
            guard underway.count < UploadLine.mostUnderway else { throw LineFull() }
            underway.insert(account)
        }
        defer { underway.withLock { _ = $0.remove(account) } }
        return try await withTaskExecutorPreference(executor) { try await body() }
    }

    /// Reads a file once it is its turn.
    func read<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        try await line.run { try await withTaskExecutorPreference(executor) { try await body() } }
    }
}
