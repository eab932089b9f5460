import CherishCore
import Postgres

extension Garden {
    /// Returns the account's picture (rule 12.7).
    ///
    /// - Throws: ``CareError/notFound(_:)`` if it has none.
    public func picture() async throws -> [UInt8] {
        let rows = try await read([PictureRow.image(of: accountID)])[0]
        guard let image = try rows.first?.decode(0, as: Bytea?.self) else { throw CareError.notFound(.picture) }
        return image.bytes
    }

    /// Whether the account has a picture.
    public func hasPicture() async throws -> Bool {
        let rows = try await read([PictureRow.presence(of: accountID)])[0]
        return try rows.first?.decode(0, as: Bool.self) ?? false
    }

    /// Sets the account's picture, or removes it.
    ///
    /// - Parameter image: a JPEG of at most 1 MiB; nil removes it.
    public func setPicture(_ image: [UInt8]?) async throws {
        try await command { command in
            var account = try await command.account(accountID, lock: .update)
            try requireExpected(account.version)
            account.version += 1
            command.note([.settings], of: accountID)
            command.finish([
                PictureRow.set(image, of: accountID, at: command.now),
                AccountRow.update(account, lane: command.lane),
            ])
        }
    }
}

enum PictureRow {
    /// Reads the picture: no row, or null, without one.
    static func image(of account: Account.ID) -> Statement {
        Statement(
            "SELECT image FROM account_picture WHERE lane = $1 AND account_id = $2", [account.lane, account])
    }

    /// Reads whether there is one: no row without one.
    static func presence(of account: Account.ID) -> Statement {
        Statement(
            "SELECT image IS NOT NULL FROM account_picture WHERE lane = $1 AND account_id = $2",
            [account.lane, account])
    }

    static func set(_ image: [UInt8]?, of account: Account.ID, at now: Instant) -> Statement {
        Statement(
            """
            INSERT INTO account_picture (lane, account_id, image, changed_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (lane, account_id) DO UPDATE SET image = excluded.image, changed_at = excluded.changed_at
            """, [account.lane, account, image.map { Bytea($0) }, now])
    }
}
