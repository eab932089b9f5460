/// How much a transaction sees of others.
public enum IsolationLevel: Sendable {
    /// Each statement sees what was committed before that statement.
    case readCommitted
    /// All statements see what was committed before the first one.
    case repeatableRead
    /// As if transactions ran one after the other.
    case serializable

    fileprivate var sql: SQL {
        switch self {
        case .readCommitted: "READ COMMITTED"
        case .repeatableRead: "REPEATABLE READ"
        case .serializable: "SERIALIZABLE"
        }
    }
}

extension ConnectionPool {
    /// Runs `body` in a transaction: commits when it returns, rolls back when it throws.
    ///
    /// Retries the whole transaction after a serialization failure or a deadlock, so `body` must have no effect outside
    /// the database.
    ///
    /// - Parameters:
    ///   - isolation: How much the transaction sees of others.
    ///   - readOnly: Whether writes are refused.
    ///   - attempts: The maximum number of times that `body` runs.
    ///   - opening: A statement, such as transaction settings, sent with BEGIN in the same round trip.
    ///   - caller: The caller's actor, on which `body` runs.
    ///   - body: The work. It must neither begin nor end transactions itself.
    /// - Throws: What `body` throws; ``PostgresError``; `CancellationError` if the task is cancelled.
    public func withTransaction<R: Sendable>(
        isolation: IsolationLevel = .readCommitted,
        readOnly: Bool = false,
        attempts: Int = 5,
        opening: Statement? = nil,
        caller: isolated (any Actor)? = #isolation,
        _ body: (Connection) async throws -> R
    ) async throws -> R {
        try await withTransaction(
            isolation: isolation, readOnly: readOnly, attempts: attempts, opening: opening, reading: [], caller: caller
        ) { connection, _, _ in try await body(connection) }
    }

    /// Runs `body` in a transaction that begins with known statements and may end with others: two round trips, if
    /// `body` sends nothing itself.
    ///
    /// - Parameters:
    ///   - statements: Sent with BEGIN in one round trip, after `opening`. Each has its own snapshot in READ COMMITTED,
    ///     so it sees what was committed while an earlier one waited for a lock.
    ///   - body: Receives the rows of `statements`. What it leaves in its last parameter is sent with COMMIT.
    /// - Throws: As the other method does; an error of a last statement comes after `body` has returned.
    public func withTransaction<R: Sendable>(
        isolation: IsolationLevel = .readCommitted,
        readOnly: Bool = false,
        attempts: Int = 5,
        opening: Statement? = nil,
        reading statements: [Statement],
        caller: isolated (any Actor)? = #isolation,
        _ body: (Connection, [Rows], inout [Statement]) async throws -> R
    ) async throws -> R {
        var beginning = [
            Statement("BEGIN ISOLATION LEVEL \(isolation.sql) \(readOnly ? "READ ONLY" as SQL : "READ WRITE")")
        ]
        // Local to the transaction, because a pooler may lend the session to another client.
        if let timeout = configuration.idleTransactionTimeout {
            let milliseconds = max(1, Int((timeout / .milliseconds(1)).rounded(.up)))
            beginning.append(
                Statement(
                    "SELECT set_config('idle_in_transaction_session_timeout', $1, true)", ["\(milliseconds)"]))
        }
        if let opening { beginning.append(opening) }
        var attempt = 1
        while true {
            do {
                return try await transact(beginning, statements, caller: caller, body)
            } catch let error as PostgresError where error.isRetryable && attempt < attempts {
                try await Task.sleep(for: Self.pause(afterAttempt: attempt))
                attempt += 1
            }
        }
    }

    private func transact<R: Sendable>(
        _ beginning: [Statement], _ statements: [Statement], caller: isolated (any Actor)?,
        _ body: (Connection, [Rows], inout [Statement]) async throws -> R
    ) async throws -> R {
        let connection = try await acquire()
        do {
            let rows = try await connection.pipeline(beginning + statements).dropFirst(beginning.count)
            var last: [Statement] = []
            let result = try await body(connection, Array(rows), &last)
            try await connection.commit(last)
            await release(connection)
            return result
        } catch {
            await connection.rollBack()
            await release(connection)
            throw error
        }
    }

    /// Random backoff that grows with each attempt, so that colliding transactions do not collide again.
    private static func pause(afterAttempt attempt: Int) -> Duration {
        .milliseconds(Int.random(in: 1...(10 << min(attempt, 6))))
    }
}

extension Connection {
    /// Runs statements that are known beforehand as one transaction, in one round trip.
    ///
    /// A ``pipeline(_:)`` is one transaction, too, but Citus, which does not know that more statements follow, commits
    /// each on its node.
    ///
    /// - Returns: The rows of each statement.
    /// - Throws: As ``pipeline(_:)`` does. Nothing is written then, and the transaction is over.
    public func transaction(_ statements: [Statement]) async throws -> [Rows] {
        do {
            return Array(
                try await pipeline([Statement("BEGIN")] + statements + [Statement("COMMIT")]).dropFirst().dropLast())
        } catch {
            await rollBack()
            throw error
        }
    }

    /// Runs the last statements and commits, or throws if there is nothing to commit.
    fileprivate func commit(_ last: [Statement]) async throws {
        switch transactionStatus {
        case .inTransaction:
            // If a statement fails, the server skips COMMIT.
            _ = try await pipeline(last + [Statement("COMMIT")])
        case .inFailedTransaction:
            // The server would answer COMMIT with a silent ROLLBACK.
            throw PostgresError.usage("a statement failed inside the transaction and its error was not passed on")
        case .idle, .active:
            throw PostgresError.usage("the transaction was ended inside withTransaction")
        case .unknown:
            throw PostgresError(code: .connection, explanation: "the connection was lost inside the transaction")
        }
    }
}
