-- How the engine is doing.

CREATE VIEW report.engine_health AS
SELECT lane.lane, lane.cursor_at AS scheduled_until,
    planned.at AS next_occurrence_at,
    CASE WHEN planned.at <= report.present() THEN planned.at END AS oldest_unscheduled_at,
    coalesce(greatest(extract(epoch FROM report.present() - planned.at), 0), 0)::double precision
        AS scheduling_lag_seconds,
    lane.last_seq - delivery.cursor_seq AS undelivered_count,
    job.recorded_at AS oldest_undelivered_at,
    coalesce(greatest(extract(epoch FROM now() - job.recorded_at), 0), 0)::double precision AS delivery_lag_seconds,
    delivery.leased_by, delivery.leased_until, coalesce(delivery.leased_until <= now(), false) AS is_lease_over,
    delivery.fence,
    coalesce(retry.job_count, 0) AS retry_count, retry.first_retry_at, coalesce(retry.most_attempts, 0) AS most_attempts
FROM lane
JOIN lane_delivery AS delivery ON delivery.lane = lane.lane
LEFT JOIN LATERAL (
    SELECT occurrence.at FROM occurrence
    WHERE occurrence.lane = lane.lane AND occurrence.at >= lane.cursor_at
        AND (occurrence.at, occurrence.subject_id, occurrence.topic, occurrence.ref)
            > (lane.cursor_at, lane.cursor_subject_id, lane.cursor_topic, lane.cursor_ref)
    ORDER BY occurrence.at LIMIT 1
) AS planned ON true
LEFT JOIN LATERAL (
    SELECT push_job.recorded_at FROM push_job
    WHERE lane.last_seq > delivery.cursor_seq AND push_job.lane = lane.lane
        AND push_job.recorded_at >= delivery.cursor_recorded_at
        AND (push_job.recorded_at, push_job.seq) > (delivery.cursor_recorded_at, delivery.cursor_seq)
    ORDER BY push_job.recorded_at, push_job.seq LIMIT 1
) AS job ON true
LEFT JOIN (
    SELECT lane, count(*) AS job_count, min(retry_at) AS first_retry_at, max(attempts) AS most_attempts
    FROM push_retry GROUP BY lane
) AS retry ON retry.lane = lane.lane;
COMMENT ON VIEW report.engine_health IS 'Where each of the 256 lanes stands: lag, leases and retries.';
COMMENT ON COLUMN report.engine_health.lane IS 'The lane, 0-255.';
COMMENT ON COLUMN report.engine_health.scheduled_until IS 'The planned moment of the last occurrence that was scheduled.';
COMMENT ON COLUMN report.engine_health.next_occurrence_at IS
    'The planned moment of the first occurrence that was not scheduled yet.';
COMMENT ON COLUMN report.engine_health.oldest_unscheduled_at IS 'The same, where it has come; empty when nothing waits.';
COMMENT ON COLUMN report.engine_health.scheduling_lag_seconds IS
    'For how long it waits, in seconds; 0 when nothing waits. [descending] [bar]';
COMMENT ON COLUMN report.engine_health.undelivered_count IS 'Jobs behind the delivery''s cursor, without retries.';
COMMENT ON COLUMN report.engine_health.oldest_undelivered_at IS 'When the first of them was written.';
COMMENT ON COLUMN report.engine_health.delivery_lag_seconds IS 'For how long it waits, in seconds; 0 when nothing waits.';
COMMENT ON COLUMN report.engine_health.leased_by IS 'The worker that delivers the lane; empty when nobody does.';
COMMENT ON COLUMN report.engine_health.leased_until IS 'When its lease ends.';
COMMENT ON COLUMN report.engine_health.is_lease_over IS
    'Whether the lease has run out while it is still held: its worker may be gone.';
COMMENT ON COLUMN report.engine_health.fence IS 'How often the lane was leased anew.';
COMMENT ON COLUMN report.engine_health.retry_count IS 'Jobs that are to be tried again.';
COMMENT ON COLUMN report.engine_health.first_retry_at IS 'When the first of them is.';
COMMENT ON COLUMN report.engine_health.most_attempts IS 'The most attempts that any of them has had.';
