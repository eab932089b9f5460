import CherishCore
import Postgres
import SystemTimeZones

/// Identifies an occurrence within its lane, and defines the order in which a lane's calendar is scheduled.
struct OccurrenceKey {
    let at: Instant
    let plantID: Plant.ID
    let kind: PushKind
    let subject: Int

    /// Whether the occurrence `planned` lies after its `lane`'s cursor. The first comparison prunes partitions.
    static let isPlannedAfterCursor: SQL = """
        planned.lane = lane.lane AND planned.at >= lane.cursor_at
            AND (planned.at, planned.plant_id, planned.kind, planned.subject)
                > (lane.cursor_at, lane.cursor_plant_id, lane.cursor_kind, lane.cursor_subject)
        """

    /// Reads a key and checks that the rules can compute with it.
    init(_ reader: inout RowReader) throws {
        try self.init(asItIs: &reader)
        try requireReadable()
    }

    /// Reads any key unchecked: a cursor must be able to pass every occurrence, whatever it holds.
    init(asItIs reader: inout RowReader) throws {
        at = try reader.next()
        plantID = try reader.next()
        kind = try reader.next(label: PushKind.self)
        subject = try reader.next(Int.self)
            .within(Int(Int32.min)...Int(Int32.max), orHolds: "a planned push about more than the column holds")
    }

    func requireReadable() throws(UnreadableRow) {
        _ = try subject.within(
            kind == .reviewMissing ? RowLimit.count : RowLimit.days,
            orHolds: "a planned push about a watering or a day that cannot be")
    }

    /// Returns the primary key of the occurrence's row in the calendar.
    func place(in lane: Lane) -> [UnreadableRow.KeyPart] {
        [
            .lane(lane), .instant(at, column: "at"), .id(plantID, column: "plant_id"),
            .label(kind.rawValue, column: "kind"), .number(subject, column: "subject"),
        ]
    }

    var planned: PlannedMoment { PlannedMoment(subject: subject, at: at) }
    var occurrence: Occurrence { Occurrence(at: at, plantID: plantID, kind: kind, subject: subject) }
}

/// The plant's part of a verdict, read along with a planned push.
struct PlantCandidate {
    let accountID: Account.ID
    let isArchived: Bool
    /// The plant's pointer for a push of this kind.
    let pointer: PlannedMoment?
    let dueOn: CivilDay
    let dueSource: Plant.DueSource
    let pushesEnabled: Bool
    let reviewState: PushCandidate.ReviewState

    /// The statement selects only the pointer of the occurrence's kind, so that rows stay small.
    static func columns(for planned: SQL) -> SQL {
        """
        plant.account_id, \("plant.archived_at IS NOT NULL", at: .removal),
        \(PlantPointer.chosen(\.subject, for: planned), at: .pointedSubject),
        \(PlantPointer.chosen(\.at, for: planned), at: .pointedInstant),
        plant.due_on, plant.due_source, plant.pushes_enabled,
        \("watering.is_review_declined, watering.is_reviewed", at: .reviewState)
        """
    }

    /// OFFSET 0 keeps the planner from looking up a watering for pushes that are not about one.
    static func joins(to planned: SQL) -> SQL {
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

    /// Returns nil if the plant was erased.
    ///
    /// - Parameter plant: the plant that the columns belong to; names the row in errors.
    init?(_ reader: inout RowReader, of plant: Plant.ID, in lane: Lane) throws {
        guard let read = try reader.reading("plant", key: { [.lane(lane), .id(plant)] }, { try Self.decode(&$0) })
        else { return nil }
        self = read
    }

    private static func decode(_ reader: inout RowReader) throws -> PlantCandidate? {
        let accountID = try reader.next(Account.ID?.self)
        let isArchived = try reader.next(Bool.self)
        let subject = try reader.next(Int?.self)
        let at = try reader.nextAsItIs(Instant.self)
        let dueOn = try reader.nextAsItIs(CivilDay.self)
        let dueSource = try reader.next(String?.self)
        let pushesEnabled = try reader.next(Bool?.self)
        let isDeclined = try reader.next(Bool?.self) ?? false
        let isReviewed = try reader.next(Bool?.self) ?? false
        guard let accountID, let dueOn, let dueSource = dueSource.flatMap(Plant.DueSource.init), let pushesEnabled
        else { return nil }
        if at != nil, subject == nil { throw UnreadableRow(what: "an instant of a push without its subject") }
        return PlantCandidate(
            accountID: accountID, isArchived: isArchived,
            pointer: subject.flatMap { subject in at.map { PlannedMoment(subject: subject, at: $0) } }, dueOn: dueOn,
            dueSource: dueSource, pushesEnabled: pushesEnabled,
            reviewState: isReviewed ? .written : isDeclined ? .declined : .missing)
    }

    private init(
        accountID: Account.ID, isArchived: Bool, pointer: PlannedMoment?, dueOn: CivilDay, dueSource: Plant.DueSource,
        pushesEnabled: Bool, reviewState: PushCandidate.ReviewState
    ) {
        self.accountID = accountID
        self.isArchived = isArchived
        self.pointer = pointer
        self.dueOn = dueOn
        self.dueSource = dueSource
        self.pushesEnabled = pushesEnabled
        self.reviewState = reviewState
    }
}

// These values are only compared, counted and displayed; nothing adds days to them. They accept every date and instant
// that PostgreSQL can store, because a broken row must not hold up the other pushes of its lane.
extension RowReader {
    mutating func nextAsItIs(_: CivilDay.Type) throws -> CivilDay? {
        try next(PostgresDate?.self).map { CivilDay(daysSinceEpoch: $0.daysSince1970) }
    }

    mutating func nextAsItIs(_: Instant.Type) throws -> Instant? {
        try next(PostgresTimestamp?.self).map { Instant(microsecondsSinceEpoch: $0.microsecondsSince1970) }
    }
}

extension PlantCandidate {
    /// Combines the plant's part with the account's.
    func state(isKindEnabled: Bool, zone: TimeZoneRules) -> PushCandidate.State {
        PushCandidate.State(
            isArchived: isArchived, pointer: pointer, dueOn: dueOn, dueSource: dueSource, pushesEnabled: pushesEnabled,
            isKindEnabled: isKindEnabled, reviewState: reviewState, zone: zone)
    }
}

/// The account's part of a verdict. Many plants of a batch share an account, so each account is read once.
struct AccountCandidate {
    let zone: TimeZoneRules
    let switches: NotificationSwitches
    let language: Language

    /// Selects the accounts of a batch; erased ones are absent.
    static func statement(_ ids: [Account.ID], in lane: Lane) -> Statement {
        Statement(
            """
            SELECT account.id, time_zone, language, watering_pushes, review_pushes,
                \("birthday_pushes, withered_pushes", at: .switches)
            FROM unnest($2::uuid[]) AS wanted (id) JOIN account ON account.lane = $1 AND account.id = wanted.id
            """, [lane, ids])
    }

    static func decode(_ rows: Rows, zones: SystemTimeZones) throws -> AccountCandidates {
        var accounts = AccountCandidates()
        accounts.readable.reserveCapacity(rows.count)
        for row in rows {
            var reader = row.reader
            let id = try reader.next(Account.ID.self)
            do {
                accounts.readable[id] = try reader.reading("account", key: { [.lane(id.lane), .id(id)] }) {
                    try AccountCandidate(&$0, zones)
                }
            } catch let unreadable as UnreadableRow {
                accounts.unreadable[id] = unreadable
            }
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

/// The accounts of a batch. An unreadable account ends only its own pushes.
struct AccountCandidates {
    var readable: [Account.ID: AccountCandidate] = [:]
    var unreadable: [Account.ID: UnreadableRow] = [:]
}

extension SystemTimeZones {
    /// Returns the rules of an account's zone, or UTC if this program's tz database lacks it. Another program's tz
    /// database may be newer, or an update may have removed the zone; neither may stop a whole lane.
    func rulesOrUTC(_ name: String) -> TimeZoneRules { (try? rules(name)) ?? .utc }
}

extension PushCandidate {
    /// Combines both parts. If either is missing, the plant and its account were erased.
    ///
    /// - Throws: ``UnreadableRow`` if the account cannot be read.
    init(
        kind: PushKind, planned: PlannedMoment, plant: PlantCandidate?, accounts: AccountCandidates
    ) throws(UnreadableRow) {
        if let unreadable = plant.flatMap({ accounts.unreadable[$0.accountID] }) { throw unreadable }
        guard let plant, let account = accounts.readable[plant.accountID] else {
            self.init(kind: kind, planned: planned, state: nil)
            return
        }
        self.init(
            kind: kind, planned: planned,
            state: plant.state(isKindEnabled: account.switches.allows(kind), zone: account.zone))
    }
}
