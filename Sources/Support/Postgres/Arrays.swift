extension Array: PostgresEncodable where Element: PostgresArrayElement {
    /// The array type of the element type; for element types that are not built in, the server infers it.
    @inlinable public static var postgresType: PostgresType { Element.postgresType.array ?? .unspecified }

    /// Appends a one-dimensional array with lower bound 1.
    @inlinable
    public func encode(into buffer: inout [UInt8]) {
        buffer.appendBigEndian(Int32(isEmpty ? 0 : 1))
        buffer.appendBigEndian(Int32(0))
        let endOfFlag = buffer.count
        buffer.appendBigEndian(Element.postgresType.rawValue)
        guard !isEmpty else { return }
        buffer.appendBigEndian(Int32(clamping: count))
        buffer.appendBigEndian(Int32(1))
        if Element.encode(self, into: &buffer) { buffer[endOfFlag - 1] = 1 }
    }
}

extension Array: PostgresDecodable where Element: PostgresArrayElement {
    /// Reads an array of at most one dimension, whatever its lower bound.
    @inlinable
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> [Element] {
        var reader = WireReader(bytes)
        let header = try ArrayHeader(&reader, arrayType: type)
        var elements: [Element] = []
        elements.reserveCapacity(header.count)
        for _ in 0..<header.count {
            let length = try reader.integer(Int32.self)
            if length == -1 {
                guard let null = Element.decodedNull else {
                    throw ArrayHeader.unexpectedNull
                }
                elements.append(null)
            } else {
                elements.append(try Element.decode(reader.bytes(Int(length)), type: header.elementType))
            }
        }
        guard reader.remaining == 0 else { throw ArrayHeader.unexpectedRest }
        return elements
    }
}

/// The header of an array in binary format.
@usableFromInline
struct ArrayHeader {
    @usableFromInline let elementType: PostgresType
    @usableFromInline let count: Int

    @usableFromInline static var unexpectedNull: any Error {
        PostgresError.decoding("NULL in an array whose elements are not optional")
    }

    @usableFromInline static var unexpectedRest: any Error {
        PostgresError.decoding("bytes after the end of an array")
    }

    @usableFromInline
    init(_ reader: inout WireReader, arrayType: PostgresType) throws {
        let dimensions = try reader.integer(Int32.self)
        let flags = try reader.integer(Int32.self)
        elementType = PostgresType(rawValue: try reader.integer(UInt32.self))
        guard (0...1).contains(flags), (0...1).contains(dimensions) else {
            throw PostgresError.decoding("an array of \(dimensions) dimensions")
        }
        guard arrayType.isUserDefined || arrayType.element == elementType else {
            throw PostgresError.wrongType(arrayType, expected: "an array of \(elementType.rawValue)")
        }
        guard dimensions == 1 else {
            count = 0
            return
        }
        let claimed = try reader.integer(Int32.self)
        _ = try reader.integer(Int32.self)
        // Every element has a four-byte length, so check the count before reserving memory for it.
        guard claimed >= 0, Int(claimed) <= reader.remaining / 4 else {
            throw PostgresError.decoding("an array shorter than it claims")
        }
        count = Int(claimed)
    }
}
