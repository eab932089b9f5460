import CherishCore
import Foundation
import Postgres

// For each table, one type knows the order of its columns.

enum AccountRow {
    static let columns = """
        id, email, nickname, phone, time_zone, language, watering_pushes, review_pushes, birthday_pushes, withered_pushes
        """

    static func decode(_ row: Row) throws -> Account {
        var reader = row.reader
        return try decode(&reader)
    }

    static func decode(_ reader: inout RowReader) throws -> Account {
        var id: Account.ID?
        return try reader.reading("account", key: { id.map { [.lane($0.lane), .id($0)] } ?? [] }) { reader in
            let known = try reader.next(Account.ID.self)
            id = known
            return Account(
                id: known, email: EmailAddress(stored: try reader.next()),
                nickname: Nickname(stored: try reader.next()),
                phone: try reader.next(String?.self).map { text throws(CareError) in try PhoneNumber(e164: text) },
                timeZone: try reader.next(), language: try reader.next(label: Language.self),
                switches: NotificationSwitches(
                    watering: try reader.next(), review: try reader.next(), birthday: try reader.next(),
                    withered: try reader.next()))
        }
    }

    /// Some accounts, sorted by lane and id, with one statement per lane. Accounts that do not exist are missing.
    static func all(_ ids: Set<Account.ID>, on connection: Connection, lock: RowLock? = nil) async throws -> [Account] {
        let lanes = Dictionary(grouping: ids, by: \.lane).sorted { $0.key < $1.key }
        return try await connection.pipeline(
            lanes.map { lane, ids in
                Statement(
                    "SELECT \(columns) FROM account WHERE lane = $1 AND id = ANY ($2) ORDER BY id \(lock?.rawValue ?? "")",
                    [lane, ids])
            }
        ).flatMap { try $0.map(decode) }
    }

    /// Updates everything that an edit may change except the e-mail.
    static func update(_ account: Account, lane: Lane) -> Statement {
        Statement(
            """
            UPDATE account SET nickname = $3, phone = $4, time_zone = $5, language = $6::language,
                watering_pushes = $7, review_pushes = $8, birthday_pushes = $9, withered_pushes = $10
            WHERE lane = $1 AND id = $2
            """, [lane, account.id] + edited(account))
    }

    static func insert(_ account: Account, lane: Lane, createdAt: Instant) -> Statement {
        Statement(
            """
            INSERT INTO account (lane, id, email, nickname, phone, time_zone, language,
                watering_pushes, review_pushes, birthday_pushes, withered_pushes, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7::language, $8, $9, $10, $11, $12)
            """, [lane, account.id, account.email.description] + edited(account) + [createdAt])
    }

    private static func edited(_ account: Account) -> [any PostgresEncodable] {
        [
            account.nickname.description, account.phone?.description, account.timeZone, account.language.rawValue,
            account.switches.watering, account.switches.review, account.switches.birthday, account.switches.withered,
        ]
    }
}

enum PlantRow {
    static let columns = """
        id, account_id, name, phone, nickname, birthday_year, birthday_month, birthday_day, cycle_days, alarm_minute,
        planted_on, last_watered_on, due_on, due_source, affection, watering_count, postponement_count, pushes_enabled,
        is_favourite, alarm_at, alarmed_due_dates, reminder_number, reminder_at, birthday_on, birthday_at, passed_birthday_on,
        passed_birthday_at, withered_at, archived_at, restored_on
        """

    static func decode(_ row: Row) throws -> Plant {
        var reader = row.reader
        return try reader.reading("plant", key: { key(of: row) }) { try decode(&$0) }
    }

    private static func key(of row: Row) -> [UnreadableRow.KeyPart] {
        guard let id = try? row.decode(0, as: Plant.ID.self), let owner = try? row.decode(1, as: Account.ID.self) else {
            return []
        }
        return [.lane(owner.lane), .id(id)]
    }

    private static func decode(_ reader: inout RowReader) throws -> Plant {
        let id = try reader.next(Plant.ID.self)
        let accountID = try reader.next(Account.ID.self)
        let name = ContactName(stored: try reader.next())
        let phone = try PhoneNumber(e164: try reader.next())
        let nickname = Nickname(stored: try reader.next())
        let birthday = try birthday(
            year: try reader.next(), month: try reader.next(), day: try reader.next())
        let cycle = try Cycle(days: try reader.next())
        guard let alarmTime = TimeOfDay(minuteOfDay: try reader.next()) else {
            throw UnreadableRow(what: "an alarm time outside the day")
        }
        let plantedOn = try reader.next(CivilDay.self)
        let lastWateredOn = try reader.next(CivilDay?.self)
        let dueOn = try reader.next(CivilDay.self)
        let dueSource = try reader.next(label: Plant.DueSource.self)
        let affection = Affection(points: try reader.next())
        let wateringCount = try reader.next(Int.self)
            .within(RowLimit.count, orHolds: "an impossible count of waterings")
        let postponementCount = try reader.next(Int.self)
            .within(RowLimit.count, orHolds: "an impossible count of postponements")
        let pushesEnabled = try reader.next(Bool.self)
        let isFavourite = try reader.next(Bool.self)
        let plans = try plans(&reader, dueOn: dueOn)
        return Plant(
            id: id, accountID: accountID, name: name, phone: phone, nickname: nickname, birthday: birthday,
            cycle: cycle, alarmTime: alarmTime, plantedOn: plantedOn, lastWateredOn: lastWateredOn, dueOn: dueOn,
            dueSource: dueSource, affection: affection, wateringCount: wateringCount,
            postponementCount: postponementCount, pushesEnabled: pushesEnabled, isFavourite: isFavourite, plans: plans,
            archivedAt: try reader.next(), restoredOn: try reader.next())
    }

    /// nil for a broken row: where many plants are processed, one must not hold up the others.
    static func decodeUnlessBroken(_ row: Row) throws -> Plant? {
        do {
            return try decode(row)
        } catch is UnreadableRow {
            return nil
        } catch is CareError {
            return nil
        }
    }

    private static func birthday(year: Int?, month: Int?, day: Int?) throws -> Birthday? {
        guard let month, let day else { return nil }
        guard let birthday = Birthday(year: year, month: month, day: day) else {
            throw UnreadableRow(what: "a birthday that is no day")
        }
        return birthday
    }

    /// The pointers. The subject of those to a due date is the due date itself.
    private static func plans(_ reader: inout RowReader, dueOn: CivilDay) throws -> Plans {
        let due = Int(dueOn.daysSinceEpoch)
        let alarmAt = try reader.next(Instant?.self)
        let alarmed = try reader.next([CivilDay].self)
        let number = try reader.next(Int?.self)?.within(RowLimit.count, orHolds: "an impossible number of a watering")
        let reminder = (number: number, at: try reader.next(Instant?.self))
        let birthday = (day: try reader.next(CivilDay?.self), at: try reader.next(Instant?.self))
        let passed = (day: try reader.next(CivilDay?.self), at: try reader.next(Instant?.self))
        let witheredAt = try reader.next(Instant?.self)
        return Plans(
            wateringDue: moment(due, alarmAt), reviewMissing: moment(reminder.number, reminder.at),
            birthday: moment(birthday.day.map { Int($0.daysSinceEpoch) }, birthday.at),
            passedBirthday: moment(passed.day.map { Int($0.daysSinceEpoch) }, passed.at),
            withered: moment(due, witheredAt), alarmedDueDates: alarmed)
    }

    private static func moment(_ subject: Int?, _ at: Instant?) -> PlannedMoment? {
        guard let subject, let at else { return nil }
        return PlannedMoment(subject: subject, at: at)
    }

    static func insert(_ plant: Plant, lane: Lane, createdAt: Instant) -> Statement {
        Statement(
            """
            INSERT INTO plant (lane, \(columns), created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::due_source, $16, $17, $18, $19, $20,
                $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32)
            """, parameters(plant, lane: lane) + [createdAt])
    }

    /// Updates everything that may change, which is all but the first columns.
    static func update(_ plant: Plant, lane: Lane) -> Statement {
        Statement(
            """
            UPDATE plant SET (name, phone, nickname, birthday_year, birthday_month, birthday_day, cycle_days,
                alarm_minute, planted_on, last_watered_on, due_on, due_source, affection, watering_count,
                postponement_count, pushes_enabled, is_favourite, alarm_at, alarmed_due_dates, reminder_number, reminder_at,
                birthday_on, birthday_at, passed_birthday_on, passed_birthday_at, withered_at, archived_at,
                restored_on)
            = ($4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::due_source, $16, $17, $18, $19, $20, $21, $22, $23,
                $24, $25, $26, $27, $28, $29, $30, $31)
            WHERE lane = $1 AND id = $2 AND account_id = $3
            """, parameters(plant, lane: lane))
    }

    private static func parameters(_ plant: Plant, lane: Lane) -> [any PostgresEncodable] {
        let plans = plant.plans
        return [
            lane, plant.id, plant.accountID, plant.name.description, plant.phone.description,
            plant.nickname.description, plant.birthday?.year, plant.birthday?.month, plant.birthday?.day,
            plant.cycle.days, plant.alarmTime.minuteOfDay, plant.plantedOn, plant.lastWateredOn, plant.dueOn,
            plant.dueSource.rawValue, plant.affection.points, plant.wateringCount, plant.postponementCount,
            plant.pushesEnabled, plant.isFavourite, plans.wateringDue?.at, plans.alarmedDueDates,
            plans.reviewMissing?.subject,
            plans.reviewMissing?.at, plans.birthday.map { CivilDay(daysSinceEpoch: Int32($0.subject)) },
            plans.birthday?.at, plans.passedBirthday.map { CivilDay(daysSinceEpoch: Int32($0.subject)) },
            plans.passedBirthday?.at, plans.withered?.at, plant.archivedAt, plant.restoredOn,
        ]
    }

    /// `COPY` of new plants; ``append(_:createdAt:to:)`` writes its rows.
    static let copy = CopyTarget(table: "plant", columns: "\(columns), created_at")

    static func append(_ plant: Plant, createdAt: Instant, to rows: inout CopyWriter) throws {
        let (plans, birthday) = (plant.plans, plant.birthday)
        try rows.append(
            plant.accountID.lane, plant.id, plant.accountID, plant.name.description, plant.phone.description,
            plant.nickname.description, birthday?.year.map(Int16.init), birthday.map { Int16($0.month) },
            birthday.map { Int16($0.day) }, Int16(plant.cycle.days), Int16(plant.alarmTime.minuteOfDay),
            plant.plantedOn, plant.lastWateredOn, plant.dueOn, plant.dueSource.rawValue,
            Int16(plant.affection.points), Int32(plant.wateringCount), Int32(plant.postponementCount),
            plant.pushesEnabled, plant.isFavourite, plans.wateringDue?.at, plans.alarmedDueDates,
            plans.reviewMissing.map { Int32($0.subject) }, plans.reviewMissing?.at,
            plans.birthday.map { CivilDay(daysSinceEpoch: Int32($0.subject)) }, plans.birthday?.at,
            plans.passedBirthday.map { CivilDay(daysSinceEpoch: Int32($0.subject)) }, plans.passedBirthday?.at,
            plans.withered?.at, plant.archivedAt, plant.restoredOn, createdAt)
    }

    /// How many plants a statement of ``updates(_:of:)`` changes. Even if the planner, without statistics, compares all pairs,
    /// that takes only some tenths of a second.
    static let mostUpdated = 500

    /// Updates everything that may change of some plants of one account, in few statements.
    ///
    /// - Parameter plants: sorted by id: each statement reads only the part of the garden between its first and its last.
    static func updates(_ plants: ArraySlice<Plant>, of account: Account.ID) -> [Statement] {
        stride(from: plants.startIndex, to: plants.endIndex, by: mostUpdated).map { start in
            update(plants[start..<min(start + mostUpdated, plants.endIndex)], of: account)
        }
    }

    private static func update(_ plants: ArraySlice<Plant>, of account: Account.ID) -> Statement {
        let birthdays = plants.map(\.birthday)
        let plans = plants.map(\.plans)
        return Statement(
            """
            UPDATE plant SET (name, nickname, birthday_year, birthday_month, birthday_day, cycle_days, alarm_minute,
                last_watered_on, due_on, due_source, affection, watering_count, postponement_count, pushes_enabled,
                is_favourite, alarm_at, alarmed_due_dates, reminder_number, reminder_at, birthday_on, birthday_at,
                passed_birthday_on, passed_birthday_at, withered_at, archived_at, restored_on)
            = (changed.name, changed.nickname, changed.birthday_year, changed.birthday_month, changed.birthday_day,
                changed.cycle_days, changed.alarm_minute, changed.last_watered_on, changed.due_on,
                changed.due_source::due_source, changed.affection, changed.watering_count, changed.postponement_count,
                changed.pushes_enabled, changed.is_favourite, changed.alarm_at, changed.alarmed_due_dates::date[],
                changed.reminder_number, changed.reminder_at, changed.birthday_on, changed.birthday_at,
                changed.passed_birthday_on, changed.passed_birthday_at, changed.withered_at, changed.archived_at,
                changed.restored_on)
            FROM unnest($5::uuid[], $6::text[], $7::text[], $8::smallint[], $9::smallint[], $10::smallint[],
                $11::smallint[], $12::smallint[], $13::date[], $14::date[], $15::text[], $16::smallint[], $17::int[],
                $18::int[], $19::boolean[], $20::boolean[], $21::timestamptz[], $22::text[], $23::int[],
                $24::timestamptz[], $25::date[], $26::timestamptz[], $27::date[], $28::timestamptz[],
                $29::timestamptz[], $30::timestamptz[], $31::date[])
            AS changed (id, name, nickname, birthday_year, birthday_month, birthday_day, cycle_days, alarm_minute,
                last_watered_on, due_on, due_source, affection, watering_count, postponement_count, pushes_enabled,
                is_favourite, alarm_at, alarmed_due_dates, reminder_number, reminder_at, birthday_on, birthday_at,
                passed_birthday_on, passed_birthday_at, withered_at, archived_at, restored_on)
            WHERE plant.lane = $1 AND plant.account_id = $2 AND plant.id BETWEEN $3 AND $4 AND plant.id = changed.id
            """,
            [
                account.lane, account, plants.first?.id, plants.last?.id, plants.map(\.id),
                plants.map(\.name.description), plants.map(\.nickname.description),
                birthdays.map { $0?.year.map(Int16.init) }, birthdays.map { $0.map { Int16($0.month) } },
                birthdays.map { $0.map { Int16($0.day) } }, plants.map { Int16($0.cycle.days) },
                plants.map { Int16($0.alarmTime.minuteOfDay) }, plants.map(\.lastWateredOn), plants.map(\.dueOn),
                plants.map(\.dueSource.rawValue), plants.map { Int16($0.affection.points) },
                plants.map { Int32($0.wateringCount) }, plants.map { Int32($0.postponementCount) },
                plants.map(\.pushesEnabled), plants.map(\.isFavourite), plans.map(\.wateringDue?.at),
                // PostgreSQL has no arrays of arrays of different lengths.
                plans.map { "{\($0.alarmedDueDates.map(\.description).joined(separator: ","))}" },
                plans.map { $0.reviewMissing.map { Int32($0.subject) } }, plans.map(\.reviewMissing?.at),
                plans.map { $0.birthday.map { CivilDay(daysSinceEpoch: Int32($0.subject)) } },
                plans.map(\.birthday?.at),
                plans.map { $0.passedBirthday.map { CivilDay(daysSinceEpoch: Int32($0.subject)) } },
                plans.map(\.passedBirthday?.at), plans.map(\.withered?.at), plants.map(\.archivedAt),
                plants.map(\.restoredOn),
            ])
    }

    /// Records a due date that neither a watering nor a postponement set.
    static func noteDueDate(of plant: Plant, lane: Lane, at now: Instant) -> Statement {
        noteDueDates(of: [plant], lane: lane, at: now)
    }

    /// Records due dates that neither waterings nor postponements set. Two of one plant at the same instant become one.
    static func noteDueDates(of plants: [Plant], lane: Lane, at now: Instant) -> Statement {
        Statement(
            """
            INSERT INTO cycle_change (lane, plant_id, changed_at, cycle_days, due_on, source)
            SELECT $1, plant_id, $2, cycle_days, due_on, source::due_source
            FROM unnest($3::uuid[], $4::smallint[], $5::date[], $6::text[]) AS noted (plant_id, cycle_days, due_on, source)
            ON CONFLICT (lane, plant_id, changed_at) DO UPDATE
            SET cycle_days = excluded.cycle_days, due_on = excluded.due_on, source = excluded.source
            """,
            [
                lane, now, plants.map(\.id), plants.map { Int16($0.cycle.days) }, plants.map(\.dueOn),
                plants.map(\.dueSource.rawValue),
            ])
    }
}

extension Plant.ID {
    /// The smallest id.
    static let least = Plant.ID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
}

enum OccurrenceRow {
    static func insert(_ occurrences: [Occurrence], lane: Lane) -> Statement {
        Statement(
            """
            INSERT INTO occurrence (lane, at, plant_id, kind, subject)
            SELECT $1, at, plant_id, kind::push_kind, subject
            FROM unnest($2::timestamptz[], $3::uuid[], $4::text[], $5::int[]) AS added (at, plant_id, kind, subject)
            ON CONFLICT DO NOTHING
            """,
            [
                lane, occurrences.map(\.at), occurrences.map(\.plantID), occurrences.map(\.kind.rawValue),
                occurrences.map { Int32($0.subject) },
            ])
    }

    /// Adds occurrences that the calendar does not hold yet; a duplicate makes the COPY fail.
    static func copy(_ occurrences: [Lane: [Occurrence]], to connection: Connection) async throws {
        _ = try await connection.copyIn(
            "COPY occurrence (lane, at, plant_id, kind, subject) FROM STDIN (FORMAT binary)"
        ) { rows in
            for (lane, occurrences) in occurrences.sorted(by: { $0.key < $1.key }) {
                for occurrence in occurrences {
                    try rows.append(
                        lane, occurrence.at, occurrence.plantID, occurrence.kind.rawValue, Int32(occurrence.subject))
                }
            }
        }
    }

    static func missingPartition(_ occurrences: [Occurrence]) -> MissingPartition {
        // One instant per day is enough: there may be thousands of occurrences, and a month is made only once.
        let days = Dictionary(
            occurrences.map { ($0.at.secondsSinceEpoch / 86_400, $0.at) }, uniquingKeysWith: { first, _ in first })
        return MissingPartition(
            makeStatements: days.values.sorted().map {
                Statement("SELECT make_calendar_partition($1)", [$0])
            })
    }
}

enum WateringRow {
    static let columns = """
        number, watered_on, recorded_at, method, due_on, is_backdated, keywords, memo, is_review_declined
        """

    /// - Parameter plant: the plant, if it is known; names the row in errors.
    static func decode(_ reader: inout RowReader, of plant: (id: Plant.ID, lane: Lane)? = nil) throws -> Watering {
        var number: Int?
        let key = { () -> [UnreadableRow.KeyPart] in
            (plant.map { [.lane($0.lane), .id($0.id, column: "plant_id")] } ?? [])
                + (number.map { [.number($0)] } ?? [])
        }
        return try reader.reading("watering", key: key) { reader in
            number = try reader.next(Int.self)
            return try decode(&reader, number: number ?? 0)
        }
    }

    private static func decode(_ reader: inout RowReader, number: Int) throws -> Watering {
        let number = try number.within(RowLimit.count, orHolds: "an impossible number of a watering")
        let wateredOn = try reader.next(CivilDay.self)
        let recordedAt = try reader.next(Instant.self)
        let method = try reader.next(label: ContactMethod.self)
        let dueOn = try reader.next(CivilDay?.self)
        let isBackdated = try reader.next(Bool.self)
        let keywords = try reader.next([String].self)
        let memo = try reader.next(String?.self)
        let review = keywords.isEmpty && memo == nil ? nil : try Review(keywords: keywords, memo: memo)
        return Watering(
            number: number, wateredOn: wateredOn, recordedAt: recordedAt, method: method, dueOn: dueOn,
            isBackdated: isBackdated, review: review, isReviewDeclined: try reader.next())
    }

    static func insert(_ watering: Watering, plant: Plant.ID, lane: Lane) -> Statement {
        Statement(
            """
            INSERT INTO watering (lane, plant_id, \(columns))
            VALUES ($1, $2, $3, $4, $5, $6::contact_method, $7, $8, $9, $10, $11)
            """,
            [
                lane, plant, watering.number, watering.wateredOn, watering.recordedAt, watering.method.rawValue,
                watering.dueOn, watering.isBackdated, watering.review?.keywords ?? [], watering.review?.memo,
                watering.isReviewDeclined,
            ])
    }

    static let copy = "COPY watering (lane, plant_id, \(columns)) FROM STDIN (FORMAT binary)"

    static func append(_ watering: Watering, of plant: Plant, to rows: inout CopyWriter) throws {
        try rows.append(
            plant.accountID.lane, plant.id, Int32(watering.number), watering.wateredOn, watering.recordedAt,
            watering.method.rawValue, watering.dueOn, watering.isBackdated, watering.review?.keywords ?? [],
            watering.review?.memo, watering.isReviewDeclined)
    }

    static func updateReview(_ watering: Watering, plant: Plant.ID, lane: Lane) -> Statement {
        Statement(
            """
            UPDATE watering SET keywords = $4, memo = $5, is_review_declined = $6
            WHERE lane = $1 AND plant_id = $2 AND number = $3
            """,
            [
                lane, plant, watering.number, watering.review?.keywords ?? [], watering.review?.memo,
                watering.isReviewDeclined,
            ])
    }
}

enum AffectionRow {
    /// The points gained for one reason (rule 4.5).
    static func points(_ reader: inout RowReader) throws -> Int {
        try reader.next(Int.self).within(1...Affection.pointsPerReason, orHolds: "points of affection outside of 1-8")
    }

    static func insert(_ entry: AffectionEntry, plant: Plant.ID, lane: Lane, at now: Instant) -> Statement {
        Statement(
            """
            INSERT INTO affection_entry (lane, plant_id, watering_number, reason, points, gained_at)
            VALUES ($1, $2, $3, $4::affection_reason, $5, $6)
            """, [lane, plant, entry.wateringNumber, entry.reason.rawValue, entry.points, now])
    }
}
