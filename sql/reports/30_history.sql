-- What happened to each plant, told by the due dates it had: what set each, and what replaced it. Whether a watering was in
-- time and when a plant withered and revived follows from that alone.

-- Two things at one instant, which only a fixed --now brings about: first what cycle_change holds, then postponements, then
-- waterings. What was recorded on the day it happened needs no zone, so that a zone that changed later moves nothing.
CREATE VIEW report.due_dates AS
SELECT lane, account_id, plant_id, is_archived, is_withered, set_at, set_on, source, watering_number, watered_on, due_on,
    lag(due_on) OVER history AS due_on_before,
    lead(due_on) OVER history AS due_on_after,
    lead(set_on) OVER history AS replaced_on,
    lead(source) OVER history AS replaced_by,
    lead(method) OVER history AS replaced_by_method,
    coalesce(lead(set_on) OVER history, last_on) AS until_on,
    withers_on,
    lead(withers_on) OVER history AS withers_on_after
FROM (
    SELECT plant.lane, plant.account_id, plant.plant_id, plant.is_archived,
        NOT plant.is_archived AND plant.withers_on <= plant.today AS is_withered,
        coalesce(plant.archived_on, plant.today) AS last_on, watering.recorded_at AS set_at,
        CASE WHEN watering.is_backdated THEN report.civil_day(watering.recorded_at, plant.time_zone, plant.day_end_minute)
            ELSE watering.watered_on END AS set_on,
        3 AS place, watering.number, 'watering'::due_source AS source, watering.number AS watering_number,
        watering.watered_on, watering.method, watering.due_on, watering.due_on + 1 AS withers_on
    FROM report.plant_day AS plant JOIN watering USING (lane, plant_id)
    WHERE watering.due_on IS NOT NULL
    UNION ALL
    SELECT plant.lane, plant.account_id, plant.plant_id, plant.is_archived,
        NOT plant.is_archived AND plant.withers_on <= plant.today, coalesce(plant.archived_on, plant.today),
        postponed.postponed_at, postponed.from_due_on, 2, postponed.number, 'postponement', NULL, NULL, NULL, postponed.due_on,
        postponed.due_on + 1
    FROM report.plant_day AS plant JOIN postponement AS postponed USING (lane, plant_id)
    UNION ALL
    SELECT plant.lane, plant.account_id, plant.plant_id, plant.is_archived,
        NOT plant.is_archived AND plant.withers_on <= plant.today, coalesce(plant.archived_on, plant.today),
        changed.changed_at, report.civil_day(changed.changed_at, plant.time_zone, plant.day_end_minute), 1, 0,
        changed.source, NULL, NULL, NULL, changed.due_on, coalesce(changed.withers_on, changed.due_on + 1)
    FROM report.plant_day AS plant JOIN cycle_change AS changed USING (lane, plant_id)
) AS event
WINDOW history AS (PARTITION BY lane, account_id, plant_id ORDER BY set_at, place, number);
COMMENT ON VIEW report.due_dates IS
    'Every due date that every plant had, removed plants too. Waterings older than the latest one set none (rule 3.4).';
COMMENT ON COLUMN report.due_dates.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.due_dates.account_id IS 'The account.';
COMMENT ON COLUMN report.due_dates.plant_id IS 'The plant.';
COMMENT ON COLUMN report.due_dates.is_archived IS 'Whether the plant is removed now.';
COMMENT ON COLUMN report.due_dates.is_withered IS 'Whether the plant lives and is withered today.';
COMMENT ON COLUMN report.due_dates.set_at IS 'The instant at which the due date was set.';
COMMENT ON COLUMN report.due_dates.set_on IS 'The civil day of that instant in the account''s zone. [day]';
COMMENT ON COLUMN report.due_dates.source IS
    'What set it; registration is also the bringing back of a removed plant, and a pause moved what something else had set.';
COMMENT ON COLUMN report.due_dates.watering_number IS 'The watering that set it, 1, 2, 3 ... within the plant; null otherwise.';
COMMENT ON COLUMN report.due_dates.watered_on IS 'The civil day for which that watering was recorded; null otherwise.';
COMMENT ON COLUMN report.due_dates.due_on IS 'The due date: the civil day on which the plant wanted water.';
COMMENT ON COLUMN report.due_dates.due_on_before IS 'The due date that it replaced; null for the first one.';
COMMENT ON COLUMN report.due_dates.due_on_after IS 'The due date that replaced it; null for the present one.';
COMMENT ON COLUMN report.due_dates.replaced_on IS 'The civil day on which it was replaced; null for the present one.';
COMMENT ON COLUMN report.due_dates.replaced_by IS 'What replaced it; null for the present one.';
COMMENT ON COLUMN report.due_dates.replaced_by_method IS 'How contact was made where a watering replaced it; null otherwise.';
COMMENT ON COLUMN report.due_dates.until_on IS
    'The civil day on which it was replaced; for the present one today, or the day on which the plant was removed.';
COMMENT ON COLUMN report.due_dates.withers_on IS
    'The first civil day on which the plant would be withered: the day after the due date, or the first one after a pause.';
COMMENT ON COLUMN report.due_dates.withers_on_after IS 'The same of the due date that replaced it; null for the present one.';

-- The sums of streaks and contact_rhythm are kept, and computed only where something has happened since: see plant_history.
CREATE VIEW report.streaks AS
SELECT lane, account_id, plant_id, removed_at IS NOT NULL AS is_archived,
    (in_time_count + late_count)::bigint AS watered_days,
    in_time_count::bigint AS in_time_count,
    late_count::bigint AS late_count,
    CASE WHEN removed_at IS NOT NULL THEN 0
        WHEN withers_on(due_on, pauses) <= CASE day_end_minute WHEN 0 THEN report.civil_day((SELECT report.present()), time_zone)
            ELSE report.civil_day((SELECT report.present()), time_zone, day_end_minute) END THEN 0
        ELSE unbroken_count END::bigint AS current_streak,
    longest_streak::bigint AS longest_streak
FROM plant_history
WHERE in_time_count + late_count > 0;
COMMENT ON VIEW report.streaks IS
    'Waterings in time, in a row, of every plant that was watered, removed plants too. In time: on or before the due date '
    'that was in force when it was recorded, so that the plant had not withered by the day of the contact. A day counts once, '
    'by its first watering; waterings older than the latest one neither add to a streak nor end it.';
COMMENT ON COLUMN report.streaks.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.streaks.account_id IS 'The account.';
COMMENT ON COLUMN report.streaks.plant_id IS 'The plant.';
COMMENT ON COLUMN report.streaks.is_archived IS 'Whether the plant is removed now.';
COMMENT ON COLUMN report.streaks.watered_days IS
    'Civil days of waterings that were judged: in_time_count and late_count together.';
COMMENT ON COLUMN report.streaks.in_time_count IS 'Days on which it was watered in time, early ones too.';
COMMENT ON COLUMN report.streaks.late_count IS 'Days on which it was watered after it had withered.';
COMMENT ON COLUMN report.streaks.current_streak IS
    'Days watered in time since the last late one; 0 while the plant is withered, and for removed plants. [descending] [bar]';
COMMENT ON COLUMN report.streaks.longest_streak IS 'The most days watered in time, in a row.';

-- A watering may leave a plant withered (rule 3.3): then what follows belongs to the same time of being withered.
CREATE VIEW report.revivals AS
SELECT lane, account_id, plant_id, is_archived, withered_on, replaced_on AS revived_on,
    replaced_by AS revived_by, replaced_by_method AS method, until_on - withered_on + 1 AS days_withered,
    replaced_on IS NULL AND NOT is_archived AS is_withered
FROM (
    SELECT *, max(greatest(withers_on, set_on)) FILTER (WHERE withers AND NOT continues) OVER so_far AS withered_on
    FROM (
        SELECT *, until_on >= withers_on AS withers,
            withers_on <= set_on AND coalesce(lag(until_on >= withers_on) OVER so_far, false) AS continues
        FROM report.due_dates
        WINDOW so_far AS (PARTITION BY lane, account_id, plant_id ORDER BY set_at)
    ) AS due_date
    WINDOW so_far AS (PARTITION BY lane, account_id, plant_id ORDER BY set_at ROWS UNBOUNDED PRECEDING)
) AS due_date
WHERE withers AND (replaced_on IS NULL OR withers_on_after > replaced_on) AND replaced_by IS DISTINCT FROM 'registration';
COMMENT ON VIEW report.revivals IS
    'Every time a plant withered, and how it ended, removed plants too. A time that ended by bringing back a removed plant is '
    'left out: nobody keeps for how long it had been removed.';
COMMENT ON COLUMN report.revivals.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.revivals.account_id IS 'The account.';
COMMENT ON COLUMN report.revivals.plant_id IS 'The plant.';
COMMENT ON COLUMN report.revivals.is_archived IS 'Whether the plant is removed now.';
COMMENT ON COLUMN report.revivals.withered_on IS
    'The first civil day on which it was withered: the day after the due date, the first one after a pause, or a later one on which '
    'that date was set. [day]';
COMMENT ON COLUMN report.revivals.revived_on IS
    'The civil day on which it revived; null while it is withered, and where it was removed withered.';
COMMENT ON COLUMN report.revivals.revived_by IS
    'What revived it: a watering, an edit of the cycle, or a pause that began in the past; null as revived_on.';
COMMENT ON COLUMN report.revivals.method IS 'How contact was made where a watering revived it; null otherwise.';
COMMENT ON COLUMN report.revivals.days_withered IS
    'Civil days on which it was withered, the first and the last included: n when it revived on D+n. So far, while it is '
    'withered. [bar]';
COMMENT ON COLUMN report.revivals.is_withered IS 'Whether it is withered to this day.';

CREATE VIEW report.postponement_habits AS
SELECT lane, account_id, plant_id, is_archived, count(*) AS postponement_count, sum(days) AS postponed_days,
    avg(days)::double precision AS average_days,
    mode() WITHIN GROUP (ORDER BY days) AS usual_days,
    mode() WITHIN GROUP (ORDER BY extract(isodow FROM from_due_on)::integer) AS usual_weekday,
    max(number - chain_number + 1) AS longest_chain,
    count(*) FILTER (WHERE is_kept) AS kept_count,
    max(from_due_on) AS last_postponed_on,
    watering_count
FROM (
    SELECT *, max(number) FILTER (WHERE begins_chain) OVER (PARTITION BY lane, account_id, plant_id ORDER BY number)
        AS chain_number
    FROM (
        -- The dates tell most chains apart, but a watering between two postponements may set the date that the first had set.
        SELECT *, postponed_before IS NULL OR due_on_before <> from_due_on
            OR EXISTS (
                SELECT 1 FROM watering
                WHERE watering.lane = postponed.lane AND watering.plant_id = postponed.plant_id
                    AND watering.recorded_at >= postponed_before AND watering.recorded_at < postponed_at)
            OR EXISTS (
                SELECT 1 FROM cycle_change AS changed
                WHERE changed.lane = postponed.lane AND changed.plant_id = postponed.plant_id
                    AND changed.changed_at > postponed_before AND changed.changed_at <= postponed_at) AS begins_chain
        FROM (
            SELECT plant.lane, plant.account_id, plant.plant_id, plant.is_archived, plant.watering_count,
                postponed.number, postponed.days, postponed.from_due_on, postponed.postponed_at,
                lag(postponed.due_on) OVER so_far AS due_on_before,
                lag(postponed.postponed_at) OVER so_far AS postponed_before,
                EXISTS (
                    SELECT 1 FROM watering
                    WHERE watering.lane = postponed.lane AND watering.plant_id = postponed.plant_id
                        AND watering.watered_on BETWEEN postponed.from_due_on AND postponed.due_on
                        AND watering.recorded_at >= postponed.postponed_at) AS is_kept
            FROM report.plant_day AS plant JOIN postponement AS postponed USING (lane, plant_id)
            WINDOW so_far AS (PARTITION BY plant.lane, plant.account_id, plant.plant_id ORDER BY postponed.number)
        ) AS postponed
    ) AS postponed
) AS postponed
GROUP BY lane, account_id, plant_id, is_archived, watering_count;
COMMENT ON VIEW report.postponement_habits IS
    'How the due dates of each plant were postponed, one row per plant that ever was, removed plants too. By day and for the '
    'service: service_postponement_daily.';
COMMENT ON COLUMN report.postponement_habits.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.postponement_habits.account_id IS 'The account.';
COMMENT ON COLUMN report.postponement_habits.plant_id IS 'The plant.';
COMMENT ON COLUMN report.postponement_habits.is_archived IS 'Whether the plant is removed now.';
COMMENT ON COLUMN report.postponement_habits.postponement_count IS 'Postponements. [descending] [bar]';
COMMENT ON COLUMN report.postponement_habits.postponed_days IS 'By how many days altogether.';
COMMENT ON COLUMN report.postponement_habits.average_days IS 'By how many days on average, 1-7.';
COMMENT ON COLUMN report.postponement_habits.usual_days IS
    'By how many days most often, 1-7; of equally frequent ones the fewest.';
COMMENT ON COLUMN report.postponement_habits.usual_weekday IS
    'On which weekday most often, 1 Monday to 7 Sunday in the account''s zone; of equally frequent ones the first.';
COMMENT ON COLUMN report.postponement_habits.longest_chain IS
    'The most postponements in a row: without a watering or another change of the due date between them.';
COMMENT ON COLUMN report.postponement_habits.kept_count IS
    'Postponements after which the plant was watered from the day of postponing to the new due date: the promise was kept.';
COMMENT ON COLUMN report.postponement_habits.last_postponed_on IS
    'The civil day of the latest one: the due date that it moved, since only D-day can be postponed (rule 6.1). [day]';
COMMENT ON COLUMN report.postponement_habits.watering_count IS 'Waterings of the plant, ever, to compare with.';

CREATE VIEW report.service_postponement_daily AS
SELECT from_due_on AS day, days, count(*) AS postponement_count
FROM postponement
GROUP BY from_due_on, days;
COMMENT ON VIEW report.service_postponement_daily IS
    'Postponements of all accounts per day and number of days. Removed plants count.';
COMMENT ON COLUMN report.service_postponement_daily.day IS
    'The civil day of postponing, of each account in its own zone: the due date that was moved.';
COMMENT ON COLUMN report.service_postponement_daily.days IS 'By how many days, 1-7.';
COMMENT ON COLUMN report.service_postponement_daily.postponement_count IS 'Postponements by that many days. [bar]';

CREATE VIEW report.contact_rhythm AS
SELECT lane, account_id, plant_id, removed_at IS NOT NULL AS is_archived, report.species(cycle_days) AS species, cycle_days,
    gap_count::bigint AS gap_count, median_gap_days, p90_gap_days,
    CASE WHEN gap_count >= 3 THEN least(greatest(floor(median_gap_days + 0.5), 1), 90)::integer END AS suggested_cycle_days
FROM plant_history
WHERE gap_count > 0;
COMMENT ON VIEW report.contact_rhythm IS
    'The asked cycle of each plant against the real gaps between days of contact, removed plants too. Every watering is a '
    'contact, also one recorded later; a day counts once. Plants without two days of contact are left out.';
COMMENT ON COLUMN report.contact_rhythm.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.contact_rhythm.account_id IS 'The account.';
COMMENT ON COLUMN report.contact_rhythm.plant_id IS 'The plant.';
COMMENT ON COLUMN report.contact_rhythm.is_archived IS 'Whether the plant is removed now.';
COMMENT ON COLUMN report.contact_rhythm.species IS 'Decided by the cycle (rule 1.3).';
COMMENT ON COLUMN report.contact_rhythm.cycle_days IS 'The cycle it has now, in days; the gaps may be from times of another one.';
COMMENT ON COLUMN report.contact_rhythm.gap_count IS
    'Gaps from one day of contact to the next. None spans a day on which a removed plant was brought back. [descending] [bar]';
COMMENT ON COLUMN report.contact_rhythm.median_gap_days IS 'The median of the gaps in days, interpolated.';
COMMENT ON COLUMN report.contact_rhythm.p90_gap_days IS 'The 90th percentile of the gaps in days, interpolated.';
COMMENT ON COLUMN report.contact_rhythm.suggested_cycle_days IS
    'The cycle that fits: the median, rounded, from 1 to 90 days; null with fewer than 3 gaps.';
