/// Where an account's pushes go.
public struct Device: Hashable, Sendable {
    public typealias ID = Identifier<Device>

    /// Which provider reaches it.
    public enum Platform: String, CaseIterable, Sendable {
        case ios, android, webhook

        /// Whether a token names a phone, which one account has at a time. A webhook may belong to several accounts.
        public var isPhone: Bool { self != .webhook }
    }

    /// Why nothing is sent to it any more.
    public struct Retirement: Hashable, Sendable {
        public let at: Instant
        /// What its provider said, or `not_refreshed`.
        public let reason: String

        public init(at: Instant, reason: String) {
            self.at = at
            self.reason = reason
        }
    }

    public let id: ID
    public let platform: Platform
    /// The provider's token, or the URL of a webhook.
    public let token: String
    /// With what a webhook's pushes are signed; nil for other platforms.
    public let secret: WebhookSecret?
    /// When it was added, or last added again, which is what an app does each time it starts.
    public let addedAt: Instant
    public let retirement: Retirement?

    public init(
        id: ID, platform: Platform, token: String, secret: WebhookSecret? = nil, addedAt: Instant,
        retirement: Retirement? = nil
    ) {
        self.id = id
        self.platform = platform
        self.token = token
        self.secret = secret
        self.addedAt = addedAt
        self.retirement = retirement
    }

    /// Why nothing may be sent to it any more, without asking its provider: Google takes a token that was not refreshed
    /// for 270 days for that of a device that is gone.
    public func retirement(at now: Instant) -> Retirement? {
        if let retirement { return retirement }
        guard platform == .android, addedAt.adding(hours: 270 * 24) < now else { return nil }
        return Retirement(at: now, reason: "not_refreshed")
    }
}

/// What came of sending a push to one device.
public enum DeviceOutcome: String, CaseIterable, Sendable {
    /// Its provider took it.
    case accepted
    /// To be tried again.
    case failed
    /// Its provider will never take it.
    case refused
    /// The device is gone: its token is dead.
    case tokenDead = "token_dead"
}
