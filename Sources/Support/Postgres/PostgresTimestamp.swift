/// An instant, counted from 1970-01-01 00:00 UTC. Decoding rejects PostgreSQL's `infinity`.
public struct PostgresTimestamp: Hashable, Sendable {
    /// Microseconds since 1970-01-01 00:00 UTC; negative before.
    public var microsecondsSince1970: Int64

    /// The instant with this number of microseconds.
    public init(microsecondsSince1970: Int64) {
        self.microsecondsSince1970 = microsecondsSince1970
    }
}

extension PostgresTimestamp: Comparable {
    /// Whether the left instant is earlier.
    public static func < (left: PostgresTimestamp, right: PostgresTimestamp) -> Bool {
        left.microsecondsSince1970 < right.microsecondsSince1970
    }
}

extension PostgresTimestamp: PostgresArrayElement {
    /// Microseconds from 1970-01-01 to 2000-01-01 00:00 UTC, where PostgreSQL starts to count.
    private static let epoch: Int64 = 946_684_800_000_000

    /// `timestamp with time zone`
    public static var postgresType: PostgresType { .timestamptz }

    /// Appends eight bytes.
    public func encode(into buffer: inout [UInt8]) {
        // The lowest number means -infinity; clamp to the next one, which the server refuses as out of range.
        let (shifted, overflow) = microsecondsSince1970.subtractingReportingOverflow(Self.epoch)
        buffer.appendBigEndian(overflow ? Int64.min + 1 : max(shifted, Int64.min + 1))
    }

    /// Reads a `timestamp with time zone`. Years after 294,246 do not fit and are rejected.
    public static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> PostgresTimestamp {
        guard type == .timestamptz else { throw PostgresError.wrongType(type, expected: "PostgresTimestamp") }
        let microseconds = try bytes.integer(Int64.self)
        guard microseconds != .min, microseconds != .max else { throw PostgresError.decoding("an infinite instant") }
        let (shifted, overflow) = microseconds.addingReportingOverflow(epoch)
        guard !overflow else { throw PostgresError.decoding("an instant out of range") }
        return PostgresTimestamp(microsecondsSince1970: shifted)
    }
}
