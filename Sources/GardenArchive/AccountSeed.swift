import CherishCore

/// An account that is to be made, with its friends, as a seed file describes it.
///
/// What needs the account's zone or country is still as it was written: whoever makes the account checks it.
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

/// A tag that is to be made.
public struct TagSeed: Hashable, Sendable {
    public var name: TagName
    /// nil for the colour that goes with the name.
    public var colour: TagColour?
    /// The cycle of friends under it without one of their own; nil when it says nothing about it.
    public var cycle: Cycle?

    public init(name: TagName, colour: TagColour? = nil, cycle: Cycle? = nil) {
        self.name = name
        self.colour = colour
        self.cycle = cycle
    }
}

/// A friend who is to be registered, as somebody wrote it down.
public struct FriendSeed: Hashable, Sendable {
    public var name: String
    /// As people write it.
    public var phone: String
    public var nickname: String?
    public var birthday: String?
    public var cycleDays: Int?
    /// The alarm time.
    public var alarm: String?
    /// The names of tags.
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
