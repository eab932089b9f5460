import CherishCore
import Foundation
import Postgres

// Secret links (rule 10.12). The account makes and withdraws them; whoever has one needs no session.

extension Garden {
    /// Makes a link to a reminder. Links that are over are deleted.
    ///
    /// - Parameters:
    ///   - days: in ``ThingShare/days``.
    ///   - tokenHash: SHA-256 of the secret of the token.
    /// - Throws: ``ThingError``, ``CareError/notFound(_:)``, ``CareError/tooManyLinks(limit:)``.
    public func shareThing(_ id: Thing.ID, days: Int, tokenHash: [UInt8]) async throws -> ThingShare {
        guard ThingShare.days.contains(days) else { throw ThingError.invalidShareDays(days) }
        return try await command(on: id, reading: [living(of: id)]) { command, locked, rows in
            guard locked.thing.kind == .reminder else { throw ThingError.notForKind(.share, locked.thing.kind) }
            if let end = locked.thing.end { throw ThingError.alreadyDone(on: end.completedOn) }
            guard rows[2].count < ThingShare.most else { throw CareError.tooManyLinks(limit: ThingShare.most) }
            let share = ThingShare(
                id: ThingShare.ID(store.identifiers.random()), thingID: id, createdAt: command.now,
                expiresAt: command.now.adding(hours: 24 * days))
            command.finish([
                withdrawal([], at: command.now),
                Statement(
                    """
                    INSERT INTO thing_share (lane, id, account_id, thing_id, token_hash, created_at, expires_at)
                    VALUES ($1, $2, $3, $4, $5, $6, $7)
                    """,
                    [command.lane, share.id, accountID, id, Bytea(tokenHash), share.createdAt, share.expiresAt]),
            ])
            return share
        }
    }

    /// Returns the links to a thing that are not over, the newest first.
    ///
    /// - Throws: ``CareError/notFound(_:)``.
    public func shares(of id: Thing.ID) async throws -> [ThingShare] {
        let rows = try await read([ThingRow.read(id, of: accountID), living(of: id)])
        if rows[0].isEmpty { throw CareError.notFound(.thing) }
        return try rows[1].map { row in
            var reader = row.reader
            return ThingShare(
                id: try reader.next(), thingID: id, createdAt: try reader.next(), expiresAt: try reader.next())
        }
    }

    private func living(of id: Thing.ID) -> Statement {
        Statement(
            """
            SELECT id, created_at, expires_at FROM thing_share
            WHERE lane = $1 AND account_id = $2 AND thing_id = $3 AND expires_at > coalesce($4, clock_timestamp())
            ORDER BY created_at DESC, id
            """, [accountID.lane, accountID, id, store.time.fixedInstant])
    }

    /// Withdraws a link to a reminder: it shows nothing any more.
    ///
    /// - Parameter prefix: the id, or at least 8 digits of it.
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func withdrawShare(_ prefix: String) async throws {
        let id: ThingShare.ID = try await link(prefix, in: "thing_share", orElse: .share)
        try await command(reading: []) { command, _ in command.finish([withdrawal([id], at: command.now)]) }
    }

    private func withdrawal(_ ids: [ThingShare.ID], at now: Instant) -> Statement {
        Statement("SELECT delete_thing_shares($1, $2, $3, $4)", [accountID.lane, accountID, ids, now])
    }

    /// Makes a link to the account's calendar.
    ///
    /// - Parameter tokenHash: SHA-256 of the secret of the token.
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/tooManyLinks(limit:)``.
    public func addFeed(tokenHash: [UInt8]) async throws -> CalendarFeed {
        try await command(reading: [AccountRow.locked(accountID, .update), feedList]) { command, rows in
            if rows[0].isEmpty { throw CareError.notFound(.account) }
            guard rows[1].count < CalendarFeed.most else { throw CareError.tooManyLinks(limit: CalendarFeed.most) }
            let feed = CalendarFeed(id: CalendarFeed.ID(store.identifiers.random()), createdAt: command.now)
            command.finish([
                Statement(
                    """
                    INSERT INTO calendar_feed (lane, id, account_id, token_hash, created_at) VALUES ($1, $2, $3, $4, $5)
                    """, [command.lane, feed.id, accountID, Bytea(tokenHash), feed.createdAt])
            ])
            return feed
        }
    }

    /// Returns the links to the account's calendar, the newest first.
    public func feeds() async throws -> [CalendarFeed] {
        try await read([feedList])[0].map { row in
            CalendarFeed(id: try row.decode(0), createdAt: try row.decode(1))
        }
    }

    private var feedList: Statement {
        Statement(
            """
            SELECT id, created_at FROM calendar_feed WHERE lane = $1 AND account_id = $2 ORDER BY created_at DESC, id
            """, [accountID.lane, accountID])
    }

    /// Withdraws a link to the account's calendar.
    ///
    /// - Parameter prefix: the id, or at least 8 digits of it.
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func removeFeed(_ prefix: String) async throws {
        let id: CalendarFeed.ID = try await link(prefix, in: "calendar_feed", orElse: .feed)
        try await command(reading: []) { command, _ in
            command.finish([Statement("SELECT delete_calendar_feeds($1, $2, $3)", [command.lane, accountID, [id]])])
        }
    }

    private func link<Link>(_ prefix: String, in table: SQL, orElse subject: CareError.Subject) async throws
        -> Identifier<Link>
    {
        guard let range = UUID.range(beginningWith: prefix) else { throw CareError.notFound(subject) }
        let rows = try await read(
            "SELECT id FROM \(table) WHERE lane = $1 AND account_id = $2 AND id BETWEEN $3 AND $4 LIMIT 2",
            [accountID.lane, accountID, range.lowerBound, range.upperBound])
        return try rows.only(beginningWith: prefix, orElse: subject).decode(0)
    }
}

extension Garden {
    /// Returns a thing that a link shows; nil if it is done or deleted.
    public func detail(ofShared id: Thing.ID) async throws -> Thing? {
        let thing = try await read([ThingRow.read(id, of: accountID)])[0].first.map(ThingRow.decode)
        return thing?.isDone == true ? nil : thing
    }
}

extension CareStore {
    /// Returns the account of the share whose id begins with `prefix`, at least 8 hexadecimal digits.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func owner(ofShare prefix: String) async throws -> Account.ID {
        try await find("account_id", in: "thing_share", prefix, orElse: .share).decode(0)
    }

    /// Returns the account of the feed whose id begins with `prefix`, at least 8 hexadecimal digits.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func owner(ofFeed prefix: String) async throws -> Account.ID {
        try await find("account_id", in: "calendar_feed", prefix, orElse: .feed).decode(0)
    }
}

extension PeopleStore {
    /// The thing that a link shows, and its account; nil if it shows nothing, whatever the reason.
    public func sharedThing(_ token: CapabilityToken, secretHash: [UInt8]) async throws
        -> (accountID: Account.ID, thingID: Thing.ID)?
    {
        let rows = try await call(
            "SELECT account_id, thing_id FROM shared_thing($1, $2, \(now("$3")))",
            [token.lane, Bytea(secretHash), store.time.fixedInstant])
        guard var reader = rows.first?.reader else { return nil }
        return (try reader.next(), try reader.next())
    }

    /// The account whose calendar a link shows; nil without such a link.
    public func feedOwner(_ token: CapabilityToken, secretHash: [UInt8]) async throws -> Account.ID? {
        let rows = try await call("SELECT feed_owner($1, $2)", [token.lane, Bytea(secretHash)])
        return try rows.first.flatMap { try $0.decode(0, as: Account.ID?.self) }
    }
}
