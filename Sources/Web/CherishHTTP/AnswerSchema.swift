import CherishService
import DocumentEncoding

/// Describes what a document looks like in JSON, by letting the document decode itself from a decoder that notes what it asks
/// for: the document's own code is the only list of its names.
enum AnswerSchema {
    /// The schema of a document. Documents that it contains become components.
    static func of(_ type: any Decodable.Type, _ components: inout [String: JSONValue]) throws -> JSONValue {
        switch type {
        case is String.Type: return ["type": "string"]
        case is Bool.Type: return ["type": "boolean"]
        case is Int.Type: return ["type": "integer"]
        case is Double.Type: return ["type": "number"]
        // Any document.
        case is JSONValue.Type: return ["type": "object"]
        case let list as any DocumentList.Type:
            return ["type": "array", "items": try of(list.item, &components)]
        case let nullable as any NullableDocument.Type:
            return nullableSchema(try of(nullable.content, &components))
        default: return try component(type, &components)
        }
    }

    private static func component(_ type: any Decodable.Type, _ components: inout [String: JSONValue]) throws
        -> JSONValue
    {
        let name = componentName(type)
        if components[name] == nil {
            let noted = try names(of: type)
            var properties: [String: JSONValue] = [:]
            for (name, type) in noted { properties[name] = try of(type, &components) }
            components[name] = .object([
                "type": "object", "properties": .object(properties),
                "required": .array(properties.keys.sorted().map(JSONValue.string)),
            ])
        }
        return ["$ref": .string("#/components/schemas/\(name)")]
    }

    /// The names that a document decodes, with the types of their values.
    private static func names(of type: any Decodable.Type) throws -> [String: any Decodable.Type] {
        let notes = NotingDecoder.Notes()
        _ = try type.init(from: NotingDecoder(notes))
        return notes.types
    }

    /// `PlantDocument` is `Plant`; what is nested has both names.
    private static func componentName(_ type: any Decodable.Type) -> String {
        String(reflecting: type).split(separator: ".").dropFirst()
            .map { $0.replacing("Document", with: "") }.joined()
    }

    private static func nullableSchema(_ schema: JSONValue) -> JSONValue {
        guard case .object(var fields) = schema, let type = fields["type"] else {
            return ["anyOf": [schema, ["type": "null"]]]
        }
        fields["type"] = [type, "null"]
        return .object(fields)
    }
}

private protocol NullableDocument {
    static var content: any Decodable.Type { get }
    init(empty: Void)
}

extension Nullable: NullableDocument {
    static var content: any Decodable.Type { Value.self }
    init(empty: Void) { self.init(nil) }
}

private protocol DocumentList {
    static var item: any Decodable.Type { get }
    init(empty: Void)
}

extension Array: DocumentList where Element: Decodable {
    static var item: any Decodable.Type { Element.self }
    init(empty: Void) { self = [] }
}

/// Notes what a document decodes, and gives it placeholders.
private struct NotingDecoder: Decoder {
    final class Notes {
        var types: [String: any Decodable.Type] = [:]
    }

    let notes: Notes
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    init(_ notes: Notes) {
        self.notes = notes
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Names<Key>(notes: notes))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NoObject() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw NoObject() }

    /// A document is an object.
    struct NoObject: Error {}

    private struct Names<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let notes: Notes
        let codingPath: [any CodingKey] = []
        let allKeys: [Key] = []

        func contains(_ key: Key) -> Bool { true }
        func decodeNil(forKey key: Key) -> Bool { false }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            notes.types[key.stringValue] = type
            let placeholder: Any =
                switch type {
                case is String.Type: ""
                case is Bool.Type: false
                case is Int.Type: 0
                case is Double.Type: 0.0
                case let list as any DocumentList.Type: list.init(empty: ())
                case let nullable as any NullableDocument.Type: nullable.init(empty: ())
                default: try type.init(from: NotingDecoder(Notes()))
                }
            guard let value = placeholder as? Value else { throw NoObject() }
            return value
        }

        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
            -> KeyedDecodingContainer<Nested>
        {
            throw NoObject()
        }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw NoObject() }
        func superDecoder() throws -> any Decoder { throw NoObject() }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw NoObject() }
    }
}
