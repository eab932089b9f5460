import CherishCore
import Postgres

/// Scheduling: turns due occurrences into push jobs.
enum ScheduleBenchmark {
    static let lanes = Array(0...255)

    /// All plants due at once, against SQL that writes the same rows.
    static func allDue(size: Size, in laboratory: Laboratory) async throws {
        let garden = Garden(accounts: size.plants / 5, plants: size.plants, due: size.plants)
        try await garden.plant(in: laboratory)
        try await laboratory.script(ScheduleReference.makeWakeTimes)
        try await laboratory.script("VACUUM ANALYZE plant_waking")
        let connections = size.connections
        _ = try await Contest(
            title: "schedule: \(Report.count(Double(size.plants))) plants due, \(connections) connections",
            rounds: size.rounds,
            contestants: [
                Contestant(name: "Cherish", prepare: Garden.rewind, expectedItems: size.plants) { laboratory in
                    try await WorkerChild.run(.schedule, concurrency: connections, in: laboratory)
                },
                Contestant(
                    name: "SQL: one statement a lane", prepare: Garden.rewind, expectedItems: size.plants
                ) { laboratory in
                    try await ScheduleReference.perLane(
                        ScheduleReference.scheduleLane, connections: connections, laboratory)
                },
                Contestant(
                    name: "SQL: wake time on the plant",
                    prepare: { laboratory in
                        try await Garden.rewind(laboratory)
                        try await laboratory.script(ScheduleReference.resetWakeTimes)
                        try await laboratory.script("VACUUM ANALYZE plant_waking")
                    }, expectedItems: size.plants
                ) { laboratory in
                    try await ScheduleReference.perLane(
                        ScheduleReference.updateWakeTimes, connections: connections, laboratory)
                },
            ]
        ).run(in: laboratory)
    }
}

extension ScheduleBenchmark {
    /// As many alerts of things as alarms of plants, of the same accounts in the same minutes.
    static func things(size: Size, in laboratory: Laboratory) async throws {
        try await Garden(accounts: size.plants / 5, plants: size.plants, due: size.plants).plant(in: laboratory)
        try await laboratory.script(
            """
            INSERT INTO thing (lane, id, account_id, kind, title, is_favourite, due_on, chosen_alerts, repetition,
                pushes_enabled, series_start, completion_count, alert_ref, alert_at, alert_expires_at, version, modified_at,
                created_at)
            SELECT lane, md5('thing' || id)::uuid, account_id, 'reminder', '우유 ' || nickname, false, due_on,
                '0d@' || to_char(alarm_at AT TIME ZONE time_zone, 'HH24:MI'), 'once', true, due_on, 0,
                due_on - '1970-01-01'::date, alarm_at, alarm_at + interval '24 hours', 1, '2027-01-01', '2027-01-01'
            FROM plant JOIN (SELECT lane, id AS account_id, time_zone FROM account) AS owner USING (lane, account_id)
            ORDER BY lane, id;
            """)
        try await laboratory.script("VACUUM ANALYZE thing")
        func contestant(_ name: String, _ planned: SQL) -> Contestant {
            Contestant(
                name: name,
                prepare: { laboratory in
                    try await Garden.rewind(laboratory)
                    try await laboratory.script("TRUNCATE occurrence; INSERT INTO occurrence \(planned)")
                    try await laboratory.script("VACUUM ANALYZE occurrence")
                }, expectedItems: size.plants
            ) { laboratory in
                try await WorkerChild.run(.schedule, concurrency: size.connections, in: laboratory)
            }
        }
        _ = try await Contest(
            title: "schedule: \(Report.count(Double(size.plants))) alerts of things beside as many alarms of plants",
            rounds: size.rounds,
            contestants: [
                contestant(
                    "plants",
                    """
                    SELECT lane, alarm_at, account_id, id, 'watering_due', due_on - '1970-01-01'::date FROM plant
                    ORDER BY lane, alarm_at, id
                    """),
                contestant(
                    "things",
                    """
                    SELECT lane, alert_at, account_id, id, 'thing_alert', alert_ref FROM thing ORDER BY lane, alert_at, id
                    """),
            ]
        ).run(in: laboratory)
    }

    /// Many plants, few of them due: the cost depends on what is due.
    static func fewDue(size: Size, in laboratory: Laboratory) async throws {
        try await Garden(accounts: size.manyPlants / 5, plants: size.manyPlants, due: size.manyPlants / 50)
            .plant(in: laboratory)
        let connections = size.connections
        let plants = Report.count(Double(size.manyPlants))
        try await Contest(
            title: "idle: a tick over \(plants) plants of which none is due", rounds: size.rounds,
            contestants: [
                Contestant(name: "Cherish", prepare: Garden.rewind) { laboratory in
                    try await WorkerChild.run(.idle, concurrency: connections, minute: -1, in: laboratory)
                }
            ]
        ).run(in: laboratory)
        for (minute, part) in [(0, 5000), (40, 50)] {
            let now = Garden.firstAlarm.adding(minutes: minute)
            try await Contest(
                title: "schedule: about \(Report.count(Double(size.manyPlants / part))) of \(plants) plants due",
                rounds: size.rounds,
                contestants: [
                    Contestant(name: "Cherish", prepare: Garden.rewind) { laboratory in
                        try await WorkerChild.run(.schedule, concurrency: connections, minute: minute, in: laboratory)
                    },
                    Contestant(name: "SQL: one statement a lane", prepare: Garden.rewind) { laboratory in
                        try await ScheduleReference.perLane(
                            ScheduleReference.scheduleLane, connections: connections, now: now, laboratory)
                    },
                ]
            ).run(in: laboratory)
        }
    }
}

/// The same work in hand-written SQL, without an engine.
enum ScheduleReference {
    /// Runs a statement in every lane, with the lane and now as parameters, and counts the jobs written.
    static func perLane(
        _ statement: SQL, connections: Int, now: Instant = Garden.now, _ laboratory: Laboratory
    ) async throws -> Work {
        try await laboratory.withConnections(connections) { pool in
            try await pool.forEach(Array(0..<connections), connections: connections) { connection, _ in
                _ = try await connection.query("SELECT 1")
            }
            let time = try await seconds {
                try await pool.forEach(ScheduleBenchmark.lanes, connections: connections) { connection, lane in
                    try await connection.script("BEGIN")
                    _ = try await connection.query("SELECT FROM lane WHERE lane = $1 FOR UPDATE", [Int16(lane)])
                    _ = try await connection.query(statement, [Int16(lane), now])
                    try await connection.script("COMMIT")
                }
            }
            return Work(items: try await laboratory.value("SELECT count(*) FROM push_job"), seconds: time)
        }
    }

    /// What the engine does, as one statement: due occurrences, the state they depend on, jobs, outcomes, cursor.
    static let scheduleLane: SQL = """
        WITH due AS MATERIALIZED (
            SELECT occurrence.*, plant.alarm_at IS NOT DISTINCT FROM occurrence.at
                    AND plant.due_on - '1970-01-01'::date = occurrence.ref AND plant.removed_at IS NULL AS is_wanted,
                plant.pushes_enabled AND account.watering_pushes AS is_enabled,
                (date_trunc('day', occurrence.at AT TIME ZONE account.time_zone) + interval '1 day')
                    AT TIME ZONE account.time_zone AS expires_at
            FROM lane JOIN occurrence ON occurrence.lane = lane.lane AND occurrence.at >= lane.cursor_at
                AND (at, subject_id, topic, ref) > (cursor_at, cursor_subject_id, cursor_topic, cursor_ref)
            LEFT JOIN plant ON plant.lane = occurrence.lane AND plant.id = occurrence.subject_id
            LEFT JOIN account ON account.lane = occurrence.lane AND account.id = occurrence.account_id
            WHERE lane.lane = $1 AND occurrence.lane = $1 AND occurrence.at <= $2
            ORDER BY occurrence.at, occurrence.subject_id, occurrence.topic, occurrence.ref
        ), job AS (
            INSERT INTO push_job (lane, recorded_at, seq, account_id, subject_id, topic, ref, planned_at, expires_at)
            SELECT $1, now(), last_seq + row_number() OVER (), account_id, subject_id, topic, ref, at, expires_at
            FROM due, (SELECT last_seq FROM lane WHERE lane = $1) AS lane
            WHERE is_wanted AND is_enabled AND expires_at > $2
            RETURNING seq
        ), ended AS (
            INSERT INTO occurrence_outcome
                (lane, recorded_at, finished_at, account_id, subject_id, topic, ref, planned_at, outcome, reason)
            SELECT $1, now(), $2, account_id, subject_id, topic, ref, at,
                (CASE WHEN NOT is_wanted THEN 'superseded' WHEN NOT is_enabled THEN 'suppressed' ELSE 'expired' END)
                    ::push_outcome_kind, 'edited'
            FROM due WHERE (is_wanted AND is_enabled AND expires_at > $2) IS NOT TRUE
        )
        UPDATE lane SET (cursor_at, cursor_subject_id, cursor_topic, cursor_ref) = (
                SELECT at, subject_id, topic, ref FROM due
                ORDER BY at DESC, subject_id DESC, topic DESC, ref DESC LIMIT 1),
            last_seq = last_seq + (SELECT count(*) FROM job), last_recorded_at = now()
        WHERE lane = $1 AND EXISTS (SELECT FROM due)
        """

    /// A copy of the plants with the next push stored on the plant, as in most job queues.
    static let makeWakeTimes: SQL = """
        CREATE TABLE plant_waking (LIKE plant INCLUDING DEFAULTS, wake_at timestamptz);
        INSERT INTO plant_waking SELECT plant.*, alarm_at FROM plant ORDER BY lane, id;
        ALTER TABLE plant_waking ADD PRIMARY KEY (lane, id);
        CREATE INDEX ON plant_waking (lane, wake_at);
        CREATE INDEX ON plant_waking (lane, account_id);
        CREATE UNIQUE INDEX ON plant_waking (lane, account_id, phone) WHERE removed_at IS NULL;
        """

    static let resetWakeTimes: SQL = """
        TRUNCATE plant_waking;
        INSERT INTO plant_waking SELECT plant.*, alarm_at FROM plant ORDER BY lane, id;
        """

    static let updateWakeTimes: SQL = """
        WITH due AS (
            SELECT plant.id, plant.account_id, plant.wake_at, plant.due_on,
                plant.pushes_enabled AND account.watering_pushes AS is_enabled,
                (date_trunc('day', plant.wake_at AT TIME ZONE account.time_zone) + interval '1 day')
                    AT TIME ZONE account.time_zone AS expires_at
            FROM plant_waking AS plant
            JOIN account ON account.lane = plant.lane AND account.id = plant.account_id
            WHERE plant.lane = $1 AND plant.wake_at <= $2
            FOR NO KEY UPDATE OF plant SKIP LOCKED
        ), woken AS (
            UPDATE plant_waking SET wake_at = NULL FROM due WHERE plant_waking.lane = $1 AND plant_waking.id = due.id
            RETURNING due.*
        )
        INSERT INTO push_job (lane, recorded_at, seq, account_id, subject_id, topic, ref, planned_at, expires_at)
        SELECT $1, now(), row_number() OVER (), account_id, id, 'watering_due', due_on - '1970-01-01'::date, wake_at,
            expires_at
        FROM woken WHERE is_enabled AND expires_at > $2
        """
}
