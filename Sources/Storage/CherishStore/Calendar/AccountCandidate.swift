import CherishCore
import Postgres
import SystemTimeZones

/// The account's part of a verdict. Many subjects of a batch share an account, so each account is read once.
struct AccountCandidate {
    let zone: TimeZoneRules
    let switches: NotificationSwitches
    let language: Language
    let pausedDays: PausedDays

    /// Selects the accounts of a batch; erased ones are absent.
    static func statement(_ ids: [Account.ID], in lane: Lane) -> Statement {
        Statement(
            """
            SELECT account.id, time_zone, \("day_end_minute", at: .dayEnd), language, watering_pushes, review_pushes,
                \("birthday_pushes, withered_pushes", at: .switches), thing_pushes,
                \("pauses", at: .pausedDays)
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
        zone = zones.rulesOrUTC(try reader.next()).withDays(
            endingAt: try DayEnd(minuteOfDay: try reader.next()))
        language = try reader.next(label: Language.self)
        switches = NotificationSwitches(
            watering: try reader.next(), review: try reader.next(), birthday: try reader.next(),
            withered: try reader.next(), thing: try reader.next())
        pausedDays = try PausedDays(storedPairs: try reader.next([CivilDay].self))
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

    /// The clock of an account, in UTC where its zone is unknown.
    func clockOrUTC(of account: Account) -> TimeZoneRules {
        rulesOrUTC(account.timeZone).withDays(endingAt: account.dayEnd)
    }
}

extension PushCandidate {
    /// Combines the subject's part of a verdict with the account's. If either is missing, both were erased.
    ///
    /// - Throws: ``UnreadableRow`` if the account cannot be read.
    init(_ occurrence: Occurrence, _ subject: SubjectState, _ accounts: AccountCandidates) throws(UnreadableRow) {
        let state: State?
        if subject == .erased {
            state = nil
        } else if let unreadable = accounts.unreadable[occurrence.accountID] {
            throw unreadable
        } else {
            state = accounts.readable[occurrence.accountID].map { account in
                State(
                    end: subject.end, isTopicWanted: account.switches.allows(occurrence.topic), zone: account.zone,
                    expiresAt: subject.expiresAt, pausedDays: account.pausedDays,
                    subjectPausedDays: subject.pausedDays)
            }
        }
        self.init(topic: occurrence.topic, planned: occurrence.planned, state: state)
    }
}

extension SubjectState {
    /// Why the subject ends the push; nil if it does not, or was erased.
    var end: PushEnd? {
        guard case .ended(let end) = self else { return nil }
        return end
    }

    /// When the subject itself is paused.
    var pausedDays: PausedDays {
        guard case .currentUnless(let pausedDays) = self else { return .none }
        return pausedDays
    }

    /// From when the push is not worth sending; nil where its topic tells.
    var expiresAt: Instant? {
        guard case .currentUntil(let instant) = self else { return nil }
        return instant
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
