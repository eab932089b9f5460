import CherishCore
import Foundation
import Postgres

/// What a browser may do by a token, until a push is over.
public struct PushActionOffer: Sendable {
    /// SHA-256 of the secret of the token.
    public let tokenHash: [UInt8]
    public let deviceID: Device.ID
    public let occurrence: Occurrence
    public let action: PushAction
    public let expiresAt: Instant

    public init(
        tokenHash: [UInt8], for deviceID: Device.ID, of occurrence: Occurrence, action: PushAction, expiresAt: Instant
    ) {
        (self.tokenHash, self.deviceID, self.occurrence) = (tokenHash, deviceID, occurrence)
        (self.action, self.expiresAt) = (action, expiresAt)
    }
}

extension DeliveryLog {
    /// Stores what browsers may do by tokens, before they get them, and forgets what is over. Devices that are gone get
    /// nothing.
    public func offer(_ offers: [PushActionOffer], in lane: Lane, at now: Instant) async throws {
        if offers.isEmpty { return }
        try await withConnection { connection in
            _ = try await connection.transaction([
                Statement("DELETE FROM push_action WHERE lane = $1 AND expires_at <= $2", [lane, now]),
                // What is gone now stays out; the others stay until these rows are there.
                Statement(
                    "SELECT id FROM device WHERE lane = $1 AND id = ANY ($2) FOR KEY SHARE",
                    [lane, offers.map(\.deviceID)]),
                Statement(
                    """
                    INSERT INTO push_action (lane, token_hash, account_id, device_id, subject_id, topic, ref, action, expires_at)
                    SELECT device.lane, token_hash, device.account_id, device.id, subject_id, topic::topic, ref, action,
                        expires_at
                    FROM device JOIN unnest($2::bytea[], $3::uuid[], $4::uuid[], $5::text[], $6::bigint[], $7::text[],
                        $8::timestamptz[])
                        AS offered (token_hash, device_id, subject_id, topic, ref, action, expires_at) ON device.id = device_id
                    WHERE device.lane = $1
                    """,
                    [
                        lane, offers.map { Bytea($0.tokenHash) }, offers.map(\.deviceID),
                        offers.map(\.occurrence.subjectID), offers.map(\.occurrence.topic.label),
                        offers.map(\.occurrence.ref), offers.map(\.action.name), offers.map(\.expiresAt),
                    ]),
            ])
        }
    }
}

extension PeopleStore {
    /// What a token of a notification allows; nil if it was used, is over, or its device is gone. It works once.
    public func usePushAction(_ token: CapabilityToken, secretHash: [UInt8]) async throws -> AllowedPushAction? {
        let rows = try await call(
            "SELECT account_id, subject_id, topic::text, ref, action FROM use_push_action($1, $2, \(now("$3")))",
            [token.lane, Bytea(secretHash), store.time.fixedInstant])
        guard var reader = rows.first?.reader else { return nil }
        return AllowedPushAction(
            accountID: try reader.next(), subjectID: try reader.next(), topic: try reader.next(),
            ref: try reader.next(),
            action: try reader.next())
    }
}

/// What somebody may do by a token of a notification.
public struct AllowedPushAction: Sendable {
    public let accountID: Account.ID
    public let subjectID: Subject.ID
    /// The label of the topic of the push.
    public let topic: String
    /// Tells the push apart, as in an occurrence.
    public let ref: Int
    /// The name of the action.
    public let action: String
}
