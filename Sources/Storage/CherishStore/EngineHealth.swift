import CherishCore
import Postgres

/// How far the engine is behind across all lanes: what should wake an operator.
public struct EngineHealth: Sendable, Equatable {
    /// How long the oldest unscheduled occurrence has been due; zero if there is none.
    public let schedulingLag: Duration
    /// The age of the oldest job after its lane's delivery cursor; zero if there is none.
    public let deliveryLag: Duration
    /// How long the oldest retry has been due; zero if there is none.
    public let retryLag: Duration
    /// Jobs after the delivery cursors of their lanes.
    public let undeliveredCount: Int
    /// Retries, due or not, counted up to ``mostCountedRetries``.
    public let retryCount: Int
    /// Lanes that a worker holds.
    public let leasedCount: Int
    /// Lanes whose lease expired without being released and that no worker has taken over.
    public let abandonedCount: Int
    /// Lanes whose calendar cursor is more than a minute ahead of now: anything added there comes late.
    public let aheadCount: Int
    /// How far the furthest calendar cursor is ahead of now; zero if none is.
    public let aheadBy: Duration

    /// After a long provider outage there are too many retries to count on every read.
    public static let mostCountedRetries = 100_000

    /// Reads one occurrence, one job and one retry per lane: 256 index probes each, whatever the size of the tables.
    public static func read(from pool: ConnectionPool, time: EngineTime) async throws -> EngineHealth {
        let rows = try await pool.withConnection { connection in
            try await connection.query(statement, [time.fixedInstant, mostCountedRetries])
        }
        guard var reader = rows.first?.reader else { throw UnreadableRow(what: "no lanes") }
        return try EngineHealth(&reader)
    }

    init(_ reader: inout RowReader) throws {
        let (now, clock): (Instant, Instant) = (try reader.next(), try reader.next())
        func lag(_ since: Instant?, _ now: Instant) -> Duration { max(.zero, since?.duration(to: now) ?? .zero) }
        schedulingLag = lag(try reader.next(), now)
        deliveryLag = lag(try reader.next(), clock)
        retryLag = lag(try reader.next(), now)
        undeliveredCount = try reader.next()
        retryCount = try reader.next()
        leasedCount = try reader.next()
        abandonedCount = try reader.next()
        aheadCount = try reader.next()
        let walkedTo = try reader.next(Instant?.self)
        aheadBy = max(.zero, walkedTo.map { now.duration(to: $0) } ?? .zero)
    }

    private static let statement: SQL = """
        SELECT coalesce($1, clock_timestamp()), clock_timestamp(), min(planned.at), min(job.recorded_at),
            min(retry.retry_at),
            least(coalesce(sum(greatest(lane.last_seq::numeric - delivery.cursor_seq, 0)), 0), 1000000000000)::bigint,
            max(retries.count),
            count(*) FILTER (WHERE delivery.leased_until > clock_timestamp()),
            count(*) FILTER (WHERE delivery.leased_until <= clock_timestamp()),
            count(*) FILTER (WHERE lane.cursor_at > coalesce($1, clock_timestamp()) + interval '1 minute'),
            max(lane.cursor_at)
        FROM lane JOIN lane_delivery AS delivery ON delivery.lane = lane.lane
        LEFT JOIN LATERAL (
            SELECT planned.at FROM occurrence AS planned
            WHERE \(OccurrenceKey.isPlannedAfterCursor)
            ORDER BY planned.at LIMIT 1
        ) AS planned ON true
        LEFT JOIN LATERAL (
            SELECT push_job.recorded_at FROM push_job
            WHERE lane.last_seq > delivery.cursor_seq AND push_job.lane = lane.lane
                AND push_job.recorded_at >= delivery.cursor_recorded_at
                AND (push_job.recorded_at, push_job.seq) > (delivery.cursor_recorded_at, delivery.cursor_seq)
            ORDER BY push_job.recorded_at, push_job.seq LIMIT 1
        ) AS job ON true
        LEFT JOIN LATERAL (
            SELECT push_retry.retry_at FROM push_retry
            WHERE push_retry.lane = lane.lane
                AND push_retry.retry_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
            ORDER BY push_retry.retry_at LIMIT 1
        ) AS retry ON true
        CROSS JOIN (SELECT count(*) FROM (SELECT 1 FROM push_retry LIMIT $2) AS counted) AS retries
        """
}
