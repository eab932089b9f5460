/// Puts a contact together from the properties of its vCard.
struct VCardContact {
    /// The contact.
    private(set) var card: ContactCard

    /// What Google calls the groups that it makes by itself.
    private static let madeByService: Set<String> = ["mycontacts", "starred"]

    private var nameFromParts: String?
    private var androidNickname: String?
    private var phones = PhoneList()
    private var birthday = VCardBirthday()
    /// What Apple calls the properties of a group.
    private let labels: [String: [String]]

    /// The contact that begins in a line of the file.
    init(line: Int, properties: [VCardProperty]) {
        card = ContactCard(line: line)
        let labels = properties.filter { $0.name == "X-ABLABEL" && $0.group != nil }
        self.labels = Dictionary(grouping: labels, by: { $0.group ?? "" }).mapValues { $0.map(\.text) }
        for property in Self.preferredFirst(properties) { take(property) }
        card.name = card.name ?? nameFromParts
        card.nickname = card.nickname ?? androidNickname
        card.phones = phones.bestFirst
        card.birthday = birthday.text
        card.birthdayCalendar = birthday.calendar
        let categories = properties.filter { $0.name == "CATEGORIES" }.flatMap(\.list)
        card.tags = categories.filter { !$0.isBlank && !Self.madeByService.contains($0.trimmed.lowercased()) }
    }

    private static func preferredFirst(_ properties: [VCardProperty]) -> [VCardProperty] {
        properties.enumerated()
            .sorted { ($0.element.preference, $0.offset) < ($1.element.preference, $1.offset) }
            .map(\.element)
    }

    /// The first of several properties of the same name counts, unless it is blank; of phones all.
    private mutating func take(_ property: VCardProperty) {
        switch property.name {
        case "FN": card.name = card.name ?? property.text.unlessBlank
        case "N": nameFromParts = nameFromParts ?? property.nameParts.formatted
        case "NICKNAME": card.nickname = card.nickname ?? property.firstOfList
        case "TEL": phones.add(property.phoneNumber, labels: phoneLabels(property))
        case "X-ANDROID-CUSTOM": takeAndroidRow(property)
        default: birthday.take(property)
        }
    }

    /// What kinds of phone it is.
    private func phoneLabels(_ property: VCardProperty) -> [String] {
        let preferred = property.preference <= 100 ? ["pref"] : []
        return property.parameterValues("TYPE") + preferred + (property.group.flatMap { labels[$0] } ?? [])
    }

    /// Android writes what vCard 2.1 has no property for as rows of its database: what it is, then the columns.
    private mutating func takeAndroidRow(_ property: VCardProperty) {
        let columns = property.components(3)
        guard columns.count > 1 else { return }
        if columns[0] == "vnd.android.cursor.item/nickname" {
            androidNickname = androidNickname ?? columns[1].unlessBlank
        } else if columns.count > 2 {
            birthday.takeAndroidEvent(kind: columns[0], day: columns[1], type: columns[2].trimmed)
        }
    }
}
