import CherishTestSupport
import SeededChance
import Testing

@testable import CherishCore

/// An independent model of sections 3, 4 and 6 of docs/rules.md, as if kept in a notebook: days are plain numbers,
/// points are in a table, and nothing is shared with the engine. A refusal is its code.
private struct Notebook {
    private(set) var due: Int
    private(set) var lastWatered: Int?
    private var restored: Int?
    private(set) var waterings = 0
    private(set) var postponements = 0
    private(set) var isRemoved = false
    private(set) var cycle: Int
    private let planted: Int
    /// The numbers of the waterings of a civil day, in the order of recording.
    private var numbers: [Int: [Int]] = [:]
    private var dayOfNumber: [Int: Int] = [:]
    /// Points by number of the watering, then by reason.
    private var points: [Int: [String: Int]] = [:]
    private var reviews: [Int: [String]] = [:]

    init(planted: Int, cycle: Int) {
        self.planted = planted
        self.cycle = cycle
        due = planted + cycle
    }

    var affection: Int {
        points.values.flatMap(\.values).reduce(0, +)
    }

    private mutating func earn(_ reasons: [String], number: Int) {
        for reason in reasons where points[number]?[reason] == nil {
            let gained = min(8, 100 - affection)
            if gained > 0 { points[number, default: [:]][reason] = gained }
        }
    }

    mutating func water(_ day: Int, today: Int, review: [String]) -> String? {
        if isRemoved { return "archived" }
        if day > today || day < today - 7 || day < planted { return "watering_day_out_of_range" }
        waterings += 1
        let isFirstOfDay = numbers[day] == nil
        numbers[day, default: []].append(waterings)
        dayOfNumber[waterings] = day
        reviews[waterings] = review
        if isFirstOfDay { earn(["contact"] + review, number: waterings) }
        if let lastWatered, day < lastWatered { return nil }
        lastWatered = day
        due = day + cycle
        return nil
    }

    mutating func write(_ number: Int, review: [String]) -> String? {
        if isRemoved { return "archived" }
        reviews[number] = review
        let isFirstOfDay = dayOfNumber[number].flatMap { numbers[$0]?.first } == number
        if isFirstOfDay { earn(review, number: number) }
        return nil
    }

    mutating func deleteReview(_ number: Int) -> String? {
        if isRemoved { return "archived" }
        if reviews[number]?.isEmpty != false { return "not_found" }
        reviews[number] = []
        return nil
    }

    mutating func postpone(_ days: Int, today: Int) -> String? {
        if isRemoved { return "archived" }
        if days < 1 || days > 7 { return "invalid_days" }
        if due > today { return "not_yet_due" }
        if due < today { return "withered" }
        due += days
        postponements += 1
        return nil
    }

    mutating func change(cycle newCycle: Int, today: Int) -> String? {
        if newCycle < 1 || newCycle > 90 { return "invalid_cycle" }
        if isRemoved { return "archived" }
        if newCycle == cycle { return nil }
        cycle = newCycle
        due = max(max(lastWatered ?? planted, restored ?? .min) + newCycle, today)
        return nil
    }

    mutating func remove() -> String? {
        if isRemoved { return "archived" }
        isRemoved = true
        return nil
    }

    mutating func restore(today: Int) -> String? {
        if isRemoved { (due, restored) = (today + cycle, today) }
        isRemoved = false
        return nil
    }

    func label(today: Int) -> String {
        if due == today { return "D-DAY" }
        return due > today ? "D-\(due - today)" : "D+\(today - due)"
    }
}

/// A random action of an account.
private enum RandomCommand {
    case water(daysAgo: Int, review: [String])
    case write(number: Int, review: [String])
    case deleteReview(number: Int)
    case postpone(days: Int)
    case change(cycle: Int)
    case remove
    case restore

    static func next(using generator: inout SplitMix64, waterings: Int) -> RandomCommand {
        let reviews = [[], ["keywords"], ["memo"], ["keywords", "memo"]]
        let review = reviews[Int.random(in: 0..<4, using: &generator)]
        let number = Int.random(in: 1...max(1, waterings), using: &generator)
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<35: return .water(daysAgo: Int.random(in: 0...2, using: &generator), review: review)
        case 35..<45: return .water(daysAgo: Int.random(in: -2...9, using: &generator), review: review)
        case 45..<60 where waterings > 0 && !review.isEmpty: return .write(number: number, review: review)
        case 60..<68 where waterings > 0: return .deleteReview(number: number)
        case 68..<85: return .postpone(days: Int.random(in: 0...8, using: &generator))
        case 85..<94: return .change(cycle: Int.random(in: 0...6, using: &generator))
        case 94: return .change(cycle: Int.random(in: 85...92, using: &generator))
        case 95: return .remove
        case 96..<99: return .restore
        default: return .water(daysAgo: 0, review: [])
        }
    }

    func note(in notebook: inout Notebook, today: Int) -> String? {
        switch self {
        case .water(let daysAgo, let review): notebook.water(today - daysAgo, today: today, review: review)
        case .write(let number, let review): notebook.write(number, review: review)
        case .deleteReview(let number): notebook.deleteReview(number)
        case .postpone(let days): notebook.postpone(days, today: today)
        case .change(let cycle): notebook.change(cycle: cycle, today: today)
        case .remove: notebook.remove()
        case .restore: notebook.restore(today: today)
        }
    }

    func carryOut(in garden: inout Garden, at now: Instant) throws {
        switch self {
        case .water(let daysAgo, let review):
            let day = try garden.context(now).today + -daysAgo
            try garden.water(at: now, on: day, keywords: keywords(review), memo: memo(review))
        case .write(let number, let review):
            try garden.writeReview(number, at: now, keywords: keywords(review), memo: memo(review))
        case .deleteReview(let number): try garden.deleteReview(number, at: now)
        case .postpone(let days): try garden.postpone(days, at: now)
        case .change(let days):
            let cycle = try Cycle(days: days)
            try garden.edit(at: now) { $0.cycle = cycle }
        case .remove: try garden.remove(at: now)
        case .restore: try garden.restore(at: now)
        }
    }

    private func keywords(_ review: [String]) -> [String] {
        review.contains("keywords") ? ["안부", "점심"] : []
    }

    private func memo(_ review: [String]) -> String? {
        review.contains("memo") ? "메모" : nil
    }
}

/// What the engine and the notebook must agree on.
private struct Snapshot: Equatable {
    let due: Int
    let lastWatered: Int?
    let affection: Int
    let waterings: Int
    let postponements: Int
    let cycle: Int
    let isRemoved: Bool
    let label: String

    init(_ notebook: Notebook, today: Int) {
        due = notebook.due
        lastWatered = notebook.lastWatered
        affection = notebook.affection
        waterings = notebook.waterings
        postponements = notebook.postponements
        cycle = notebook.cycle
        isRemoved = notebook.isRemoved
        label = notebook.label(today: today)
    }

    init(_ garden: Garden, at now: Instant) throws {
        due = Int(garden.plant.dueOn.daysSinceEpoch)
        lastWatered = garden.plant.lastWateredOn.map { Int($0.daysSinceEpoch) }
        affection = garden.plant.affection.points
        waterings = garden.plant.wateringCount
        postponements = garden.plant.postponementCount
        cycle = garden.plant.cycle.days
        isRemoved = garden.plant.archivedAt != nil
        label = try garden.dDay(now).label
    }
}

/// The code of the refusal, or nil if the command succeeded.
private func refusal(of command: () throws -> Void) throws -> String? {
    do {
        try command()
        return nil
    } catch let error as CareError {
        return error.code
    }
}

@Suite("Random commands")
struct RandomCommandTests {
    @Test("sections 3, 4 and 6: the engine agrees with a notebook after each random command")
    func againstNotebook() throws {
        for seed in 1...UInt64(repetitions(1200, inDebug: 200)) {
            guard try agrees(seed: seed) else { return }
        }
    }

    private func agrees(seed: UInt64) throws -> Bool {
        var generator = SplitMix64(seed: seed)
        var now = try seoul("2027-03-01T10:00")
        let cycle = Int.random(in: 1...10, using: &generator)
        var garden = try Garden(cycle: cycle, registeredAt: now)
        var notebook = Notebook(planted: Self.dayInSeoul(now), cycle: cycle)
        for step in 1...40 {
            now = now.adding(minutes: Int.random(in: 0...3000, using: &generator))
            let today = Self.dayInSeoul(now)
            let command = RandomCommand.next(using: &generator, waterings: notebook.waterings)
            let expectedRefusal = command.note(in: &notebook, today: today)
            let actualRefusal = try refusal { try command.carryOut(in: &garden, at: now) }
            let expected = Snapshot(notebook, today: today)
            let actual = try Snapshot(garden, at: now)
            let ledger = garden.ledger.map(\.points).reduce(0, +)
            if actual != expected || actualRefusal != expectedRefusal || ledger != expected.affection {
                Issue.record(
                    """
                    seed \(seed), step \(step), \(command) at \(now):
                    the engine has \(actual), refusal \(actualRefusal ?? "none"), ledger \(ledger),
                    the notebook \(expected), refusal \(expectedRefusal ?? "none")
                    """)
                return false
            }
        }
        return true
    }

    /// Days since 1970-01-01 by the clock of Seoul, nine hours ahead of UTC. All instants here are after 1970.
    private static func dayInSeoul(_ now: Instant) -> Int {
        Int((now.secondsSinceEpoch + 9 * 3600) / 86_400)
    }

    @Test("7.2, 7.5, 7.8: on random journeys each due date is pushed at most once, and every occurrence ends once")
    func journeys() throws {
        for seed in 1...UInt64(repetitions(400, inDebug: 80)) {
            let garden = try journey(seed: seed)
            let sent = garden.sent(.wateringDue)
            let reminded = garden.sent(.reviewMissing)
            #expect(Set(sent).count == sent.count, "seed \(seed) pushed a due date twice: \(garden.sentDueDates)")
            #expect(Set(reminded).count == reminded.count, "seed \(seed) reminded of a watering twice")
            #expect(garden.calendar.isEmpty, "seed \(seed) left a planned moment without an outcome")
        }
    }

    private func journey(seed: UInt64) throws -> Garden {
        let zones = [
            "Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Seoul", "America/New_York", "Australia/Lord_Howe",
        ]
        var generator = SplitMix64(seed: seed)
        var now = try utc("2027-02-20T00:00").adding(minutes: Int.random(in: 0...20_000, using: &generator))
        var garden = try Garden(
            cycle: Int.random(in: 1...4, using: &generator), zone: zones[Int.random(in: 0..<5, using: &generator)],
            switches: NotificationSwitches(withered: Bool.random(using: &generator)), registeredAt: now)
        for _ in 1...60 {
            now = now.adding(minutes: Int.random(in: 0...1200, using: &generator))
            if Int.random(in: 0..<3, using: &generator) > 0 { try garden.tick(at: now) }
            // A command's now may lie behind the cursor.
            let moment = now.adding(minutes: -Int.random(in: 0...20, using: &generator))
            let choice = Int.random(in: 0..<10, using: &generator)
            let number = Int.random(in: 0..<1440, using: &generator)
            switch choice {
            case 0, 1: try garden.water(at: moment)
            case 2, 3: _ = try refusal { try garden.postpone(number % 7 + 1, at: moment) }
            case 4, 5:
                let cycle = try Cycle(days: number % 5 + 1)
                try garden.edit(at: moment) { $0.cycle = cycle }
            case 6, 7:
                let alarm = try #require(TimeOfDay(minuteOfDay: number))
                try garden.edit(at: moment) { $0.alarmTime = alarm }
            case 8: try garden.move(to: zones[number % 5], at: moment)
            default: break
            }
        }
        try garden.tick(at: now.adding(hours: 24 * 400))
        return garden
    }
}
