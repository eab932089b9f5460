import CherishCore
import Foundation
import Postgres

/// What became of an account that was read back.
public enum RestoredAccount: Sendable, Equatable {
    case written
    /// An account with this id is here already; nothing of it was changed.
    case known
}

extension CareStore {
    /// Writes accounts as they were exported, with all that belongs to them: all of them or, if one is refused, none.
    ///
    /// What was still to be pushed is planned again; where the lane's calendar was walked beyond it already, for the next
    /// instant, so that it is sent or expires by the rules.
    ///
    /// - Returns: what became of each, in their order.
    /// - Throws: ``CareError/duplicateEmail(_:)`` when another account has the e-mail,
    ///   ``CareError/invalidTimeZone(_:)``.
    public func restore(_ archives: [AccountArchive]) async throws -> [RestoredAccount] {
        for archive in archives { _ = try zones.rules(archive.account.timeZone) }
        return try await retryingMissingPartitions(pool) {
            try await pool.withTransaction { connection in
                let writing = try await ArchiveWriting(archives, on: connection)
                try await writing.write()
                return archives.map { writing.knownIDs.contains($0.account.id) ? .known : .written }
            }
        }
    }
}

/// Writes the tables of some accounts, each by one COPY where there may be many rows.
private struct ArchiveWriting {
    let knownIDs: Set<Account.ID>
    private let connection: Connection
    private let archives: [AccountArchive]
    private let recordedAt: Instant

    /// Locks the accounts' lanes, in their order, so that nothing is added behind a cursor.
    init(_ all: [AccountArchive], on connection: Connection) async throws {
        let ids = all.map(\.account.id)
        let lanes = Array(Set(ids.map(\.lane))).sorted()
        let rows = try await connection.query(
            "SELECT lane, cursor_at, clock_timestamp() FROM lane WHERE lane = ANY ($1) ORDER BY lane FOR SHARE", [lanes]
        )
        var cursors: [Lane: Instant] = [:]
        var clock = Instant(secondsSinceEpoch: 0)
        for row in rows {
            cursors[try row.decode(0)] = try row.decode(1, as: Instant.self)
            clock = try row.decode(2)
        }
        let known = Set(
            try await connection.query(
                "SELECT id FROM account WHERE lane = ANY ($1) AND id = ANY ($2)", [lanes, ids]
            ).map { try $0.decode(0, as: Account.ID.self) })
        self.connection = connection
        recordedAt = clock
        knownIDs = known
        archives = all.filter { !known.contains($0.account.id) }.map { archive in
            archive.plannedAfter(cursors[archive.account.id.lane] ?? clock)
        }
    }

    func write() async throws {
        if archives.isEmpty { return }
        try await claimEmails()
        for archive in archives { try await writeAccount(archive) }
        try await writePlants()
        try await writeHistory()
        try await writePushes()
        for archive in archives {
            let lane = archive.account.id.lane
            for batch in archive.imports {
                _ = try await connection.query(ImportRow.insert(batch, account: archive.account.id))
                try await ImportRow.copy(batch.changes, of: batch.id, lane: lane, to: connection)
            }
        }
    }

    private func claimEmails() async throws {
        // In one order, so that two that restore the same accounts do not wait for each other.
        for archive in archives.sorted(by: { $0.account.email.key < $1.account.email.key }) {
            let account = archive.account
            let claimed = try await connection.execute(
                "INSERT INTO account_email (email, lane, account_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                [account.email.key, account.id.lane, account.id])
            if claimed == 0 { throw CareError.duplicateEmail(account.email.description) }
        }
    }

    private func writeAccount(_ archive: AccountArchive) async throws {
        let account = archive.account
        let devices = archive.devices.map { DeviceRow.insert($0, account: account.id) }
        let tags = archive.tags.map { TagRow.insert($0, account: account.id) }
        _ = try await connection.pipeline(
            [AccountRow.insert(account, lane: account.id.lane, createdAt: archive.createdAt)] + devices + tags)
    }

    private func writePlants() async throws {
        let plants = archives.flatMap(\.plants)
        _ = try await connection.copyIn(PlantRow.copy) { rows in
            for archive in plants { try PlantRow.append(archive.plant, createdAt: archive.createdAt, to: &rows) }
        }
        _ = try await connection.copyIn(TagRow.copyTaggings) { rows in
            for archive in plants {
                for tag in archive.tagIDs { try rows.append(archive.plant.accountID.lane, archive.plant.id, tag) }
            }
        }
    }

    private func writeHistory() async throws {
        let plants = archives.flatMap(\.plants)
        _ = try await connection.copyIn(CycleChangeRow.copy) { rows in
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

    /// What has an end is told as an occurrence that never became a job here; what has none is planned.
    private func writePushes() async throws {
        let recordedAt = recordedAt
        do {
            for archive in archives {
                let pending = archive.pushes.filter { $0.end == nil }.map(\.occurrence)
                if pending.isEmpty { continue }
                do {
                    _ = try await connection.query(OccurrenceRow.insert(pending, lane: archive.account.id.lane))
                } catch let error as PostgresError where error.isMissingPartition {
                    throw OccurrenceRow.missingPartition(pending)
                }
            }
            let archives = archives
            _ = try await connection.copyIn(
                """
                COPY occurrence_outcome (lane, plant_id, planned_at, kind, subject, outcome, reason, finished_at, recorded_at)
                FROM STDIN (FORMAT binary)
                """
            ) { rows in
                for archive in archives {
                    for push in archive.pushes {
                        guard let end = push.end else { continue }
                        let occurrence = push.occurrence
                        try rows.append(
                            archive.account.id.lane, occurrence.plantID, occurrence.at, occurrence.kind.rawValue,
                            Int32(occurrence.subject), end.outcome.rawValue, end.reason, end.finishedAt, recordedAt)
                    }
                }
            }
        } catch let error as PostgresError where error.isMissingPartition {
            throw MissingPartition(makeStatements: [Statement("SELECT make_log_partitions($1)", [recordedAt])])
        }
    }
}

extension AccountArchive {
    /// The same account where nothing is planned for an instant that its lane's calendar was walked beyond.
    fileprivate func plannedAfter(_ cursor: Instant) -> AccountArchive {
        var archive = self
        let earliest = cursor.adding(microseconds: 1)
        var moved: [Plant.ID: [Occurrence]] = [:]
        archive.pushes = pushes.map { push in
            guard push.end == nil, push.occurrence.at < earliest else { return push }
            let old = push.occurrence
            moved[old.plantID, default: []].append(old)
            return ArchivedPush(
                occurrence: Occurrence(at: earliest, plantID: old.plantID, kind: old.kind, subject: old.subject),
                end: nil)
        }
        for index in archive.plants.indices {
            for occurrence in moved[archive.plants[index].plant.id] ?? [] {
                archive.plants[index].plant.plans.move(occurrence, to: earliest)
            }
        }
        return archive
    }
}

extension Plans {
    /// Points at the same occurrence at another instant.
    fileprivate mutating func move(_ occurrence: Occurrence, to instant: Instant) {
        let old = PlannedMoment(subject: occurrence.subject, at: occurrence.at)
        let new = PlannedMoment(subject: occurrence.subject, at: instant)
        switch occurrence.kind {
        case .wateringDue: if wateringDue == old { wateringDue = new }
        case .reviewMissing: if reviewMissing == old { reviewMissing = new }
        case .withered: if withered == old { withered = new }
        case .birthday:
            if birthday == old { birthday = new }
            if passedBirthday == old { passedBirthday = new }
        }
    }
}
