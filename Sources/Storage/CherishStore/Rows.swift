import CherishCore
import Foundation
import Postgres

// Each table has one type that defines the order of its columns.

enum AccountRow {
    static let columns: SQL = """
        id, email, nickname, phone, \("time_zone", at: .timeZone), language, watering_pushes, review_pushes, birthday_pushes,
        withered_pushes, thing_pushes, version, postcode, appearance::text, expiry_warning_days, country, postcode_changed_at,
        \("day_end_minute", at: .dayEnd), pauses
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
            var account = Account(
                id: known, email: try reader.next(String?.self).map { EmailAddress(stored: $0) },
                nickname: Nickname(stored: try reader.next()),
                phone: try reader.next(String?.self).map { text throws(CareError) in try PhoneNumber(e164: text) },
                timeZone: try reader.next(), language: try reader.next(label: Language.self),
                switches: NotificationSwitches(
                    watering: try reader.next(), review: try reader.next(), birthday: try reader.next(),
                    withered: try reader.next(), thing: try reader.next()), version: try reader.next())
            account.postcode = try reader.next(String?.self).map { Postcode(stored: $0) }
            account.appearance = Appearance(stored: try reader.next())
            account.warningDays = try WarningDays(try reader.next())
            account.country = try reader.next(String?.self).map { Country(stored: $0) }
            account.postcodeChanges = PostcodeChanges(try reader.next([Instant].self))
            account.dayEnd = try DayEnd(minuteOfDay: try reader.next())
            account.pausedDays = try PausedDays(storedPairs: try reader.next([CivilDay].self))
            return account
        }
    }

    /// Returns accounts sorted by lane and id, with one statement per lane. Nonexistent accounts are absent.
    static func all(_ ids: Set<Account.ID>, on connection: Connection, lock: RowLock? = nil) async throws -> [Account] {
        let lanes = Dictionary(grouping: ids, by: \.lane).sorted { $0.key < $1.key }
        return try await connection.pipeline(
            lanes.map { lane, ids in
                Statement(
                    "SELECT \(columns) FROM account WHERE lane = $1 AND id = ANY ($2) ORDER BY id \(lock?.sql ?? "")",
                    [lane, ids])
            }
        ).flatMap { try $0.map(decode) }
    }

    /// Reads an account and the engine's now, for ``viewpoint(_:)``.
    static func seen(_ id: Account.ID, at fixedInstant: Instant?) -> Statement {
        Statement(
            "SELECT coalesce($3, clock_timestamp()), \(columns) FROM account WHERE lane = $1 AND id = $2",
            [id.lane, id, fixedInstant])
    }

    static func viewpoint(_ rows: Rows) throws -> Viewpoint {
        guard var reader = rows.first?.reader else { throw CareError.notFound(.account) }
        let now = try reader.next(Instant.self)
        return Viewpoint(account: try decode(&reader), now: now)
    }

    /// Reads an account and locks it until the transaction ends.
    static func locked(_ id: Account.ID, _ lock: RowLock) -> Statement {
        Statement("SELECT \(columns) FROM account WHERE lane = $1 AND id = $2 \(lock.sql)", [id.lane, id])
    }

    /// Updates when the account is paused.
    static func updatePauses(of account: Account) -> Statement {
        Statement(
            "UPDATE account SET pauses = $3 WHERE lane = $1 AND id = $2",
            [account.id.lane, account.id, account.pausedDays.stored])
    }

    /// Updates everything that an edit may change except the e-mail.
    static func update(_ account: Account, lane: Lane) -> Statement {
        Statement(
            """
            UPDATE account SET nickname = $3, phone = $4, time_zone = $5, language = $6::language,
                watering_pushes = $7, review_pushes = $8, birthday_pushes = $9, withered_pushes = $10, thing_pushes = $11,
                version = $12, postcode = $13, appearance = $14::jsonb, expiry_warning_days = $15,
                country = $16, postcode_changed_at = $17, day_end_minute = $18
            WHERE lane = $1 AND id = $2
            """, [lane, account.id] + edited(account))
    }

    /// - Parameter restoredAt: when an export brings the account back; nil if it begins here.
    static func insert(_ account: Account, lane: Lane, createdAt: Instant, restoredAt: Instant? = nil) -> Statement {
        Statement(
            """
            INSERT INTO account (lane, id, email, nickname, phone, time_zone, language,
                watering_pushes, review_pushes, birthday_pushes, withered_pushes, thing_pushes, version, postcode, appearance,
                expiry_warning_days, country, postcode_changed_at, day_end_minute, created_at, restored_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7::language, $8, $9, $10, $11, $12, $13, $14, $15::jsonb, $16, $17, $18, $19, $20,
                $21)
            """, [lane, account.id, account.email?.description] + edited(account) + [createdAt, restoredAt])
    }

    private static func edited(_ account: Account) -> [any PostgresEncodable] {
        [
            account.nickname.description, account.phone?.description, account.timeZone, account.language.rawValue,
            account.switches.watering, account.switches.review, account.switches.birthday, account.switches.withered,
            account.switches.thing, account.version, account.postcode?.description, account.appearance.json,
            Int16(account.warningDays.days), account.country?.description, account.postcodeChanges.instants,
            Int16(account.dayEnd.time.minuteOfDay),
        ]
    }
}

extension Account.ID {
    /// Stands in the calendar and the log for an account that was erased.
    static let erased = Account.ID(Plant.ID.least.uuid)
}

extension Plant.ID {
    /// The smallest id.
    static let least = Plant.ID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
}

enum WateringRow {
    static let columns: SQL = """
        number, watered_on, recorded_at, method, due_on, is_backdated, keywords, memo, is_review_declined
        """

    /// - Parameter plant: the plant, if known; names the row in errors.
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

    /// - Parameter factID: the id that the client made (rule 14.3); nil without one.
    static func insert(_ watering: Watering, plant: Plant.ID, lane: Lane, factID: UUID?) -> Statement {
        Statement(
            """
            INSERT INTO watering (lane, plant_id, \(columns), fact_id)
            VALUES ($1, $2, $3, $4, $5, $6::contact_method, $7, $8, $9, $10, $11, $12)
            """,
            [
                lane, plant, watering.number, watering.wateredOn, watering.recordedAt, watering.method.rawValue,
                watering.dueOn, watering.isBackdated, watering.review?.keywords ?? [], watering.review?.memo,
                watering.isReviewDeclined, factID,
            ])
    }

    static let copy: SQL = "COPY watering (lane, plant_id, \(columns)) FROM STDIN (FORMAT binary)"

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
            WHERE \("lane = $1 AND plant_id = $2 AND number = $3", at: .writtenReview)
            """,
            [
                lane, plant, watering.number, watering.review?.keywords ?? [], watering.review?.memo,
                watering.isReviewDeclined,
            ])
    }
}

enum AffectionRow {
    /// Reads the points gained for one reason (rule 4.5).
    static func points(_ reader: inout RowReader) throws -> Int {
        try reader.next(Int.self).within(1...Affection.pointsPerReason, orHolds: "points of affection outside of 1-8")
    }

    static func insert(_ entry: AffectionEntry, plant: Plant.ID, lane: Lane, at now: Instant) -> Statement {
        Statement(
            """
            INSERT INTO affection_entry (lane, plant_id, watering_number, reason, points, gained_at)
            \("VALUES ($1, $2, $3, $4::affection_reason, $5, $6)", at: .ledgerEntry)
            """, [lane, plant, entry.wateringNumber, entry.reason.rawValue, entry.points, now])
    }
}
