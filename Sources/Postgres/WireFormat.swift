extension [UInt8] {
    /// Appends an integer in network byte order.
    mutating func appendBigEndian<Integer: FixedWidthInteger & BitwiseCopyable>(_ value: Integer) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends a value as arrays and COPY hold it: its length, then its bytes; a length of -1 is NULL.
    mutating func appendField<Value: PostgresEncodable>(_ value: Value) {
        guard !value.isNull else {
            appendBigEndian(Int32(-1))
            return
        }
        let start = count
        appendBigEndian(Int32(0))
        value.encode(into: &self)
        // What is too long to be told here is also too long for the server, and refused before it is sent.
        let length = UInt32(truncatingIfNeeded: count - start - 4)
        for place in 0..<4 {
            self[start + place] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * place))
        }
    }
}

extension UnsafeRawBufferPointer {
    /// All the bytes as one integer in network byte order.
    func integer<Integer: FixedWidthInteger & BitwiseCopyable>(_ type: Integer.Type) throws -> Integer {
        guard count == MemoryLayout<Integer>.size else {
            throw PostgresError.decoding("\(count) bytes where \(MemoryLayout<Integer>.size) belong")
        }
        return Integer(bigEndian: loadUnaligned(as: Integer.self))
    }
}

/// Reads a field from left to right and never past its end.
struct WireReader {
    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes
    }

    var remaining: Int { rest.count }

    mutating func bytes(_ count: Int) throws -> UnsafeRawBufferPointer {
        guard count >= 0, count <= rest.count else {
            throw PostgresError.decoding("a field is shorter than it claims")
        }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
        return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }

    mutating func integer<Integer: FixedWidthInteger & BitwiseCopyable>(_ type: Integer.Type) throws -> Integer {
        try bytes(MemoryLayout<Integer>.size).integer(type)
    }
}

extension PostgresError {
    static func wrongType(_ type: PostgresType, expected: String) -> PostgresError {
        decoding("a value of type \(type.rawValue) cannot be read as \(expected)")
    }
}
