/// How lists of things are sorted (rule 10.10).
public enum ThingOrder: String, CaseIterable, Sendable {
    /// The earliest due day and time first; a day without a time comes before its times.
    case due
    /// The latest purchase first; things without one last.
    case bought
    case title
    /// The thing that was recorded last comes first.
    case newest

    /// The things in this order.
    public func sorted(_ things: [Thing]) -> [Thing] {
        switch self {
        case .due: things.sorted { $0.byDue < $1.byDue }
        case .bought:
            things.sorted {
                guard $0.boughtOn != $1.boughtOn else { return $0.byDue < $1.byDue }
                guard let left = $0.boughtOn, let right = $1.boughtOn else { return $0.boughtOn != nil }
                return left > right
            }
        case .title: things.sorted { ($0.titleKey, $0.id) < ($1.titleKey, $1.id) }
        case .newest: things.sorted { ($1.createdAt, $0.id) < ($0.createdAt, $1.id) }
        }
    }
}

extension Thing {
    fileprivate var titleKey: String { title.description.lowercased() }

    /// Total, so that lists look the same each time.
    fileprivate var byDue: (CivilDay, Int, String, ID) { (due.day, due.time?.minuteOfDay ?? -1, titleKey, id) }
}

extension FoodCategory {
    /// Whether two categories are the same regardless of case.
    public func isSame(as other: FoodCategory) -> Bool { description.lowercased() == other.description.lowercased() }
}
