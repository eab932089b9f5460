import CherishCore
import Foundation
import Postgres

// How domain values travel: instants as timestamptz, civil days as date, ids as uuid, closed sets as the labels of their
// enumerations, which a statement casts (`$1::push_kind`).

extension Instant: PostgresCodable, PostgresArrayElement {
    public static var postgresType: PostgresType { PostgresTimestamp.postgresType }

    public func encode(into buffer: inout [UInt8]) {
        PostgresTimestamp(microsecondsSince1970: microsecondsSinceEpoch).encode(into: &buffer)
    }

    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Instant {
        Instant(microsecondsSinceEpoch: try PostgresTimestamp.decode(bytes, type: type).microsecondsSince1970)
    }
}

extension CivilDay: PostgresCodable, PostgresArrayElement {
    public static var postgresType: PostgresType { PostgresDate.postgresType }

    public func encode(into buffer: inout [UInt8]) {
        PostgresDate(daysSince1970: daysSinceEpoch).encode(into: &buffer)
    }

    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> CivilDay {
        CivilDay(daysSinceEpoch: try PostgresDate.decode(bytes, type: type).daysSince1970)
    }
}

extension Identifier: PostgresEncodable, PostgresDecodable, PostgresArrayElement {
    public static var postgresType: PostgresType { UUID.postgresType }

    public func encode(into buffer: inout [UInt8]) {
        uuid.encode(into: &buffer)
    }

    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Identifier {
        Identifier(try UUID.decode(bytes, type: type))
    }
}

extension Lane: PostgresCodable, PostgresArrayElement {
    public static var postgresType: PostgresType { Int16.postgresType }

    public func encode(into buffer: inout [UInt8]) {
        Int16(number).encode(into: &buffer)
    }

    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Lane {
        guard let number = UInt8(exactly: try Int16.decode(bytes, type: type)) else {
            throw UnreadableRow(what: "a lane outside 0-255")
        }
        return Lane(number)
    }
}

/// A row holds what the rules do not allow: someone wrote to the database past the engine.
public struct UnreadableRow: Error, Sendable, CustomStringConvertible {
    public let what: String

    public var description: String {
        "the database holds \(what), which no rule allows; repair the row by hand"
    }
}

extension RowReader {
    /// The next column as a case of a closed set.
    mutating func next<Label: RawRepresentable<String>>(label: Label.Type) throws -> Label {
        guard let value = Label(rawValue: try next(String.self)) else {
            throw UnreadableRow(what: "an unknown \(Label.self)")
        }
        return value
    }
}
