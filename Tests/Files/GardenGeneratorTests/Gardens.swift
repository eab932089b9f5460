import CherishCore
import Foundation
import GardenGenerator
import SystemTimeZones

/// The gardens under test.
enum Gardens {
    static let zones = SystemTimeZones()
    /// 2027-03-02T05:30:00Z: half past two in the afternoon in Seoul, after midnight in New York.
    static let now = Instant(secondsSinceEpoch: 1_803_965_400)
    /// Generated once for all tests.
    static let accounts: Result<[AccountExport], any Error> = Result {
        try (0..<200).map { try Gardens.generator(seed: 7).account($0) }
    }

    static func generator(seed: UInt64) -> GardenGenerator {
        var generator = GardenGenerator(seed: seed, now: now, zones: zones)
        generator.friendsPerAccount = 4...12
        return generator
    }

    /// Every plant with its account.
    static func plants() throws -> [Growing] {
        try accounts.get().flatMap { account in
            let zone = try zones.rules(account.account.timeZone)
            return account.plants.map { Growing(history: $0, account: account, zone: zone) }
        }
    }
}

/// A plant's history, with what is needed to interpret it.
struct Growing {
    let history: PlantHistory
    let account: AccountExport
    let zone: TimeZoneRules

    var plant: Plant { history.plant }

    /// Whether the plant was removed at an instant.
    func isRemoved(at instant: Instant) -> Bool {
        if let archivedAt = plant.archivedAt, archivedAt <= instant { return true }
        return account.imports.contains { batch in
            batch.changes.contains { change in
                change.plantID == plant.id && change.archivedAt.map { $0 <= instant } == true
                    && instant < batch.importedAt
            }
        }
    }
}

/// The due dates of a plant, derived again from its history alone.
struct DueDates {
    struct Entry {
        let at: Instant
        let dueOn: CivilDay
        let source: Plant.DueSource
    }

    /// In chronological order.
    let entries: [Entry]

    init(_ history: PlantHistory) {
        let watered = history.waterings.compactMap { watering in
            watering.dueOn.map { Entry(at: watering.recordedAt, dueOn: $0, source: .watering) }
        }
        let postponed = history.postponements.map {
            Entry(at: $0.postponedAt, dueOn: $0.postponement.dueOn, source: .postponement)
        }
        let changed = history.dueDateChanges.map { Entry(at: $0.changedAt, dueOn: $0.dueOn, source: $0.source) }
        entries = (watered + postponed + changed).sorted { $0.at < $1.at }
    }

    /// What had set the due date at an instant.
    func entry(at instant: Instant) -> Entry? {
        entries.last { $0.at <= instant }
    }

    /// What had set the due date just before an instant.
    func entry(before instant: Instant) -> Entry? {
        entries.last { $0.at < instant }
    }
}
