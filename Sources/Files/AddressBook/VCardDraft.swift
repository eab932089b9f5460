/// A vCard being read. Any of its lines may declare the version, which determines what the others mean.
struct VCardDraft {
    /// The limit for names, numbers, birthdays and categories of one card: 1 MiB.
    static let mostBytes = 1024 * 1024

    private let line: Int
    private var version: String?
    private var isGroup = false
    private var lines: [LogicalLine] = []
    private var bytesTaken = 0
    private var problem: String?

    /// Starts a card at a line of the file.
    init(line: Int) {
        self.line = line
    }

    /// Whether a line so far declares vCard 2.1.
    var isKnownAsOld: Bool { version == "2.1" }

    /// Takes the next line of the card.
    mutating func take(_ logicalLine: LogicalLine) {
        problem = problem ?? Self.problem(in: logicalLine)
        guard logicalLine.isNeeded, logicalLine.value != nil else { return }
        switch logicalLine.name {
        case "VERSION": version = version ?? logicalLine.keyword?.unlessBlank
        case "KIND", "X-ADDRESSBOOKSERVER-KIND": isGroup = isGroup || logicalLine.keyword == "GROUP"
        default: keep(logicalLine)
        }
    }

    /// Returns the contact at the end of the card; nil if the card is a group of contacts.
    func finished() -> ContactResult? {
        if isGroup { return nil }
        if let reason = versionProblem ?? problem { return failure(reason) }
        var properties = lines.compactMap { VCardProperty($0) }
        let isOld = isKnownAsOld || version == nil && properties.contains(where: \.isWrittenAsOld)
        for index in properties.indices { properties[index].isOld = isOld }
        if let property = properties.first(where: { !$0.isReadable }) { return failure(property.unreadableReason) }
        return .success(VCardContact(line: line, properties: properties).card)
    }

    /// The failure for a card without an end.
    func withoutEnd() -> ContactResult {
        failure("the card has no end: END:VCARD is missing")
    }

    private mutating func keep(_ logicalLine: LogicalLine) {
        bytesTaken += logicalLine.bytes.count
        if bytesTaken > Self.mostBytes { problem = problem ?? "the card has more than 1 MiB of names and numbers" }
        lines.append(logicalLine)
        // A card with a problem yields no contact: free its lines.
        if problem != nil { lines = [] }
    }

    private func failure(_ reason: String) -> ContactResult {
        .failure(UnreadableContact(line: line, reason: reason))
    }

    /// A missing version is no problem: the syntax reveals it.
    private var versionProblem: String? {
        guard let version, !["2.1", "3.0", "4.0"].contains(version) else { return nil }
        return "vCard \(version.prefix(20)) is not known: export as vCard 3.0"
    }

    private static func problem(in line: LogicalLine) -> String? {
        if !line.isUTF8 { return "line \(line.number) is not UTF-8: export the contact once more, as UTF-8" }
        if line.isTooLong { return "line \(line.number) is too long for a name or a number" }
        // A line without a name is the rest of a badly folded note. A phone without a colon must be reported, or it
        // would be lost.
        if line.isNeeded, line.colon == nil, let name = line.name {
            return "line \(line.number) gives no \(name): a colon or a closing quote is missing"
        }
        return nil
    }
}
