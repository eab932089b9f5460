import CherishCore
import Postgres

/// Identifies an occurrence within its lane, and defines the order in which a lane's calendar is scheduled.
struct OccurrenceKey: Hashable {
    let at: Instant
    let subjectID: Subject.ID
    /// A label of the database's type `topic`, known here or not: a cursor must be able to pass every occurrence.
    let topic: String
    let ref: Int

    init(_ occurrence: Occurrence) {
        (at, subjectID, topic, ref) = (occurrence.at, occurrence.subjectID, occurrence.topic.label, occurrence.ref)
    }

    /// Reads a cursor: `at`, `subject_id`, `topic`, `ref`.
    init(_ reader: inout RowReader) throws {
        at = try reader.next()
        subjectID = try reader.next()
        topic = try reader.next()
        ref = try reader.nextRef()
    }

    /// Whether the occurrence `planned` lies after its `lane`'s cursor. The first comparison prunes partitions.
    static let isPlannedAfterCursor: SQL = """
        planned.lane = lane.lane AND planned.at >= lane.cursor_at
            AND (planned.at, planned.subject_id, planned.topic, planned.ref)
                > (lane.cursor_at, lane.cursor_subject_id, lane.cursor_topic, lane.cursor_ref)
        """
}

extension Occurrence {
    /// The columns of a relation that ``init(_:_:)`` reads.
    static func columns(of planned: SQL) -> SQL {
        "\(planned).at, \(planned).account_id, \(planned).subject_id, \(planned).topic, \(planned).ref"
    }

    /// Reads an occurrence, whatever it holds. Its domain checks the ref.
    init(_ reader: inout RowReader, _ domains: DueDomains) throws {
        self.init(
            at: try reader.next(), accountID: try reader.next(), subjectID: try reader.next(),
            topic: domains.topic(try reader.next()), ref: try reader.nextRef())
    }

    /// The number of columns that ``init(_:_:)`` reads.
    static let columnCount = 5

    /// The primary key of the occurrence's row in the calendar.
    func place(in lane: Lane) -> [UnreadableRow.KeyPart] {
        [
            .lane(lane), .instant(at, column: "at"), .id(subjectID, column: "subject_id"),
            .label(topic.label, column: "topic"), .number(ref, column: "ref"),
        ]
    }
}

extension RowReader {
    fileprivate mutating func nextRef() throws -> Int {
        try next(Int.self)
            .within(Int(Int32.min)...Int(Int32.max), orHolds: "a planned push about more than the column holds")
    }
}

enum OccurrenceRow {
    static func insert(_ occurrences: [Occurrence], lane: Lane) -> Statement {
        insert(occurrences, lane: lane, onConflict: "DO NOTHING")
    }

    /// Adds occurrences, or gives them back to an account that was erased and comes back.
    static func insertAgain(_ occurrences: [Occurrence], lane: Lane) -> Statement {
        insert(
            occurrences, lane: lane,
            onConflict: "(lane, at, subject_id, topic, ref) DO UPDATE SET account_id = excluded.account_id")
    }

    private static func insert(_ occurrences: [Occurrence], lane: Lane, onConflict: SQL) -> Statement {
        Statement(
            """
            INSERT INTO occurrence (lane, at, account_id, subject_id, topic, ref)
            SELECT lane.lane, at, account_id, subject_id, topic::topic, ref
            FROM lane, unnest($2::timestamptz[], $3::uuid[], $4::uuid[], $5::text[], $6::int[])
                AS added (at, account_id, subject_id, topic, ref)
            WHERE lane.lane = $1
            ON CONFLICT \(onConflict)
            """,
            [
                lane, occurrences.map(\.at), occurrences.map(\.accountID), occurrences.map(\.subjectID),
                occurrences.map(\.topic.label), occurrences.map { Int32($0.ref) },
            ])
    }

    /// Adds occurrences that the calendar does not contain yet; a duplicate makes the COPY fail.
    static func copy(_ occurrences: [Lane: [Occurrence]], to connection: Connection) async throws {
        _ = try await connection.copyIn(
            "COPY occurrence (lane, at, account_id, subject_id, topic, ref) FROM STDIN (FORMAT binary)"
        ) { rows in
            for (lane, occurrences) in occurrences.sorted(by: { $0.key < $1.key }) {
                for occurrence in occurrences {
                    try rows.append(
                        lane, occurrence.at, occurrence.accountID, occurrence.subjectID, occurrence.topic.label,
                        Int32(occurrence.ref))
                }
            }
        }
    }

    /// Returns an occurrence of each day, which are in all months that the occurrences need, and few.
    static func onePerDay(_ occurrences: [Occurrence]) -> [Occurrence] {
        Dictionary(occurrences.map { ($0.at.secondsSinceEpoch / 86_400, $0) }, uniquingKeysWith: { first, _ in first })
            .values.sorted { $0.at < $1.at }
    }

    static func missingPartition(_ occurrences: [Occurrence], after refusal: PostgresError?) -> MissingPartition {
        MissingPartition(
            makeStatements: onePerDay(occurrences).map { Statement("SELECT make_calendar_partition($1)", [$0.at]) },
            refusal: refusal)
    }
}
