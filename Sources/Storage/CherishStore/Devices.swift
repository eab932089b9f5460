import CherishCore
import Foundation
import Postgres

extension Garden {
    /// The maximum number of devices per account.
    public static let mostDevices = 20

    /// Adds a device. Adding a token again keeps its id, counts as added now, and reactivates a retired device. Beyond
    /// ``mostDevices``, the device added longest ago is removed.
    ///
    /// Takes over a phone from its former account, so that nobody else's friends are named on it. A push already being
    /// sent may still arrive.
    ///
    /// - Parameters:
    ///   - secret: signs a webhook's pushes; nil keeps the existing secret, or creates one for a new webhook.
    ///   - keys: how to encrypt for a browser; nil for other platforms.
    ///   - session: a phone goes with the session that adds it; nil is none.
    public func addDevice(
        platform: Device.Platform, token: String, secret: WebhookSecret? = nil, keys: PushSubscription.Keys? = nil,
        session: SignInSession.ID? = nil
    ) async throws -> Device {
        let (device, deviceCount) = try await command { command in
            // Lock the account to serialize changes of its devices.
            _ = try await command.account(accountID, lock: .update)
            let id = try await command.takePhone(
                token, platform, for: accountID, as: Device.ID(store.identifiers.random()))
            let rows = try await command.connection.query(
                """
                INSERT INTO device (lane, id, account_id, platform, token, secret, added_at, session_id, p256dh, auth)
                VALUES ($1, $2, $3, $4::device_platform, $5, coalesce($6, $7), $8, $9, $10, $11)
                ON CONFLICT (lane, account_id, platform, token) DO UPDATE SET added_at = excluded.added_at,
                    secret = coalesce($6, device.secret, excluded.secret), retired_at = NULL, retired_reason = NULL,
                    session_id = excluded.session_id, p256dh = excluded.p256dh, auth = excluded.auth
                RETURNING \(DeviceRow.columns)
                """,
                [
                    command.lane, id, accountID, platform.rawValue, token,
                    platform == .webhook ? secret?.text : nil,
                    platform == .webhook ? WebhookSecret.random()?.text : nil, command.now,
                    platform.isPersonal ? session : nil, keys.map { Bytea($0.p256dh) }, keys.map { Bytea($0.auth) },
                ])
            guard var reader = rows.first?.reader else { throw CareError.notFound(.account) }
            let device = try DeviceRow.decode(&reader, in: command.lane)
            let count = try await command.connection.query(
                "SELECT count(*) FROM device WHERE lane = $1 AND account_id = $2", [command.lane, accountID])
            return (device, try count.first?.decode(0, as: Int.self) ?? 0)
        }
        if deviceCount > Garden.mostDevices { try await removeOldestDevices(besides: device.id) }
        return device
    }

    /// Runs in its own transaction: one that has locked a phone's token must not wait for other locks.
    private func removeOldestDevices(besides newest: Device.ID) async throws {
        try await command { command in
            _ = try await command.account(accountID, lock: .update)
            let oldest = try await command.connection.query(
                """
                SELECT id FROM device WHERE lane = $1 AND account_id = $2 AND id <> $3
                ORDER BY added_at DESC, id OFFSET $4
                """, [command.lane, accountID, newest, Garden.mostDevices - 1]
            ).map { try $0.decode(0, as: Device.ID.self) }
            _ = try await command.removeDevices(oldest, of: accountID)
        }
    }

    /// Returns the account's devices, newest first, including retired ones.
    public func devices() async throws -> [Device] {
        try await read { connection in
            try await connection.query(
                """
                SELECT \(DeviceRow.columns) FROM device
                WHERE lane = $1 AND account_id = $2 ORDER BY added_at DESC, id
                """, [accountID.lane, accountID]
            ).map { row in
                var reader = row.reader
                return try DeviceRow.decode(&reader, in: accountID.lane)
            }
        }
    }

    /// Removes a device.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func removeDevice(_ id: Device.ID) async throws {
        try await command { command in
            _ = try await command.account(accountID, lock: .update)
            guard try await command.removeDevices([id], of: accountID) == 1 else { throw CareError.notFound(.device) }
        }
    }
}

extension LaneCommand {
    /// Moves the phone with this token to an account. Returns the account's existing device for it, or else the new
    /// one. A database function does this, because the former account may be in another lane, and a session for one
    /// account cannot see another's devices.
    fileprivate func takePhone(
        _ token: String, _ platform: Device.Platform, for account: Account.ID, as new: Device.ID
    ) async throws -> Device.ID {
        guard platform.isPersonal else { return new }
        let taken = try await connection.query(
            "SELECT take_device_token($1, $2::device_platform, $3, $4)", [account, platform.rawValue, token, new])
        return try taken.first?.decode(0, as: Device.ID.self) ?? new
    }

    /// Removes devices of an account whose row is locked, and frees their tokens. Returns how many existed.
    fileprivate func removeDevices(_ ids: [Device.ID], of account: Account.ID) async throws -> Int {
        let removed = try await connection.query("SELECT remove_devices($1, $2)", [account, ids])
        return try removed.first?.decode(0, as: Int.self) ?? 0
    }
}

extension WebhookSecret {
    /// Returns a new random secret of 32 bytes.
    static func random() -> WebhookSecret? {
        WebhookSecret(bytes: (0..<32).map { _ in UInt8.random(in: .min ... .max) })
    }
}

enum DeviceRow {
    static let columns: SQL = "id, platform, token, secret, p256dh, auth, added_at, retired_at, retired_reason"

    /// - Parameter lane: the account's lane, if known; names the row in errors.
    static func decode(_ reader: inout RowReader, in lane: Lane? = nil) throws -> Device {
        let id = try reader.next(Device.ID.self)
        return try reader.reading("device", key: { (lane.map { [.lane($0)] } ?? []) + [.id(id)] }) {
            try decode(&$0, id)
        }
    }

    private static func decode(_ reader: inout RowReader, _ id: Device.ID) throws -> Device {
        let platform = try reader.next(label: Device.Platform.self)
        let token = try reader.next(String.self)
        // A broken secret must not hold up the other pushes of its lane.
        let secret = try reader.next(String?.self).flatMap { WebhookSecret($0) }
        let (p256dh, auth) = (try reader.next(Bytea?.self), try reader.next(Bytea?.self))
        let keys = p256dh.flatMap { p256dh in
            auth.flatMap { PushSubscription.Keys(p256dh: p256dh.bytes, auth: $0.bytes) }
        }
        let addedAt = try reader.next(Instant.self)
        let retiredAt = try reader.next(Instant?.self)
        let retiredReason = try reader.next(String?.self)
        return Device(
            id: id, platform: platform, token: token, secret: secret, subscriptionKeys: keys, addedAt: addedAt,
            retirement: retiredAt.flatMap { at in retiredReason.map { Device.Retirement(at: at, reason: $0) } })
    }

    static func insert(_ device: Device, account: Account.ID) -> Statement {
        Statement(
            """
            INSERT INTO device (lane, account_id, \(columns))
            VALUES ($1, $2, $3, $4::device_platform, $5, $6, $7, $8, $9, $10, $11)
            """,
            [
                account.lane, account, device.id, device.platform.rawValue, device.token, device.secret?.text,
                device.subscriptionKeys.map { Bytea($0.p256dh) }, device.subscriptionKeys.map { Bytea($0.auth) },
                device.addedAt, device.retirement?.at, device.retirement?.reason,
            ])
    }

    /// Selects the devices that are not retired, newest first per account. The first column is the account's id.
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

    /// Skips unreadable devices; their accounts' other devices still get pushes.
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
