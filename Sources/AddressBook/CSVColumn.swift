/// What a column of a table means.
enum CSVMeaning: Equatable {
    /// A text that is neither a phone number nor a list of tags.
    case text(ContactField)
    case tags(TagNotation)
    /// Phone numbers, all of one kind.
    case phone(isMobile: Bool)
    /// Phone numbers, and of what kind they are in the column of labels with the same number.
    case numberedPhone(Int)
    case phoneLabel(Int)

    /// What a column means that was named for a field.
    init(_ field: ContactField) {
        switch field {
        case .phone: self = .phone(isMobile: false)
        case .tags: self = .tags(.plain)
        default: self = .text(field)
        }
    }

    var field: ContactField {
        switch self {
        case .text(let field): field
        case .tags: .tags
        case .phone, .numberedPhone, .phoneLabel: .phone
        }
    }
}

/// How several tags stand in one cell.
enum TagNotation: Equatable {
    /// Separated by commas or semicolons.
    case plain
    /// Separated by ` ::: `. Those that begin with a star are Google's own: `* myContacts`, `* starred`.
    case google

    /// The tags in a cell, in their order.
    func tags(in text: String) -> [String] {
        switch self {
        case .plain:
            text.split { $0 == "," || $0 == ";" }.map(\.trimmed).filter { !$0.isEmpty }
        case .google:
            text.googleValues.map(\.trimmed).filter { !$0.hasPrefix("* ") }
        }
    }
}

/// The columns of a table that hold phone numbers.
struct CSVPhoneColumns {
    private struct Column {
        let index: Int
        let isMobile: Bool
        /// Where each row says of what kind its number is.
        let labelColumn: Int?
    }

    /// Mobiles first, unless each row says of what kind its numbers are.
    private let columns: [Column]
    private let haveLabels: Bool

    /// - Parameter meanings: What the columns of the table mean; nil for those that mean nothing.
    init(_ meanings: [CSVMeaning?]) {
        var labelColumns: [Int: Int] = [:]
        for case (let index, .phoneLabel(let number)?) in meanings.enumerated() { labelColumns[number] = index }
        let columns = meanings.enumerated().compactMap { index, meaning -> Column? in
            switch meaning {
            case .phone(let isMobile)?: Column(index: index, isMobile: isMobile, labelColumn: nil)
            case .numberedPhone(let number)?:
                Column(index: index, isMobile: false, labelColumn: labelColumns[number])
            default: nil
            }
        }
        haveLabels = columns.contains { $0.labelColumn != nil }
        self.columns = haveLabels ? columns : columns.filter(\.isMobile) + columns.filter { !$0.isMobile }
    }

    var isEmpty: Bool { columns.isEmpty }

    /// The numbers in a row, the best first.
    func numbers(in row: CSVRow) -> [String] {
        if haveLabels { return labelledNumbers(in: row) }
        var numbers: [String] = []
        for column in columns where !row.isBlank(column.index) {
            numbers += row.text(column.index).googleValues
        }
        return numbers
    }

    private func labelledNumbers(in row: CSVRow) -> [String] {
        var phones = PhoneList()
        for column in columns where !row.isBlank(column.index) {
            let label = column.labelColumn.map { row.text($0) } ?? (column.isMobile ? "mobile" : "")
            for number in row.text(column.index).googleValues { phones.add(number, labels: [label]) }
        }
        return phones.bestFirst
    }
}

extension String {
    private static let googleSeparator = " ::: "

    /// The values in one cell of Google's exports, without blank ones.
    fileprivate var googleValues: [String] {
        // To search for a text takes long, and most cells hold one value.
        guard utf8.contains(Byte.colon) else { return [self] }
        return split(separator: Self.googleSeparator).map { String($0) }.filter { !$0.isBlank }
    }
}
