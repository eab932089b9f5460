import CherishCore
import CherishTestSupport
import Foundation
import Testing

@testable import CherishService
@testable import CherishStore

/// A letter to write, of a domain that only these tests know.
private struct LetterPushExplanation: SubjectExplanation {
    let topics = [Topic.letterDue]
    var next: PlannedMoment?
    var absence: String?
    var present: String? = "the letter is to be written on Tuesday"

    func pointer(_ topic: Topic) -> PlannedMoment? { topic == .letterDue ? next : nil }
    var silence: String { "Nobody is written to on that day." }
    func missing(among pushes: [PushRecord]) -> [String] {
        pushes.isEmpty ? ["No letter was asked for."] : []
    }
    var past: [String] { ["At the end of that day the letter was written."] }
    var obstacles: [String] { ["The pen is empty."] }
}

extension Topic {
    fileprivate static let letterDue = Topic(
        "letter_due", position: 5, expiry: .hours(48), accountSwitch: nil, isUrgent: false, collection: "letters",
        page: "write",
        wording: PushWording(
            korean: PushWording.Texts(
                one: PushTemplate(title: "{name}", body: "편지"), several: PushTemplate(title: "{name}", body: "편지")),
            english: PushWording.Texts(
                one: PushTemplate(title: "{name}", body: "A letter"),
                several: PushTemplate(title: "{name}", body: "Letters"))))
}

extension PushReason {
    fileprivate static let letterWritten = PushReason("letter_written", meaning: "the letter had been written")
}

@Suite("An explanation of pushes about a subject of a second domain")
struct PushExplanationTests {
    private let letter = Subject.ID(UUID())
    private let device = Device.ID(UUID())

    /// A push planned for 2 March 2027, of which one device is asked if it became a job.
    private func push(_ outcome: PushOutcome?, _ reason: PushReason?, seq: Int? = nil) throws -> PushRecord {
        let due = try instant("2027-03-02T09:00:00Z")
        return PushRecord(
            lane: Lane(7), seq: seq, subjectID: letter, topic: .letterDue, occursOn: try civilDay("2027-03-01"),
            plannedAt: due, expiresAt: nil, outcome: outcome, reason: reason,
            finishedAt: outcome.map { _ in due.adding(minutes: 1) })
    }

    /// What is told on Wednesday, 3 March 2027, of an account that keeps its pushes for 90 days.
    private func sentences(
        _ letter: LetterPushExplanation, on day: String = "2027-03-02", pushes: [PushRecord] = [],
        calendarAheadUntil: Instant? = nil
    ) throws -> [String] {
        let account = Account(
            id: Account.ID(UUID()), email: try EmailAddress("minji@example.com"), nickname: try Nickname("민지"),
            phone: nil, timeZone: "UTC", language: .english)
        let asked = DeviceRecord(
            seq: 3, deviceID: device, platform: .ios, outcome: .refused, reason: "400 BadTopic", attempts: 2)
        return PushExplanation(
            account: account, subjectID: self.letter, subject: letter, clock: WallClock(zone: .utc),
            now: try instant("2027-03-03T12:00:00Z"), day: try civilDay(day), pushes: pushes, deviceRecords: [asked],
            retentionDays: 90, calendarAheadUntil: calendarAheadUntil
        ).sentences
    }

    @Test("a push that is over has the meaning of a reason that only its domain knows, and what devices said")
    func past() throws {
        let next = PlannedMoment(ref: 2, at: try instant("2027-03-09T09:00:00Z"))
        let pushes = [try push(.superseded, .letterWritten), try push(.dead, .refused, seq: 3)]
        let told = try sentences(LetterPushExplanation(next: next), pushes: pushes)
        let planned = "letter_due for 2027-03-01, planned for 2027-03-02 09:00 UTC:"
        #expect(
            told == [
                "\(planned) superseded at 2027-03-02 09:01 UTC, because the letter had been written.",
                "\(planned) dead at 2027-03-02 09:01 UTC, because the provider refused it.",
                "  ios device \(device.description.prefix(8)): refused (400 BadTopic) after 2 attempts.",
                "At the end of that day the letter was written.",
                "Now it is 2027-03-03 12:00 UTC; the letter is to be written on Tuesday.",
                "Next: letter_due at 2027-03-09 09:00 UTC.", "The pen is empty.",
            ])
    }

    @Test("a reason that nobody declares is shown as itself")
    func unknownReason() throws {
        let pushes = [
            try push(.dead, PushReason(rawValue: "ink_dried")), try push(.delivered, .sent), try push(.dead, nil),
            try push(nil, nil),
        ]
        let told = try sentences(LetterPushExplanation(), pushes: pushes)
        let planned = "letter_due for 2027-03-01, planned for 2027-03-02 09:00 UTC:"
        #expect(
            Array(told.prefix(4)) == [
                "\(planned) dead at 2027-03-02 09:01 UTC, because of ink_dried.",
                "\(planned) delivered at 2027-03-02 09:01 UTC.",
                "\(planned) dead at 2027-03-02 09:01 UTC, because of nothing recorded.",
                "\(planned) pending; it is being delivered or tried again.",
            ])
    }

    @Test("without a push: no subject, a day to come, a day whose pushes were dropped, or what the domain says")
    func silence() throws {
        let known = LetterPushExplanation()
        let unknown = LetterPushExplanation(absence: "nobody had asked for the letter yet")
        func first(_ day: String, _ letter: LetterPushExplanation) throws -> [String] {
            Array(try sentences(letter, on: day).prefix(2))
        }
        let past = "At the end of that day the letter was written."
        let missing = "No letter was asked for."
        let absent = "Nothing was scheduled for 2027-03-30: nobody had asked for the letter yet."
        let dropped =
            "What was scheduled for 2026-12-02 is not known: pushes are kept for 90 days, and older ones are dropped."
        let told = try [
            first("2027-03-30", unknown), first("2027-03-30", known), first("2026-12-02", known),
            first("2026-12-03", known),
        ]
        #expect(told[0] == [absent, missing])
        #expect(told[1] == ["2027-03-30 is still to come.", missing])
        #expect(told[2] == [dropped, past])
        #expect(told[3] == ["Nobody is written to on that day.", missing])
    }

    @Test("nothing is told of what comes next if nothing does; a calendar ahead of the clock is warned of last")
    func ahead() throws {
        let told = try sentences(
            LetterPushExplanation(present: nil), pushes: [push(.delivered, .sent)],
            calendarAheadUntil: instant("2027-04-01T00:00:00Z"))
        #expect(told.count == 3)
        #expect(told[1] == "At the end of that day the letter was written.")
        #expect(told[2].contains("up to 2027-04-01 00:00 UTC"))
    }
}
