/// Which columns of a table hold what, where their titles do not say it by themselves.
///
/// What is named here wins over what a title means; the other titles keep their meaning, unless they mean the same field.
public struct ColumnMap: Sendable, Equatable {
    /// No column is named: all titles mean what they mean by themselves.
    public static let none = ColumnMap()

    /// A field and the title of its column, in the order in which they were named. No field is named twice.
    private(set) var titles: [Entry] = []

    struct Entry: Sendable, Equatable {
        let field: ContactField
        let title: String
    }

    private init() {}

    /// Reads `name=성함,phone=연락처`.
    ///
    /// The fields are `name`, `family_name`, `given_name`, `middle_name`, `nickname`, `phone`, `birthday`,
    /// `birthday_calendar`, `cycle_days`, `alarm`, `tags` and `account`. A title that holds a comma stands in quotes, and a
    /// quote in it is doubled: `name="성, 이름"`.
    ///
    /// - Throws: ``InvalidColumnMap`` for an unknown field or one that is named twice, a missing `=`, an empty title, and a
    ///   quote that is not closed or has something behind it.
    public init(_ text: String) throws {
        var rest = text[...]
        repeat {
            let entry = try Self.takeEntry(from: &rest)
            guard title(of: entry.field) == nil else {
                throw InvalidColumnMap(reason: "\(entry.field.rawValue) is named twice: name one column for it")
            }
            titles.append(entry)
        } while Self.takeComma(from: &rest)
    }

    /// The same map with another column for the cycle in days.
    public func settingCycleColumn(_ title: String) -> ColumnMap {
        var map = self
        map.titles.removeAll { $0.field == .cycleDays }
        map.titles.append(Entry(field: .cycleDays, title: title))
        return map
    }

    /// The title that is named for a field; nil when there is none.
    func title(of field: ContactField) -> String? {
        titles.first { $0.field == field }?.title
    }

    private static func takeEntry(from rest: inout Substring) throws -> Entry {
        guard let equals = rest.firstIndex(of: "="), !rest[..<equals].contains(",") else {
            let found = rest.prefix { $0 != "," }
            throw InvalidColumnMap(reason: "\"\(found)\" has no =: write it like name=성함,phone=연락처")
        }
        let key = rest[..<equals].trimmed
        rest = rest[rest.index(after: equals)...].drop { $0.isWhitespace }
        let title = try rest.first == "\"" ? takeQuoted(from: &rest, key: key) : takePlain(from: &rest)
        guard let field = ContactField(rawValue: key.lowercased().replacing("-", with: "_")) else {
            let known = ContactField.allCases.map(\.rawValue).joined(separator: ", ")
            throw InvalidColumnMap(reason: "\"\(key)\" is nothing that a column can hold; choose from \(known)")
        }
        guard !title.isEmpty else {
            throw InvalidColumnMap(reason: "\(key)= names no column: write the title of one behind it")
        }
        return Entry(field: field, title: title)
    }

    private static func takePlain(from rest: inout Substring) -> String {
        let title = rest.prefix { $0 != "," }
        rest = rest[title.endIndex...]
        return title.trimmed
    }

    private static func takeQuoted(from rest: inout Substring, key: String) throws -> String {
        var title = ""
        rest.removeFirst()
        while let end = rest.firstIndex(of: "\"") {
            title += rest[..<end]
            rest = rest[rest.index(after: end)...]
            guard rest.first == "\"" else {
                rest = rest.drop { $0.isWhitespace }
                guard rest.isEmpty || rest.first == "," else {
                    throw InvalidColumnMap(reason: "behind the quoted title of \(key) a comma is missing: add it")
                }
                return title.trimmed
            }
            title.append("\"")
            rest.removeFirst()
        }
        throw InvalidColumnMap(reason: "the quote that opens behind \(key)= is never closed: close it")
    }

    private static func takeComma(from rest: inout Substring) -> Bool {
        guard rest.first == "," else { return false }
        rest.removeFirst()
        return true
    }
}

/// A text that is no ``ColumnMap``.
public struct InvalidColumnMap: Error, Sendable, Equatable, CustomStringConvertible {
    /// A sentence that says what is wrong and what to do.
    public var reason: String

    /// A text that is no column map, for a reason.
    public init(reason: String) {
        self.reason = reason
    }

    /// The reason.
    public var description: String { reason }
}
