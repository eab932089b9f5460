import CherishCore
import CherishPush
import CherishStore
import CherishWorker
import Foundation
import Logging
import Postgres
import PrivatePostgres
import ServiceLifecycle
import SystemTimeZones

/// Everything wired together: the one place that knows all modules.
public struct Engine: Sendable {
    /// Reads and changes gardens.
    public let store: CareStore
    /// Brings the database to this program's schema.
    public let migrator: Migrator
    public let zones: SystemTimeZones
    private let pool: ConnectionPool
    private let settings: Settings

    /// Connects to the database of the settings; a private cluster is started and migrated first.
    ///
    /// - Parameters:
    ///   - now: what the engine takes for the present; nil is the database's clock.
    ///   - requiresSchema: whether a database without all migrations is refused.
    public static func open(_ settings: Settings, now: Instant? = nil, requiresSchema: Bool = true) async throws
        -> Engine
    {
        let engine = Engine(settings, connectionString: try await connectionString(settings.database), now: now)
        do {
            if case .privateCluster = settings.database { try await engine.migrator.migrate() }
            if requiresSchema { try await engine.migrator.requireCurrent() }
        } catch {
            await engine.close()
            throw error
        }
        return engine
    }

    /// Opens an engine, runs the body and closes it.
    public static func with<Result: Sendable>(
        _ settings: Settings, now: Instant? = nil, requiresSchema: Bool = true,
        _ body: (Engine) async throws -> Result
    ) async throws -> Result {
        let engine = try await open(settings, now: now, requiresSchema: requiresSchema)
        do {
            let result = try await body(engine)
            await engine.close()
            return result
        } catch {
            await engine.close()
            throw error
        }
    }

    private init(_ settings: Settings, connectionString: String, now: Instant?) {
        self.settings = settings
        pool = ConnectionPool(
            configuration: PostgresConfiguration(
                connectionString: connectionString, applicationName: "cherish", connectTimeout: .seconds(10),
                statementTimeout: nil),
            maximumConnections: settings.maximumConnections, acquireTimeout: .seconds(30))
        zones = SystemTimeZones()
        store = CareStore(pool: pool, zones: zones, time: now.map { .fixed($0) } ?? .database)
        migrator = Migrator(pool: pool)
    }

    /// Where the database can be reached, once it can be.
    public static func connectionString(_ location: DatabaseLocation) async throws -> String {
        switch location {
        case .server(let connectionString):
            return connectionString
        case .privateCluster(let home):
            let cluster = PrivateCluster(home: home)
            try await cluster.ensureRunning()
            return cluster.connectionString()
        }
    }

    /// How far the database was migrated, without starting or migrating anything.
    public static func migrationStatus(_ settings: Settings) async throws -> Migrator.Status {
        let connectionString =
            switch settings.database {
            case .server(let connectionString): connectionString
            case .privateCluster(let home): PrivateCluster(home: home).connectionString()
            }
        let engine = Engine(settings, connectionString: connectionString, now: nil)
        do {
            let status = try await engine.migrator.status()
            await engine.close()
            return status
        } catch {
            await engine.close()
            throw error
        }
    }

    /// Closes all connections. The database keeps running.
    public func close() async {
        await pool.close()
    }

    /// Schedules and delivers all that is due, once.
    ///
    /// - Parameter lineDescriptor: where lines for people go, when that is where pushes go.
    public func tick(lineDescriptor: Int32 = STDOUT_FILENO) async throws -> TickCounts {
        // Only what keeps pushes from leaving is worth a line beside the command's own output.
        var logger = Logger(label: "cherish") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        let outlet = try PushOutlet(
            settings.push ?? .standardOutput, settings.providers, lineDescriptor: lineDescriptor, logger: logger)
        let tick = Tick(
            scheduler: scheduler, deliverer: deliverer(outlet, logger: Engine.quietLogger),
            concurrency: settings.concurrency)
        return try await outlet.closing { try await tick.run() }
    }

    /// The way out for the worker's pushes.
    ///
    /// - Throws: ``SettingError`` where a provider's settings cannot be used.
    func outletOfWorker(logger: Logger) throws -> PushOutlet {
        let setting = settings.push ?? (settings.providers.areSetUp ? .devices : .standardOutput)
        return try PushOutlet(setting, settings.providers, lineDescriptor: STDOUT_FILENO, logger: logger)
    }

    /// The worker's services, to be run in a group.
    func worker(_ outlet: PushOutlet, logger: Logger) -> Worker {
        Worker(
            scheduler: scheduler, deliverer: deliverer(outlet, logger: logger),
            housekeeping: Housekeeping(pool: pool, time: store.time, retention: settings.retentionDays),
            concurrency: settings.concurrency, pollInterval: settings.pollInterval, logger: logger)
    }

    private var scheduler: LaneScheduler {
        LaneScheduler(pool: pool, zones: zones, time: store.time)
    }

    private func deliverer(_ outlet: PushOutlet, logger: Logger) -> Deliverer {
        Deliverer(
            log: DeliveryLog(pool: pool, zones: zones, time: store.time, leaseDuration: settings.leaseDuration),
            destination: outlet.destination, links: DeepLinks(scheme: settings.linkScheme), worker: Engine.workerName,
            logger: logger)
    }

    /// Names this process in leases and receipts. Two containers may share host name and process number.
    private static let workerName = """
        \(ProcessInfo.processInfo.hostName):\(ProcessInfo.processInfo.processIdentifier)\
        :\(String(UInt32.random(in: .min ... .max), radix: 16))
        """

    /// Commands report through their own output.
    private static let quietLogger = Logger(label: "cherish") { _ in SwiftLogNoOpLogHandler() }
}

/// Runs the worker until SIGTERM or SIGINT, then lets it finish what it holds.
public enum WorkerProcess {
    /// Runs it; returns once it was told to stop and has finished what it held.
    ///
    /// - Throws: whatever keeps it from starting, such as ``SchemaError``.
    public static func run(_ settings: Settings) async throws {
        LoggingSystem.bootstrap { label in StreamLogHandler.standardError(label: label) }
        var logger = Logger(label: "cherish.worker")
        logger.logLevel = settings.logLevel
        try await Engine.with(settings) { engine in
            let outlet = try engine.outletOfWorker(logger: logger)
            logger.notice("started", metadata: ["pushes": "\(outlet.description)"])
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: engine.worker(outlet, logger: logger).services,
                    gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
            try await outlet.closing { try await group.run() }
        }
        logger.notice("stopped")
    }
}
