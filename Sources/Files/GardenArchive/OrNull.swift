/// An optional that may be missing or null when read, and is written as null when nil.
@propertyWrapper
struct OrNull<Value: Codable>: Codable {
    var wrappedValue: Value?

    init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue {
            try container.encode(wrappedValue)
        } else {
            try container.encodeNil()
        }
    }
}

extension OrNull: Sendable where Value: Sendable {}

extension KeyedDecodingContainer {
    // Compiler-synthesized initializers call this overload, because it is more specific.
    func decode<Value>(_ type: OrNull<Value>.Type, forKey key: Key) throws -> OrNull<Value> {
        try decodeIfPresent(type, forKey: key) ?? OrNull(wrappedValue: nil)
    }
}
