/// Assigns fields to table columns whose titles are not recognized.
///
/// An entry overrides what a title means. Other titles keep their meaning, unless they mean the same field.
public struct ColumnMap: Sendable, Equatable {
    /// The empty map: every title keeps its own meaning.
    public static let none = ColumnMap()

    /// The fields and the titles of their columns, in the given order. No field occurs twice.
    private(set) var titles: [Entry] = []

    struct Entry: Sendable, Equatable {
        let field: ContactField
        let title: String
    }

    private init() {}

    /// Parses `name=성함,phone=연락처`.
    ///
    /// The fields are `name`, `family_name`, `given_name`, `middle_name`, `nickname`, `phone`, `birthday`,
    /// `birthday_calendar`, `cycle_days`, `alarm`, `tags`, `favourite` and `account`. A title with a comma must be
    /// quoted, and a quote in it doubled: `name="성, 이름"`.
    ///
    /// - Throws: ``InvalidColumnMap`` for an unknown or repeated field, a missing `=`, an empty title, an unclosed
    ///   quote, or text after a closing quote.
    public init(_ text: String) throws {
        let fields = ContactField.allCases.map(\.rawValue)
        titles = try Self.pairs(text, fields: fields).compactMap { field, title in
            ContactField(rawValue: field).map { Entry(field: $0, title: title) }
        }
    }

    /// Parses `name=성함,phone=연락처` into fields and titles. No field occurs twice.
    ///
    /// - Parameter fields: the known ones, in lower case with underscores.
    /// - Throws: ``InvalidColumnMap``.
    package static func pairs(_ text: String, fields: [String]) throws -> [(field: String, title: String)] {
        var pairs: [(field: String, title: String)] = []
        var rest = text[...]
        repeat {
            let pair = try takeEntry(from: &rest, fields: fields)
            guard !pairs.contains(where: { $0.field == pair.field }) else {
                throw InvalidColumnMap(reason: "\(pair.field) is named twice: name one column for it")
            }
            pairs.append(pair)
        } while takeComma(from: &rest)
        return pairs
    }

    /// Returns the map with another column for the cycle in days.
    public func settingCycleColumn(_ title: String) -> ColumnMap {
        var map = self
        map.titles.removeAll { $0.field == .cycleDays }
        map.titles.append(Entry(field: .cycleDays, title: title))
        return map
    }

    /// The title given for a field; nil if there is none.
    func title(of field: ContactField) -> String? {
        titles.first { $0.field == field }?.title
    }

    private static func takeEntry(from rest: inout Substring, fields: [String]) throws -> (field: String, title: String)
    {
        guard let equals = rest.firstIndex(of: "="), !rest[..<equals].contains(",") else {
            let found = rest.prefix { $0 != "," }
            throw InvalidColumnMap(reason: "\"\(found)\" has no =: write it like name=성함,phone=연락처")
        }
        let key = rest[..<equals].trimmed
        rest = rest[rest.index(after: equals)...].drop { $0.isWhitespace }
        let title = try rest.first == "\"" ? takeQuoted(from: &rest, key: key) : takePlain(from: &rest)
        let field = key.lowercased().replacing("-", with: "_")
        guard fields.contains(field) else {
            let known = fields.joined(separator: ", ")
            throw InvalidColumnMap(reason: "\"\(key)\" is nothing that a column can hold; choose from \(known)")
        }
        guard !title.isEmpty else {
            throw InvalidColumnMap(reason: "\(key)= names no column: write the title of one behind it")
        }
        return (field, title)
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

/// A text that is not a valid ``ColumnMap``.
public struct InvalidColumnMap: Error, Sendable, Equatable, CustomStringConvertible {
    /// A sentence that says what is wrong and what to do.
    public var reason: String

    /// Creates a problem with its reason.
    public init(reason: String) {
        self.reason = reason
    }

    public var description: String { reason }
}
