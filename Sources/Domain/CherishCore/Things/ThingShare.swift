/// A link by which whoever has it sees a reminder, and may copy it (rule 10.12).
public struct ThingShare: Hashable, Sendable {
    public typealias ID = Identifier<ThingShare>

    /// For how many days a link may last.
    public static let days = 1...30
    /// For how many days it lasts unless somebody chooses.
    public static let usualDays = 7
    /// How many links a thing has at most.
    public static let most = 20

    public let id: ID
    public let thingID: Thing.ID
    public let createdAt: Instant
    public let expiresAt: Instant

    public init(id: ID, thingID: Thing.ID, createdAt: Instant, expiresAt: Instant) {
        (self.id, self.thingID, self.createdAt, self.expiresAt) = (id, thingID, createdAt, expiresAt)
    }
}

/// A link by which other programs read an account's calendar.
public struct CalendarFeed: Hashable, Sendable {
    public typealias ID = Identifier<CalendarFeed>

    /// How many links an account has at most.
    public static let most = 10

    public let id: ID
    public let createdAt: Instant

    public init(id: ID, createdAt: Instant) {
        (self.id, self.createdAt) = (id, createdAt)
    }
}
