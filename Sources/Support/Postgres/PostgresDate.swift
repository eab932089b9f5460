/// A civil day, counted from 1970-01-01. Decoding rejects PostgreSQL's `infinity`.
public struct PostgresDate: Hashable, Sendable {
    /// Days since 1970-01-01; negative before.
    public var daysSince1970: Int32

    /// The day with this number.
    public init(daysSince1970: Int32) {
        self.daysSince1970 = daysSince1970
    }
}

extension PostgresDate: Comparable {
    /// Whether the left day is earlier.
    public static func < (left: PostgresDate, right: PostgresDate) -> Bool {
        left.daysSince1970 < right.daysSince1970
    }
}

extension PostgresDate: PostgresArrayElement {
    /// Days from 1970-01-01 to 2000-01-01, where PostgreSQL starts to count.
    private static let epoch: Int64 = 10_957

    /// `date`
    public static var postgresType: PostgresType { .date }

    /// Appends four bytes.
    public func encode(into buffer: inout [UInt8]) {
        // The lowest number means -infinity; clamp to the next one, which the server refuses as out of range.
        let days = max(Int64(daysSince1970) - Self.epoch, Int64(Int32.min) + 1)
        buffer.appendBigEndian(Int32(days))
    }

    /// Reads a `date`.
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> PostgresDate {
        guard type == .date else { throw PostgresError.wrongType(type, expected: "PostgresDate") }
        let days = try bytes.integer(Int32.self)
        guard days != .min, days != .max else { throw PostgresError.decoding("an infinite date") }
        guard let shifted = Int32(exactly: Int64(days) + epoch) else {
            throw PostgresError.decoding("a date out of range")
        }
        return PostgresDate(daysSince1970: shifted)
    }
}
