import CherishTestSupport
import Foundation
import SeededChance
import SystemTimeZones
import Testing

@testable import CherishCore

/// A hand-made compiled zone: one offset, no transitions, and a footer.
enum CraftedZoneFile {
    static func bytes(footer: String, offset: Int32 = 0, version: String = "2") -> [UInt8] {
        let start = Array("TZif\(version)".utf8) + [UInt8](repeating: 0, count: 15)
        // The first block is empty; the second has one local time type and four bytes of names.
        var bytes = start
        bytes += bigEndian([0, 0, 0, 0, 0, 0])
        bytes += start
        bytes += bigEndian([0, 0, 0, 0, 1, 4])
        bytes += bigEndian([UInt32(bitPattern: offset)])
        bytes += [0, 0]
        bytes += Array("XXX\u{0}\n\(footer)\n".utf8)
        return bytes
    }

    private static func bigEndian(_ numbers: [UInt32]) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in numbers {
            for shift: UInt32 in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
        }
        return bytes
    }

    /// Calls everything that could trap on invalid data. The results do not matter.
    static func probe(_ rules: TimeZoneRules) {
        for year in [1900, 1970, 2011, 2027, 2050, 2400] {
            guard let day = CivilDay(year: year, month: 3, day: 27) else { continue }
            let instant = rules.firstInstant(on: day, at: .defaultAlarm)
            _ = rules.day(at: instant)
            _ = rules.timeOfDay(at: instant)
            _ = rules.outsideQuietHours(instant)
            _ = rules.start(of: rules.day(at: instant) + 1)
        }
    }
}

@Suite("Hostile and unusual zone files")
struct HostileTimeZoneFileTests {
    private func file(_ name: String) throws -> [UInt8] {
        let data = FileManager.default.contents(atPath: "\(SystemTimeZones.defaultDirectory)/\(name)")
        return Array(try #require(data))
    }

    private func offset(_ footer: String, at text: String) throws -> Int {
        let rules = try TimeZoneRules(name: "Crafted", file: CraftedZoneFile.bytes(footer: footer))
        return rules.offset(atSecond: try instant(text).secondsSinceEpoch)
    }

    @Test("a file truncated anywhere is refused", arguments: ["Asia/Seoul", "America/Nuuk", "UTC"])
    func truncated(name: String) throws {
        let whole = try file(name)
        _ = try TimeZoneRules(name: name, file: whole)
        var accepted: [Int] = []
        for length in 0..<whole.count {
            let rules = try? TimeZoneRules(name: name, file: Array(whole[..<length]))
            if rules != nil { accepted.append(length) }
        }
        #expect(accepted.isEmpty)
    }

    @Test("a randomly damaged file is refused or read, and never traps", arguments: ["Asia/Seoul", "America/Nuuk"])
    func damaged(name: String) throws {
        let whole = try file(name)
        var generator = SplitMix64(seed: 8536)
        var parsed = 0
        for _ in 0..<repetitions(2000, inDebug: 400) {
            var bytes = whole
            for _ in 0...Int.random(in: 0...3, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let rules = try? TimeZoneRules(name: name, file: bytes) else { continue }
            parsed += 1
            CraftedZoneFile.probe(rules)
        }
        #expect(parsed > 0)
    }

    @Test("a file with any one bit of its headers or footer flipped is refused or read")
    func damagedBits() throws {
        let whole = CraftedZoneFile.bytes(footer: "<-02>2<-01>,M3.5.0/-1,M10.5.0/0")
        for position in whole.indices {
            for bit in 0..<8 {
                var bytes = whole
                bytes[position] ^= UInt8(1) << UInt8(bit)
                guard let rules = try? TimeZoneRules(name: "Crafted", file: bytes) else { continue }
                CraftedZoneFile.probe(rules)
            }
        }
    }

    @Test("huge numbers do not trap")
    func hugeNumbers() async {
        // A trap would end the test process, so this test has its own.
        await #expect(processExitsWith: .success) {
            let footers = [
                "EST99999999999999999999", "EST9223372036854775808", "EST9999999999999999", "EST5:9223372036854775808",
                "EST5EDT,M9223372036854775808.1.0,M11.1.0", "EST5EDT,J9223372036854775809,J300",
                "EST5EDT,M3.2.0/9999999999999999,M11.1.0",
            ]
            for footer in footers {
                guard let rules = try? TimeZoneRules(name: "Crafted", file: CraftedZoneFile.bytes(footer: footer))
                else { continue }
                CraftedZoneFile.probe(rules)
            }
        }
    }

    @Test(
        "an invalid POSIX zone is refused",
        arguments: [
            "EST", "EST5EDT", "5", "E5", "<EST5", "EST168", "EST5:60", "EST5EDT,M3.2.0", "EST5EDT,M13.1.0,M11.1.0",
            "EST5EDT,M0.1.0,M11.1.0", "EST5EDT,M3.6.0,M11.1.0", "EST5EDT,M3.0.0,M11.1.0", "EST5EDT,M3.2.7,M11.1.0",
            "EST5EDT,J0,J300", "EST5EDT,J366,J1", "EST5EDT,366,1", "EST5EDT,M3.2.0,M11.1.0,", "EST5EDT,M3.2.0/,M11.1.0",
            "EST5EDT;M3.2.0;M11.1.0", "\u{0}",
        ])
    func refusedFooter(footer: String) {
        #expect(throws: TimeZoneFileError.self) {
            try TimeZoneRules(name: "Crafted", file: CraftedZoneFile.bytes(footer: footer))
        }
    }

    @Test("files of version 1 and other files are refused")
    func otherFiles() {
        let crafted = CraftedZoneFile.bytes(footer: "UTC0")
        let others: [[UInt8]] = [
            [], Array("TZif".utf8), CraftedZoneFile.bytes(footer: "UTC0", version: "\u{0}"), Array(crafted.dropFirst()),
            Array(repeating: 0, count: 200), Array(repeating: 255, count: 200),
        ]
        for bytes in others {
            #expect(throws: TimeZoneFileError.self) { try TimeZoneRules(name: "Other", file: bytes) }
        }
    }

    @Test("a zone without a footer keeps its offset")
    func noFooter() throws {
        let rules = try TimeZoneRules(name: "Crafted", file: CraftedZoneFile.bytes(footer: "", offset: -12_600))
        #expect(rules.offset(atSecond: 0) == -12_600)
        #expect(rules.offset(atSecond: 4_000_000_000) == -12_600)
    }

    @Test("footers of every form in RFC 9636")
    func footers() throws {
        let cases: [(String, String, Int)] = [
            ("UTC0", "2050-01-01T00:00:00Z", 0), ("<+0330>-3:30", "2050-01-01T00:00:00Z", 12_600),
            ("XXX-1:02:03", "2050-01-01T00:00:00Z", 3723), ("EST5EDT,M3.2.0,M11.1.0", "2050-01-01T00:00:00Z", -18_000),
            // 13 March 2050 is the second Sunday, 6 November the first.
            ("EST5EDT,M3.2.0,M11.1.0", "2050-03-13T06:59:59Z", -18_000),
            ("EST5EDT,M3.2.0,M11.1.0", "2050-03-13T07:00:00Z", -14_400),
            ("EST5EDT,M3.2.0,M11.1.0", "2050-11-06T05:59:59Z", -14_400),
            ("EST5EDT,M3.2.0,M11.1.0", "2050-11-06T06:00:00Z", -18_000),
            // South of the equator, summer time spans the new year.
            ("XXX-10YYY,M10.1.0,M4.1.0/3", "2050-01-01T00:00:00Z", 39_600),
            ("XXX-10YYY,M10.1.0,M4.1.0/3", "2050-07-01T00:00:00Z", 36_000),
            // Irish standard time is that of summer.
            ("IST-1GMT0,M10.5.0,M3.5.0/1", "2050-07-01T00:00:00Z", 3600),
            ("IST-1GMT0,M10.5.0,M3.5.0/1", "2050-12-01T00:00:00Z", 0),
            // J60 is 1 March in every year, 59 is 29 February in a leap year.
            ("XXX0YYY,J60/0,J300/0", "2051-02-28T23:59:59Z", 0), ("XXX0YYY,J60/0,J300/0", "2051-03-01T00:00:00Z", 3600),
            ("XXX0YYY,J60/0,J300/0", "2052-02-29T23:59:59Z", 0), ("XXX0YYY,J60/0,J300/0", "2052-03-01T00:00:00Z", 3600),
            ("XXX0YYY,59/0,299/0", "2051-03-01T00:00:00Z", 3600), ("XXX0YYY,59/0,299/0", "2051-02-28T23:59:59Z", 0),
            ("XXX0YYY,59/0,299/0", "2052-02-29T00:00:00Z", 3600), ("XXX0YYY,59/0,299/0", "2052-02-28T23:59:59Z", 0),
            // Summer time all year.
            ("EST5EDT,0/0,J365/25", "2050-01-01T00:00:00Z", -14_400),
            ("EST5EDT,0/0,J365/25", "2051-01-01T04:30:00Z", -14_400),
            ("EST5EDT,0/0,J365/25", "2052-12-31T12:00:00Z", -14_400),
            // Negative hours, and hours beyond the next midnight: Saturday 26 March 23:00, Tuesday 29 March 02:00.
            ("XXX0YYY,M3.5.0/-1,M10.5.0", "2050-03-26T22:59:59Z", 0),
            ("XXX0YYY,M3.5.0/-1,M10.5.0", "2050-03-26T23:00:00Z", 3600),
            ("XXX0YYY,M3.5.0/50,M10.5.0", "2050-03-29T01:59:59Z", 0),
            ("XXX0YYY,M3.5.0/50,M10.5.0", "2050-03-29T02:00:00Z", 3600),
        ]
        for (footer, text, expected) in cases {
            let actual = try offset(footer, at: text)
            #expect(actual == expected, "\(footer) at \(text)")
        }
    }
}
