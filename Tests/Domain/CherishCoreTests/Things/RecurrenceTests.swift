import CherishTestSupport
import Foundation
import Testing

@testable import CherishCore

@Suite("10.8: things that recur")
struct RecurrenceTests {
    private static func next(
        _ recurrence: Recurrence, start: String, due: String? = nil, completed: String, today: String? = nil
    ) throws -> String? {
        try recurrence.nextDueDay(
            from: civilDay(start), dueOn: civilDay(due ?? start), completedOn: civilDay(completed),
            today: civilDay(today ?? completed)
        )?.description
    }

    @Test("a monthly series keeps its day: 31 January, 28 February, 31 March")
    func monthEnds() throws {
        let monthly = try Recurrence(every: 1, .months)
        #expect(try Self.next(monthly, start: "2027-01-31", completed: "2027-01-31") == "2027-02-28")
        #expect(
            try Self.next(monthly, start: "2027-01-31", due: "2027-02-28", completed: "2027-02-28") == "2027-03-31")
    }

    @Test("a yearly 29 February falls on the 28th in other years")
    func leapDays() throws {
        let yearly = try Recurrence(every: 1, .years)
        #expect(try Self.next(yearly, start: "2028-02-29", completed: "2028-02-29") == "2029-02-28")
        #expect(
            try Self.next(yearly, start: "2028-02-29", due: "2031-02-28", completed: "2031-02-28") == "2032-02-29")
    }

    @Test("counted from the due day, the next one lies after the old one and after today")
    func fromDue() throws {
        let weekly = try Recurrence(every: 1, .weeks)
        #expect(try Self.next(weekly, start: "2027-03-01", completed: "2027-02-20") == "2027-03-08")
        #expect(try Self.next(weekly, start: "2027-03-01", completed: "2027-03-08") == "2027-03-15")
        #expect(try Self.next(weekly, start: "2027-03-01", completed: "2027-03-30") == "2027-04-05")
    }

    @Test("counted from the completion, the next one is an interval after it")
    func fromCompletion() throws {
        let monthly = try Recurrence(every: 1, .months, from: .completion)
        #expect(try Self.next(monthly, start: "2027-01-15", completed: "2027-01-31") == "2027-02-28")
        #expect(try Self.next(monthly, start: "2027-02-28", completed: "2027-02-28") == "2027-03-28")
    }

    @Test("after the last day, or after 2099, the thing is done")
    func ends() throws {
        let until = try civilDay("2027-03-08")
        let weekly = try Recurrence(every: 1, .weeks, until: until)
        #expect(try Self.next(weekly, start: "2027-03-01", completed: "2027-03-01") == "2027-03-08")
        #expect(try Self.next(weekly, start: "2027-03-01", due: "2027-03-08", completed: "2027-03-08") == nil)
        let yearly = try Recurrence(every: 1, .years)
        #expect(try Self.next(yearly, start: "2099-01-01", completed: "2099-01-01") == nil)
        let days = try Recurrence(every: 99, .days)
        #expect(try Self.next(days, start: "2099-12-31", completed: "2099-12-31") == nil)
    }

    @Test("an interval is 1 to 99", arguments: [Int.min, -1, 0, 100, .max])
    func intervals(every: Int) {
        #expect(throws: ThingError.invalidRecurrence(.interval(every))) { try Recurrence(every: every, .days) }
    }

    @Test("100,000 random things, beside python-dateutil")
    func dateutil() async throws {
        let lines = try await ThingFixture.lines("recurrences.py", ["\(ThingFixture.seed)", "100000"])
        #expect(lines.count == 100_000)
        var (wrong, ended) = ([String](), 0)
        for line in lines {
            let parts = line.split(separator: " ").map(String.init)
            let recurrence = try Recurrence(
                every: #require(Int(parts[1])), #require(Recurrence.Unit(rawValue: parts[2])),
                from: #require(Recurrence.Base(rawValue: parts[3])), until: CivilDay(parts[4]))
            let next = try Self.next(
                recurrence, start: parts[0], due: parts[5], completed: parts[6], today: parts[7])
            if next == nil { ended += 1 }
            if next ?? "-" != parts[8] { wrong.append("\(line), but \(next ?? "-")") }
        }
        #expect(wrong.isEmpty, "\(wrong.count) differ, such as \(wrong.prefix(5)); seed \(ThingFixture.seed)")
        // Otherwise the program makes up too little of one sort.
        #expect((5_000...60_000).contains(ended))
    }
}

/// The programs of `fixtures/things`.
enum ThingFixture {
    /// Another one in each run; failures name it.
    static let seed = Int.random(in: 0..<1_000_000)

    private static let directory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("fixtures/things")

    static func lines(_ program: String, _ arguments: [String]) async throws -> [Substring] {
        let path = directory.appendingPathComponent(program).path
        let result = try await RunningProgram("/usr/bin/python3", [path] + arguments).result()
        try #require(result.status == 0, "\(result.errors)")
        return result.output.split(separator: "\n")
    }
}
