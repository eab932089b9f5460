/// One contact as an address book has it.
///
/// Its texts are freed of the file's wrapping (folds, escapes, quotes) and otherwise untouched: nothing is trimmed, checked or
/// brought into another form. What is absent or blank is nil.
public struct ContactCard: Sendable, Equatable {
    /// The most phone numbers of one contact; what the file has beyond them is left out.
    public static let mostPhones = 100
    /// The most tags of one contact; what the file has beyond them is left out.
    public static let mostTags = 100

    /// The line of the file in which the contact begins, counted from 1.
    public var line: Int
    /// The formatted name; where there is none, it is put together from family and given name.
    public var name: String?
    /// What the owner of the address book calls the contact.
    public var nickname: String?
    /// Phone numbers as written, the best first: mobile before others, preferred before others of its kind. Fax numbers and
    /// pagers are left out. ``mostPhones`` at most.
    public var phones: [String]
    /// The birthday as written, such as `1994-05-21` or `--0521`; `--05-21` where Apple marks the year as left out.
    public var birthday: String?
    /// The calendar in which the file says that the birthday is written.
    public var birthdayCalendar: BirthdayCalendar
    /// What the file says of the calendar, as written, where that names none: nobody knows then which day is meant.
    public var unknownCalendar: String?
    /// The cycle in days as written; only tables and JSON Lines have it.
    public var cycleDays: String?
    /// The alarm time as written; only tables and JSON Lines have it.
    public var alarm: String?
    /// The groups, labels or categories to which the address book counts the contact, in the order of the file. Groups that
    /// a service makes by itself, such as Google's `* myContacts`, are left out. ``mostTags`` at most.
    public var tags: [String]
    /// Whether the contact is marked as a favourite; only tables and JSON Lines say so.
    public var isFavourite: Bool
    /// The e-mail or id of the account whose friend it is; only tables and JSON Lines for several accounts have it.
    public var account: String?

    /// A contact in the given line.
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
    /// The Korean lunar calendar. In some years a month comes twice; the second of them is the leap month.
    case lunar(isLeapMonth: Bool)
}

/// One contact that cannot be read. The others of the file still come.
public struct UnreadableContact: Error, Sendable, Equatable {
    /// The line of the file in which the contact begins, counted from 1.
    public var line: Int
    /// A sentence for a person.
    public var reason: String

    /// A contact that cannot be read, for a reason.
    public init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }
}

/// A file that cannot be read at all, or not to its end.
public struct UnreadableFile: Error, Sendable, Equatable, CustomStringConvertible {
    /// A sentence that says what is wrong and what to do.
    public var reason: String

    /// A file that cannot be read, for a reason.
    public init(reason: String) {
        self.reason = reason
    }

    /// The reason.
    public var description: String { reason }
}

/// What becomes of one contact of the file.
package typealias ContactResult = Result<ContactCard, UnreadableContact>
