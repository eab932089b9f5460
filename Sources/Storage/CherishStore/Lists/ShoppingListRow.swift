import CherishCore
import Postgres

/// A list with what its row holds besides.
public struct StoredList: Hashable, Sendable {
    public internal(set) var list: ShoppingList
    /// The helper as the owner sees it: its nickname and ratings when it accepted; nil without a helper.
    public internal(set) var helper: HelperProfile?
    var plans = ListPlans()
    /// Where it was opened.
    var place: ListPlace?
    var firstAcceptedAt: Instant?

    init(_ list: ShoppingList) {
        self.list = list
    }
}

/// What an owner learns of a helper.
public struct HelperProfile: Hashable, Sendable {
    public let nickname: Nickname
    public let ratings: HelperRatings
}

/// The centre of a postcode. A list keeps its area longer than its position.
struct ListPlace: Hashable, Sendable {
    /// The country and the first two characters of the code: `KR-04`.
    let area: String
    let position: Position?
}

/// The rows of `shopping_list`.
enum ShoppingListRow {
    /// The columns to SELECT for ``decode(_:)``.
    static let columns: SQL = "\(table.list.names), created_at"

    private static let table = ShoppingListColumns()

    static func decode(_ row: Row) throws -> StoredList {
        var reader = row.reader
        return try reader.reading("shopping_list", key: { key(of: row) }) { try table.decode(&$0) }
    }

    private static func key(of row: Row) -> [UnreadableRow.KeyPart] {
        var reader = row.reader
        guard let id = try? reader.read(table.id), let owner = try? reader.read(table.accountID) else { return [] }
        return [.lane(owner.lane), .id(id)]
    }

    static func read(_ id: ShoppingList.ID, of account: Account.ID) -> Statement {
        Statement(
            "SELECT \(columns) FROM shopping_list WHERE lane = $1 AND id = $2 AND account_id = $3",
            [account.lane, id, account])
    }

    /// Reads a list of an account and locks it until the transaction ends.
    static func locked(_ id: ShoppingList.ID, of account: Account.ID) -> Statement {
        let read = read(id, of: account)
        return Statement("\(read.sql) FOR NO KEY UPDATE", read.parameters)
    }

    static func insert(_ list: StoredList) -> Statement { table.list.insert(list, createdAt: list.list.createdAt) }

    static func update(_ list: StoredList) -> Statement { table.list.update(list) }
}

/// The columns of `shopping_list`, in the order of reading and writing.
private struct ShoppingListColumns: Sendable {
    let list: TableColumns<StoredList>
    let id: Column<ShoppingList.ID>
    let accountID: Column<Account.ID>
    private let title: Column<String>
    private let note, deliveryNote: Column<String?>
    private let entryNames, entryQuantities: Column<[String]>
    private let entriesBought: Column<[Bool]>
    private let area: Column<String?>
    private let latitude, longitude: Column<Double?>
    private let openedAt, expiresAt, firstAcceptedAt, acceptedAt, deliveredAt, cancelledAt: Column<Instant?>
    private let helperID: Column<Account.ID?>
    private let helperNickname: Column<String?>
    private let helperRatingCount, helperRatingSum: Column<Int32?>
    private let rating: Column<Int16?>
    private let eventTopic: Column<EventTopic?>
    private let eventAt, expiredPushAt: Column<Instant?>
    private let receiptFormat: Column<String?>
    private let version: Column<Int>
    private let modifiedAt: Column<Instant>

    init() {
        var list = TableColumns<StoredList>("shopping_list", lane: \.list.ownerID.lane)
        id = list.key("id") { $0.list.id }
        accountID = list.owner("account_id") { $0.list.ownerID }
        title = list.column("title") { $0.list.title.description }
        note = list.column("note") { $0.list.note?.description }
        deliveryNote = list.column("delivery_note") { $0.list.deliveryNote?.description }
        entryNames = list.list("entry_names", of: "text") { $0.list.entries.map(\.name.description) }
        entryQuantities = list.list("entry_quantities", of: "text") {
            $0.list.entries.map { $0.quantity?.description ?? "" }
        }
        entriesBought = list.list("entries_bought", of: "boolean") { $0.list.entries.map(\.isBought) }
        area = list.column("area") { $0.place?.area }
        latitude = list.column("latitude") { $0.place?.position?.latitude }
        longitude = list.column("longitude") { $0.place?.position?.longitude }
        openedAt = list.column("opened_at") { $0.list.openedAt }
        expiresAt = list.column("expires_at") { $0.list.expiresAt }
        firstAcceptedAt = list.column("first_accepted_at") { $0.firstAcceptedAt }
        acceptedAt = list.column("accepted_at") { $0.list.acceptance?.acceptedAt }
        helperID = list.column("helper_id") { $0.list.acceptance?.helperID }
        helperNickname = list.column("helper_nickname") { $0.helper?.nickname.description }
        helperRatingCount = list.column("helper_rating_count") { $0.helper.map { Int32($0.ratings.count) } }
        helperRatingSum = list.column("helper_rating_sum") { $0.helper.map { Int32($0.ratings.sum) } }
        deliveredAt = list.column("delivered_at") { $0.list.deliveredAt }
        cancelledAt = list.column("cancelled_at") { $0.list.cancelledAt }
        rating = list.column("rating") { $0.list.rating.map { Int16($0.points) } }
        eventTopic = list.label("event_topic", of: "topic") { EventTopic($0.plans.event) }
        eventAt = list.column("event_at") { $0.plans.event?.at }
        expiredPushAt = list.column("expired_push_at") { $0.plans.expiredAt }
        receiptFormat = list.column("receipt_format") { $0.list.acceptance?.receipt?.rawValue }
        version = list.column("version") { $0.list.version }
        modifiedAt = list.column("modified_at") { $0.list.modifiedAt }
        self.list = list
    }

    func decode(_ row: inout RowReader) throws -> StoredList {
        let acceptance = try acceptance(&row)
        var stored = StoredList(
            ShoppingList(
                id: try row.read(id), ownerID: try row.read(accountID), createdAt: try row.read(list.createdAt),
                title: ThingTitle(stored: try row.read(title)), note: try row.read(note).map { ThingNote(stored: $0) },
                deliveryNote: try row.read(deliveryNote).map { DeliveryNote(stored: $0) },
                entries: try entries(&row), openedAt: try row.read(openedAt), acceptance: acceptance,
                deliveredAt: try row.read(deliveredAt), cancelledAt: try row.read(cancelledAt),
                rating: try row.read(rating).map { points in try HelperRating(points: Int(points)) },
                version: try row.read(version), modifiedAt: try row.read(modifiedAt)))
        if acceptance != nil, let nickname = try row.read(helperNickname), let count = try row.read(helperRatingCount),
            let sum = try row.read(helperRatingSum)
        {
            stored.helper = HelperProfile(
                nickname: Nickname(stored: nickname), ratings: HelperRatings(count: Int(count), sum: Int(sum)))
        }
        stored.plans = ListPlans(
            event: try ListPlans.Event(row.read(eventTopic), row.read(eventAt)),
            expiredAt: try row.read(expiredPushAt))
        if let area = try row.read(area) {
            stored.place = ListPlace(area: area, position: try position(&row))
        }
        stored.firstAcceptedAt = try row.read(firstAcceptedAt)
        return stored
    }

    private func acceptance(_ row: inout RowReader) throws -> ShoppingList.Acceptance? {
        guard let helper = try row.read(helperID), let at = try row.read(acceptedAt) else { return nil }
        return ShoppingList.Acceptance(
            helperID: helper, acceptedAt: at,
            receipt: try row.read(receiptFormat).flatMap(ShoppingReceipt.Format.init(rawValue:)))
    }

    private func position(_ row: inout RowReader) throws -> Position? {
        guard let latitude = try row.read(latitude), let longitude = try row.read(longitude) else { return nil }
        guard let position = Position(latitude: latitude, longitude: longitude) else {
            throw UnreadableRow(what: "a position that is not on the earth")
        }
        return position
    }

    private func entries(_ row: inout RowReader) throws -> [ShoppingList.Entry] {
        let names = try row.read(entryNames)
        let quantities = try row.read(entryQuantities)
        let bought = try row.read(entriesBought)
        guard quantities.count == names.count, bought.count == names.count else {
            throw UnreadableRow(what: "entries whose parts do not match")
        }
        return names.indices.map { index in
            ShoppingList.Entry(
                name: EntryName(stored: names[index]),
                quantity: quantities[index].isEmpty ? nil : EntryQuantity(stored: quantities[index]),
                isBought: bought[index])
        }
    }
}

/// The rows of `list_receipt`. Removing one leaves an empty row, as sessions for one account delete nothing themselves.
enum ShoppingReceiptRow {
    static func read(of list: ShoppingList, by helper: Account.ID) -> Statement {
        Statement(
            "SELECT content FROM list_receipt WHERE lane = $1 AND account_id = $2 AND list_id = $3 AND helper_id = $4",
            [list.ownerID.lane, list.ownerID, list.id, helper])
    }

    static func write(_ receipt: ShoppingReceipt, of list: ShoppingList, by helper: Account.ID, at now: Instant)
        -> Statement
    {
        Statement(
            """
            INSERT INTO list_receipt (lane, account_id, list_id, helper_id, content, attached_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (lane, account_id, list_id) DO UPDATE
                SET helper_id = excluded.helper_id, content = excluded.content, attached_at = excluded.attached_at
            """, [list.ownerID.lane, list.ownerID, list.id, helper, Bytea(receipt.bytes), now])
    }

    static func remove(of list: ShoppingList, at now: Instant) -> Statement {
        Statement(
            """
            UPDATE list_receipt SET content = NULL, attached_at = $4
            WHERE lane = $1 AND account_id = $2 AND list_id = $3
            """, [list.ownerID.lane, list.ownerID, list.id, now])
    }
}

/// A topic of lists, as a column holds it.
struct EventTopic: RawRepresentable, Sendable {
    let rawValue: String

    init?(rawValue: String) {
        guard Topic.ofLists.contains(where: { $0.label == rawValue }) else { return nil }
        self.rawValue = rawValue
    }

    init?(_ event: ListPlans.Event?) {
        guard let event else { return nil }
        rawValue = event.topic.label
    }
}

extension ListPlans.Event {
    /// As its columns hold it; nil unless both are there.
    init?(_ topic: EventTopic?, _ at: Instant?) {
        guard let at, let known = Topic.ofLists.first(where: { $0.label == topic?.rawValue }) else { return nil }
        self.init(topic: known, at: at)
    }
}

/// The rows of `helped_list`.
enum HelpedListRow {
    static let columns: SQL = """
        list_id, account_id, owner_id, slot, claimed_at, owner_nickname, accepted_at, opened_at, expires_at, ended_at,
        released_at, acceptance_count, release_count, list_version, event_topic::text, event_at, expiring_push_at, expired_push_at
        """

    static func decode(_ row: Row) throws -> HelpedList {
        var reader = row.reader
        var key: [UnreadableRow.KeyPart] = []
        return try reader.reading("helped_list", key: { key }) { reader in
            let (list, helper) = (try reader.next(ShoppingList.ID.self), try reader.next(Account.ID.self))
            key = [.lane(helper.lane), .id(helper, column: "account_id"), .id(list, column: "list_id")]
            return HelpedList(
                listID: list, helperID: helper, ownerID: try reader.next(),
                slot: try reader.next(Int16?.self).map { Int($0) }, claimedAt: try reader.next(),
                ownerNickname: try reader.next(), acceptedAt: try reader.next(), openedAt: try reader.next(),
                expiresAt: try reader.next(), endedAt: try reader.next(), releasedAt: try reader.next(),
                acceptanceCount: Int(try reader.next(Int32.self)), releaseCount: Int(try reader.next(Int32.self)),
                listVersion: try reader.next(),
                plans: ListPlans(
                    event: try ListPlans.Event(
                        reader.next(String?.self).flatMap(EventTopic.init(rawValue:)), reader.next()),
                    expiringAt: try reader.next(), expiredAt: try reader.next()))
        }
    }

    /// Reads and locks all rows of a helper.
    static func locked(of helper: Account.ID) -> Statement {
        Statement(
            "SELECT \(columns) FROM helped_list WHERE lane = $1 AND account_id = $2 ORDER BY list_id FOR NO KEY UPDATE",
            [helper.lane, helper])
    }

    /// Reads and locks one row of a helper.
    static func locked(_ list: ShoppingList.ID, of helper: Account.ID) -> Statement {
        Statement(
            """
            SELECT \(columns) FROM helped_list WHERE lane = $1 AND account_id = $2 AND list_id = $3 FOR NO KEY UPDATE
            """, [helper.lane, helper, list])
    }

    static func insert(_ helped: HelpedList) -> Statement {
        Statement(
            """
            INSERT INTO helped_list (lane, account_id, list_id, owner_id, owner_nickname, slot, claimed_at, accepted_at,
                opened_at, expires_at, ended_at, released_at, acceptance_count, release_count, list_version, event_topic,
                event_at, expiring_push_at, expired_push_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16::topic, $17, $18, $19)
            """, [helped.helperID.lane, helped.helperID, helped.listID, helped.ownerID] + values(helped))
    }

    static func update(_ helped: HelpedList) -> Statement {
        Statement(
            """
            UPDATE helped_list SET owner_nickname = $4, slot = $5, claimed_at = $6, accepted_at = $7, opened_at = $8,
                expires_at = $9, ended_at = $10, released_at = $11, acceptance_count = $12, release_count = $13,
                list_version = $14, event_topic = $15::topic, event_at = $16, expiring_push_at = $17, expired_push_at = $18
            WHERE lane = $1 AND account_id = $2 AND list_id = $3
            """, [helped.helperID.lane, helped.helperID, helped.listID] + values(helped))
    }

    private static func values(_ helped: HelpedList) -> [any PostgresEncodable] {
        [
            helped.ownerNickname, helped.slot.map { Int16($0) }, helped.claimedAt, helped.acceptedAt, helped.openedAt,
            helped.expiresAt, helped.endedAt, helped.releasedAt, Int32(helped.acceptanceCount),
            Int32(helped.releaseCount), helped.listVersion, helped.plans.event?.topic.label, helped.plans.event?.at,
            helped.plans.expiringAt, helped.plans.expiredAt,
        ]
    }
}
