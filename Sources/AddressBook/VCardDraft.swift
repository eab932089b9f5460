/// A vCard while it is read.
struct VCardDraft {
    /// The most bytes of names, numbers and birthday in one card: 1 MiB.
    static let mostBytes = 1024 * 1024

    private let line: Int
    private var version: String?
    private var formattedName: String?
    private var nameFromParts: String?
    private var nickname: String?
    private var birthday: String?
    private var phones = PhoneList()
    private var bytesTaken = 0
    private var problem: String?

    /// A card that begins in a line of the file.
    init(line: Int) {
        self.line = line
    }

    /// Takes the next line of the card.
    ///
    /// - Parameter property: What the line says; nil when it is not needed or is no property.
    mutating func take(_ property: VCardProperty?, from logicalLine: LogicalLine) {
        bytesTaken += logicalLine.bytes.count
        problem = problem ?? Self.problem(property, in: logicalLine)
        if bytesTaken > Self.mostBytes { problem = problem ?? "the card has more than 1 MiB of names and numbers" }
        guard let property else { return }
        if property.name == "VERSION" {
            version = version ?? property.text.trimmed
        } else if problem == nil {
            take(property)
        }
    }

    /// The contact, at the end of the card.
    func finished() -> ContactResult {
        if let reason = versionProblem ?? problem {
            return .failure(UnreadableContact(line: line, reason: reason))
        }
        return .success(
            ContactCard(
                line: line,
                name: formattedName ?? nameFromParts,
                nickname: nickname,
                phones: phones.bestFirst,
                birthday: birthday
            )
        )
    }

    /// The contact, when the card has no end.
    func withoutEnd() -> ContactResult {
        .failure(UnreadableContact(line: line, reason: "the card has no end: END:VCARD is missing"))
    }

    /// The first of several properties of the same name counts, unless it is blank; of phones all.
    private mutating func take(_ property: VCardProperty) {
        switch property.name {
        case "FN": formattedName = formattedName ?? property.text.unlessBlank
        case "N": nameFromParts = nameFromParts ?? property.nameParts.formatted
        case "NICKNAME": nickname = nickname ?? property.firstOfList
        case "BDAY": birthday = birthday ?? property.birthday.unlessBlank
        case "TEL": phones.add(property.text, labels: property.types)
        default: break
        }
    }

    private var versionProblem: String? {
        switch version {
        case "3.0"?: nil
        case let version?: "vCard \(version) is not read yet, export as 3.0"
        case nil: "the card does not say its version, export as vCard 3.0"
        }
    }

    private static func problem(_ property: VCardProperty?, in line: LogicalLine) -> String? {
        if !line.isUTF8 { return "line \(line.number) is not UTF-8: export the contact once more, as UTF-8" }
        if line.isTooLong { return "line \(line.number) is too long for a name or a number" }
        if property?.isQuotedPrintable == true {
            return "line \(line.number) is quoted-printable, which vCard 3.0 does not have: export as 3.0"
        }
        // A line without a name is what is left of a note that was folded badly. A phone number without a colon is a loss.
        if property == nil, !line.isDropped, let name = VCardProperty.name(in: line.bytes) {
            return "line \(line.number) gives no \(name): a colon or a closing quote is missing"
        }
        return nil
    }
}
