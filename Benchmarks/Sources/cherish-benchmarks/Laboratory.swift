import CherishStore
import Foundation
import Glibc
import Postgres
import PrivatePostgres

/// The database of a benchmark: a private cluster in a temporary folder, with fsync on, deleted afterwards.
struct Laboratory: Sendable {
    let cluster: PrivateCluster
    let pool: ConnectionPool
    /// Where contestants connect.
    var connectionString: String

    init(cluster: PrivateCluster, pool: ConnectionPool) {
        self.cluster = cluster
        self.pool = pool
        connectionString = cluster.connectionString()
    }

    /// Runs the body with a fresh cluster.
    ///
    /// - Parameter autovacuum: off by default, because it would run at different moments in each turn. Benchmarks
    ///   vacuum and analyze the tables that they fill.
    static func with<Result>(
        autovacuum: Bool = false, _ body: (Laboratory) async throws -> Result
    ) async throws -> Result {
        let home = FileManager.default.temporaryDirectory.path + "/cherish-benchmark-\(getpid())"
        let cluster = PrivateCluster(
            home: home, durability: .full,
            additionalSettings: [
                "autovacuum": autovacuum ? "on" : "off", "shared_buffers": "2GB", "max_wal_size": "40GB",
                // No checkpoint during a measurement, so nobody pays for full-page images, which would hit in-place
                // updates far harder than appends.
                "checkpoint_timeout": "1h", "max_connections": "200", "track_io_timing": "off",
            ])
        try await cluster.ensureRunning()
        let pool = ConnectionPool(
            configuration: PostgresConfiguration(
                connectionString: cluster.connectionString(), applicationName: "laboratory",
                connectTimeout: .seconds(30), statementTimeout: nil),
            maximumConnections: 8, acquireTimeout: .seconds(600))
        do {
            let result = try await body(Laboratory(cluster: cluster, pool: pool))
            await pool.close()
            try await cluster.destroy()
            return result
        } catch {
            await pool.close()
            try? await cluster.destroy()
            throw error
        }
    }

    /// The same, with Cherish's schema.
    static func migrated<Result>(
        autovacuum: Bool = false, _ body: (Laboratory) async throws -> Result
    ) async throws -> Result {
        try await with(autovacuum: autovacuum) { laboratory in
            try await Migrator(pool: laboratory.pool).migrate()
            return try await body(laboratory)
        }
    }

    /// Runs the body with a laboratory whose contestants connect through a proxy that holds back each piece of data.
    ///
    /// - Parameter delay: the time in each direction, so half of what it adds to a round trip.
    func withNetworkDelay<Result>(
        _ delay: Duration, _ body: (Laboratory) async throws -> Result
    ) async throws -> Result {
        let proxy = try Proxy(to: cluster.home + "/socket/.s.PGSQL.5432")
        defer { proxy.stop() }
        try proxy.hold(for: delay)
        var distant = self
        distant.connectionString = "host=127.0.0.1 port=\(proxy.port) user=cherish dbname=cherish sslmode=disable"
        return try await body(distant)
    }

    /// Several statements, one after the other, without parameters.
    func script(_ sql: SQL) async throws {
        try await pool.withConnection { try await $0.script(sql) }
    }

    /// The first column of the first row.
    func value<Value: PostgresDecodable>(_ sql: SQL, as type: Value.Type = Value.self) async throws -> Value {
        let rows = try await pool.withConnection { try await $0.query(sql) }
        guard let row = rows.first else { throw BenchmarkError("no row from \(sql)") }
        return try row.decode(0)
    }
}

/// The proxy of the fault campaign, `Tests/faults/proxy.py`.
private struct Proxy {
    let port: Int
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(to socket: String) throws {
        let script = FileManager.default.currentDirectoryPath + "/Tests/faults/proxy.py"
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [script, socket, "1"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchmarkError("\(script) does not run; start the benchmark from the checkout's root")
        }
        self.port = port
    }

    func hold(for delay: Duration) throws {
        input.fileHandleForWriting.write(Data("delay \(delay / .seconds(1))\n".utf8))
        _ = output.fileHandleForReading.availableData
    }

    func stop() {
        // The child inherits a mask that may block SIGTERM.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

/// Why a benchmark could not be run.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// PostgreSQL's own counters.
struct ServerCounters: Sendable {
    var walBytes = 0
    var commits = 0
    /// Row versions that an UPDATE or DELETE left behind.
    var deadRows = 0

    /// Reads the counters. Backends report when they exit, so close the connections that did the work first.
    static func read(_ laboratory: Laboratory) async throws -> ServerCounters {
        try await laboratory.pool.withConnection { connection in
            let rows = try await connection.query(
                """
                SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::int8,
                    (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()),
                    (SELECT coalesce(sum(n_tup_upd + n_tup_del), 0)::int8 FROM pg_stat_user_tables)
                """)
            guard var reader = rows.first?.reader else { throw BenchmarkError("no counters") }
            return ServerCounters(
                walBytes: try reader.next(), commits: try reader.next(), deadRows: try reader.next())
        }
    }

    static func - (left: ServerCounters, right: ServerCounters) -> ServerCounters {
        ServerCounters(
            walBytes: left.walBytes - right.walBytes, commits: left.commits - right.commits,
            deadRows: left.deadRows - right.deadRows)
    }
}
