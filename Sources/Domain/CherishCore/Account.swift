/// A person who uses Cherish.
public struct Account: Hashable, Sendable {
    public typealias ID = Identifier<Account>

    public let id: ID
    /// nil for an anonymous account, which somebody is signed in to by nothing but a session (rule 12.5).
    public var email: EmailAddress?
    public var nickname: Nickname
    public var phone: PhoneNumber?
    public var postcode: Postcode?
    /// Where the postcode is one; nil when unknown. Codes are unique within a country only.
    public var country: Country?
    /// When postcode or country were changed (rule 11.3).
    public var postcodeChanges = PostcodeChanges()
    /// The IANA name of the time zone that defines civil days and wall-clock times for all plants of the account.
    public var timeZone: String
    /// When its days end (rule 13.4).
    public var dayEnd: DayEnd
    /// When the whole account is paused, whatever its friends are (rule 13.1).
    public var pausedDays = PausedDays.none
    public var language: Language
    public var switches: NotificationSwitches
    /// For how many days before its due day food is expiring (rule 10.3).
    public var warningDays: WarningDays
    public var appearance: Appearance
    /// Grows with each change of the account's settings (rule 14.1), from 1.
    public var version: Int

    public init(
        id: ID, email: EmailAddress?, nickname: Nickname, phone: PhoneNumber?, postcode: Postcode? = nil,
        timeZone: String, dayEnd: DayEnd = .midnight, language: Language,
        switches: NotificationSwitches = NotificationSwitches(),
        warningDays: WarningDays = .usual, appearance: Appearance = .empty, version: Int = 1
    ) {
        self.id = id
        self.email = email
        self.nickname = nickname
        self.phone = phone
        self.postcode = postcode
        self.timeZone = timeZone
        self.dayEnd = dayEnd
        self.language = language
        self.switches = switches
        self.warningDays = warningDays
        self.appearance = appearance
        self.version = version
    }
}
