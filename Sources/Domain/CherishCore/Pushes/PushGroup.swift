/// The pushes about one topic for one account and minute, which devices show as one.
public struct PushGroup: Hashable, Sendable {
    public let accountID: Account.ID
    public let topic: Topic
    /// The start of the minute.
    public let minute: Instant

    /// The group of a push planned for an instant.
    public init(accountID: Account.ID, topic: Topic, plannedAt: Instant) {
        self.accountID = accountID
        self.topic = topic
        minute = Instant(secondsSinceEpoch: plannedAt.secondsSinceEpoch.floorDivided(by: 60).quotient * 60)
    }

    /// Identical for every attempt, so that a phone shows one push: `watering_due-20270302T0000Z`. At most 64 bytes,
    /// Apple's limit.
    public var collapseID: String {
        "\(topic)-\(minute.description.filter { $0 != "-" && $0 != ":" }.prefix(13))Z"
    }
}
