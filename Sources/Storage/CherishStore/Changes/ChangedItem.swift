import CherishCore
import Foundation
import Postgres

// What changed in an account, in the order of commits (rules 14.1 and 14.2, decision 59). Each transaction that changes something
// which devices show notes it as its last step. What it is now, or that it is gone, the tables say when a device asks.

/// Something that devices keep a copy of.
public enum ChangedItem: Hashable, Sendable {
    /// The settings of the account.
    case settings
    case session(SignInSession.ID)
    case tag(Tag.ID)
    /// A friend, living or removed.
    case friend(Plant.ID)
    case watering(Plant.ID, number: Int)
    case thing(Thing.ID)
    /// A list that the account wrote, or helps with.
    case list(ShoppingList.ID)
    case pause(Pause.ID)

    /// What kind of item it is: a label of the database's type `change_kind`.
    public enum Kind: String, CaseIterable, Sendable {
        case settings, session, tag, friend, watering, thing, list, pause
    }

    public var kind: Kind {
        switch self {
        case .settings: .settings
        case .session: .session
        case .tag: .tag
        case .friend: .friend
        case .watering: .watering
        case .thing: .thing
        case .list: .list
        case .pause: .pause
        }
    }

    /// As its columns hold it.
    func id(in account: Account.ID) -> UUID {
        switch self {
        case .settings: account.uuid
        case .session(let id): id.uuid
        case .tag(let id): id.uuid
        case .friend(let id), .watering(let id, _): id.uuid
        case .thing(let id): id.uuid
        case .list(let id): id.uuid
        case .pause(let id): id.uuid
        }
    }

    /// Of a watering; 0 for others.
    var number: Int32 {
        if case .watering(_, let number) = self { Int32(number) } else { 0 }
    }

    init(_ kind: Kind, _ id: UUID, number: Int32) {
        self =
            switch kind {
            case .settings: .settings
            case .session: .session(SignInSession.ID(id))
            case .tag: .tag(Tag.ID(id))
            case .friend: .friend(Plant.ID(id))
            case .watering: .watering(Plant.ID(id), number: Int(number))
            case .thing: .thing(Thing.ID(id))
            case .list: .list(ShoppingList.ID(id))
            case .pause: .pause(Pause.ID(id))
            }
    }
}

/// The rows of `account_change`.
enum ChangeRow {
    /// Notes what a transaction changed in some accounts. Comes last: until the commit, other commands of the accounts that
    /// change something wait. In the order of the accounts, so that two transactions cannot deadlock.
    static func note(_ items: [Account.ID: [ChangedItem]], at now: Instant) -> [Statement] {
        Dictionary(grouping: items, by: \.key.lane).sorted { $0.key < $1.key }.map { lane, accounts in
            if accounts.count == 1 { return note(Array(Set(accounts[0].value)), of: accounts[0].key, at: now) }
            let items = accounts.flatMap { account, items in Set(items).map { (owner: account, item: $0) } }
            return Statement(
                "SELECT note_changes_of_accounts($1, $2, $3, $4::text[]::change_kind[], $5, $6)",
                [
                    lane, now, items.map(\.owner), items.map(\.item.kind.rawValue),
                    items.map { $0.item.id(in: $0.owner) }, items.map(\.item.number),
                ])
        }
    }

    private static func note(_ items: [ChangedItem], of account: Account.ID, at now: Instant) -> Statement {
        Statement(
            "SELECT \("note_changes($1, $2, $3, $4::text[]::change_kind[], $5, $6)", at: .notedChanges)",
            [
                account.lane, account, now, items.map(\.kind.rawValue), items.map { $0.id(in: account) },
                items.map(\.number),
            ])
    }

    /// Deletes what is older than devices may ask for (rule 14.2). The newest change of an account stays: whoever knows it
    /// misses nothing.
    static func forget(before instant: Instant) -> Statement {
        Statement(
            """
            DELETE FROM account_change USING account_change_head AS head
            WHERE account_change.noted_at < $1 AND head.lane = account_change.lane
                AND head.account_id = account_change.account_id AND account_change.number < head.number
            """, [instant])
    }
}
