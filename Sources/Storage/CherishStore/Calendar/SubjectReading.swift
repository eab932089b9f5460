import CherishCore
import Postgres

/// Reads the subjects of planned pushes with one statement for each domain in the batch, so that a push costs the joins of
/// its own domain only.
struct SubjectReading {
    /// What is read of a subject.
    enum Part {
        /// What decides whether an occurrence becomes a job.
        case toSchedule
        /// The same for the second look (rule 7.6), and what the push says.
        case toDeliver
    }

    /// To be sent in one pipeline, in this order.
    let statements: [Statement]
    /// For each statement the places of its occurrences among all of them.
    private let places: [[Int]]
    private let count: Int

    /// - Parameter occurrences: nil for those whose subject is not to be read.
    init(_ part: Part, of occurrences: [Occurrence?], in lane: Lane, _ domains: DueDomains) {
        let found = domains.places(of: occurrences)
        places = found.map(\.places)
        count = occurrences.count
        statements = found.map { sql, places in
            let own = places.compactMap { occurrences[$0] }
            return Statement(
                part == .toSchedule ? sql.toSchedule : sql.toDeliver,
                [
                    lane, own.map(\.at), own.map(\.accountID), own.map(\.subjectID), own.map(\.topic.label),
                    own.map { Int32($0.ref) },
                ])
        }
    }

    /// - Parameter answers: those of ``statements``.
    /// - Returns: for each occurrence the row of its subject, whether there is a subject or not; nil if its topic belongs
    ///   to no domain.
    func rows(in answers: some Collection<Rows>) throws -> [Row?] {
        var rows = [Row?](repeating: nil, count: count)
        for (places, answer) in zip(places, answers) {
            for row in answer { rows[places[try row.decode(0, as: Int.self) - 1]] = row }
        }
        return rows
    }

    /// The two statements of a domain.
    struct Texts {
        let toSchedule, toDeliver: SQL

        init(_ domain: any DueDomain) {
            let state = domain.stateColumns.joined(separator: ", ")
            toSchedule = Texts.text("\(state, at: .scheduledSubject)", domain.joins)
            toDeliver = Texts.text(
                "\(state, at: .deliveredSubject), \(domain.contentColumns.joined(separator: ", "))", domain.joins)
        }

        /// The place of the occurrence among the domain's own, counted from 1, then the columns.
        private static func text(_ columns: SQL, _ joins: SQL) -> SQL {
            """
            SELECT planned.place, \(columns)
            FROM unnest($2::timestamptz[], $3::uuid[], $4::uuid[], $5::text[]::topic[], $6::int[]) WITH ORDINALITY
                AS planned (at, account_id, subject_id, topic, ref, place)
            \(joins)
            """
        }
    }
}
