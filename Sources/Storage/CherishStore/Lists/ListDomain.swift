import CherishCore
import Postgres

/// Shopping lists as subjects of the calendar (rule 11.5). The owner's pushes are about the list, the helper's about its row of
/// `helped_list`; the ref tells which.
package struct ListDomain: DueDomain {
    package init() {}

    package var topics: [Topic] { Topic.ofLists }
    package var reasons: [PushReason] { PushReason.ofLists }

    // MARK: State

    package var joins: SQL { Self.joins }

    private static let joins: SQL = """
        LEFT JOIN shopping_list AS list ON list.lane = $1 AND list.id = planned.subject_id
            AND list.account_id = planned.account_id AND planned.ref = 0
        LEFT JOIN helped_list AS helped ON helped.lane = $1 AND helped.list_id = planned.subject_id
            AND helped.account_id = planned.account_id AND planned.ref <> 0
        """

    package var stateColumns: [SQL] { Self.stateColumns }

    private static let stateColumns: [SQL] = [
        "list.id IS NOT NULL OR helped.list_id IS NOT NULL",
        "coalesce(list.event_topic, helped.event_topic)::text", "coalesce(list.event_at, helped.event_at)",
        "helped.expiring_push_at", "coalesce(list.expired_push_at, helped.expired_push_at)",
    ]

    package func state(of occurrence: Occurrence, _ row: inout RowReader) throws -> SubjectState {
        try row.reading("shopping_list", key: { ListDomain.key(of: occurrence) }) { row in
            guard try row.next(Bool.self) else { return .erased }
            let plans = ListPlans(
                event: try ListPlans.Event(
                    row.next(String?.self).flatMap(EventTopic.init(rawValue:)), row.nextAsItIs(Instant.self)),
                expiringAt: try row.nextAsItIs(Instant.self), expiredAt: try row.nextAsItIs(Instant.self))
            let end = plans.end(of: ListPlans.Event(topic: occurrence.topic, at: occurrence.at))
            return end.map { .ended($0) } ?? .current
        }
    }

    private static func key(of occurrence: Occurrence) -> [UnreadableRow.KeyPart] {
        [.lane(occurrence.accountID.lane), .id(occurrence.subjectID)]
    }

    // MARK: Content

    package var contentColumns: [SQL] { Self.contentColumns }

    private static let contentColumns: [SQL] = [
        "list.title", "coalesce(helped.owner_nickname, list.helper_nickname)",
        "(coalesce(list.opened_at, helped.opened_at) AT TIME ZONE 'UTC')::date",
    ]

    package func content(
        of occurrence: Occurrence, in language: Language, _ row: inout RowReader
    ) throws -> SubjectContent? {
        try row.reading("shopping_list", key: { ListDomain.key(of: occurrence) }) { row in
            let title = try row.next(String?.self)
            let other = try row.next(String?.self)
            guard let openedOn = try row.nextAsItIs(CivilDay.self) else { return nil }
            return SubjectContent(
                occursOn: openedOn,
                values: PushValues(
                    listTitle: title ?? ListDomain.shopping(for: other ?? "", language), other: other ?? ""))
        }
    }

    /// What the helper knows of a list instead of its title.
    private static func shopping(for nickname: String, _ language: Language) -> String {
        switch language {
        case .korean: "\(nickname) 님의 장보기"
        case .english: "Shopping for \(nickname)"
        }
    }

    /// The day on which the list was opened, in UTC.
    package var occursOn: SQL { Self.occursOn }

    private static let occursOn: SQL = """
        (SELECT (opened.opened_at AT TIME ZONE 'UTC')::date FROM (
            SELECT list.opened_at FROM shopping_list AS list
            WHERE list.lane = $1 AND list.id = planned.subject_id AND planned.ref = 0
            UNION ALL
            SELECT helped.opened_at FROM helped_list AS helped
            WHERE helped.lane = $1 AND helped.account_id = planned.account_id AND helped.list_id = planned.subject_id
                AND planned.ref <> 0
        ) AS opened LIMIT 1)
        """

    // MARK: Groups

    package var pointersOfGroups: SQL { Self.pointersOfGroups }

    private static let pointersOfGroups: SQL = """
        SELECT pointing.lane, pointing.at, pointing.account_id, pointing.subject_id, wanted.topic, pointing.ref
        FROM wanted
        CROSS JOIN LATERAL (
            SELECT list.lane, pointer.at, list.account_id, list.id AS subject_id, pointer.topic, 0 AS ref
            FROM shopping_list AS list CROSS JOIN LATERAL (VALUES \(ownersPointers)) AS pointer (topic, at)
            WHERE list.lane = $1 AND list.account_id = wanted.account_id
            UNION ALL
            SELECT helped.lane, pointer.at, helped.account_id, helped.list_id, pointer.topic, \(helpersRef)
            FROM helped_list AS helped CROSS JOIN LATERAL (VALUES \(helpersPointers)) AS pointer (topic, at)
            WHERE helped.lane = $1 AND helped.account_id = wanted.account_id
        ) AS pointing
        WHERE wanted.topic IN (\(Topic.ofLists.literals)) AND pointing.topic = wanted.topic
            AND pointing.at >= wanted.minute AND pointing.at < wanted.minute + interval '1 minute'
        """

    /// ``HelpedList/ref(of:)``.
    private static let helpersRef: SQL = "('x' || left(helped.account_id::text, 5))::bit(20)::integer + 1"
    private static let ownersPointers: SQL =
        "(list.event_topic, list.event_at), ('list_expired'::topic, list.expired_push_at)"
    private static let helpersPointers: SQL = """
        (helped.event_topic, helped.event_at), ('list_expiring'::topic, helped.expiring_push_at),
            ('list_expired'::topic, helped.expired_push_at)
        """

    /// The digest says how many friends wait for water.
    package var dueCount: SQL? { nil }

    // MARK: What follows

    /// Nothing follows: a list says all that is planned about it at once.
    package func planNext(
        after reached: [Occurrence], _ command: LaneCommand, _ report: UnreadableRowReport
    ) async throws {}

    // MARK: Forecasts

    package func forecast(_ scope: ForecastScope) async throws -> DomainForecast {
        DomainForecast(
            pushes: try await scope.planned(
                of: self,
                pointers: """
                    SELECT list.id AS subject_id, pointer.topic, 0 AS ref, pointer.at
                    FROM shopping_list AS list CROSS JOIN LATERAL (VALUES \(Self.ownersPointers)) AS pointer (topic, at)
                    WHERE list.lane = $1 AND list.account_id = $2 AND pointer.at IS NOT NULL
                    UNION ALL
                    SELECT helped.list_id, pointer.topic, \(Self.helpersRef), pointer.at
                    FROM helped_list AS helped CROSS JOIN LATERAL (VALUES \(Self.helpersPointers)) AS pointer (topic, at)
                    WHERE helped.lane = $1 AND helped.account_id = $2 AND pointer.at IS NOT NULL
                    """))
    }
}
