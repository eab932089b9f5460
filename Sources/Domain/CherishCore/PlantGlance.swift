/// What lists show of a plant: enough to recognize it, to find it, and to see what it needs. Lists have hundreds of plants,
/// so reading and copying their rest would take longer than showing them.
public struct PlantGlance: Hashable, Sendable {
    public let id: Plant.ID
    public let name: ContactName
    public let phone: PhoneNumber
    public let nickname: Nickname
    public let cycle: Cycle
    /// From when the gauge counts (rule 2.3).
    public let anchor: CivilDay
    public let dueOn: CivilDay
    /// The first day on which it is withered, unless it is watered (rules 2.2 and 13.1).
    public let withersOn: CivilDay
    public let occasion: PushOccasion
    public let affection: Affection
    public let wateringCount: Int
    public let isFavourite: Bool

    /// - Parameters:
    ///   - pausedDays: when it is paused.
    ///   - isMovedByPause: whether a pause has moved the due date.
    public init(
        id: Plant.ID, name: ContactName, phone: PhoneNumber, nickname: Nickname, cycle: Cycle, plantedOn: CivilDay,
        lastWateredOn: CivilDay?, restoredOn: CivilDay?, dueOn: CivilDay, dueSource: Plant.DueSource,
        isMovedByPause: Bool, pausedDays: PausedDays, affection: Affection, wateringCount: Int, isFavourite: Bool
    ) {
        (self.id, self.name, self.phone, self.nickname) = (id, name, phone, nickname)
        (self.cycle, self.dueOn) = (cycle, dueOn)
        anchor = Plant.anchor(plantedOn: plantedOn, lastWateredOn: lastWateredOn, restoredOn: restoredOn)
        withersOn = pausedDays.firstUnpaused(from: dueOn + 1)
        occasion = PushOccasion(dueSource, isMovedByPause: isMovedByPause)
        (self.affection, self.wateringCount, self.isFavourite) = (affection, wateringCount, isFavourite)
    }

    /// Days left and gauge on a civil day (rules 2.1–2.3).
    public func dDay(on today: CivilDay) -> DDay {
        DDay(dueOn: dueOn, withersOn: withersOn, anchor: anchor, today: today)
    }

    /// Where it stands in lists.
    public var place: PlantPlace { PlantPlace(dueOn: dueOn, affection: affection, nickname: nickname, id: id) }

    /// The plants in the order of rule 2.4.
    public static func listed(_ plants: [PlantGlance]) -> [PlantGlance] {
        PlantPlace.order(plants.map(\.place)).map { plants[$0] }
    }
}

extension Plant {
    public var glance: PlantGlance {
        PlantGlance(
            id: id, name: name, phone: phone, nickname: nickname, cycle: cycle, plantedOn: plantedOn,
            lastWateredOn: lastWateredOn, restoredOn: restoredOn, dueOn: dueOn, dueSource: dueSource,
            isMovedByPause: originalDueOn != nil, pausedDays: pausedDays, affection: affection,
            wateringCount: wateringCount, isFavourite: isFavourite)
    }
}

/// Where a plant stands in lists: by days left, affection and nickname, all ascending (rule 2.4); then by id, to make the
/// order total.
public struct PlantPlace: Comparable, Sendable {
    let dueOn: CivilDay
    let affection: Affection
    let nickname: Nickname
    let id: Plant.ID

    public static func < (left: PlantPlace, right: PlantPlace) -> Bool {
        if left.dueOn != right.dueOn { return left.dueOn < right.dueOn }
        if left.affection != right.affection { return left.affection < right.affection }
        if left.nickname != right.nickname { return left.nickname < right.nickname }
        return left.id < right.id
    }

    /// The indices of the places in their order. Plants are large, so indices are sorted instead of plants.
    static func order(_ places: [PlantPlace]) -> [Int] { places.indices.sorted { places[$0] < places[$1] } }
}
