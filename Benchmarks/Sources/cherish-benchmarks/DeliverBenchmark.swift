import CherishCore
import CherishStore
import Foundation
import Postgres
import SystemTimeZones

/// Delivery of push jobs: claim, decode into Swift values, a no-op sink, a durable receipt.
enum DeliverBenchmark {
    /// Fills the log with jobs to deliver.
    private static func schedule(_ size: Size, in laboratory: Laboratory) async throws {
        let garden = Garden(accounts: size.plants / 5, plants: size.plants, due: size.plants)
        try await garden.plant(in: laboratory)
        _ = try await WorkerChild.run(.schedule, in: laboratory)
        try await laboratory.script("VACUUM ANALYZE")
    }

    /// The log alone, against a conventional row queue.
    static func runLogAlone(size: Size, in laboratory: Laboratory) async throws {
        try await schedule(size, in: laboratory)
        let connections = size.connections
        try await Contest(
            title: "deliver, the log alone: \(Report.count(Double(size.plants))) jobs, \(connections) connections",
            rounds: size.rounds,
            contestants: [
                Contestant(name: "Cherish", prepare: rewind, expectedItems: size.plants) { laboratory in
                    try await WorkerChild.run(.deliverLog, concurrency: connections, in: laboratory)
                }
            ]
                + [1000, 100, 1].flatMap { batch in
                    [
                        RowQueue.contestant("DELETE, batches of \(batch)", RowQueue.delete, batch: batch, size: size),
                        RowQueue.contestant(
                            "UPDATE then DELETE, batches of \(batch)", RowQueue.updateDelete, batch: batch, size: size),
                    ]
                }
        ).run(in: laboratory)
    }

    /// With the second look at plant and account, against hand-written SQL.
    static func run(size: Size, in laboratory: Laboratory) async throws {
        try await schedule(size, in: laboratory)
        let connections = size.connections
        try await Contest(
            title:
                "deliver, with the second look, nothing rendered: \(Report.count(Double(size.plants))) jobs, \(connections) connections",
            rounds: size.rounds,
            contestants: [
                Contestant(name: "Cherish", prepare: rewind, expectedItems: size.plants) { laboratory in
                    try await WorkerChild.run(.deliver, concurrency: connections, in: laboratory)
                },
                Contestant(
                    name: "SQL: one SELECT with the join, receipt; pgbench", prepare: rewind,
                    expectedItems: size.plants
                ) { laboratory in
                    try await HandWrittenDelivery.run(connections: connections, laboratory)
                },
                Contestant(
                    name: "SQL: accounts apart, receipt; nothing decoded", prepare: rewind, expectedItems: size.plants
                ) { laboratory in
                    try await HandWrittenDelivery.runApart(connections: connections, laboratory)
                },
                Contestant(name: "Cherish, 5 % failing once", prepare: rewind, expectedItems: size.plants) {
                    laboratory in
                    try await WorkerChild.run(.deliver, concurrency: connections, failing: 5, in: laboratory)
                },
                Contestant(name: "Cherish, 50 % failing once", prepare: rewind, expectedItems: size.plants) {
                    laboratory in
                    try await WorkerChild.run(.deliver, concurrency: connections, failing: 50, in: laboratory)
                },
            ]
        ).run(in: laboratory)
    }

    /// Resets delivery; the jobs stay.
    @Sendable static func rewind(_ laboratory: Laboratory) async throws {
        try await laboratory.script(
            """
            TRUNCATE push_receipt, push_outcome, push_retry, push_device_outcome, sent_push;
            UPDATE lane_delivery SET cursor_recorded_at = 'epoch', cursor_seq = 0, leased_by = NULL, leased_until = NULL;
            """)
        try await laboratory.script("VACUUM lane_delivery")
    }

    /// Delivers all lanes from the log alone, `concurrency` at a time: what the engine does without the second look.
    static func deliverLog(_ pool: ConnectionPool, concurrency: Int, worker: String) async throws -> Int {
        let log = DeliveryLog(
            pool: pool, zones: SystemTimeZones(), time: .fixed(Garden.now), leaseDuration: .seconds(30))
        let lanes = Rest(try await log.lanesWithWork().map(\.lane))
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<concurrency {
                group.addTask {
                    var delivered = 0
                    while let lane = await lanes.next() {
                        guard var lease = try await log.lease(lane, for: worker) else { continue }
                        var isLast = false
                        while !isLast {
                            let jobs = try await log.readLog(lease, limit: 4000)
                            isLast = jobs.count < 4000
                            delivered += jobs.count
                            lease = try await log.complete(
                                jobs, under: lease, at: Garden.now, thenRelease: isLast)
                        }
                    }
                    return delivered
                }
            }
            return try await group.reduce(0, +)
        }
    }
}

/// Hand-written delivery with a look at plant and account: the cheapest statements with the same result.
enum HandWrittenDelivery {
    static let batch = 4000

    static func run(connections: Int, _ laboratory: Laboratory) async throws -> Work {
        let file = laboratory.cluster.home + "/deliver.sql"
        // Each client has its own lanes, so none waits for another.
        try """
        \\set lane (:client_id + :round * \(connections)) % 256
        \\set round :round + 1
        SELECT cursor_recorded_at AS recorded_at, cursor_seq AS seq FROM lane_delivery WHERE lane = :lane \\gset
        \(select)
        \(receipt)
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let time = try await PgBench(laboratory).run(
            file, clients: connections, transactions: (256 + connections - 1) / connections, define: ["round": 0])
        return Work(
            items: try await laboratory.value("SELECT coalesce(sum(to_seq - from_seq + 1), 0)::int8 FROM push_receipt"),
            seconds: time)
    }

    /// The same over the engine's client, with accounts read in a separate statement as in the engine. Decodes only the
    /// accounts' ids.
    static func runApart(connections: Int, _ laboratory: Laboratory) async throws -> Work {
        try await laboratory.withConnections(connections) { pool in
            try await pool.forEach(Array(0..<connections), connections: connections) { connection, _ in
                _ = try await connection.query("SELECT 1")
            }
            let time = try await seconds {
                try await pool.forEach(ScheduleBenchmark.lanes.map(Int16.init), connections: connections) {
                    connection, lane in
                    let rows = try await connection.query(selectJobs, [lane])
                    let accounts = try rows.map { try $0.decode(0, as: UUID.self) }
                    _ = try await connection.query(selectAccounts, [lane, Array(Set(accounts))])
                    _ = try await connection.query(
                        SQL(
                            trusting: receipt.replacingOccurrences(of: "AND recorded_at >= ':recorded_at' ", with: "")
                                .replacingOccurrences(of: "AND (recorded_at, seq) > (':recorded_at', :seq)", with: "")
                                .replacingOccurrences(of: ":lane", with: "$1").replacingOccurrences(
                                    of: ":seq", with: "0")),
                        [lane])
                }
            }
            return Work(
                items: try await laboratory.value(
                    "SELECT coalesce(sum(to_seq - from_seq + 1), 0)::int8 FROM push_receipt"), seconds: time)
        }
    }

    private static let selectJobs: SQL = """
        SELECT job.account_id, job.seq, job.recorded_at, job.expires_at, job.planned_at, job.subject_id, job.topic,
            job.ref, plant.removed_at IS NOT NULL, plant.alarm_at, plant.reminder_number, plant.reminder_at,
            plant.due_on, plant.due_source, plant.pushes_enabled, plant.nickname, plant.cycle_days,
            watering.is_review_declined, watering.keywords, watering.memo, watering.watered_on
        FROM push_job AS job
        LEFT JOIN plant ON plant.lane = job.lane AND plant.id = job.subject_id
        LEFT JOIN LATERAL (
            SELECT * FROM watering
            WHERE job.topic = 'review_missing' AND watering.lane = job.lane AND watering.plant_id = job.subject_id
                AND watering.number = job.ref OFFSET 0) AS watering ON true
        WHERE job.lane = $1 ORDER BY job.recorded_at, job.seq LIMIT \(batch)
        """

    private static let selectAccounts: SQL = """
        SELECT account.id, time_zone, language, watering_pushes, review_pushes, birthday_pushes, withered_pushes, ARRAY(
            SELECT device.token FROM device WHERE device.lane = account.lane AND device.account_id = account.id
            ORDER BY device.added_at DESC, device.id)
        FROM unnest($2::uuid[]) AS wanted (id) JOIN account ON account.lane = $1 AND account.id = wanted.id
        """

    static let select = """
        SELECT job.seq, job.recorded_at, job.expires_at, job.planned_at, job.subject_id, job.topic, job.ref,
            plant.id IS NOT NULL, plant.removed_at IS NOT NULL, plant.alarm_at, plant.reminder_number, plant.reminder_at,
            plant.due_on, plant.due_source, plant.pushes_enabled, account.watering_pushes, account.review_pushes,
            account.time_zone, watering.is_review_declined, watering.keywords, watering.memo, account.id,
            account.language, plant.nickname, plant.cycle_days, watering.watered_on, ARRAY(
                SELECT device.token FROM device
                WHERE device.lane = account.lane AND device.account_id = account.id
                ORDER BY device.added_at DESC, device.id)
        FROM push_job AS job
        LEFT JOIN plant ON plant.lane = job.lane AND plant.id = job.subject_id
        LEFT JOIN account ON account.lane = job.lane AND account.id = job.account_id
        LEFT JOIN watering ON job.topic = 'review_missing' AND watering.lane = job.lane
            AND watering.plant_id = job.subject_id AND watering.number = job.ref
        WHERE job.lane = :lane AND job.recorded_at >= ':recorded_at' AND (job.recorded_at, job.seq) > (':recorded_at', :seq)
        ORDER BY job.recorded_at, job.seq LIMIT \(batch);
        """.split(separator: "\n").joined(separator: " ")

    static let receipt = """
        WITH last AS (
            SELECT max(seq) AS seq, max(recorded_at) AS recorded_at FROM (
                SELECT seq, recorded_at FROM push_job
                WHERE lane = :lane AND recorded_at >= ':recorded_at' AND (recorded_at, seq) > (':recorded_at', :seq)
                ORDER BY recorded_at, seq LIMIT \(batch)) AS batch
            HAVING count(*) > 0
        ), moved AS (
            UPDATE lane_delivery SET cursor_recorded_at = last.recorded_at, cursor_seq = last.seq
            FROM last WHERE lane_delivery.lane = :lane)
        INSERT INTO push_receipt (lane, to_seq, recorded_at, from_seq, fence, worker, finished_at)
        SELECT :lane, last.seq, last.recorded_at, :seq + 1, 0, 'pgbench', now() FROM last;
        """.split(separator: "\n").joined(separator: " ")
}
