import CherishCore
import Foundation

/// An expected report, in the format of ``ServiceUnderTest/rows(_:at:)``.
struct TrueReport: Sendable {
    let name: String
    /// The column names, in order; nil without rows.
    let columns: String?
    let rows: [String]

    fileprivate init(_ name: String, rows: [Fields]) {
        self.name = name
        columns = rows.first?.map { $0.key }.joined(separator: "|")
        self.rows = rows.map { row in row.map { $0.value.description }.joined(separator: "|") }
    }
}

/// A row by column names, in order.
private typealias Fields = KeyValuePairs<String, any CustomStringConvertible>

/// The expected reports about a garden at a moment, derived from its history by the rules.
///
/// Uses only CherishCore's arithmetic of days and zones.
struct ReportTruth {
    let accounts: [AccountToday]
    /// The plants of all accounts, including removed ones.
    let plants: [PlantToday]

    var livingPlants: [PlantToday] { plants.filter { !$0.isRemoved } }

    init(_ garden: PastGarden, at now: Instant = PastGarden.now) throws {
        accounts = try garden.exports.map { export in
            let zone = try ServiceUnderTest.zones.clock(of: export.account)
            return AccountToday(export: export, zone: zone, now: now)
        }
        plants = accounts.flatMap { account in
            account.export.plants.map { PlantToday(history: $0, owner: account) }
        }
    }

    /// Reports that change from day to day even if nothing happens.
    var today: [TrueReport] { [accountDay, plantDay, dday, overdue, garden, accountStats] }

    /// Reports about the past.
    var past: [TrueReport] {
        [
            wateringDaily, wateringByMethod, serviceWateringDaily, serviceWateringByMethod, affectionLedger,
            reviewKeywords, reviewKeywordPairs, serviceReviewKeywords, serviceReviewKeywordPairs,
        ]
    }
}

// MARK: - The rules once more

/// An account, and its current day.
struct AccountToday {
    let export: AccountExport
    let zone: TimeZoneRules
    let now: Instant

    var id: Account.ID { export.account.id }
    var today: CivilDay { zone.day(at: now) }
    var registeredOn: CivilDay { zone.day(at: export.createdAt) }
}

/// A plant on a day. Whatever its history can give is counted.
struct PlantToday {
    let history: PlantHistory
    let owner: AccountToday

    var id: Plant.ID { history.plant.id }
    var isRemoved: Bool { history.plant.archivedAt != nil }
    var removedOn: CivilDay? { history.plant.archivedAt.map { owner.zone.day(at: $0) } }
    var plantedOn: CivilDay { owner.zone.day(at: history.createdAt) }
    var lastWateredOn: CivilDay? { history.waterings.map(\.wateredOn).max() }
    /// Rule 1.8.
    var restoredOn: CivilDay? {
        history.dueDateChanges.filter { $0.source == .registration }.dropFirst().last
            .map { owner.zone.day(at: $0.changedAt) }
    }
    /// Rules 1.8 and 2.3.
    var anchorOn: CivilDay {
        if let restoredOn, restoredOn > lastWateredOn ?? plantedOn { return restoredOn }
        return lastWateredOn ?? plantedOn
    }
    var cycleDays: Int { history.plant.cycle.days }
    var dueOn: CivilDay { history.plant.dueOn }
    var dueSource: String { history.plant.dueSource.rawValue }
    /// Rule 2.1.
    var daysLeft: Int { dueOn - owner.today }
    /// Rule 4.5.
    var affection: Int { history.ledger.reduce(0) { $0 + $1.entry.points } }
    var isFull: Bool { affection == 100 }
    var isThriving: Bool { owner.today < dueOn }
    var isThirsty: Bool { owner.today == dueOn }
    var isWithered: Bool { owner.today > dueOn }

    var species: String { trueSpecies(cycleDays: cycleDays) }
    var condition: String { trueCondition(daysLeft: daysLeft) }
    var stage: String { trueStage(affection: affection) }

    /// Rule 2.1.
    var label: String {
        if daysLeft == 0 { return "D-DAY" }
        return daysLeft > 0 ? "D-\(daysLeft)" : "D+\(-daysLeft)"
    }

    /// Rule 2.3.
    var gauge: Double {
        let share = Double(daysLeft) / Double(dueOn - anchorOn)
        if share <= 0 { return 0 }
        return share >= 1 ? 1 : share
    }
}

/// The table of rule 1.3.
func trueSpecies(cycleDays: Int) -> String {
    switch cycleDays {
    case 1...3: "rosemary"
    case 4...7: "american_blue"
    case 8...15: "dandelion"
    case 16...30: "stuckyi"
    case 31...90: "echinopsis"
    default: "nothing grows on a cycle of \(cycleDays)"
    }
}

/// Rule 2.2.
func trueCondition(daysLeft: Int) -> String {
    if daysLeft == 0 { return "thirsty" }
    return daysLeft < 0 ? "withered" : "thriving"
}

/// Rule 4.6.
func trueStage(affection: Int) -> String {
    if affection >= 48 { return "bloom" }
    return affection >= 24 ? "bud" : "sprout"
}

// MARK: - Today

extension ReportTruth {
    private var accountDay: TrueReport {
        TrueReport(
            "account_day",
            rows: accounts.map { account in
                [
                    "lane": account.id.lane, "account_id": account.id, "time_zone": account.export.account.timeZone,
                    "language": account.export.account.language.rawValue, "registered_on": account.registeredOn,
                    "today": account.today, "day_end_minute": account.zone.dayEnd.time.minuteOfDay,
                ]
            })
    }

    private var plantDay: TrueReport {
        TrueReport(
            "plant_day",
            rows: plants.map { plant in
                [
                    "lane": plant.owner.id.lane, "account_id": plant.owner.id, "plant_id": plant.id,
                    "time_zone": plant.owner.zone.name, "today": plant.owner.today, "is_archived": plant.isRemoved,
                    "archived_on": orDash(plant.removedOn), "species": plant.species, "cycle_days": plant.cycleDays,
                    "planted_on": plant.plantedOn, "restored_on": orDash(plant.restoredOn),
                    "last_watered_on": orDash(plant.lastWateredOn), "anchor_on": plant.anchorOn,
                    "due_on": plant.dueOn, "due_source": plant.dueSource, "affection": plant.affection,
                    "is_favourite": plant.history.plant.isFavourite, "watering_count": plant.history.waterings.count,
                    "postponement_count": plant.history.postponements.count,
                    "day_end_minute": plant.owner.zone.dayEnd.time.minuteOfDay, "withers_on": plant.dueOn + 1,
                ]
            })
    }

    private var dday: TrueReport {
        TrueReport(
            "dday",
            rows: livingPlants.map { plant in
                [
                    "lane": plant.owner.id.lane, "account_id": plant.owner.id, "plant_id": plant.id,
                    "species": plant.species, "cycle_days": plant.cycleDays, "planted_on": plant.plantedOn,
                    "restored_on": orDash(plant.restoredOn), "last_watered_on": orDash(plant.lastWateredOn),
                    "due_on": plant.dueOn,
                    "due_source": plant.dueSource, "today": plant.owner.today, "days_left": plant.daysLeft,
                    "label": plant.label, "condition": plant.condition, "gauge": nineDigits(plant.gauge),
                    "affection": plant.affection, "stage": plant.stage, "is_full": plant.isFull,
                    "is_favourite": plant.history.plant.isFavourite, "watering_count": plant.history.waterings.count,
                    "postponement_count": plant.history.postponements.count,
                ]
            })
    }

    private var overdue: TrueReport {
        TrueReport(
            "overdue",
            rows: livingPlants.filter(\.isWithered).map { plant -> Fields in
                let days = plant.owner.today - plant.dueOn
                return [
                    "lane": plant.owner.id.lane, "account_id": plant.owner.id, "plant_id": plant.id,
                    "species": plant.species, "cycle_days": plant.cycleDays, "due_on": plant.dueOn,
                    "today": plant.owner.today, "days_overdue": days,
                    "cycles_overdue": nineDigits(Double(days) / Double(plant.cycleDays)),
                    "last_watered_on": orDash(plant.lastWateredOn), "affection": plant.affection,
                    "stage": plant.stage, "is_favourite": plant.history.plant.isFavourite,
                ]
            })
    }

    private var garden: TrueReport {
        let groups = Dictionary(grouping: livingPlants) { "\($0.owner.id) \($0.species) \($0.stage)" }
        return TrueReport(
            "garden",
            rows: groups.values.map { group -> Fields in
                let points = group.reduce(0) { $0 + $1.affection }
                return [
                    "lane": group[0].owner.id.lane, "account_id": group[0].owner.id, "species": group[0].species,
                    "stage": group[0].stage, "plant_count": group.count,
                    "thriving_count": group.filter(\.isThriving).count,
                    "thirsty_count": group.filter(\.isThirsty).count,
                    "withered_count": group.filter(\.isWithered).count, "full_count": group.filter(\.isFull).count,
                    "affection_points": points,
                ]
            })
    }

    private var accountStats: TrueReport {
        TrueReport(
            "account_stats",
            rows: accounts.map { account -> Fields in
                let all = plants.filter { $0.owner.id == account.id }
                let living = all.filter { !$0.isRemoved }
                let waterings = all.reduce(0) { $0 + $1.history.waterings.count }
                let postponements = all.reduce(0) { $0 + $1.history.postponements.count }
                return [
                    "lane": account.id.lane, "account_id": account.id, "registered_on": account.registeredOn,
                    "today": account.today, "plant_count": living.count,
                    "archived_plant_count": all.filter(\.isRemoved).count,
                    "full_count": living.filter(\.isFull).count, "thirsty_count": living.filter(\.isThirsty).count,
                    "withered_count": living.filter(\.isWithered).count, "watering_count": waterings,
                    "postponement_count": postponements,
                    "last_watered_on": orDash(all.compactMap(\.lastWateredOn).max()),
                ]
            })
    }
}

// MARK: - Waterings

/// A watering, and its plant.
private struct Contact {
    let plant: PlantToday
    let watering: Watering

    var day: CivilDay { watering.wateredOn }
    var method: String { watering.method.rawValue }
    var keywords: [String] { watering.review?.keywords ?? [] }
    var isReviewed: Bool { !keywords.isEmpty || watering.review?.memo != nil }
    /// Rule 3.4: recorded on a later day.
    var isBackdated: Bool { plant.owner.zone.day(at: watering.recordedAt) > day }
}

extension ReportTruth {
    private func contacts(by key: (Contact) -> String) -> [[Contact]] {
        let contacts = plants.flatMap { plant in
            plant.history.waterings.map { Contact(plant: plant, watering: $0) }
        }
        return Array(Dictionary(grouping: contacts, by: key).values)
    }

    private var wateringDaily: TrueReport {
        TrueReport(
            "watering_daily",
            rows: contacts { "\($0.plant.owner.id) \($0.day)" }.map { group in
                [
                    "lane": group[0].plant.owner.id.lane, "account_id": group[0].plant.owner.id, "day": group[0].day,
                    "watering_count": group.count, "plant_count": Set(group.map(\.plant.id)).count,
                    "backdated_count": group.filter(\.isBackdated).count,
                    "reviewed_count": group.filter(\.isReviewed).count,
                ]
            })
    }

    private var wateringByMethod: TrueReport {
        TrueReport(
            "watering_by_method",
            rows: contacts { "\($0.plant.owner.id) \($0.day) \($0.method)" }.map { group in
                [
                    "lane": group[0].plant.owner.id.lane, "account_id": group[0].plant.owner.id, "day": group[0].day,
                    "method": group[0].method, "watering_count": group.count,
                    "reviewed_count": group.filter(\.isReviewed).count,
                ]
            })
    }

    private var serviceWateringDaily: TrueReport {
        TrueReport(
            "service_watering_daily",
            rows: contacts { "\($0.day)" }.map { group in
                [
                    "day": group[0].day, "watering_count": group.count,
                    "backdated_count": group.filter(\.isBackdated).count,
                    "reviewed_count": group.filter(\.isReviewed).count,
                ]
            })
    }

    private var serviceWateringByMethod: TrueReport {
        TrueReport(
            "service_watering_by_method",
            rows: contacts { "\($0.day) \($0.method)" }.map { group in
                [
                    "day": group[0].day, "method": group[0].method, "watering_count": group.count,
                    "backdated_count": group.filter(\.isBackdated).count,
                    "reviewed_count": group.filter(\.isReviewed).count,
                ]
            })
    }
}

// MARK: - Affection

extension ReportTruth {
    private var affectionLedger: TrueReport {
        TrueReport(
            "affection_ledger",
            rows: plants.flatMap { plant in
                var balance = 0
                return plant.history.ledger.map { row -> Fields in
                    balance += row.entry.points
                    return [
                        "lane": plant.owner.id.lane, "account_id": plant.owner.id, "plant_id": plant.id,
                        "watering_number": row.entry.wateringNumber, "reason": row.entry.reason.rawValue,
                        "points": row.entry.points, "gained_at": row.gainedAt,
                        "day": plant.owner.zone.day(at: row.gainedAt), "balance": balance,
                    ]
                }
            })
    }
}

// MARK: - Keywords

/// One or two keywords in the review of a watering.
private struct Mention {
    let contact: Contact
    let keyword: String
    var otherKeyword = ""

    var owner: AccountToday { contact.plant.owner }
    var key: String { "\(keyword) \(otherKeyword)" }

    /// Each keyword of a watering.
    static func single(_ contact: Contact) -> [Mention] {
        contact.keywords.map { Mention(contact: contact, keyword: $0) }
    }

    /// Each pair of keywords of a watering, the one with the lower code points first.
    static func pairs(_ contact: Contact) -> [Mention] {
        contact.keywords.flatMap { keyword in
            contact.keywords.filter { keyword.utf8.lexicographicallyPrecedes($0.utf8) }
                .map { Mention(contact: contact, keyword: keyword, otherKeyword: $0) }
        }
    }
}

extension ReportTruth {
    private func mentions(_ kind: (Contact) -> [Mention], by key: (Mention) -> String) -> [[Mention]] {
        let mentions = contacts { "\($0.plant.id)" }.joined().flatMap(kind)
        return Array(Dictionary(grouping: mentions, by: key).values)
    }

    private var reviewKeywords: TrueReport {
        TrueReport(
            "review_keywords",
            rows: mentions(Mention.single) { "\($0.owner.id) \($0.key)" }.map { group -> Fields in
                let days = group.map(\.contact.day).sorted()
                return [
                    "lane": group[0].owner.id.lane, "account_id": group[0].owner.id, "keyword": group[0].keyword,
                    "review_count": group.count, "plant_count": Set(group.map(\.contact.plant.id)).count,
                    "first_on": orDash(days.first), "last_on": orDash(days.last),
                ]
            })
    }

    private var reviewKeywordPairs: TrueReport {
        TrueReport(
            "review_keyword_pairs",
            rows: mentions(Mention.pairs) { "\($0.owner.id) \($0.key)" }.map { group in
                [
                    "lane": group[0].owner.id.lane, "account_id": group[0].owner.id, "keyword": group[0].keyword,
                    "other_keyword": group[0].otherKeyword, "review_count": group.count,
                ]
            })
    }

    private var serviceReviewKeywords: TrueReport {
        TrueReport(
            "service_review_keywords",
            rows: mentions(Mention.single, by: \.key).map { group -> Fields in
                let days = group.map(\.contact.day).sorted()
                return [
                    "keyword": group[0].keyword, "review_count": group.count, "first_on": orDash(days.first),
                    "last_on": orDash(days.last),
                ]
            })
    }

    private var serviceReviewKeywordPairs: TrueReport {
        TrueReport(
            "service_review_keyword_pairs",
            rows: mentions(Mention.pairs, by: \.key).map { group in
                [
                    "keyword": group[0].keyword, "other_keyword": group[0].otherKeyword, "review_count": group.count,
                ]
            })
    }
}
