/// Maps columns to fields, as the header row says.
struct CSVHeader {
    private let columnCount: Int
    private var phones: CSVPhoneColumns
    // Only columns with a meaning, so the cost of a row does not depend on the others.
    private var texts: [(column: Int, field: ContactField)] = []
    private var tags: [(column: Int, notation: TagNotation)] = []

    /// - Parameter columns: The meanings of columns whose titles are not recognized.
    /// - Throws: ``UnreadableFile`` if the header is unreadable, lacks a column for the name or the phone, or lacks a
    ///   title that the map names.
    init(_ row: CSVRow, columns: ColumnMap) throws {
        try Self.require(row)
        let titles = (0..<row.count).map { row.text($0) }
        let meanings = try CSVMeaning.meanings(of: titles, columns: columns)
        columnCount = row.count
        phones = CSVPhoneColumns(meanings)
        for (column, meaning) in meanings.enumerated() {
            switch meaning {
            case .text(let field)?: texts.append((column, field))
            case .tags(let notation)?: tags.append((column, notation))
            default: break
            }
        }
        try requireColumns(titles: titles, hasTitles: meanings.contains { $0 != nil })
    }

    /// Checks that a row can be a header.
    ///
    /// - Throws: ``UnreadableFile``.
    static func require(_ row: CSVRow) throws {
        guard row.isUTF8 else {
            throw UnreadableFile(reason: "the header of the table is not UTF-8: save as UTF-8")
        }
        guard !row.hasTooManyCells else {
            let reason = "the table has more than \(CSVRowParser.mostCells) columns: save the ones that are needed"
            throw UnreadableFile(reason: reason)
        }
    }

    /// The contact in a row; nil if the row is empty.
    mutating func contact(in row: CSVRow) -> ContactResult? {
        if let reason = Self.problem(in: row, columnCount: columnCount) {
            return .failure(UnreadableContact(line: row.line, reason: reason))
        }
        var draft = ContactDraft(line: row.line)
        var isEmpty = true
        for (column, field) in texts where !row.isBlank(column) {
            draft.take(row.text(column), as: field)
            isEmpty = false
        }
        for (column, notation) in tags where !row.isBlank(column) {
            draft.tags += notation.tags(in: row.text(column))
            isEmpty = false
        }
        draft.phones = phones.numbers(in: row)
        // A row may hold only data that is not imported, such as an e-mail address. Checking all cells is slow, so it
        // comes last.
        if isEmpty, draft.phones.isEmpty, row.isBlank { return nil }
        return .success(draft.finished())
    }

    /// Why a row cannot be read; nil if it can.
    static func problem(in row: CSVRow, columnCount: Int) -> String? {
        if !row.isUTF8 { return "the row is not UTF-8: save the table as UTF-8" }
        if row.hasTooManyCells { return "the row has more than \(CSVRowParser.mostCells) cells" }
        if row.count > columnCount, (columnCount..<row.count).contains(where: { !row.isBlank($0) }) {
            return """
                the row has \(row.count) cells, but the header only \(columnCount): put cells that hold the separator \
                into quotes
                """
        }
        return nil
    }

    private func requireColumns(titles: [String], hasTitles: Bool) throws {
        let names: [ContactField] = [.name, .familyName, .givenName]
        let hasName = texts.contains { names.contains($0.field) }
        let hasPhone = !phones.isEmpty
        if hasName, hasPhone { return }
        let missing = hasName ? "phone" : hasPhone ? "name" : "name and no column for the phone"
        throw UnreadableFile(
            reason: """
                the table has no column for the \(missing): its first line must name the columns. Found: \
                \(CSVMeaning.listing(of: titles, hasTitles: hasTitles)). Understood for the name: name, First Name, Given Name, Last Name, \
                Family Name, 이름, 성; for the phone: phone, Mobile Phone, Phone 1 - Value, 전화번호, 휴대폰, 휴대전화. \
                Other titles are named with --map, such as --map name=성함,phone=연락처
                """
        )
    }
}
