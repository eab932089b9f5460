/// One contact of an address book.
///
/// Its texts are unfolded, unescaped and unquoted, and otherwise raw: not trimmed, checked or normalized. An absent or
/// blank field is nil.
public struct ContactCard: Sendable, Equatable {
    /// The maximum number of phone numbers per contact; the rest is dropped.
    public static let mostPhones = 100
    /// The maximum number of tags per contact; the rest is dropped.
    public static let mostTags = 100

    /// The line in which the contact begins, counted from 1.
    public var line: Int
    /// The formatted name; if there is none, one built from the parts of the name.
    public var name: String?
    /// What the owner of the address book calls the contact.
    public var nickname: String?
    /// Phone numbers as written, best first: mobile before others, preferred before others of the same kind. Fax and
    /// pager numbers are dropped. ``mostPhones`` at most.
    public var phones: [String]
    /// The birthday as written, such as `1994-05-21` or `--0521`; `--05-21` if Apple marks the year as omitted.
    public var birthday: String?
    /// The calendar that the file names for the birthday.
    public var birthdayCalendar: BirthdayCalendar
    /// The calendar as written, if its name is not recognized: the day then remains ambiguous.
    public var unknownCalendar: String?
    /// The cycle in days, as written; only in tables and JSON Lines.
    public var cycleDays: String?
    /// The alarm time as written; only in tables and JSON Lines.
    public var alarm: String?
    /// The contact's groups, labels or categories, in file order. Groups that a service creates automatically, such as
    /// Google's `* myContacts`, are dropped. ``mostTags`` at most.
    public var tags: [String]
    /// Whether the contact is marked as a favourite; only in tables and JSON Lines.
    public var isFavourite: Bool
    /// The e-mail or id of the account that the friend belongs to; only in tables and JSON Lines for several accounts.
    public var account: String?

    /// Creates a contact that begins in the given line.
    public init(
        line: Int,
        name: String? = nil,
        nickname: String? = nil,
        phones: [String] = [],
        birthday: String? = nil,
        birthdayCalendar: BirthdayCalendar = .solar,
        unknownCalendar: String? = nil,
        cycleDays: String? = nil,
        alarm: String? = nil,
        tags: [String] = [],
        isFavourite: Bool = false,
        account: String? = nil
    ) {
        self.line = line
        self.name = name
        self.nickname = nickname
        self.phones = phones
        self.birthday = birthday
        self.birthdayCalendar = birthdayCalendar
        self.unknownCalendar = unknownCalendar
        self.cycleDays = cycleDays
        self.alarm = alarm
        self.tags = tags
        self.isFavourite = isFavourite
        self.account = account
    }
}

/// The calendar in which a birthday is written.
public enum BirthdayCalendar: Hashable, Sendable {
    /// The Gregorian calendar.
    case solar
    /// The Korean lunar calendar. In some years a month occurs twice; the second one is the leap month.
    case lunar(isLeapMonth: Bool)
}

/// One unreadable contact. The rest of the file is still read.
public struct UnreadableContact: Error, Sendable, Equatable {
    /// The line in which the contact begins, counted from 1.
    public var line: Int
    /// A sentence that people can read.
    public var reason: String

    /// Creates a problem with its line and reason.
    public init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }
}

/// A file that cannot be read at all, or not to its end.
public struct UnreadableFile: Error, Sendable, Equatable, CustomStringConvertible {
    /// A sentence that says what is wrong and what to do.
    public var reason: String

    /// Creates a problem with its reason.
    public init(reason: String) {
        self.reason = reason
    }

    public var description: String { reason }
}

/// The outcome of reading one contact.
package typealias ContactResult = Result<ContactCard, UnreadableContact>
