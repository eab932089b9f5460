import CherishCore
import Postgres

extension DeliveryLog {
    /// Returns which of these jobs of a leased lane are still unsettled, and until when each is underway. Also returns
    /// the engine's now.
    ///
    /// A missing job has ended, because another worker sent it again.
    public func underway(_ jobs: [PushJob], under lease: Lease) async throws -> (until: [Int: Instant], now: Instant) {
        let answers = try await withConnection { connection in
            try await connection.pipeline([
                Statement("SELECT coalesce($1, clock_timestamp())", [time.fixedInstant]),
                Statement(
                    "SELECT seq, retry_at FROM push_retry WHERE lane = $1 AND seq = ANY ($2)",
                    [lease.lane, jobs.map(\.seq)]),
            ])
        }
        guard let now = try answers.first?.first?.decode(0, as: Instant.self), let rows = answers.last else {
            throw UnreadableRow(what: "no clock")
        }
        return (Dictionary(uniqueKeysWithValues: try rows.map { (try $0.decode(0), try $0.decode(1)) }), now)
    }

    /// Records the results of jobs that a batch left underway: all or nothing, and nothing under an outdated lease.
    ///
    /// - Parameters:
    ///   - attempts: the answers of the devices' providers, including those about jobs that had already ended.
    ///   - sentPushes: the pushes that accounts received.
    /// - Throws: ``LeaseLost``.
    public func settle(
        _ settled: [(job: DeliveryJob, result: DeliveryResult)], attempts: [DeviceAttempt], sentPushes: [SentPush],
        under lease: Lease, at now: Instant
    ) async throws -> Lease {
        var receipt = Receipt(finishedAt: now, attempts: attempts, sentPushes: sentPushes)
        for (job, result) in settled { receipt.settle(job, result) }
        return try await record(receipt, under: lease)
    }
}
