/// Something that happened to a plant.
public struct PlantEvent: Hashable, Sendable {
    /// What happened.
    public enum Kind: Hashable, Sendable {
        case registered
        /// Brought back after a removal.
        case restored
        /// The cycle was changed to this many days.
        case cycleChanged(days: Int)
        case watered(Watering, points: Int)
        /// Keywords or a memo were added to a watering, identified by its number, and earned points (rule 4.4).
        case reviewed(Int, AffectionReason, points: Int)
        case postponed(days: Int)
        /// A pause moved the due date, or put off the day on which the plant withers (rule 13.2).
        case pauseMoved
        /// An outage moved the due date, because its push could not leave (rule 13.3).
        case excused
        /// The day after the due date began (rule 2.2).
        case withered
        /// A withered plant got a due date that is not past (rule 3.3).
        case revived
        case removed
    }

    /// When it happened.
    public let at: Instant
    /// The civil day of `at` in the account's zone.
    public let day: CivilDay
    public let kind: Kind
    /// The due date that the event set; nil if it set none.
    public let dueOn: CivilDay?
}

extension PlantHistory {
    /// All events up to an instant, in order.
    ///
    /// - Parameter zone: The account's zone.
    public func events(upTo instant: Instant, in zone: TimeZoneRules) -> [PlantEvent] {
        let steps = dueDates(in: zone)
        let events = steps.map { event($0) } + unsettingEvents(in: zone) + witherings(steps, upTo: instant, in: zone)
        return events.filter { $0.at <= instant }.enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    private func event(_ step: DueDateStep) -> PlantEvent {
        let kind: PlantEvent.Kind =
            switch step.cause {
            case .registration: .registered
            case .restoration: .restored
            case .edit(let cycle, _): .cycleChanged(days: cycle.days)
            case .watering(let watering): .watered(watering, points: points(of: watering))
            case .postponement(_, let days): .postponed(days: days)
            case .pause: .pauseMoved
            case .outage: .excused
            }
        return PlantEvent(at: step.setAt, day: step.setOn, kind: kind, dueOn: step.dueOn)
    }

    /// Events that set no due date: older waterings, late reviews, and removals.
    private func unsettingEvents(in zone: TimeZoneRules) -> [PlantEvent] {
        let older = waterings.filter { $0.dueOn == nil }.map { watering in
            PlantEvent(
                at: watering.recordedAt, day: watering.recordingDay(in: zone),
                kind: .watered(watering, points: points(of: watering)), dueOn: nil)
        }
        let reviews = ledger.filter { isLate($0) }.map { row in
            PlantEvent(
                at: row.gainedAt, day: zone.day(at: row.gainedAt),
                kind: .reviewed(row.entry.wateringNumber, row.entry.reason, points: row.entry.points), dueOn: nil)
        }
        let removed = (removals.map(\.lowerBound) + [plant.archivedAt].compactMap { $0 }).map {
            PlantEvent(at: $0, day: zone.day(at: $0), kind: .removed, dueOn: nil)
        }
        return older + reviews + removed
    }

    /// The points that a watering earned when it was recorded.
    private func points(of watering: Watering) -> Int {
        ledger.filter { $0.entry.wateringNumber == watering.number && $0.gainedAt == watering.recordedAt }
            .reduce(0) { $0 + $1.entry.points }
    }

    private func isLate(_ row: ExportedAffection) -> Bool {
        waterings.first { $0.number == row.entry.wateringNumber }.map { $0.recordedAt != row.gainedAt } ?? false
    }

    /// The times at which the plant withered and revived, derived from its due dates and removals (rule 2.2).
    private func witherings(_ steps: [DueDateStep], upTo instant: Instant, in zone: TimeZoneRules) -> [PlantEvent] {
        var events: [PlantEvent] = []
        for (place, step) in steps.enumerated() {
            let next = steps.indices.contains(place + 1) ? steps[place + 1] : nil
            // A removed plant does not wither, and bringing it back sets a new due date.
            let removedAt = removals.map(\.lowerBound).first { $0 >= step.setAt } ?? plant.archivedAt
            let end = [next?.setAt, removedAt, instant].compactMap { $0 }.min() ?? instant
            // A due date that was past when it was set does not revive a withered plant.
            let withersOn = step.withersOn
            let withersAt = zone.start(of: withersOn)
            let isWithered = max(withersAt, step.setAt) < end
            let wasWithered = events.last?.kind == .withered
            if isWithered && !wasWithered {
                events.append(
                    PlantEvent(
                        at: max(withersAt, step.setAt), day: max(withersOn, step.setOn), kind: .withered, dueOn: nil))
            }
            guard let next, events.last?.kind == .withered, next.withersOn > next.setOn else { continue }
            events.append(PlantEvent(at: next.setAt, day: next.setOn, kind: .revived, dueOn: nil))
        }
        return events
    }
}
