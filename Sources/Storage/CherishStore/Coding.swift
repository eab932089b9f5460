import CherishCore
import Foundation
import Postgres

// Encoding of domain values: instants as timestamptz, civil days as date, ids as uuid, and closed sets as enum labels,
// which statements cast (`$1::topic`).

extension Instant: PostgresCodable, PostgresArrayElement {
    public static var postgresType: PostgresType { PostgresTimestamp.postgresType }

    public func encode(into buffer: inout [UInt8]) {
        PostgresTimestamp(microsecondsSince1970: microsecondsSinceEpoch).encode(into: &buffer)
    }

    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Instant {
        let microseconds = try PostgresTimestamp.decode(bytes, type: type).microsecondsSince1970
        guard RowLimit.microseconds.contains(microseconds) else {
            throw UnreadableRow(what: "an instant outside of the years 1 to 9999")
        }
        return Instant(microsecondsSinceEpoch: microseconds)
    }
}

extension CivilDay: PostgresCodable, PostgresArrayElement {
    public static var postgresType: PostgresType { PostgresDate.postgresType }

    public func encode(into buffer: inout [UInt8]) {
        PostgresDate(daysSince1970: daysSinceEpoch).encode(into: &buffer)
    }

    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> CivilDay {
        let days = try PostgresDate.decode(bytes, type: type).daysSince1970
        guard RowLimit.days.contains(Int(days)) else {
            throw UnreadableRow(what: "a day outside of the years 1 to 9999")
        }
        return CivilDay(daysSinceEpoch: days)
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

/// Limits on stored values, stricter than their column types, so that arithmetic never overflows.
enum RowLimit {
    /// Days since 1970-01-01 of the years 1 to 9999, the range in which a ``CivilDay`` can be written. PostgreSQL's
    /// dates reach far beyond it on both sides.
    static let days = -719_162...2_932_896
    /// Microseconds since 1970-01-01T00:00:00Z, for the same years.
    static let microseconds: ClosedRange<Int64> = -62_135_596_800_000_000...253_402_300_799_999_999
    /// How often something happened to a plant or a job, and the numbers of such events. Two of them plus one still fit
    /// an `integer` column.
    static let count = 0...999_999_999
    /// Row counts by the server: more than any database has, yet millions of them can be summed.
    static let rowCount = 0...1_000_000_000_000
    /// A lane's last job number, or a fence; leaves room for later ones.
    static let seq = 0...Int.max / 2
    /// A job's number.
    static let jobSeq = 1...Int.max / 2
    /// The end of the calendar: everything is recorded and planned before it.
    static let calendarEnd = Instant(secondsSinceEpoch: 4_102_444_800)
}

extension Comparable {
    /// Returns the value if it lies in the range.
    func within(_ range: ClosedRange<Self>, orHolds what: String) throws(UnreadableRow) -> Self {
        guard range.contains(self) else { throw UnreadableRow(what: what) }
        return self
    }
}

extension RowReader {
    /// Reads the next column as a row count by the server.
    mutating func nextCount() throws -> Int {
        try next(Int.self).within(RowLimit.rowCount, orHolds: "an impossible count of rows")
    }
}

extension SQL.StringInterpolation {
    /// Adds an enum label as a literal: `'registration'`.
    mutating func appendInterpolation(label: some RawRepresentable<String> & CaseIterable) {
        appendInterpolation(SQL(trusting: "'\(label.rawValue)'"))
    }

    /// Adds a topic's label as a literal: `'watering_due'`.
    mutating func appendInterpolation(topic: Topic) {
        appendInterpolation(SQL(trusting: "'\(topic.label)'"))
    }

    /// Adds an id as a literal, where SQL takes no parameter.
    mutating func appendInterpolation<Owner>(id: Identifier<Owner>) {
        appendInterpolation(SQL(trusting: "'\(id)'"))
    }
}

extension RowReader {
    /// Reads the next column as a case of a closed set.
    package mutating func next<Label: RawRepresentable<String>>(label: Label.Type) throws -> Label {
        guard let value = Label(rawValue: try next(String.self)) else {
            throw UnreadableRow(what: "an unknown \(Label.self)")
        }
        return value
    }
}
