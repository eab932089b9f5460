import CherishCore
import Foundation
import Postgres

/// The result of loading one exported account.
public enum SeededAccount: Sendable, Equatable {
    case written
    /// Written without those phones that another account has by now. Only signing in on a phone takes it back.
    case writtenWithoutPhones(Int)
    /// An account with this id exists already; nothing of it was changed.
    case known
}

/// The tables reject an account, although each part of its document is valid.
public struct UnfitExport: Error, Hashable, Sendable, CustomStringConvertible {
    /// The violated constraint; nil if a value cannot be stored at all, such as text with a NUL.
    public let constraint: String?
    private let isTaken: Bool

    init(_ error: PostgresError) {
        constraint = error.constraint
        isTaken = error.isUniqueViolation
    }

    /// The stable name of the refusal.
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
    /// Whether the written content is at fault: data exceptions, violated constraints, and text that the client refuses to send.
    var isAboutContent: Bool {
        code == .usage || sqlState?.hasPrefix("22") == true || sqlState?.hasPrefix("23") == true
    }
}

extension CareStore {
    /// Writes exported accounts with everything that belongs to them: all of them or, if one is refused, none.
    ///
    /// Pending pushes are planned again. If the lane's cursor has already passed one, it is planned for the next instant
    /// while it is still worth sending, and ends otherwise. Pushes of the same plants that this database's log holds
    /// already are not written again. Plants with name-based ids, from an older Cherish, get random ones. A phone that
    /// another account has stays there.
    ///
    /// - Returns: the result of each account, in their order.
    /// - Throws: ``CareError/duplicateEmail(_:)`` if another account has the e-mail,
    ///   ``CareError/invalidTimeZone(_:)``, ``UnfitExport``.
    public func seed(_ archives: [AccountExport]) async throws -> [SeededAccount] {
        for archive in archives { _ = try zones.rules(archive.account.timeZone) }
        do {
            return try await retryingMissingPartitions(pool) {
                try await pool.withTransaction { connection in
                    var writing = try await SeedWriting(archives, on: connection, store: self)
                    try await writing.write()
                    return archives.map { writing.outcome(of: $0.account.id) }
                }
            }
        } catch let error as PostgresError where error.isAboutContent {
            throw UnfitExport(error)
        }
    }
}

/// Writes the tables of some accounts, with one COPY each where there may be many rows.
struct SeedWriting {
    let knownIDs: Set<Account.ID>
    private let store: CareStore
    private let connection: Connection
    private let locked: LockedLanes
    /// The accounts that do not exist yet.
    private var archives: [AccountExport]
    /// How many phones of an account stay with other accounts.
    private var phonesLeftOut: [Account.ID: Int] = [:]

    /// Locks the accounts' lanes, so that no occurrence is added behind a cursor and no push is scheduled meanwhile.
    init(_ all: [AccountExport], on connection: Connection, store: CareStore) async throws {
        let locked = try await store.lockLanes(Set(all.map(\.account.id.lane)), on: connection)
        let known = try await SeedWriting.known(all.map(\.account.id), on: connection)
        self.store = store
        self.connection = connection
        self.locked = locked
        knownIDs = known
        archives = all.filter { !known.contains($0.account.id) }
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
        if archives.isEmpty { return }
        try await store.requireZones(Set(archives.map(\.account.timeZone)), on: connection)
        try await claimEmails()
        try await claimPhones()
        for archive in archives { try await writeAccount(archive) }
        try await writeFriends(of: archives)
    }

    /// Writes the plants of accounts that were already written, with everything that belongs to them.
    ///
    /// - Parameter archives: they hold only what is about these plants.
    func writeFriends(of archives: [AccountExport]) async throws {
        let unguessable = archives.map { $0.replacingNameBasedIDs { Plant.ID(store.identifiers.random()) } }
        let log = try await LoggedPushes(of: unguessable, on: connection)
        let current = try unguessable.map { archive in
            log.withoutUnderway(archive).caughtUp(
                in: CommandContext(
                    now: locked.now, zone: try store.zones.rules(archive.account.timeZone),
                    calendarCursor: locked.cursors[archive.account.id.lane] ?? locked.now))
        }
        let friends = FriendWriting(connection: connection, archives: current, log: log)
        try await friends.write()
    }

    private func claimEmails() async throws {
        // In a fixed order, so that two calls that load the same accounts cannot deadlock.
        for archive in archives.sorted(by: { $0.account.email.key < $1.account.email.key }) {
            let account = archive.account
            let claimed = try await connection.execute(
                "INSERT INTO account_email (email, lane, account_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                [account.email.key, account.id.lane, account.id])
            if claimed == 0 { throw CareError.duplicateEmail(account.email.description) }
        }
    }

    /// Leaves out phones that another account has. If two accounts in the list have the same phone, the one
    /// that added it last keeps it.
    private mutating func claimPhones() async throws {
        let phones = archives.flatMap { archive in
            archive.devices.filter(\.platform.isPhone).map { (owner: archive.account.id, device: $0) }
        }
        if phones.isEmpty { return }
        // In a fixed order, so that two calls that load the same phones cannot deadlock.
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
        for place in archives.indices {
            let owner = archives[place].account.id
            let before = archives[place].devices.count
            archives[place].devices.removeAll { $0.platform.isPhone && had[owner]?.contains($0.id) != true }
            if archives[place].devices.count < before { phonesLeftOut[owner] = before - archives[place].devices.count }
        }
    }

    private func writeAccount(_ archive: AccountExport) async throws {
        let account = archive.account
        let devices = archive.devices.map { DeviceRow.insert($0, account: account.id) }
        let tags = archive.tags.map { TagRow.insert($0, account: account.id) }
        let imports = archive.imports.map { ImportRow.insert($0, account: account.id) }
        _ = try await connection.pipeline(
            [AccountRow.insert(account, lane: account.id.lane, createdAt: archive.createdAt)] + devices + tags + imports
        )
    }
}

/// Writes the plants of accounts, their history and their pushes.
private struct FriendWriting {
    let connection: Connection
    let archives: [AccountExport]
    let log: LoggedPushes

    func write() async throws {
        try await writePlants()
        try await writeHistory()
        try await writePushes()
        for archive in archives {
            for batch in archive.imports where !batch.changes.isEmpty {
                try await ImportRow.copy(batch.changes, of: batch.id, lane: archive.account.id.lane, to: connection)
            }
        }
    }

    private func writePlants() async throws {
        let plants = archives.flatMap(\.plants)
        _ = try await connection.copyIn(PlantRow.copy.statement) { rows in
            for archive in plants { try PlantRow.append(archive.plant, createdAt: archive.createdAt, to: &rows) }
        }
        _ = try await connection.copyIn(TagRow.copy.statement) { rows in
            for archive in plants {
                for tag in archive.tagIDs { try rows.append(archive.plant.accountID.lane, archive.plant.id, tag) }
            }
        }
    }

    private func writeHistory() async throws {
        let plants = archives.flatMap(\.plants)
        _ = try await connection.copyIn(CycleChangeRow.copy.statement) { rows in
            for archive in plants {
                for change in archive.dueDateChanges { try CycleChangeRow.append(change, of: archive.plant, to: &rows) }
            }
        }
        _ = try await connection.copyIn(WateringRow.copy) { rows in
            for archive in plants {
                for watering in archive.waterings { try WateringRow.append(watering, of: archive.plant, to: &rows) }
            }
        }
        _ = try await connection.copyIn(
            """
            COPY postponement (lane, plant_id, number, postponed_at, from_due_on, days, due_on) FROM STDIN (FORMAT binary)
            """
        ) { rows in
            for archive in plants {
                for archived in archive.postponements {
                    let postponement = archived.postponement
                    try rows.append(
                        archive.plant.accountID.lane, archive.plant.id, Int32(postponement.number),
                        archived.postponedAt, postponement.fromDueOn, Int16(postponement.days), postponement.dueOn)
                }
            }
        }
        _ = try await connection.copyIn(
            """
            COPY affection_entry (lane, plant_id, watering_number, reason, points, gained_at) FROM STDIN (FORMAT binary)
            """
        ) { rows in
            for archive in plants {
                for archived in archive.ledger {
                    try rows.append(
                        archive.plant.accountID.lane, archive.plant.id, Int32(archived.entry.wateringNumber),
                        archived.entry.reason.rawValue, Int16(archived.entry.points), archived.gainedAt)
                }
            }
        }
    }

    /// Writes pushes that have ended as occurrences that never became jobs here, and plans the others.
    private func writePushes() async throws {
        try await plan()
        let clock = try await connection.query("SELECT clock_timestamp()")
        guard let recordedAt = try clock.first?.decode(0, as: Instant.self) else {
            throw UnreadableRow(what: "no clock")
        }
        do {
            try await writeEnds(recordedAt)
        } catch let error as PostgresError where error.isMissingPartition {
            throw MissingPartition(makeStatements: [Statement("SELECT make_log_partitions($1)", [recordedAt])])
        }
    }

    /// Not by COPY: an erased account leaves its occurrences in the calendar, and COPY would fail on them.
    private func plan() async throws {
        var pending: [Lane: [Occurrence]] = [:]
        for archive in archives {
            pending[archive.account.id.lane, default: []] += archive.pushes.filter { $0.end == nil }.map(\.occurrence)
        }
        do {
            _ = try await connection.pipeline(
                pending.sorted { $0.key < $1.key }.map { OccurrenceRow.insert($0.value, lane: $0.key) })
        } catch let error as PostgresError where error.isMissingPartition {
            throw OccurrenceRow.missingPartition(pending.values.flatMap { $0 })
        }
    }

    private func writeEnds(_ recordedAt: Instant) async throws {
        let (archives, log) = (archives, log)
        _ = try await connection.copyIn(
            """
            COPY occurrence_outcome (lane, plant_id, planned_at, kind, subject, outcome, reason, finished_at, recorded_at)
            FROM STDIN (FORMAT binary)
            """
        ) { rows in
            for archive in archives {
                for push in archive.pushes {
                    let occurrence = push.occurrence
                    guard let end = push.end, !log.holds(occurrence) else { continue }
                    try rows.append(
                        archive.account.id.lane, occurrence.plantID, occurrence.at, occurrence.kind.rawValue,
                        Int32(occurrence.subject), end.outcome.rawValue, end.reason, end.finishedAt, recordedAt)
                }
            }
        }
    }
}

/// What the log holds of plants that are loaded: an erased account comes back with the same ids.
private struct LoggedPushes: Sendable {
    private var all: Set<Occurrence> = []
    /// The pushes that were not sent because the account had been erased.
    private var erased: Set<Occurrence> = []

    init(of archives: [AccountExport], on connection: Connection) async throws {
        let plants = Dictionary(grouping: archives.flatMap(\.plants).map(\.plant), by: \.accountID.lane)
        let logs = try await connection.pipeline(
            plants.sorted { $0.key < $1.key }.map { lane, plants in
                Statement(
                    """
                    SELECT planned_at, plant_id, kind, subject, reason IS NOT DISTINCT FROM $3
                    FROM push WHERE lane = $1 AND plant_id = ANY ($2)
                    """, [lane, plants.map(\.id), PushReason.erased.rawValue])
            })
        for row in logs.joined() {
            var reader = row.reader
            let occurrence = try OccurrenceKey(asItIs: &reader).occurrence
            all.insert(occurrence)
            if try reader.next(Bool.self) { erased.insert(occurrence) }
        }
    }

    func holds(_ occurrence: Occurrence) -> Bool { all.contains(occurrence) }

    /// The account without pending pushes that this database has scheduled or ended since the export. Pushes that only the
    /// erasure kept from being sent stay pending.
    func withoutUnderway(_ archive: AccountExport) -> AccountExport {
        var archive = archive
        archive.pushes.removeAll { push in
            push.end == nil && all.contains(push.occurrence) && !erased.contains(push.occurrence)
        }
        return archive
    }
}
