import CherishCore
import CherishStore

/// A copy of an account, as a device keeps it: it asks for what has changed, page by page.
package struct GardenReplica {
    /// An item as the copy has it.
    private struct Copy: Hashable {
        let text: String
        /// A tag's end is no change of what has it.
        var tags: Set<CherishCore.Tag.ID> = []
        /// A list that the account helps with.
        var helped: ShoppingList?
    }

    private var copies: [ChangedItem: Copy] = [:]
    package private(set) var cursor: ChangeCursor?
    /// How many pages it has read, and how often it had to read everything.
    package private(set) var pageCount = 0
    package private(set) var beginningCount = 0

    /// What it has, one line for each item.
    package var lines: Set<String> {
        Set(copies.map(Self.line))
    }

    private static func line(_ item: ChangedItem, _ copy: Copy) -> String {
        "\(item): \(copy.text) \(copy.tags.map(\.description).sorted())"
    }

    /// What it has and should not have, and what it lacks.
    ///
    /// - Parameter everything: a new copy.
    package func differences(from everything: GardenReplica, at now: Instant) -> [String] {
        let differences = lines.symmetricDifference(everything.lines)
        // A list that is over is shown to its helper for a while, and then not any more, by the clock alone.
        let over = copies.filter { item, copy in
            everything.copies[item] == nil && copy.helped.map { $0.state(at: now) != .accepted } ?? false
        }
        return differences.subtracting(over.map(Self.line)).sorted()
    }

    /// Reads until there is no more.
    ///
    /// - Parameter limit: how many items a page has.
    package mutating func follow(_ garden: Garden, limit: Int = 3) async throws {
        if cursor == nil { beginningCount += 1 }
        while true {
            let page: ChangePage
            do {
                page = try await garden.changes(after: cursor, limit: limit)
            } catch is ChangeCursorExpired {
                (copies, cursor) = ([:], nil)
                beginningCount += 1
                continue
            }
            pageCount += 1
            take(page)
            cursor = page.cursor
            if page.isComplete { return }
        }
    }

    /// A new copy of everything.
    package static func reading(_ garden: Garden, limit: Int = 1_000) async throws -> GardenReplica {
        var replica = GardenReplica()
        try await replica.follow(garden, limit: limit)
        return replica
    }

    private mutating func take(_ page: ChangePage) {
        if var settings = page.settings {
            // Pauses come by themselves.
            settings.pausedDays = .none
            copies[.settings] = Copy(text: "\(settings)")
        }
        for session in page.sessions {
            // Its last use is no change.
            copies[.session(session.id)] = Copy(text: "\(session.deviceName) \(session.signedInAt)")
        }
        for view in page.pauses { copies[.pause(view.pause.id)] = Copy(text: "\(view.pause)") }
        for tag in page.tags { copies[.tag(tag.id)] = Copy(text: "\(tag)") }
        for plant in page.friends {
            copies[.friend(plant.id)] = Copy(
                text: Self.text(plant), tags: Set(page.tagsOfFriends[plant.id, default: []].map(\.id)))
        }
        for watering in page.waterings {
            copies[.watering(watering.plantID, number: watering.watering.number)] = Copy(text: "\(watering)")
        }
        for thing in page.things {
            copies[.thing(thing.id)] = Copy(
                text: Self.text(thing), tags: Set(page.tagsOfThings[thing.id, default: []].map(\.id)))
        }
        for stored in page.lists {
            copies[.list(stored.list.id)] = Copy(text: "\(stored.list) \(stored.helper.map { "\($0)" } ?? "")")
        }
        for helped in page.helpedLists {
            let list = helped.stored.list
            copies[.list(list.id)] = Copy(text: "\(list)", helped: list)
        }
        for item in page.gone {
            copies[item] = nil
            switch item {
            case .friend(let gone):
                copies = copies.filter { item, _ in
                    if case .watering(gone, _) = item { false } else { true }
                }
            case .tag(let gone): for item in copies.keys { copies[item]?.tags.remove(gone) }
            default: break
            }
        }
    }

    private static func text(_ thing: Thing) -> String {
        """
        \(thing.version) \(thing.kind) \(thing.title) \(thing.due) \(thing.chosenAlerts.map { "\($0)" } ?? "-") \
        \(thing.isFavourite) \(thing.pushesEnabled) \(thing.completionCount) \(thing.end.map { "\($0)" } ?? "-")
        """
    }

    /// What a device shows: not when pushes are planned, which a worker and the settings change.
    private static func text(_ plant: Plant) -> String {
        """
        \(plant.version) \(plant.name) \(plant.nickname) \(plant.phone) \(plant.birthday.map { "\($0)" } ?? "-") \
        \(plant.cycle.days) \(plant.alarmTime) \(plant.plantedOn) \(plant.lastWateredOn.map { "\($0)" } ?? "-") \
        \(plant.dueOn) \(plant.pausedDays.spans) \(plant.affection.points) \(plant.wateringCount) \(plant.postponementCount) \
        \(plant.pushesEnabled) \(plant.isFavourite) \(plant.archivedAt.map { "\($0)" } ?? "-")
        """
    }
}
