import CherishCore
import CherishPush
import CherishStore
import CherishWorker
import Logging

/// One round of a worker.
struct Round: Sendable {
    let worker: Int
    /// The worker's now.
    let clock: Instant
    var schedules = true
    var delivers = true
    var batchSize = 3
    var fault: Fault?
    /// How many statements succeed before the fault.
    var countdown = 0
}

/// Sends all lines to the one phone that shows them.
private struct LinePhone: PushSender {
    let simulation: Simulation

    func send(_ messages: [PushMessage], at now: Instant) async -> [SendResult] {
        await simulation.receive(messages, at: now)
    }
}

extension Simulation {
    /// Draws the worker, its clock, its amount of work and its fault.
    func drawRound() -> Round {
        let worker = chance.number(in: 0...(workers.count - 1))
        if settings.hasFaults, chance.chance(20) { jumpClock(of: worker) }
        var round = Round(worker: worker, clock: clock(of: worker), batchSize: chance.number(in: 1...4))
        guard settings.hasFaults else { return round }
        let share = chance.number(in: 1...100)
        round.schedules = share > 12
        round.delivers = !(13...24).contains(share)
        if chance.chance(8) {
            round.fault = chance.element(of: Fault.allCases)
            round.countdown = chance.number(in: 0...30)
        }
        return round
    }

    private func jumpClock(of worker: Int) {
        let error = chance.number(in: -60...60)
        if error != workers[worker].clockError { report.faults["clock jump", default: 0] += 1 }
        workers[worker].clockError = error
    }

    private func clock(of worker: Int) -> Instant {
        now.adding(microseconds: Int64(workers[worker].clockError) * 1_000_000)
    }

    /// Runs a round and checks the result.
    func round(_ round: Round) async {
        if isWithoutWorkers {
            for id in order {
                accounts[id]?.follow(to: now)
                accounts[id]?.delayFurtherPushes(at: now)
            }
            return
        }
        latestClock = max(latestClock, round.clock)
        busyWorkers.append(round.worker)
        visits.append(Visit(seed: chance.next()))
        defer { busyWorkers.removeLast() }
        let program = workers[round.worker]
        if let fault = round.fault { program.faults.arm(fault, after: round.countdown) }
        var failure: (any Error)?
        var excused = 0
        do { excused = try await work(round, program) } catch { failure = error }
        let fired = round.fault == nil ? nil : program.faults.disarm()
        settle(visits.removeLast(), isSound: fired == nil && failure == nil)
        if settings.hasOutages, excused > 0 || failure != nil {
            outageFacts.settle(isRecorded: false)
            do { try await followExcuses(by: round.clock) } catch {
                note(.workersGoOn, nil, "the oracle could not look for excuses: \(error)")
            }
        }
        if let fired {
            report.faults["worker: \(fired.rawValue)", default: 0] += 1
            if fired.kills { workers[round.worker].deaths += 1 }
            expireLeases(at: now.adding(minutes: chance.number(in: 1...20)))
        } else if let failure {
            note(.workersGoOn, nil, "\(program.name) failed: \(failure)")
        } else if round.schedules, round.delivers, !isLeaseAbandoned, !isOutage {
            soundRounds.append(now)
        }
    }

    /// - Returns: how many plants it has excused.
    private func work(_ round: Round, _ program: SimulatedProgram) async throws -> Int {
        let name = "\(program.name).\(program.deaths)"
        let lines = LinePhone(simulation: self)
        let provider = PhoneProvider(simulation: self, visit: visits.count - 1)
        // Effectively no timeout: the machine's speed must not affect the result.
        let devices = DeviceSenders([.ios: provider], dailyCap: settings.dailyCap, patience: .seconds(600))
        let time = EngineTime.fixed(round.clock)
        // Leases expire only when the simulation says so.
        let log = DeliveryLog(
            pool: program.pool, zones: zones, time: time, leaseDuration: .seconds(86_400), domains: domains)
        let deliverer = Deliverer(
            log: log, destination: settings.usesPhones ? .devices(devices) : .lines(lines),
            retryPolicy: RetryPolicy(random: { 0.5 }), worker: name,
            batchSizes: round.batchSize...round.batchSize,
            logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() })
        let tick = LaneRunner(
            scheduler: LaneScheduler(pool: program.pool, zones: zones, time: time, domains: domains),
            deliverer: deliverer, concurrency: 1, shuffles: false)
        if round.schedules {
            outageFacts.look(at: round.clock)
            _ = try await tick.schedule()
        }
        if round.delivers {
            if let delivery = variant.delivery {
                try await delivery(log, name, lines, round.clock)
            } else {
                _ = try await tick.deliver()
            }
        }
        guard settings.hasOutages else { return 0 }
        let store = CareStore(pool: program.pool, zones: zones, time: time, domains: domains, identifiers: identifiers)
        return try await handleOutages(round, tick, store)
    }

    var isOutage: Bool { outages.contains { $0.contains(now) } }

    // MARK: Lines

    /// Answers a batch as the one phone that shows all lines. Sometimes the answer is lost although the push arrived;
    /// sometimes the lease expires before the answer, and another worker takes over.
    func receive(_ messages: [PushMessage], at clock: Instant) async -> [SendResult] {
        if isOutage { return messages.map { _ in .retry(error: "provider outage") } }
        var results: [SendResult] = []
        for message in messages {
            see(message, plannedAt: nil, as: ShownPush(phone: "", collapseID: message.collapseID), at: clock)
            let isLost = settings.hasFaults && chance.chance(3)
            if isLost { report.faults["answer of a provider lost", default: 0] += 1 }
            results.append(isLost ? .retry(error: "no answer") : .delivered)
        }
        if settings.hasFaults, busyWorkers.count == 1, workers.count > 1, chance.chance(10) {
            await letAnotherWorkerCome()
        }
        return results
    }

    func letAnotherWorkerCome() async {
        guard let busy = busyWorkers.first else { return }
        report.faults["lease ran out while sending", default: 0] += 1
        do {
            try await evidence.expireLeases()
        } catch {
            note(.workersGoOn, nil, "the oracle could not let leases run out: \(error)")
        }
        let other = (busy + 1) % workers.count
        await round(Round(worker: other, clock: clock(of: other), batchSize: chance.number(in: 1...4)))
    }
}
