/// A field of a contact in a table or in JSON Lines. The raw value is its name in our own tables and in ``ColumnMap``.
enum ContactField: String, CaseIterable, Sendable {
    case name
    case familyName = "family_name"
    case givenName = "given_name"
    case middleName = "middle_name"
    case nickname, phone, birthday
    case birthdayCalendar = "birthday_calendar"
    case cycleDays = "cycle_days"
    case alarm, tags, favourite, account
}

/// A contact whose fields are being collected.
struct ContactDraft {
    private var card: ContactCard
    private var parts = NameParts()
    private var calendar: String?

    var phones: [String] {
        get { card.phones }
        set { card.phones = Array(newValue.prefix(ContactCard.mostPhones)) }
    }

    var tags: [String] {
        get { card.tags }
        set { card.tags = Array(newValue.prefix(ContactCard.mostTags)) }
    }

    /// Starts a contact at a line of the file.
    init(line: Int) {
        card = ContactCard(line: line)
    }

    /// Sets a field other than phones or tags. The first text given for a field wins; for a favourite, any yes counts.
    ///
    /// - Parameter text: Not blank.
    mutating func take(_ text: String, as field: ContactField) {
        switch field {
        case .name: card.name = card.name ?? text
        case .familyName: if parts.family.isEmpty { parts.family = text }
        case .givenName: if parts.given.isEmpty { parts.given = text }
        case .middleName: if parts.additional.isEmpty { parts.additional = text }
        case .nickname: card.nickname = card.nickname ?? text
        case .birthday: if card.birthday == nil, !Self.isNoDay(text) { card.birthday = text }
        case .birthdayCalendar: calendar = calendar ?? text
        case .cycleDays: card.cycleDays = card.cycleDays ?? text
        case .alarm: card.alarm = card.alarm ?? text
        case .account: card.account = card.account ?? text
        case .favourite: card.isFavourite = card.isFavourite || Self.isYes(text)
        case .phone, .tags: break
        }
    }

    /// Returns the contact once all fields are set.
    func finished() -> ContactCard {
        var card = card
        card.name = card.name ?? parts.formatted
        guard let calendar, card.birthday != nil else { return card }
        if let known = BirthdayReader.calendar(calendar) {
            card.birthdayCalendar = known
        } else {
            card.unknownCalendar = calendar
        }
        return card
    }

    private static func isYes(_ text: String) -> Bool {
        ["true", "yes", "y", "1", "예"].contains(text.trimmed.lowercased())
    }

    /// Whether a birthday is an exporter's placeholder for none: `0/0/00` in Outlook, `0000-00-00` or `-` elsewhere.
    private static func isNoDay(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0"), UInt8(ascii: "/"), UInt8(ascii: "-"), Byte.period, Byte.space: true
            default: false
            }
        }
    }
}
