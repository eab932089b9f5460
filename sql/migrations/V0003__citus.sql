-- What Citus asks of functions over distributed tables (docs/decisions/0043): they are PL/pgSQL and name every table's lane, and
-- no select list is empty. The same counts as before.

CREATE OR REPLACE FUNCTION count_pushes(since timestamptz, until timestamptz)
    RETURNS SETOF push_day
    -- Views call it for readers who may not see the log. JIT is off: a plan over so many partitions looks expensive enough to
    -- be compiled, and compiling it takes ten times as long as running it.
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET jit = off AS $$
DECLARE
    zones text[] := ARRAY (SELECT name FROM pg_timezone_names);
    first_day date;
    last_day date;
BEGIN
    -- Days on which a push of the span may have been answered. The condition on watered_on below needs them for its index.
    SELECT date '1970-01-01' + min(ref), least(date '1970-01-01' + max(ref) + 3, date '9999-12-31')
    INTO first_day, last_day
    FROM (
        SELECT job.ref FROM push_job AS job
        WHERE job.recorded_at >= since AND job.recorded_at < until AND job.topic IN ('watering_due', 'birthday', 'withered')
        UNION ALL
        SELECT unplanned.ref FROM occurrence_outcome AS unplanned
        WHERE unplanned.recorded_at >= since AND unplanned.recorded_at < until
            AND unplanned.topic IN ('watering_due', 'birthday', 'withered')
    ) AS reminder
    WHERE ref BETWEEN -719162 AND 2932896;
    RETURN QUERY
    SELECT (followed.recorded_at AT TIME ZONE 'UTC')::date, followed.day, followed.topic, followed.outcome, followed.reason,
        count(*), sum(delay_seconds), max(delay_seconds), count(*) FILTER (WHERE delay_seconds <= 10),
        count(*) FILTER (WHERE delay_seconds <= 60), count(*) FILTER (WHERE delay_seconds <= 600),
        count(*) FILTER (WHERE is_watered), count(*) FILTER (WHERE is_reviewed)
    FROM (
        SELECT dated.recorded_at, dated.day, dated.topic, dated.outcome, dated.reason,
            extract(epoch FROM dated.finished_at - dated.planned_at)::double precision AS delay_seconds,
            count(watering.number) > 0 AS is_watered,
            coalesce(bool_or(watering.keywords <> '{}' OR watering.memo IS NOT NULL), false) AS is_reviewed
        FROM (
            SELECT ended.*,
                -- The topics whose ref is a day need no zone. Where there is none, because the account was erased or this server
                -- does not know its zone, they count by UTC. What nobody can read counts for the day for which it was planned.
                CASE
                    WHEN ended.topic NOT IN ('watering_due', 'birthday', 'withered') THEN (ended.planned_at AT TIME ZONE CASE
                        WHEN account.time_zone = ANY (zones) THEN account.time_zone ELSE 'UTC' END)::date
                    WHEN ended.ref BETWEEN -719162 AND 2932896
                        -- A plant that was due on the last day that can be written withered on that day.
                        THEN least(date '1970-01-01' + ended.ref + (ended.topic = 'withered')::integer, date '9999-12-31')
                    ELSE (ended.planned_at AT TIME ZONE 'UTC')::date END AS day
            FROM (
                SELECT job.lane, job.recorded_at, job.account_id, job.subject_id, job.topic, job.ref,
                    CASE WHEN job.planned_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
                        THEN job.planned_at ELSE job.recorded_at END AS planned_at,
                    coalesce(outcome.outcome,
                        CASE WHEN retry.seq IS NULL AND coalesce(receipt.finished_at, later.finished_at) IS NOT NULL
                            THEN 'delivered'::push_outcome_kind END) AS outcome,
                    coalesce(outcome.reason,
                        CASE WHEN retry.seq IS NULL AND coalesce(receipt.finished_at, later.finished_at) IS NOT NULL
                            THEN 'sent' END) AS reason,
                    coalesce(outcome.finished_at,
                        CASE WHEN retry.seq IS NULL THEN coalesce(receipt.finished_at, later.finished_at) END) AS finished_at
                FROM push_job AS job
                LEFT JOIN push_outcome AS outcome
                    ON outcome.lane = job.lane AND outcome.recorded_at = job.recorded_at AND outcome.seq = job.seq
                    AND outcome.recorded_at >= since AND outcome.recorded_at < until
                LEFT JOIN push_retry AS retry ON retry.lane = job.lane AND retry.seq = job.seq
                LEFT JOIN (
                    SELECT batch.lane, done.seq, batch.finished_at
                    FROM push_receipt AS batch CROSS JOIN LATERAL generate_series(batch.from_seq, batch.to_seq) AS done (seq)
                    WHERE batch.recorded_at >= since AND batch.recorded_at < until
                ) AS receipt ON receipt.lane = job.lane AND receipt.seq = job.seq
                -- The receipt of a batch lies in the day of its last job, which may be a later one.
                LEFT JOIN LATERAL (
                    SELECT batch.finished_at FROM push_receipt AS batch
                    WHERE batch.lane = job.lane AND receipt.seq IS NULL AND retry.seq IS NULL AND outcome.seq IS NULL
                        AND batch.to_seq >= job.seq AND batch.from_seq <= job.seq AND batch.recorded_at >= until
                    LIMIT 1
                ) AS later ON true
                WHERE job.recorded_at >= since AND job.recorded_at < until
                UNION ALL
                SELECT unplanned.lane, unplanned.recorded_at, unplanned.account_id, unplanned.subject_id, unplanned.topic,
                    unplanned.ref, unplanned.planned_at, unplanned.outcome, unplanned.reason, unplanned.finished_at
                FROM occurrence_outcome AS unplanned
                WHERE unplanned.recorded_at >= since AND unplanned.recorded_at < until
            ) AS ended
            LEFT JOIN account ON account.lane = ended.lane AND account.id = ended.account_id
        ) AS dated
        LEFT JOIN watering
            ON dated.outcome = 'delivered' AND dated.topic IN ('watering_due', 'birthday', 'withered')
            AND watering.lane = dated.lane AND watering.plant_id = dated.subject_id AND watering.watered_on >= dated.day
            AND watering.recorded_at >= dated.planned_at AND watering.recorded_at < dated.planned_at + interval '24 hours'
            AND watering.watered_on BETWEEN first_day AND last_day
        GROUP BY dated.lane, dated.subject_id, dated.ref, dated.planned_at, dated.recorded_at, dated.day, dated.topic,
            dated.outcome, dated.reason, dated.finished_at
    ) AS followed
    GROUP BY 1, 2, 3, 4, 5;
END
$$;

CREATE OR REPLACE FUNCTION delete_tags(lane smallint, account_id uuid, ids uuid[], unless_used boolean) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM tag WHERE tag.lane = $1 AND tag.account_id = $2 AND tag.id = ANY ($3) AND NOT (
        unless_used AND EXISTS (SELECT 1 FROM plant_tag WHERE plant_tag.lane = $1 AND plant_tag.tag_id = tag.id));
END
$$;

-- Replacing a function takes its settings away, and views call this one for whoever reads them.
DO $$
BEGIN
    EXECUTE format(
        'ALTER FUNCTION count_pushes(timestamptz, timestamptz) SET search_path = %I, pg_temp', current_schema());
END
$$;

-- Citus takes no subquery without FROM in a UNION.
CREATE OR REPLACE VIEW plant_history AS
SELECT plant.lane, plant.account_id, plant.id AS plant_id, account.time_zone, plant.removed_at, plant.cycle_days,
    plant.watering_count, plant.postponement_count, plant.due_on, plant.restored_on, kept.plant_id IS NOT NULL AS is_kept,
    coalesce(kept.in_time_count, computed.in_time_count) AS in_time_count,
    coalesce(kept.late_count, computed.late_count) AS late_count,
    coalesce(kept.unbroken_count, computed.unbroken_count) AS unbroken_count,
    coalesce(kept.longest_streak, computed.longest_streak) AS longest_streak,
    coalesce(kept.gap_count, computed.gap_count) AS gap_count,
    coalesce(kept.median_gap_days, computed.median_gap_days) AS median_gap_days,
    coalesce(kept.p90_gap_days, computed.p90_gap_days) AS p90_gap_days
FROM account
JOIN plant ON plant.lane = account.lane AND plant.account_id = account.id
-- Whatever changes a sum below also changes one of these.
LEFT JOIN plant_summary AS kept
    ON kept.lane = plant.lane AND kept.plant_id = plant.id
    AND kept.watering_count = plant.watering_count AND kept.postponement_count = plant.postponement_count
    AND kept.due_on = plant.due_on AND kept.restored_on IS NOT DISTINCT FROM plant.restored_on
-- Nothing is computed where the row is kept.
LEFT JOIN LATERAL (
    SELECT now.* FROM plant_summary_now AS now
    WHERE kept.plant_id IS NULL AND now.lane = plant.lane AND now.plant_id = plant.id
) AS computed ON true;
