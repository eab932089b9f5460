-- What the history of each plant and account amounts to, kept for the reports: reading all waterings of a service for every
-- report took a minute (docs/decisions/0041). Housekeeping keeps it, once an hour.
--
-- A kept row stands for its plant or account only while the counts and dates beside it are those of the present. Otherwise the
-- views plant_history and account_history compute the same anew, for that plant or account alone. So the reports are always
-- true, and kept rows only make them fast: they may be deleted at any time.

CREATE FUNCTION civil_day(instant timestamptz, time_zone text) RETURNS date IMMUTABLE PARALLEL SAFE
-- AT TIME ZONE takes four names of zones for abbreviations, which have no summer time. Zones of the same clock stand for them.
RETURN (instant AT TIME ZONE CASE time_zone
    WHEN 'CET' THEN 'Europe/Brussels'
    WHEN 'MET' THEN 'Europe/Brussels'
    WHEN 'EET' THEN 'Europe/Athens'
    WHEN 'WET' THEN 'Atlantic/Canary'
    ELSE time_zone
END)::date;
COMMENT ON FUNCTION civil_day(timestamptz, text) IS 'The civil day that the clocks of an IANA zone show at an instant.';

---------------------------------------------------------------------------------------------------------------- plants

CREATE TABLE plant_summary (
    lane smallint NOT NULL,
    plant_id uuid NOT NULL,
    watering_count integer NOT NULL,
    postponement_count integer NOT NULL,
    due_on date NOT NULL,
    restored_on date,
    in_time_count integer NOT NULL,
    late_count integer NOT NULL,
    unbroken_count integer NOT NULL,
    longest_streak integer NOT NULL,
    gap_count integer NOT NULL,
    median_gap_days double precision,
    p90_gap_days double precision,
    CONSTRAINT plant_summary_pkey PRIMARY KEY (lane, plant_id),
    CONSTRAINT plant_summary_plant_fkey FOREIGN KEY (lane, plant_id) REFERENCES plant (lane, id) ON DELETE CASCADE
);
COMMENT ON TABLE plant_summary IS
    'What the history of a plant amounted to when housekeeping last looked. It stands for the plant while the counts and days in '
    'it are those of the plant.';
COMMENT ON COLUMN plant_summary.lane IS 'The account''s lane.';
COMMENT ON COLUMN plant_summary.plant_id IS 'The plant.';
COMMENT ON COLUMN plant_summary.watering_count IS 'Its waterings then.';
COMMENT ON COLUMN plant_summary.postponement_count IS 'Its postponements then.';
COMMENT ON COLUMN plant_summary.due_on IS 'Its due date then.';
COMMENT ON COLUMN plant_summary.restored_on IS 'The day on which it had last been brought back then; null when it never was.';
COMMENT ON COLUMN plant_summary.in_time_count IS 'Days on which it was watered in time (report.streaks).';
COMMENT ON COLUMN plant_summary.late_count IS 'Days on which it was watered after it had withered.';
COMMENT ON COLUMN plant_summary.unbroken_count IS 'Days watered in time since the last late one.';
COMMENT ON COLUMN plant_summary.longest_streak IS 'The most days watered in time, in a row.';
COMMENT ON COLUMN plant_summary.gap_count IS 'Gaps from one day of contact to the next (report.contact_rhythm).';
COMMENT ON COLUMN plant_summary.median_gap_days IS 'Their median in days, interpolated; null without gaps.';
COMMENT ON COLUMN plant_summary.p90_gap_days IS 'Their 90th percentile in days, interpolated; null without gaps.';

CREATE VIEW plant_summary_now AS
SELECT plant.lane, plant.id AS plant_id, plant.watering_count, plant.postponement_count, plant.due_on, plant.restored_on,
    streak.in_time_count, streak.late_count, streak.unbroken_count, streak.longest_streak,
    rhythm.gap_count, rhythm.median_gap_days, rhythm.p90_gap_days
FROM plant
-- Its due dates in the order in which they were set, of which two at one instant come only from a fixed --now: first what
-- cycle_change holds, then postponements, then waterings. Of the waterings the first of each day.
CROSS JOIN LATERAL (
    SELECT (count(*) FILTER (WHERE NOT is_late))::integer AS in_time_count,
        (count(*) FILTER (WHERE is_late))::integer AS late_count,
        (coalesce(max(place), 0) - coalesce(max(place) FILTER (WHERE is_late), 0))::integer AS unbroken_count,
        coalesce(max(place - late_place), 0)::integer AS longest_streak
    FROM (
        SELECT *, coalesce(max(place) FILTER (WHERE is_late) OVER (ORDER BY place), 0) AS late_place
        FROM (
            SELECT is_late, row_number() OVER (ORDER BY set_at, number) AS place
            FROM (
                SELECT set_at, number, coalesce(watered_on > due_on_before, false) AS is_late,
                    watered_on IS DISTINCT FROM lag(watered_on) OVER (ORDER BY set_at, number) AS is_first_of_day
                FROM (
                    SELECT *, lag(due_on) OVER (ORDER BY set_at, place, number) AS due_on_before
                    FROM (
                        SELECT watering.recorded_at AS set_at, 3 AS place, watering.number, watering.watered_on,
                            watering.due_on
                        FROM watering
                        WHERE watering.lane = plant.lane AND watering.plant_id = plant.id AND watering.due_on IS NOT NULL
                        UNION ALL
                        SELECT postponed.postponed_at, 2, postponed.number, NULL, postponed.due_on
                        FROM postponement AS postponed
                        WHERE postponed.lane = plant.lane AND postponed.plant_id = plant.id
                        UNION ALL
                        SELECT changed.changed_at, 1, 0, NULL, changed.due_on
                        FROM cycle_change AS changed
                        WHERE changed.lane = plant.lane AND changed.plant_id = plant.id
                    ) AS event
                ) AS due_date
                WHERE watered_on IS NOT NULL
            ) AS watering
            WHERE is_first_of_day
        ) AS judged
    ) AS judged
) AS streak
-- The day on which a removed plant was brought back parts the days before from those after: the time between is no gap.
CROSS JOIN LATERAL (
    SELECT count(*)::integer AS gap_count,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY gap_days) AS median_gap_days,
        percentile_cont(0.9) WITHIN GROUP (ORDER BY gap_days) AS p90_gap_days
    FROM (
        SELECT CASE WHEN is_watering AND lag(is_watering) OVER so_far THEN day - lag(day) OVER so_far END AS gap_days
        FROM (
            SELECT watering.watered_on AS day, true AS is_watering FROM watering
            WHERE watering.lane = plant.lane AND watering.plant_id = plant.id
            UNION ALL
            SELECT changed.due_on - changed.cycle_days, false FROM cycle_change AS changed
            WHERE changed.lane = plant.lane AND changed.plant_id = plant.id AND changed.source = 'registration'
        ) AS event
        WINDOW so_far AS (ORDER BY day, is_watering)
    ) AS contact
    WHERE gap_days > 0
) AS rhythm;
COMMENT ON VIEW plant_summary_now IS
    'The row of plant_summary that each plant would get now. Ask for single plants: all of a large service take minutes.';

CREATE VIEW plant_history AS
SELECT plant.lane, plant.account_id, plant.id AS plant_id, account.time_zone, plant.removed_at, plant.cycle_days,
    plant.watering_count, plant.postponement_count, plant.due_on, plant.restored_on, kept.plant_id IS NOT NULL AS is_kept,
    summary.in_time_count, summary.late_count, summary.unbroken_count, summary.longest_streak,
    summary.gap_count, summary.median_gap_days, summary.p90_gap_days
FROM account
JOIN plant ON plant.lane = account.lane AND plant.account_id = account.id
-- Whatever changes a sum below also changes one of these.
LEFT JOIN plant_summary AS kept
    ON kept.lane = plant.lane AND kept.plant_id = plant.id
    AND kept.watering_count = plant.watering_count AND kept.postponement_count = plant.postponement_count
    AND kept.due_on = plant.due_on AND kept.restored_on IS NOT DISTINCT FROM plant.restored_on
-- One of the two, and nothing is computed where the row is kept.
CROSS JOIN LATERAL (
    SELECT kept.in_time_count, kept.late_count, kept.unbroken_count, kept.longest_streak,
        kept.gap_count, kept.median_gap_days, kept.p90_gap_days
    WHERE kept.plant_id IS NOT NULL
    UNION ALL
    SELECT now.in_time_count, now.late_count, now.unbroken_count, now.longest_streak,
        now.gap_count, now.median_gap_days, now.p90_gap_days
    FROM plant_summary_now AS now
    WHERE kept.plant_id IS NULL AND now.lane = plant.lane AND now.plant_id = plant.id
) AS summary;
COMMENT ON VIEW plant_history IS
    'What the history of every plant amounts to, removed plants too: as it is kept in plant_summary, or computed.';

-------------------------------------------------------------------------------------------------------------- accounts

CREATE TABLE account_summary (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    time_zone text NOT NULL,
    watering_count bigint NOT NULL,
    active_weeks smallint[] NOT NULL,
    CONSTRAINT account_summary_pkey PRIMARY KEY (lane, account_id),
    CONSTRAINT account_summary_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE
);
COMMENT ON TABLE account_summary IS
    'In which weeks an account watered, as of when housekeeping last looked. It stands for the account while zone and waterings '
    'are those of the account.';
COMMENT ON COLUMN account_summary.lane IS 'The account''s lane.';
COMMENT ON COLUMN account_summary.account_id IS 'The account.';
COMMENT ON COLUMN account_summary.time_zone IS 'Its zone then, by which the day on which it was added begins the first week.';
COMMENT ON COLUMN account_summary.watering_count IS 'The waterings of all its plants then.';
COMMENT ON COLUMN account_summary.active_weeks IS
    'Full weeks from the day on which the account was added to those of its days of contact, each week once; the 521st takes all '
    'that follow.';

CREATE VIEW account_summary_now AS
SELECT account.lane, account.id AS account_id, account.time_zone, garden.watering_count, garden.active_weeks
FROM account
CROSS JOIN LATERAL (
    SELECT coalesce(sum(plant.watering_count), 0)::bigint AS watering_count,
        coalesce((
            SELECT array_agg(DISTINCT least(greatest(
                (watering.watered_on - civil_day(account.created_at, account.time_zone)) / 7, 0), 521)::smallint)
            FROM plant JOIN watering ON watering.lane = plant.lane AND watering.plant_id = plant.id
            WHERE plant.lane = account.lane AND plant.account_id = account.id
        ), '{}') AS active_weeks
    FROM plant
    WHERE plant.lane = account.lane AND plant.account_id = account.id
) AS garden;
COMMENT ON VIEW account_summary_now IS
    'The row of account_summary that each account would get now. Ask for single accounts: all of a large service take minutes.';

CREATE VIEW account_history AS
SELECT account.lane, account.id AS account_id, account.time_zone, account.created_at,
    coalesce(garden.watering_count, 0)::bigint AS watering_count, kept.account_id IS NOT NULL AS is_kept,
    CASE WHEN kept.account_id IS NOT NULL THEN kept.active_weeks ELSE (
        SELECT now.active_weeks FROM account_summary_now AS now
        WHERE now.lane = account.lane AND now.account_id = account.id) END AS active_weeks
FROM account
LEFT JOIN (
    SELECT lane, account_id, sum(watering_count) AS watering_count FROM plant GROUP BY lane, account_id
) AS garden ON garden.lane = account.lane AND garden.account_id = account.id
-- Waterings are only ever added, and go only with their plant or account.
LEFT JOIN account_summary AS kept
    ON kept.lane = account.lane AND kept.account_id = account.id
    AND kept.time_zone = account.time_zone AND kept.watering_count = coalesce(garden.watering_count, 0);
COMMENT ON VIEW account_history IS
    'In which weeks every account watered: as it is kept in account_summary, or computed.';

-- The columns of the views have the comments of the table, or those of the account or the plant.
DO $$
DECLARE
    shown record;
BEGIN
    FOR shown IN
        SELECT view.relname, field.attname, coalesce(
            max(col_description(kept.oid, source.attnum)) FILTER (WHERE kept.relname ~ '_summary$'),
            max(col_description(kept.oid, source.attnum)),
            CASE field.attname WHEN 'is_kept' THEN 'Whether the row of the summary is that of the present.' END) AS comment
        FROM pg_class AS view
        JOIN pg_attribute AS field ON field.attrelid = view.oid AND field.attnum > 0
        LEFT JOIN pg_class AS kept ON kept.relnamespace = view.relnamespace AND kept.relname IN (
            split_part(view.relname, '_', 1), split_part(view.relname, '_', 1) || '_summary', 'account')
        LEFT JOIN pg_attribute AS source ON source.attrelid = kept.oid AND source.attname = field.attname
        WHERE view.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'plant'::regclass)
            AND view.relname IN ('plant_summary_now', 'plant_history', 'account_summary_now', 'account_history')
        GROUP BY view.relname, field.attname
    LOOP
        EXECUTE format('COMMENT ON COLUMN %I.%I IS %L', shown.relname, shown.attname, shown.comment);
    END LOOP;
END
$$;

-- For the one program that keeps them at a time.
INSERT INTO engine_lock (name) VALUES ('summarizing');

-- A report of any release may call it in a view, as its reader.
REVOKE EXECUTE ON FUNCTION civil_day(timestamptz, text) FROM PUBLIC;
