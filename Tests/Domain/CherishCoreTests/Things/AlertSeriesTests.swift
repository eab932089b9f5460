import CherishTestSupport
import Foundation
import Testing

@testable import CherishCore

@Suite("10.4 to 10.6: when things alert")
struct AlertSeriesTests {
    private static func alert(_ text: Substring) throws -> ThingAlert {
        if text.hasSuffix("m") { return .minutesBefore(try #require(Int(text.dropLast()))) }
        let parts = text.components(separatedBy: "d@")
        return .daysBefore(try #require(Int(parts[0])), at: try timeOfDay(parts[1]))
    }

    private static func series(
        _ alerts: String, due: String, time: String? = nil, _ repetition: AlertRepetition = .once,
        in zone: String = "Asia/Seoul"
    ) throws -> AlertSeries {
        AlertSeries(
            try alerts.split(separator: ",").map { try alert($0) },
            ThingDue(day: try civilDay(due), time: try time.map { try timeOfDay($0) }), repetition,
            in: try systemTimeZones.rules(zone))
    }

    /// All alerts from an instant on, at most `most`.
    private static func moments(_ series: AlertSeries, from start: Instant, most: Int = 20) -> [Instant] {
        var found: [Instant] = []
        var next = series.first(from: start)
        while let moment = next, found.count < most {
            found.append(moment.at)
            next = series.next(after: moment.at)
        }
        return found
    }

    @Test("random things in all zones, most of them near a change of the clocks, beside Python's zoneinfo")
    func zoneinfo() async throws {
        let zones = try TransitionFixture.shared.get().difficultZones.map(\.name)
        let lines = try await ThingFixture.lines("alerts.py", ["\(ThingFixture.seed)", "20000"] + zones)
        #expect(lines.count == 20_000)
        var (wrong, found) = ([String](), 0)
        for line in lines {
            let parts = line.split(separator: " ").map(String.init)
            let series = try Self.series(
                parts[3] == "-" ? "" : parts[3], due: parts[1], time: parts[2] == "-" ? nil : parts[2],
                #require(AlertRepetition(rawValue: parts[4])), in: parts[0])
            let next = series.first(from: Instant(secondsSinceEpoch: try #require(Int64(parts[5]))))
            let seconds = next.map { "\($0.at.secondsSinceEpoch) \(series.expiry(of: $0).secondsSinceEpoch)" }
            if next != nil { found += 1 }
            if seconds ?? "- -" != "\(parts[6]) \(parts[7])" { wrong.append("\(line), but \(seconds ?? "-")") }
        }
        #expect(wrong.isEmpty, "\(wrong.count) differ, such as \(wrong.prefix(5)); seed \(ThingFixture.seed)")
        // Otherwise the program makes up too little of one sort.
        #expect((5_000...18_000).contains(found))
    }

    @Test("equal instants are one alert")
    func equal() throws {
        let series = try Self.series("60m,0d@09:00,60m,0d@09:00,60m", due: "2027-03-02", time: "10:00")
        #expect(Self.moments(series, from: try seoul("2027-01-01T00:00")) == [try seoul("2027-03-02T09:00")])
    }

    @Test("repeats daily at the same time until the end of the 7th day after the due day")
    func daily() throws {
        let series = try Self.series("1d@09:00", due: "2027-03-02", .daily)
        let moments = Self.moments(series, from: try seoul("2027-01-01T00:00"))
        let days = try (0...8).map { try seoul("2027-03-0\($0 + 1)T09:00") }
        #expect(moments == days)
    }

    @Test("repeats weekly")
    func weekly() throws {
        let series = try Self.series("0d@09:00", due: "2027-03-02", .weekly)
        let moments = Self.moments(series, from: try seoul("2027-03-02T09:01"))
        #expect(moments == [try seoul("2027-03-09T09:00")])
    }

    @Test("repeats hourly after each elapsed hour, but not in quiet hours")
    func hourly() throws {
        let series = try Self.series("30m", due: "2027-03-02", time: "20:45", .hourly)
        let moments = Self.moments(series, from: try seoul("2027-03-02T00:00"), most: 4)
        let expected = try ["2027-03-02T20:15", "2027-03-02T21:15", "2027-03-03T08:15", "2027-03-03T09:15"].map(seoul)
        #expect(moments == expected)
    }

    @Test("expires when the next one is due, after 24 hours, or an hour after the due time")
    func expiry() throws {
        func expiry(_ series: AlertSeries) throws -> Instant {
            series.expiry(of: try #require(series.first(from: try seoul("2027-01-01T00:00"))))
        }
        let days = try Self.series("3d@09:00,1d@09:00", due: "2027-03-05")
        #expect(try expiry(days) == (try seoul("2027-03-03T09:00")))
        let soon = try Self.series("3d@09:00,3d@11:00", due: "2027-03-05")
        #expect(try expiry(soon) == (try seoul("2027-03-02T11:00")))
        let timed = try Self.series("30m", due: "2027-03-05", time: "14:00")
        #expect(try expiry(timed) == (try seoul("2027-03-05T15:00")))
        let hourly = try Self.series("30m", due: "2027-03-05", time: "14:00", .hourly)
        #expect(try expiry(hourly) == (try seoul("2027-03-05T14:30")))
    }
}
