// The pushes that plants will cause if nobody does anything.

extension PushForecast {
    /// Forecasts the pushes about an account's plants.
    ///
    /// - Parameters:
    ///   - export: Provides the planned pushes that have not ended.
    ///   - now: Pushes due by then are sent at once.
    ///   - end: Only entries before this instant are included.
    ///   - zone: The account's zone.
    public init(of export: AccountExport, from now: Instant, before end: Instant, in zone: TimeZoneRules) {
        let plants = Dictionary(export.plants.map { ($0.plant.id, $0) }, uniquingKeysWith: { first, _ in first })
        var entries: [Entry] = []
        for push in export.pushes where push.end == nil {
            guard let plant = plants[Plant.ID(push.occurrence.subjectID)] else { continue }
            entries += PushForecast.walk(
                push.occurrence, of: plant, for: export.account, from: now, before: end, in: zone)
        }
        self.init(entries)
    }

    /// The entries for an occurrence and for the birthdays of later years that follow it (rule 7.10).
    private static func walk(
        _ occurrence: Occurrence, of plant: PlantHistory, for account: Account, from now: Instant, before end: Instant,
        in zone: TimeZoneRules
    ) -> [Entry] {
        var entries: [Entry] = []
        var plant = plant
        var next: Occurrence? = occurrence
        while let planned = next, planned.at < end {
            let entry = Entry(
                planned, PushCandidate(planned, of: plant, for: account, in: zone), after: now, in: zone)
            if entry.at < end { entries.append(entry) }
            next = nil
            if planned.topic == .birthday, !entry.isSuperseded {
                let context = CommandContext(now: max(planned.at, now), zone: zone, calendarCursor: planned.at)
                next = plant.plant.planNextBirthday(for: account, in: context)
            }
        }
        return entries
    }
}

extension AccountExport {
    /// The number of plants with pushes enabled that are due on each day, as a digest counts them.
    package var dueCounts: [CivilDay: Int] {
        let counted = plants.lazy.map(\.plant).filter { $0.archivedAt == nil && $0.pushesEnabled }
        return Dictionary(counted.map { ($0.dueOn, 1) }, uniquingKeysWith: +)
    }
}
