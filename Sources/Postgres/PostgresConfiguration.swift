/// Where a server is and how long to wait for it.
///
/// What this module does not name passes through to libpq, in the connection string or in its own `PG…` environment
/// variables: host, user, password, `sslmode`, `sslrootcert` and so on. Unless the connection string says otherwise, a peer
/// that has fallen silent is given up after half a minute (`tcp_user_timeout`, `keepalives_idle`, `keepalives_interval`,
/// `keepalives_count`).
public struct PostgresConfiguration: Sendable {
    /// A URL (`postgresql://user@host:5432/database`) or `keyword=value` pairs; empty means libpq's environment alone.
    public var connectionString: String
    /// The name that `pg_stat_activity` shows, unless the connection string gives another.
    public var applicationName: String
    /// How long connecting may take altogether, resolving a host name excepted.
    public var connectTimeout: Duration
    /// How long one statement (or script, pipeline, COPY) may take before it is cancelled; nil means for ever.
    public var statementTimeout: Duration?
    /// How long a transaction may stand still before the server ends the session and with it its locks; nil means for ever.
    public var idleTransactionTimeout: Duration?
    /// Sees all statements; nil, as in all programs, costs nothing.
    public var interceptor: (any StatementInterceptor)?

    /// Describes a server.
    ///
    /// - Parameters:
    ///   - connectionString: A URL, `keyword=value` pairs, or nothing for libpq's environment.
    ///   - applicationName: The name that `pg_stat_activity` shows.
    ///   - connectTimeout: How long connecting may take.
    ///   - statementTimeout: How long a statement may take; nil means for ever.
    ///   - idleTransactionTimeout: How long a transaction may stand still; nil means for ever.
    ///   - interceptor: Sees all statements, in tests and simulations.
    public init(
        connectionString: String = "",
        applicationName: String = "swift-postgres",
        connectTimeout: Duration = .seconds(10),
        statementTimeout: Duration? = nil,
        idleTransactionTimeout: Duration? = nil,
        interceptor: (any StatementInterceptor)? = nil
    ) {
        self.connectionString = connectionString
        self.applicationName = applicationName
        self.connectTimeout = connectTimeout
        self.statementTimeout = statementTimeout
        self.idleTransactionTimeout = idleTransactionTimeout
        self.interceptor = interceptor
    }
}

/// Printed configurations end in logs, and the connection string may hold a password.
extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible {
    /// The application's name; never the connection string.
    public var description: String { "PostgresConfiguration(applicationName: \(applicationName))" }
    /// The same as ``description``: a debug log is a log too.
    public var debugDescription: String { description }
}
