import CherishCore
import Postgres

/// Reads the database as plain values for independent checks, and injects a few events. It uses none of the engine's
/// rules, so that it can contradict them.
public struct Evidence: Sendable {
    private let pool: ConnectionPool

    /// - Parameter pool: must have at most one connection if its connections are to survive ``cutSessions()``.
    public init(pool: ConnectionPool) {
        self.pool = pool
    }

    private func rows(_ sql: SQL, _ parameters: [any PostgresEncodable] = []) async throws -> Rows {
        try await pool.withConnection { try await $0.query(sql, parameters) }
    }

    private func texts(_ sql: SQL, _ parameters: [any PostgresEncodable] = []) async throws -> [String] {
        try await rows(sql, parameters).map { try $0.decode(0, as: String.self) }
    }
}

// MARK: - Gardens

extension Evidence {
    /// An account's row.
    public struct AccountFacts: Sendable, Equatable {
        public let id: Account.ID
        public let timeZone: String
        /// When its days end, in minutes after midnight.
        public let dayEndMinute: Int
        /// The topics that are switched on.
        public let wantedPushes: Set<Topic>
        /// The tokens of all its devices, including retired ones.
        public let deviceTokens: Set<String>
        /// Its pauses with their first and last days, such as `tag family 2027-03-01 2027-03-04`, in order.
        public let pauses: [String]
    }

    /// A plant's row, with sums over its history.
    public struct PlantFacts: Sendable, Equatable {
        public let id: Plant.ID
        public let accountID: Account.ID
        public let phone: String
        public let cycleDays: Int
        public let alarmMinute: Int
        public let lastWateredOn: CivilDay?
        public let dueOn: CivilDay
        /// Where it would be due without pauses.
        public let ownDueOn: CivilDay
        /// Whether an outage set the due date.
        public let isDueByOutage: Bool
        /// When the pushes were planned that outages have kept back.
        public let excusedPushes: [Instant]
        /// The names of its tags, in order.
        public let tags: [String]
        /// Due date minus the civil day of the account, as PostgreSQL computes it.
        public let daysLeft: Int
        public let affection: Int
        /// The sum of the ledger.
        public let ledgerPoints: Int
        public let wateringCount: Int
        public let postponementCount: Int
        public let pushesEnabled: Bool
        public let isArchived: Bool
        /// How many of its waterings have a review, and how many had it declined.
        public let reviewedCount: Int
        public let declinedCount: Int
        /// Month and day, such as 02-29; nil if unknown.
        public let birthday: String?
    }

    /// All accounts, or the one with this id if it exists.
    public func accounts(_ id: Account.ID? = nil) async throws -> [AccountFacts] {
        try await rows(
            """
            SELECT account.id, time_zone, watering_pushes, review_pushes, birthday_pushes, withered_pushes,
                coalesce(owned.tokens, '{}'), day_end_minute, coalesce(rest.pauses, '{}')
            FROM account
            LEFT JOIN (
                SELECT lane, account_id, array_agg(token) AS tokens FROM device GROUP BY lane, account_id
            ) AS owned ON owned.lane = account.lane AND owned.account_id = account.id
            LEFT JOIN (
                SELECT named.lane, named.account_id, array_agg(
                    named.pause ORDER BY named.pause COLLATE "C") AS pauses
                FROM (
                    SELECT pause.lane, pause.account_id,
                        concat_ws(' ', coalesce('tag ' || tag.name, 'plant ' || plant.phone, 'account'), first_day,
                            last_day, CASE WHEN is_spread THEN 'spread' END) AS pause
                    FROM pause
                    LEFT JOIN tag ON tag.lane = pause.lane AND tag.id = pause.tag_id
                    LEFT JOIN plant ON plant.lane = pause.lane AND plant.id = pause.plant_id
                ) AS named
                GROUP BY named.lane, named.account_id
            ) AS rest ON rest.lane = account.lane AND rest.account_id = account.id
            WHERE $1::uuid IS NULL OR (account.lane = $2 AND account.id = $1) ORDER BY account.id
            """, [id, id?.lane]
        ).map { row in
            var wanted: Set<Topic> = []
            for (place, topic) in [Topic.wateringDue, .reviewMissing, .birthday, .withered].enumerated() {
                if try row.decode(2 + place, as: Bool.self) { wanted.insert(topic) }
            }
            return AccountFacts(
                id: try row.decode(0), timeZone: try row.decode(1),
                dayEndMinute: Int(try row.decode(7, as: Int16.self)),
                wantedPushes: wanted, deviceTokens: Set(try row.decode(6, as: [String].self)),
                pauses: try row.decode(8))
        }
    }

    /// All plants, or those of one account.
    ///
    /// - Parameter now: the instant for which days left are computed.
    public func plants(of id: Account.ID? = nil, at now: Instant) async throws -> [PlantFacts] {
        try await rows(
            """
            SELECT plant.id, plant.account_id, plant.phone, plant.cycle_days, plant.alarm_minute, plant.last_watered_on,
                plant.due_on, coalesce(plant.original_due_on, plant.due_on), plant.due_source = 'outage', excuse.pushes,
                tagged.names,
                plant.due_on - civil_day($1, account.time_zone, account.day_end_minute), plant.affection,
                coalesce(ledger.points, 0), plant.watering_count, plant.postponement_count, plant.pushes_enabled,
                plant.removed_at IS NOT NULL, done.reviewed, done.declined,
                lpad(plant.birthday_month::text, 2, '0') || '-' || lpad(plant.birthday_day::text, 2, '0')
            FROM plant JOIN account ON account.lane = plant.lane AND account.id = plant.account_id
            CROSS JOIN LATERAL (
                SELECT sum(entry.points) AS points FROM affection_entry AS entry
                WHERE entry.lane = plant.lane AND entry.plant_id = plant.id
            ) AS ledger
            CROSS JOIN LATERAL (
                SELECT count(*) FILTER (WHERE keywords <> '{}' OR memo IS NOT NULL) AS reviewed,
                    count(*) FILTER (WHERE is_review_declined) AS declined
                FROM watering WHERE watering.lane = plant.lane AND watering.plant_id = plant.id
            ) AS done
            CROSS JOIN LATERAL (
                SELECT coalesce(array_agg(changed_at), '{}') AS pushes FROM cycle_change AS change
                WHERE change.lane = plant.lane AND change.plant_id = plant.id AND change.source = 'outage'
            ) AS excuse
            CROSS JOIN LATERAL (
                SELECT coalesce(array_agg(tag.name ORDER BY tag.name COLLATE "C"), '{}') AS names
                FROM plant_tag AS tagging JOIN tag ON tag.lane = tagging.lane AND tag.id = tagging.tag_id
                WHERE tagging.lane = plant.lane AND tagging.plant_id = plant.id
            ) AS tagged
            WHERE $2::uuid IS NULL OR (plant.lane = $3 AND plant.account_id = $2)
            ORDER BY plant.account_id, plant.id
            """, [now, id, id?.lane]
        ).map { row in
            var reader = row.reader
            return PlantFacts(
                id: try reader.next(), accountID: try reader.next(), phone: try reader.next(),
                cycleDays: try reader.next(), alarmMinute: try reader.next(), lastWateredOn: try reader.next(),
                dueOn: try reader.next(), ownDueOn: try reader.next(), isDueByOutage: try reader.next(),
                excusedPushes: try reader.next(),
                tags: try reader.next(), daysLeft: try reader.next(), affection: try reader.next(),
                ledgerPoints: try reader.next(), wateringCount: try reader.next(),
                postponementCount: try reader.next(), pushesEnabled: try reader.next(),
                isArchived: try reader.next(), reviewedCount: try reader.next(), declinedCount: try reader.next(),
                birthday: try reader.next())
        }
    }

    /// A line of text for each subject of a further domain, by account: of all accounts, or of the one with this id.
    ///
    /// - Parameter sql: selects `account_id` and the line.
    public func lines(_ sql: SQL, of id: Account.ID? = nil) async throws -> [Account.ID: [String]] {
        let found = try await rows(
            """
            SELECT account_id, line FROM (\(sql)) AS subject (account_id, line)
            WHERE $1::uuid IS NULL OR account_id = $1 ORDER BY account_id, line
            """, [id])
        var lines: [Account.ID: [String]] = [:]
        for row in found {
            let account = try row.decode(0, as: Account.ID.self)
            lines[account, default: []].append(try row.decode(1))
        }
        return lines
    }
}

// MARK: - Pushes

extension Evidence {
    /// A row of the view `push`: a scheduled occurrence and how it ended.
    public struct PushFacts: Sendable {
        public let lane: Lane
        /// nil if the occurrence never became a job.
        public let seq: Int?
        public let subjectID: Subject.ID
        public let topic: Topic
        public let ref: Int
        public let plannedAt: Instant
        /// nil while the push is pending.
        public let outcome: PushOutcome?
        public let reason: String?
    }

    /// A row of a topic that no simulated subject has.
    struct UnknownTopic: Error {
        let label: String
    }

    /// The progress of a lane.
    public struct LaneFacts: Sendable {
        public let lane: Lane
        /// The instant up to which its calendar is scheduled.
        public let calendarCursor: Instant
        /// The number of the last completed job.
        public let deliveredSeq: Int
        /// The number of the newest job.
        public let lastSeq: Int
    }

    /// The scheduled occurrences planned after an instant.
    ///
    /// - Parameter topics: all that simulated subjects have.
    public func pushes(plannedAfter start: Instant, about topics: [Topic]) async throws -> [PushFacts] {
        try await rows(
            """
            SELECT lane, seq, subject_id, topic, ref, planned_at, outcome::text, reason FROM push
            WHERE planned_at > $1 ORDER BY lane, planned_at, subject_id, topic, ref
            """, [start]
        ).map { row in
            var reader = row.reader
            let (lane, seq): (Lane, Int?) = (try reader.next(), try reader.next())
            let subjectID = try reader.next(Subject.ID.self)
            let label = try reader.next(String.self)
            guard let topic = topics.first(where: { $0.label == label }) else { throw UnknownTopic(label: label) }
            return PushFacts(
                lane: lane, seq: seq, subjectID: subjectID, topic: topic, ref: try reader.next(),
                plannedAt: try reader.next(),
                outcome: try reader.next(String?.self).flatMap(PushOutcome.init(rawValue:)), reason: try reader.next())
        }
    }

    /// Up to five violations of rule 7.8 in a time range: occurrences without exactly one row with an outcome, or
    /// outcomes without an occurrence.
    public func unaccounted(plannedAfter start: Instant, upTo end: Instant) async throws -> [String] {
        try await texts(
            """
            SELECT concat_ws(' ', 'lane', lane, 'subject', subject_id, topic, ref, 'at', at, 'planned',
                planned.lane IS NOT NULL, 'rows', coalesce(ended.entries, 0), 'outcomes', coalesce(ended.outcomes, 0))
            FROM (
                SELECT lane, at, subject_id, topic, ref FROM occurrence WHERE at > $1 AND at <= $2
            ) AS planned
            FULL JOIN (
                SELECT lane, planned_at AS at, subject_id, topic, ref, count(*) AS entries, count(outcome) AS outcomes
                FROM push WHERE planned_at > $1 AND planned_at <= $2 GROUP BY 1, 2, 3, 4, 5
            ) AS ended USING (lane, at, subject_id, topic, ref)
            WHERE planned.lane IS NULL OR ended.entries IS DISTINCT FROM 1 OR ended.outcomes IS DISTINCT FROM 1
            ORDER BY 1 LIMIT 5
            """, [start, end])
    }

    /// Up to five receipts that do not begin where the previous one ended: some job has two receipts or none.
    public func brokenReceipts(finishedAfter start: Instant) async throws -> [String] {
        try await texts(
            """
            SELECT concat_ws(' ', 'lane', lane, 'jobs', from_seq, 'to', to_seq, 'behind', before) FROM (
                SELECT lane, from_seq, to_seq, finished_at,
                    lag(to_seq) OVER (PARTITION BY lane ORDER BY to_seq, from_seq) AS before
                FROM push_receipt WHERE finished_at > $1 - interval '1 day'
            ) AS receipt
            WHERE finished_at > $1 AND from_seq <> before + 1 ORDER BY 1 LIMIT 5
            """, [start])
    }

    /// All lanes in order.
    public func lanes() async throws -> [LaneFacts] {
        try await rows(
            """
            SELECT lane.lane, cursor_at, cursor_seq, last_seq FROM lane
            JOIN lane_delivery ON lane_delivery.lane = lane.lane ORDER BY lane.lane
            """
        ).map { row in
            LaneFacts(
                lane: try row.decode(0), calendarCursor: try row.decode(1), deliveredSeq: try row.decode(2),
                lastSeq: try row.decode(3))
        }
    }

    /// A hash of gardens, calendar, pushes and devices. It leaves out the database's clock, so equal histories give
    /// equal hashes.
    public func digest() async throws -> String {
        try await texts(
            """
            SELECT md5(string_agg(part, ' ' ORDER BY number)) FROM (
                SELECT 1, string_agg(account::text, ' ' ORDER BY id) FROM account
                UNION ALL SELECT 2, string_agg(plant::text, ' ' ORDER BY id) FROM plant
                UNION ALL SELECT 3, string_agg(watering::text, ' ' ORDER BY plant_id, number) FROM watering
                UNION ALL SELECT 4, string_agg(postponement::text, ' ' ORDER BY plant_id, number) FROM postponement
                UNION ALL SELECT 5, string_agg(entry::text, ' ' ORDER BY entry::text) FROM affection_entry AS entry
                UNION ALL SELECT 6, string_agg(occurrence::text, ' ' ORDER BY occurrence::text) FROM occurrence
                UNION ALL SELECT 7, string_agg(push::text, ' ' ORDER BY push::text) FROM push
                UNION ALL SELECT 8, string_agg(device::text, ' ' ORDER BY id) FROM device
                UNION ALL SELECT 9, string_agg(thing::text, ' ' ORDER BY id) FROM thing
                UNION ALL SELECT 10, string_agg(done::text, ' ' ORDER BY thing_id, number) FROM thing_completion AS done
                UNION ALL SELECT 11, string_agg(list::text, ' ' ORDER BY id) FROM shopping_list AS list
                UNION ALL SELECT 12, string_agg(helped::text, ' ' ORDER BY account_id, list_id) FROM helped_list AS helped
            ) AS parts (number, part)
            """
        ).first ?? ""
    }
}

// MARK: - Events

extension Evidence {
    /// Expires all leases, as if their time had passed.
    public func expireLeases() async throws {
        _ = try await rows(
            """
            UPDATE lane_delivery SET leased_until = statement_timestamp() - interval '1 second' WHERE leased_by IS NOT NULL
            """)
    }

    /// Deletes sent pushes from before a day. The service looks back three days by the database's clock, in which a
    /// simulation plays months.
    public func forgetSentPushes(before day: CivilDay) async throws {
        _ = try await rows("DELETE FROM sent_push WHERE sent_on < $1", [day])
    }

    /// Terminates all other sessions of the database, as a server restart does, and waits until they are gone.
    public func cutSessions() async throws {
        _ = try await rows(
            """
            SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
            WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
            """)
    }

    /// Whether a session of this database is waiting for a lock.
    public func isSomebodyWaiting() async throws -> Bool {
        try await !rows(
            """
            SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' LIMIT 1
            """
        ).isEmpty
    }
}
