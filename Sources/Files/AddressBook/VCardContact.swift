/// Builds a contact from the properties of its vCard.
struct VCardContact {
    private(set) var card: ContactCard

    /// Names of groups that Google creates automatically.
    private static let madeByService: Set<String> = ["mycontacts", "starred"]

    private var nameFromParts: String?
    private var androidNickname: String?
    private var phones = PhoneList()
    private var birthday = VCardBirthday()
    /// What Apple's labels say about each group's phones. Parsed once per label, however many phones the group has.
    private var groupTraits: [String: PhoneTraits] = [:]

    /// Builds the contact that begins in a line of the file.
    init(line: Int, properties: [VCardProperty]) {
        card = ContactCard(line: line)
        for label in properties where label.name == "X-ABLABEL" {
            guard let group = label.group else { continue }
            groupTraits[group, default: []].formUnion(PhoneTraits(label: label.text))
        }
        for property in Self.preferredFirst(properties) { take(property) }
        card.name = card.name ?? nameFromParts
        card.nickname = card.nickname ?? androidNickname
        card.phones = phones.bestFirst
        card.birthday = birthday.text
        card.birthdayCalendar = birthday.calendar
        let categories = properties.filter { $0.name == "CATEGORIES" }.flatMap(\.list)
        let tags = categories.filter { !$0.isBlank && !Self.madeByService.contains($0.trimmed.lowercased()) }
        card.tags = Array(tags.prefix(ContactCard.mostTags))
    }

    private static func preferredFirst(_ properties: [VCardProperty]) -> [VCardProperty] {
        properties.enumerated()
            .sorted { ($0.element.preference, $0.offset) < ($1.element.preference, $1.offset) }
            .map(\.element)
    }

    /// Among properties of the same name, the first non-blank one counts; phones all count.
    private mutating func take(_ property: VCardProperty) {
        switch property.name {
        case "FN": card.name = card.name ?? property.text.unlessBlank
        case "N": nameFromParts = nameFromParts ?? property.nameParts.formatted
        case "NICKNAME": card.nickname = card.nickname ?? property.firstOfList
        case "TEL": phones.add(property.phoneNumber, traits: phoneTraits(property))
        case "X-ANDROID-CUSTOM": takeAndroidRow(property)
        default: birthday.take(property)
        }
    }

    /// What the number's preference, types and Apple label say.
    private func phoneTraits(_ property: VCardProperty) -> PhoneTraits {
        var traits = property.group.flatMap { groupTraits[$0] } ?? []
        if property.preference <= 100 { traits.insert(.preferred) }
        for type in property.parameterValues("TYPE") { traits.formUnion(PhoneTraits(label: type)) }
        return traits
    }

    /// Android exports what vCard 2.1 lacks as rows of its database: the MIME type, then the columns.
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
