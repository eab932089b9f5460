import Testing

@testable import CherishCore

/// A garden with one plant and the history that the store would keep. Times are Seoul's.
struct RememberedGarden {
    private(set) var garden: Garden
    private(set) var past: [(at: Instant, plant: Plant)]
    private var ledger: [ExportedAffection] = []
    private var postponements: [ExportedPostponement] = []
    private var changes: [DueDateChange]
    private var removals: [Range<Instant>] = []

    init(
        cycle: Int = 7, birthday: String? = nil, switches: NotificationSwitches = NotificationSwitches(), at now: String
    ) throws {
        let registeredAt = try seoul(now)
        garden = try Garden(cycle: cycle, birthday: birthday, switches: switches, registeredAt: registeredAt)
        past = [(registeredAt, garden.plant)]
        changes = [
            DueDateChange(
                changedAt: registeredAt, cycle: garden.plant.cycle, dueOn: garden.plant.dueOn, source: .registration)
        ]
    }

    /// Runs a command and records what it changed.
    mutating func at(_ time: String, _ command: (inout Garden, Instant) throws -> Void) throws {
        let now = try seoul(time)
        let before = garden
        try command(&garden, now)
        ledger += garden.ledger.dropFirst(before.ledger.count).map { ExportedAffection(entry: $0, gainedAt: now) }
        postponements += garden.postponements.dropFirst(before.postponements.count).map {
            ExportedPostponement(postponement: $0, postponedAt: now)
        }
        if garden.plant.cycle != before.plant.cycle {
            changes.append(
                DueDateChange(
                    changedAt: now, cycle: garden.plant.cycle, dueOn: garden.plant.dueOn, source: .edit))
        }
        if let removedAt = before.plant.archivedAt, garden.plant.archivedAt == nil {
            removals.append(removedAt..<now)
            changes.append(
                DueDateChange(
                    changedAt: now, cycle: garden.plant.cycle, dueOn: garden.plant.dueOn, source: .registration))
        }
        past.append((now, garden.plant))
    }

    var history: PlantHistory {
        PlantHistory(
            plant: garden.plant, createdAt: past[0].at, waterings: garden.waterings, postponements: postponements,
            dueDateChanges: changes, ledger: ledger, removals: removals)
    }

    /// The account with the contents of its calendar.
    var account: AccountExport {
        AccountExport(
            account: garden.account, createdAt: past[0].at, plants: [history],
            pushes: garden.calendar.map { ExportedPush(occurrence: $0, end: nil) })
    }

    /// A history with every kind of event; the tests work out their expectations by hand from docs/rules.md.
    static func long() throws -> RememberedGarden {
        var garden = try RememberedGarden(at: "2027-03-01T10:00")
        try garden.at("2027-03-05T12:00") { try $0.water(at: $1, keywords: ["안부"]) }
        try garden.at("2027-03-05T18:00") { try $0.water(at: $1) }
        try garden.at("2027-03-07T20:00") { try $0.writeReview(1, at: $1, keywords: ["안부"], memo: "메모") }
        try garden.at("2027-03-12T10:00") { try $0.postpone(3, at: $1) }
        try garden.at("2027-03-17T12:00") { try $0.water(at: $1) }
        try garden.at("2027-03-18T12:00") { garden, now in
            try garden.edit(at: now) { $0.cycle = try Cycle(days: 10) }
        }
        return garden
    }
}
