import CherishTestSupport
import Foundation
import Postgres
import Testing

@Suite("Values survive the round trip to the server", .emptyDatabase)
struct CodecTests {
    private func expectRoundTrip<Value: PostgresArrayElement & Equatable>(
        _ values: [Value], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let connection = try await openConnection()
        for value in values {
            let back: Value = try await single(connection, "SELECT $1", [value])
            #expect(back == value, sourceLocation: sourceLocation)
        }
        let array: [Value] = try await single(connection, "SELECT $1", [values])
        #expect(array == values, sourceLocation: sourceLocation)

        var withGaps: [Value?] = values
        withGaps.insert(nil, at: 0)
        withGaps.append(nil)
        let gaps: [Value?] = try await single(connection, "SELECT $1", [withGaps])
        #expect(gaps == withGaps, sourceLocation: sourceLocation)

        let nothing = try await single(connection, "SELECT $1", [Value?.none], as: Value?.self)
        #expect(nothing == nil, sourceLocation: sourceLocation)
        let empty: [Value] = try await single(connection, "SELECT $1", [[Value]()])
        #expect(empty.isEmpty, sourceLocation: sourceLocation)
        await connection.close()
    }

    @Test func booleans() async throws {
        try await expectRoundTrip([true, false])
    }

    @Test func integers() async throws {
        try await expectRoundTrip([Int16.min, -1, 0, 1, .max])
        try await expectRoundTrip([Int32.min, -1, 0, 1, .max])
        try await expectRoundTrip([Int64.min, -1, 0, 1, .max])
        try await expectRoundTrip([Int.min, -1, 0, 1, .max])
    }

    @Test func doubles() async throws {
        try await expectRoundTrip([
            -Double.infinity, -0.0, 0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity,
        ])
        let connection = try await openConnection()
        let number: Double = try await single(connection, "SELECT $1", [Double.nan])
        #expect(number.isNaN)
    }

    @Test func texts() async throws {
        try await expectRoundTrip(["", "plain", "'\"\\$1", "가나다", "👨‍👩‍👧‍👦", String(repeating: "x", count: 100_000)])
    }

    @Test func uuids() async throws {
        let zero = try #require(UUID(uuidString: "00000000-0000-0000-0000-000000000000"))
        let ones = try #require(UUID(uuidString: "ffffffff-ffff-ffff-ffff-ffffffffffff"))
        try await expectRoundTrip([zero, ones, UUID()])
    }

    @Test func bytes() async throws {
        try await expectRoundTrip([Bytea([]), Bytea([0]), Bytea([UInt8](0...255))])
    }

    @Test func documents() async throws {
        try await expectRoundTrip([JSONB("null"), JSONB("{\"a\": [1, 2]}")])
    }

    @Test func dates() async throws {
        try await expectRoundTrip([-1, 0, 1, 10_956, 10_957, 20_879].map { PostgresDate(daysSince1970: $0) })
        let connection = try await openConnection()
        let text: String = try await single(
            connection, "SELECT $1::date::text", [PostgresDate(daysSince1970: 10_957)])
        #expect(text == "2000-01-01")
        for extreme in ["4714-11-24 BC", "5874897-12-31"] {
            let day: PostgresDate = try await single(connection, "SELECT '\(extreme)'::date")
            #expect(try await single(connection, "SELECT $1 = '\(extreme)'::date", [day], as: Bool.self))
        }
    }

    @Test func instants() async throws {
        try await expectRoundTrip(
            [-1, 0, 1, 946_684_800_000_000, 1_803_945_540_123_456].map {
                PostgresTimestamp(microsecondsSince1970: $0)
            })
        let connection = try await openConnection()
        let isSame: Bool = try await single(
            connection, "SELECT $1 = '2000-01-01 00:00:00.000001+00'::timestamptz",
            [PostgresTimestamp(microsecondsSince1970: 946_684_800_000_001)])
        #expect(isSame)
        let earliest = "'4714-11-24 00:00:00+00 BC'::timestamptz"
        let instant: PostgresTimestamp = try await single(connection, "SELECT \(earliest)")
        #expect(try await single(connection, "SELECT $1 = \(earliest)", [instant], as: Bool.self))
    }

    @Test(arguments: ["infinity", "-infinity"])
    func infiniteDaysAndInstantsAreRefused(_ infinity: String) async throws {
        let connection = try await openConnection()
        let day = try await #require(throws: PostgresError.self) {
            _ = try await single(connection, "SELECT '\(infinity)'::date", as: PostgresDate.self)
        }
        #expect(day.code == .decoding)
        let instant = try await #require(throws: PostgresError.self) {
            _ = try await single(connection, "SELECT '\(infinity)'::timestamptz", as: PostgresTimestamp.self)
        }
        #expect(instant.code == .decoding)
    }

    @Test func numbersOutOfTheServersRangeDoNotBecomeInfinite() async throws {
        let connection = try await openConnection()
        let day = try await #require(throws: PostgresError.self) {
            _ = try await connection.query("SELECT $1", [PostgresDate(daysSince1970: .min)])
        }
        #expect(day.sqlState == "22008")
        let instant = try await #require(throws: PostgresError.self) {
            _ = try await connection.query("SELECT $1", [PostgresTimestamp(microsecondsSince1970: .min)])
        }
        #expect(instant.sqlState == "22008")
    }

    @Test func smallerIntegersAndTypesOfUsersAreRead() async throws {
        let connection = try await openConnection()
        try await connection.script("CREATE TYPE mood AS ENUM ('sad', 'glad')")
        let rows = try await connection.query(
            "SELECT 1::int2, 2::int4, 3::int8, 'glad'::mood, 'x'::varchar, 'n'::name")
        var reader = try #require(rows.first).reader
        let numbers = [try reader.next(Int.self), try reader.next(Int.self), try reader.next(Int.self)]
        #expect(numbers == [1, 2, 3])
        let texts = [try reader.next(String.self), try reader.next(String.self), try reader.next(String.self)]
        #expect(texts == ["glad", "x", "n"])
        let moods: [String] = try await single(connection, "SELECT ARRAY['sad', 'glad']::mood[]")
        #expect(moods == ["sad", "glad"])
    }

    @Test func nullIsRefusedWithTheColumnsName() async throws {
        let connection = try await openConnection()
        let rows = try await connection.query("SELECT NULL::text AS nickname")
        let row = try #require(rows.first)
        #expect(row.isNull(0))
        #expect(try row.decode("nickname", as: String?.self) == nil)
        let error = try #require(throws: PostgresError.self) { try row.decode("nickname", as: String.self) }
        #expect(error.code == .decoding)
        #expect(error.description.contains("nickname"))
        #expect(throws: PostgresError.self) { try row.decode("absent", as: String.self) }
        #expect(throws: PostgresError.self) { try row.decode(1, as: String.self) }
        #expect(throws: PostgresError.self) { try row.decode(-1, as: String.self) }
    }

    @Test("an unreadable value is refused with the name of its column")
    func refusalsNameTheColumn() async throws {
        let connection = try await openConnection()
        let rows = try await connection.query(
            "SELECT 1 AS number, 'x'::text AS word, NULL::uuid AS id, ARRAY[1, NULL] AS numbers")
        let row = try #require(rows.first)
        func refusal<Value: PostgresDecodable>(_ column: Int, _ type: Value.Type) -> String {
            do {
                let value = try row.decode(column, as: type)
                return "read as \(value)"
            } catch {
                return "\(error)"
            }
        }
        #expect(refusal(0, Int.self) == "read as 1")
        #expect(refusal(0, String.self).hasPrefix("decoding: column \"number\": "))
        #expect(refusal(0, [Int].self).hasPrefix("decoding: column \"number\": "))
        #expect(refusal(1, Int.self).hasPrefix("decoding: column \"word\": "))
        #expect(refusal(2, UUID.self).hasPrefix("decoding: column \"id\" is NULL"))
        #expect(refusal(3, [Int].self).hasPrefix("decoding: column \"numbers\": "))
        #expect(refusal(4, Int.self) == "decoding: there is no column 4, only 4 columns")
        let absent = try #require(throws: PostgresError.self) { try row.decode("absent", as: Int.self) }
        #expect(absent.description == "decoding: there is no column \"absent\"")
    }

    @Test("empty text, no bytes and no elements are not NULL, in either direction")
    func emptyIsNotNull() async throws {
        let connection = try await openConnection()
        let nothing: [Int32]? = nil
        let rows = try await connection.query(
            """
            SELECT $1, $2, $3, ''::text, ''::bytea, '{}'::int[], NULL::text, NULL::bytea, NULL::int[],
                num_nulls($1, $2, $3), num_nulls($4, $5, $6)
            """, ["", Bytea([]), [Int32](), String?.none, Bytea?.none, nothing])
        let row = try #require(rows.first)
        let texts = try [0, 3, 6].map { try row.decode($0, as: String?.self) }
        let emptyTexts: [String?] = ["", "", nil]
        #expect(texts == emptyTexts)
        let bytes = try [1, 4, 7].map { try row.decode($0, as: Bytea?.self) }
        let emptyBytes: [Bytea?] = [Bytea([]), Bytea([]), nil]
        #expect(bytes == emptyBytes)
        let arrays = try [2, 5, 8].map { try row.decode($0, as: [Int32]?.self) }
        let emptyArrays: [[Int32]?] = [[], [], nil]
        #expect(arrays == emptyArrays)
        let nullColumns = (0..<9).filter { row.isNull($0) }
        #expect(nullColumns == [6, 7, 8])
        let nulls = try [9, 10].map { try row.decode($0, as: Int.self) }
        #expect(nulls == [0, 3])
    }
}

@Suite("Malformed bytes are refused")
struct HostileBytesTests {
    private func refusal<Value: PostgresDecodable>(
        _ type: Value.Type, _ bytes: [UInt8], _ column: PostgresType
    ) -> PostgresError.Code? {
        do {
            _ = try bytes.withUnsafeBytes { try Value.decode($0, type: column) }
            return nil
        } catch {
            return (error as? PostgresError)?.code
        }
    }

    @Test func wrongLengths() {
        #expect(refusal(Bool.self, [], .bool) == .decoding)
        #expect(refusal(Bool.self, [2], .bool) == .decoding)
        #expect(refusal(Int16.self, [0], .int2) == .decoding)
        #expect(refusal(Int32.self, [0, 0, 0], .int4) == .decoding)
        #expect(refusal(Int.self, [0, 0, 0, 0], .int8) == .decoding)
        #expect(refusal(Double.self, [0, 0, 0, 0], .float8) == .decoding)
        #expect(refusal(UUID.self, [UInt8](repeating: 0, count: 17), .uuid) == .decoding)
        #expect(refusal(PostgresDate.self, [], .date) == .decoding)
        #expect(refusal(PostgresTimestamp.self, [1], .timestamptz) == .decoding)
    }

    @Test func wrongTypes() {
        #expect(refusal(Int.self, [0, 0, 0, 0], .text) == .decoding)
        #expect(refusal(String.self, [0x31], .int4) == .decoding)
        #expect(refusal(Bytea.self, [0x31], .text) == .decoding)
        #expect(refusal([Int].self, [UInt8](repeating: 0, count: 12), .int8) == .decoding)
    }

    @Test func wrongContent() {
        #expect(refusal(String.self, [0xff, 0xfe], .text) == .decoding)
        #expect(refusal(String.self, [0x61, 0x00], .text) == .decoding)
        #expect(refusal(JSONB.self, [], .jsonb) == .decoding)
        #expect(refusal(JSONB.self, [2, 0x7b, 0x7d], .jsonb) == .decoding)
        #expect(refusal(PostgresDate.self, [0x7f, 0xff, 0xff, 0xff], .date) == .decoding)
        let latest: [UInt8] = [0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe]
        #expect(refusal(PostgresTimestamp.self, latest, .timestamptz) == .decoding)
    }

    /// The words in network byte order.
    private func words(_ words: UInt32...) -> [UInt8] {
        words.flatMap { word in
            [24, 16, 8, 0].map { shift in UInt8(truncatingIfNeeded: word >> UInt32(shift)) }
        }
    }

    @Test func arraysThatLie() throws {
        let type = try #require(PostgresType.int4.array)
        let null = UInt32.max
        // Dimensions, flags, element type, count, lower bound; then length and value of each element.
        #expect(refusal([Int32].self, words(1, 0, 23, 1, 1, 4, 9), type) == nil)
        #expect(refusal([Int32].self, [0, 0], type) == .decoding)
        #expect(refusal([Int32].self, words(2, 0, 23, 1, 1, 1, 1, 4, 9), type) == .decoding)
        #expect(refusal([Int32].self, words(1, 0, 23, 0x7fff_ffff, 1), type) == .decoding)
        #expect(refusal([Int32].self, words(1, 0, 23, 0xffff_fffe, 1), type) == .decoding)
        #expect(refusal([Int32].self, words(1, 0, 25, 1, 1, 4, 9), type) == .decoding)
        #expect(refusal([Int32].self, words(1, 0, 23, 1, 1, 0x7fff_ffff, 9), type) == .decoding)
        #expect(refusal([Int32].self, words(1, 0, 23, 1, 1, 0xffff_fffe, 9), type) == .decoding)
        #expect(refusal([Int32].self, words(1, 0, 23, 1, 1, 4, 9, 9), type) == .decoding)
        #expect(refusal([Int32].self, words(1, 0, 23, 2, 1, 4, 9), type) == .decoding)
        #expect(refusal([Int32].self, words(1, 1, 23, 1, 1, null), type) == .decoding)
        #expect(refusal([Int32?].self, words(1, 1, 23, 1, 1, null), type) == nil)
    }

    @Test func noiseNeverTraps() throws {
        var seed: UInt64 = 20_270_302
        func noise() -> UInt8 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: seed >> 56)
        }
        let texts = try #require(PostgresType.text.array)
        for _ in 0..<repetitions(20_000, inDebug: 2_000) {
            let bytes = (0..<Int(noise() % 40)).map { _ in noise() % 4 == 0 ? noise() : 0 }
            _ = refusal([String?].self, bytes, texts)
            _ = refusal([Int?].self, bytes, PostgresType(rawValue: 16_384))
            _ = refusal(String.self, bytes, .text)
            _ = refusal(JSONB.self, bytes, .jsonb)
            _ = refusal(PostgresTimestamp.self, bytes, .timestamptz)
        }
    }
}
