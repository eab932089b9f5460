import CherishCore
import CherishStore
import Postgres
import SeededChance
import SystemTimeZones

/// Months of the service's life in virtual time: people act, workers take their rounds, things go wrong, and an oracle looks
/// whether all promises are kept.
///
/// The store, the scheduler and the delivery are the engine's own, on a real database; each call is told what time it is.
/// One thing happens after the other, and one seeded generator decides what, so that the same settings give the same
/// history. What runs at the same time, a command and a scheduler or two workers of a lane, is let in at chosen moments.
public actor Simulation {
    let settings: SimulationSettings
    let variant: SimulationVariant
    let zones = SystemTimeZones()
    let evidence: Evidence
    /// Tells a person how far it is.
    private let progress: @Sendable (String) -> Void
    let quietPool: ConnectionPool
    let people: SimulatedProgram
    var workers: [SimulatedProgram]
    /// Ids of accounts, devices, imports and erasures.
    let identifiers: UniqueIdentifiers

    var chance: SplitMix64
    var now: Instant
    /// What is still to happen, the next at the end.
    private var events: [Event] = []
    /// Living accounts and how they must be, in the order in which they came.
    var order: [Account.ID] = []
    var accounts: [Account.ID: AccountModel] = [:]
    var lastPhone = 0
    var lastEmail = 0
    /// When providers answer nobody.
    var outages: [ClosedRange<Instant>] = []
    /// When everything that was due could be scheduled and sent.
    var soundRounds: [Instant] = []
    /// Whether a dead worker may still hold a lane.
    var isLeaseAbandoned = false
    /// The workers that are at it: one, or a second one while the first is sending.
    var busyWorkers: [Int] = []
    var latestClock: Instant
    var phones = Phones()
    /// The visits of those workers.
    var visits: [Visit] = []
    /// What the accounts were told lately, by collapse id.
    var told: [Account.ID: [String: ToldPush]] = [:]
    /// On which of their days the accounts got a digest.
    var digestDays: [Account.ID: Set<CivilDay>] = [:]
    /// Phones of which the service knows that they are gone.
    var retiredTokens: Set<String> = []
    /// Whose plants they are, or were.
    var owners: [Plant.ID: Account.ID] = [:]
    /// What was planned for the plants that were removed.
    var removedPlans: [Plant.ID: RemovedPlans] = [:]
    var lanes: [Lane: Evidence.LaneFacts] = [:]
    var report: SimulationReport

    /// Prepares a simulation; nothing is connected yet.
    ///
    /// - Parameters:
    ///   - connectionString: an empty database with Cherish's schema, which nobody else uses.
    ///   - variant: what is broken on purpose.
    ///   - progress: gets a line for each 30 days.
    public init(
        _ settings: SimulationSettings, connectionString: String, variant: SimulationVariant = SimulationVariant(),
        progress: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        var settings = settings
        // A delivery in its own way writes lines.
        if variant.delivery != nil { settings.usesPhones = false }
        self.settings = settings
        self.variant = variant
        self.progress = progress
        let pool = ConnectionPool(
            configuration: PostgresConfiguration(connectionString: connectionString, applicationName: "oracle"),
            maximumConnections: 1)
        quietPool = pool
        evidence = Evidence(pool: pool)
        people = SimulatedProgram("people", connectionString, rewrite: variant.commandStatement)
        workers = (1...settings.workers).map {
            SimulatedProgram("worker-\($0)", connectionString, rewrite: variant.workerStatement)
        }
        var chance = SplitMix64(seed: settings.seed)
        let shared = SharedChance(seed: chance.next(), lanes: settings.lanes)
        identifiers = UniqueIdentifiers(random: { shared.identifier() })
        self.chance = chance
        now = settings.start
        latestClock = settings.start
        report = SimulationReport(settings: settings)
    }

    /// Runs until all days are over, or until a promise was not kept.
    ///
    /// - Throws: what keeps the oracle itself from looking, such as ``PostgresError``.
    public func run() async throws -> SimulationReport {
        do {
            try await simulate()
        } catch {
            await close()
            throw error
        }
        await close()
        return report
    }

    private func simulate() async throws {
        _ = try await Housekeeping(pool: people.pool, time: .fixed(now), retention: 36_500).run()
        for _ in 0..<settings.accounts { await join() }
        for day in 1...settings.days where report.violations.isEmpty {
            try await live(until: now.adding(hours: 24))
            try await check(until: now.adding(hours: -36))
            report.days = day
            if day.isMultiple(of: 30) {
                progress("day \(day): \(report.acts.values.reduce(0, +)) acts, \(phones.count) pushes")
            }
        }
        if report.violations.isEmpty { try await finish() }
        report.repetitions = phones.repetitions
        report.digest = try await evidence.digest()
    }

    private func close() async {
        await quietPool.close()
        await people.pool.close()
        for worker in workers { await worker.pool.close() }
    }

    /// Lets everything come to its end: nobody acts, nothing goes wrong.
    private func finish() async throws {
        try await evidence.expireLeases()
        isLeaseAbandoned = false
        for _ in 0..<80 {
            now = now.adding(minutes: 30)
            await round(Round(worker: 0, clock: now))
        }
        try await check(until: now.adding(hours: -36))
    }

    // MARK: Findings

    func note(_ promise: Violation.Promise, _ plant: Plant.ID? = nil, _ what: String) {
        guard report.violations.count < 10 else { return }
        report.violations.append(Violation(promise: promise, at: now, plant: plant, what: what))
    }

    /// Compares, and notes what is not so.
    func expect(
        _ condition: Bool, _ promise: Violation.Promise, _ plant: Plant.ID? = nil, _ what: @autoclosure () -> String
    ) {
        report.checks += 1
        if !condition { note(promise, plant, what()) }
    }
}

// MARK: - Time

/// Something that is to happen.
private struct Event {
    enum Kind {
        case act(Account.ID), lastMinute(Account.ID), lateEvening(Account.ID), round, leasesRunOut, sessionsCut
    }

    let at: Instant
    let kind: Kind
}

extension Simulation {
    /// Lets happen what a day brings.
    private func live(until end: Instant) async throws {
        planDay()
        while let event = events.last, event.at < end {
            events.removeLast()
            now = event.at
            try await happen(event.kind)
        }
        now = end
    }

    private func happen(_ kind: Event.Kind) async throws {
        switch kind {
        case .act(let id): await act(id)
        case .lastMinute(let id): await changeAtTheLastMinute(id)
        case .lateEvening(let id): await meetSeveral(id)
        case .round: await round(drawRound())
        case .leasesRunOut:
            try await evidence.expireLeases()
            isLeaseAbandoned = false
        case .sessionsCut:
            try await evidence.cutSessions()
            report.faults["sessions cut off", default: 0] += 1
        }
    }

    /// Lets the leases of a dead worker run out.
    func expireLeases(at instant: Instant) {
        isLeaseAbandoned = true
        insert(Event(at: instant, kind: .leasesRunOut))
    }

    private func insert(_ event: Event) {
        let place = events.firstIndex { $0.at <= event.at } ?? events.endIndex
        events.insert(event, at: place)
    }

    private func planDay() {
        for id in order { planPerson(id) }
        // Every half hour or so: less than two hours lie between two rounds that nothing disturbs.
        for number in 0..<40 {
            let second = (number * 86_400 + chance.number(in: 0...86_399)) / 40
            insert(Event(at: now.adding(microseconds: Int64(second) * 1_000_000), kind: .round))
        }
        guard settings.hasFaults else { return }
        outages.removeAll { $0.upperBound < now.adding(hours: -96) }
        if chance.chance(15) {
            let start = instantOfDay()
            outages.append(start...start.adding(minutes: chance.number(in: 5...120)))
            report.faults["provider outage", default: 0] += 1
        }
        if chance.chance(25) { insert(Event(at: instantOfDay(), kind: .sessionsCut)) }
    }

    /// Once or twice, and rather while the person is awake.
    private func planPerson(_ id: Account.ID) {
        guard let zone = accounts[id]?.zone else { return }
        for likelihood in [85, 35] where chance.chance(likelihood) {
            var instant = instantOfDay()
            for _ in 0..<3 where !(7..<23).contains(zone.timeOfDay(at: instant).minuteOfDay / 60) {
                instant = instantOfDay()
            }
            insert(Event(at: instant, kind: .act(id)))
        }
        // Half a minute before nine, when most alarms ring.
        let nine = next(.defaultAlarm, in: zone)
        if chance.chance(40), nine < now.adding(hours: 24) {
            insert(Event(at: nine.adding(microseconds: -30_000_000), kind: .lastMinute(id)))
        }
        // Within quiet hours, so that reminders of several plants wait for one minute.
        let late = next(Simulation.lateEvening, in: zone)
        if settings.usesPhones, chance.chance(4), late < now.adding(hours: 24) {
            insert(Event(at: late, kind: .lateEvening(id)))
        }
    }

    private static let lateEvening = TimeOfDay(minuteOfDay: 22 * 60 + 30)!  // a minute of the day

    /// When clocks in a zone show a time next, in more than a minute.
    private func next(_ time: TimeOfDay, in zone: TimeZoneRules) -> Instant {
        let today = zone.firstInstant(on: zone.day(at: now), at: time)
        return today > now.adding(minutes: 1) ? today : zone.firstInstant(on: zone.day(at: now) + 1, at: time)
    }

    private func instantOfDay() -> Instant {
        now.adding(microseconds: Int64(chance.number(in: 0...86_399)) * 1_000_000)
    }
}

/// A program with connections of its own, which things happen to.
struct SimulatedProgram: Sendable {
    let name: String
    /// How often it died and was started again.
    var deaths = 0
    /// By how many seconds its clock is wrong.
    var clockError = 0
    let faults: FaultInjector
    let pool: ConnectionPool

    init(_ name: String, _ connectionString: String, rewrite: @escaping @Sendable (String) -> String) {
        self.name = name
        faults = FaultInjector(rewrite: rewrite)
        pool = ConnectionPool(
            configuration: PostgresConfiguration(
                connectionString: connectionString, applicationName: name, statementTimeout: .seconds(60),
                interceptor: faults),
            maximumConnections: 4)
    }
}
