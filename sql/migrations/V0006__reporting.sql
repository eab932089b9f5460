-- What the reports need beside the tables of the engine: two indexes, and what is kept of the log of pushes by day, so that
-- counting does not read the log again and again, and does not end with it.

CREATE INDEX account_by_id ON account (id);
COMMENT ON INDEX account_by_id IS 'An account whose lane is not given, which the last byte of its id tells.';
-- Waterings lie in the order of time, nearly: the first and last day of each stretch of pages suffice, and cost a command nothing.
CREATE INDEX watering_by_day ON watering USING brin (watered_on) WITH (autosummarize = on);
COMMENT ON INDEX watering_by_day IS 'The waterings of all accounts on some days.';

CREATE TABLE push_day (
    recorded_on date NOT NULL,
    day date NOT NULL,
    kind push_kind NOT NULL,
    outcome push_outcome_kind NOT NULL,
    reason text NOT NULL,
    push_count bigint NOT NULL,
    delay_seconds double precision NOT NULL,
    longest_delay_seconds double precision NOT NULL,
    within_10_seconds_count bigint NOT NULL,
    within_1_minute_count bigint NOT NULL,
    within_10_minutes_count bigint NOT NULL,
    watered_count bigint NOT NULL,
    reviewed_count bigint NOT NULL,
    CONSTRAINT push_day_pkey PRIMARY KEY (recorded_on, day, kind, outcome, reason)
);
COMMENT ON TABLE push_day IS
    'What is kept of a day of the log once all its pushes have ended: counts of the whole service, nothing about anybody.';
COMMENT ON COLUMN push_day.recorded_on IS 'The day of the log, in UTC by the clock of the database.';
COMMENT ON COLUMN push_day.day IS 'The civil day that the pushes were for, of each account in its own zone.';
COMMENT ON COLUMN push_day.kind IS 'What they were.';
COMMENT ON COLUMN push_day.outcome IS 'How they ended.';
COMMENT ON COLUMN push_day.reason IS 'Why.';
COMMENT ON COLUMN push_day.push_count IS 'How many.';
COMMENT ON COLUMN push_day.delay_seconds IS 'The sum of the times from the planned instant to the end.';
COMMENT ON COLUMN push_day.longest_delay_seconds IS 'The longest of them.';
COMMENT ON COLUMN push_day.within_10_seconds_count IS 'Those that ended within 10 seconds of the planned instant.';
COMMENT ON COLUMN push_day.within_1_minute_count IS 'Those that ended within a minute of it.';
COMMENT ON COLUMN push_day.within_10_minutes_count IS 'Those that ended within 10 minutes of it.';
COMMENT ON COLUMN push_day.watered_count IS 'Those that were delivered and after which the plant was watered within 24 hours.';
COMMENT ON COLUMN push_day.reviewed_count IS 'Those of them whose watering had a review when they were counted.';

CREATE FUNCTION count_pushes(since timestamptz, until timestamptz)
    RETURNS SETOF push_day
    -- Views call it for readers who may not see the log. A plan of so many partitions looks dear enough to be compiled, which
    -- would take ten times as long as to run it.
    LANGUAGE sql STABLE SECURITY DEFINER SET jit = off AS $$
    WITH ended AS (
        SELECT job.lane, job.recorded_at, job.plant_id, job.kind, job.subject, job.planned_at,
            coalesce(outcome.outcome, CASE WHEN finish.finished_at IS NOT NULL THEN 'delivered'::push_outcome_kind END) AS outcome,
            coalesce(outcome.reason, CASE WHEN finish.finished_at IS NOT NULL THEN 'sent' END) AS reason,
            coalesce(outcome.finished_at, finish.finished_at) AS finished_at
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
        CROSS JOIN LATERAL (
            SELECT CASE WHEN retry.seq IS NULL AND outcome.seq IS NULL THEN coalesce(receipt.finished_at, (
                SELECT batch.finished_at FROM push_receipt AS batch
                WHERE batch.lane = job.lane AND batch.to_seq >= job.seq AND batch.from_seq <= job.seq AND batch.recorded_at >= until
                LIMIT 1)) END
        ) AS finish (finished_at)
        WHERE job.recorded_at >= since AND job.recorded_at < until
        UNION ALL
        SELECT lane, recorded_at, plant_id, kind, subject, planned_at, outcome, reason, finished_at
        FROM occurrence_outcome
        WHERE recorded_at >= since AND recorded_at < until
    ), dated AS (
        SELECT ended.*,
            -- The zone is needed for reminders alone; without it, of an erased account, they count by UTC.
            CASE ended.kind
                WHEN 'review_missing' THEN (ended.planned_at AT TIME ZONE coalesce(account.time_zone, 'UTC'))::date
                ELSE date '1970-01-01' + ended.subject + (ended.kind = 'withered')::integer END AS day
        FROM ended
        LEFT JOIN plant ON plant.lane = ended.lane AND plant.id = ended.plant_id
        LEFT JOIN account ON account.lane = plant.lane AND account.id = plant.account_id
    ), span AS (
        SELECT min(day) AS first_day, max(day) + 2 AS last_day FROM dated WHERE outcome = 'delivered' AND kind <> 'review_missing'
    ), followed AS (
        SELECT dated.recorded_at, dated.day, dated.kind, dated.outcome, dated.reason,
            extract(epoch FROM dated.finished_at - dated.planned_at)::double precision AS delay_seconds,
            count(watering.number) > 0 AS is_watered,
            coalesce(bool_or(watering.keywords <> '{}' OR watering.memo IS NOT NULL), false) AS is_reviewed
        FROM dated
        LEFT JOIN watering
            ON dated.outcome = 'delivered' AND dated.kind <> 'review_missing'
            AND watering.lane = dated.lane AND watering.plant_id = dated.plant_id AND watering.watered_on >= dated.day
            AND watering.recorded_at >= dated.planned_at AND watering.recorded_at < dated.planned_at + interval '24 hours'
            -- What the lines above imply, for the index. By the days of the pushes: the log goes by another clock than they do.
            AND watering.watered_on BETWEEN (SELECT first_day FROM span) AND (SELECT last_day FROM span)
        GROUP BY dated.lane, dated.plant_id, dated.subject, dated.planned_at, dated.recorded_at, dated.day, dated.kind,
            dated.outcome, dated.reason, dated.finished_at
    )
    SELECT (recorded_at AT TIME ZONE 'UTC')::date AS recorded_on, day, kind, outcome, reason, count(*), sum(delay_seconds),
        max(delay_seconds), count(*) FILTER (WHERE delay_seconds <= 10), count(*) FILTER (WHERE delay_seconds <= 60),
        count(*) FILTER (WHERE delay_seconds <= 600), count(*) FILTER (WHERE is_watered), count(*) FILTER (WHERE is_reviewed)
    FROM followed
    GROUP BY recorded_on, day, kind, outcome, reason
$$;
COMMENT ON FUNCTION count_pushes(timestamptz, timestamptz) IS
    'Counts from the log how the pushes ended that were written to it from one instant on and before another one; without an '
    'outcome those that have not ended.';
REVOKE EXECUTE ON FUNCTION count_pushes(timestamptz, timestamptz) FROM PUBLIC;
DO $$
BEGIN
    EXECUTE format(
        'ALTER FUNCTION count_pushes(timestamptz, timestamptz) SET search_path = %I, pg_temp', current_schema());
END
$$;
