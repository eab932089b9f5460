import CherishCore
import Foundation
import Postgres

@testable import CherishStore

/// Letters to write: a second domain, which exists in these tests only. Each letter is to be written by an instant, once
/// or every week, and points at the one occurrence that counts. Some letters say until when they may be late.
struct LetterDomain: DueDomain {
    let topics = [Topic.letterDue]
    let reasons = [PushReason.letterWritten, .edited]

    let joins: SQL = """
        LEFT JOIN letter ON letter.lane = $1 AND letter.id = planned.subject_id
            AND letter.account_id = planned.account_id
        """
    let stateColumns: [SQL] = [
        "letter.week", "letter.write_at", "letter.is_written", "letter.is_weekly", "letter.late_at",
    ]

    func state(of occurrence: Occurrence, _ row: inout RowReader) throws -> SubjectState {
        guard let week = try row.next(Int?.self) else { return .erased }
        let pointer = PlannedMoment(ref: week, at: try row.next())
        if try row.next(Bool.self) { return .ended(PushEnd(.superseded, .letterWritten)) }
        // As soon as a weekly letter is reached, the next one is planned.
        let isPassed = try row.next(Bool.self) && pointer == occurrence.nextLetter.planned
        guard isPassed || pointer == occurrence.planned else { return .ended(PushEnd(.superseded, .edited)) }
        return try row.next(Instant?.self).map { .currentUntil($0) } ?? .current
    }

    let contentColumns: [SQL] = ["letter.addressee"]

    func content(of occurrence: Occurrence, in language: Language, _ row: inout RowReader) throws -> SubjectContent? {
        try row.next(String?.self).map { LetterDomain.content(of: occurrence, to: $0) }
    }

    /// A letter is about its week, which is called by its Monday.
    private static func content(of occurrence: Occurrence, to addressee: String) -> SubjectContent {
        let day = TimeZoneRules.utc.day(at: occurrence.at)
        // 1970-01-01 was a Thursday.
        let daysSinceMonday = (Int(day.daysSinceEpoch) + 3) % 7
        return SubjectContent(
            occursOn: day + -daysSinceMonday, values: PushValues(name: addressee, number: occurrence.ref))
    }

    let occursOn: SQL = "date_trunc('week', planned.at AT TIME ZONE 'UTC')::date"

    let pointersOfGroups: SQL = """
        SELECT letter.lane, letter.write_at AS at, letter.account_id, letter.id AS subject_id, wanted.topic,
            letter.week AS ref
        FROM wanted JOIN letter ON letter.lane = $1 AND letter.account_id = wanted.account_id
            AND letter.write_at >= wanted.minute AND letter.write_at < wanted.minute + interval '1 minute'
        """
    let dueCount: SQL? = nil

    /// The next letter is due in a week.
    func planNext(after reached: [Occurrence], _ command: LaneCommand, _ report: UnreadableRowReport) async throws {
        let moved = Statement(
            """
            UPDATE letter SET week = week + 1, write_at = write_at + interval '168 hours'
            WHERE lane = $1 AND id = ANY ($2) AND is_weekly
            """, [command.lane, reached.map(\.subjectID)])
        try await command.write([moved], planning: reached.map(\.nextLetter))
    }

    func forecast(_ scope: ForecastScope) async throws -> DomainForecast {
        let planned = try await scope.planned(
            of: self,
            pointers: """
                SELECT id AS subject_id, 'letter_due'::topic AS topic, week AS ref, write_at AS at FROM letter
                WHERE lane = $1 AND account_id = $2
                """)
        let weekly = try await scope.reader.connection.query(
            "SELECT id, week, write_at FROM letter WHERE lane = $1 AND account_id = $2 AND is_weekly",
            [scope.account.id.lane, scope.account.id])
        var pointers: [Subject.ID: PlannedMoment] = [:]
        for row in weekly {
            let id = try row.decode(0, as: Subject.ID.self)
            pointers[id] = PlannedMoment(ref: try row.decode(1), at: try row.decode(2))
        }
        var pushes = planned
        for push in planned {
            let occurrence = push.entry.occurrence
            guard pointers[occurrence.subjectID] == occurrence.planned, !push.entry.isSuperseded else { continue }
            var next = occurrence.nextLetter
            while next.at < scope.span.upperBound {
                let content = LetterDomain.content(of: next, to: push.content.values.name)
                pushes.append(scope.push(next, .current, content))
                next = next.nextLetter
            }
        }
        return DomainForecast(pushes: pushes)
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
        "letter_due", position: 5, expiry: .hours(48), waitsForQuietHours: true, accountSwitch: nil, isUrgent: false,
        collection: "letters", page: "write",
        wording: PushWording(
            korean: PushWording.Texts(
                one: PushTemplate(title: "{name}에게 편지를", body: "{number}번째 편지예요."),
                several: PushTemplate(title: "{name} 외 {others}명에게 편지를", body: "편지를 쓸 시간이에요.")),
            english: PushWording.Texts(
                one: PushTemplate(title: "Write to {name}", body: "It is letter {number}."),
                several: PushTemplate(title: "Write to {name} and {others} more", body: "Time to write."))))
}

extension ServiceUnderTest {
    /// What a migration of the domain would do.
    func addLetters() async throws {
        try await execute("ALTER TYPE topic ADD VALUE 'letter_due'")
        try await execute(
            """
            CREATE TABLE letter (
                lane smallint NOT NULL, id uuid NOT NULL, account_id uuid NOT NULL, addressee text NOT NULL,
                week integer NOT NULL, write_at timestamptz NOT NULL, is_weekly boolean NOT NULL,
                is_written boolean NOT NULL, late_at timestamptz, PRIMARY KEY (lane, id),
                FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE
            )
            """)
    }

    /// The command of the domain.
    @discardableResult
    func letter(
        to addressee: String, of account: Account, by instant: Instant, isWeekly: Bool = false, at now: Instant
    ) async throws -> Subject.ID {
        let id = Subject.ID(UUID())
        try await store(at: now).command(in: account.id.lane) { command in
            let row = Statement(
                "INSERT INTO letter VALUES ($1, $2, $3, $4, 1, $5, $6, false)",
                [command.lane, id, account.id, addressee, instant, isWeekly])
            let planned = Occurrence(
                at: instant, accountID: account.id, subjectID: id, topic: .letterDue, ref: 1)
            try await command.write([row], planning: [planned])
        }
        return id
    }
}
