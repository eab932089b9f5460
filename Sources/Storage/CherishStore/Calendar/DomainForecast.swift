import CherishCore
import Postgres

/// A domain's part of an account's forecast.
package struct DomainForecast: Sendable {
    /// A planned push, how it ends, and what it says.
    package struct Push: Sendable {
        let entry: PushForecast.Entry
        let content: SubjectContent
    }

    /// In any order, with superseded ones or without.
    var pushes: [Push] = []
    /// How many of its subjects will be due on a day, as ``DueDomain/dueCount`` counts them; days without any may be
    /// missing.
    var dueCounts: [CivilDay: Int] = [:]
}

/// The account and the time that a domain forecasts, in one snapshot of the database.
package struct ForecastScope: Sendable {
    /// Reads the account. Valid only during the forecast.
    let reader: ExportReader
    /// The account's zone.
    let zone: TimeZoneRules
    /// Pushes due by its beginning are sent at once. Those that are sent or end at its end or later are left out.
    let span: Range<Instant>

    var account: Account { reader.head.account }

    /// Forecasts a planned push, given what its subject says about it.
    func push(_ occurrence: Occurrence, _ subject: SubjectState, _ content: SubjectContent) -> DomainForecast.Push {
        var state: PushCandidate.State?
        if subject != .erased {
            state = PushCandidate.State(
                end: subject.end, isTopicWanted: account.switches.allows(occurrence.topic), zone: zone,
                expiresAt: subject.expiresAt, pausedDays: account.pausedDays, subjectPausedDays: subject.pausedDays)
        }
        let candidate = PushCandidate(topic: occurrence.topic, planned: occurrence.planned, state: state)
        return DomainForecast.Push(
            entry: PushForecast.Entry(occurrence, candidate, after: span.lowerBound, in: zone), content: content)
    }

    /// Reads and forecasts the pushes about a domain's subjects that are planned already and have not ended: jobs that
    /// wait in the log, and occurrences after the cursor that a subject points at.
    ///
    /// As in an export, the pointers are materialized first, because the planner would otherwise search the lane's
    /// whole calendar for each subject.
    ///
    /// - Parameter pointers: selects `subject_id`, `topic`, `ref` and `at` of the moments that the account's subjects
    ///   point at. Parameter 1 is the lane, 2 the account.
    /// - Throws: ``UnreadableRow``.
    func planned(of domain: some DueDomain, pointers: SQL) async throws -> [DomainForecast.Push] {
        let rows = try await reader.connection.query(
            """
            WITH pointer AS MATERIALIZED (\(pointers))
            SELECT \(Occurrence.columns(of: "planned")), \(domain.stateColumns.joined(separator: ", ")),
                \(domain.contentColumns.joined(separator: ", "))
            FROM (
                SELECT push.lane, push.planned_at AS at, push.account_id, push.subject_id, push.topic, push.ref
                FROM \(reader.pushSource) AS push
                WHERE push.lane = $1 AND push.account_id = $2 AND push.topic IN (\(domain.topics.literals))
                    AND push.outcome IS NULL
                UNION ALL
                SELECT planned.lane, \(Occurrence.columns(of: "planned"))
                FROM lane JOIN occurrence AS planned ON planned.lane = lane.lane
                JOIN pointer ON pointer.at = planned.at AND pointer.subject_id = planned.subject_id
                    AND pointer.topic = planned.topic AND pointer.ref = planned.ref
                WHERE lane.lane = $1 AND planned.lane = $1 AND \(OccurrenceKey.isPlannedAfterCursor)
            ) AS planned
            \(domain.joins)
            """, [account.id.lane, account.id])
        return try rows.compactMap { try push($0, of: domain) }
    }

    /// - Returns: nil if the subject was erased.
    private func push(_ row: Row, of domain: some DueDomain) throws -> DomainForecast.Push? {
        var columns = row.reader
        let occurrence = try Occurrence(&columns, reader.domains)
        let state = try domain.state(of: occurrence, &columns)
        var contentColumns = row.reader(from: Occurrence.columnCount + domain.stateColumns.count)
        return try domain.content(of: occurrence, in: account.language, &contentColumns).map {
            push(occurrence, state, $0)
        }
    }
}
