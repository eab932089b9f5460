import CherishCore
import CherishStore
import CherishTestSupport
import Postgres
import ServiceLifecycle
import Synchronization
import Testing

@testable import CherishWorker

@Suite("A worker that is asked to stop", .migratedDatabase, .serialized)
struct StoppingTests {
    /// Whether something has ended.
    private final class Ending: Sendable {
        private let isThere = Atomic<Bool>(false)

        var hasCome: Bool { isThere.load(ordering: .acquiring) }

        func come() { isThere.store(true, ordering: .releasing) }
    }

    /// A lock that blocks a statement of a loop, and a part of that statement.
    private static let waits = [
        ("LOCK TABLE occurrence IN ACCESS EXCLUSIVE MODE", "FROM lane LEFT JOIN LATERAL"),
        ("LOCK TABLE lane_delivery IN ACCESS EXCLUSIVE MODE", "FROM lane_delivery AS delivery JOIN lane"),
        ("SELECT FROM lane FOR UPDATE", "FROM lane WHERE lane = $1"),
    ]

    private func worker(at now: Instant, _ pool: ConnectionPool) -> Worker {
        let zones = ServiceUnderTest.zones
        let log = DeliveryLog(pool: pool, zones: zones, time: .fixed(now), leaseDuration: longWait)
        return Worker(
            scheduler: LaneScheduler(pool: pool, zones: zones, time: .fixed(now)),
            deliverer: Deliverer(
                log: log, destination: .lines(RecordingSender()), worker: "worker-1", logger: .silent),
            housekeeping: Housekeeping(pool: pool, time: .fixed(now), retention: 3_650),
            store: CareStore(pool: pool, zones: zones, time: .fixed(now)), concurrency: 4,
            pollInterval: .milliseconds(50), logger: .silent)
    }

    @Test("ends while the database still blocks a loop, without waiting for a timeout", arguments: waits)
    func whileItWaits(lock: String, statement: String) async throws {
        let service = ServiceUnderTest()
        _ = try await service.garden()
        // No statement of the worker ends by itself.
        let pool = ConnectionPool(
            configuration: PostgresConfiguration(
                connectionString: TestDatabase.current.connectionString, connectTimeout: longWait),
            maximumConnections: 8, acquireTimeout: longWait)
        let group = ServiceGroup(
            services: worker(at: try seoul("2027-03-02T09:00"), pool).services, logger: .silent)
        let ending = Ending()
        let running = try await service.pool.withTransaction { holder -> Task<Void, any Error> in
            try await holder.script("\(lock)")
            let running = Task {
                try await group.run()
                ending.come()
            }
            try await eventually("no loop waits") {
                try await service.count(
                    """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock' AND strpos(query, $1) > 0
                    """, [statement]) > 0
            }
            await group.triggerGracefulShutdown()
            // The lock is held until the worker has ended.
            try await eventually("it goes on waiting") { ending.hasCome }
            return running
        }
        try await running.value
        await pool.close()
    }
}
