import CherishCore
import Foundation
import Postgres

/// The result of loading one exported account.
public enum SeededAccount: Sendable, Equatable {
    case written
    /// Written without the phones that other accounts have by now. Only signing in on a phone takes it back.
    case writtenWithoutPhones(Int)
    /// An account with this id already exists and was left unchanged.
    case known
}

/// The tables reject an account although each part of its document is valid.
public struct UnfitExport: Error, Hashable, Sendable, CustomStringConvertible {
    /// The violated constraint; nil if a value cannot be stored at all, such as text with a NUL.
    public let constraint: String?
    private let isTaken: Bool

    init(_ error: PostgresError) {
        constraint = error.constraint
        isTaken = error.isUniqueViolation
    }

    /// The stable error code.
    public var code: String { "unfit_account" }

    /// A sentence that says what to do, without repeating any value.
    public var description: String {
        guard let constraint else {
            return "the account holds a value that no column takes, such as text with a NUL character; remove it"
        }
        return isTaken
            ? "an id of the account is taken by something of another one (\(constraint)); write another id"
            : "the account holds a value that is not allowed (\(constraint)); correct it"
    }
}

extension PostgresError {
    /// Whether the content is at fault: data exceptions, violated constraints, or text that the client refuses to send.
    var isAboutContent: Bool {
        code == .usage || sqlState?.hasPrefix("22") == true || sqlState?.hasPrefix("23") == true
    }
}

extension CareStore {
    /// Writes exported accounts with everything that belongs to them: all accounts or, if one is refused, none.
    ///
    /// Plans pending pushes again. If the lane's cursor has passed one, it is planned for the next instant if still
    /// worth sending, and ended otherwise. Skips pushes of the same plants that this database's log already contains.
    /// Replaces name-based plant ids, from an older Cherish, with random ones. Leaves phones with accounts that have
    /// them.
    ///
    /// - Returns: the result of each account, in the same order.
    /// - Throws: ``CareError/duplicateEmail(_:)`` if another account has the e-mail, ``CareError/invalidTimeZone(_:)``,
    ///   ``UnfitExport``.
    public func seed(_ exports: [AccountExport]) async throws -> [SeededAccount] {
        for export in exports { _ = try zones.clock(of: export.account) }
        do {
            return try await retryingMissingPartitions(pool) {
                try await pool.withTransaction { connection in
                    var writing = try await SeedWriting(exports, on: connection, store: self)
                    try await writing.write()
                    try await writing.writePauses()
                    return exports.map { writing.outcome(of: $0.account.id) }
                }
            }
        } catch let error as PostgresError where error.isAboutContent {
            throw UnfitExport(error)
        }
    }
}

/// Writes the tables of some accounts, with one COPY for each table that may get many rows.
struct SeedWriting {
    let knownIDs: Set<Account.ID>
    private let store: CareStore
    private let connection: Connection
    private let locked: LockedLanes
    /// The accounts that do not exist yet.
    private var exports: [AccountExport]
    /// How many phones of each account were left with other accounts.
    private var phonesLeftOut: [Account.ID: Int] = [:]

    /// Locks the accounts' lanes, so that meanwhile no occurrence is added behind a cursor and no push is scheduled.
    init(_ all: [AccountExport], on connection: Connection, store: CareStore) async throws {
        let locked = try await store.lockLanes(Set(all.map(\.account.id.lane)), on: connection)
        let known = try await SeedWriting.known(all.map(\.account.id), on: connection)
        self.store = store
        self.connection = connection
        self.locked = locked
        knownIDs = known
        exports = all.filter { !known.contains($0.account.id) }
    }

    static func known(_ ids: [Account.ID], on connection: Connection) async throws -> Set<Account.ID> {
        Set(
            try await connection.query(
                "SELECT id FROM account WHERE lane = ANY ($1) AND id = ANY ($2)", [Array(Set(ids.map(\.lane))), ids]
            ).map { try $0.decode(0, as: Account.ID.self) })
    }

    func outcome(of id: Account.ID) -> SeededAccount {
        if knownIDs.contains(id) { return .known }
        return phonesLeftOut[id].map { .writtenWithoutPhones($0) } ?? .written
    }

    mutating func write() async throws {
        if exports.isEmpty { return }
        try await store.requireZones(Set(exports.map(\.account.timeZone)), on: connection)
        try await claimEmails()
        try await claimPhones()
        for export in exports {
            try await writeAccount(export)
            try await ThingRow.write(export.things, of: export.account.id, in: try context(of: export), on: connection)
        }
        try await writeFriends(of: exports)
    }

    /// Writes the pauses of accounts whose tags and friends are already written.
    func writePauses() async throws {
        let statements = exports.flatMap { export in
            export.pauses.map { PauseRow.insert($0, of: export.account.id) }
                + [AccountRow.updatePauses(of: export.account)]
        }
        _ = try await connection.pipeline(statements)
    }

    /// Writes plants of accounts that are already written, with everything that belongs to the plants.
    ///
    /// - Parameter exports: contain only what is about these plants.
    func writeFriends(of exports: [AccountExport]) async throws {
        let unguessable = exports.map { $0.replacingNameBasedIDs { Plant.ID(store.identifiers.random()) } }
        let log = try await LoggedPushes(of: unguessable, on: connection)
        let current = try unguessable.map { export in
            log.withoutUnderway(export).caughtUp(in: try context(of: export))
        }
        let friends = FriendWriting(connection: connection, exports: current, log: log)
        try await friends.write()
    }

    private func context(of export: AccountExport) throws -> CommandContext {
        CommandContext(
            now: locked.now, zone: try store.zones.clock(of: export.account),
            calendarCursor: locked.cursors[export.account.id.lane] ?? locked.now,
            pausedDays: export.account.pausedDays)
    }

    private func claimEmails() async throws {
        // Sorted, so that two concurrent calls with the same accounts cannot deadlock.
        let claims = exports.compactMap { export in export.account.email.map { (email: $0, id: export.account.id) } }
        for claim in claims.sorted(by: { $0.email.key < $1.email.key }) {
            let claimed = try await connection.execute(
                "INSERT INTO account_email (email, lane, account_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                [claim.email.key, claim.id.lane, claim.id])
            if claimed == 0 { throw CareError.duplicateEmail(claim.email.description) }
        }
    }

    /// Drops phones that another account has. If two accounts in the list have the same phone, the one that added it
    /// last keeps it.
    private mutating func claimPhones() async throws {
        let phones = exports.flatMap { export in
            export.devices.filter(\.platform.isPersonal).map { (owner: export.account.id, device: $0) }
        }
        if phones.isEmpty { return }
        // Sorted, so that two concurrent calls with the same phones cannot deadlock.
        let claimed = try await connection.query(
            """
            INSERT INTO device_token (platform, token, lane, account_id, device_id)
            SELECT platform::device_platform, token, lane, account_id, device_id
            FROM unnest($1::text[], $2::text[], $3::smallint[], $4::uuid[], $5::uuid[], $6::timestamptz[])
                AS wanted (platform, token, lane, account_id, device_id, added_at)
            ORDER BY platform, token COLLATE "C", added_at DESC ON CONFLICT DO NOTHING RETURNING account_id, device_id
            """,
            [
                phones.map(\.device.platform.rawValue), phones.map(\.device.token), phones.map(\.owner.lane),
                phones.map(\.owner), phones.map(\.device.id), phones.map(\.device.addedAt),
            ])
        var had: [Account.ID: Set<Device.ID>] = [:]
        for row in claimed { had[try row.decode(0), default: []].insert(try row.decode(1)) }
        for place in exports.indices {
            let owner = exports[place].account.id
            let before = exports[place].devices.count
            exports[place].devices.removeAll { $0.platform.isPersonal && had[owner]?.contains($0.id) != true }
            if exports[place].devices.count < before { phonesLeftOut[owner] = before - exports[place].devices.count }
        }
    }

    private func writeAccount(_ export: AccountExport) async throws {
        let account = export.account
        let devices = export.devices.map { DeviceRow.insert($0, account: account.id) }
        let tags = export.tags.map { TagRow.insert($0, account: account.id) }
        let imports = export.imports.map { ImportRow.insert($0, account: account.id) }
        // When it was set is not exported.
        let picture = export.picture.map { [PictureRow.set($0, of: account.id, at: export.createdAt)] } ?? []
        let row = AccountRow.insert(
            account, lane: account.id.lane, createdAt: export.createdAt, restoredAt: locked.now)
        _ = try await connection.pipeline([row] + picture + devices + tags + imports)
    }
}

/// Writes the plants of accounts, their history and their pushes.
private struct FriendWriting {
    let connection: Connection
    let exports: [AccountExport]
    let log: LoggedPushes

    func write() async throws {
        try await writePlants()
        try await writeHistory()
        try await writePushes()
        for export in exports {
            for batch in export.imports where !batch.changes.isEmpty {
                try await ImportRow.copy(batch.changes, of: batch.id, lane: export.account.id.lane, to: connection)
            }
        }
    }

    private func writePlants() async throws {
        let plants = exports.flatMap(\.plants)
        _ = try await connection.copyIn(PlantRow.copy.statement) { rows in
            for history in plants { try PlantRow.append(history.plant, createdAt: history.createdAt, to: &rows) }
        }
        _ = try await connection.copyIn(TagRow.copy.statement) { rows in
            for history in plants {
                for tag in history.tagIDs { try rows.append(history.plant.accountID.lane, history.plant.id, tag) }
            }
        }
    }

    private func writeHistory() async throws {
        let plants = exports.flatMap(\.plants)
        _ = try await connection.copyIn(CycleChangeRow.copy.statement) { rows in
            for history in plants {
                for change in history.dueDateChanges { try CycleChangeRow.append(change, of: history.plant, to: &rows) }
            }
        }
        _ = try await connection.copyIn(WateringRow.copy) { rows in
            for history in plants {
                for watering in history.waterings { try WateringRow.append(watering, of: history.plant, to: &rows) }
            }
        }
        _ = try await connection.copyIn(
            """
            COPY postponement (lane, plant_id, number, postponed_at, from_due_on, days, due_on) FROM STDIN (FORMAT binary)
            """
        ) { rows in
            for history in plants {
                for exported in history.postponements {
                    let postponement = exported.postponement
                    try rows.append(
                        history.plant.accountID.lane, history.plant.id, Int32(postponement.number),
                        exported.postponedAt, postponement.fromDueOn, Int16(postponement.days), postponement.dueOn)
                }
            }
        }
        _ = try await connection.copyIn(
            """
            COPY affection_entry (lane, plant_id, watering_number, reason, points, gained_at) FROM STDIN (FORMAT binary)
            """
        ) { rows in
            for history in plants {
                for exported in history.ledger {
                    try rows.append(
                        history.plant.accountID.lane, history.plant.id, Int32(exported.entry.wateringNumber),
                        exported.entry.reason.rawValue, Int16(exported.entry.points), exported.gainedAt)
                }
            }
        }
    }

    /// Writes ended pushes as occurrences that never became jobs here, and plans the others.
    private func writePushes() async throws {
        try await plan()
        let clock = try await connection.query("SELECT clock_timestamp()")
        guard let recordedAt = try clock.first?.decode(0, as: Instant.self) else {
            throw UnreadableRow(what: "no clock")
        }
        do {
            try await writeEnds(recordedAt)
        } catch let error as PostgresError where error.isMissingPartition {
            throw MissingPartition(
                makeStatements: [Statement("SELECT make_log_partitions($1)", [recordedAt])], refusal: error)
        }
    }

    /// Not by COPY, which would fail on a duplicate: an erased account's occurrences stay in the calendar.
    private func plan() async throws {
        var pending: [Lane: [Occurrence]] = [:]
        for export in exports {
            pending[export.account.id.lane, default: []] += export.pushes.filter { $0.end == nil }.map(\.occurrence)
        }
        do {
            _ = try await connection.pipeline(
                pending.sorted { $0.key < $1.key }.map { OccurrenceRow.insertAgain($0.value, lane: $0.key) })
        } catch let error as PostgresError where error.isMissingPartition {
            throw OccurrenceRow.missingPartition(pending.values.flatMap { $0 }, after: error)
        }
    }

    private func writeEnds(_ recordedAt: Instant) async throws {
        let (exports, log) = (exports, log)
        _ = try await connection.copyIn(
            """
            COPY occurrence_outcome
                (lane, account_id, subject_id, planned_at, topic, ref, outcome, reason, finished_at, recorded_at)
            FROM STDIN (FORMAT binary)
            """
        ) { rows in
            for export in exports {
                for push in export.pushes {
                    let occurrence = push.occurrence
                    guard let end = push.end, !log.holds(occurrence) else { continue }
                    try rows.append(
                        export.account.id.lane, occurrence.accountID, occurrence.subjectID, occurrence.at,
                        occurrence.topic.label, Int32(occurrence.ref), end.outcome.rawValue, end.reason, end.finishedAt,
                        recordedAt)
                }
            }
        }
    }
}

/// What the log already holds of the plants being loaded: an erased account comes back with the same ids.
private struct LoggedPushes: Sendable {
    private var all: Set<OccurrenceKey> = []
    /// The pushes that were not sent because the account had been erased.
    private var erased: Set<OccurrenceKey> = []

    init(of exports: [AccountExport], on connection: Connection) async throws {
        let plants = Dictionary(grouping: exports.flatMap(\.plants).map(\.plant), by: \.accountID.lane)
        let lanes = plants.sorted { $0.key < $1.key }
        _ = try await connection.pipeline(lanes.flatMap(LoggedPushes.giveBack))
        let logs = try await connection.pipeline(
            lanes.map { lane, plants in
                Statement(
                    """
                    SELECT planned_at, subject_id, topic, ref, reason IS NOT DISTINCT FROM $3
                    FROM \(PushSource.ofLane) AS push WHERE lane = $1 AND subject_id = ANY ($2)
                    """, [lane, plants.map(\.id), PushReason.erased.rawValue])
            })
        for row in logs.joined() {
            var reader = row.reader
            let key = try OccurrenceKey(&reader)
            all.insert(key)
            if try reader.next(Bool.self) { erased.insert(key) }
        }
    }

    /// Names the accounts again in what the log holds of their plants from before they were erased.
    private static func giveBack(_ lane: Lane, _ plants: [Plant]) -> [Statement] {
        (["push_job", "occurrence_outcome"] as [SQL]).map { table in
            Statement(
                """
                UPDATE \(table) AS logged SET account_id = owned.account_id
                FROM unnest($2::uuid[], $3::uuid[]) AS owned (subject_id, account_id)
                WHERE logged.lane = $1 AND logged.account_id = $4 AND logged.subject_id = owned.subject_id
                """, [lane, plants.map(\.id), plants.map(\.accountID), Account.ID.erased])
        }
    }

    func holds(_ occurrence: Occurrence) -> Bool { all.contains(OccurrenceKey(occurrence)) }

    /// Returns the account without pending pushes that this database has scheduled or ended since the export. Pushes
    /// that only the erasure kept from being sent stay pending.
    func withoutUnderway(_ export: AccountExport) -> AccountExport {
        var export = export
        export.pushes.removeAll { push in
            let key = OccurrenceKey(push.occurrence)
            return push.end == nil && all.contains(key) && !erased.contains(key)
        }
        return export
    }
}
