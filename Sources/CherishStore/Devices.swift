import CherishCore
import Foundation
import Postgres

extension CareStore {
    /// How many devices an account has at most.
    public static let mostDevices = 20

    /// Adds a device. The same token again keeps its id, counts as added now, and lives again if it was retired. Beyond
    /// ``mostDevices`` the one that was added longest ago goes.
    ///
    /// - Parameter secret: with what a webhook's pushes are to be signed; nil keeps the one it has, and makes one
    ///   for a new webhook.
    public func addDevice(
        _ account: Account, platform: Device.Platform, token: String, secret: WebhookSecret? = nil
    ) async throws -> Device {
        try await command(in: account.id.lane) { command in
            _ = try await command.account(account.id)
            let rows = try await command.connection.query(
                """
                INSERT INTO device (lane, id, account_id, platform, token, secret, added_at)
                VALUES ($1, $2, $3, $4::device_platform, $5, coalesce($6, $7), $8)
                ON CONFLICT (lane, account_id, platform, token) DO UPDATE SET added_at = excluded.added_at,
                    secret = coalesce($6, device.secret, excluded.secret), retired_at = NULL, retired_reason = NULL
                RETURNING \(DeviceRow.columns)
                """,
                [
                    command.lane, identifiers.random(), account.id, platform.rawValue, token,
                    platform == .webhook ? secret?.text : nil,
                    platform == .webhook ? WebhookSecret.random()?.text : nil, command.now,
                ])
            guard var reader = rows.first?.reader else { throw CareError.notFound(.account) }
            let device = try DeviceRow.decode(&reader)
            try await command.connection.execute(
                """
                DELETE FROM device WHERE lane = $1 AND id IN (
                    SELECT id FROM device WHERE lane = $1 AND account_id = $2 AND id <> $3
                    ORDER BY added_at DESC, id OFFSET $4)
                """, [command.lane, account.id, device.id, CareStore.mostDevices - 1])
            return device
        }
    }

    /// The devices of an account, the newest first; those that were retired too.
    public func devices(_ account: Account) async throws -> [Device] {
        try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT \(DeviceRow.columns) FROM device
                WHERE lane = $1 AND account_id = $2 ORDER BY added_at DESC, id
                """, [account.id.lane, account.id]
            ).map { row in
                var reader = row.reader
                return try DeviceRow.decode(&reader)
            }
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
}

extension WebhookSecret {
    /// A new one of 32 bytes that nobody can guess.
    static func random() -> WebhookSecret? {
        WebhookSecret(bytes: (0..<32).map { _ in UInt8.random(in: .min ... .max) })
    }
}

enum DeviceRow {
    static let columns = "id, platform, token, secret, added_at, retired_at, retired_reason"

    static func decode(_ reader: inout RowReader) throws -> Device {
        let id = try reader.next(Device.ID.self)
        let platform = try reader.next(label: Device.Platform.self)
        let token = try reader.next(String.self)
        // One that somebody broke by hand must not keep all others of the lane from their pushes.
        let secret = try reader.next(String?.self).flatMap { WebhookSecret($0) }
        let addedAt = try reader.next(Instant.self)
        let retiredAt = try reader.next(Instant?.self)
        let retiredReason = try reader.next(String?.self)
        return Device(
            id: id, platform: platform, token: token, secret: secret, addedAt: addedAt,
            retirement: retiredAt.flatMap { at in retiredReason.map { Device.Retirement(at: at, reason: $0) } })
    }

    static func insert(_ device: Device, account: Account.ID) -> Statement {
        Statement(
            """
            INSERT INTO device (lane, account_id, \(columns)) VALUES ($1, $2, $3, $4::device_platform, $5, $6, $7, $8, $9)
            """,
            [
                account.lane, account, device.id, device.platform.rawValue, device.token, device.secret?.text,
                device.addedAt, device.retirement?.at, device.retirement?.reason,
            ])
    }

    /// The living devices of accounts, the newest of each first, each after its account's id.
    static func living(of accounts: [Account.ID], in lane: Lane) -> Statement {
        Statement(
            """
            SELECT device.account_id, \(columns.qualified(by: "device"))
            FROM unnest($2::uuid[]) AS wanted (id)
            JOIN device ON device.lane = $1 AND device.account_id = wanted.id
            WHERE device.retired_at IS NULL
            ORDER BY device.account_id, device.added_at DESC, device.id
            """, [lane, accounts])
    }

    static func byAccount(_ rows: Rows) throws -> [Account.ID: [Device]] {
        var devices: [Account.ID: [Device]] = [:]
        for row in rows {
            var reader = row.reader
            devices[try reader.next(), default: []].append(try decode(&reader))
        }
        return devices
    }
}
