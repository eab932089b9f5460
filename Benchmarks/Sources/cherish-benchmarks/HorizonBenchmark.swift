import CherishCore
import CherishStore
import CherishWorker
import Foundation
import Postgres

/// The cost of a transaction left open, which keeps VACUUM from removing dead rows, at a steady rate of jobs.
enum HorizonBenchmark {
    static let jobsPerSecond = 20_000

    static func run(size: Size, in laboratory: Laboratory) async throws {
        let seconds = !size.isSmoke ? 300 : 2
        try await sow(seconds, in: laboratory)
        var rows = [
            ["", "jobs/s offered", "jobs/s done", "busy, first tenth", "busy, last tenth", "dead rows at the end"]
        ]
        for isPinned in [false, true] {
            try await Garden.rewind(laboratory)
            progress("horizon: \(seconds) seconds, \(isPinned ? "pinned" : "free")")
            let pace = try await laboratory.withConnections(1) { pool in
                try await pool.withConnection { connection in
                    if isPinned {
                        try await connection.script("BEGIN ISOLATION LEVEL REPEATABLE READ")
                        _ = try await connection.query("SELECT count(*) FROM lane")
                    }
                    let pace = try await WorkerChild.pace(seconds: seconds, in: laboratory)
                    if isPinned { try await connection.script("ROLLBACK") }
                    return pace
                }
            }
            let dead = try await laboratory.value(
                "SELECT coalesce(sum(n_dead_tup), 0)::int8 FROM pg_stat_user_tables", as: Int.self)
            rows.append([
                isPinned ? "a transaction pins the horizon" : "nobody does", Report.count(Double(jobsPerSecond)),
                Report.count(Double(pace.delivered) / pace.seconds), "\(Report.decimal(pace.busyFirst * 100, 1)) %",
                "\(Report.decimal(pace.busyLast * 100, 1)) %", Report.count(Double(dead)),
            ])
        }
        Report.table("horizon: \(seconds) seconds at \(Report.count(Double(jobsPerSecond))) jobs/s", rows)
    }

    /// Adds plants that fall due evenly over the time.
    private static func sow(_ seconds: Int, in laboratory: Laboratory) async throws {
        let count = seconds * jobsPerSecond
        try await Garden(accounts: count / 5, plants: count, due: count).plant(in: laboratory)
        try await laboratory.script(
            """
            SET synchronous_commit = off;
            TRUNCATE occurrence;
            UPDATE plant SET alarm_at = '2027-03-02T00:00Z'::timestamptz
                + (hashtextextended(id::text, 7) & 1073741823) % \(seconds * 1_000_000) * interval '1 microsecond';
            INSERT INTO occurrence SELECT lane, alarm_at, account_id, id, 'watering_due', due_on - '1970-01-01'::date
            FROM plant ORDER BY lane, alarm_at, id;
            """)
        try await laboratory.script("VACUUM ANALYZE")
        try await laboratory.script("CHECKPOINT")
    }

    /// What a paced worker did.
    struct Pace: Codable, Sendable {
        var delivered = 0
        var seconds = 0.0
        /// The share of time it was busy, in the first and in the last tenth.
        var busyFirst = 0.0
        var busyLast = 0.0
    }

    /// Runs a round every 50 ms; the engine's now advances with the clock.
    static func pace(seconds total: Int, tick: (Instant) -> LaneRunner) async throws -> Pace {
        var pace = Pace()
        let start = ContinuousClock.now
        let end = Duration.seconds(total)
        while true {
            let elapsed = min(ContinuousClock.now - start, end)
            let microseconds = Int64(elapsed / .microseconds(1))
            let began = ContinuousClock.now
            pace.delivered += try await tick(Garden.firstAlarm.adding(microseconds: microseconds)).run().delivered
            let busy = (ContinuousClock.now - began) / .seconds(1)
            if elapsed < end / 10 { pace.busyFirst += busy / (Double(total) / 10) }
            if elapsed >= end / 10 * 9 { pace.busyLast += busy / (Double(total) / 10) }
            if elapsed == end { break }
            try await Task.sleep(until: began.advanced(by: .milliseconds(50)))
        }
        pace.seconds = (ContinuousClock.now - start) / .seconds(1)
        return pace
    }
}
