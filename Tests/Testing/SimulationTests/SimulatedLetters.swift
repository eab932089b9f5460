import CherishCore
import CherishPush
import Postgres
import SeededChance
import Simulation

@testable import CherishStore

/// Letters as people plan and write them, beside their plants.
struct SimulatedLetters: SimulatedDomain {
    let dueDomain: any DueDomain

    /// - Parameter flaw: what is broken; nil for letters that keep all promises.
    init(flaw: LetterDomain.Flaw? = nil) {
        dueDomain = LetterDomain(flaw: flaw)
    }

    let subjectLines: SQL = """
        SELECT account_id, concat_ws(' ', id, addressee, CASE WHEN is_weekly THEN 'weekly' ELSE 'once' END,
            CASE WHEN is_written THEN 'written' ELSE 'open' END)
        FROM letter
        """

    func prepare(_ pool: ConnectionPool) async throws {
        try await pool.withConnection { connection in
            try await connection.script("ALTER TYPE topic ADD VALUE 'letter_due'")
            try await connection.script(
                """
                CREATE TABLE letter (
                    lane smallint NOT NULL, id uuid NOT NULL, account_id uuid NOT NULL, addressee text NOT NULL,
                    week integer NOT NULL, write_at timestamptz NOT NULL, is_weekly boolean NOT NULL,
                    is_written boolean NOT NULL, PRIMARY KEY (lane, id),
                    FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE
                )
                """)
        }
    }

    func subjects(of account: Account.ID) -> any SimulatedSubjects { LettersOfAccount() }
}

/// The letters of one account, and the pushes that they promise.
private struct LettersOfAccount: SimulatedSubjects {
    private struct Letter {
        let id: Subject.ID
        let addressee: String
        let isWeekly: Bool
        var isWritten = false
    }

    var promises: [SubjectPromise] = []
    private var letters: [Letter] = []

    init() {}

    var lines: [String] {
        letters.map { letter in
            "\(letter.id) \(letter.addressee) \(letter.isWeekly ? "weekly" : "once") "
                + (letter.isWritten ? "written" : "open")
        }
    }

    mutating func act(_ person: SimulatedPerson, _ chance: inout SplitMix64) -> SubjectAct? {
        let open = letters.indices.filter { !letters[$0].isWritten }
        if open.isEmpty || open.count < 10 && chance.chance(60) { return plan(person, &chance) }
        return write(chance.element(of: open), person)
    }

    /// Plans one or two letters for a day soon. Nine o'clock is when plants ring; at eleven in the evening, the push
    /// waits for the morning.
    private mutating func plan(_ person: SimulatedPerson, _ chance: inout SplitMix64) -> SubjectAct {
        let day = person.zone.day(at: person.now) + chance.number(in: 1...3)
        let time = TimeOfDay(hour: chance.element(of: [9, 9, 20, 23]), minute: 0) ?? .defaultAlarm
        let instant = person.zone.firstInstant(on: day, at: time)
        let (accountID, lane) = (person.accountID, person.accountID.lane)
        var rows: [Statement] = []
        var planned: [Occurrence] = []
        for _ in 0..<chance.number(in: 1...2) {
            let letter = Letter(
                id: Subject.ID(chance.uuid(lastByte: lane.number)), addressee: chance.element(of: ["수아", "지우"]),
                isWeekly: chance.chance(50))
            letters.append(letter)
            promises.append(LettersOfAccount.promise(letter.id, 1, at: instant))
            rows.append(
                Statement(
                    "INSERT INTO letter VALUES ($1, $2, $3, $4, 1, $5, $6, false)",
                    [lane, letter.id, accountID, letter.addressee, instant, letter.isWeekly]))
            planned.append(
                Occurrence(at: instant, accountID: accountID, subjectID: letter.id, topic: .letterDue, ref: 1))
        }
        let (statements, occurrences) = (rows, planned)
        return SubjectAct("plan letters") { store in
            try await store.command(in: lane) { command in command.finish(statements, planning: occurrences) }
        }
    }

    /// Writes a letter. Nothing may come of it any more, the letters of the following weeks included.
    private mutating func write(_ place: Int, _ person: SimulatedPerson) -> SubjectAct {
        letters[place].isWritten = true
        let (id, lane) = (letters[place].id, person.accountID.lane)
        promises.removeAll { $0.subjectID == id }
        let written = Statement("UPDATE letter SET is_written = true WHERE lane = $1 AND id = $2", [lane, id])
        return SubjectAct("write letter") { store in
            try await store.command(in: lane) { command in command.finish([written]) }
        }
    }

    mutating func follow(_ reached: SubjectPromise) {
        guard letters.contains(where: { $0.id == reached.subjectID && $0.isWeekly }) else { return }
        promises.append(
            LettersOfAccount.promise(reached.subjectID, reached.ref + 1, at: reached.at.adding(hours: 7 * 24)))
    }

    func objections(to message: PushMessage, _ promise: SubjectPromise) -> [String] {
        let addressee = letters.first { $0.id == promise.subjectID }?.addressee ?? ""
        let expected = PushValues(name: addressee, number: promise.ref)
        return message.values == expected ? [] : ["\(message.values) instead of \(expected)"]
    }

    func dueCount(on day: CivilDay) -> Int { 0 }

    private static func promise(_ id: Subject.ID, _ week: Int, at instant: Instant) -> SubjectPromise {
        SubjectPromise(
            about: id, .letterDue, ref: week, on: instant.monday, at: instant, expiresAt: instant.adding(hours: 24))
    }
}
