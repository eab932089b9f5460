import BoundedWork
import CherishCore
import CherishService
import Synchronization

/// Takes files that people send: one at a time from each account, and few in all, so that their disk space is bounded.
/// They are read one after the other, on a thread that gives way to everything else.
package final class UploadLine: Sendable {
    /// How many may arrive or wait at once, in all and from one network address.
    static let (mostUnderway, mostOfAddress) = (32, 4)
    /// How long reading one may take, with those before it.
    static let answerTime = Duration.seconds(300)

    private let executor = LowPriorityExecutor(name: "uploads")
    private let line = WaitingLine(places: 1, limit: UploadLine.mostUnderway)
    private let underway = Mutex<[Account.ID: NetworkAddress]>([:])

    /// How many files arrive or wait.
    var underwayCount: Int { underway.withLock { $0.count } }

    /// Receives a file and what is done with it.
    ///
    /// - Throws: ``RefusedRequest/uploadRunning`` while another file of the account is underway, ``LineFull``.
    func admit<Result: Sendable>(
        _ account: Account.ID, from address: NetworkAddress, _ body: () async throws -> Result
    ) async throws -> Result {
        try underway.withLock { underway in
            guard underway[account] == nil else { throw RefusedRequest.uploadRunning }
            let fromAddress = underway.values.count { $0 == address }
            guard underway.count < UploadLine.mostUnderway, fromAddress < UploadLine.mostOfAddress else {
                throw LineFull()
            }
            underway[account] = address
        }
        defer { underway.withLock { $0[account] = nil } }
        return try await withTaskExecutorPreference(executor) { try await body() }
    }

    /// Reads a file once it is its turn.
    package func read<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        try await line.run { try await withTaskExecutorPreference(executor) { try await body() } }
    }
}
