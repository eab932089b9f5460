/// Recognizes the titles of our own table (English and Korean), Google Contacts (current and older), Outlook (English
/// and Korean), Naver and Remember. `fixtures/address-books/README.md` gives the sources.
extension CSVMeaning {
    private static let texts: [String: ContactField] = [
        "name": .name, "fullname": .name, "이름": .name, "전체이름": .name,
        "lastname": .familyName, "familyname": .familyName, "성": .familyName,
        "firstname": .givenName, "givenname": .givenName,
        "middlename": .middleName, "additionalname": .middleName, "중간이름": .middleName,
        "nickname": .nickname, "별명": .nickname, "닉네임": .nickname, "애칭": .nickname,
        "birthday": .birthday, "생일": .birthday, "생년월일": .birthday,
        "birthdaycalendar": .birthdayCalendar, "음력/양력": .birthdayCalendar, "양력/음력": .birthdayCalendar,
        "달력": .birthdayCalendar,
        "cycledays": .cycleDays, "cycle": .cycleDays, "주기": .cycleDays,
        "alarm": .alarm, "alarmtime": .alarm, "알림": .alarm,
        "favourite": .favourite, "favorite": .favourite, "즐겨찾기": .favourite,
        "account": .account, "계정": .account,
    ]

    private static let tags: [String: TagNotation] = [
        "labels": .google, "groupmembership": .google,
        "tags": .plain, "categories": .plain, "태그": .plain, "그룹": .plain, "그룹명": .plain, "추가그룹명": .plain,
        "범주": .plain, "범주항목": .plain,
    ]

    /// Without fax and pager columns: nobody answers there.
    private static let mobilePhones: Set = [
        "mobile", "mobilephone", "휴대폰", "휴대전화", "핸드폰", "휴대폰번호", "휴대전화번호", "핸드폰번호", "추가휴대폰번호",
    ]

    private static let otherPhones: Set = [
        "phone", "phonenumber", "primaryphone", "homephone", "businessphone", "companymainphone", "otherphone",
        "carphone", "radiophone",
        "전화", "전화번호", "기본전화", "집전화", "집전화번호", "회사전화", "회사전화번호", "근무처전화", "회사대표전화",
        "기타전화", "카폰", "무선전화",
    ]

    /// The meanings of columns with these titles; nil for unknown titles.
    ///
    /// - Throws: ``UnreadableFile`` if no column has a title that the map names.
    static func meanings(of titles: [String], columns: ColumnMap) throws -> [CSVMeaning?] {
        let keys = titles.map(key(of:))
        var meanings = keys.map(meaning(ofKey:))
        // If another column holds the family name, 이름 is the given name.
        if meanings.contains(.text(.familyName)) || columns.title(of: .familyName) != nil {
            for index in keys.indices where keys[index] == "이름" { meanings[index] = .text(.givenName) }
        }
        // Outlook's account is a customer number.
        if keys.contains("telex") || keys.contains("텔렉스") {
            for index in meanings.indices where meanings[index] == .text(.account) { meanings[index] = nil }
        }
        return try meanings.mapped(by: columns, titles: titles)
    }

    /// Lists the titles for a message. If none is recognized, the first line may be personal data, which messages must
    /// not reveal.
    static func listing(of titles: [String], hasTitles: Bool) -> String {
        guard hasTitles else { return "no title that is understood" }
        return titles.prefix(12).map { String($0.prefix(40)).debugDescription }.joined(separator: ", ")
    }

    /// Normalizes a title for comparison. Exporters vary the spaces in 집 전화, and people write cycle_days, Cycle Days or
    /// cycle-days. Swift compares strings by canonical equivalence, so NFC and NFD are equal.
    private static func key(of title: String) -> String {
        title.lowercased().filter { !$0.isWhitespace && $0 != "_" && $0 != "-" }
    }

    private static func meaning(ofKey key: String) -> CSVMeaning? {
        if let field = texts[key] { return .text(field) }
        // Further columns of one kind are numbered: Home Phone 2, 추가그룹명1.
        var stem = key
        while stem.last?.isNumber == true { stem.removeLast() }
        if let notation = tags[stem] { return .tags(notation) }
        if mobilePhones.contains(stem) { return .phone(isMobile: true) }
        if otherPhones.contains(stem) { return .phone(isMobile: false) }
        return numberedPhone(ofKey: key)
    }

    /// Google's `Phone 1 - Value` with its `Phone 1 - Label`, or `Phone 1 - Type` in older exports.
    private static func numberedPhone(ofKey key: String) -> CSVMeaning? {
        guard key.hasPrefix("phone") else { return nil }
        let digits = key.dropFirst("phone".count).prefix { $0.isNumber }
        guard let number = Int(digits) else { return nil }
        switch key[digits.endIndex...] {
        case "value": return .numberedPhone(number)
        case "label", "type": return .phoneLabel(number)
        default: return nil
        }
    }
}

extension [CSVMeaning?] {
    /// Applies the columns that a map names.
    fileprivate func mapped(by columns: ColumnMap, titles: [String]) throws -> [CSVMeaning?] {
        var meanings: [CSVMeaning?] = map { meaning in
            meaning.flatMap { columns.title(of: $0.field) == nil ? $0 : nil }
        }
        for entry in columns.titles {
            let wanted = Self.folded(entry.title)
            let found = titles.indices.filter { !wanted.isEmpty && Self.folded(titles[$0]) == wanted }
            guard !found.isEmpty else {
                let reason = """
                    the table has no column \(entry.title.debugDescription), which --map or --cycle-column names for \
                    \(entry.field.rawValue): write the title as the first line of the table has it. Found: \
                    \(CSVMeaning.listing(of: titles, hasTitles: contains { $0 != nil }))
                    """
                throw UnreadableFile(reason: reason)
            }
            // A column mapped to the field that it already means keeps its notation.
            for index in found {
                meanings[index] = self[index]?.field == entry.field ? self[index] : CSVMeaning(entry.field)
            }
        }
        return meanings
    }

    private static func folded(_ title: String) -> String {
        title.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
