-- Days that end late (rule 13.4): for somebody who goes to bed at 01:30 it is still today at 01:00.

ALTER TABLE account ADD COLUMN day_end_minute smallint NOT NULL DEFAULT 0;
ALTER TABLE account ADD CONSTRAINT account_day_end_minute_range CHECK (day_end_minute BETWEEN 0 AND 240);
COMMENT ON COLUMN account.day_end_minute IS
    'When its days end, in minutes after midnight of its wall clock, 0-240 (rule 13.4).';

-- The last repetition of an alert may ring in the small hours, when the last day has not ended.
ALTER TABLE thing DROP CONSTRAINT thing_wall_minutes_range;
ALTER TABLE thing ADD CONSTRAINT thing_wall_minutes_range CHECK (
    alert_wall_minute BETWEEN -525600 AND 11759 AND reached_alert_wall_minute BETWEEN -525600 AND 11759);

-- MARK: The day of an instant

CREATE FUNCTION wall_clock(instant timestamptz, time_zone text) RETURNS timestamp IMMUTABLE PARALLEL SAFE
-- AT TIME ZONE takes four names of zones for abbreviations, which have no summer time. Zones of the same clock stand for them.
RETURN instant AT TIME ZONE CASE time_zone
    WHEN 'CET' THEN 'Europe/Brussels'
    WHEN 'MET' THEN 'Europe/Brussels'
    WHEN 'EET' THEN 'Europe/Athens'
    WHEN 'WET' THEN 'Atlantic/Canary'
    ELSE time_zone
END;
COMMENT ON FUNCTION wall_clock(timestamptz, text) IS 'What the clocks of an IANA zone show at an instant.';

CREATE OR REPLACE FUNCTION civil_day(instant timestamptz, time_zone text) RETURNS date IMMUTABLE PARALLEL SAFE
RETURN wall_clock(instant, time_zone)::date;

CREATE FUNCTION late_civil_day(instant timestamptz, time_zone text, day_end_minute smallint) RETURNS date
    -- Hardly any account asks for it.
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1 AS $$
DECLARE
    day_end interval := make_interval(mins => day_end_minute);
    day date := (wall_clock(instant, time_zone) - day_end)::date;
    next_day timestamp := day + 1 + day_end;
    -- When the next day begins, by the offset of a day ago. Arithmetic in UTC, because that of timestamptz goes by the session.
    beginning timestamptz := (instant AT TIME ZONE 'UTC' + (
        next_day - wall_clock((instant AT TIME ZONE 'UTC' - interval '1 day') AT TIME ZONE 'UTC', time_zone) - interval '1 day'
    )) AT TIME ZONE 'UTC';
BEGIN
    -- Clocks that go back may show a time before the end of the day once more, when the next day has begun.
    RETURN CASE WHEN beginning <= instant AND wall_clock(beginning, time_zone) = next_day THEN day + 1 ELSE day END;
END
$$;
COMMENT ON FUNCTION late_civil_day(timestamptz, text, smallint) IS
    'The last civil day that has begun at an instant, where days begin so many minutes after midnight of an IANA zone.';

CREATE FUNCTION civil_day(instant timestamptz, time_zone text, day_end_minute smallint) RETURNS date
IMMUTABLE PARALLEL SAFE COST 1
-- Nearly all days end at midnight.
RETURN CASE day_end_minute
    WHEN 0 THEN civil_day(instant, time_zone)
    ELSE late_civil_day(instant, time_zone, day_end_minute)
END;
COMMENT ON FUNCTION civil_day(timestamptz, text, smallint) IS
    'The civil day of an account at an instant, by its IANA zone and the minutes after midnight at which its days end (rule 13.4).';

-- MARK: What counts days

CREATE OR REPLACE VIEW plant_history AS
SELECT plant.lane, plant.account_id, plant.id AS plant_id, account.time_zone, plant.removed_at, plant.cycle_days,
    plant.watering_count, plant.postponement_count, plant.due_on, plant.restored_on, kept.plant_id IS NOT NULL AS is_kept,
    coalesce(kept.in_time_count, computed.in_time_count) AS in_time_count,
    coalesce(kept.late_count, computed.late_count) AS late_count,
    coalesce(kept.unbroken_count, computed.unbroken_count) AS unbroken_count,
    coalesce(kept.longest_streak, computed.longest_streak) AS longest_streak,
    coalesce(kept.gap_count, computed.gap_count) AS gap_count,
    coalesce(kept.median_gap_days, computed.median_gap_days) AS median_gap_days,
    coalesce(kept.p90_gap_days, computed.p90_gap_days) AS p90_gap_days, account.day_end_minute
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
COMMENT ON COLUMN plant_history.day_end_minute IS
    'When the account''s days end, in minutes after midnight of its wall clock, 0-240 (rule 13.4).';

-- As before, but the days of what is no day by itself are those of the account.
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
                    WHEN ended.topic NOT IN ('watering_due', 'birthday', 'withered') THEN civil_day(ended.planned_at, CASE
                        WHEN account.time_zone = ANY (zones) THEN account.time_zone ELSE 'UTC' END,
                        coalesce(account.day_end_minute, 0::smallint))
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

-- MARK: Who may

REVOKE EXECUTE ON FUNCTION wall_clock(timestamptz, text), late_civil_day(timestamptz, text, smallint),
    civil_day(timestamptz, text, smallint) FROM PUBLIC;

-- Replacing a function takes its settings away. Views call these for whoever reads them.
DO $$
BEGIN
    EXECUTE format(
        'ALTER FUNCTION count_pushes(timestamptz, timestamptz) SET search_path = %I, pg_temp', current_schema());
    EXECUTE format(
        'ALTER FUNCTION late_civil_day(timestamptz, text, smallint) SET search_path = %I, pg_temp', current_schema());
END
$$;

-- MARK: What a session for one account sees

-- The columns of a view are those of its table when it was made.
CREATE OR REPLACE VIEW garden.account WITH (security_barrier) AS
SELECT * FROM account
WHERE lane = (SELECT garden.account_lane()) AND id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;
DO $$
BEGIN
    EXECUTE format(
        'COMMENT ON COLUMN garden.account.day_end_minute IS %L',
        (SELECT col_description(attrelid, attnum) FROM pg_attribute
         WHERE attrelid = 'account'::regclass AND attname = 'day_end_minute'));
END
$$;
