import CherishCore
import CherishStore
import Logging
import Metrics
import ServiceLifecycle

/// A loop that goes on after every error, ever more slowly, until it is asked to stop.
struct ServiceLoop: Sendable {
    let name: String
    /// After the first error; it doubles up to five seconds.
    var shortestPause = Duration.milliseconds(200)
    let pulse: Pulse
    let logger: Logger

    /// - Parameter step: one round; it ends with a wait of its own.
    func run(_ step: @Sendable () async throws -> Void) async {
        var failures = 0
        // Made before the first error: a counter that begins with 1 does not show as a rise.
        let errors = Counter(label: "cherish_service_errors_total", dimensions: [("service", name)])
        while !Task.isShuttingDownGracefully && !Task.isCancelled {
            pulse.note(name)
            do {
                try await step()
                if failures > 0 { logger.notice("going on again", metadata: ["service": "\(name)"]) }
                failures = 0
            } catch is CancellationError where Task.isShuttingDownGracefully || Task.isCancelled {
                // What it waited for was cut off, so that it stops at once.
                return
            } catch {
                failures += 1
                errors.increment()
                logger.error("trying again", metadata: ["service": "\(name)", "error": "\(error)"])
                let pause = max(shortestPause, min(shortestPause * (1 << min(failures - 1, 5)), .seconds(5)))
                await cancelWhenGracefulShutdown { try? await Task.sleep(for: pause) }
            }
        }
    }

    /// Asked between the batches of a round, so that a long one shows that it goes on.
    func shouldStop() -> Bool {
        pulse.note(name)
        return Task.isShuttingDownGracefully
    }

    /// Measures a round that did something.
    func record(_ started: ContinuousClock.Instant) {
        Metrics.Timer(label: "cherish_tick_seconds", dimensions: [("service", name)])
            .record(duration: ContinuousClock.now - started)
    }
}

/// Turns occurrences into push jobs as their time comes.
struct SchedulingService: Service {
    let tick: Tick
    let scheduler: LaneScheduler
    let delivery: Bell
    let pollInterval: Duration
    let pulse: Pulse
    let logger: Logger

    func run() async throws {
        let bell = Bell()
        let loop = ServiceLoop(name: "scheduling", pulse: pulse, logger: logger)
        await loop.run {
            let outlook = try await cancelWhenGracefulShutdown { try await scheduler.outlook() }
            guard outlook.due.isEmpty else { return try await schedule(outlook.due, loop) }
            // Other programs add occurrences too, perhaps earlier ones.
            await bell.wait(
                atMost: min(pollInterval, outlook.next.map { outlook.now.duration(to: $0) } ?? pollInterval))
        }
    }

    private func schedule(_ due: [Lane], _ loop: ServiceLoop) async throws {
        let started = ContinuousClock.now
        // A batch that is cut off is rolled back, and the next worker takes it.
        let counts = try await cancelWhenGracefulShutdown {
            try await tick.schedule(due, shouldStop: { loop.shouldStop() }, enqueued: { delivery.ring() })
        }
        if counts != TickCounts() {
            loop.record(started)
            logger.info("scheduled", metadata: counts.metadata)
        }
    }
}

/// Delivers push jobs.
struct DeliveryService: Service {
    let tick: Tick
    let bell: Bell
    let pollInterval: Duration
    let pulse: Pulse
    let logger: Logger

    func run() async throws {
        let loop = ServiceLoop(name: "delivery", pulse: pulse, logger: logger)
        await loop.run {
            let started = ContinuousClock.now
            // Round by round: under a steady load there is always more, and it must show in the log.
            let counts = try await tick.deliverRound(shouldStop: { loop.shouldStop() })
            guard counts != TickCounts() else { return await bell.wait(atMost: pollInterval) }
            loop.record(started)
            logger.info("delivered", metadata: counts.metadata)
        }
        await tick.finish()
    }
}

/// Makes partitions ahead and drops those that were kept long enough, now and every hour.
struct HousekeepingService: Service {
    let housekeeping: Housekeeping
    let pulse: Pulse
    let logger: Logger

    func run() async throws {
        let bell = Bell()
        // Not as soon as the others: each try locks lane after lane for a moment.
        let loop = ServiceLoop(name: "housekeeping", shortestPause: .seconds(60), pulse: pulse, logger: logger)
        await loop.run {
            let started = ContinuousClock.now
            // It may be waiting for a backup that reads what it drops. The next run goes on where this one ends.
            let report = try await cancelWhenGracefulShutdown { try await housekeeping.run() }
            if report != Housekeeping.Report() {
                loop.record(started)
                logger.info("kept house", metadata: report.metadata)
            }
            await bell.wait(atMost: .seconds(3600))
        }
    }
}

/// Goes on with gardens that a command began to plan again and did not finish, every ten seconds. While the command runs, this
/// one helps it.
struct ReplanningService: Service {
    let store: CareStore
    let pulse: Pulse
    let logger: Logger

    func run() async throws {
        let bell = Bell()
        let loop = ServiceLoop(name: "replanning", shortestPause: .seconds(10), pulse: pulse, logger: logger)
        await loop.run {
            let started = ContinuousClock.now
            let finished = try await store.resumeReplanning(shouldStop: { loop.shouldStop() })
            if finished > 0 {
                loop.record(started)
                logger.info("planned gardens again", metadata: ["gardens": "\(finished)"])
            }
            await bell.wait(atMost: .seconds(10))
        }
    }
}

/// The worker: scheduling, delivery, replanning and housekeeping side by side. Stopping cuts off what is only looked at and what can be
/// rolled back, and finishes the deliveries that were begun, for ``Worker/gracePeriod`` at most.
public struct Worker: Sendable {
    /// How long deliveries that were begun may take once the worker is to stop: what providers answer in, by default, and then
    /// some. After it they are cancelled too, and another worker repeats them with the same collapse ids.
    public static let gracePeriod = Duration.seconds(20)

    public let services: [any Service]
    /// Of scheduling and delivery. Housekeeping sleeps for hours and waits for backups, and replanning has little to do.
    public let pulse: Pulse
    private let leases: HeldLeases
    private let underway: UnderwayPushes

    /// For how long this worker has held the lane that it has held longest; zero when it delivers none.
    public var oldestLeaseAge: Duration { leases.oldestAge() }

    /// How many pushes wait for webhooks, or for what webhooks answered to be recorded.
    public var underwayCount: Int { underway.count }

    /// - Parameters:
    ///   - store: what gardens are planned again by.
    ///   - pollInterval: how long something that another program added may wait to be seen.
    public init(
        scheduler: LaneScheduler, deliverer: Deliverer, housekeeping: Housekeeping, store: CareStore, concurrency: Int,
        pollInterval: Duration, logger: Logger
    ) {
        let tick = Tick(scheduler: scheduler, deliverer: deliverer, concurrency: concurrency)
        let bell = deliverer.bell
        pulse = Pulse(["scheduling", "delivery"])
        leases = deliverer.leases
        underway = deliverer.underway
        services = [
            HousekeepingService(housekeeping: housekeeping, pulse: pulse, logger: logger),
            ReplanningService(store: store, pulse: pulse, logger: logger),
            SchedulingService(
                tick: tick, scheduler: scheduler, delivery: bell, pollInterval: pollInterval, pulse: pulse,
                logger: logger),
            DeliveryService(tick: tick, bell: bell, pollInterval: pollInterval, pulse: pulse, logger: logger),
        ]
        // What will be counted is known: a counter that begins with 1 does not show as a rise.
        TickCounts().report()
    }
}

extension TickCounts {
    /// What is not zero, for a log line.
    var metadata: Logger.Metadata {
        let all = [
            "enqueued": enqueued, "delivered": delivered, "superseded": superseded, "suppressed": suppressed,
            "expired": expired, "retrying": retrying, "dead": dead,
        ]
        return all.filter { $0.value > 0 }.mapValues { "\($0)" }
    }
}

extension Housekeeping.Report {
    /// What there is to tell, for a log line.
    var metadata: Logger.Metadata {
        var all: Logger.Metadata = [:]
        if !made.isEmpty { all["made"] = "\(made.count)" }
        if let first = counted.first, let last = counted.last { all["counted"] = "\(first) to \(last)" }
        if !dropped.isEmpty { all["dropped"] = "\(dropped.count)" }
        if let held { all["held"] = "\(held)" }
        return all
    }
}
