import CherishCore
import Postgres

// A lane's jobs are numbered without gaps. A missing number means that somebody changed or dropped jobs by hand.

extension Lease {
    /// Whether numbers after the lease's cursor are missing, or may be because no jobs are left.
    func misses(_ jobs: [DeliveryJob]) -> Bool {
        guard let first = jobs.first, let last = jobs.last else { return true }
        if first.isRetry { return false }
        return first.job.seq != cursorSeq + 1 || last.job.seq - first.job.seq != jobs.count - 1
    }
}

extension DeliveryLog {
    /// Ends the jobs after the cursor that have impossible numbers, and moves the cursor past numbers without a job.
    /// Otherwise the lane would forever have work that nobody finds.
    func passMissingNumbers(_ lease: Lease, on connection: Connection) async throws {
        let lastSeq = try await connection.query("SELECT last_seq FROM lane WHERE lane = $1", [lease.lane])
            .first?.decode(0, as: Int.self)
        guard let lastSeq, lastSeq > lease.cursorSeq else { return }
        let answers = try await connection.pipeline([
            Statement(
                """
                INSERT INTO push_outcome (lane, recorded_at, seq, outcome, reason, finished_at)
                SELECT lane, recorded_at, seq, 'dead', $3, coalesce($4, now()) FROM push_job
                WHERE lane = $1 AND recorded_at >= $2 AND seq NOT BETWEEN 1 AND 4611686018427387903
                ON CONFLICT DO NOTHING RETURNING seq
                """, [lease.lane, lease.cursorRecordedAt, PushReason.unreadableRow.rawValue, time.fixedInstant]),
            Statement(
                """
                UPDATE lane_delivery SET cursor_seq = lane.last_seq FROM lane
                WHERE lane_delivery.lane = $1 AND lane.lane = $1 AND fence = $2 AND leased_by = $3
                    AND cursor_recorded_at = $4 AND cursor_seq = $5 AND lane.last_seq > cursor_seq AND NOT EXISTS (
                        SELECT 1 FROM push_job AS job
                        WHERE job.lane = $1 AND job.recorded_at >= $4 AND (job.recorded_at, job.seq) > ($4, $5)
                            AND job.seq BETWEEN 1 AND 4611686018427387903)
                RETURNING cursor_seq
                """, [lease.lane, lease.fence, lease.worker, lease.cursorRecordedAt, lease.cursorSeq]),
        ])
        for row in answers[0] {
            let seq = try row.decode(0, as: Int.self)
            report(
                UnreadableRow(
                    what: "an impossible number of a push job", in: "push_job",
                    [.lane(lease.lane), .number(seq, column: "seq")]),
                "the job ends as dead (unreadable_row)")
        }
        if !answers[1].isEmpty {
            report(
                UnreadableRow(
                    what: "a cursor before job \(lastSeq), the last of the lane, after which there are no jobs",
                    in: "lane_delivery", [.lane(lease.lane)]),
                "the cursor passes the numbers that are missing")
        }
    }
}
