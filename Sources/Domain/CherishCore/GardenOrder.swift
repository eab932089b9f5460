/// The sort orders for lists of plants (rules 2.4 and 9.6).
public enum GardenOrder: String, CaseIterable, Sendable {
    /// Nearness of watering: rule 2.4.
    case nearness
    case name
    /// The highest affection first.
    case affection
    /// Favourites first.
    case favourite
    /// By the first tag; plants without tags come last.
    case tag

    /// Sorts plants in this order; ties follow rule 2.4.
    ///
    /// - Parameter firstTags: The first tag of each plant that has any.
    public func sorted(_ plants: [Plant], firstTags: [Plant.ID: TagName] = [:]) -> [Plant] {
        let byNearness = Plant.listed(plants)
        switch self {
        case .nearness: return byNearness
        case .name:
            return byNearness.stablySorted { $0.name.description.foldedForOrder < $1.name.description.foldedForOrder }
        case .affection: return byNearness.stablySorted { $0.affection > $1.affection }
        case .favourite: return byNearness.stablySorted { $0.isFavourite && !$1.isFavourite }
        case .tag:
            return byNearness.stablySorted { left, right in
                guard let leftTag = firstTags[left.id] else { return false }
                return firstTags[right.id].map { leftTag < $0 } ?? true
            }
        }
    }
}

extension Array {
    /// Sorts stably, which `sort` does not guarantee.
    fileprivate func stablySorted(by isBefore: (Element, Element) -> Bool) -> [Element] {
        enumerated().sorted { left, right in
            if isBefore(left.element, right.element) { return true }
            return !isBefore(right.element, left.element) && left.offset < right.offset
        }.map(\.element)
    }
}

extension String {
    fileprivate var foldedForOrder: String { lowercased() }
}
