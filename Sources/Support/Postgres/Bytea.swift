/// The bytes of a `bytea`. A separate type, because `[UInt8]` would read as an array of numbers.
public struct Bytea: Hashable, Sendable {
    /// The bytes.
    public var bytes: [UInt8]

    /// Wraps bytes.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension Bytea: PostgresArrayElement {
    /// `bytea`
    public static var postgresType: PostgresType { .bytea }

    /// Appends the bytes unchanged.
    public func encode(into buffer: inout [UInt8]) {
        buffer.append(contentsOf: bytes)
    }

    /// Reads the bytes unchanged.
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Bytea {
        guard type == .bytea else { throw PostgresError.wrongType(type, expected: "Bytea") }
        return Bytea([UInt8](bytes))
    }
}
