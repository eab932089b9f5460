import CherishCore
import Foundation
import Postgres

/// Where an account's pushes go.
public struct Device: Hashable, Sendable {
    public typealias ID = Identifier<Device>

    /// Which provider reaches it.
    public enum Platform: String, CaseIterable, Sendable {
        case ios, android, webhook
    }

    public let id: ID
    public let platform: Platform
    public let token: String
    public let addedAt: Instant
}

extension CareStore {
    /// Adds a device. The same token again keeps its id and counts as added now.
    public func addDevice(_ account: Account, platform: Device.Platform, token: String) async throws -> Device {
        try await command(in: account.id.lane) { command in
            _ = try await command.account(account.id)
            let rows = try await command.connection.query(
                """
                INSERT INTO device (lane, id, account_id, platform, token, added_at)
                VALUES ($1, $2, $3, $4::device_platform, $5, $6)
                ON CONFLICT (lane, account_id, platform, token) DO UPDATE SET added_at = excluded.added_at
                RETURNING id, platform, token, added_at
                """,
                [command.lane, identifiers.random(), account.id, platform.rawValue, token, command.now])
            guard let row = rows.first else { throw CareError.notFound(.account) }
            return try CareStore.device(row)
        }
    }

    /// The devices of an account, the newest first.
    public func devices(_ account: Account) async throws -> [Device] {
        try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT id, platform, token, added_at FROM device
                WHERE lane = $1 AND account_id = $2 ORDER BY added_at DESC, id
                """, [account.id.lane, account.id]
            ).map(CareStore.device)
        }
    }

    /// Removes a device.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func removeDevice(_ id: Device.ID) async throws {
        try await pool.withConnection { connection in
            // The lane is found by a plain read, so that the deletion names one.
            let found = try await connection.query("SELECT lane FROM device WHERE id = $1", [id])
            guard let lane = try found.first?.decode(0, as: Lane.self),
                try await connection.execute("DELETE FROM device WHERE lane = $1 AND id = $2", [lane, id]) == 1
            else { throw CareError.notFound(.device) }
        }
    }

    private static func device(_ row: Row) throws -> Device {
        var reader = row.reader
        return Device(
            id: try reader.next(), platform: try reader.next(label: Device.Platform.self), token: try reader.next(),
            addedAt: try reader.next())
    }
}
