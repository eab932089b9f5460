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
        /// What its title says of all its numbers.
        let traits: PhoneTraits
        /// Where each row says of what kind its number is.
        let labelColumn: Int?
    }

    private let columns: [Column]
    /// What the labels of the rows so far say, since most rows have the same few.
    private var knownLabels: [String: PhoneTraits] = [:]

    /// - Parameter meanings: What the columns of the table mean; nil for those that mean nothing.
    init(_ meanings: [CSVMeaning?]) {
        var labelColumns: [Int: Int] = [:]
        for case (let index, .phoneLabel(let number)?) in meanings.enumerated() { labelColumns[number] = index }
        columns = meanings.enumerated().compactMap { index, meaning -> Column? in
            switch meaning {
            case .phone(let isMobile)?: Column(index: index, traits: isMobile ? .mobile : [], labelColumn: nil)
            case .numberedPhone(let number)?: Column(index: index, traits: [], labelColumn: labelColumns[number])
            default: nil
            }
        }
    }

    var isEmpty: Bool { columns.isEmpty }

    /// The numbers in a row, the best first.
    mutating func numbers(in row: CSVRow) -> [String] {
        var phones = PhoneList()
        for column in columns where !row.isBlank(column.index) {
            let traits = self.traits(of: column, in: row)
            for number in row.text(column.index).googleValues { phones.add(number, traits: traits) }
        }
        return phones.bestFirst
    }

    private mutating func traits(of column: Column, in row: CSVRow) -> PhoneTraits {
        guard let labelColumn = column.labelColumn, !row.isBlank(labelColumn) else { return column.traits }
        let label = row.text(labelColumn)
        if let known = knownLabels[label] { return known }
        let traits = PhoneTraits(label: label)
        // A table that means harm has no end of labels, or endless ones.
        if knownLabels.count < 100, label.utf8.count <= 100 { knownLabels[label] = traits }
        return traits
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
