import CherishCore
import Postgres
import SystemTimeZones

/// What tells an occurrence from all others of its lane, and the order in which a lane's calendar is walked.
struct OccurrenceKey {
    let at: Instant
    let plantID: Plant.ID
    let kind: PushKind
    let subject: Int

    /// Whether the occurrence `planned` lies after the cursor of its `lane`. The first comparison picks partitions.
    static let isPlannedAfterCursor = """
        planned.lane = lane.lane AND planned.at >= lane.cursor_at
            AND (planned.at, planned.plant_id, planned.kind, planned.subject)
                > (lane.cursor_at, lane.cursor_plant_id, lane.cursor_kind, lane.cursor_subject)
        """

    init(_ reader: inout RowReader) throws {
        at = try reader.next()
        plantID = try reader.next()
        kind = try reader.next(label: PushKind.self)
        subject = try reader.next(Int.self)
            .within(
                kind == .reviewMissing ? RowLimit.count : RowLimit.days,
                orHolds: "a planned push about a watering or a day that cannot be")
    }

    var planned: PlannedMoment { PlannedMoment(subject: subject, at: at) }
    var occurrence: Occurrence { Occurrence(at: at, plantID: plantID, kind: kind, subject: subject) }
}

/// The plant's part of what a verdict looks at, read beside a planned push.
struct PlantCandidate {
    let accountID: Account.ID
    let isArchived: Bool
    /// Where the plant points for a push of this kind.
    let pointer: PlannedMoment?
    let dueOn: CivilDay
    let dueSource: Plant.DueSource
    let pushesEnabled: Bool
    let reviewState: PushCandidate.ReviewState

    /// The pointer of the occurrence's kind is picked by the statement, so that a row carries only what counts.
    static func columns(for planned: String) -> String {
        """
        plant.account_id, plant.archived_at IS NOT NULL,
        CASE \(planned).kind
            WHEN 'review_missing' THEN plant.reminder_number
            WHEN 'birthday' THEN CASE WHEN \(isPassedBirthday(planned)) THEN plant.passed_birthday_on
                ELSE plant.birthday_on END - date '1970-01-01'
            ELSE plant.due_on - date '1970-01-01' END,
        CASE \(planned).kind
            WHEN 'watering_due' THEN plant.alarm_at
            WHEN 'review_missing' THEN plant.reminder_at
            WHEN 'birthday' THEN CASE WHEN \(isPassedBirthday(planned)) THEN plant.passed_birthday_at
                ELSE plant.birthday_at END
            WHEN 'withered' THEN plant.withered_at END,
        plant.due_on, plant.due_source, plant.pushes_enabled, watering.is_review_declined, watering.is_reviewed
        """
    }

    private static func isPassedBirthday(_ planned: String) -> String {
        """
        plant.passed_birthday_at = \(planned).planned_at
            AND plant.passed_birthday_on - date '1970-01-01' = \(planned).subject
        """
    }

    /// OFFSET 0 keeps the planner from looking for the watering of a push that is not about one.
    static func joins(to planned: String) -> String {
        """
        LEFT JOIN plant ON plant.lane = \(planned).lane AND plant.id = \(planned).plant_id
        LEFT JOIN LATERAL (
            SELECT is_review_declined, keywords <> '{}' OR memo IS NOT NULL AS is_reviewed, watered_on
            FROM watering
            WHERE \(planned).kind = 'review_missing' AND watering.lane = \(planned).lane
                AND watering.plant_id = \(planned).plant_id AND watering.number = \(planned).subject
            OFFSET 0
        ) AS watering ON true
        """
    }

    /// nil when the plant was erased.
    init?(_ reader: inout RowReader) throws {
        let accountID = try reader.next(Account.ID?.self)
        isArchived = try reader.next(Bool.self)
        let subject = try reader.next(Int?.self)
        let at = try reader.nextAsItIs(Instant.self)
        let dueOn = try reader.nextAsItIs(CivilDay.self)
        let dueSource = try reader.next(String?.self)
        let pushesEnabled = try reader.next(Bool?.self)
        let isDeclined = try reader.next(Bool?.self) ?? false
        let isReviewed = try reader.next(Bool?.self) ?? false
        guard let accountID, let dueOn, let dueSource = dueSource.flatMap(Plant.DueSource.init), let pushesEnabled
        else { return nil }
        self.accountID = accountID
        self.dueOn = dueOn
        self.dueSource = dueSource
        self.pushesEnabled = pushesEnabled
        pointer = subject.flatMap { subject in at.map { PlannedMoment(subject: subject, at: $0) } }
        reviewState = isReviewed ? .written : isDeclined ? .declined : .missing
    }
}

// What a plant says beside a push is compared, counted and shown, and no day is added to it. A row that somebody broke by hand
// must not keep all others of its lane from their pushes, so any day and instant will do that PostgreSQL knows.
extension RowReader {
    mutating func nextAsItIs(_: CivilDay.Type) throws -> CivilDay? {
        try next(PostgresDate?.self).map { CivilDay(daysSinceEpoch: $0.daysSince1970) }
    }

    mutating func nextAsItIs(_: Instant.Type) throws -> Instant? {
        try next(PostgresTimestamp?.self).map { Instant(microsecondsSinceEpoch: $0.microsecondsSince1970) }
    }
}

extension PlantCandidate {
    /// Completed by what the account says.
    func state(isKindEnabled: Bool, zone: TimeZoneRules) -> PushCandidate.State {
        PushCandidate.State(
            isArchived: isArchived, pointer: pointer, dueOn: dueOn, dueSource: dueSource, pushesEnabled: pushesEnabled,
            isKindEnabled: isKindEnabled, reviewState: reviewState, zone: zone)
    }
}

/// The account's part of what a verdict looks at. Many plants of a batch share an account, so each is read once.
struct AccountCandidate {
    let zone: TimeZoneRules
    let switches: NotificationSwitches
    let language: Language

    /// The accounts of a batch; those that were erased are missing.
    static func statement(_ ids: [Account.ID], in lane: Lane) -> Statement {
        Statement(
            """
            SELECT account.id, time_zone, language, watering_pushes, review_pushes, birthday_pushes, withered_pushes
            FROM unnest($2::uuid[]) AS wanted (id) JOIN account ON account.lane = $1 AND account.id = wanted.id
            """, [lane, ids])
    }

    static func decode(_ rows: Rows, zones: SystemTimeZones) throws -> [Account.ID: AccountCandidate] {
        var accounts: [Account.ID: AccountCandidate] = [:]
        accounts.reserveCapacity(rows.count)
        for row in rows {
            var reader = row.reader
            let id = try reader.next(Account.ID.self)
            accounts[id] = try AccountCandidate(&reader, zones)
        }
        return accounts
    }

    private init(_ reader: inout RowReader, _ zones: SystemTimeZones) throws {
        zone = zones.rulesOrUTC(try reader.next())
        language = try reader.next(label: Language.self)
        switches = NotificationSwitches(
            watering: try reader.next(), review: try reader.next(), birthday: try reader.next(),
            withered: try reader.next())
    }
}

extension SystemTimeZones {
    /// The rules of an account's zone. One that this program's tz database does not have, since another program's is newer
    /// or an update took it away, must not stop a whole lane: there it is UTC.
    func rulesOrUTC(_ name: String) -> TimeZoneRules { (try? rules(name)) ?? .utc }
}

extension PushCandidate {
    /// Brings both parts together; without one of them plant and account were erased.
    init(
        kind: PushKind, planned: PlannedMoment, plant: PlantCandidate?, accounts: [Account.ID: AccountCandidate]
    ) {
        guard let plant, let account = accounts[plant.accountID] else {
            self.init(kind: kind, planned: planned, state: nil)
            return
        }
        self.init(
            kind: kind, planned: planned,
            state: plant.state(isKindEnabled: account.switches.allows(kind), zone: account.zone))
    }
}
