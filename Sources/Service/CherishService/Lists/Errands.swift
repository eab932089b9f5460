import CherishCore
import CherishRuntime
import CherishStore
import Foundation

/// The use cases of an account that shops for its neighbours (rule 11.4).
public struct ErrandService: Sendable {
    let engine: Engine
    let errands: Errands

    /// An open list of a neighbour: all that strangers learn of it.
    public struct Nearby: Sendable {
        public let list: NearbyList
        public let now: Instant

        public var document: NearbyListDocument { NearbyListDocument(self) }
    }

    /// The nearest open lists of others (rule 11.3).
    ///
    /// - Parameter kilometres: 2–50; nil means 6.
    public func nearby(within kilometres: Int? = nil) async throws -> [Nearby] {
        let radius = try kilometres.map { value throws(ShoppingListError) in try NeighbourRadius(kilometres: value) }
        let found = try await errands.nearby(within: radius ?? .usual)
        return found.lists.map { Nearby(list: $0, now: found.now) }
    }

    /// Accepts a list: the first one wins (rule 11.4).
    ///
    /// - Parameter id: the list's id; an operator may give a prefix of at least 8 digits.
    public func accept(_ id: String) async throws -> ShoppingListView {
        try view(of: try await errands.accept(try await listID(id)))
    }

    /// Gives a list back.
    public func release(_ id: String) async throws { try await errands.release(try await listID(id)) }

    /// Marks an entry as bought, or as not bought after all.
    ///
    /// - Parameter number: of the entry, from 1.
    public func mark(_ id: String, _ number: Int, isBought: Bool) async throws -> ShoppingListView {
        try view(of: try await errands.mark(try await listID(id), number, isBought: isBought))
    }

    /// Says that the shopping was delivered.
    public func deliver(_ id: String) async throws -> ShoppingListView {
        try view(of: try await errands.deliver(try await listID(id)))
    }

    /// Attaches a receipt, in the place of an earlier one (rule 11.6).
    ///
    /// - Parameter bytes: a JPEG or PDF without metadata.
    public func attach(receipt bytes: [UInt8], to id: String) async throws {
        guard let receipt = ShoppingReceipt(bytes) else { preconditionFailure("a receipt is a JPEG or a PDF") }
        try await errands.attach(receipt, to: try await listID(id))
    }

    /// Takes the receipt away.
    public func removeReceipt(of id: String) async throws { try await errands.removeReceipt(of: try await listID(id)) }

    /// The receipt of a list that the account helps with.
    public func receipt(of id: String) async throws -> ShoppingReceipt {
        try await errands.receipt(of: try await listID(id))
    }

    /// A list that the account helps with, or has helped with until 24 hours ago.
    public func list(_ id: String) async throws -> ShoppingListView {
        try view(of: try await errands.list(try await listID(id)))
    }

    /// The lists that the account helps with, those that end first at the front.
    public func lists() async throws -> [ShoppingListView] { try await errands.lists().map(view) }

    /// How owners rated the account.
    public func ratings() async throws -> HelperRatings { try await errands.ratings() }

    /// Blocks the other person of a list (rule 11.7).
    public func block(ofList id: String) async throws -> Block {
        try await errands.block(ofList: try await listID(id))
    }

    /// Whom the account has blocked, the newest first.
    public func blocks() async throws -> [Block] { try await errands.blocks() }

    /// Ends a block.
    ///
    /// - Parameter id: the block's id, or a prefix of at least 8 digits.
    public func unblock(_ id: String) async throws { try await errands.unblock(id) }

    /// Tells the operator about a list.
    public func report(_ id: String, reason: String) async throws {
        try await errands.report(try await listID(id), try ListReportText(reason))
    }

    private func listID(_ text: String) async throws -> ShoppingList.ID { try await engine.store.listID(text) }

    func view(of helped: HelpersList) throws -> ShoppingListView {
        ShoppingListView(
            stored: helped.stored, role: .helper, ownerNickname: helped.ownerNickname, now: helped.viewpoint.now,
            clock: WallClock(zone: try engine.zones.clock(of: helped.viewpoint.account)),
            language: helped.viewpoint.account.language)
    }
}

extension CareService {
    /// The lists of others that the caller finds and helps with.
    ///
    /// - Throws: ``CareError/notFound(_:)``, ``CareError/ambiguousID(_:)``.
    public func errands(of caller: Caller) async throws -> ErrandService {
        let garden = try await garden(of: caller)
        return ErrandService(engine: engine, errands: engine.store.errands(of: garden.accountID))
    }
}

extension GardenService {
    /// The account.
    var accountID: Account.ID { garden.accountID }

    /// The lists of others that the account finds and helps with.
    public var errands: ErrandService { ErrandService(engine: engine, errands: engine.store.errands(of: accountID)) }
}

// MARK: - Documents

/// An open list of a neighbour.
public struct NearbyListDocument: Codable, Sendable {
    let id, ownerNickname: String
    let entryCount, secondsLeft: Int
    /// Less than so many kilometres, in steps of 2.
    let distanceKm: Int

    init(_ nearby: ErrandService.Nearby) {
        id = nearby.list.id.description
        ownerNickname = nearby.list.ownerNickname.description
        entryCount = nearby.list.entryCount
        secondsLeft = Int((nearby.now.duration(to: nearby.list.expiresAt)) / .seconds(1))
        distanceKm = nearby.list.distance.kilometres
    }
}

/// Open lists of neighbours, the nearest first.
public struct NearbyListsDocument: Codable, Sendable {
    let lists: [NearbyListDocument]

    public init(_ lists: [ErrandService.Nearby]) {
        self.lists = lists.map(\.document)
    }
}

/// Somebody who is blocked.
public struct BlockDocument: Codable, Sendable {
    let id, nickname, blockedAt: String

    public init(_ block: Block) {
        id = block.id.description
        nickname = block.nickname.description
        blockedAt = block.blockedAt.description
    }
}

/// Everybody who is blocked.
public struct BlocksDocument: Codable, Sendable {
    let blocks: [BlockDocument]

    public init(_ blocks: [Block]) {
        self.blocks = blocks.map { BlockDocument($0) }
    }
}
