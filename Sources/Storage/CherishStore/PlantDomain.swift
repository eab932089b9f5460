import CherishCore
import Postgres
import SystemTimeZones

/// Plants as subjects of the calendar.
package struct PlantDomain: DueDomain {
    package init() {}

    package var topics: [Topic] { Topic.ofPlants }
    package var reasons: [PushReason] { PushReason.ofPlants }

    // MARK: State

    /// OFFSET 0 keeps the planner from looking up a watering for pushes that are not about one.
    package var joins: SQL { Self.joins }

    private static let joins: SQL = """
        LEFT JOIN plant ON plant.lane = $1 AND plant.id = planned.subject_id AND plant.account_id = planned.account_id
        LEFT JOIN LATERAL (
            SELECT is_review_declined, keywords <> '{}' OR memo IS NOT NULL AS is_reviewed, watered_on
            FROM watering
            WHERE planned.topic = 'review_missing' AND watering.lane = $1 AND watering.plant_id = planned.subject_id
                AND watering.number = planned.ref
            OFFSET 0
        ) AS watering ON true
        """

    /// Of the plant's pointers only that of the push's topic, so that rows stay small.
    package var stateColumns: [SQL] { Self.stateColumns }

    private static let stateColumns: [SQL] = [
        "plant.due_on", "plant.due_source", "plant.original_due_on IS NOT NULL",
        "\("plant.pauses", at: .pausedDays)", "plant.pushes_enabled",
        "\("plant.removed_at IS NOT NULL", at: .removal)",
        "\(PlantPointer.chosen(\.ref), at: .pointedRef)", "\(PlantPointer.chosen(\.at), at: .pointedInstant)",
        "\("watering.is_review_declined", at: .reviewState)", "\("watering.is_reviewed", at: .reviewState)",
    ]

    package func state(of occurrence: Occurrence, _ row: inout RowReader) throws -> SubjectState {
        let ref = try occurrence.ref.within(
            occurrence.topic == .reviewMissing ? RowLimit.count : RowLimit.days,
            orHolds: "a planned push about a watering or a day that cannot be")
        return try row.reading("plant", key: { PlantDomain.key(of: occurrence) }) { row in
            // These values are only compared; nothing adds days to them.
            guard let dueOn = try row.nextAsItIs(CivilDay.self) else { return .erased }
            let dueSource = try row.next(label: Plant.DueSource.self)
            let isMovedByPause = try row.next(Bool.self)
            let pausedDays = try PausedDays(storedPairs: try row.next([CivilDay].self))
            let pushesEnabled = try row.next(Bool.self)
            let isArchived = try row.next(Bool.self)
            let pointedRef = try row.next(Int?.self)
            let pointedAt = try row.nextAsItIs(Instant.self)
            if pointedAt != nil, pointedRef == nil { throw UnreadableRow(what: "an instant of a push without its ref") }
            let isDeclined = try row.next(Bool?.self) ?? false
            let isReviewed = try row.next(Bool?.self) ?? false
            let state = PlantPushState(
                isArchived: isArchived,
                pointer: pointedRef.flatMap { ref in pointedAt.map { PlannedMoment(ref: ref, at: $0) } }, dueOn: dueOn,
                dueSource: dueSource, isMovedByPause: isMovedByPause, pushesEnabled: pushesEnabled,
                reviewState: isReviewed ? .written : isDeclined ? .declined : .missing)
            let planned = PlannedMoment(ref: ref, at: occurrence.at)
            if let end = state.end(of: occurrence.topic, planned) { return .ended(end) }
            return pausedDays == .none ? .current : .currentUnless(pausedDays)
        }
    }

    private static func key(of occurrence: Occurrence) -> [UnreadableRow.KeyPart] {
        [.lane(occurrence.accountID.lane), .id(occurrence.subjectID)]
    }

    // MARK: Content

    package var contentColumns: [SQL] { Self.contentColumns }

    private static let contentColumns: [SQL] = [
        "plant.nickname", "plant.cycle_days", "plant.planted_on", "plant.due_source",
        "plant.original_due_on IS NOT NULL",
        "watering.watered_on", newestKeywords,
    ]

    /// The keywords of the most recently recorded watering that has any. A join would cost every push, also those of plants
    /// without a watering.
    private static let newestKeywords: SQL = """
        CASE WHEN planned.topic IN ('watering_due', 'birthday') AND plant.watering_count > 0 THEN (
            SELECT keywords FROM watering AS recalled
            WHERE recalled.lane = $1 AND recalled.plant_id = planned.subject_id AND keywords <> '{}'
            ORDER BY number DESC LIMIT 1
        ) END AS keywords
        """

    package func content(
        of occurrence: Occurrence, in language: Language, _ row: inout RowReader
    ) throws -> SubjectContent? {
        let topic = occurrence.topic
        let read = try row.reading("plant", key: { PlantDomain.key(of: occurrence) }) { row in
            let nickname = try row.next(String?.self)
            let cycle = try row.next(Int?.self).map { days throws(CareError) in try Cycle(days: days) }
            let plantedOn = try row.nextAsItIs(CivilDay.self)
            let source = try row.next(String?.self).flatMap { Plant.DueSource(rawValue: $0) }
            let occasion = PushOccasion(source ?? .edit, isMovedByPause: try row.next(Bool.self))
            return (nickname: nickname, cycle: cycle, plantedOn: plantedOn, occasion: occasion)
        }
        let wateredOn = try row.reading("watering", key: { PlantDomain.wateringKey(of: occurrence) }) {
            try $0.nextAsItIs(CivilDay.self)
        }
        guard let nickname = read.nickname, let cycle = read.cycle, let plantedOn = read.plantedOn else { return nil }
        // Unreadable keywords are left out of the push.
        let keywords = try readable {
            try row.reading("watering", key: { [] }) { try $0.next([String]?.self) }
        }
        let occursOn = topic == .reviewMissing ? wateredOn : CivilDay(ref: occurrence.ref)
        return SubjectContent(
            topic, on: occursOn ?? CivilDay(ref: occurrence.ref), nickname: Nickname(stored: nickname),
            species: cycle.species, plantedOn: plantedOn, keywords: (keywords ?? nil) ?? [],
            occasion: topic == .wateringDue ? read.occasion : .usual, in: language)
    }

    private static func wateringKey(of occurrence: Occurrence) -> [UnreadableRow.KeyPart] {
        [
            .lane(occurrence.accountID.lane), .id(occurrence.subjectID, column: "plant_id"), .number(occurrence.ref),
        ]
    }

    /// A reminder is about the day of its watering; the refs of the other topics are days.
    package var occursOn: SQL { Self.occursOn }

    private static let occursOn: SQL = """
        CASE WHEN planned.topic = 'review_missing' THEN (
                SELECT watering.watered_on FROM watering
                WHERE watering.lane = $1 AND watering.plant_id = planned.subject_id AND watering.number = planned.ref)
            WHEN planned.ref BETWEEN \(RowLimit.days.lowerBound) AND \(RowLimit.days.upperBound)
            THEN date '1970-01-01' + planned.ref END
        """

    // MARK: Groups

    package var pointersOfGroups: SQL { Self.pointersOfGroups }

    private static let pointersOfGroups: SQL = """
        SELECT plant.lane, pointer.at, plant.account_id, plant.id AS subject_id, wanted.topic, pointer.ref
        FROM wanted
        JOIN plant ON plant.lane = $1 AND plant.account_id = wanted.account_id AND plant.removed_at IS NULL
        CROSS JOIN LATERAL (VALUES \(PlantPointer.rows)) AS pointer (topic, ref, at)
        WHERE \("pointer.topic = wanted.topic", at: .groupOfPointer) AND pointer.at >= wanted.minute
            AND pointer.at < wanted.minute + interval '1 minute'
        """

    package var dueCount: SQL? { Self.dueCount }

    private static let dueCount: SQL = """
        SELECT count(*) FROM plant
        WHERE lane = $1 AND account_id = $2 AND due_on = $3 AND removed_at IS NULL AND pushes_enabled
        """

    // MARK: What follows

    /// Plans the next birthday once one that still counts is reached (rule 7.10). Uses two round trips for the whole
    /// batch, because the lane's commands wait meanwhile.
    package func planNext(
        after reached: [Occurrence], _ command: LaneCommand, _ report: UnreadableRowReport
    ) async throws {
        let passed = Set(reached.filter { $0.topic == .birthday }.map { Plant.ID($0.subjectID) })
        if passed.isEmpty { return }
        let owners = Set(reached.map(\.accountID))
        let answers = try await command.connection.pipeline([
            Statement(
                """
                SELECT \(PlantRow.columns, at: .plantToPlan) FROM plant
                WHERE lane = $1 AND id = ANY ($2) ORDER BY id FOR UPDATE
                """,
                [command.lane, Array(passed)]),
            Statement(
                "SELECT \(AccountRow.columns) FROM account WHERE lane = $1 AND id = ANY ($2)",
                [command.lane, Array(owners)]),
        ])
        let accounts = Dictionary(
            try answers[1].compactMap { row in try planned(report) { try AccountRow.decode(row) } }.map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first })
        var updates: [Statement] = []
        var occurrences: [Occurrence] = []
        for row in answers[0] {
            guard var plant = try planned(report, { try PlantRow.decode(row) }), let account = accounts[plant.accountID]
            else { continue }
            let context = CommandContext(
                now: command.now, zone: command.zones.clockOrUTC(of: account),
                calendarCursor: command.calendarCursor)
            guard let next = plant.planNextBirthday(for: account, in: context) else { continue }
            updates.append(PlantRow.update(plant))
            occurrences.append(next)
        }
        if !updates.isEmpty { try await command.write(updates, planning: occurrences) }
    }

    /// Returns nil for a broken row, which must not keep the lane's other pushes from being scheduled. After the row is
    /// repaired, the next edit plans the next birthday.
    private func planned<Value>(_ report: UnreadableRowReport, _ body: () throws -> Value) throws -> Value? {
        do {
            return try body()
        } catch let unreadable as UnreadableRow {
            report(unreadable, "the next birthday is not planned until an edit after it was repaired")
            return nil
        }
    }
}

extension SubjectContent {
    /// What a plant contributes to a push.
    ///
    /// - Parameter day: the due date, the birthday, or for a reminder the civil day of the watering.
    init(
        _ topic: Topic, on day: CivilDay, nickname: Nickname, species: Species, plantedOn: CivilDay, keywords: [String],
        occasion: PushOccasion = .usual, in language: Language
    ) {
        // Registration is day 1. A withered push goes out on the day after the due date.
        let daysTogether = day - plantedOn + (topic == .withered ? 2 : 1)
        self.init(
            occursOn: day,
            values: PushValues(
                name: nickname.description, noun: species.name(in: language), number: daysTogether, words: keywords,
                occasion: occasion))
    }
}
