import CherishCore
import Foundation
import Postgres

@testable import CherishStore

/// Letters to write: a second domain, which exists in these tests only. Each letter is to be written by an instant, once
/// or every week, and points at the one occurrence that counts.
struct LetterDomain: DueDomain {
    let topics = [Topic.letterDue]

    let stateJoins: SQL = """
        LEFT JOIN letter ON letter.lane = $1 AND letter.id = planned.subject_id
            AND letter.account_id = planned.account_id
        """
    let stateColumns: [SQL] = ["letter.week", "letter.write_at", "letter.is_written"]

    func state(of occurrence: Occurrence, _ row: inout RowReader) throws -> SubjectState {
        guard let week = try row.next(Int?.self) else { return .erased }
        let pointer = PlannedMoment(ref: week, at: try row.next())
        if try row.next(Bool.self) { return .ended(PushEnd(.superseded, .reviewed)) }
        return pointer == occurrence.planned ? .current : .ended(PushEnd(.superseded, .edited))
    }

    let contentJoins: SQL = ""
    let contentColumns: [SQL] = ["letter.addressee"]

    func content(of occurrence: Occurrence, in language: Language, _ row: inout RowReader) throws -> SubjectContent? {
        try row.next(String?.self).map {
            SubjectContent(
                occursOn: TimeZoneRules.utc.day(at: occurrence.at),
                values: PushValues(name: $0, number: occurrence.ref))
        }
    }

    let pointersOfGroups: SQL = """
        SELECT letter.lane, letter.write_at AS at, letter.account_id, letter.id AS subject_id, wanted.topic,
            letter.week AS ref
        FROM wanted JOIN letter ON letter.lane = $1 AND letter.account_id = wanted.account_id
            AND letter.write_at >= wanted.minute AND letter.write_at < wanted.minute + interval '1 minute'
        """
    let dueCount: SQL? = nil

    /// The next letter is due in a week.
    func planNext(after reached: [Occurrence], _ command: LaneCommand, _ report: UnreadableRowReport) async throws {
        let next = reached.map { occurrence in
            Occurrence(
                at: occurrence.at.adding(hours: 7 * 24), accountID: occurrence.accountID,
                subjectID: occurrence.subjectID, topic: .letterDue, ref: occurrence.ref + 1)
        }
        let moved = Statement(
            """
            UPDATE letter SET week = week + 1, write_at = write_at + interval '7 days'
            WHERE lane = $1 AND id = ANY ($2) AND is_weekly
            """, [command.lane, reached.map(\.subjectID)])
        try await command.write([moved], planning: next)
    }
}

extension Topic {
    static let letterDue = Topic(
        "letter_due", position: 4, expiry: .hours(48), waitsForQuietHours: true, accountSwitch: nil, isUrgent: false,
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
                is_written boolean NOT NULL, PRIMARY KEY (lane, id),
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
