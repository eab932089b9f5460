import Foundation

extension Bool: PostgresArrayElement {
    /// `boolean`
    public static var postgresType: PostgresType { .bool }

    /// Appends one byte, 0 or 1.
    public func encode(into buffer: inout [UInt8]) {
        buffer.append(self ? 1 : 0)
    }

    /// Reads one byte, 0 or 1.
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Bool {
        guard type == .bool else { throw PostgresError.wrongType(type, expected: "Bool") }
        switch try bytes.integer(UInt8.self) {
        case 0: return false
        case 1: return true
        default: throw PostgresError.decoding("a boolean is neither 0 nor 1")
        }
    }
}

extension Int16: PostgresArrayElement {
    /// `smallint`
    public static var postgresType: PostgresType { .int2 }

    /// Appends two bytes.
    public func encode(into buffer: inout [UInt8]) {
        buffer.appendBigEndian(self)
    }

    /// Reads a `smallint`.
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Int16 {
        guard type == .int2 else { throw PostgresError.wrongType(type, expected: "Int16") }
        return try bytes.integer(Int16.self)
    }
}

extension Int32: PostgresArrayElement {
    /// `integer`
    public static var postgresType: PostgresType { .int4 }

    /// Appends four bytes.
    public func encode(into buffer: inout [UInt8]) {
        buffer.appendBigEndian(self)
    }

    /// Reads an `integer` or `smallint`.
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Int32 {
        switch type {
        case .int4: return try bytes.integer(Int32.self)
        case .int2: return Int32(try bytes.integer(Int16.self))
        default: throw PostgresError.wrongType(type, expected: "Int32")
        }
    }
}

extension Int64: PostgresArrayElement {
    /// `bigint`
    public static var postgresType: PostgresType { .int8 }

    /// Appends eight bytes.
    public func encode(into buffer: inout [UInt8]) {
        buffer.appendBigEndian(self)
    }

    /// Reads a `bigint`, `integer` or `smallint`.
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Int64 {
        switch type {
        case .int8: return try bytes.integer(Int64.self)
        case .int4: return Int64(try bytes.integer(Int32.self))
        case .int2: return Int64(try bytes.integer(Int16.self))
        default: throw PostgresError.wrongType(type, expected: "Int64")
        }
    }
}

extension Int: PostgresArrayElement {
    /// `bigint`
    public static var postgresType: PostgresType { .int8 }

    /// Appends eight bytes.
    public func encode(into buffer: inout [UInt8]) {
        buffer.appendBigEndian(Int64(self))
    }

    /// Reads a `bigint`, `integer` or `smallint`.
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Int {
        Int(try Int64.decode(bytes, type: type))
    }
}

extension Double: PostgresArrayElement {
    /// `double precision`
    public static var postgresType: PostgresType { .float8 }

    /// Appends eight bytes.
    public func encode(into buffer: inout [UInt8]) {
        buffer.appendBigEndian(bitPattern)
    }

    /// Reads a `double precision`. Rejects `numeric`, which would lose digits.
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Double {
        guard type == .float8 else { throw PostgresError.wrongType(type, expected: "Double") }
        return Double(bitPattern: try bytes.integer(UInt64.self))
    }
}

extension String: PostgresArrayElement {
    /// `text`
    public static var postgresType: PostgresType { .text }

    /// Appends the text as UTF-8.
    public func encode(into buffer: inout [UInt8]) {
        buffer.append(contentsOf: utf8)
    }

    /// Reads any text type, JSON, and user-defined types such as enums.
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> String {
        guard type.isText || type.isUserDefined else { throw PostgresError.wrongType(type, expected: "String") }
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return "" }
        // Text never contains NUL, but the binary format of user-defined arrays and composites always does.
        guard memchr(start, 0, bytes.count) == nil else {
            throw PostgresError.decoding("a NUL byte, so this is no text")
        }
        // Decoding repairs what is not UTF-8, and then differs. String(validating:as:) takes three times as long.
        var text = String(decoding: bytes, as: UTF8.self)
        let isSame = text.withUTF8 { decoded in
            decoded.count == bytes.count && decoded.baseAddress.map { memcmp($0, start, bytes.count) == 0 } ?? false
        }
        guard isSame else { throw PostgresError.decoding("text that is not UTF-8") }
        return text
    }
}

extension UUID: PostgresArrayElement {
    /// `uuid`
    public static var postgresType: PostgresType { .uuid }

    /// Appends sixteen bytes.
    public func encode(into buffer: inout [UInt8]) {
        Swift.withUnsafeBytes(of: uuid) { buffer.append(contentsOf: $0) }
    }

    /// Reads sixteen bytes.
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> UUID {
        guard type == .uuid else { throw PostgresError.wrongType(type, expected: "UUID") }
        guard bytes.count == MemoryLayout<uuid_t>.size else {
            throw PostgresError.decoding("a uuid of \(bytes.count) bytes")
        }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
}
