import CherishCore
import CherishPush
import CherishStore
import CherishWorker
import Foundation
import Logging
import Postgres
import SeededChance
import SystemTimeZones

/// Simulates months in which neighbours fetch each other's shopping (rule 11), in virtual time, and checks every promise.
///
/// It is a simulation of its own beside ``Simulation``, because here an act of one person changes what others are promised. Store,
/// scheduler, delivery and the outbox of news are the engine's own; programs stop between any two statements. Start reading at
/// ``run()``, then `NeighbourModel.swift`, which is the oracle.
public actor NeighbourSimulation {
    private let settings: SimulationSettings
    private let variant: SimulationVariant
    private let progress: @Sendable (String) -> Void
    private let zones = SystemTimeZones()
    private let domains = DueDomains([ListDomain()])
    private let quietPool: ConnectionPool
    private let evidence: Evidence
    private let facts: NeighbourFacts
    private let people: SimulatedProgram
    private var workers: [SimulatedProgram]
    private let identifiers: UniqueIdentifiers

    private var chance: SplitMix64
    private var now: Instant
    private var world = NeighbourhoodModel()
    /// Everybody, in the order of joining.
    private var order: [Account.ID] = []
    private var lastEmail = 0
    private var lastTitle = 0
    private var outages: [ClosedRange<Instant>] = []
    /// The rounds in which everything due could be scheduled and sent.
    private var soundRounds: [Instant] = []
    private var replicas = Replicas()
    private var report: SimulationReport

    /// Prepares a simulation without connecting.
    ///
    /// - Parameters:
    ///   - connectionString: an empty database with Cherish's schema and no other user.
    ///   - variant: the deliberately broken parts; it cannot replace the delivery.
    ///   - progress: gets a line for each 30 days.
    public init(
        _ settings: SimulationSettings, connectionString: String, variant: SimulationVariant = SimulationVariant(),
        progress: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.settings, self.variant, self.progress) = (settings, variant, progress)
        quietPool = ConnectionPool(
            configuration: PostgresConfiguration(connectionString: connectionString, applicationName: "oracle"),
            maximumConnections: 1)
        evidence = Evidence(pool: quietPool)
        facts = NeighbourFacts(pool: quietPool)
        people = SimulatedProgram("people", connectionString, rewrite: variant.commandStatement)
        workers = (1...settings.workers).map {
            SimulatedProgram("worker-\($0)", connectionString, rewrite: variant.workerStatement)
        }
        var chance = SplitMix64(seed: settings.seed)
        let shared = SharedChance(seed: chance.next(), lanes: settings.lanes)
        identifiers = UniqueIdentifiers(random: { shared.identifier() })
        self.chance = chance
        now = settings.start
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
        if let preparation = variant.preparation {
            try await quietPool.withConnection { try await $0.script(preparation) }
        }
        _ = try await Housekeeping(pool: people.pool, time: .fixed(now), retention: 36_500).run()
        try await importPostcodes()
        for _ in 0..<settings.accounts { await join() }
        for day in 1...settings.days where report.violations.isEmpty {
            try await live(until: now.adding(hours: 24))
            try await check()
            report.days = day
            if day.isMultiple(of: 30) {
                progress(
                    "day \(day): \(report.acts.values.reduce(0, +)) acts, \(report.pushes.values.reduce(0, +)) pushes")
            }
        }
        report.digest = try await evidence.digest()
    }

    private func close() async {
        await quietPool.close()
        await people.pool.close()
        for worker in workers { await worker.pool.close() }
    }

    private func importPostcodes() async throws {
        let degrees = NeighbourhoodModel.kilometresBetweenPlaces / 111.195
        let centres = (0..<NeighbourhoodModel.placeCount).compactMap { number -> PostcodeCentre? in
            guard let country = Country("KR"),
                let position = Position(latitude: 37 + Double(number) * degrees, longitude: 127)
            else { return nil }
            return PostcodeCentre(country: country, key: "K\(number)", position: position)
        }
        _ = try await CareStore(pool: quietPool, zones: zones, time: .fixed(now)).importPostcodes(centres)
    }

    // MARK: Findings

    private func note(_ promise: Violation.Promise, _ list: ShoppingList.ID? = nil, _ what: String) {
        guard report.violations.count < 10 else { return }
        report.violations.append(
            Violation(promise: promise, at: now, subject: list.map { Subject.ID($0.uuid) }, what: what))
    }

    private func expect(
        _ condition: Bool, _ promise: Violation.Promise, _ list: ShoppingList.ID? = nil,
        _ what: @autoclosure () -> String
    ) {
        report.checks += 1
        if !condition { note(promise, list, what()) }
    }
}

// MARK: - Time

extension NeighbourSimulation {
    private func live(until end: Instant) async throws {
        var events: [(at: Instant, person: Account.ID?)] = []
        for id in order {
            for likelihood in [90, 60, 30] where chance.chance(likelihood) { events.append((instantOfDay(), id)) }
        }
        // One round in each 36 minutes.
        for number in 0..<40 {
            let second = (number * 86_400 + chance.number(in: 0...86_399)) / 40
            events.append((now.adding(microseconds: Int64(second) * 1_000_000), nil))
        }
        if settings.hasFaults, chance.chance(15) {
            let start = instantOfDay()
            outages = [start...start.adding(minutes: chance.number(in: 5...120))]
            report.faults["provider outage", default: 0] += 1
        }
        for event in events.sorted(by: { $0.at < $1.at }) where report.violations.isEmpty {
            now = event.at
            if let person = event.person { await act(person) } else { await round(isSound: !settings.hasFaults) }
        }
        now = end
        // Twice: what is told in the first is planned by then.
        await round(isSound: true)
        await round(isSound: true)
    }

    private func instantOfDay() -> Instant {
        now.adding(microseconds: Int64(chance.number(in: 0...86_399)) * 1_000_000)
    }
}

// MARK: - People

extension NeighbourSimulation {
    private func join() async {
        lastEmail += 1
        do {
            let place = chance.number(in: 0...(NeighbourhoodModel.placeCount - 1))
            let account = try await store.addAccount(
                email: EmailAddress("person-\(lastEmail)@example.com"), nickname: Nickname("person"), phone: nil,
                timeZone: "Asia/Seoul", language: .english)
            var edit = AccountEdit()
            edit.postcode = .some(try Postcode("K\(place)"))
            edit.country = .some(Country("KR"))
            _ = try await store.garden(of: account.id).editAccount(edit)
            order.append(account.id)
            world.people[account.id] = NeighbourModel(id: account.id, place: place)
        } catch {
            note(.wholeCommands, nil, "an account could not be added: \(error)")
        }
    }

    private var store: CareStore {
        CareStore(pool: people.pool, zones: zones, time: .fixed(now), domains: domains, identifiers: identifiers)
    }

    /// Lets a person do something, or nothing.
    private func act(_ id: Account.ID) async {
        guard let person = world.people[id], let act = draw(person) else { return }
        let fault = settings.hasFaults && chance.chance(10) ? drawFault() : nil
        await perform(act, by: id, fault)
        if case .leave = act { await join() }
    }

    private func drawFault() -> CommandFault {
        let fault: Fault = chance.chance(30) ? .commitAnswerLost : chance.element(of: Fault.allCases)
        // An acceptance, the longest act but leaving, has about thirty statements.
        return CommandFault(fault: fault, countdown: chance.number(in: 0...30))
    }

    private func draw(_ person: NeighbourModel) -> NeighbourAct? {
        switch chance.number(in: 1...1_000) {
        case ...330: return drawOwners(person)
        case ...400: return .search(kilometres: chance.element(of: [2, 6, 6, 10, 20, 50]))
        case ...650: return drawAcceptance(person)
        case ...940: return drawHelpers(person)
        case ...950: return anyList().map { .block($0) }
        case ...960: return chance.elementIfAny(of: person.blocks.sorted { "\($0)" < "\($1)" }).map { .unblock($0) }
        case ...980: return .move(to: (person.place + chance.number(in: 1...20)) % NeighbourhoodModel.placeCount)
        case ...984: return anyList().map { .close($0) }
        case ...988: return .bar(person.isBarred)
        case ...991: return person.isBarred ? .bar(true) : nil
        case ...994: return .leave
        default: return nil
        }
    }

    private func drawOwners(_ person: NeighbourModel) -> NeighbourAct? {
        let own = world.lists(of: person.id)
        let drafts = own.filter { $0.openedAt == nil }
        if drafts.count < 2, chance.chance(40) {
            lastTitle += 1
            return .write(title: "list-\(lastTitle)", entryCount: chance.number(in: 1...4))
        }
        if let draft = chance.elementIfAny(of: drafts), chance.chance(60) {
            return chance.chance(90) ? .open(draft.id) : .delete(draft.id)
        }
        guard let list = chance.elementIfAny(of: own.suffix(40)) else { return nil }
        switch chance.number(in: 1...100) {
        case ...15: return .edit(list.id, entryCount: chance.number(in: 1...4))
        case ...25: return .cancel(list.id)
        default:
            let delivered = own.filter { $0.deliveredAt != nil && $0.rating == nil }
            return (chance.elementIfAny(of: delivered) ?? (chance.chance(20) ? list : nil))
                .map { .rate($0.id, points: chance.number(in: 1...5)) }
        }
    }

    /// Mostly an open list of somebody else, sometimes any.
    private func drawAcceptance(_ person: NeighbourModel) -> NeighbourAct? {
        if chance.chance(15) { return anyList().map { .accept($0) } }
        let open = world.lists.values.filter { $0.state(at: now) == .open && $0.ownerID != person.id }
            .map(\.id).sorted { "\($0)" < "\($1)" }
        return chance.elementIfAny(of: open).map { .accept($0) }
    }

    private func drawHelpers(_ person: NeighbourModel) -> NeighbourAct? {
        let helped = world.lists(helpedBy: person.id)
        let current = helped.filter { $0.state(at: now) == .accepted }
        guard let list = chance.elementIfAny(of: chance.chance(85) ? current : helped) else { return nil }
        switch chance.number(in: 1...100) {
        case ...30:
            return .mark(list.id, number: chance.number(in: 1...list.bought.count), isBought: chance.chance(80))
        case ...60: return .deliver(list.id)
        case ...80: return .release(list.id)
        case ...92: return .attach(list.id, chance.chance(75))
        // What others may do, it may not.
        default: return anyList().map { chance.chance(50) ? .deliver($0) : .attach($0, true) }
        }
    }

    private func anyList() -> ShoppingList.ID? {
        chance.elementIfAny(of: world.lists.keys.sorted { "\($0)" < "\($1)" })
    }
}

// MARK: - Doing it

extension NeighbourSimulation {
    /// Runs an act through the store and the model. After a fault, the database shows whether it took effect.
    private func perform(_ act: NeighbourAct, by id: Account.ID, _ fault: CommandFault?) async {
        let refusals = world.refusals(of: act, by: id, at: now)
        let before = world
        var after = world
        if refusals.isEmpty || after.isExcused(refusals, of: id) { after.apply(act, by: id, at: now) }
        if let list = act.list, case .accept = act { ask(list, by: id, &after) }
        if let fault { people.faults.arm(fault.fault, after: fault.countdown) }
        report.acts[act.name, default: 0] += 1
        let outcome: Result<ShoppingList.ID?, any Error>
        do { outcome = .success(try await carryOut(act, by: id)) } catch { outcome = .failure(error) }
        let fired = fault == nil ? nil : people.faults.disarm()
        if let fired { report.faults["people: \(fired.rawValue)", default: 0] += 1 }
        switch outcome {
        case .success(let written):
            let isAllowed = refusals.isEmpty || before.isExcused(refusals, of: id)
            expect(isAllowed, .wholeCommands, act.list, "\(act) of \(id) was accepted in spite of \(refusals.sorted())")
            world = after
            if let written { write(act, written, by: id) }
        case .failure(let error):
            if let code = NeighbourSimulation.code(of: error) {
                expect(
                    refusals.contains(code) || before.tolerated(code, of: act, by: id, at: now), .wholeCommands,
                    act.list,
                    "\(act) of \(id) was refused: \(code) instead of \(refusals.sorted())")
                world = before
                if let list = act.list, case .accept = act { ask(list, by: id, &world) }
            } else {
                expect(fired != nil, .wholeCommands, act.list, "\(act) of \(id) failed: \(error)")
                await look(act, by: id, before, after)
            }
        }
        if fired != nil { stop(near: act, by: id) }
        if case .leave = act { order.removeAll { $0 == id } }
    }

    private static func code(of error: any Error) -> String? {
        switch error {
        case let error as ShoppingListError: error.code
        case let error as CareError: error.code
        default: nil
        }
    }

    private func write(_ act: NeighbourAct, _ id: ShoppingList.ID, by owner: Account.ID) {
        guard case .write(let title, let entryCount) = act else { return }
        world.lists[id] = ListModel(id: id, ownerID: owner, title: title, entryCount: entryCount)
    }

    private func ask(_ list: ShoppingList.ID, by id: Account.ID, _ world: inout NeighbourhoodModel) {
        world.people[id]?.errands[list, default: NeighbourModel.Errand(askedAt: now)].askedAt = now
    }

    /// A program stopped: the helpers' lanes may be behind, and pushes about the list may come later.
    private func stop(near act: NeighbourAct, by id: Account.ID) {
        var concerned: Set<Account.ID> = [id]
        let leaves = if case .leave = act { true } else { false }
        for place in world.promises.indices {
            let promise = world.promises[place]
            guard
                promise.listID == act.list
                    ? promise.until ?? now == now : leaves && (promise.until == now || promise.from == now)
            else { continue }
            world.promises[place].isUncertain = true
            concerned.insert(promise.personID)
        }
        for person in concerned { world.people[person]?.isBehind = true }
    }

    /// Checks that a command whose answer was lost took effect completely or not at all.
    private func look(
        _ act: NeighbourAct, by id: Account.ID, _ before: NeighbourhoodModel, _ after: NeighbourhoodModel
    ) async {
        do {
            if case .leave = act {
                // Its steps are whole one by one; whoever leaves asks again.
                do {
                    _ = try await carryOut(act, by: id)
                } catch CareError.notFound(.account) {}
                world = after
                return
            }
            let (lists, accounts) = (try await facts.lists(at: now), try await facts.accounts())
            if case .write(let title, _) = act {
                world = before
                guard let line = lists.first(where: { $0.contains(" \(title) ") }) else { return }
                let found = UUID(uuidString: String(line.prefix(36))).map { ShoppingList.ID($0) }
                if let found { write(act, found, by: id) }
                return
            }
            if lists == after.listLines(at: now), accounts == after.accountLines {
                world = after
            } else {
                let isUndone = lists == before.listLines(at: now) && accounts == before.accountLines
                expect(isUndone, .wholeCommands, act.list, "\(act) of \(id) was done in part")
                world = before
            }
        } catch {
            note(.wholeCommands, nil, "the oracle could not look: \(error)")
        }
    }

    /// Returns the id of the list that was written, if any.
    private func carryOut(_ act: NeighbourAct, by id: Account.ID) async throws -> ShoppingList.ID? {
        let (garden, errands) = (store.garden(of: id), store.errands(of: id))
        switch act {
        case .write(let title, let entryCount):
            let draft = ShoppingListDraft(title: try ThingTitle(title), entries: try entries(entryCount))
            return try await garden.writeList(draft).list.id
        case .edit(let list, let entryCount):
            var edit = ShoppingListEdit()
            edit.entries = try entries(entryCount)
            _ = try await garden.editList(list, edit)
        case .open(let list): _ = try await garden.openList(list)
        case .cancel(let list): _ = try await garden.cancelList(list)
        case .rate(let list, let points): _ = try await garden.rateHelper(list, HelperRating(points: points))
        case .delete(let list): try await garden.removeList(list)
        case .search(let kilometres): try await search(id, errands, within: kilometres)
        case .accept(let list): _ = try await errands.accept(list)
        case .release(let list): try await errands.release(list)
        case .mark(let list, let number, let isBought): _ = try await errands.mark(list, number, isBought: isBought)
        case .deliver(let list): _ = try await errands.deliver(list)
        case .attach(let list, let isAttached):
            if let receipt = ShoppingReceipt(Array("%PDF-1.7 \(id)".utf8)), isAttached {
                try await errands.attach(receipt, to: list)
            } else {
                try await errands.removeReceipt(of: list)
            }
        case .block(let list): _ = try await errands.block(ofList: list)
        case .unblock(let other): try await unblock(other, by: id)
        case .move(let place):
            var edit = AccountEdit()
            edit.postcode = .some(try Postcode("K\(place)"))
            _ = try await garden.editAccount(edit)
        case .leave: _ = try await store.eraseAccount(id)
        case .close(let list): _ = try await store.closeList(list, because: ListReportText("closed"), by: "root")
        case .bar(let lifts): try await store.bar(id, lifts: lifts, because: ListReportText("barred"), by: "root")
        }
        return nil
    }

    private func entries(_ count: Int) throws -> [ShoppingList.Entry] {
        try (0..<count).map { ShoppingList.Entry(name: try EntryName("milk \($0)")) }
    }

    private func unblock(_ other: Account.ID, by id: Account.ID) async throws {
        // People name a block by its own id.
        let rows = try await quietPool.withConnection { connection in
            try await connection.query(
                "SELECT id::text FROM account_block WHERE lane = $1 AND account_id = $2 AND blocked_id = $3",
                [id.lane, id, other])
        }
        guard let block = rows.first else { throw CareError.notFound(.block) }
        try await store.errands(of: id).unblock(block.decode(0))
    }

    /// Looks for lists, and compares what is found with the model.
    private func search(_ id: Account.ID, _ errands: Errands, within kilometres: Int) async throws {
        let found = try await errands.nearby(within: NeighbourRadius(kilometres: kilometres)).lists
        guard let person = world.people[id] else { return }
        let possible = world.nearby(person, within: kilometres, at: now)
        for list in found {
            expect(
                possible[list.id] == list.distance.kilometres, .whoSeesWhat, list.id,
                "\(id) finds it at \(list.distance.kilometres) km instead of \(possible[list.id].map { "\($0) km" } ?? "not at all")"
            )
        }
        let distances = found.map(\.distance.kilometres)
        expect(
            distances == Array(possible.values.sorted().prefix(50)) && Set(found.map(\.id)).count == found.count,
            .whoSeesWhat, nil, "\(id) finds lists at \(distances) instead of \(possible.values.sorted())")
    }
}

// MARK: - Workers

/// Shows each push as a line.
private struct Neighbours: PushSender {
    let simulation: NeighbourSimulation

    func send(_ messages: [PushMessage], at now: Instant) async -> [SendResult] {
        await simulation.receive(messages, at: now)
    }
}

extension NeighbourSimulation {
    /// Runs a round of a worker: news first, then the calendar.
    private func round(isSound: Bool) async {
        let number = chance.number(in: 0...(workers.count - 1))
        if !isSound, chance.chance(20) { workers[number].clockError = chance.number(in: -60...60) }
        let program = workers[number]
        let clock = isSound ? now : now.adding(microseconds: Int64(program.clockError) * 1_000_000)
        let fault: Fault? = !isSound && chance.chance(8) ? chance.element(of: Fault.allCases) : nil
        let countdown = chance.number(in: 0...60)
        if isSound { outages = [] }
        var failure: (any Error)?
        do {
            // Whoever died a round ago holds nothing any more.
            try await evidence.expireLeases()
            if let fault { program.faults.arm(fault, after: countdown) }
            try await work(program, clock)
        } catch { failure = error }
        let fired = fault == nil ? nil : program.faults.disarm()
        if let fired {
            report.faults["worker: \(fired.rawValue)", default: 0] += 1
            if fired.kills { workers[number].deaths += 1 }
        } else if let failure {
            note(.workersGoOn, nil, "\(program.name) failed: \(failure)")
        } else if !outages.contains(where: { $0.contains(now) }) {
            soundRounds.append(now)
            for id in order { world.people[id]?.isBehind = false }
        }
    }

    private func work(_ program: SimulatedProgram, _ clock: Instant) async throws {
        let time = EngineTime.fixed(clock)
        // News is a worker's business after some seconds.
        let late = EngineTime.fixed(max(clock, now).adding(minutes: 1))
        try await CareStore(pool: program.pool, zones: zones, time: late, domains: domains, identifiers: identifiers)
            .tellOldNews()
        let log = DeliveryLog(
            pool: program.pool, zones: zones, time: time, leaseDuration: .seconds(86_400), domains: domains)
        let deliverer = Deliverer(
            log: log, destination: .lines(Neighbours(simulation: self)), retryPolicy: RetryPolicy(random: { 0.5 }),
            worker: "\(program.name).\(program.deaths)", batchSizes: 3...3,
            logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() })
        let runner = LaneRunner(
            scheduler: LaneScheduler(pool: program.pool, zones: zones, time: time, domains: domains),
            deliverer: deliverer, concurrency: 1, shuffles: false)
        _ = try await runner.schedule()
        _ = try await runner.deliver()
    }

    /// Answers a batch as the phones of all people. Sometimes the answer is lost although the push arrived.
    fileprivate func receive(_ messages: [PushMessage], at clock: Instant) -> [SendResult] {
        if outages.contains(where: { $0.contains(now) }) { return messages.map { _ in .retry(error: "outage") } }
        return messages.map { message in
            see(message, at: clock)
            guard settings.hasFaults, chance.chance(3) else { return .delivered }
            report.faults["answer of a provider lost", default: 0] += 1
            return .retry(error: "no answer")
        }
    }

    private func see(_ message: PushMessage, at clock: Instant) {
        let list = ShoppingList.ID(message.subjectID.uuid)
        report.pushes[message.topic.label, default: 0] += 1
        guard world.people[message.accountID] != nil else {
            return note(.erased, list, "a push for an account that left")
        }
        let latest = clock.adding(minutes: 2)
        let possible = world.promises.indices.filter { place in
            let promise = world.promises[place]
            return promise.personID == message.accountID && promise.listID == list && promise.topic == message.topic
                && promise.from <= latest && clock < promise.isOverAt.adding(minutes: 2)
        }
        let place =
            possible.first { world.promises[$0].collapseID == message.collapseID }
            ?? possible.last { world.promises[$0].until == nil } ?? possible.last { isExcused(world.promises[$0]) }
        guard let place, world.promises[place].until == nil || isExcused(world.promises[place]) else {
            return note(
                .notWhenDone, list,
                "\(message.topic.label) to \(message.accountID), which is not promised or not any more")
        }
        let before = world.promises[place].collapseID
        expect(
            before == nil || before == message.collapseID, .sentOnce, list,
            "a second \(message.topic.label) to \(message.accountID)")
        if before != nil { report.repetitions += 1 }
        world.promises[place].collapseID = message.collapseID
        see(message, of: list)
    }

    /// The owner's pushes name the list, the helper's must not.
    private func see(_ message: PushMessage, of list: ShoppingList.ID) {
        guard let known = world.lists[list] else { return }
        let namesList = "\(message.values)".contains(known.title)
        expect(
            namesList == (message.accountID == known.ownerID), .whoSeesWhat, list,
            "\(message.topic.label) to \(message.accountID) says \(message.values)")
    }

    /// Whether a push may come although something newer happened: the program that knew of it had stopped, and no worker has
    /// told the lane since.
    private func isExcused(_ promise: ListPromise) -> Bool {
        guard promise.isUncertain, let until = promise.until else { return promise.isUncertain }
        return !soundRounds.contains { $0 > until }
    }
}

// MARK: - After each day

extension NeighbourSimulation {
    private func check() async throws {
        compare("lists", try await facts.lists(at: now), world.listLines(at: now), .wholeCommands)
        compare("accounts", try await facts.accounts(), world.accountLines, .wholeCommands)
        let accepted = world.lists.values.filter { $0.state(at: now) == .accepted }
        compare(
            "places", try await facts.places(at: now),
            accepted.compactMap { list in list.help.map { "\($0.helperID) \(list.id)" } }, .oneHelper)
        for id in order {
            let count = accepted.count { $0.help?.helperID == id }
            expect(count <= 5, .oneHelper, nil, "\(id) helps with \(count) lists")
        }
        compare(
            "ratings", try await facts.ratings(),
            world.people.values.flatMap { person in person.ratings.map { "\(person.id) \($0)" } }, .oneHelper)
        compare(
            "receipts", try await facts.receipts(),
            world.lists.values.filter { $0.help?.hasReceipt == true }.compactMap { list in
                list.help.map { "\(list.id) \($0.helperID)" }
            }, .whoSeesWhat)
        compare("news", try await facts.untold(), [], .oneHelper)
        compare("rows of accounts that left", try await facts.leftBehind(), [], .erased)
        for line in try await evidence.unaccounted(plannedAfter: now.adding(hours: -72), upTo: now.adding(hours: -36)) {
            note(.oneOutcome, nil, line)
        }
        for line in try await evidence.brokenReceipts(finishedAfter: now.adding(hours: -72)) {
            note(.oneOutcome, nil, "a job with two receipts or none: \(line)")
        }
        checkPromises()
        // What lists are told to helpers' lanes has arrived by now, if workers were sound.
        let store = CareStore(pool: quietPool, zones: zones, time: .fixed(now))
        var devices = replicas
        let found = try await devices.follow(order, in: store, at: now, isWhole: true)
        replicas = devices
        report.checks += found.comparisons
        for difference in found.differences { note(.onEveryDevice, nil, difference) }
    }

    private func compare(_ what: String, _ found: [String], _ expected: [String], _ promise: Violation.Promise) {
        report.checks += expected.count + 1
        let (found, expected) = (found.sorted(), expected.sorted())
        guard found != expected else { return }
        let (extra, missing) = (Set(found).subtracting(expected).sorted(), Set(expected).subtracting(found).sorted())
        note(promise, nil, "\(what): found \(extra.prefix(3)), not found \(missing.prefix(3))")
    }

    /// Every promise whose time is over was kept, unless nobody could keep it.
    private func checkPromises() {
        let over = world.promises.filter { ($0.until ?? $0.isOverAt).adding(hours: 3) < now }
        for promise in over where promise.collapseID == nil && !promise.isUncertain {
            let (start, end) = (promise.from.adding(minutes: 3), promise.until ?? promise.isOverAt.adding(hours: -1))
            let chances = soundRounds.count { $0 > start && $0 < end }
            expect(
                chances < 5, .nothingLost, promise.listID,
                "no \(promise.topic.label) to \(promise.personID), promised at \(promise.from), in \(chances) rounds")
        }
        world.promises.removeAll { ($0.until ?? $0.isOverAt).adding(hours: 3) < now }
        soundRounds.removeAll { $0 < now.adding(hours: -96) }
    }
}

extension NeighbourhoodModel {
    fileprivate func listLines(at now: Instant) -> [String] {
        lists.values.sorted { $0.id.description < $1.id.description }.map { $0.line(at: now) }
    }

    fileprivate var accountLines: [String] {
        people.values.sorted { $0.id.description < $1.id.description }.map(\.line)
    }
}
