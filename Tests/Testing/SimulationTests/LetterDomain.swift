import CherishCore
import Postgres

@testable import CherishStore

/// Letters to write: a second domain, which exists in these tests only. Each letter is to be written by an instant,
/// once or every week, and points at the one occurrence that counts.
struct LetterDomain: DueDomain {
    /// What is broken.
    enum Flaw: Sendable {
        case forgetsNextLetter, pushesWrittenLetters
    }

    var flaw: Flaw?

    let topics = [Topic.letterDue]
    let reasons = [PushReason.letterWritten, .edited]

    let joins: SQL = """
        LEFT JOIN letter ON letter.lane = $1 AND letter.id = planned.subject_id
            AND letter.account_id = planned.account_id
        """
    let stateColumns: [SQL] = ["letter.week", "letter.write_at", "letter.is_written", "letter.is_weekly"]

    func state(of occurrence: Occurrence, _ row: inout RowReader) throws -> SubjectState {
        guard let week = try row.next(Int?.self) else { return .erased }
        let pointer = PlannedMoment(ref: week, at: try row.next())
        let isWritten = try row.next(Bool.self)
        if isWritten, flaw != .pushesWrittenLetters { return .ended(PushEnd(.superseded, .letterWritten)) }
        // As soon as a weekly letter is reached, the next one is planned.
        let isPassed = try row.next(Bool.self) && pointer == occurrence.nextLetter.planned
        return isPassed || pointer == occurrence.planned ? .current : .ended(PushEnd(.superseded, .edited))
    }

    let contentColumns: [SQL] = ["letter.addressee"]

    func content(of occurrence: Occurrence, in language: Language, _ row: inout RowReader) throws -> SubjectContent? {
        try row.next(String?.self).map { addressee in
            SubjectContent(
                occursOn: occurrence.at.monday, values: PushValues(name: addressee, number: occurrence.ref))
        }
    }

    let occursOn: SQL = "date_trunc('week', planned.at AT TIME ZONE 'UTC')::date"

    /// The letter of the week before counts too: it may be in the log when the next one is planned.
    let pointersOfGroups: SQL = """
        SELECT letter.lane, pointer.at, letter.account_id, letter.id AS subject_id, wanted.topic, pointer.ref
        FROM wanted JOIN letter ON letter.lane = $1 AND letter.account_id = wanted.account_id
        CROSS JOIN LATERAL (
            VALUES (letter.week, letter.write_at), (letter.week - 1, letter.write_at - interval '168 hours')
        ) AS pointer (ref, at)
        WHERE pointer.at >= wanted.minute AND pointer.at < wanted.minute + interval '1 minute' AND pointer.ref >= 1
            AND (letter.is_weekly OR pointer.ref = letter.week)
        """
    let dueCount: SQL? = nil

    /// The next letter is due in a week.
    func planNext(after reached: [Occurrence], _ command: LaneCommand, _ report: UnreadableRowReport) async throws {
        guard flaw != .forgetsNextLetter else { return }
        let moved = Statement(
            """
            UPDATE letter SET week = week + 1, write_at = write_at + interval '168 hours'
            WHERE lane = $1 AND id = ANY ($2) AND is_weekly
            """, [command.lane, reached.map(\.subjectID)])
        // The calendar also has the next occurrence of a letter that is written once, which it does not point at.
        try await command.write([moved], planning: reached.map(\.nextLetter))
    }

    /// Nobody asks for a forecast in a simulation.
    func forecast(_ scope: ForecastScope) async throws -> DomainForecast { DomainForecast() }
}

extension Instant {
    /// A letter is about its week, which is called by its Monday in UTC.
    var monday: CivilDay {
        let day = TimeZoneRules.utc.day(at: self)
        // 1970-01-01 was a Thursday.
        return day + -((Int(day.daysSinceEpoch) + 3) % 7)
    }
}

extension Occurrence {
    /// The letter of the week after.
    fileprivate var nextLetter: Occurrence {
        Occurrence(
            at: at.adding(hours: 7 * 24), accountID: accountID, subjectID: subjectID, topic: .letterDue, ref: ref + 1)
    }
}

extension PushReason {
    static let letterWritten = PushReason("letter_written", meaning: "the letter had been written")
}

extension Topic {
    static let letterDue = Topic(
        "letter_due", position: 4, expiry: .hours(24), waitsForQuietHours: true, accountSwitch: nil, isUrgent: false,
        collection: "letters", page: "write",
        wording: PushWording(
            korean: PushWording.Texts(
                one: PushTemplate(title: "{name}에게 편지를", body: "{number}번째 편지예요."),
                several: PushTemplate(title: "{name} 외 {others}명에게 편지를", body: "편지를 쓸 시간이에요.")),
            english: PushWording.Texts(
                one: PushTemplate(title: "Write to {name}", body: "It is letter {number}."),
                several: PushTemplate(title: "Write to {name} and {others} more", body: "Time to write."))))
}
