import CherishCore

/// An account to create, with its friends, as a seed file describes it.
///
/// Values that depend on the account's zone or country are unparsed; the code that creates the account checks them.
public struct AccountSeed: Hashable, Sendable {
    public var email: String
    public var nickname: String
    /// The IANA name of the account's zone.
    public var timeZone: String
    public var language: Language
    /// As people write it.
    public var phone: String?
    public var switches: NotificationSwitches
    public var tags: [TagSeed]
    public var friends: [FriendSeed]

    public init(
        email: String, nickname: String, timeZone: String, language: Language = .english, phone: String? = nil,
        switches: NotificationSwitches = NotificationSwitches(), tags: [TagSeed] = [], friends: [FriendSeed] = []
    ) {
        self.email = email
        self.nickname = nickname
        self.timeZone = timeZone
        self.language = language
        self.phone = phone
        self.switches = switches
        self.tags = tags
        self.friends = friends
    }
}

/// A tag to create.
public struct TagSeed: Hashable, Sendable {
    public var name: TagName
    /// nil for the colour derived from the name.
    public var colour: TagColour?
    /// The cycle for friends with this tag that have none of their own; nil if the tag sets none.
    public var cycle: Cycle?

    public init(name: TagName, colour: TagColour? = nil, cycle: Cycle? = nil) {
        self.name = name
        self.colour = colour
        self.cycle = cycle
    }
}

/// A friend to register, with unparsed values.
public struct FriendSeed: Hashable, Sendable {
    public var name: String
    /// As people write it.
    public var phone: String
    public var nickname: String?
    public var birthday: String?
    public var cycleDays: Int?
    /// The alarm time.
    public var alarm: String?
    /// Tag names.
    public var tags: [String]
    public var isFavourite: Bool

    public init(
        name: String, phone: String, nickname: String? = nil, birthday: String? = nil, cycleDays: Int? = nil,
        alarm: String? = nil, tags: [String] = [], isFavourite: Bool = false
    ) {
        self.name = name
        self.phone = phone
        self.nickname = nickname
        self.birthday = birthday
        self.cycleDays = cycleDays
        self.alarm = alarm
        self.tags = tags
        self.isFavourite = isFavourite
    }
}
