import Foundation

/// Any JSON, as it was read or as it is to be written.
public enum JSONValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The value of that name; nil unless this is an object that has it.
    public subscript(_ name: String) -> JSONValue? {
        if case .object(let fields) = self { fields[name] } else { nil }
    }
}

extension JSONValue: Codable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    public init(from decoder: any Decoder) throws {
        if let fields = try? decoder.container(keyedBy: Name.self) {
            self = .object(
                try Dictionary(
                    uniqueKeysWithValues: fields.allKeys.map {
                        ($0.stringValue, try fields.decode(JSONValue.self, forKey: $0))
                    }))
        } else if var items = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !items.isAtEnd { values.append(try items.decode(JSONValue.self)) }
            self = .array(values)
        } else {
            self = try JSONValue(scalar: try decoder.singleValueContainer())
        }
    }

    private init(scalar: any SingleValueDecodingContainer) throws {
        if scalar.decodeNil() {
            self = .null
        } else if let value = try? scalar.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? scalar.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? scalar.decode(Double.self) {
            self = .number(value)
        } else {
            self = .string(try scalar.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let fields):
            var container = encoder.container(keyedBy: Name.self)
            // In one order, so that the same document has the same entity tag.
            for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
                try container.encode(value, forKey: Name(stringValue: name))
            }
        case .array(let items):
            var container = encoder.unkeyedContainer()
            for item in items { try container.encode(item) }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .boolean(let value): try container.encode(value)
            case .integer(let value): try container.encode(value)
            case .number(let value): try container.encode(value)
            case .string(let value): try container.encode(value)
            case .null, .array, .object: try container.encodeNil()
            }
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}

extension JSONValue {
    /// The value of a text in JSON; nil if it is none.
    public init?(json text: String) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) else { return nil }
        self = value
    }

    /// The JSON of any document.
    public init(_ document: some Encodable) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: try JSONEncoder().encode(document))
    }

    /// The bytes, with names in order.
    public var bytes: [UInt8] {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return [UInt8](try encoder.encode(self))
        }
    }
}
