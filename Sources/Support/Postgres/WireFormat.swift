extension [UInt8] {
    /// Appends an integer in network byte order.
    @inlinable
    mutating func appendBigEndian<Integer: FixedWidthInteger & BitwiseCopyable>(_ value: Integer) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends a value as in arrays and COPY: its length, then its bytes; a length of -1 is NULL.
    @inlinable
    mutating func appendField<Value: PostgresEncodable>(_ value: Value) {
        guard !value.isNull else {
            appendBigEndian(Int32(-1))
            return
        }
        let start = count
        appendBigEndian(Int32(0))
        value.encode(into: &self)
        // A length that overflows here also exceeds the server's limit, and is refused before sending.
        let length = UInt32(truncatingIfNeeded: count - start - 4)
        for place in 0..<4 {
            self[start + place] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * place))
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Decodes all bytes as one integer in network byte order.
    @inlinable
    func integer<Integer: FixedWidthInteger & BitwiseCopyable>(_ type: Integer.Type) throws -> Integer {
        guard count == MemoryLayout<Integer>.size else {
            throw PostgresError.wrongLength(count, expected: MemoryLayout<Integer>.size)
        }
        return Integer(bigEndian: loadUnaligned(as: Integer.self))
    }
}

/// Reads a field from left to right, never past its end.
@usableFromInline
struct WireReader {
    @usableFromInline var rest: UnsafeRawBufferPointer

    @inlinable
    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes
    }

    @inlinable var remaining: Int { rest.count }

    @usableFromInline
    mutating func bytes(_ count: Int) throws -> UnsafeRawBufferPointer {
        guard count >= 0, count <= rest.count else {
            throw PostgresError.decoding("a field is shorter than it claims")
        }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
        return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }

    @inlinable
    mutating func integer<Integer: FixedWidthInteger & BitwiseCopyable>(_ type: Integer.Type) throws -> Integer {
        try bytes(MemoryLayout<Integer>.size).integer(type)
    }
}

extension PostgresError {
    @usableFromInline
    static func wrongLength(_ length: Int, expected: Int) -> PostgresError {
        decoding("\(length) bytes where \(expected) belong")
    }

    static func wrongType(_ type: PostgresType, expected: String) -> PostgresError {
        decoding("a value of type \(type.rawValue) cannot be read as \(expected)")
    }
}
