import Foundation

/// Reads contacts from JSON Lines, one object per line.
///
/// The keys are the fields of our own table, in the form `cycle_days` or `cycleDays`. Other keys and nulls are ignored.
package struct JSONContactParser: ContactParser {
    private let decoder = JSONDecoder()

    package init() {}

    /// Whether a file that begins with this line holds JSON Lines.
    package static func begins(with line: PhysicalLine) -> Bool {
        line.bytes.first { !isSpace($0) } == UInt8(ascii: "{")
    }

    package mutating func take(_ line: PhysicalLine) throws -> ContactResult? {
        if line.bytes.allSatisfy(Self.isSpace) { return nil }
        do {
            let fields = try decoder.decode(JSONContact.self, from: Data(line.bytes))
            return .success(fields.contact(line: line.number))
        } catch let problem as JSONContact.WrongType {
            return .failure(UnreadableContact(line: line.number, reason: problem.reason))
        } catch {
            let reason = """
                the line is no JSON object: write each contact in one line, like \
                {"name": "김지우", "phone": "010-0000-0001"}
                """
            return .failure(UnreadableContact(line: line.number, reason: reason))
        }
    }

    package mutating func finish() throws -> [ContactResult] { [] }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == Byte.space || byte == Byte.tab }
}

/// The fields in one line of JSON.
private struct JSONContact: Decodable {
    /// A value whose type does not fit its key.
    struct WrongType: Error {
        let key: String
        let wanted: String

        var reason: String { "\"\(key)\" must be \(wanted): write it so, or leave it out" }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) {
            stringValue = name
        }

        init?(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            return nil
        }
    }

    private static let textKeys: [(field: ContactField, keys: [Key])] = [
        (.name, [Key("name")]),
        (.familyName, [Key("familyName"), Key("family_name")]),
        (.givenName, [Key("givenName"), Key("given_name")]),
        (.middleName, [Key("middleName"), Key("middle_name")]),
        (.nickname, [Key("nickname")]),
        (.birthday, [Key("birthday")]),
        (.birthdayCalendar, [Key("birthdayCalendar"), Key("birthday_calendar")]),
        (.alarm, [Key("alarm"), Key("alarmTime"), Key("alarm_time")]),
        (.account, [Key("account")]),
    ]
    private static let cycleKeys = [Key("cycleDays"), Key("cycle_days")]
    private static let favouriteKeys = [Key("favourite"), Key("favorite"), Key("isFavourite")]
    private static let phoneKeys = [Key("phone"), Key("phones")]

    private var texts: [(field: ContactField, text: String)] = []
    private var phones: [String] = []
    private var tags: [String] = []

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        for (field, keys) in Self.textKeys {
            for key in keys {
                if let text = try Self.text(key, in: object) { texts.append((field, text)) }
            }
        }
        for key in Self.cycleKeys {
            if let text = try Self.textOfNumber(key, in: object) { texts.append((.cycleDays, text)) }
        }
        for key in Self.favouriteKeys {
            if let text = try Self.textOfTruth(key, in: object) { texts.append((.favourite, text)) }
        }
        for key in Self.phoneKeys {
            phones += try Self.list(key, in: object) { [$0] }
        }
        tags = try Self.list(Key("tags"), in: object) { TagNotation.plain.tags(in: $0) }
    }

    /// Builds the contact.
    func contact(line: Int) -> ContactCard {
        var draft = ContactDraft(line: line)
        for (field, text) in texts where !text.isBlank { draft.take(text, as: field) }
        draft.phones = phones.filter { !$0.isBlank }
        draft.tags = tags.filter { !$0.isBlank }
        return draft.finished()
    }

    private static func isAbsent(_ key: Key, in object: KeyedDecodingContainer<Key>) throws -> Bool {
        guard object.contains(key) else { return true }
        return try object.decodeNil(forKey: key)
    }

    private static func text(_ key: Key, in object: KeyedDecodingContainer<Key>) throws -> String? {
        if try isAbsent(key, in: object) { return nil }
        guard let text = try? object.decode(String.self, forKey: key) else {
            throw WrongType(key: key.stringValue, wanted: "a text in quotes")
        }
        return text
    }

    private static func textOfNumber(_ key: Key, in object: KeyedDecodingContainer<Key>) throws -> String? {
        if try isAbsent(key, in: object) { return nil }
        if let text = try? object.decode(String.self, forKey: key) { return text }
        guard let number = try? object.decode(Double.self, forKey: key) else {
            throw WrongType(key: key.stringValue, wanted: "a number")
        }
        // JSON may write 7 as 7.0.
        return Int(exactly: number).map { String($0) } ?? String(number)
    }

    /// A Boolean as a table would write it.
    private static func textOfTruth(_ key: Key, in object: KeyedDecodingContainer<Key>) throws -> String? {
        if try isAbsent(key, in: object) { return nil }
        if let text = try? object.decode(String.self, forKey: key) { return text }
        guard let isTrue = try? object.decode(Bool.self, forKey: key) else {
            throw WrongType(key: key.stringValue, wanted: "true or false")
        }
        return String(isTrue)
    }

    /// A list of texts, or one text that `split` cuts into several.
    private static func list(
        _ key: Key, in object: KeyedDecodingContainer<Key>, split: (String) -> [String]
    ) throws -> [String] {
        if try isAbsent(key, in: object) { return [] }
        if let text = try? object.decode(String.self, forKey: key) { return split(text) }
        guard let list = try? object.decode([String].self, forKey: key) else {
            throw WrongType(key: key.stringValue, wanted: "a text or a list of texts, in quotes")
        }
        return list
    }
}
