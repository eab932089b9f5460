/// The meaning of a table column.
enum CSVMeaning: Equatable {
    /// A text other than phone numbers or tags.
    case text(ContactField)
    case tags(TagNotation)
    /// Phone numbers, all of one kind.
    case phone(isMobile: Bool)
    /// Phone numbers whose kind is in the label column with the same number.
    case numberedPhone(Int)
    case phoneLabel(Int)

    /// The meaning of a column that a map assigns to a field.
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

/// How one cell lists several tags.
enum TagNotation: Equatable {
    /// Separated by commas or semicolons.
    case plain
    /// Separated by ` ::: `. Google's built-in tags begin with a star: `* myContacts`, `* starred`.
    case google

    /// The tags in a cell, in order.
    func tags(in text: String) -> [String] {
        switch self {
        case .plain:
            text.split { $0 == "," || $0 == ";" }.map(\.trimmed).filter { !$0.isEmpty }
        case .google:
            text.googleValues.map(\.trimmed).filter { !$0.hasPrefix("* ") }
        }
    }
}

/// The phone number columns of a table.
struct CSVPhoneColumns {
    private struct Column {
        let index: Int
        /// The traits of all its numbers, given by its title.
        let traits: PhoneTraits
        /// The column with the label of each row's number.
        let labelColumn: Int?
    }

    private let columns: [Column]
    /// Caches the traits of labels seen so far, since most rows use the same few.
    private var knownLabels: [String: PhoneTraits] = [:]

    /// - Parameter meanings: The meanings of the table's columns; nil for columns without one.
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

    /// The numbers in a row, best first.
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
        // Bounds the cache against a hostile table with many or very long labels.
        if knownLabels.count < 100, label.utf8.count <= 100 { knownLabels[label] = traits }
        return traits
    }
}

extension String {
    private static let googleSeparator = " ::: "

    /// The non-blank values in one cell of a Google export.
    fileprivate var googleValues: [String] {
        // Searching for the separator is slow, and most cells hold one value.
        guard utf8.contains(Byte.colon) else { return [self] }
        return split(separator: Self.googleSeparator).map { String($0) }.filter { !$0.isBlank }
    }
}
