import CherishCore
import CherishStore
import Foundation
import GardenGenerator
import Postgres
import Testing

/// Two years of care around the world, generated command by command, to compare reports with.
struct PastGarden: Sendable {
    /// The end of the history: 3 March on Kiritimati, 1 March in Pago Pago, 2 March in between.
    static let now = Instant("2027-03-02T10:30:00Z")!  // a literal in the form of RFC 3339

    /// 26 accounts, one of which is a few days old; the last has no friends.
    let exports: [AccountExport]
    /// The plants of all accounts, including removed ones.
    let plants: [PastPlant]

    /// Always the same garden, generated once.
    static func shared() throws -> PastGarden { try once.get() }

    private static let once = Result { try make() }

    /// Restores the garden into the database of a test without accounts.
    func restore(into service: ServiceUnderTest) async throws {
        let restored = try await service.store(at: PastGarden.now).seed(exports)
        #expect(restored == Array(repeating: .written, count: exports.count))
    }
}

/// A plant with its history, and its account's current day.
struct PastPlant: Sendable {
    let account: Account
    let zone: TimeZoneRules
    let today: CivilDay
    let history: PlantHistory

    var plant: Plant { history.plant }

    /// Lane, account and plant: the first columns of most reports.
    var key: String { "\(account.key)|\(plant.id)" }
}

extension Account {
    /// Lane and account: the first columns of reports.
    var key: String { "\(id.lane)|\(id)" }
}

// MARK: - Making

extension PastGarden {
    private static let seed: UInt64 = 45

    /// Zones that the generator does not use, and the numbers of Seoul's accounts moved there. None of them changes its
    /// clocks.
    private static let farPlaces: [(zone: String, minutesEast: Int, accounts: [Int])] = [
        ("Pacific/Kiritimati", 14 * 60, [16, 17]), ("Asia/Kolkata", 5 * 60 + 30, [19, 23]),
        ("Pacific/Marquesas", -9 * 60 - 30, [25, 27]), ("Pacific/Pago_Pago", -11 * 60, [28, 29]),
    ]

    private static func make() throws -> PastGarden {
        var exports = try (0..<16).map { try generator(endingAt: now).account($0) }
        for place in farPlaces {
            // A history in Seoul, moved to another clock so that it ends now as well.
            let minutes = 9 * 60 - place.minutesEast
            let generator = generator(endingAt: now.adding(minutes: -minutes))
            exports += try place.accounts.map { try generator.account($0).moved(to: place.zone, by: minutes) }
        }
        var newcomer = generator(endingAt: now)
        newcomer.pastDays = 3...5
        exports.append(try newcomer.account(31))
        var friendless = generator(endingAt: now)
        friendless.friendsPerAccount = 0...0
        exports.append(try friendless.account(30))
        let plants = try exports.flatMap { export in
            let zone = try ServiceUnderTest.zones.rules(export.account.timeZone)
            return export.plants.map { history in
                PastPlant(account: export.account, zone: zone, today: zone.day(at: now), history: history)
            }
        }
        return PastGarden(exports: exports, plants: plants)
    }

    private static func generator(endingAt end: Instant) -> GardenGenerator {
        var generator = GardenGenerator(seed: seed, now: end, zones: ServiceUnderTest.zones)
        generator.friendsPerAccount = 4...12
        generator.pastDays = 700...730
        return generator
    }
}

extension AccountExport {
    /// The same history in another zone, later by this many minutes: wall clocks and civil days stay. Neither zone may
    /// change its clocks in that time.
    fileprivate func moved(to zone: String, by minutes: Int) throws -> AccountExport {
        try #require(account.timeZone == "Asia/Seoul")
        var moved = self
        moved.account.timeZone = zone
        moved.createdAt = createdAt.adding(minutes: minutes)
        moved.devices = devices.map { device in
            Device(
                id: device.id, platform: device.platform, token: device.token,
                addedAt: device.addedAt.adding(minutes: minutes))
        }
        moved.plants = plants.map { $0.moved(by: minutes) }
        moved.pushes = pushes.map { $0.moved(by: minutes) }
        moved.imports = imports.map { $0.moved(by: minutes) }
        return moved
    }
}

extension PlantHistory {
    fileprivate func moved(by minutes: Int) -> PlantHistory {
        var moved = self
        moved.createdAt = createdAt.adding(minutes: minutes)
        moved.plant.archivedAt = plant.archivedAt?.adding(minutes: minutes)
        moved.plant.plans.move(by: minutes)
        moved.waterings = waterings.map { watering in
            Watering(
                number: watering.number, wateredOn: watering.wateredOn,
                recordedAt: watering.recordedAt.adding(minutes: minutes), method: watering.method,
                dueOn: watering.dueOn, isBackdated: watering.isBackdated, review: watering.review,
                isReviewDeclined: watering.isReviewDeclined)
        }
        moved.postponements = postponements.map { exported in
            ExportedPostponement(
                postponement: exported.postponement, postponedAt: exported.postponedAt.adding(minutes: minutes))
        }
        moved.dueDateChanges = dueDateChanges.map { change in
            DueDateChange(
                changedAt: change.changedAt.adding(minutes: minutes), cycle: change.cycle, dueOn: change.dueOn,
                source: change.source)
        }
        moved.ledger = ledger.map { exported in
            ExportedAffection(entry: exported.entry, gainedAt: exported.gainedAt.adding(minutes: minutes))
        }
        return moved
    }
}

extension Plans {
    fileprivate mutating func move(by minutes: Int) {
        func moved(_ planned: PlannedMoment?) -> PlannedMoment? {
            planned.map { PlannedMoment(ref: $0.ref, at: $0.at.adding(minutes: minutes)) }
        }
        wateringDue = moved(wateringDue)
        reviewMissing = moved(reviewMissing)
        birthday = moved(birthday)
        passedBirthday = moved(passedBirthday)
        withered = moved(withered)
    }
}

extension ExportedPush {
    fileprivate func moved(by minutes: Int) -> ExportedPush {
        ExportedPush(
            occurrence: Occurrence(
                at: occurrence.at.adding(minutes: minutes), accountID: occurrence.accountID,
                subjectID: occurrence.subjectID, topic: occurrence.topic, ref: occurrence.ref),
            end: end.map { end in
                End(
                    outcome: end.outcome, reason: end.reason, finishedAt: end.finishedAt.adding(minutes: minutes))
            })
    }
}

extension ImportBatch {
    fileprivate func moved(by minutes: Int) -> ImportBatch {
        let changes = changes.map { change in
            Change(
                plantID: change.plantID, kind: change.kind, names: change.names, birthday: change.birthday,
                tagIDs: change.tagIDs, archivedAt: change.archivedAt?.adding(minutes: minutes),
                dueBefore: change.dueBefore, after: change.after)
        }
        return ImportBatch(
            id: id, importedAt: importedAt.adding(minutes: minutes), fileName: fileName, tagIDs: tagIDs,
            changes: changes, undoneAt: undoneAt?.adding(minutes: minutes))
    }
}

// MARK: - Comparing

extension ServiceUnderTest {
    /// The rows of a query at a moment that the reports use as now: columns joined by `|`, NULL as `-`, instants in UTC
    /// as ``Instant/description``, numbers with a fraction as ``nineDigits(_:)``, arrays as JSON.
    func rows(_ sql: SQL, at now: Instant = PastGarden.now) async throws -> [String] {
        let rows = try await pool.withTransaction(readOnly: true) { connection in
            _ = try await connection.query(
                "SELECT set_config('cherish.now', $1, true), set_config('TimeZone', 'UTC', true)", [now.description])
            return try await connection.query(
                """
                SELECT ARRAY(
                    SELECT coalesce(value, '-')
                    FROM json_each_text(row_to_json(shown)) WITH ORDINALITY AS field (name, value, place)
                    ORDER BY place)
                FROM (\(sql)) AS shown
                """)
        }
        return try rows.map { row in
            try row.decode(0, as: [String].self).map(ServiceUnderTest.tidied).joined(separator: "|")
        }
    }

    private static func tidied(_ field: String) -> String {
        if field.contains("."), let number = Double(field) { return nineDigits(number) }
        return field.hasSuffix("+00:00") ? "\(field.dropLast(6))Z" : field
    }
}

/// Nine significant digits, as in ``ServiceUnderTest/rows(_:at:)``.
func nineDigits(_ number: Double) -> String {
    String(format: "%.9g", number)
}

/// A value in the format of ``ServiceUnderTest/rows(_:at:)``.
func orDash<Value>(_ value: Value?) -> String {
    value.map { "\($0)" } ?? "-"
}

/// Expects a report to have the same rows as the reference, in any order, and names the differences.
func expectSame(
    _ found: [String], _ expected: [String], _ name: String = "the report",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    var balance: [String: Int] = [:]
    for row in expected { balance[row, default: 0] += 1 }
    for row in found { balance[row, default: 0] -= 1 }
    let missing = balance.filter { $0.value > 0 }.keys.sorted()
    let surplus = balance.filter { $0.value < 0 }.keys.sorted()
    #expect(
        missing.isEmpty && surplus.isEmpty,
        """
        \(name) lacks \(missing.count) rows and has \(surplus.count) too many
        lacks:
        \(missing.prefix(5).joined(separator: "\n"))
        has:
        \(surplus.prefix(5).joined(separator: "\n"))
        """, sourceLocation: sourceLocation)
}
