/// A value that can be a parameter of a statement or a field of a COPY.
public protocol PostgresEncodable: Sendable {
    /// The type the parameter is declared with.
    static var postgresType: PostgresType { get }
    /// Appends the value in PostgreSQL's binary format, network byte order, without its length.
    func encode(into buffer: inout [UInt8])
    /// Whether this is NULL; then `encode(into:)` is not called. False unless said otherwise.
    var isNull: Bool { get }
}

extension PostgresEncodable {
    /// A value is not NULL unless its type says so.
    @inlinable public var isNull: Bool { false }
}

/// A value that can be read from a column.
public protocol PostgresDecodable: Sendable {
    /// Reads a value from PostgreSQL's binary format.
    ///
    /// - Parameters:
    ///   - bytes: The field, without its length. Not to be trusted: an implementation checks length and content.
    ///   - type: The type the server says the column has.
    /// - Throws: ``PostgresError`` with code `decoding`.
    static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Self
    /// What NULL is read as; nil, the default, refuses NULL.
    static var decodedNull: Self? { get }
}

extension PostgresDecodable {
    /// NULL is refused unless the type says otherwise.
    @inlinable public static var decodedNull: Self? { nil }
}

/// A value that can be written and read.
public typealias PostgresCodable = PostgresEncodable & PostgresDecodable

/// A value that can stand in an array. Bytes (`UInt8`) cannot: they belong into ``Bytea``.
public protocol PostgresArrayElement: PostgresEncodable, PostgresDecodable {}

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

    /// NULL is read as nil.
    @inlinable public static var decodedNull: Wrapped?? { .some(.none) }
}

extension Optional: PostgresArrayElement where Wrapped: PostgresArrayElement {}
