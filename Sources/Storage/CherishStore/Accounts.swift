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

    /// Adds many accounts in one transaction. Skips those without an e-mail, and those whose e-mail is taken in the database or
    /// earlier in the list.
    ///
    /// - Returns: the accounts that were added.
    /// - Throws: ``CareError/invalidTimeZone(_:)`` if the database does not know one of their zones.
    public func addAccounts(_ accounts: [Account]) async throws -> Set<Account.ID> {
        if accounts.isEmpty { return [] }
        let now = try await now()
        let claims = accounts.compactMap { account in account.email.map { (email: $0.key, id: account.id) } }
        return try await pool.withTransaction { connection in
            try await requireZones(Set(accounts.map(\.timeZone)), on: connection)
            // Sorted, so that two concurrent calls with the same accounts cannot deadlock.
            let claimed = try await connection.query(
                """
                INSERT INTO account_email (email, lane, account_id)
                SELECT email, lane, id FROM unnest($1::text[], $2::smallint[], $3::uuid[]) WITH ORDINALITY
                    AS wanted (email, lane, id, place)
                ORDER BY email COLLATE "C", place ON CONFLICT DO NOTHING RETURNING account_id
                """, [claims.map(\.email), claims.map(\.id.lane), claims.map(\.id)])
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
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func eraseAccount(_ id: Account.ID) async throws -> Erasure {
        try await garden(of: id).erase()
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

    /// Returns all accounts, ordered by e-mail, those without one last.
    public func accounts() async throws -> [Account] {
        try await pool.withConnection { connection in
            try await connection.query("SELECT \(AccountRow.columns) FROM account ORDER BY lower(email), id")
                .map(AccountRow.decode)
        }
    }
}

extension Garden {
    /// Permanently erases the account, as ``CareStore/eraseAccount(_:)`` does. A function does it, because rows without an
    /// account, such as the proof, are not the garden's.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func erase() async throws -> Erasure {
        try await IdempotentRequest.$current.withValue(nil) { try await leaveNeighbourhood() }
        let proof = store.identifiers.random()
        return try await command { command in
            guard let erasure = try await Erasure(of: accountID, proof: proof, at: command.now, on: command.connection)
            else { throw CareError.notFound(.account) }
            return erasure
        }
    }
}

extension Erasure {
    /// Erases an account.
    ///
    /// - Parameter proof: the id of the row that remains.
    /// - Returns: nil if there is no such account.
    init?(of account: Account.ID, proof: UUID, at now: Instant, on connection: Connection) async throws {
        let rows = try await connection.query(
            """
            SELECT table_name, before, after
            FROM \("erase_account($1, $2, $3, $4)", at: .erasedAccount) AS counted
            """, [account.lane, account, proof, now])
        if rows.isEmpty { return nil }
        let counts = try rows.map { row in
            var reader = row.reader
            return Remainder(
                table: try reader.next(), before: try reader.nextCount(), after: try reader.nextCount())
        }
        // Nothing is committed if a row is left behind.
        if let left = counts.first(where: { $0.after > 0 }) {
            throw UnreadableRow(what: "rows of \(left.table) that an erasure leaves behind")
        }
        func count(_ table: String) -> Int { counts.first { $0.table == table }?.before ?? 0 }
        self.init(
            id: proof, plantCount: count("plant"), wateringCount: count("watering"), deviceCount: count("device"),
            tables: counts.filter { $0.table != "planned" }, plannedCount: count("planned"))
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
