import CherishCore
import Foundation
import Postgres

/// What the erasure of an account removed (rule 8.6).
public struct Erasure: Sendable, Equatable {
    /// The id of the row that remains as proof.
    public let id: UUID
    public let plantCount: Int
    public let wateringCount: Int
    public let deviceCount: Int
    /// The account's rows per table, before and after.
    public let tables: [Remainder]
    /// How many calendar and log rows remain: the occurrences and jobs of the account, and their results. They no longer
    /// name the account, and identify nobody. Pending ones end as superseded, and all are dropped with their partitions.
    public let plannedCount: Int

    /// How many rows of one table belong to the account.
    public struct Remainder: Sendable, Equatable {
        public let table: String
        public let before: Int
        /// Counted after the deletion, in the same transaction; anything but 0 rolls it back.
        public let after: Int
    }
}

extension CareStore {
    /// Adds an account with a new id.
    ///
    /// - Throws: ``CareError/invalidTimeZone(_:)``, ``CareError/duplicateEmail(_:)``.
    public func addAccount(
        email: EmailAddress, nickname: Nickname, phone: PhoneNumber?, timeZone: String, language: Language
    ) async throws -> Account {
        let account = Account(
            id: newAccountID(), email: email, nickname: nickname, phone: phone,
            timeZone: try zones.rules(timeZone).name, language: language)
        try await command(in: account.id.lane) { command in
            try await requireZones([account.timeZone], on: command.connection)
            try await claim(email, for: account.id, command)
            _ = try await command.connection.query(
                AccountRow.insert(account, lane: command.lane, createdAt: command.now))
        }
        return account
    }

    /// Returns a new random id.
    public func newAccountID() -> Account.ID { Account.ID(identifiers.random()) }

    /// Adds many accounts in one transaction. Skips those whose e-mail is taken in the database or earlier in the list.
    ///
    /// - Returns: the accounts that were added.
    /// - Throws: ``CareError/invalidTimeZone(_:)`` if the database does not know one of their zones.
    public func addAccounts(_ accounts: [Account]) async throws -> Set<Account.ID> {
        if accounts.isEmpty { return [] }
        let now = try await now()
        return try await pool.withTransaction { connection in
            try await requireZones(Set(accounts.map(\.timeZone)), on: connection)
            // Sorted, so that two concurrent calls with the same accounts cannot deadlock.
            let claimed = try await connection.query(
                """
                INSERT INTO account_email (email, lane, account_id)
                SELECT email, lane, id FROM unnest($1::text[], $2::smallint[], $3::uuid[]) WITH ORDINALITY
                    AS wanted (email, lane, id, place)
                ORDER BY email COLLATE "C", place ON CONFLICT DO NOTHING RETURNING account_id
                """, [accounts.map(\.email.key), accounts.map(\.id.lane), accounts.map(\.id)])
            let added = Set(try claimed.map { try $0.decode(0, as: Account.ID.self) })
            _ = try await connection.pipeline(
                accounts.filter { added.contains($0.id) }.map {
                    AccountRow.insert($0, lane: $0.id.lane, createdAt: now)
                })
            return added
        }
    }

    /// Throws unless the database knows the zones. SQL derives civil days from the database's tz database, so one
    /// unknown zone would break the reports of all accounts.
    ///
    /// - Throws: ``CareError/invalidTimeZone(_:)``.
    func requireZones(_ names: Set<String>, on connection: Connection) async throws {
        for name in names.sorted() {
            do {
                _ = try await connection.query("SELECT (now() AT TIME ZONE $1::text)::date", [name])
            } catch let error as PostgresError where error.sqlState == "22023" {
                throw CareError.invalidTimeZone(name)
            }
        }
    }

    private func claim(_ email: EmailAddress, for id: Account.ID, _ command: LaneCommand) async throws {
        let claimed = try await command.connection.execute(
            "INSERT INTO account_email (email, lane, account_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            [email.key, command.lane, id])
        if claimed == 0 { throw CareError.duplicateEmail(email.description) }
    }

    /// Permanently erases an account and everything in it; a row without personal data remains as proof (rule 8.6).
    ///
    /// Planned occurrences of its subjects end as superseded when they fall due.
    public func eraseAccount(_ id: Account.ID) async throws -> Erasure {
        try await command(in: id.lane) { command in
            // Block the lane's receipts, so that none adds a provider's answer between the deletion and the recount.
            // Receipts also lock this row before the account.
            _ = try await command.connection.query(
                "SELECT 1 FROM lane_delivery WHERE lane = $1 FOR UPDATE", [command.lane])
            let account = try await command.account(id, lock: .delete)
            let belongings = try await Belongings(of: account, command)
            let before = try await belongings.counts(command)
            let plannedCount = try await belongings.planned(command)
            try await belongings.delete(command)
            let after = try await belongings.counts(command)
            guard try await belongings.planned(command) == 0 else {
                throw UnreadableRow(what: "rows of the calendar or the log that still name an erased account")
            }
            let tables = zip(before, after).map {
                Erasure.Remainder(table: $0.table, before: $0.count, after: $1.count)
            }
            if let left = tables.first(where: { $0.after > 0 }) {
                throw UnreadableRow(what: "rows of \(left.table) that an erasure leaves behind")
            }
            func count(_ table: String) -> Int { tables.first { $0.table == table }?.before ?? 0 }
            let erasure = Erasure(
                id: identifiers.random(), plantCount: count("plant"), wateringCount: count("watering"),
                deviceCount: count("device"), tables: tables, plannedCount: plannedCount)
            try await command.connection.execute(
                """
                INSERT INTO erasure (lane, id, erased_at, plant_count, watering_count, device_count)
                VALUES ($1, $2, $3, $4, $5, $6)
                """,
                [
                    command.lane, erasure.id, command.now, erasure.plantCount, erasure.wateringCount,
                    erasure.deviceCount,
                ])
            return erasure
        }
    }

    /// Everything that belongs to an account, collected before the erasure.
    private struct Belongings {
        /// Tables by the column that links their rows to the account: its own id, or a plant's, an import's or a
        /// device's.
        private static let tables = [
            (
                keys: "account_id" as SQL,
                names: ["account_email", "device", "device_token", "plant", "tag", "import_batch", "sent_push"]
            ),
            (keys: "plant_id", names: ["watering", "postponement", "cycle_change", "affection_entry", "plant_tag"]),
            (keys: "batch_id", names: ["import_change"]),
            (keys: "device_id", names: ["push_device_outcome"]),
        ]

        /// The tables of the calendar and the log that name the account. Their rows remain, because each planned push
        /// ends in one outcome (rule 7.8), but name it no longer.
        private static let remains: [SQL] = ["occurrence", "occurrence_outcome", "push_job"]
        /// Rows that belong to those of ``remains``.
        private static let results: [SQL] = [
            """
            push_outcome JOIN push_job USING (recorded_at, seq)
            WHERE push_outcome.lane = $1 AND push_job.lane = $1
            """,
            """
            push_retry JOIN push_job USING (recorded_at, seq)
            WHERE push_retry.lane = $1 AND push_job.lane = $1
            """,
        ]

        private let account: Account
        private let plants: [Plant.ID]
        private let batches: [ImportBatch.ID]
        /// Includes removed devices that the log still refers to.
        private let devices: [Device.ID]

        init(of account: Account, _ command: LaneCommand) async throws {
            self.account = account
            plants = try await command.connection.query(
                "SELECT id FROM plant WHERE lane = $1 AND account_id = $2", [command.lane, account.id]
            ).map { try $0.decode(0) }
            batches = try await command.connection.query(
                "SELECT id FROM import_batch WHERE lane = $1 AND account_id = $2", [command.lane, account.id]
            ).map { try $0.decode(0) }
            devices = try await command.connection.query(
                """
                SELECT id FROM device WHERE lane = $1 AND account_id = $2
                UNION
                SELECT asked.device_id FROM push_device_outcome AS asked
                JOIN push_job AS job ON job.lane = $1 AND job.recorded_at = asked.recorded_at
                    AND job.seq = asked.seq
                WHERE asked.lane = $1 AND job.account_id = $2
                """, [command.lane, account.id]
            ).map { try $0.decode(0) }
        }

        func delete(_ command: LaneCommand) async throws {
            try await command.write([
                Statement("DELETE FROM account_email WHERE email = $1", [account.email.key]),
                Statement("DELETE FROM device_token WHERE lane = $1 AND account_id = $2", [command.lane, account.id]),
                // The account's id would link its plants to one person.
                Statement("DELETE FROM sent_push WHERE lane = $1 AND account_id = $2", [command.lane, account.id]),
                // A device's id would link its plants to one person.
                Statement(
                    "DELETE FROM push_device_outcome WHERE lane = $1 AND device_id = ANY ($2)", [command.lane, devices]),
            ])
            try await command.write(
                Self.remains.map {
                    Statement(
                        "UPDATE \($0) SET account_id = $3 WHERE lane = $1 AND account_id = $2",
                        [command.lane, account.id, Account.ID.erased])
                })
            try await command.write([
                // Foreign keys cascade to plants, waterings, the ledger and devices.
                Statement(
                    "DELETE FROM account WHERE \("lane = $1 AND id = $2", at: .erasedAccount)",
                    [command.lane, account.id])
            ])
        }

        /// Counts the rows of each table, including the account's own.
        func counts(_ command: LaneCommand) async throws -> [(table: String, count: Int)] {
            var counts = [
                ("account", try await count("account WHERE lane = $1 AND id = ANY ($2)", [account.id], command))
            ]
            for (keys, names) in Self.tables {
                for name in names {
                    let source: SQL = "\(name: name) WHERE lane = $1 AND \(keys) = ANY ($2)"
                    switch keys {
                    case "account_id": counts.append((name, try await count(source, [account.id], command)))
                    case "plant_id": counts.append((name, try await count(source, plants, command)))
                    case "device_id": counts.append((name, try await count(source, devices, command)))
                    default: counts.append((name, try await count(source, batches, command)))
                    }
                }
            }
            return counts
        }

        /// Counts the calendar and log rows that name the account, and their results.
        func planned(_ command: LaneCommand) async throws -> Int {
            var sum = 0
            for source in Self.remains.map({ "\($0) WHERE lane = $1" }) + Self.results {
                sum += try await count("\(source) AND account_id = ANY ($2)", [account.id], command)
            }
            return sum
        }

        private func count<Owner>(_ source: SQL, _ keys: [Identifier<Owner>], _ command: LaneCommand) async throws
            -> Int
        {
            let rows = try await command.connection.query(
                "SELECT count(*) FROM \(source, at: .rowsOfErasedAccount)", [command.lane, keys])
            guard let count = try rows.first?.decode(0, as: Int.self) else { throw UnreadableRow(what: "no counts") }
            return try count.within(RowLimit.rowCount, orHolds: "more rows than a database has")
        }
    }

    /// Returns the account with this e-mail or id.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func account(_ reference: String) async throws -> Account {
        let rows = try await pool.withConnection { connection in
            if let uuid = UUID(uuidString: reference) {
                let id = Account.ID(uuid)
                return try await connection.query(
                    "SELECT \(AccountRow.columns) FROM account WHERE lane = $1 AND id = $2", [id.lane, id])
            }
            // Two statements, so that each names at most one lane.
            let key = (try? EmailAddress(reference))?.key ?? reference
            let found = try await connection.query(
                "SELECT lane, account_id FROM account_email WHERE email = $1", [key])
            guard let owner = found.first else { throw CareError.notFound(.account) }
            return try await connection.query(
                "SELECT \(AccountRow.columns) FROM account WHERE lane = $1 AND id = $2",
                [try owner.decode(0, as: Lane.self), try owner.decode(1, as: Account.ID.self)])
        }
        guard let row = rows.first else { throw CareError.notFound(.account) }
        return try AccountRow.decode(row)
    }

    /// Returns all accounts, ordered by e-mail.
    public func accounts() async throws -> [Account] {
        try await pool.withConnection { connection in
            try await connection.query("SELECT \(AccountRow.columns) FROM account ORDER BY lower(email)")
                .map(AccountRow.decode)
        }
    }
}

extension SQL {
    /// Qualifies each column of a list with a table.
    func qualified(by table: SQL) -> SQL {
        text.split(separator: ",").map { column in
            "\(table).\(SQL(trusting: column.trimmingCharacters(in: .whitespacesAndNewlines)))" as SQL
        }.joined(separator: ", ")
    }
}
