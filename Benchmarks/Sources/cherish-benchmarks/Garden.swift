import CherishCore
import Postgres

/// Fills the database with accounts and plants, in plain SQL. All due alarms fall within half an hour.
struct Garden: Sendable {
    /// How accounts are distributed over lanes.
    enum Spread: Sendable {
        /// Evenly over the first `lanes` lanes.
        case even(lanes: Int)
        /// Half of all in one lane, a quarter in the next, and so on.
        case halving
    }

    var accounts: Int
    var plants: Int
    /// How many of the plants are due; the others are planned over the three months that follow.
    var due: Int
    var spread = Spread.even(lanes: 256)

    /// The first due alarm.
    static let firstAlarm = Instant("2027-03-02T00:00:00Z") ?? Instant(secondsSinceEpoch: 0)
    /// The engine's now: after the last due alarm, and before the civil day of any due plant ends.
    static let now = firstAlarm.adding(microseconds: 40 * 60 * 1_000_000)

    /// Zones in which no civil day ends in that hour.
    private static let zones = [
        "Asia/Seoul", "Asia/Tokyo", "Europe/Berlin", "Europe/Paris", "America/New_York", "America/Chicago",
        "America/Los_Angeles", "America/Sao_Paulo", "Australia/Sydney", "Asia/Kolkata", "Pacific/Honolulu",
        "Asia/Kathmandu",
    ]

    private var laneOfAccount: String {
        switch spread {
        case .even(let lanes): "number % \(lanes)"
        case .halving:
            "CASE WHEN number % 2 = 1 THEN 0 ELSE least(255, (log(2, (greatest(number, 1) & -greatest(number, 1))::numeric))::int) END"
        }
    }

    /// Inserts everything, and analyzes the tables.
    func plant(in laboratory: Laboratory) async throws {
        progress("planting \(Report.count(Double(plants))) plants of \(Report.count(Double(accounts))) accounts")
        let zones = Garden.zones.map { "'\($0)'" }.joined(separator: ", ")
        try await laboratory.script(
            """
            SELECT make_partition('occurrence', 'month', '2027-03-01'::timestamptz + month * interval '1 month')
            FROM generate_series(0, 4) AS month;
            SELECT make_log_partitions(now()), make_log_partitions(now() + interval '1 day');
            CREATE UNLOGGED TABLE sown AS
            SELECT number, (\(laneOfAccount))::smallint AS lane,
                (substr(md5('account' || number), 1, 30) || lpad(to_hex((\(laneOfAccount))::int), 2, '0'))::uuid AS id,
                (ARRAY[\(zones)])[1 + number % \(Garden.zones.count)] AS zone
            FROM generate_series(0, \(accounts) - 1) AS number;
            INSERT INTO account
            SELECT lane, id, 'someone' || number || '@example.com', '민지' || number % 1000, NULL, zone, 'ko',
                true, true, false, false, '2027-01-01'
            FROM sown ORDER BY lane, id;
            CREATE UNLOGGED TABLE grown AS
            SELECT sown.lane, md5('plant' || series.number)::uuid AS id, sown.id AS account_id, series.number,
                sown.zone, ('2027-03-02T00:00Z'::timestamptz + CASE WHEN NOT \(isDue) THEN 1440 ELSE 0 END * interval '1 minute'
                    + CASE WHEN \(isDue) AND \(isFirst) THEN 0 WHEN \(isDue) THEN 1 + series.number % 29
                    ELSE + (hashint4(series.number) & 131071) END * interval '1 minute') AS alarm_at
            FROM generate_series(0, \(plants) - 1) AS series (number)
            JOIN sown ON sown.number = series.number % \(accounts);
            INSERT INTO plant
            SELECT lane, id, account_id, '김하나' || number % 1000, '+8210' || 10000000 + number, '하나' || number % 1000,
                NULL, NULL, NULL, 7, extract(hour FROM wall) * 60 + extract(minute FROM wall), wall::date - 7, NULL,
                wall::date, 'registration', 0, 0, 0, true, alarm_at, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                '2027-01-01', NULL
            FROM (SELECT *, alarm_at AT TIME ZONE zone AS wall FROM grown ORDER BY lane, id) AS planted;
            INSERT INTO occurrence
            SELECT lane, alarm_at, account_id, id, 'watering_due', (alarm_at AT TIME ZONE zone)::date - '1970-01-01'::date
            FROM grown ORDER BY lane, alarm_at, id;
            DROP TABLE sown, grown;
            """)
        try await laboratory.script("VACUUM ANALYZE")
        try await laboratory.script("CHECKPOINT")
    }

    /// One in a hundred due plants is due at the first alarm.
    private var isFirst: String { "hashint4(series.number + 11) % 100 = 0" }

    private var isDue: String {
        due == 0 ? "false" : due == plants ? "true" : "(hashint4(series.number + 7) & 1073741823) % \(plants / due) = 0"
    }

    /// Resets scheduling and delivery.
    @Sendable static func rewind(_ laboratory: Laboratory) async throws {
        try await laboratory.script(
            """
            TRUNCATE push_job, push_receipt, push_outcome, push_retry, push_device_outcome, sent_push,
                occurrence_outcome;
            UPDATE lane SET cursor_at = 'epoch', cursor_subject_id = '00000000-0000-0000-0000-000000000000',
                cursor_topic = 'watering_due', cursor_ref = 0, last_seq = 0, last_recorded_at = 'epoch';
            UPDATE lane_delivery SET cursor_recorded_at = 'epoch', cursor_seq = 0, leased_by = NULL, leased_until = NULL;
            """)
        try await laboratory.script("VACUUM lane, lane_delivery")
    }
}
