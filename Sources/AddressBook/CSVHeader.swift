/// What the columns of a table mean.
///
/// Understood are plain names in English and Korean, and both forms in which Google Contacts exports.
struct CSVHeader {
    private enum Column: Equatable {
        case fullName, familyName, givenName, additionalName, nickname, birthday, cycleDays, alarm
        /// A column of phone numbers, all of one kind.
        case phone(label: String)
        /// Numbers, and of what kind they are in another column of the same number.
        case numberedPhone(Int)
        case phoneLabel(Int)
        case ignored
    }

    private static let meanings: [String: Column] = [
        "name": .fullName, "이름": .fullName,
        "last name": .familyName, "family name": .familyName, "성": .familyName,
        "first name": .givenName, "given name": .givenName,
        "middle name": .additionalName, "additional name": .additionalName,
        "nickname": .nickname, "별명": .nickname,
        "birthday": .birthday, "생일": .birthday,
        "cycle_days": .cycleDays, "cycle days": .cycleDays, "cycle": .cycleDays, "주기": .cycleDays,
        "alarm": .alarm, "알림": .alarm,
        "phone": .phone(label: ""), "전화번호": .phone(label: ""),
        "휴대폰": .phone(label: "휴대폰"), "휴대전화": .phone(label: "휴대전화"),
    ]

    /// Between several values in one cell, in Google's exports.
    private static let valueSeparator = " ::: "

    private let columns: [Column]

    /// - Throws: ``UnreadableFile`` when there is no column for the name or for the phone.
    init(_ row: CSVRow) throws {
        guard row.isUTF8 else {
            throw UnreadableFile(reason: "the header of the table is not UTF-8: save as UTF-8")
        }
        guard !row.hasTooManyCells else {
            let reason = "the table has more than \(CSVRowParser.mostCells) columns: this is no address book"
            throw UnreadableFile(reason: reason)
        }
        let titles = row.cells.map { $0.trimmed.lowercased() }
        var columns = titles.map(Self.meaning)
        // Beside a column for the family name, 이름 is the given name.
        if columns.contains(.familyName) {
            for (index, title) in titles.enumerated() where title == "이름" { columns[index] = .givenName }
        }
        self.columns = columns
        try requireColumns(titles: row.cells)
    }

    /// The contact in a row, or nil when the row is empty.
    func contact(in row: CSVRow) -> ContactResult? {
        if let reason = problem(in: row) { return .failure(UnreadableContact(line: row.line, reason: reason)) }
        if row.cells.allSatisfy(\.isBlank) { return nil }
        var card = ContactCard(line: row.line)
        var parts = NameParts()
        for (column, text) in zip(columns, row.cells) where !text.isBlank {
            switch column {
            case .fullName: card.name = card.name ?? text
            case .familyName: parts.family = text
            case .givenName: parts.given = text
            case .additionalName: parts.additional = text
            case .nickname: card.nickname = card.nickname ?? text
            case .birthday: card.birthday = card.birthday ?? text
            case .cycleDays: card.cycleDays = card.cycleDays ?? text
            case .alarm: card.alarm = card.alarm ?? text
            case .phone, .numberedPhone, .phoneLabel, .ignored: break
            }
        }
        card.name = card.name ?? parts.formatted
        card.phones = phones(in: row)
        return .success(card)
    }

    private func problem(in row: CSVRow) -> String? {
        if !row.isUTF8 { return "the row is not UTF-8: save the table as UTF-8" }
        if row.hasTooManyCells { return "the row has more than \(CSVRowParser.mostCells) cells" }
        if row.cells.count > columns.count, !row.cells.allSatisfy(\.isBlank) {
            return """
                the row has \(row.cells.count) cells, but the header only \(columns.count): put cells that hold the separator \
                into quotes
                """
        }
        return nil
    }

    private func phones(in row: CSVRow) -> [String] {
        var labels: [Int: String] = [:]
        for case (.phoneLabel(let number), let text) in zip(columns, row.cells) { labels[number] = text }
        var phones = PhoneList()
        for (column, text) in zip(columns, row.cells) {
            let label: String
            switch column {
            case .phone(let ofColumn): label = ofColumn
            case .numberedPhone(let number): label = labels[number] ?? ""
            default: continue
            }
            for value in text.split(separator: Self.valueSeparator) { phones.add(String(value), labels: [label]) }
        }
        return phones.bestFirst
    }

    private static func meaning(of title: String) -> Column {
        meanings[title] ?? numberedPhone(title) ?? .ignored
    }

    /// Google's `Phone 1 - Value` with its `Phone 1 - Label`, in older exports `Phone 1 - Type`.
    private static func numberedPhone(_ title: String) -> Column? {
        let words = title.split(separator: " ")
        guard words.count == 4, words[0] == "phone", let number = Int(words[1]), words[2] == "-" else { return nil }
        switch words[3] {
        case "value": return .numberedPhone(number)
        case "label", "type": return .phoneLabel(number)
        default: return nil
        }
    }

    private func requireColumns(titles: [String]) throws {
        let names: [Column] = [.fullName, .familyName, .givenName]
        let hasName = columns.contains { names.contains($0) }
        let hasPhone = columns.contains { column in
            switch column {
            case .phone, .numberedPhone: true
            default: false
            }
        }
        if hasName, hasPhone { return }
        let missing = hasName ? "phone" : hasPhone ? "name" : "name and no column for the phone"
        let found = titles.prefix(12).map { String($0.prefix(40)).debugDescription }.joined(separator: ", ")
        throw UnreadableFile(
            reason: """
                the table has no column for the \(missing): its first line must name the columns. Found: \(found). \
                Understood for the name: name, First Name, Given Name, Last Name, Family Name, 이름, 성; for the phone: phone, \
                Phone 1 - Value, 전화번호, 휴대폰, 휴대전화
                """
        )
    }
}
