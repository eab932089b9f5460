import CherishCore
import Postgres

/// The rows of `plant`.
enum PlantRow {
    /// The columns to SELECT for ``decode(_:)``.
    static let columns = table.list.names
    /// The COPY target for new plants; ``append(_:createdAt:to:)`` writes its rows.
    static let copy = table.list.copy

    private static let table = PlantColumns()

    static func decode(_ row: Row) throws -> Plant {
        var reader = row.reader
        return try reader.reading("plant", key: { key(of: row) }) { try table.decode(&$0) }
    }

    private static func key(of row: Row) -> [UnreadableRow.KeyPart] {
        var reader = row.reader
        guard let id = try? reader.read(table.id), let owner = try? reader.read(table.accountID) else { return [] }
        return [.lane(owner.lane), .id(id)]
    }

    /// Returns nil for a broken row: where many plants are processed, one must not hold up the others.
    static func decodeUnlessBroken(_ row: Row) throws -> Plant? {
        do {
            return try decode(row)
        } catch is UnreadableRow {
            return nil
        }
    }

    static func read(_ id: Plant.ID, of account: Account.ID) -> Statement {
        Statement(
            "SELECT \(columns) FROM plant WHERE lane = $1 AND id = $2 AND account_id = $3", [account.lane, id, account])
    }

    /// Reads a plant of an account and locks it until the transaction ends.
    static func locked(_ id: Plant.ID, of account: Account.ID) -> Statement {
        Statement(
            """
            SELECT \(columns, at: .plantToChange) FROM plant
            WHERE lane = $1 AND id = $2 AND account_id = $3 FOR UPDATE
            """, [account.lane, id, account])
    }

    static func insert(_ plant: Plant, createdAt: Instant) -> Statement {
        table.list.insert(plant, createdAt: createdAt)
    }

    /// Updates all mutable columns.
    static func update(_ plant: Plant) -> Statement {
        table.list.update(plant)
    }

    static func append(_ plant: Plant, createdAt: Instant, to rows: inout CopyWriter) throws {
        try table.list.append(plant, createdAt: createdAt, to: &rows)
    }

    /// How many plants a statement of ``updates(_:of:)`` changes. Even if the planner, lacking statistics, compares all
    /// pairs, such a statement takes only a few tenths of a second.
    static let mostUpdated = 500

    /// Updates all mutable columns of some plants of one account, in few statements.
    ///
    /// - Parameter plants: sorted by id, because each statement reads only the garden between its first and last plant.
    static func updates(_ plants: ArraySlice<Plant>, of account: Account.ID) -> [Statement] {
        stride(from: plants.startIndex, to: plants.endIndex, by: mostUpdated).map { start in
            let piece = plants[start..<min(start + mostUpdated, plants.endIndex)]
            return table.list.update(
                piece, where: "plant.lane = $1 AND plant.account_id = $2 AND plant.id BETWEEN $3 AND $4",
                [account.lane, account, piece.first?.id, piece.last?.id])
        }
    }

    /// Changes nothing but the versions, where plants changed in another table.
    static func noteChange(of plants: [Plant.ID], of account: Account.ID, at now: Instant) -> Statement {
        Statement(
            """
            UPDATE plant SET version = version + 1, modified_at = $4
            WHERE lane = $1 AND account_id = $2 AND id = ANY ($3)
            """, [account.lane, account, plants, now])
    }

    /// Records a due date that was set by neither a watering nor a postponement.
    static func noteDueDate(of plant: Plant, lane: Lane, at now: Instant) -> Statement {
        noteDueDates(of: [plant], lane: lane, at: now)
    }

    /// Records due dates that were set by neither a watering nor a postponement, and where pauses moved them.
    static func noteDueDates(of plants: [Plant], lane: Lane, at now: Instant) -> Statement {
        note(
            plants.map { ($0.id, DueDateChange(of: $0, changedAt: now)) }
                + plants.filter(\.isMovedByPause).map { ($0.id, DueDateChange(pausing: $0, changedAt: now)) },
            lane: lane)
    }

    /// Records where a pause moved the due date that a watering or postponement has just set; nothing where none did.
    static func notePause(of plant: Plant, lane: Lane, at now: Instant) -> [Statement] {
        plant.isMovedByPause ? [notePauses(of: [plant], lane: lane, at: now)] : []
    }

    /// Records what pauses have just done to due dates.
    static func notePauses(of plants: [Plant], lane: Lane, at now: Instant) -> Statement {
        note(plants.map { ($0.id, DueDateChange(pausing: $0, changedAt: now)) }, lane: lane)
    }

    /// Records that an outage excused a day whose due date something else has moved since (rule 13.3). What was kept of the
    /// history no longer counts.
    static func noteExcuse(of plant: Plant, to day: CivilDay, lane: Lane, at planned: Instant) -> [Statement] {
        [
            note(
                [(plant.id, DueDateChange(changedAt: planned, cycle: plant.cycle, dueOn: day, source: .outage))],
                lane: lane),
            Statement("DELETE FROM plant_summary WHERE lane = $1 AND plant_id = $2", [lane, plant.id]),
        ]
    }

    /// For the same plant and instant, the later write wins.
    private static func note(_ changes: [(plant: Plant.ID, change: DueDateChange)], lane: Lane) -> Statement {
        Statement(
            """
            INSERT INTO cycle_change (lane, plant_id, changed_at, cycle_days, due_on, source, withers_on)
            SELECT lane.lane, plant_id, changed_at, cycle_days, due_on, source::due_source, nullif(withers_on, due_on + 1)
            FROM lane, unnest($2::uuid[], $3::timestamptz[], $4::smallint[], $5::date[], $6::text[], $7::date[])
                AS noted (plant_id, changed_at, cycle_days, due_on, source, withers_on)
            WHERE lane.lane = $1
            ON CONFLICT (lane, plant_id, changed_at) DO UPDATE
            SET cycle_days = excluded.cycle_days, due_on = excluded.due_on, source = excluded.source,
                withers_on = excluded.withers_on
            """,
            [
                lane, changes.map(\.plant), changes.map(\.change.changedAt),
                changes.map { Int16($0.change.cycle.days) }, changes.map(\.change.dueOn),
                changes.map(\.change.source.rawValue), changes.map { $0.change.withersOn ?? $0.change.dueOn + 1 },
            ])
    }
}

/// The columns of `plant`, in the order of reading and writing.
private struct PlantColumns: Sendable {
    let list: TableColumns<Plant>
    let id: Column<Plant.ID>
    let accountID: Column<Account.ID>
    private let name, phone, nickname: Column<String>
    private let birthdayYear, birthdayMonth, birthdayDay: Column<Int16?>
    private let cycleDays, alarmMinute: Column<Int16>
    private let plantedOn, dueOn: Column<CivilDay>
    private let lastWateredOn, restoredOn: Column<CivilDay?>
    private let dueSource: Column<Plant.DueSource>
    private let affection: Column<Int16>
    private let wateringCount, postponementCount: Column<Int32>
    private let pushesEnabled, isFavourite: Column<Bool>
    private let originalDueOn: Column<CivilDay?>
    private let pauses, spreadDays: Column<[CivilDay]>
    private let alarmAt, reminderAt, birthdayAt, passedBirthdayAt, witheredAt: Column<Instant?>
    private let alarmedDueDates: Column<[CivilDay]>
    private let reminderNumber: Column<Int32?>
    private let birthdayOn, passedBirthdayOn: Column<CivilDay?>
    private let archivedAt: Column<Instant?>
    private let version: Column<Int>
    private let modifiedAt: Column<Instant?>

    init() {
        var list = TableColumns<Plant>("plant", lane: \.accountID.lane)
        id = list.key("id") { $0.id }
        accountID = list.owner("account_id") { $0.accountID }
        name = list.column("name") { $0.name.description }
        phone = list.column("phone") { $0.phone.description }
        nickname = list.column("nickname") { $0.nickname.description }
        birthdayYear = list.column("birthday_year") { $0.birthday?.year.map(Int16.init) }
        birthdayMonth = list.column("birthday_month") { $0.birthday.map { Int16($0.month) } }
        birthdayDay = list.column("birthday_day") { $0.birthday.map { Int16($0.day) } }
        cycleDays = list.column("cycle_days") { Int16($0.cycle.days) }
        alarmMinute = list.column("alarm_minute") { Int16($0.alarmTime.minuteOfDay) }
        plantedOn = list.column("planted_on") { $0.plantedOn }
        lastWateredOn = list.column("last_watered_on") { $0.lastWateredOn }
        dueOn = list.column("due_on") { $0.dueOn }
        dueSource = list.label("due_source", of: "due_source") { $0.dueSource }
        affection = list.column("affection") { Int16($0.affection.points) }
        wateringCount = list.column("watering_count") { Int32($0.wateringCount) }
        postponementCount = list.column("postponement_count") { Int32($0.postponementCount) }
        pushesEnabled = list.column("pushes_enabled") { $0.pushesEnabled }
        isFavourite = list.column("is_favourite") { $0.isFavourite }
        originalDueOn = list.column("original_due_on") { $0.originalDueOn }
        pauses = list.list("pauses", of: "date") { $0.pausedDays.stored }
        spreadDays = list.list("spread_days", of: "date") { $0.pausedDays.spreadDays }
        // The pointers. The alarm and withered pointers have no column for the ref, which is the due date.
        alarmAt = list.column("alarm_at") { $0.plans.wateringDue?.at }
        alarmedDueDates = list.list("alarmed_due_dates", of: "date") { $0.plans.alarmedDueDates }
        reminderNumber = list.column("reminder_number") { $0.plans.reviewMissing.map { Int32($0.ref) } }
        reminderAt = list.column("reminder_at") { $0.plans.reviewMissing?.at }
        birthdayOn = list.column("birthday_on") { $0.plans.birthday.map { CivilDay(ref: $0.ref) } }
        birthdayAt = list.column("birthday_at") { $0.plans.birthday?.at }
        passedBirthdayOn = list.column("passed_birthday_on") {
            $0.plans.passedBirthday.map { CivilDay(ref: $0.ref) }
        }
        passedBirthdayAt = list.column("passed_birthday_at") { $0.plans.passedBirthday?.at }
        witheredAt = list.column("withered_at") { $0.plans.withered?.at }
        archivedAt = list.column("removed_at") { $0.archivedAt }
        restoredOn = list.column("restored_on") { $0.restoredOn }
        version = list.column("version") { $0.version }
        modifiedAt = list.column("modified_at") { $0.modifiedAt }
        self.list = list
    }

    func decode(_ row: inout RowReader) throws -> Plant {
        let name = ContactName(stored: try row.read(name))
        return Plant(
            id: try row.read(id), accountID: try row.read(accountID), name: name,
            phone: try PhoneNumber(e164: try row.read(phone)), nickname: Nickname(stored: try row.read(nickname)),
            birthday: try birthday(&row), cycle: try Cycle(days: Int(try row.read(cycleDays))),
            alarmTime: try alarmTime(&row), plantedOn: try row.read(plantedOn),
            lastWateredOn: try row.read(lastWateredOn), dueOn: try row.read(dueOn), dueSource: try row.read(dueSource),
            affection: Affection(points: Int(try row.read(affection))),
            wateringCount: try count(wateringCount, "an impossible count of waterings", &row),
            postponementCount: try count(postponementCount, "an impossible count of postponements", &row),
            pushesEnabled: try row.read(pushesEnabled), isFavourite: try row.read(isFavourite), plans: try plans(&row),
            archivedAt: try row.read(archivedAt), restoredOn: try row.read(restoredOn),
            version: try row.read(version), modifiedAt: try row.read(modifiedAt),
            originalDueOn: try row.read(originalDueOn),
            pausedDays: try PausedDays(storedPairs: row.read(pauses), spreadDays: row.read(spreadDays)))
    }

    private func alarmTime(_ row: inout RowReader) throws -> TimeOfDay {
        guard let time = TimeOfDay(minuteOfDay: Int(try row.read(alarmMinute))) else {
            throw UnreadableRow(what: "an alarm time outside the day")
        }
        return time
    }

    private func birthday(_ row: inout RowReader) throws -> Birthday? {
        let year = try row.read(birthdayYear)
        guard let month = try row.read(birthdayMonth), let day = try row.read(birthdayDay) else { return nil }
        guard let birthday = Birthday(year: year.map(Int.init), month: Int(month), day: Int(day)) else {
            throw UnreadableRow(what: "a birthday that is no day")
        }
        return birthday
    }

    private func count(_ column: Column<Int32>, _ what: String, _ row: inout RowReader) throws -> Int {
        try Int(row.read(column)).within(RowLimit.count, orHolds: what)
    }

    private func plans(_ row: inout RowReader) throws -> Plans {
        let due = Int(try row.read(dueOn).daysSinceEpoch)
        let alarmedDueDates = try row.read(alarmedDueDates)
        let number = try row.read(reminderNumber)
            .map { try Int($0).within(RowLimit.count, orHolds: "an impossible number of a watering") }
        return Plans(
            wateringDue: moment(due, try row.read(alarmAt)), reviewMissing: moment(number, try row.read(reminderAt)),
            birthday: moment(try row.read(birthdayOn), try row.read(birthdayAt)),
            passedBirthday: moment(try row.read(passedBirthdayOn), try row.read(passedBirthdayAt)),
            withered: moment(due, try row.read(witheredAt)), alarmedDueDates: alarmedDueDates)
    }

    private func moment(_ day: CivilDay?, _ at: Instant?) -> PlannedMoment? {
        moment(day.map { Int($0.daysSinceEpoch) }, at)
    }

    private func moment(_ ref: Int?, _ at: Instant?) -> PlannedMoment? {
        guard let ref, let at else { return nil }
        return PlannedMoment(ref: ref, at: at)
    }
}
