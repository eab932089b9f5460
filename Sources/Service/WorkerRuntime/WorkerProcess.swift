import CherishCore
import CherishRuntime
import CherishStore
import CherishWorker
import Foundation
import HTTPTypes
import Logging
import Metrics
import PrometheusMetrics
import ServiceLifecycle

/// What the program `cherish-worker` does.
///
/// This module knows what only the worker needs: device senders, metrics and probes. It may touch providers' servers
/// and one listening socket. Start reading at ``run(_:)``, then ``PushOutlet``.
public enum WorkerProcess {
    /// Runs the worker until SIGTERM or SIGINT, then shuts it down gracefully.
    ///
    /// Returns once the worker has finished the deliveries that it had begun.
    ///
    /// - Throws: an error that prevents the start, such as ``SchemaError``.
    public static func run(_ settings: Settings) async throws {
        let (logger, registry) = bootstrap(settings, label: "cherish.worker")
        try await withServices(settings, logger, registry) { try await serve($0, logger) }
        logger.notice("stopped")
    }

    /// Sets up logs and metrics of the process, before anything records a metric.
    public static func bootstrap(_ settings: Settings, label: String) -> (Logger, PrometheusRegistry) {
        LoggingSystem.bootstrap { label in StreamLogHandler.standardError(label: label) }
        var logger = Logger(label: label)
        logger.logLevel = settings.logLevel
        let registry = PrometheusRegistry(MetricCatalogue.families)
        if settings.monitoring != nil { MetricsSystem.bootstrap(registry) }
        return (logger, registry)
    }

    /// Lends the worker's services, with the server of metrics and probes, for a service group.
    ///
    /// - Throws: an error that prevents the start, such as ``SchemaError``.
    public static func withServices(
        _ settings: Settings, _ logger: Logger, _ registry: PrometheusRegistry,
        _ body: ([any Service]) async throws -> Void
    ) async throws {
        try await Engine.with(settings) { engine in
            let outlet = try PushOutlet.open(
                settings.workerPush, settings.providers, lineDescriptor: STDOUT_FILENO, logger: logger)
            try await outlet.closing {
                let worker = engine.worker(outlet, logger: logger)
                var services = worker.services
                if let address = settings.monitoring {
                    let server = try await monitoring(engine, worker, registry, logger, at: address)
                    logger.notice("listening", metadata: ["metrics": "\(server.url)/metrics"])
                    // The group stops services in reverse order, so the server stops last.
                    services.insert(server, at: 0)
                }
                logger.notice("started", metadata: ["pushes": "\(outlet.description)"])
                try await body(services)
            }
        }
    }

    /// Schedules and delivers everything due, once, to any push destination.
    ///
    /// - Parameter now: overrides the current time; nil uses the database's clock.
    public static func tick(_ settings: Settings, now: Instant?) async throws -> RoundCounts {
        try await Engine.with(settings, now: now) { engine in
            try await engine.tick { logger in
                try PushOutlet.open(
                    settings.workerPush, settings.providers, lineDescriptor: STDERR_FILENO, logger: logger)
            }
        }
    }

    /// Checks the push destination: whether key files are readable, well-formed and private.
    public static func check(_ settings: Settings) async -> [Finding] {
        await CredentialChecks(settings).findings()
    }

    /// Runs services until SIGTERM or SIGINT, then shuts them down gracefully.
    public static func serve(_ services: [any Service], _ logger: Logger) async throws {
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        configuration.maximumGracefulShutdownDuration = Worker.gracePeriod
        try await ServiceGroup(configuration: configuration).run()
    }

    /// The server of metrics and probes for a process without a worker; nil if none is wanted.
    ///
    /// - Parameter isReady: whether the process can do its work.
    /// - Throws: ``SettingError`` if the server cannot listen at the address.
    public static func monitoring(
        _ settings: Settings, _ logger: Logger, _ registry: PrometheusRegistry,
        isReady: @escaping @Sendable () async -> Bool
    ) async throws -> (any Service)? {
        guard let address = settings.monitoring else { return nil }
        let server = try await MonitoringServer.start(at: address, logger: logger) { path in
            switch path {
            case "/metrics":
                return MonitoringAnswer(
                    status: .ok, contentType: PrometheusRegistry.contentType, body: registry.exposition())
            case "/livez": return .ok("alive")
            case "/readyz": return await isReady() ? .ok("ready") : .unavailable("the database is away")
            default: return nil
            }
        }
        logger.notice("listening", metadata: ["metrics": "\(server.url)/metrics"])
        return server
    }

    /// Starts the server for scrapers and probes.
    ///
    /// - Throws: ``SettingError`` if the server cannot listen at the address.
    private static func monitoring(
        _ engine: Engine, _ worker: Worker, _ registry: PrometheusRegistry, _ logger: Logger,
        at address: MonitoringAddress
    ) async throws -> MonitoringServer {
        let (database, time) = (engine.monitoringPool, engine.store.time)
        let health = RecentAnswer(lifetime: .seconds(1)) { () async -> EngineHealth? in
            let answer = await withDeadline(HealthChecks.patience) {
                try? await EngineHealth.read(from: database, time: time)
            }
            // A late answer counts as none.
            return answer ?? nil
        }
        let gauges = WorkerGauges(pool: engine.pool, worker: worker, health: health)
        let checks = HealthChecks(silences: { worker.pulse.silences() }) {
            try await Migrator(pool: database).requireCurrent()
        }
        return try await MonitoringServer.start(at: address, logger: logger) { path in
            switch path {
            case "/metrics":
                await gauges.update()
                return MonitoringAnswer(
                    status: .ok, contentType: PrometheusRegistry.contentType, body: registry.exposition())
            case "/livez": return checks.liveness
            case "/readyz": return await checks.readiness()
            default: return nil
            }
        }
    }
}
