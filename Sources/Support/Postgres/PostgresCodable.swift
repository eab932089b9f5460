/// A value that can be a statement parameter or a COPY field.
public protocol PostgresEncodable: Sendable {
    /// The declared type of the parameter.
    static var postgresType: PostgresType { get }
    /// Appends the value in PostgreSQL's binary format, in network byte order, without its length.
    func encode(into buffer: inout [UInt8])
    /// Whether the value is NULL; if so, `encode(into:)` is not called. False by default.
    var isNull: Bool { get }
}

extension PostgresEncodable {
    /// Not NULL by default.
    @inlinable public var isNull: Bool { false }
}

/// A value that can be read from a column.
public protocol PostgresDecodable: Sendable {
    /// Reads a value from PostgreSQL's binary format.
    ///
    /// - Parameters:
    ///   - bytes: The field, without its length. Untrusted: an implementation checks length and content.
    ///   - type: The column type that the server reports.
    /// - Throws: ``PostgresError`` with code `decoding`.
    static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Self
    /// The value that NULL decodes to; nil, the default, rejects NULL.
    static var decodedNull: Self? { get }
}

extension PostgresDecodable {
    /// Rejects NULL by default.
    @inlinable public static var decodedNull: Self? { nil }
}

/// A value that can be encoded and decoded.
public typealias PostgresCodable = PostgresEncodable & PostgresDecodable

/// A value that can be an array element. Bytes (`UInt8`) cannot: they belong in ``Bytea``.
public protocol PostgresArrayElement: PostgresEncodable, PostgresDecodable {
    /// Appends the elements of an array. A requirement so that the compiler specializes the default for each type: an array
    /// is encoded without its type being known, which costs a few calls for the whole of it, not for each element.
    ///
    /// - Returns: whether an element is NULL.
    static func encode(_ elements: [Self], into buffer: inout [UInt8]) -> Bool
}

extension PostgresArrayElement {
    @inlinable
    public static func encode(_ elements: [Self], into buffer: inout [UInt8]) -> Bool {
        var hasNull = false
        for element in elements {
            buffer.appendField(element)
            if element.isNull { hasNull = true }
        }
        return hasNull
    }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    /// The type of the wrapped value.
    @inlinable public static var postgresType: PostgresType { Wrapped.postgresType }

    /// Whether there is no value.
    @inlinable public var isNull: Bool {
        switch self {
        case .some(let value): value.isNull
        case .none: true
        }
    }

    /// Appends the wrapped value, if there is one.
    @inlinable
    public func encode(into buffer: inout [UInt8]) {
        if case .some(let value) = self { value.encode(into: &buffer) }
    }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    /// Reads the wrapped value.
    @inlinable
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Wrapped? {
        let value = try Wrapped.decode(bytes, type: type)
        return .some(value)
    }

    /// NULL decodes to nil.
    @inlinable public static var decodedNull: Wrapped?? { .some(.none) }
}

extension Optional: PostgresArrayElement where Wrapped: PostgresArrayElement {}
