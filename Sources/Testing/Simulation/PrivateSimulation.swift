import CherishStore
import Foundation
import Glibc
import Postgres
import PrivatePostgres

extension Simulation {
    /// Runs a simulation on a cluster of its own, created for it and deleted afterwards.
    ///
    /// - Parameter progress: gets a line for each 30 days.
    /// - Throws: ``PrivateClusterError``, or an error that stops the oracle.
    public static func onPrivateCluster(
        _ settings: SimulationSettings, progress: @escaping @Sendable (String) -> Void
    ) async throws -> SimulationReport {
        let directory = FileManager.default.temporaryDirectory.path
        let cluster = PrivateCluster(
            home: "\(directory)/cherish-simulation-\(getpid())-\(UInt32.random(in: 0...UInt32.max))",
            durability: .none)
        let interruptions = [SIGINT, SIGTERM].map { cleanUp(cluster, when: $0) }
        defer { for interruption in interruptions { interruption.cancel() } }
        do {
            try await cluster.ensureRunning()
            let connectionString = cluster.connectionString()
            try await migrate(connectionString)
            let report = try await run(settings, connectionString, progress)
            try await cluster.destroy()
            return report
        } catch {
            // Report the original error, not one of the cleanup.
            try? await cluster.destroy()
            throw error
        }
    }

    /// Runs a simulation in an existing database, such as one on Citus, which keeps everything afterwards.
    ///
    /// - Parameter connectionString: an empty database that is migrated and marked as one for tests.
    /// - Throws: ``UnfitDatabase``, or an error that stops the oracle.
    public static func inDatabase(
        _ settings: SimulationSettings, connectionString: String, progress: @escaping @Sendable (String) -> Void
    ) async throws -> SimulationReport {
        try await onOneConnection(connectionString) { pool in
            try await Migrator(pool: pool).requireCurrent()
            guard try await DatabaseMark(pool: pool).isTest() else { throw UnfitDatabase.notMarked }
            let accounts = try await pool.withConnection { try await $0.query("SELECT 1 FROM account LIMIT 1") }
            guard accounts.isEmpty else { throw UnfitDatabase.notEmpty }
        }
        return try await run(settings, connectionString, progress)
    }

    private static func run(
        _ settings: SimulationSettings, _ connectionString: String, _ progress: @escaping @Sendable (String) -> Void
    ) async throws -> SimulationReport {
        settings.helpsNeighbours
            ? try await NeighbourSimulation(settings, connectionString: connectionString, progress: progress).run()
            : try await Simulation(settings, connectionString: connectionString, progress: progress).run()
    }

    private static func migrate(_ connectionString: String) async throws {
        try await onOneConnection(connectionString) { try await Migrator(pool: $0).migrate() }
    }

    private static func onOneConnection(
        _ connectionString: String, _ body: (ConnectionPool) async throws -> Void
    ) async throws {
        let pool = ConnectionPool(
            configuration: PostgresConfiguration(connectionString: connectionString), maximumConnections: 1)
        do {
            try await body(pool)
        } catch {
            await pool.close()
            throw error
        }
        await pool.close()
    }

    /// Removes the cluster on a signal: long simulations are often interrupted, and their server must not stay behind.
    private static func cleanUp(_ cluster: PrivateCluster, when number: Int32) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler {
            try? cluster.destroyBlocking()
            exit(128 + number)
        }
        source.resume()
        return source
    }
}

/// Why a simulation cannot run in a database.
public enum UnfitDatabase: Error, Hashable, Sendable, CustomStringConvertible {
    case notMarked
    case notEmpty

    public var description: String {
        switch self {
        case .notMarked: "a simulation moves every calendar; mark the database by 'cherish database mark-test' first"
        case .notEmpty: "the database has accounts; give the simulation an empty one"
        }
    }
}
