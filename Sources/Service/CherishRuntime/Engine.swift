import CherishCore
import CherishPush
import CherishStore
import CherishWorker
import Foundation
import Logging
import Postgres
import PrivatePostgres
import SystemTimeZones

/// Wires the engine's modules together.
///
/// This module knows settings, wiring and error codes. It may touch the environment, key files and the database. Start
/// reading at ``open(_:now:requiresSchema:)``, then ``Settings``.
public struct Engine: Sendable {
    /// Reads and changes gardens.
    public private(set) var store: CareStore
    /// Migrates the database to this program's schema.
    public let migrator: Migrator
    public let zones: SystemTimeZones
    package let pool: ConnectionPool
    /// A separate pool, so that probes neither queue behind the work nor take its connections, and time out soon.
    package let monitoringPool: ConnectionPool
    package let settings: Settings
    /// How long a probe waits for the database.
    package static let monitoringPatience = Duration.seconds(3)

    /// Connects to the configured database. Starts and migrates a private cluster first.
    ///
    /// - Parameters:
    ///   - now: overrides the current time; nil uses the database's clock.
    ///   - requiresSchema: whether to refuse a database with missing migrations.
    public static func open(_ settings: Settings, now: Instant? = nil, requiresSchema: Bool = true) async throws
        -> Engine
    {
        let engine = Engine(settings, connectionString: try await connectionString(settings.database), now: now)
        do {
            if case .privateCluster = settings.database { try await engine.migrateAsFarAsPossible() }
            if requiresSchema { try await engine.migrator.requireCurrent() }
        } catch {
            await engine.close()
            throw error
        }
        return engine
    }

    /// Migrates, but tolerates report views that are in use: `cherish database migrate` reports those.
    private func migrateAsFarAsPossible() async throws {
        do {
            try await migrator.migrate()
        } catch SchemaError.reportsInUse {}
    }

    /// Opens an engine, runs the body and closes the engine.
    public static func with<Result: Sendable>(
        _ settings: Settings, now: Instant? = nil, requiresSchema: Bool = true,
        _ body: (Engine) async throws -> Result
    ) async throws -> Result {
        try await open(settings, now: now, requiresSchema: requiresSchema).closing(after: body)
    }

    /// Connects like ``open(_:now:requiresSchema:)``, for a program that acts for one account at a time: the database shows
    /// and accepts nothing else (decision 24). On Citus, which cannot do that, the statements alone see to it.
    ///
    /// - Parameters:
    ///   - time: nil uses the database's clock.
    ///   - connections: the most connections.
    public static func openForAccounts(_ settings: Settings, time: EngineTime?, connections: Int) async throws -> Engine
    {
        var engine = Engine(
            settings, connectionString: try await connectionString(settings.database), time: time ?? .database,
            connections: connections)
        do {
            if case .privateCluster = settings.database {
                try await engine.migrateAsFarAsPossible()
                _ = try await Roles(pool: engine.pool).establish()
            }
            try await engine.migrator.requireCurrent()
            // One announcement for all requests of a moment.
            let announcer = ChangeAnnouncer(pool: engine.pool, pause: .milliseconds(5))
            if try await !engine.pool.withConnection({ try await $0.isOnCitus() }) {
                engine.store = CareStore(
                    pool: engine.pool, zones: engine.zones, time: engine.store.time, gardenRole: Roles.accountRole,
                    announcer: announcer)
            } else {
                engine.store = CareStore(
                    pool: engine.pool, zones: engine.zones, time: engine.store.time, announcer: announcer)
            }
        } catch {
            await engine.close()
            throw error
        }
        return engine
    }

    private init(_ settings: Settings, connectionString: String, now: Instant?) {
        self.init(
            settings, connectionString: connectionString, time: now.map { .fixed($0) } ?? .database,
            connections: settings.maximumConnections)
    }

    private init(_ settings: Settings, connectionString: String, time: EngineTime, connections: Int) {
        self.settings = settings
        // A program frozen in mid-transaction must not block its lane for longer than a dead one.
        pool = ConnectionPool(
            configuration: PostgresConfiguration(
                connectionString: connectionString, applicationName: "cherish", connectTimeout: .seconds(10),
                statementTimeout: nil, idleTransactionTimeout: max(settings.leaseDuration, .seconds(1))),
            maximumConnections: connections, acquireTimeout: .seconds(30))
        monitoringPool = ConnectionPool(
            configuration: PostgresConfiguration(
                connectionString: connectionString, applicationName: "cherish monitoring",
                connectTimeout: Engine.monitoringPatience, statementTimeout: Engine.monitoringPatience),
            maximumConnections: 1, acquireTimeout: Engine.monitoringPatience)
        zones = SystemTimeZones()
        store = CareStore(pool: pool, zones: zones, time: time)
        migrator = Migrator(pool: pool)
    }

    /// Returns the database's connection string. Starts a private cluster first.
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

    /// The migration status, and whether the database is marked for tests. Starts and migrates nothing.
    public static func databaseStatus(_ settings: Settings) async throws -> (migrations: Migrator.Status, isTest: Bool)
    {
        try await withUnprepared(settings) { engine in
            (try await engine.migrator.status(), try await DatabaseMark(pool: engine.pool).isTest())
        }
    }

    /// The mark of a test database: reads and sets it.
    public var databaseMark: DatabaseMark { DatabaseMark(pool: pool) }

    /// Repairs calendars that a tick with a future `--now` scheduled ahead of the clock.
    public var cursorRepair: CursorRepair { CursorRepair(store: store) }

    /// Runs the body with an engine on a database that it neither starts nor migrates.
    package static func withUnprepared<Result: Sendable>(
        _ settings: Settings, now: Instant? = nil, _ body: (Engine) async throws -> Result
    ) async throws -> Result {
        let connectionString =
            switch settings.database {
            case .server(let connectionString): connectionString
            case .privateCluster(let home): PrivateCluster(home: home).connectionString()
            }
        return try await Engine(settings, connectionString: connectionString, now: now).closing(after: body)
    }

    private func closing<Result: Sendable>(after body: (Engine) async throws -> Result) async throws -> Result {
        do {
            let result = try await body(self)
            await close()
            return result
        } catch {
            await close()
            throw error
        }
    }

    /// Closes all connections. The database keeps running.
    public func close() async {
        await store.announcer.finish()
        await pool.close()
        await monitoringPool.close()
    }

    /// Schedules and delivers everything due, once.
    ///
    /// - Parameters:
    ///   - open: opens the push destination once all checks have passed. Receives a logger for errors that keep pushes
    ///     from being sent.
    /// - Throws: ``FutureNow`` if `--now` is so far ahead that alarms of a shared database would ring late or never.
    public func tick(to open: (Logger) throws -> PushOutlet) async throws -> RoundCounts {
        if case .server = settings.database { try await store.requirePresent() }
        // Log only errors that keep pushes from being sent; the command reports the rest itself.
        var logger = Logger(label: "cherish") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        let outlet = try open(logger)
        let unreadable = UnreadableRowLog(logger)
        let tick = LaneRunner(
            scheduler: scheduler(unreadable),
            deliverer: deliverer(outlet, unreadable, logger: Engine.quietLogger),
            concurrency: settings.concurrency)
        return try await outlet.closing {
            // A replanning error must not stop the pushes.
            var failure: (any Error)?
            do { try await store.resumeReplanning() } catch { failure = error }
            do { try await store.tellOldNews() } catch { failure = failure ?? error }
            var counts = try await tick.run()
            do {
                // What an outage kept back may be due now. An outage ends with the first look that finds nothing overdue.
                try await tick.noteLanes()
                try await tick.recordProviders(in: store)
                if try await store.excuseOutages() > 0 { counts.add(try await tick.run()) }
            } catch { failure = failure ?? error }
            if let failure { throw failure }
            return counts
        }
    }

    /// Creates the worker. Run its services in a service group.
    package func worker(_ outlet: PushOutlet, logger: Logger) -> Worker {
        let unreadable = UnreadableRowLog(logger)
        return Worker(
            scheduler: scheduler(unreadable), deliverer: deliverer(outlet, unreadable, logger: logger),
            housekeeping: Housekeeping(pool: pool, time: store.time, retention: settings.retentionDays), store: store,
            concurrency: settings.concurrency, pollInterval: settings.pollInterval, logger: logger)
    }

    private func scheduler(_ unreadable: UnreadableRowLog) -> LaneScheduler {
        LaneScheduler(pool: pool, zones: zones, time: store.time, report: unreadable.note)
    }

    private func deliverer(_ outlet: PushOutlet, _ unreadable: UnreadableRowLog, logger: Logger) -> Deliverer {
        Deliverer(
            log: DeliveryLog(
                pool: pool, zones: zones, time: store.time, leaseDuration: settings.leaseDuration,
                report: unreadable.note),
            destination: outlet.destination, links: DeepLinks(scheme: settings.linkScheme), worker: Engine.workerName,
            logger: logger)
    }

    /// Identifies this process in leases and receipts. The random part distinguishes containers with equal host names
    /// and process ids.
    private static let workerName = """
        \(ProcessInfo.processInfo.hostName):\(ProcessInfo.processInfo.processIdentifier)\
        :\(String(UInt32.random(in: .min ... .max), radix: 16))
        """

    /// Silent: commands report through their own output.
    private static let quietLogger = Logger(label: "cherish") { _ in SwiftLogNoOpLogHandler() }
}
