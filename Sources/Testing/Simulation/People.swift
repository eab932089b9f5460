import CherishCore
import CherishStore
import SeededChance
import SystemTimeZones

/// Where people live: zones with DST changes at night, at midnight, by half an hour, never, or by the lunar calendar.
private let placeNames = [
    "Asia/Seoul", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/Nuuk", "Pacific/Kiritimati",
    "Asia/Kathmandu", "Africa/Casablanca", "America/Santiago", "UTC",
]
/// Alarm times, in minutes after midnight. Nine o'clock is common, so that many alarms coincide.
private let alarmMinutes = [540, 540, 540, 540, 450, 720, 1110, 1230, 90]
/// When days end, in minutes after midnight (rule 13.4). Clocks change at 00:00, 01:00, 02:00 and 03:00.
private let dayEndMinutes = [0, 30, 90, 120, 150, 240]

/// What goes wrong with a person's command.
struct CommandFault: Sendable {
    let fault: Fault
    /// How many statements succeed first.
    let countdown: Int
}

extension Simulation {
    // MARK: Accounts

    /// Adds an account with some friends.
    func join() async {
        lastEmail += 1
        do {
            let name = drawPlace()
            let account = try await self.store.addAccount(
                email: EmailAddress("person-\(lastEmail)@example.com"), nickname: Nickname("person"), phone: nil,
                timeZone: name, language: .english)
            order.append(account.id)
            accounts[account.id] = AccountModel(
                id: account.id, zone: PersonClock(zone: try zones.rules(name)),
                furtherSubjects: settings.domains.map { $0.subjects(of: account.id) })
            if settings.hasPauses {
                for name in PauseModel.tagNames {
                    _ = try await store.garden(of: account.id).addTag(TagName(name), colour: nil, cycle: nil)
                }
            }
            if settings.usesPhones {
                accounts[account.id]?.phones = []
                for _ in 0..<chance.number(in: 0...2) { await perform(drawNewPhone(), by: account.id) }
            }
            if chance.chance(60) { await perform(.switchAccount(drawWanted()), by: account.id) }
            for _ in 0..<chance.number(in: 2...6) { await perform(drawFriend(), by: account.id) }
        } catch {
            note(.wholeCommands, nil, "an account could not be added: \(error)")
        }
    }

    private func leave(_ id: Account.ID) async {
        await perform(.leave, by: id, fault: drawFault())
        if accounts[id] == nil { await join() }
    }

    private var store: CareStore {
        CareStore(pool: people.pool, zones: zones, time: .fixed(now), domains: domains, identifiers: identifiers)
    }

    // MARK: What they do

    /// Lets a person do something, or nothing.
    func act(_ id: Account.ID) async {
        guard let account = accounts[id] else { return }
        if chance.number(in: 1...500) == 1 { return await leave(id) }
        if let act = drawAct(account) { await perform(act, by: id, fault: drawFault()) }
    }

    /// Lets a person do something with the subjects of a further domain, or nothing.
    func act(_ id: Account.ID, inFurtherDomain domain: Int) async {
        guard var account = accounts[id] else { return }
        account.follow(to: now)
        var subjects = account.furtherSubjects[domain]
        let person = SimulatedPerson(accountID: id, zone: account.zone, now: now)
        guard let act = subjects.act(person, &furtherChance) else { return }
        let fault = settings.hasFaults ? Simulation.commandFault(&furtherChance) : nil
        await perform(.further(FurtherAct(domain: domain, subjects: subjects, act: act)), by: id, fault: fault)
    }

    private func drawFault() -> CommandFault? {
        settings.hasFaults ? Simulation.commandFault(&chance) : nil
    }

    static func commandFault(_ chance: inout SplitMix64) -> CommandFault? {
        guard chance.chance(4) else { return nil }
        let fault: Fault = chance.chance(40) ? .commitAnswerLost : chance.element(of: Fault.allCases)
        return CommandFault(fault: fault, countdown: chance.number(in: 0...10))
    }

    private func drawFriend() -> Act {
        lastPhone += 1
        return .register(
            phone: "+8210\(10_000_000 + lastPhone)", cycleDays: drawCycle(),
            alarmMinute: chance.element(of: alarmMinutes), birthday: drawBirthday())
    }

    /// Half are within 45 days, so that short simulations have some; a tenth are on 29 February.
    private func drawBirthday() -> YearlyDay? {
        let today = TimeZoneRules.utc.day(at: now)
        let day: CivilDay
        switch chance.number(in: 1...10) {
        case ...2: return nil
        case 3: return YearlyDay(month: 2, day: 29)
        case ...8: day = today + chance.number(in: 0...45)
        default: day = today + chance.number(in: 0...365)
        }
        return YearlyDay(month: day.components.month, day: day.components.day)
    }

    /// The kinds of push to switch on; the others are switched off.
    private func drawWanted() -> Set<Topic> {
        var wanted: Set<Topic> = []
        for topic in Topic.ofPlants where chance.chance(72) { wanted.insert(topic) }
        return wanted
    }

    /// Half of the people live in one place, so that many alarms coincide.
    private func drawPlace() -> String {
        chance.chance(50) ? "Asia/Seoul" : chance.element(of: placeNames)
    }

    private func drawCycle() -> Int {
        chance.chance(80) ? chance.number(in: 1...7) : chance.number(in: 8...90)
    }

    private func drawNewPhone() -> Act {
        lastPhone += 1
        return .addPhone(token: "phone-\(lastPhone)")
    }

    /// Soon adds a phone if none is reachable. Otherwise sometimes adds a second, removes one, or deletes the app.
    private func drawPhoneAct(_ account: AccountModel) -> Act? {
        guard let phones = account.phones, chance.chance(account.isReachable ? 4 : 60) else { return nil }
        if phones.count == 10 { return .removePhone(token: phones[0].token) }
        if !account.isReachable || chance.chance(phones.count < 2 ? 50 : 0) { return drawNewPhone() }
        let token = chance.element(of: phones).token
        return chance.chance(50) ? .removePhone(token: token) : .uninstall(token: token)
    }

    private func drawAct(_ account: AccountModel) -> Act? {
        if let act = drawPhoneAct(account) { return act }
        let today = account.zone.day(at: now)
        let living = account.plants.indices.filter { !account.plants[$0].isArchived }
        let thirsty = living.filter { account.plants[$0].dueOn <= today }
        guard let other = chance.elementIfAny(of: living) else { return drawFriend() }
        let plant = chance.elementIfAny(of: thirsty) ?? other
        switch chance.number(in: 1...100) {
        case ...38: return drawWatering(thirsty.isEmpty && chance.chance(60) ? nil : plant)
        case ...47: return .postpone(plant, days: chance.number(in: 1...7))
        case ...56:
            let keywords = chance.chance(70)
            return .review(other, keywords: keywords, memo: !keywords || chance.chance(40))
        case ...60: return .decline(other)
        case ...67: return .changeCycle(plant, days: drawCycle())
        case ...74: return .changeAlarm(plant, minute: chance.element(of: alarmMinutes))
        case ...78:
            return (try? zones.rules(drawPlace())).map { zone in
                .setClock(PersonClock(zone: zone, dayEndMinute: account.zone.dayEndMinute), isTravel: true)
            }
        case ...82: return .switchAccount(drawWanted())
        case ...86: return .switchPlant(other, isOn: chance.chance(75))
        case ...89: return .remove(other)
        case ...93:
            let removed = account.plants.indices.filter { account.plants[$0].isArchived }
            return chance.elementIfAny(of: removed).map { Act.restore($0) }
        case ...94: return account.plants.count < 12 ? drawFriend() : nil
        case ...96: return .changeBirthday(other, drawBirthday())
        case ...98:
            return .setClock(
                PersonClock(zone: account.zone.zone, dayEndMinute: chance.element(of: dayEndMinutes)), isTravel: false)
        default: return nil
        }
    }

    private func drawWatering(_ plant: Int?) -> Act? {
        guard let plant else { return nil }
        let isReviewed = chance.chance(40)
        return .water(
            plant, daysBack: chance.chance(15) ? chance.number(in: 1...4) : 0,
            keywords: isReviewed && chance.chance(70), memo: isReviewed && chance.chance(50),
            declines: chance.chance(10))
    }

    /// Waters two or three plants and reviews only the first, so that the others cause reminders in the morning.
    func meetSeveral(_ id: Account.ID) async {
        guard let account = accounts[id] else { return }
        let living = account.plants.indices.filter { !account.plants[$0].isArchived }
        guard living.count > 1 else { return }
        let first = chance.number(in: 0...(living.count - 2))
        for plant in living[first...].prefix(3) {
            await perform(.water(plant, daysBack: 0, keywords: false, memo: false, declines: false), by: id)
        }
        await perform(.review(living[first], keywords: true, memo: false), by: id)
    }

    /// Half a minute before nine, moves one of today's later alarms forward to nine. A worker whose clock is ahead runs
    /// before the command, during it, or not at all.
    func changeAtTheLastMinute(_ id: Account.ID) async {
        guard let account = accounts[id] else { return }
        let today = account.zone.day(at: now)
        let plant = account.plants.firstIndex { $0.dueOn == today && $0.alarmMinute > 540 && !$0.isArchived }
        guard let plant else { return }
        let act = Act.changeAlarm(plant, minute: 540)
        let ahead = Round(
            worker: chance.number(in: 0...(workers.count - 1)), clock: now.adding(microseconds: 50_000_000))
        switch chance.number(in: 1...3) {
        case 1: await perform(act, by: id)
        case 2:
            await round(ahead)
            await perform(act, by: id)
        default: await overlap(act, by: id, ahead)
        }
    }

    /// Starts a scheduler while a command is about to commit. The scheduler must wait for the command.
    private func overlap(_ act: Act, by id: Account.ID, _ round: Round) async {
        let (commit, scheduled) = (CommitGate(), CommitGate())
        people.faults.stopCommits(at: commit)
        let command = Task {
            await self.perform(act, by: id)
            commit.reach()
        }
        while !commit.isReached { try? await Task.sleep(for: .milliseconds(1)) }
        let scheduling = Task {
            await self.round(Round(worker: round.worker, clock: round.clock, delivers: false))
            scheduled.reach()
        }
        for _ in 0..<30_000 where !scheduled.isReached {
            if (try? await evidence.isSomebodyWaiting()) == true { break }
            try? await Task.sleep(for: .milliseconds(1))
        }
        commit.open()
        await command.value
        await scheduling.value
        people.faults.stopCommits(at: nil)
        report.faults["scheduler during a command", default: 0] += 1
    }
}

// MARK: - Doing it

extension Simulation {
    /// Runs an act through the store and the model. After a fault, the database shows whether it took effect.
    func perform(_ act: Act, by id: Account.ID, fault: CommandFault? = nil) async {
        guard var before = accounts[id] else { return }
        outageFacts.forgetAwaited { $0.account == id }
        before.follow(to: now)
        var after = before
        let isAllowed = after.apply(act, at: now)
        if let fault { people.faults.arm(fault.fault, after: fault.countdown) }
        report.acts[act.name, default: 0] += 1
        let outcome: Result<Plant.ID?, any Error>
        do { outcome = .success(try await carryOut(act, by: before)) } catch { outcome = .failure(error) }
        let fired = fault == nil ? nil : people.faults.disarm()
        if let fired { report.faults["people: \(fired.rawValue)", default: 0] += 1 }
        switch outcome {
        case .success(let plantID):
            expect(isAllowed, .wholeCommands, nil, "\(act) of account \(id) was accepted and must be refused")
            settle(id, isAllowed ? after : before, newPlant: plantID)
        case .failure(let refusal as CareError):
            expect(!isAllowed, .wholeCommands, nil, "\(act) of account \(id) was refused: \(refusal)")
            settle(id, before)
        case .failure(let error):
            expect(fired != nil, .wholeCommands, nil, "\(act) of account \(id) failed: \(error)")
            await look(id, before, isAllowed ? after : before, act)
        }
    }

    private func settle(_ id: Account.ID, _ account: AccountModel, newPlant: Plant.ID? = nil) {
        var account = account
        if let newPlant {
            account.identifyNewest(newPlant, at: now)
            owners[newPlant.subject] = id
        }
        for promise in account.furtherSubjects.flatMap({ $0.promises }) { owners[promise.subjectID] = id }
        accounts[id] = account.hasLeft ? nil : account
        if account.hasLeft { order.removeAll { $0 == id } }
    }

    /// Checks that a command whose answer was lost took effect completely or not at all.
    private func look(_ id: Account.ID, _ before: AccountModel, _ after: AccountModel, _ act: Act) async {
        do {
            // An import that brings a friend back leaves it to a worker to look at the pauses, if its own program stops.
            if settings.hasPauses {
                let worker = CareStore(pool: quietPool, zones: zones, time: .fixed(now), domains: domains)
                _ = try await worker.resumeReplanning(shouldStop: { false })
            }
            let account = try await evidence.accounts(id).first
            let plants = try await evidence.plants(of: id, at: now)
            let lines = try await furtherLines(of: id).map { $0[id] ?? [] }
            let newPlant = plants.first { $0.phone == after.plants.last?.phone }?.id
            var after = after
            if let newPlant { after.identifyNewest(newPlant, at: now) }
            if after.differences(account, plants, lines, at: now).isEmpty {
                settle(id, after, newPlant: newPlant)
            } else {
                let differences = before.differences(account, plants, lines, at: now)
                expect(differences.isEmpty, .wholeCommands, nil, "\(act) was done in part: \(differences)")
                settle(id, before)
            }
        } catch {
            note(.wholeCommands, nil, "the oracle could not look: \(error)")
        }
    }

    /// Returns the id of the registered plant, if any.
    private func carryOut(_ act: Act, by account: AccountModel) async throws -> Plant.ID? {
        let store = self.store
        switch act {
        case .register(let phone, let cycleDays, let alarmMinute, let birthday):
            return try await store.garden(of: account.id).addFriend(
                registration(phone, cycleDays, alarmMinute, birthday)
            ).id
        case .setClock(let clock, _):
            var edit = AccountEdit()
            edit.timeZone = clock.name
            edit.dayEnd = try DayEnd(minuteOfDay: clock.dayEndMinute)
            _ = try await store.garden(of: account.id).editAccount(edit)
        case .switchAccount(let wanted):
            var edit = AccountEdit()
            (edit.wateringPushes, edit.reviewPushes) = (wanted.contains(.wateringDue), wanted.contains(.reviewMissing))
            (edit.birthdayPushes, edit.witheredPushes) = (wanted.contains(.birthday), wanted.contains(.withered))
            _ = try await store.garden(of: account.id).editAccount(edit)
        case .addPhone(let token):
            _ = try await store.garden(of: account.id).addDevice(platform: .ios, token: token)
        case .removePhone(let token):
            let garden = store.garden(of: account.id)
            let device = try await garden.devices().first { $0.token == token }
            if let device { try await garden.removeDevice(device.id) }
        case .uninstall: break
        case .beginPause(let scope, let first, let last, let isSpread):
            guard let target = try target(scope, account) else { break }
            _ = try await store.garden(of: account.id).beginPause(
                of: target, from: first, to: last, isSpread: isSpread)
        case .editPause(let pause, let last):
            let garden = store.garden(of: account.id)
            var edit = PauseEdit()
            edit.last = last
            _ = try await garden.editPause(try await self.id(of: pause, account, in: garden), edit)
        case .endPause(let pause):
            let garden = store.garden(of: account.id)
            _ = try await garden.endPause(try await self.id(of: pause, account, in: garden))
        case .leave: _ = try await store.eraseAccount(account.id)
        case .further(let further): try await further.act.carryOut(store)
        default:
            guard let place = act.plant, let plantID = account.plants[place].id else { return nil }
            try await carryOut(
                act, on: plantID, account.plants[place], in: store.garden(of: account.id), account.zone)
        }
        return nil
    }

    private func target(_ scope: PauseModel.Scope, _ account: AccountModel) throws -> PauseTarget? {
        switch scope {
        case .account: .account
        case .tag(let tag): .tag(try TagName(PauseModel.tagNames[tag]))
        case .plant(let place): account.plants[place].id.map { .friend($0) }
        }
    }

    /// The id of a pause, which is known by whom it is for and its days.
    private func id(of pause: PauseModel, _ account: AccountModel, in garden: Garden) async throws -> Pause.ID {
        let found = try await garden.pauses().pauses.first { view in
            guard view.pause.days == pause.days, view.pause.isSpread == pause.isSpread else { return false }
            return switch pause.scope {
            case .account: view.pause.scope == .account
            case .tag(let tag): view.tag?.description == PauseModel.tagNames[tag]
            case .plant(let place): view.pause.scope.friend == account.plants[place].id
            }
        }
        guard let found else { throw CareError.notFound(.pause) }
        return found.pause.id
    }

    private func registration(
        _ phone: String, _ cycleDays: Int, _ alarmMinute: Int, _ birthday: YearlyDay?
    ) throws -> Registration {
        let name = try ContactName("friend")
        return Registration(
            name: name, phone: try PhoneNumber(e164: phone), nickname: Nickname(name), birthday: birthday?.known,
            cycle: try Cycle(days: cycleDays), alarmTime: TimeOfDay(minuteOfDay: alarmMinute) ?? .defaultAlarm)
    }

    private func carryOut(
        _ act: Act, on plantID: Plant.ID, _ plant: PlantModel, in garden: Garden, _ zone: PersonClock
    ) async throws {
        switch act {
        case .water(_, let daysBack, let keywords, let memo, let declines):
            var request = WateringRequest(method: .call, declinesReview: declines)
            if daysBack > 0 { request.day = zone.day(at: now) + -daysBack }
            if keywords || memo {
                request.review = try Review(keywords: keywords ? ["sea"] : [], memo: memo ? "moved" : nil)
            }
            _ = try await garden.water(plantID, request)
        case .review(_, let keywords, let memo):
            _ = try await garden.writeReview(
                plantID, on: nil, keywords: keywords ? ["cafe"] : nil, memo: memo ? "well" : nil)
        case .decline:
            let day = plant.newestWatering.map { plant.waterings[$0].day } ?? zone.day(at: now)
            _ = try await garden.declineReview(plantID, on: day)
        case .postpone(_, let days): _ = try await garden.postpone(plantID, days: days)
        case .remove:
            let removed = try await garden.removeFriend(plantID)
            removedPlans[removed.id] = RemovedPlans(removed)
        case .restore: try await restore(plant, in: garden)
        case .tag(_, let tag, let isOn):
            let name = try TagName(PauseModel.tagNames[tag])
            _ = try await garden.editFriend(
                plantID, PlantEdit(), isOn ? Tagging(adding: [name]) : Tagging(removing: [name]))
        default: try await edit(act, plantID, in: garden)
        }
    }

    private func edit(_ act: Act, _ plantID: Plant.ID, in garden: Garden) async throws {
        var edit = PlantEdit()
        switch act {
        case .changeCycle(_, let days): edit.cycle = try Cycle(days: days)
        case .changeAlarm(_, let minute): edit.alarmTime = TimeOfDay(minuteOfDay: minute)
        case .changeBirthday(_, let day): edit.birthday = .some(day?.known)
        case .switchPlant(_, let isOn): edit.pushesEnabled = isOn
        default: return
        }
        _ = try await garden.editFriend(plantID, edit)
    }

    /// Brings a removed friend back by importing the address book again.
    private func restore(_ plant: PlantModel, in garden: Garden) async throws {
        let contact = FriendContact(name: try ContactName("friend"), phones: [try PhoneNumber(e164: plant.phone)])
        var options = ImportOptions(cycle: try Cycle(days: 7))
        options.restoring = true
        options.spreading = false
        _ = try await garden.importFriends([contact], options, fileName: "contacts.vcf")
    }
}

extension YearlyDay {
    /// The birthday in the service's own type, without a year.
    fileprivate var known: Birthday? { Birthday(year: nil, month: month, day: day) }
}
