import CherishCore
import CherishStore
import Metrics
import ServiceLifecycle

/// What scheduling and delivering did.
public struct TickCounts: Sendable, Equatable {
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

    /// Adds what became of the jobs of a batch, here and in the process's counters: so a long round shows as it goes on,
    /// and an error in one lane hides nothing of the others.
    mutating func count(_ results: [DeliveryResult]) {
        var done = TickCounts()
        for result in results {
            switch result {
            case .ended(let outcome, _): done.add(outcome, 1)
            case .retry: done.retrying += 1
            // Counted when it is settled.
            case .underway: break
            }
        }
        done.report()
        add(done)
    }

    /// The same for a batch of occurrences.
    mutating func count(_ batch: LaneScheduler.Batch) {
        var done = TickCounts()
        done.enqueued = batch.enqueued
        for (outcome, count) in batch.ended { done.add(outcome, count) }
        done.report()
        add(done)
    }

    // Inlined into the loop of `deliver`, Swift 6.3's optimizer forgets all sums but the last two. The smoke run of the
    // benchmarks, which are optimized, counts what a tick says it delivered.
    @inline(never)
    mutating func add(_ other: TickCounts) {
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

/// Schedules and delivers all that is due, once: `cherish tick`, and what the worker's loops do again and again.
public struct Tick: Sendable {
    private let scheduler: LaneScheduler
    private let deliverer: Deliverer
    /// How many lanes are worked on side by side.
    private let concurrency: Int
    private let shuffles: Bool
    /// A command waits while its lane is scheduled, so a batch should not take long.
    private let schedulingBatchSizes = LaneBatchSizes(start: 1000, range: 100...4000, target: .milliseconds(100))

    /// - Parameters:
    ///   - concurrency: how many lanes are worked on side by side.
    ///   - shuffles: whether lanes are taken in an order of its own, so that workers who wake at the same moment are rarely
    ///     at the same lane; a simulation, which is to be repeated, takes them as they come.
    public init(scheduler: LaneScheduler, deliverer: Deliverer, concurrency: Int = 4, shuffles: Bool = true) {
        self.scheduler = scheduler
        self.deliverer = deliverer
        self.concurrency = concurrency
        self.shuffles = shuffles
    }

    /// Runs until nothing is due. Webhooks are waited for, and lanes that another program is delivering: when this returns,
    /// all that was due is done, whoever did it, except what is to be tried again later.
    public func run() async throws -> TickCounts {
        var counts = try await schedule()
        while true {
            counts.add(try await deliver())
            if deliverer.underway.isEmpty, try await deliverer.lanesWithWork().isEmpty { return counts }
            // Webhooks have not answered, or another worker holds what is left.
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Schedules all that is due.
    ///
    /// - Parameters:
    ///   - shouldStop: asked between two batches.
    ///   - enqueued: called whenever there are new jobs to deliver.
    public func schedule(
        shouldStop: @escaping @Sendable () -> Bool = { false }, enqueued: @escaping @Sendable () -> Void = {}
    ) async throws -> TickCounts {
        try await schedule(try await scheduler.outlook().due, shouldStop: shouldStop, enqueued: enqueued)
    }

    /// Schedules all that is due in some lanes.
    func schedule(
        _ lanes: [Lane], shouldStop: @escaping @Sendable () -> Bool, enqueued: @escaping @Sendable () -> Void
    ) async throws -> TickCounts {
        try await inParallel(shuffles ? lanes.shuffled() : lanes) { lane in
            var counts = TickCounts()
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

    /// Waits until nothing is underway any more and records what was answered: the last that a worker does. It takes as long
    /// as devices may take to answer, and some seconds more where other workers hold the lanes; they send again what is left.
    func finish() async {
        let end = ContinuousClock.now + deliverer.patience + .seconds(3)
        while !deliverer.underway.isEmpty, ContinuousClock.now < end {
            for lane in deliverer.underway.lanesToSettle {
                // What cannot be recorded now may be a moment later.
                _ = try? await deliverer.deliver(lane, shouldStop: { true })
            }
            guard (try? await Task.sleep(for: .milliseconds(50))) != nil else { return }
        }
    }

    /// Delivers all that is due in the lanes that no other worker holds. What is underway then stays so.
    ///
    /// - Parameter shouldStop: asked between two batches.
    public func deliver(shouldStop: @escaping @Sendable () -> Bool = { false }) async throws -> TickCounts {
        var counts = TickCounts()
        while true {
            let delivered = try await deliverRound(shouldStop: shouldStop)
            if delivered == TickCounts() { return counts }
            counts.add(delivered)
        }
    }

    /// Delivers what is due now, a visit to each lane. Nothing: nothing is left, other workers were faster everywhere, or
    /// it was told to stop.
    func deliverRound(shouldStop: @escaping @Sendable () -> Bool) async throws -> TickCounts {
        if shouldStop() { return TickCounts() }
        // Nothing was begun yet: a worker that is to stop does not wait for the answer.
        let work = try await cancelWhenGracefulShutdown { try await deliverer.lanesWithWork() }
        // Retries first, so that a trickle of fresh jobs does not keep them waiting.
        let free = work.filter { !$0.isLeased }.map { Visit(lane: $0.lane, first: $0.hasRetries ? .retries : .fresh) }
        // Nobody waits for what was answered to be recorded.
        let settling = Set(deliverer.underway.lanesToSettle).subtracting(work.map(\.lane)).sorted()
            .map { Visit(lane: $0, first: .fresh) }
        return try await inParallel((shuffles ? free.shuffled() : free) + settling) { visit in
            try await deliverer.deliver(visit.lane, first: visit.first, shouldStop: shouldStop)
        }
    }

    /// A lane to go to, and what to look for first.
    private struct Visit {
        let lane: Lane
        let first: DeliveryLog.Preference
    }

    /// Works on so many lanes side by side. An error in one neither cuts off those beside it, which may have sent what they
    /// have not recorded yet, nor keeps the others from their turn; the first error is thrown in the end. More errors than
    /// lanes side by side are not about a lane: then no further one is begun.
    private func inParallel<Element: Sendable>(
        _ elements: [Element], _ work: @escaping @Sendable (Element) async throws -> TickCounts
    ) async throws -> TickCounts {
        try await withTaskGroup(of: Result<TickCounts, any Error>.self) { group -> Result<TickCounts, any Error> in
            var waiting = elements.makeIterator()
            func begin() {
                guard let element = waiting.next() else { return }
                group.addTask {
                    do { return .success(try await work(element)) } catch { return .failure(error) }
                }
            }
            for _ in 0..<concurrency { begin() }
            var counts = TickCounts()
            var failures: [any Error] = []
            for await result in group {
                switch result {
                case .success(let done): counts.add(done)
                case .failure(let error): failures.append(error)
                }
                if failures.count <= concurrency { begin() }
            }
            return failures.first.map { .failure($0) } ?? .success(counts)
        }.get()
    }
}
