import CherishCore
import Foundation
import Postgres

extension CareStore {
    /// How many devices an account has at most.
    public static let mostDevices = 20

    /// Adds a device. The same token again keeps its id, counts as added now, and lives again if it was retired. Beyond
    /// ``mostDevices`` the one that was added longest ago goes.
    ///
    /// A phone that another account had is taken from it: nobody else's friends are named there from now on. What is being
    /// sent at this moment may still come.
    ///
    /// - Parameter secret: with what a webhook's pushes are to be signed; nil keeps the one it has, and makes one
    ///   for a new webhook.
    public func addDevice(
        _ account: Account, platform: Device.Platform, token: String, secret: WebhookSecret? = nil
    ) async throws -> Device {
        let (device, deviceCount) = try await command(in: account.id.lane) { command in
            // One at a time changes an account's devices.
            _ = try await command.account(account.id, lock: .update)
            let id = try await command.takePhone(
                token, platform, for: account.id, as: Device.ID(identifiers.random()))
            let rows = try await command.connection.query(
                """
                INSERT INTO device (lane, id, account_id, platform, token, secret, added_at)
                VALUES ($1, $2, $3, $4::device_platform, $5, coalesce($6, $7), $8)
                ON CONFLICT (lane, account_id, platform, token) DO UPDATE SET added_at = excluded.added_at,
                    secret = coalesce($6, device.secret, excluded.secret), retired_at = NULL, retired_reason = NULL
                RETURNING \(DeviceRow.columns)
                """,
                [
                    command.lane, id, account.id, platform.rawValue, token,
                    platform == .webhook ? secret?.text : nil,
                    platform == .webhook ? WebhookSecret.random()?.text : nil, command.now,
                ])
            guard var reader = rows.first?.reader else { throw CareError.notFound(.account) }
            let device = try DeviceRow.decode(&reader, in: command.lane)
            let count = try await command.connection.query(
                "SELECT count(*) FROM device WHERE lane = $1 AND account_id = $2", [command.lane, account.id])
            return (device, try count.first?.decode(0, as: Int.self) ?? 0)
        }
        if deviceCount > CareStore.mostDevices { try await removeOldestDevices(of: account, besides: device.id) }
        return device
    }

    /// In a transaction of its own: whoever holds the token of a phone must not wait for others.
    private func removeOldestDevices(of account: Account, besides newest: Device.ID) async throws {
        try await command(in: account.id.lane) { command in
            _ = try await command.account(account.id, lock: .update)
            let oldest = try await command.connection.query(
                """
                SELECT id FROM device WHERE lane = $1 AND account_id = $2 AND id <> $3
                ORDER BY added_at DESC, id OFFSET $4
                """, [command.lane, account.id, newest, CareStore.mostDevices - 1]
            ).map { try $0.decode(0, as: Device.ID.self) }
            _ = try await command.removeDevices(oldest, of: account.id)
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
                return try DeviceRow.decode(&reader, in: account.id.lane)
            }
        }
    }

    /// Removes a device.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func removeDevice(_ id: Device.ID) async throws {
        let found = try await pool.withConnection { connection in
            try await connection.query("SELECT account_id FROM device WHERE id = $1", [id])
        }
        guard let owner = try found.first?.decode(0, as: Account.ID.self) else { throw CareError.notFound(.device) }
        try await command(in: owner.lane) { command in
            _ = try await command.account(owner, lock: .update)
            guard try await command.removeDevices([id], of: owner) == 1 else { throw CareError.notFound(.device) }
        }
    }
}

extension LaneCommand {
    /// Gives an account the phone with a token, whoever had it, and answers the device under which the account has it already,
    /// or else the new one. A function of the database does it, since the former account may be in another lane, and since a
    /// session that acts for one account sees no other's devices.
    fileprivate func takePhone(
        _ token: String, _ platform: Device.Platform, for account: Account.ID, as new: Device.ID
    ) async throws -> Device.ID {
        guard platform.isPhone else { return new }
        let taken = try await connection.query(
            "SELECT take_device_token($1, $2::device_platform, $3, $4)", [account, platform.rawValue, token, new])
        return try taken.first?.decode(0, as: Device.ID.self) ?? new
    }

    /// Removes devices of an account, whose row is locked, and lets go of their tokens. Answers how many there were.
    fileprivate func removeDevices(_ ids: [Device.ID], of account: Account.ID) async throws -> Int {
        let removed = try await connection.query("SELECT remove_devices($1, $2)", [account, ids])
        return try removed.first?.decode(0, as: Int.self) ?? 0
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

    /// - Parameter lane: the account's, where it is known; it names the row that cannot be read.
    static func decode(_ reader: inout RowReader, in lane: Lane? = nil) throws -> Device {
        let id = try reader.next(Device.ID.self)
        return try reader.reading("device", key: { (lane.map { [.lane($0)] } ?? []) + [.id(id)] }) {
            try decode(&$0, id)
        }
    }

    private static func decode(_ reader: inout RowReader, _ id: Device.ID) throws -> Device {
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

    /// Those that can be read: an account with one that cannot is reached by its others.
    static func byAccount(_ rows: Rows, _ report: UnreadableRowReport) throws -> [Account.ID: [Device]] {
        var devices: [Account.ID: [Device]] = [:]
        for row in rows {
            var reader = row.reader
            let account = try reader.next(Account.ID.self)
            do {
                devices[account, default: []].append(try decode(&reader, in: account.lane))
            } catch let unreadable as UnreadableRow {
                report(unreadable, "nothing is sent to this device")
            }
        }
        return devices
    }
}
