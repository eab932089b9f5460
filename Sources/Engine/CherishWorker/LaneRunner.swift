import CherishCore
import CherishStore
import Metrics
import ServiceLifecycle

/// What scheduling and delivery did.
public struct RoundCounts: Codable, Sendable, Equatable {
    public var enqueued = 0
    public var delivered = 0
    public var superseded = 0
    public var suppressed = 0
    public var expired = 0
    public var retrying = 0
    public var dead = 0

    public init() {}

    mutating func add(_ outcome: PushOutcome, _ count: Int) {
        switch outcome {
        case .delivered: delivered += count
        case .superseded: superseded += count
        case .suppressed: suppressed += count
        case .expired: expired += count
        case .dead: dead += count
        }
    }

    /// Adds the results of a batch here and to the process's counters, so that a long round shows progress and an error
    /// in one lane does not hide the work of the others.
    mutating func count(_ results: [DeliveryResult]) {
        var done = RoundCounts()
        for result in results {
            switch result {
            case .ended(let outcome, _): done.add(outcome, 1)
            case .retry: done.retrying += 1
            // Counted once it is settled.
            case .underway: break
            }
        }
        done.report()
        add(done)
    }

    /// Does the same for a batch of occurrences.
    mutating func count(_ batch: LaneScheduler.Batch) {
        var done = RoundCounts()
        done.enqueued = batch.enqueued
        for (outcome, count) in batch.ended { done.add(outcome, count) }
        done.report()
        add(done)
    }

    // When this is inlined into the loop of `deliver`, the optimizer of Swift 6.3 drops all sums but the last two. The
    // smoke run of the benchmarks, an optimized build, checks the delivered count.
    /// Adds what another round did.
    @inline(never)
    public mutating func add(_ other: RoundCounts) {
        enqueued += other.enqueued
        delivered += other.delivered
        superseded += other.superseded
        suppressed += other.suppressed
        expired += other.expired
        retrying += other.retrying
        dead += other.dead
    }

    /// Adds to the process's counters.
    func report() {
        Counter(label: "cherish_pushes_enqueued_total").increment(by: enqueued)
        Counter(label: "cherish_pushes_deferred_total").increment(by: retrying)
        let outcomes = [
            ("delivered", delivered), ("superseded", superseded), ("suppressed", suppressed), ("expired", expired),
            ("dead", dead),
        ]
        for (outcome, number) in outcomes {
            Counter(label: "cherish_pushes_ended_total", dimensions: [("outcome", outcome)]).increment(by: number)
        }
    }
}

/// One visit to each of several lanes: what it did, and which lanes failed.
struct LaneVisits {
    fileprivate(set) var counts = RoundCounts()
    fileprivate(set) var failures: [(lane: Lane, error: any Error)] = []
    /// Whether so many lanes failed that the fault must be global; no further lane was visited.
    fileprivate(set) var isCutShort = false

    /// Returns the counts.
    ///
    /// - Throws: the first error.
    func get() throws -> RoundCounts {
        if let first = failures.first { throw first.error }
        return counts
    }
}

/// Schedules and delivers everything due, once. `cherish tick` runs it, and the worker's loops repeat its steps.
public struct LaneRunner: Sendable {
    private let scheduler: LaneScheduler
    private let deliverer: Deliverer
    /// How many lanes are processed concurrently.
    private let concurrency: Int
    private let shuffles: Bool
    /// Commands wait while their lane is scheduled, so a batch must be short.
    private let schedulingBatchSizes = LaneBatchSizes(start: 1000, range: 100...4000, target: .milliseconds(100))

    /// - Parameters:
    ///   - concurrency: how many lanes are processed concurrently.
    ///   - shuffles: whether to shuffle the lanes, so that workers waking together rarely meet at one lane; a
    ///     simulation, which must be reproducible, does not.
    public init(scheduler: LaneScheduler, deliverer: Deliverer, concurrency: Int = 4, shuffles: Bool = true) {
        self.scheduler = scheduler
        self.deliverer = deliverer
        self.concurrency = concurrency
        self.shuffles = shuffles
    }

    /// Runs until nothing is due. It also waits for webhooks and for lanes that other programs are delivering: when it
    /// returns, everything due is done, whoever did it, except later retries.
    public func run() async throws -> RoundCounts {
        var counts = try await schedule()
        while true {
            counts.add(try await deliver())
            if deliverer.underway.isEmpty, try await deliverer.lanesWithWork().isEmpty { return counts }
            // A webhook has not answered, or another worker holds the rest.
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Records which providers took no push, and which do again (rule 13.3).
    public func recordProviders(in store: CareStore) async throws {
        try await deliverer.providers.record(in: store)
    }

    /// Records that the lanes were looked at, except those with overdue pushes (rule 13.3).
    public func noteLanes() async throws {
        try await scheduler.note(try await scheduler.outlook())
    }

    /// Schedules everything due.
    ///
    /// - Parameters:
    ///   - shouldStop: checked between batches.
    ///   - enqueued: called whenever there are new jobs to deliver.
    public func schedule(
        shouldStop: @escaping @Sendable () -> Bool = { false }, enqueued: @escaping @Sendable () -> Void = {}
    ) async throws -> RoundCounts {
        let outlook = try await scheduler.outlook()
        try await scheduler.note(outlook)
        return try await schedule(outlook.due, shouldStop: shouldStop, enqueued: enqueued).get()
    }

    /// Schedules everything due in some lanes.
    func schedule(
        _ lanes: [Lane], shouldStop: @escaping @Sendable () -> Bool, enqueued: @escaping @Sendable () -> Void
    ) async -> LaneVisits {
        await inParallel(shuffles ? lanes.shuffled() : lanes, lane: { $0 }) { lane in
            var counts = RoundCounts()
            var isFull = true
            let batchSize = schedulingBatchSizes[lane]
            while isFull && !shouldStop() {
                let limit = batchSize.current
                let started = ContinuousClock.now
                let batch = try await scheduler.schedule(lane, limit: limit)
                batchSize.note(batch.count, of: limit, took: ContinuousClock.now - started)
                counts.count(batch)
                if batch.enqueued > 0 { enqueued() }
                isFull = batch.isFull
            }
            return counts
        }
    }

    /// Waits until nothing is underway and records the answers, as a worker's last step. Takes at most the devices'
    /// patience plus three seconds for lanes held by other workers, which resend what is left.
    func finish() async {
        let end = ContinuousClock.now + deliverer.patience + .seconds(3)
        while !deliverer.underway.isEmpty, ContinuousClock.now < end {
            for lane in deliverer.underway.lanesToSettle {
                // A failure to record may be transient.
                _ = try? await deliverer.deliver(lane, shouldStop: { true })
            }
            guard (try? await Task.sleep(for: .milliseconds(50))) != nil else { return }
        }
    }

    /// Delivers everything due in lanes that no other worker holds. Pushes underway stay underway.
    ///
    /// - Parameter shouldStop: checked between batches.
    public func deliver(shouldStop: @escaping @Sendable () -> Bool = { false }) async throws -> RoundCounts {
        var counts = RoundCounts()
        while true {
            let delivered = try await deliverRound(shouldStop: shouldStop).get()
            if delivered == RoundCounts() { return counts }
            counts.add(delivered)
        }
    }

    /// Delivers what is due now, with one visit to each lane. The counts are empty if nothing is left, other workers
    /// were faster everywhere, or shutdown began.
    ///
    /// - Parameter resting: lanes that are not visited.
    func deliverRound(except resting: Set<Lane> = [], shouldStop: @escaping @Sendable () -> Bool) async throws
        -> LaneVisits
    {
        if shouldStop() { return LaneVisits() }
        // Nothing has begun yet, so shutdown need not wait for the answer.
        let work = try await cancelWhenGracefulShutdown { try await deliverer.lanesWithWork() }
        // Start with retries, so that a trickle of fresh jobs cannot starve them.
        let free = work.filter { !$0.isLeased }.map { Visit(lane: $0.lane, first: $0.hasRetries ? .retries : .fresh) }
        // Settle last: nobody waits for these answers to be recorded.
        let settling = Set(deliverer.underway.lanesToSettle).subtracting(work.map(\.lane)).sorted()
            .map { Visit(lane: $0, first: .fresh) }
        let visits = ((shuffles ? free.shuffled() : free) + settling).filter { !resting.contains($0.lane) }
        return await inParallel(visits, lane: \.lane) { visit in
            try await deliverer.deliver(visit.lane, first: visit.first, shouldStop: shouldStop)
        }
    }

    /// A lane to visit, and which jobs to read first.
    private struct Visit {
        let lane: Lane
        let first: DeliveryLog.Preference
    }

    /// Processes up to ``concurrency`` lanes at a time. An error in one lane neither cancels its neighbours, which may
    /// have sent what they have not recorded yet, nor skips the rest. If failures exceed the concurrency, the fault is
    /// global: start no further lane.
    private func inParallel<Element: Sendable>(
        _ elements: [Element], lane: @Sendable (Element) -> Lane,
        _ work: @escaping @Sendable (Element) async throws -> RoundCounts
    ) async -> LaneVisits {
        await withTaskGroup(of: (lane: Lane, result: Result<RoundCounts, any Error>).self) { group in
            var waiting = elements.makeIterator()
            func begin() {
                guard let element = waiting.next() else { return }
                let lane = lane(element)
                group.addTask {
                    do { return (lane, .success(try await work(element))) } catch { return (lane, .failure(error)) }
                }
            }
            for _ in 0..<concurrency { begin() }
            var visits = LaneVisits()
            for await (lane, result) in group {
                switch result {
                case .success(let done): visits.counts.add(done)
                case .failure(let error): visits.failures.append((lane, error))
                }
                visits.isCutShort = visits.failures.count > concurrency
                if !visits.isCutShort { begin() }
            }
            return visits
        }
    }
}
