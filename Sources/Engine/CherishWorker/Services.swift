import CherishCore
import CherishStore
import Logging
import Metrics
import ServiceLifecycle
import Synchronization

/// A loop that continues after every error, with growing pauses, until shutdown.
struct ServiceLoop: Sendable {
    let name: String
    let backoff: Backoff
    let resting: RestingLanes
    let pulse: Pulse
    let logger: Logger
    private let errors: Counter

    init(name: String, backoff: Backoff = Backoff(), pulse: Pulse, logger: Logger) {
        self.name = name
        self.backoff = backoff
        self.pulse = pulse
        self.logger = logger
        resting = RestingLanes(backoff)
        // Created before the first error: a counter whose first value is 1 shows no increase.
        errors = Counter(label: "cherish_service_errors_total", dimensions: [("service", name)])
    }

    /// - Parameter step: one round, including the wait for the next one.
    func run(_ step: @Sendable () async throws -> Void) async {
        var failures = 0
        while !Task.isShuttingDownGracefully && !Task.isCancelled {
            pulse.note(name)
            do {
                try await step()
                if failures > 0 { logger.notice("going on again", metadata: ["service": "\(name)"]) }
                failures = 0
            } catch is CancellationError where Task.isShuttingDownGracefully || Task.isCancelled {
                // Shutdown cancelled the wait so that the loop stops at once.
                return
            } catch {
                failures += 1
                errors.increment()
                logger.error("trying again", metadata: ["service": "\(name)", "error": "\(error)"])
                let pause = backoff.pause(afterFailures: failures)
                await cancelWhenGracefulShutdown { try? await Task.sleep(for: pause) }
            }
        }
    }

    /// Logs what a round did, and lets the lanes rest that failed; the others go on.
    ///
    /// - Throws: the first error, if so many lanes failed that the fault must be global.
    func note(_ visits: LaneVisits, since started: ContinuousClock.Instant, _ done: Logger.Message) throws {
        if visits.counts != RoundCounts() {
            record(started)
            logger.info(done, metadata: visits.counts.metadata)
        }
        // Shutdown cancels what can roll back; that is no error of the lane.
        for (lane, error) in visits.failures where !(error is CancellationError && Task.isShuttingDownGracefully) {
            let pause = resting.add(lane)
            if visits.isCutShort { continue }
            errors.increment()
            logger.error(
                "the lane rests",
                metadata: ["service": "\(name)", "lane": "\(lane)", "for": "\(pause)", "error": "\(error)"])
        }
        if visits.isCutShort { _ = try visits.get() }
    }

    /// Checked between the batches of a round; also shows that a long round is alive.
    func shouldStop() -> Bool {
        pulse.note(name)
        return Task.isShuttingDownGracefully
    }

    /// Records the duration of a round that did something.
    func record(_ started: ContinuousClock.Instant) {
        Metrics.Timer(label: "cherish_tick_seconds", dimensions: [("service", name)])
            .record(duration: ContinuousClock.now - started)
    }
}

/// Turns occurrences into push jobs when they are due.
struct SchedulingService: Service {
    let tick: LaneRunner
    let scheduler: LaneScheduler
    let delivery: Bell
    let pollInterval: Duration
    let pulse: Pulse
    let logger: Logger

    func run() async throws {
        let bell = Bell()
        let loop = ServiceLoop(name: "scheduling", pulse: pulse, logger: logger)
        // When the lanes were looked at is noted at once, then every minute, and before a lane is scheduled that waited for long.
        let noted = Mutex<ContinuousClock.Instant?>(nil)
        await loop.run {
            let outlook = try await cancelWhenGracefulShutdown { try await scheduler.outlook() }
            let resting = loop.resting.lanes()
            let due = outlook.due.filter { !resting.contains($0) }
            let isMinuteOver = noted.withLock { $0 }.map { ContinuousClock.now - $0 >= .seconds(60) } ?? true
            if isMinuteOver || !resting.isSuperset(of: outlook.longLate) {
                noted.withLock { $0 = .now }
                // Evidence must not keep pushes waiting, such as while a node of Citus is down.
                do { try await scheduler.note(outlook) } catch {
                    logger.warning("looks at lanes not noted", metadata: ["error": "\(error)"])
                }
            }
            guard due.isEmpty else { return try await schedule(due, loop) }
            // Other programs add occurrences too, perhaps earlier ones.
            await bell.wait(
                atMost: min(pollInterval, outlook.next.map { outlook.now.duration(to: $0) } ?? pollInterval))
        }
    }

    private func schedule(_ due: [Lane], _ loop: ServiceLoop) async throws {
        let started = ContinuousClock.now
        // A cancelled batch rolls back, and the next worker takes it.
        let visits = await cancelWhenGracefulShutdown {
            await tick.schedule(due, shouldStop: { loop.shouldStop() }, enqueued: { delivery.ring() })
        }
        try loop.note(visits, since: started, "scheduled")
    }
}

/// Delivers push jobs.
struct DeliveryService: Service {
    let tick: LaneRunner
    let bell: Bell
    let pollInterval: Duration
    let pulse: Pulse
    let logger: Logger

    func run() async throws {
        let loop = ServiceLoop(name: "delivery", pulse: pulse, logger: logger)
        await loop.run {
            let started = ContinuousClock.now
            // One round at a time: under steady load there is always more, and the log must show progress.
            let visits = try await tick.deliverRound(
                except: loop.resting.lanes(), shouldStop: { loop.shouldStop() })
            try loop.note(visits, since: started, "delivered")
            if visits.counts == RoundCounts() { await bell.wait(atMost: pollInterval) }
        }
        await tick.finish()
    }
}

/// Makes partitions ahead, drops expired ones and summarizes histories, at startup and every hour.
struct HousekeepingService: Service {
    let housekeeping: Housekeeping
    let pulse: Pulse
    let logger: Logger

    func run() async throws {
        let bell = Bell()
        // Retry slowly: each attempt briefly locks lane after lane.
        let loop = ServiceLoop(
            name: "housekeeping", backoff: Backoff(shortest: .seconds(60)), pulse: pulse, logger: logger)
        await loop.run {
            let started = ContinuousClock.now
            // Dropping may wait for a backup that reads the table. The next run continues where this one stopped.
            let report = try await cancelWhenGracefulShutdown { try await housekeeping.run() }
            if report != Housekeeping.Report() {
                loop.record(started)
                logger.info("kept house", metadata: report.metadata)
            }
            await bell.wait(atMost: .seconds(3600))
        }
    }
}

/// Finishes, every ten seconds, what commands began and did not finish: the replanning of gardens, and news of shopping lists;
/// and excuses plants after an outage.
/// While that command still runs, the service helps it.
struct ReplanningService: Service {
    let store: CareStore
    let providers: ProviderWatch
    let pulse: Pulse
    let logger: Logger

    func run() async throws {
        let bell = Bell()
        let loop = ServiceLoop(
            name: "replanning", backoff: Backoff(shortest: .seconds(10)), pulse: pulse, logger: logger)
        await loop.run {
            let started = ContinuousClock.now
            // A list that cannot be read must not stop gardens, nor the other way round.
            var failure: (any Error)?
            do { try await store.tellOldNews(shouldStop: { loop.shouldStop() }) } catch { failure = error }
            var excused = 0
            do { excused = try await excuse(loop) } catch { failure = failure ?? error }
            let finished = try await store.resumeReplanning(shouldStop: { loop.shouldStop() })
            if let failure { throw failure }
            if finished > 0 {
                loop.record(started)
                logger.info("planned gardens again", metadata: ["gardens": "\(finished)"])
            }
            // There may be more to excuse.
            if excused == 0 { await bell.wait(atMost: .seconds(10)) }
        }
    }

    /// Records what providers did, and excuses plants whose pushes could not leave (rule 13.3), for some seconds at a time, because
    /// gardens and news wait.
    private func excuse(_ loop: ServiceLoop) async throws -> Int {
        try await providers.record(in: store)
        let end = ContinuousClock.now + .seconds(5)
        let excused = try await store.excuseOutages(shouldStop: { loop.shouldStop() || ContinuousClock.now > end })
        if excused > 0 { logger.notice("excused plants after an outage", metadata: ["plants": "\(excused)"]) }
        return excused
    }
}

/// The worker: scheduling, delivery, replanning and housekeeping, concurrently. On shutdown it cancels reads and
/// anything that can roll back, and finishes deliveries that have begun, within ``Worker/gracePeriod``.
///
/// This module knows rounds, batches, folding and retries. It may touch the store and the senders of pushes, nothing
/// else. Start reading at ``LaneRunner``, then ``Deliverer``.
public struct Worker: Sendable {
    /// How long deliveries may take after shutdown begins: the default wait for providers plus a margin. Afterwards
    /// they are cancelled, and another worker repeats them with the same collapse ids.
    public static let gracePeriod = Duration.seconds(20)

    public let services: [any Service]
    /// Covers scheduling and delivery. Housekeeping sleeps for an hour and waits for backups, and replanning is rarely busy.
    public let pulse: Pulse
    private let leases: HeldLeases
    private let underway: UnderwayPushes

    /// How long this worker has held its longest-held lane; zero if it delivers none.
    public var oldestLeaseAge: Duration { leases.oldestAge() }

    /// The number of pushes that wait for webhooks, or whose answers are not recorded yet.
    public var underwayCount: Int { underway.count }

    /// - Parameters:
    ///   - store: resumes replanning.
    ///   - pollInterval: the longest delay until the worker sees what another program added.
    public init(
        scheduler: LaneScheduler, deliverer: Deliverer, housekeeping: Housekeeping, store: CareStore, concurrency: Int,
        pollInterval: Duration, logger: Logger
    ) {
        let tick = LaneRunner(scheduler: scheduler, deliverer: deliverer, concurrency: concurrency)
        let bell = deliverer.bell
        pulse = Pulse(["scheduling", "delivery"])
        leases = deliverer.leases
        underway = deliverer.underway
        services = [
            HousekeepingService(housekeeping: housekeeping, pulse: pulse, logger: logger),
            ReplanningService(store: store, providers: deliverer.providers, pulse: pulse, logger: logger),
            SchedulingService(
                tick: tick, scheduler: scheduler, delivery: bell, pollInterval: pollInterval, pulse: pulse,
                logger: logger),
            DeliveryService(tick: tick, bell: bell, pollInterval: pollInterval, pulse: pulse, logger: logger),
        ]
        // Create the counters now: a counter whose first value is 1 shows no increase.
        RoundCounts().report()
    }
}

extension RoundCounts {
    /// The non-zero counts, for a log line.
    var metadata: Logger.Metadata {
        let all = [
            "enqueued": enqueued, "delivered": delivered, "superseded": superseded, "suppressed": suppressed,
            "expired": expired, "retrying": retrying, "dead": dead,
        ]
        return all.filter { $0.value > 0 }.mapValues { "\($0)" }
    }
}

extension Housekeeping.Report {
    /// What the run did, for a log line.
    var metadata: Logger.Metadata {
        var all: Logger.Metadata = [:]
        if !made.isEmpty { all["made"] = "\(made.count)" }
        if let first = counted.first, let last = counted.last { all["counted"] = "\(first) to \(last)" }
        if let last = indexed.first, let first = indexed.last { all["indexed"] = "\(first) to \(last)" }
        if !dropped.isEmpty { all["dropped"] = "\(dropped.count)" }
        if let held { all["held"] = "\(held)" }
        if erased > 0 { all["erased"] = "\(erased)" }
        if summarized > 0 { all["summarized"] = "\(summarized)" }
        if let summaryFailure { all["summary_failure"] = "\(summaryFailure)" }
        return all
    }
}
