import CherishCore
import CherishStore
import Postgres
import SeededChance
import SystemTimeZones

/// Simulates months of the service in virtual time: people act, workers take their rounds, faults occur, and an oracle
/// checks every promise.
///
/// This module knows how people, faults and clocks behave, and what must hold. It may touch one database of its own.
/// Start reading at ``run()``, then `Oracle.swift`.
///
/// Store, scheduler and delivery are the engine's own, on a real database; each call gets the virtual time. Events run
/// one after another and one seeded generator makes every choice, so the same settings give the same history.
/// Concurrency, such as a command and a scheduler or two workers of one lane, is injected at chosen moments.
public actor Simulation {
    let settings: SimulationSettings
    let variant: SimulationVariant
    let zones = SystemTimeZones()
    let evidence: Evidence
    /// Plants and the further domains.
    let domains: DueDomains
    /// Reports progress to a person.
    private let progress: @Sendable (String) -> Void
    let quietPool: ConnectionPool
    let people: SimulatedProgram
    var workers: [SimulatedProgram]
    /// Ids of accounts, devices, imports and erasures.
    let identifiers: UniqueIdentifiers

    var chance: SplitMix64
    /// Decides what people do in further domains, so that a simulation without any draws nothing for them.
    var furtherChance: SplitMix64
    /// Decides about pauses and long outages.
    var fairChance: SplitMix64
    var now: Instant
    /// Future events, the next one last.
    private var events: [Event] = []
    /// The living accounts and their expected state, in the order of joining.
    var order: [Account.ID] = []
    var accounts: [Account.ID: AccountModel] = [:]
    var lastPhone = 0
    var lastEmail = 0
    var outageFacts = OutageFacts()
    /// When all providers are down.
    var outages: [ClosedRange<Instant>] = []
    /// The rounds in which everything due could be scheduled and sent.
    var soundRounds: [Instant] = []
    /// Whether a dead worker may still hold a lane.
    var isLeaseAbandoned = false
    /// The workers in a round: one, or two while the first is sending.
    var busyWorkers: [Int] = []
    var latestClock: Instant
    var phones = Phones()
    /// The visits of those workers.
    var visits: [Visit] = []
    /// The pushes that phones of the accounts received, by collapse id.
    var received: [Account.ID: [String: ReceivedPush]] = [:]
    /// The days, in their own zone, on which accounts got a digest.
    var digestDays: [Account.ID: Set<CivilDay>] = [:]
    /// The phones that the service knows to be gone.
    var retiredTokens: Set<String> = []
    /// The account of each subject, living or erased.
    var owners: [Subject.ID: Account.ID] = [:]
    /// The pointers of removed plants, as of their removal.
    var removedPlans: [Plant.ID: RemovedPlans] = [:]
    var lanes: [Lane: Evidence.LaneFacts] = [:]
    var replicas = Replicas()
    var report: SimulationReport

    /// Prepares a simulation without connecting.
    ///
    /// - Parameters:
    ///   - connectionString: an empty database with Cherish's schema and no other user.
    ///   - variant: the deliberately broken parts.
    ///   - progress: gets a line for each 30 days.
    public init(
        _ settings: SimulationSettings, connectionString: String, variant: SimulationVariant = SimulationVariant(),
        progress: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        var settings = settings
        // A variant's own delivery writes lines.
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
        // "Subjects" in ASCII.
        furtherChance = SplitMix64(seed: settings.seed ^ 0x5375_626a_6563_7473)
        // "Fairness" in ASCII.
        fairChance = SplitMix64(seed: settings.seed ^ 0x4661_6972_6e65_7373)
        let plants: [any DueDomain] = [PlantDomain()]
        domains = DueDomains(plants + settings.domains.map { $0.dueDomain })
        now = settings.start
        latestClock = settings.start
        report = SimulationReport(settings: settings)
    }

    /// Runs until all days are over or a promise is broken.
    ///
    /// - Throws: an error that stops the oracle itself, such as ``PostgresError``.
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
        for domain in settings.domains { try await domain.prepare(quietPool) }
        _ = try await Housekeeping(pool: people.pool, time: .fixed(now), retention: 36_500).run()
        for _ in 0..<settings.accounts { await join() }
        for day in 1...settings.days where report.violations.isEmpty {
            try await live(until: now.adding(hours: 24))
            try await check(until: settled(hours: 36))
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

    /// Runs the engine until everything has ended, without acts and faults.
    private func finish() async throws {
        try await evidence.expireLeases()
        isLeaseAbandoned = false
        outageFacts.withoutWorkers = []
        for _ in 0..<80 {
            now = now.adding(minutes: 30)
            await round(Round(worker: 0, clock: now))
        }
        try await check(until: now.adding(hours: -36))
    }

    // MARK: Findings

    func note(_ promise: Violation.Promise, _ subject: Subject.ID? = nil, _ what: String) {
        guard report.violations.count < 10 else { return }
        report.violations.append(Violation(promise: promise, at: now, subject: subject, what: what))
    }

    /// Counts a check, and notes a violation if it fails.
    func expect(
        _ condition: Bool, _ promise: Violation.Promise, _ subject: Subject.ID? = nil,
        _ what: @autoclosure () -> String
    ) {
        report.checks += 1
        if !condition { note(promise, subject, what()) }
    }
}

// MARK: - Time

/// A scheduled event.
private struct Event {
    enum Kind {
        case act(Account.ID), lastMinute(Account.ID), lateEvening(Account.ID), rest(Account.ID), round, leasesRunOut,
            sessionsCut, outageDeclared
        case furtherAct(Account.ID, domain: Int)
    }

    let at: Instant
    let kind: Kind
}

extension Simulation {
    /// Plays one day.
    private func live(until end: Instant) async throws {
        planDay()
        planFurtherActs()
        planOutages()
        planDeclaration()
        planRests()
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
        case .rest(let id): await rest(id)
        case .furtherAct(let id, let domain): await act(id, inFurtherDomain: domain)
        case .round: await round(drawRound())
        case .leasesRunOut:
            try await evidence.expireLeases()
            isLeaseAbandoned = false
        case .sessionsCut:
            try await evidence.cutSessions()
            report.faults["sessions cut off", default: 0] += 1
        case .outageDeclared: try await declareOutage()
        }
    }

    /// Schedules the expiry of a dead worker's leases.
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
        // One round in each 36 minutes, so that consecutive rounds are less than 72 minutes apart.
        for number in 0..<40 {
            let second = (number * 86_400 + chance.number(in: 0...86_399)) / 40
            insert(Event(at: now.adding(microseconds: Int64(second) * 1_000_000), kind: .round))
        }
        guard settings.hasFaults else { return }
        outages.removeAll { $0.upperBound < now.adding(hours: -192) }
        if chance.chance(15) {
            let start = instantOfDay()
            outages.append(start...start.adding(minutes: chance.number(in: 5...120)))
            report.faults["provider outage", default: 0] += 1
        }
        if chance.chance(25) { insert(Event(at: instantOfDay(), kind: .sessionsCut)) }
    }

    /// Plans one or two acts, preferably while the person is awake.
    private func planPerson(_ id: Account.ID) {
        guard let zone = accounts[id]?.zone else { return }
        for likelihood in [85, 35] where chance.chance(likelihood) {
            var instant = instantOfDay()
            for _ in 0..<3 where !(7..<23).contains(zone.timeOfDay(at: instant).minuteOfDay / 60) {
                instant = instantOfDay()
            }
            insert(Event(at: instant, kind: .act(id)))
        }
        // Half a minute before nine, when half of the alarms ring.
        let nine = next(.defaultAlarm, in: zone)
        if chance.chance(40), nine < now.adding(hours: 24) {
            insert(Event(at: nine.adding(microseconds: -30_000_000), kind: .lastMinute(id)))
        }
        // Within quiet hours, so that the reminders of several plants wait for the same minute.
        let late = next(Simulation.lateEvening, in: zone)
        if settings.usesPhones, chance.chance(4), late < now.adding(hours: 24) {
            insert(Event(at: late, kind: .lateEvening(id)))
        }
    }

    /// Plans an act in each further domain for half of the people.
    private func planFurtherActs() {
        for id in order {
            for domain in settings.domains.indices where furtherChance.chance(50) {
                let second = Int64(furtherChance.number(in: 0...86_399))
                insert(
                    Event(at: now.adding(microseconds: second * 1_000_000), kind: .furtherAct(id, domain: domain)))
            }
        }
    }

    /// Plans when an operator declares an outage.
    private func planDeclaration() {
        guard settings.hasOutages, fairChance.chance(30) else { return }
        let second = Int64(fairChance.number(in: 0...86_399))
        insert(Event(at: now.adding(microseconds: second * 1_000_000), kind: .outageDeclared))
    }

    /// Plans who begins or ends a pause.
    private func planRests() {
        guard settings.hasPauses else { return }
        for id in order where fairChance.chance(20) {
            let second = Int64(fairChance.number(in: 0...86_399))
            insert(Event(at: now.adding(microseconds: second * 1_000_000), kind: .rest(id)))
        }
    }

    private static let lateEvening = TimeOfDay(minuteOfDay: 22 * 60 + 30)!  // a minute of the day

    /// The next instant, more than a minute ahead, at which the zone's clocks show a time.
    private func next(_ time: TimeOfDay, in zone: PersonClock) -> Instant {
        let today = zone.firstInstant(on: zone.day(at: now), at: time)
        return today > now.adding(minutes: 1) ? today : zone.firstInstant(on: zone.day(at: now) + 1, at: time)
    }

    private func instantOfDay() -> Instant {
        now.adding(microseconds: Int64(chance.number(in: 0...86_399)) * 1_000_000)
    }
}

/// A program with its own connections, subject to faults.
struct SimulatedProgram: Sendable {
    let name: String
    /// How often it died and was restarted.
    var deaths = 0
    /// The error of its clock, in seconds.
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
