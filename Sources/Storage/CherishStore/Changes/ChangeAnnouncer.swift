import CherishCore
import Foundation
import Postgres
import Synchronization

/// Tells the servers, after the commit, in which accounts something has changed.
///
/// It is a NOTIFY in a transaction of its own. Inside a command's transaction, PostgreSQL would let all commands of the database
/// commit only one after the other, each with its write to disk. Whoever listens must look by itself now and then, because a
/// program may end between its commit and the announcement.
public final class ChangeAnnouncer: Sendable {
    /// The channel of the notifications. A payload names accounts: their ids, with spaces between.
    public static let channel = "cherish_changes"
    /// How many ids a payload has at most: PostgreSQL takes less than 8,000 bytes.
    private static let mostIDs = 200

    private struct State {
        var waiting: Set<Account.ID> = []
        var sending: Task<Void, Never>?
    }

    private let pool: ConnectionPool
    private let pause: Duration?
    private let state = Mutex(State())

    /// - Parameter pause: how long announcements are gathered; nil sends each at once, and whoever announces waits for it.
    public init(pool: ConnectionPool, pause: Duration? = nil) {
        (self.pool, self.pause) = (pool, pause)
    }

    /// Announces accounts whose changes have been committed. Errors do not matter; see above.
    func announce(_ accounts: Set<Account.ID>) async {
        if accounts.isEmpty { return }
        guard let pause else { return await send(accounts) }
        state.withLock { state in
            state.waiting.formUnion(accounts)
            guard state.sending == nil else { return }
            state.sending = Task { await self.sendSoon(after: pause) }
        }
    }

    /// Waits until everything that was announced has been sent.
    public func finish() async {
        while let sending = state.withLock({ $0.sending }) { await sending.value }
    }

    /// Sends what is waiting, and what comes meanwhile.
    private func sendSoon(after pause: Duration) async {
        while true {
            try? await Task.sleep(for: pause)
            let accounts = state.withLock { state in
                defer { state.waiting = [] }
                if state.waiting.isEmpty { state.sending = nil }
                return state.waiting
            }
            if accounts.isEmpty { return }
            await send(accounts)
        }
    }

    private func send(_ accounts: Set<Account.ID>) async {
        let ids = accounts.map(\.description)
        let payloads = stride(from: 0, to: ids.count, by: Self.mostIDs).map { start in
            ids[start..<min(start + Self.mostIDs, ids.count)].joined(separator: " ")
        }
        // Nobody needs a notification that a crash of the server loses: then all connections are new.
        let statements = payloads.map { Statement("SELECT pg_notify($1, $2)", [Self.channel, $0]) }
        _ = try? await pool.withConnection { connection in
            try await connection.transaction([Statement("SET LOCAL synchronous_commit = off", [])] + statements)
        }
    }

    /// The accounts that programs announce from now on, over a connection of its own. Ends with an error when the database
    /// goes away.
    public func announcements() -> AsyncThrowingMapSequence<NotificationStream, [Account.ID]> {
        Connection.notifications(on: Self.channel, configuration: pool.configuration)
            .map { Self.accounts(in: $0.payload) }
    }

    /// The accounts that a payload names. What is no id is left out: any login may send a notification.
    static func accounts(in payload: String) -> [Account.ID] {
        payload.split(separator: " ").compactMap { UUID(uuidString: String($0)).map(Account.ID.init) }
    }
}
