/// The address of a server and the timeouts.
///
/// Settings that this module does not name go to libpq unchanged, through the connection string or libpq's `PG…`
/// environment variables: host, user, password, `sslmode`, `sslrootcert` and so on. A silent peer is dropped after half
/// a minute (`tcp_user_timeout`, `keepalives_idle`, `keepalives_interval`, `keepalives_count`); the connection string
/// can override that.
public struct PostgresConfiguration: Sendable {
    /// A URL (`postgresql://user@host:5432/database`) or `keyword=value` pairs; empty leaves everything to libpq's
    /// environment.
    public var connectionString: String
    /// The name in `pg_stat_activity`, unless the connection string sets another.
    public var applicationName: String
    /// How long connecting may take, excluding name resolution; over TCP, setting server-side keepalives afterwards may
    /// take as long again.
    public var connectTimeout: Duration
    /// How long one statement (or script, pipeline, COPY) may take before it is cancelled; nil means no limit.
    public var statementTimeout: Duration?
    /// How long a transaction may idle before the server ends the session and releases its locks; nil means no limit.
    public var idleTransactionTimeout: Duration?
    /// Intercepts all statements; nil except in tests and simulations.
    public var interceptor: (any StatementInterceptor)?

    /// Describes a server and the timeouts.
    ///
    /// - Parameters:
    ///   - connectionString: A URL or `keyword=value` pairs; empty leaves everything to libpq's environment.
    ///   - applicationName: The name in `pg_stat_activity`.
    ///   - connectTimeout: How long connecting may take.
    ///   - statementTimeout: How long a statement may take; nil means no limit.
    ///   - idleTransactionTimeout: How long a transaction may idle; nil means no limit.
    ///   - interceptor: Intercepts all statements, in tests and simulations.
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

/// Printed configurations end up in logs, and the connection string may contain a password.
extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible {
    /// The application name; never the connection string.
    public var description: String { "PostgresConfiguration(applicationName: \(applicationName))" }
    /// Same as ``description``: a debug log is still a log.
    public var debugDescription: String { description }
}
