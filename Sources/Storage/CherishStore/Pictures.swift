import CherishCore
import Postgres

extension Garden {
    /// Returns the account's picture (rule 12.7).
    ///
    /// - Throws: ``CareError/notFound(_:)`` if it has none.
    public func picture() async throws -> [UInt8] {
        let rows = try await read(
            "SELECT image FROM account_picture WHERE lane = $1 AND account_id = $2", [accountID.lane, accountID])
        guard let image = try rows.first?.decode(0, as: Bytea?.self) else { throw CareError.notFound(.picture) }
        return image.bytes
    }

    /// Sets the account's picture, or removes it.
    ///
    /// - Parameter image: a JPEG of at most 1 MiB; nil removes it.
    public func setPicture(_ image: [UInt8]?) async throws {
        try await command { command in
            var account = try await command.account(accountID, lock: .update)
            try requireExpected(account.version)
            account.version += 1
            command.finish([
                Statement(
                    """
                    INSERT INTO account_picture (lane, account_id, image, changed_at) VALUES ($1, $2, $3, $4)
                    ON CONFLICT (lane, account_id) DO UPDATE SET image = excluded.image, changed_at = excluded.changed_at
                    """, [command.lane, accountID, image.map { Bytea($0) }, command.now]),
                AccountRow.update(account, lane: command.lane),
            ])
        }
    }
}
