/// A day in a plant's calendar (rule 8.3).
public struct CalendarDay: Hashable, Sendable {
    /// Watered, due, or projected from the cycle.
    public enum Kind: String, Sendable {
        case watered, due, projected
    }

    public let day: CivilDay
    public let kind: Kind
    public let watering: Watering?

    /// The days from `first` to `last`: days watered, the due date, and projections every cycle. Only projections after
    /// today are included.
    public static func days(
        of plant: Plant, waterings: [Watering], from first: CivilDay, to last: CivilDay, today: CivilDay
    ) -> [CalendarDay] {
        guard first <= last else { return [] }
        var days = waterings.map { CalendarDay(day: $0.wateredOn, kind: .watered, watering: $0) }
        if plant.archivedAt == nil {
            days.append(CalendarDay(day: plant.dueOn, kind: .due, watering: nil))
            // Nobody counts from the due date to a far year day by day.
            let cycle = plant.cycle.days
            let earliest = max(first, today + 1)
            let next = plant.dueOn + max(1, (earliest - plant.dueOn + cycle - 1) / cycle) * cycle
            days += stride(from: next, through: last, by: cycle).map {
                CalendarDay(day: $0, kind: .projected, watering: nil)
            }
        }
        // Waterings arrive in recording order; a stable sort keeps it within a day.
        return days.filter { $0.day >= first && $0.day <= last }.enumerated()
            .sorted { ($0.element.day, $0.offset) < ($1.element.day, $1.offset) }.map(\.element)
    }
}

extension CivilDay: Strideable {
    public func distance(to other: CivilDay) -> Int { other - self }
    public func advanced(by days: Int) -> CivilDay { self + days }
}
