import CherishCore
import Foundation
import SeededChance

/// Generates accounts with anything an account can contain, without a plausible history.
struct RandomExport {
    /// Of at most four characters, so that the longest texts fit.
    static let pieces = [
        "가", "민지", "뷁", "é", "née", "🙂", "👨‍👩‍👧", "❤️", "🇰🇷", "a b", "\"", "\\", "/", ",", ";", "山田", "{}", "'",
    ]

    static let fingerprints = ["0000000000000000", "0123456789abcdef", "ffffffffffffffff"]

    private var generator: SplitMix64

    init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
    }

    mutating func export() throws -> AccountExport {
        let account = Account(
            id: identifier(),
            email: number(0...4) == 0 ? nil : try EmailAddress("Minji.\(number(0...999))@example.com"),
            nickname: try Nickname(text()), phone: try maybe { _ in try PhoneNumber(e164: "+821000000300") },
            postcode: try maybe { _ in try Postcode("SW1A 1AA") }, timeZone: "Asia/Seoul",
            language: pick(Language.allCases),
            switches: NotificationSwitches(watering: coin(), review: coin(), birthday: coin(), withered: coin()),
            appearance: coin()
                ? .empty : try Appearance(object: #"{"a":[1,null,{"b":"\"é\""}],"c":0.5,"imports":[1],"pushes":[]}"#))
        var export = AccountExport(account: account, createdAt: instant())
        export.picture = maybe { [0xFF, 0xD8, UInt8($0.number(0...255))] }
        export.devices = list(0...3) { random, _ in random.device() }
        export.tags = try list(0...4) { random, index in try random.tag(index) }
        export.plants = try list(0...4) { random, index in
            try random.plant(index, of: account.id, tags: export.tags.map(\.id))
        }
        export.pushes = list(0...6) { random, _ in random.push(of: export.plants) }.compactMap { $0 }
        export.imports = try list(0...2) { random, _ in try random.batch() }
        export.things = try list(0...4) { random, _ in try random.thing(of: account.id, tags: export.tags.map(\.id)) }
        return export
    }

    private mutating func device() -> Device {
        let platform = pick(Device.Platform.allCases)
        let bytes = (0..<number(24...64)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return Device(
            id: identifier(), platform: platform, token: "token-\(generator.next())",
            secret: platform == .webhook && coin() ? WebhookSecret(bytes: bytes) : nil,
            subscriptionKeys: platform == .web
                ? PushSubscription.Keys(
                    p256dh: [4] + (0..<64).map { bytes[$0 % bytes.count] }, auth: Array(bytes.prefix(16)))
                : nil,
            addedAt: instant(),
            retirement: maybe { Device.Retirement(at: $0.instant(), reason: "410 Unregistered") })
    }

    /// Recorded, and perhaps completed and reopened.
    private mutating func thing(of account: Account.ID, tags: [Tag.ID]) throws -> ThingHistory {
        let kind = pick(Thing.Kind.allCases)
        let due = CivilDay(daysSinceEpoch: Int32(number(20_000...30_000)))
        var draft = ThingDraft(kind: kind, title: try ThingTitle(text()), dueOn: due)
        draft.note = try maybe { try ThingNote($0.text()) } ?? nil
        draft.isFavourite = coin()
        draft.pushesEnabled = coin()
        draft.repetition = pick(AlertRepetition.allCases)
        if kind.hasTime { draft.dueTime = try maybe { try $0.alarmTime() } }
        if kind.hasPurchase { draft.boughtOn = maybe { _ in due } }
        if kind.hasStore { draft.orderNumber = try maybe { try OrderNumber($0.text()) } }
        if kind == .food { draft.category = try maybe { try FoodCategory($0.text()) } }
        draft.alerts = try maybe { random in
            try random.list(0...5) { random, _ in .daysBefore(random.number(0...365), at: try random.alarmTime()) }
        }
        draft.recurrence = try maybe { random in
            try Recurrence(
                every: random.number(1...99), random.pick(Recurrence.Unit.allCases),
                from: random.pick(Recurrence.Base.allCases), until: random.maybe { _ in due + 40 })
        }
        let now = TimeZoneRules.utc.start(of: due + -number(0...500))
        func context(_ hours: Int) -> CommandContext {
            CommandContext(now: now.adding(hours: hours), zone: .utc, calendarCursor: now)
        }
        var thing = try Thing.record(draft, id: identifier(), for: account, .usual, in: context(0)).thing
        var completions: [ExportedCompletion] = []
        for hours in 1..<number(1...4) where !thing.isDone {
            let completion = try thing.complete(.usual, in: context(hours)).completion
            if coin() {
                _ = try thing.reopen(completion, .usual, in: context(hours))
                completions.append(ExportedCompletion(completion: completion, undoneAt: context(hours).now))
            } else {
                completions.append(ExportedCompletion(completion: completion, undoneAt: nil))
            }
        }
        thing.version = number(1...9)
        return ThingHistory(thing: thing, tagIDs: tags.filter { _ in coin() }, completions: completions)
    }

    private mutating func tag(_ index: Int) throws -> Tag {
        let hexadecimal = String(0x100_0000 + number(0...0xFF_FFFF), radix: 16).dropFirst()
        return Tag(
            id: identifier(), name: try TagName("\(index) \(text())"), colour: try TagColour("#\(hexadecimal)"),
            cycle: try maybe { try $0.cycle() })
    }

    private mutating func plant(_ index: Int, of account: Account.ID, tags: [Tag.ID]) throws -> PlantHistory {
        let waterings = try list(0...6) { random, index in try random.watering(index + 1) }
        let postponements = list(0...3) { random, index in
            ExportedPostponement(
                postponement: Postponement(number: index + 1, fromDueOn: random.day(), days: random.number(1...7)),
                postponedAt: random.instant())
        }
        let ledger = ledger(of: waterings)
        let dueOn = day()
        let plant = Plant(
            id: identifier(), accountID: account, name: try ContactName(text() + text()),
            phone: try PhoneNumber(e164: "+82100000040\(index)"), nickname: try Nickname(text()),
            birthday: try birthday(), cycle: try cycle(), alarmTime: try alarmTime(), plantedOn: day(),
            lastWateredOn: waterings.map(\.wateredOn).max(), dueOn: dueOn, dueSource: pick(Plant.DueSource.allCases),
            affection: Affection(points: ledger.map(\.entry.points).reduce(0, +)), wateringCount: waterings.count,
            postponementCount: postponements.count, pushesEnabled: coin(), isFavourite: coin(),
            plans: plans(dueOn: dueOn, waterings: waterings), archivedAt: maybe { $0.instant() },
            restoredOn: maybe { $0.day() }, version: number(1...9), modifiedAt: maybe { $0.instant() })
        var changedAt = instant()
        return PlantHistory(
            plant: plant, createdAt: instant(), tagIDs: tags.filter { _ in coin() }, waterings: waterings,
            postponements: postponements,
            dueDateChanges: try list(0...3) { random, _ in
                changedAt = changedAt.adding(microseconds: Int64(random.number(1...1_000_000_000)))
                return DueDateChange(
                    changedAt: changedAt, cycle: try random.cycle(), dueOn: random.day(),
                    source: random.pick([.registration, .edit, .pause, .outage]))
            },
            ledger: ledger)
    }

    private mutating func watering(_ number: Int) throws -> Watering {
        let keywords = Array(RandomExport.pieces.shuffled(using: &generator).prefix(self.number(0...3)))
        let memo = maybe { $0.memo() }
        return Watering(
            number: number, wateredOn: day(), recordedAt: instant(), method: pick(ContactMethod.allCases),
            dueOn: maybe { $0.day() }, isBackdated: coin(),
            review: keywords.isEmpty && memo == nil ? nil : try Review(keywords: keywords, memo: memo),
            isReviewDeclined: coin())
    }

    /// In the store's order: by instant, watering and reason.
    private mutating func ledger(of waterings: [Watering]) -> [ExportedAffection] {
        var left = 100
        var ledger: [(at: Instant, number: Int, reason: Int, points: Int)] = []
        for watering in waterings {
            for reason in 0..<3 where coin() && left > 0 {
                // Several are often gained at the same instant.
                let at = coin() ? watering.recordedAt : instant()
                ledger.append((at, watering.number, reason, min(8, left)))
                left -= min(8, left)
            }
        }
        let reasons = [AffectionReason.contact, .keywords, .memo]
        return ledger.sorted { ($0.at, $0.number, $0.reason) < ($1.at, $1.number, $1.reason) }.map { gain in
            ExportedAffection(
                entry: AffectionEntry(
                    wateringNumber: gain.number, reason: reasons[gain.reason], points: gain.points),
                gainedAt: gain.at)
        }
    }

    private mutating func plans(dueOn: CivilDay, waterings: [Watering]) -> Plans {
        let due = Int(dueOn.daysSinceEpoch)
        return Plans(
            wateringDue: maybe { PlannedMoment(ref: due, at: $0.instant()) },
            reviewMissing: waterings.isEmpty
                ? nil : maybe { PlannedMoment(ref: $0.number(1...waterings.count), at: $0.instant()) },
            birthday: maybe { $0.moment() }, passedBirthday: maybe { $0.moment() },
            withered: maybe { PlannedMoment(ref: due, at: $0.instant()) },
            alarmedDueDates: list(0...3) { random, _ in random.day() })
    }

    private mutating func moment() -> PlannedMoment {
        PlannedMoment(ref: Int(day().daysSinceEpoch), at: instant())
    }

    private mutating func push(of plants: [PlantHistory]) -> ExportedPush? {
        guard !plants.isEmpty else { return nil }
        let plant = pick(plants)
        let topic: Topic =
            plant.waterings.isEmpty ? pick([.wateringDue, .birthday, .withered]) : pick(Topic.ofPlants)
        let ref = topic == .reviewMissing ? number(1...plant.waterings.count) : Int(day().daysSinceEpoch)
        let end = maybe {
            ExportedPush.End(outcome: $0.pick(PushOutcome.allCases), reason: "sent", finishedAt: $0.instant())
        }
        return ExportedPush(
            occurrence: plant.plant.occurrence(topic, PlannedMoment(ref: ref, at: instant())), end: end)
    }

    private mutating func batch() throws -> ImportBatch {
        ImportBatch(
            id: identifier(), importedAt: instant(), fileName: "\(text()).csv",
            tagIDs: list(0...2) { random, _ in random.identifier() },
            changes: try list(0...4) { random, _ in try random.change() }, undoneAt: maybe { $0.instant() })
    }

    private mutating func change() throws -> ImportBatch.Change {
        let kind = pick(ImportBatch.Change.Kind.allCases)
        return ImportBatch.Change(
            plantID: identifier(), kind: kind,
            names: try maybe {
                ImportBatch.NameChange(
                    before: try ContactName($0.text()), after: try ContactName($0.text()),
                    nicknameBefore: try $0.maybe { try Nickname($0.text()) })
            },
            birthday: try birthday(), tagIDs: list(0...2) { random, _ in random.identifier() },
            archivedAt: kind == .restored ? instant() : nil,
            dueBefore: kind == .restored
                ? maybe {
                    ImportBatch.DueDate(
                        on: $0.day(), source: $0.pick(Plant.DueSource.allCases), restoredOn: $0.maybe { $0.day() })
                } : nil,
            after: maybe {
                ImportBatch.PlantState(careCount: $0.number(0...9999), fingerprint: $0.pick(RandomExport.fingerprints))
            })
    }
}

// The building blocks.
extension RandomExport {
    private mutating func coin() -> Bool {
        Bool.random(using: &generator)
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &generator)
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[number(0...values.count - 1)]
    }

    private mutating func maybe<Value>(_ make: (inout RandomExport) throws -> Value) rethrows -> Value? {
        coin() ? try make(&self) : nil
    }

    private mutating func list<Value>(
        _ count: ClosedRange<Int>, _ make: (inout RandomExport, Int) throws -> Value
    ) rethrows -> [Value] {
        var values: [Value] = []
        for index in 0..<number(count) { values.append(try make(&self, index)) }
        return values
    }

    private mutating func identifier<Owner>() -> Identifier<Owner> {
        let bytes = withUnsafeBytes(of: (generator.next(), generator.next())) { Array($0) }
        return Identifier(
            UUID(
                uuid: (
                    bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                    bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
                )))
    }

    /// In this century, to the microsecond or to the second.
    private mutating func instant() -> Instant {
        let seconds = Int64(number(946_684_800...4_102_444_800))
        let start = Instant(secondsSinceEpoch: seconds)
        return coin() ? start : start.adding(microseconds: Int64(number(0...999_999)))
    }

    private mutating func day() -> CivilDay {
        CivilDay(daysSinceEpoch: Int32(number(10_957...47_482)))
    }

    private mutating func cycle() throws -> Cycle {
        try Cycle(days: number(1...90))
    }

    private mutating func alarmTime() throws -> TimeOfDay {
        guard let time = TimeOfDay(minuteOfDay: number(0...1439)) else { throw Unexpected(what: "no time of day") }
        return time
    }

    private mutating func birthday() throws -> Birthday? {
        try maybe { try Birthday($0.pick(["1994-05-21", "05-21", "02-29", "2000-02-29", "0087-12-31"])) }
    }

    /// At most 16 characters, some of them visible.
    private mutating func text() -> String {
        list(1...4) { random, _ in random.pick(RandomExport.pieces) }.joined()
    }

    private mutating func memo() -> String {
        list(1...6) { random, _ in random.text() }.joined(separator: " ").prefix(90).description
    }
}
