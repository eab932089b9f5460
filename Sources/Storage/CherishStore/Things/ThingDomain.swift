import CherishCore
import Postgres
import SystemTimeZones

/// Things as subjects of the calendar (rules 10.4 to 10.6).
package struct ThingDomain: DueDomain {
    package init() {}

    package var topics: [Topic] { Topic.ofThings }
    package var reasons: [PushReason] { PushReason.ofThings }

    // MARK: State

    package var joins: SQL { Self.joins }

    private static let joins: SQL = """
        LEFT JOIN thing ON thing.lane = $1 AND thing.id = planned.subject_id AND thing.account_id = planned.account_id
        """

    package var stateColumns: [SQL] { Self.stateColumns }

    private static let stateColumns: [SQL] = [
        "\("thing.pushes_enabled", at: .thingSwitch)", "\("thing.done_on IS NOT NULL", at: .thingIsDone)",
        "\("thing.alert_ref", at: .pointedRef)", "\("thing.alert_at", at: .pointedInstant)",
        "\("thing.alert_expires_at", at: .pointedExpiry)", "thing.reached_alert_ref", "thing.reached_alert_at",
        "thing.reached_alert_expires_at",
    ]

    package func state(of occurrence: Occurrence, _ row: inout RowReader) throws -> SubjectState {
        try row.reading("thing", key: { ThingDomain.key(of: occurrence) }) { row in
            guard let pushesEnabled = try row.next(Bool?.self) else { return .erased }
            let isDone = try row.next(Bool.self)
            let state = ThingPushState(
                isDone: isDone, pushesEnabled: pushesEnabled,
                plans: ThingPlans(next: try row.nextAlert(), reached: try row.nextAlert()))
            if let end = state.end(of: occurrence.planned) { return .ended(end) }
            return state.alert(occurrence.planned).map { .currentUntil($0.expiresAt) } ?? .current
        }
    }

    private static func key(of occurrence: Occurrence) -> [UnreadableRow.KeyPart] {
        [.lane(occurrence.accountID.lane), .id(occurrence.subjectID)]
    }

    // MARK: Content

    package var contentColumns: [SQL] { Self.contentColumns }

    private static let contentColumns: [SQL] = [
        "thing.title", "thing.kind", "thing.due_on", "\("thing.due_minute", at: .appointment)",
    ]

    package func content(
        of occurrence: Occurrence, in language: Language, _ row: inout RowReader
    ) throws -> SubjectContent? {
        try row.reading("thing", key: { ThingDomain.key(of: occurrence) }) { row in
            guard let title = try row.next(String?.self) else { return nil }
            let kind = try row.next(label: Thing.Kind.self)
            guard let day = try row.nextAsItIs(CivilDay.self) else { return nil }
            let due = ThingDue(day: day, time: try row.next(Int16?.self).map { try TimeOfDay(stored: $0) })
            return SubjectContent(ThingTitle(stored: title), kind, due, alertedAt: occurrence.at, in: language)
        }
    }

    /// The due day for which it was planned.
    package var occursOn: SQL { Self.occursOn }

    private static let occursOn: SQL = """
        CASE WHEN planned.ref BETWEEN 0 AND \(RowLimit.days.upperBound) THEN date '1970-01-01' + planned.ref END
        """

    // MARK: Groups

    package var pointersOfGroups: SQL { Self.pointersOfGroups }

    private static let pointersOfGroups: SQL = """
        SELECT thing.lane, pointer.at, thing.account_id, thing.id AS subject_id, wanted.topic, pointer.ref
        FROM wanted
        JOIN thing ON thing.lane = $1 AND thing.account_id = wanted.account_id AND thing.done_on IS NULL
        CROSS JOIN LATERAL (VALUES \(pointers)) AS pointer (ref, at)
        WHERE wanted.topic = 'thing_alert' AND pointer.at >= wanted.minute
            AND pointer.at < wanted.minute + interval '1 minute'
        """

    private static let pointers: SQL =
        "(thing.alert_ref, thing.alert_at), (thing.reached_alert_ref, thing.reached_alert_at)"

    /// The digest says how many friends wait for water.
    package var dueCount: SQL? { nil }

    // MARK: What follows

    /// Plans the next alert of each thing that has one (rule 10.6). Uses three round trips for the whole batch, because
    /// the lane's commands wait meanwhile. Nothing follows a single alert that does not repeat, and most things have no
    /// more: those are not read, and where all are such, the first round trip is the only one.
    package func planNext(
        after reached: [Occurrence], _ command: LaneCommand, _ report: UnreadableRowReport
    ) async throws {
        let rows = try await command.connection.query(
            """
            SELECT \(ThingRow.columns) FROM thing
            WHERE lane = $1 AND id = ANY ($2)
                AND \("(repetition <> 'once' OR chosen_alerts LIKE '% %' OR alert_ref = $3)", at: .thingWithMoreAlerts)
            ORDER BY id FOR UPDATE
            """, [command.lane, Array(Set(reached.map(\.subjectID))), Int32(ThingPlans.waypoint)])
        let things = try rows.compactMap { row in try planned(report) { try ThingRow.decode(row) } }
        if things.isEmpty { return }
        let owners = try await command.connection.query(
            "SELECT \(AccountRow.columns) FROM account WHERE lane = $1 AND id = ANY ($2)",
            [command.lane, Array(Set(things.map(\.accountID)))])
        let accounts = Dictionary(
            try owners.compactMap { row in try planned(report) { try AccountRow.decode(row) } }.map { ($0.id, $0) },
            uniquingKeysWith: { first, _ in first })
        let moments = Dictionary(grouping: reached, by: \.subjectID)
        var updates: [Statement] = []
        var occurrences: [Occurrence] = []
        for before in things {
            guard let account = accounts[before.accountID] else { continue }
            var thing = before
            let context = CommandContext(
                now: command.now, zone: command.zones.clockOrUTC(of: account),
                calendarCursor: command.calendarCursor, pausedDays: account.pausedDays)
            for occurrence in moments[thing.id.subject] ?? [] {
                guard let next = thing.planNext(after: occurrence.planned, account.warningDays, in: context) else {
                    continue
                }
                occurrences.append(thing.occurrence(next))
            }
            if thing != before { updates.append(ThingRow.update(thing)) }
        }
        if !updates.isEmpty { try await command.write(updates, planning: occurrences) }
    }

    /// Returns nil for a broken row, which must not keep the lane's other pushes from being scheduled. After the row is
    /// repaired, the next edit plans the next alert.
    private func planned<Value>(_ report: UnreadableRowReport, _ body: () throws -> Value) throws -> Value? {
        do {
            return try body()
        } catch let unreadable as UnreadableRow {
            report(unreadable, "the next alert is not planned until an edit after it was repaired")
            return nil
        }
    }

    // MARK: Forecasts

    package func forecast(_ scope: ForecastScope) async throws -> DomainForecast {
        let planned = try await scope.planned(
            of: self,
            pointers: """
                SELECT thing.id AS subject_id, 'thing_alert'::topic AS topic, pointer.ref, pointer.at
                FROM thing CROSS JOIN LATERAL (VALUES \(Self.pointers)) AS pointer (ref, at)
                WHERE thing.lane = $1 AND thing.account_id = $2 AND pointer.at IS NOT NULL
                """)
        let open = try await scope.reader.connection.query(
            "SELECT \(ThingRow.columns) FROM thing WHERE lane = $1 AND account_id = $2 AND done_on IS NULL ORDER BY id",
            [scope.account.id.lane, scope.account.id]
        ).map(ThingRow.decode)
        // A waypoint is nothing that anybody gets.
        var pushes = planned.filter { $0.entry.occurrence.ref != ThingPlans.waypoint }
        for thing in open { pushes += following(thing, scope) }
        return DomainForecast(pushes: pushes)
    }

    /// The alerts that follow the one that is planned, as the scheduler will plan them.
    private func following(_ thing: Thing, _ scope: ForecastScope) -> [DomainForecast.Push] {
        var thing = thing
        var pushes: [DomainForecast.Push] = []
        while let reached = thing.plans.next?.planned, reached.at < scope.span.upperBound {
            // Not before the span begins: until then nobody schedules.
            let now = max(reached.at, scope.span.lowerBound)
            let context = CommandContext(
                now: now, zone: scope.zone, calendarCursor: reached.at, pausedDays: scope.account.pausedDays)
            guard let next = thing.planNext(after: reached, scope.account.warningDays, in: context) else { break }
            guard next.at < scope.span.upperBound, next.ref != ThingPlans.waypoint, let alert = thing.plans.next else {
                continue
            }
            let state = ThingPushState(isDone: false, pushesEnabled: thing.pushesEnabled, plans: thing.plans)
            pushes.append(
                scope.push(
                    thing.occurrence(next), state.end(of: next).map { .ended($0) } ?? .currentUntil(alert.expiresAt),
                    SubjectContent(thing.title, thing.kind, thing.due, alertedAt: next.at, in: scope.account.language)))
        }
        return pushes
    }
}

extension SubjectContent {
    /// What a thing contributes to a push.
    fileprivate init(
        _ title: ThingTitle, _ kind: Thing.Kind, _ due: ThingDue, alertedAt instant: Instant, in language: Language
    ) {
        // UTC is near enough to tell the year.
        let year = TimeZoneRules.utc.day(at: instant).components.year
        self.init(
            occursOn: due.day, values: PushValues(title: title, kind: kind, due: due, year: year, in: language),
            // An appointment does not wait for a digest (rule 10.13).
            isExemptFromCap: due.time != nil)
    }
}

extension RowReader {
    /// Reads a pointer to an alert. Its values are only compared.
    fileprivate mutating func nextAlert() throws -> ThingPlans.Alert? {
        let ref = try next(Int32?.self)
        let (at, expiresAt) = (try nextAsItIs(Instant.self), try nextAsItIs(Instant.self))
        return ThingPlans.Alert(ref: ref, at: at, expiresAt: expiresAt, wallMinute: nil)
    }
}
