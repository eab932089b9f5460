-- Fills a migrated, empty database with the garden on which the reports are measured: accounts x 5 plants x 20 waterings, as
-- a service would have them after five years, and 90 days of pushes. For psql, which knows the variable:
--
--     psql -v accounts=200000 -f Benchmarks/sql/reports-data.sql
--
-- The present is 2027-03-02T00:40Z: SET cherish.now = '2027-03-02T00:40Z'. The same numbers give the same garden. Rows lie in
-- the order of time, as a service writes them. Needs about 12 GB and may take half an hour for 200,000 accounts.

\set ON_ERROR_STOP on
\if :{?accounts} \else \set accounts 200000 \endif
\set plants :accounts * 5
SET client_min_messages = warning;
SET timezone = 'UTC';
SET maintenance_work_mem = '1GB';
SET work_mem = '512MB';
-- Rows are made whole, so that foreign keys need not be looked up one by one.
SET session_replication_role = replica;
SET synchronous_commit = off;

-- A number from 0 on that looks like chance.
CREATE FUNCTION chance(seed bigint, salt integer) RETURNS integer IMMUTABLE PARALLEL SAFE LANGUAGE sql
AS 'SELECT hashint8(seed * 1024 + salt) & 2147483647';

DO $$
BEGIN
    PERFORM make_partition('occurrence', 'month', '2027-03-01'::timestamptz + month * interval '1 month')
    FROM generate_series(0, 4) AS month;
    PERFORM make_log_partitions('2027-03-02'::timestamptz - day * interval '1 day') FROM generate_series(-1, 92) AS day;
END
$$;

\echo accounts and plants
CREATE UNLOGGED TABLE sown AS
SELECT number, (number % 256)::smallint AS lane,
    (substr(md5('account' || number), 1, 30) || lpad(to_hex(number % 256), 2, '0'))::uuid AS id,
    (ARRAY['Asia/Seoul', 'Asia/Tokyo', 'Europe/Berlin', 'Europe/Paris', 'America/New_York', 'America/Chicago',
        'America/Los_Angeles', 'America/Sao_Paulo', 'Australia/Sydney', 'Asia/Kolkata', 'Pacific/Honolulu',
        'Asia/Kathmandu'])[1 + number % 12] AS zone,
    150 + chance(number, 1) % 1750 AS days_known
FROM generate_series(0, :accounts - 1) AS number;
INSERT INTO account
SELECT lane, id, 'someone' || number || '@example.com', '민지' || number % 1000, NULL, zone, 'ko', true, true, false, false,
    '2027-03-01T12:00Z'::timestamptz - days_known * interval '1 day'
FROM sown ORDER BY lane, id;
INSERT INTO account_email SELECT email, lane, id FROM account;

-- The twentieth watering lies up to one and a quarter cycles back, so that some plants are withered.
CREATE UNLOGGED TABLE grown AS
SELECT number, md5('plant' || number)::uuid AS id, lane, account_id, zone, cycle,
    date '2027-03-02' - 20 * cycle - 4 - chance(number, 2) % (cycle * 5 / 4) AS planted_on,
    chance(number, 3) % 100 < 3 AS is_removed,
    CASE WHEN chance(number, 4) % 10 < 6 THEN 540 ELSE 420 + chance(number, 5) % 14 * 60 END AS alarm_minute
FROM (
    SELECT series.number, sown.lane, sown.id AS account_id, sown.zone,
        least((ARRAY[7, 14, 21, 30, 30, 45, 45, 60, 60, 90])[1 + chance(series.number, 6) % 10],
            (sown.days_known - 5) * 4 / 85) AS cycle
    FROM generate_series(0, :plants - 1) AS series (number) JOIN sown ON sown.number = series.number / 5
) AS plant;

-- What a plant is watered at beside its cycle: 0 to 2 days later; after a postponement up to a day more than was promised.
CREATE UNLOGGED TABLE watered AS
SELECT plant.number AS plant_number, plant.id AS plant_id, plant.lane, plant.zone, plant.cycle, watering.number,
    plant.planted_on + watering.number * plant.cycle
        + CASE WHEN watering.number % 10 = 6 AND chance(plant.number, 7) % 5 > 0
            THEN least(chance(plant.number, 13) % 3 + chance(plant.number, 20) % (chance(plant.number, 8) % 5 + 3),
                plant.cycle - 1)
            ELSE chance(plant.number, 8 + watering.number % 10) % 3 END AS watered_on
FROM grown AS plant CROSS JOIN generate_series(1, 20) AS watering (number);

INSERT INTO plant
SELECT plant.lane, plant.id, account_id, '김하나' || plant.number % 1000, '+8210' || 10000000 + plant.number,
    '하나' || plant.number % 1000, NULL, NULL, NULL, plant.cycle, alarm_minute, planted_on, watered_on,
    watered_on + plant.cycle, 'watering', 100, 20, CASE WHEN chance(plant.number, 7) % 5 > 0 THEN 2 ELSE 0 END, true,
    CASE WHEN watered_on + plant.cycle > date '2027-03-02' AND NOT is_removed
        THEN (watered_on + plant.cycle + alarm_minute * interval '1 minute') AT TIME ZONE plant.zone END,
    '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    (planted_on + interval '10 hours') AT TIME ZONE plant.zone,
    CASE WHEN is_removed THEN (watered_on + 1 + interval '12 hours') AT TIME ZONE plant.zone END,
    plant.number % 7 = 0
FROM grown AS plant JOIN watered ON watered.plant_number = plant.number AND watered.number = 20
ORDER BY planted_on;
INSERT INTO cycle_change
SELECT lane, id, (planted_on + interval '10 hours') AT TIME ZONE zone, cycle, planted_on + cycle, 'registration' FROM grown;
INSERT INTO occurrence
SELECT lane, alarm_at, account_id, id, 'watering_due', due_on - date '1970-01-01' FROM plant WHERE alarm_at IS NOT NULL;

\echo waterings, affection, postponements
INSERT INTO watering
SELECT lane, plant_id, number, watered_on,
    (watered_on + interval '10 hours' + chance(plant_number, number) % 600 * interval '1 minute') AT TIME ZONE zone,
    (enum_range(NULL::contact_method))[1 + chance(plant_number, 100 + number) % 6], watered_on + cycle, false,
    CASE WHEN number % 5 IN (1, 3) THEN ARRAY[
        (ARRAY['웃음', '커피', '산책', '비', '가족', '일', '건강', '추억', '여행', '영화'])[1 + chance(plant_number, 200 + number) % 10],
        '말' || chance(plant_number, 300 + number) % 500] ELSE '{}' END,
    CASE WHEN number % 5 = 1 THEN '오랜만에 목소리를 들으니 좋았다' END, number % 5 = 2
FROM watered ORDER BY watered_on;
INSERT INTO affection_entry
SELECT lane, plant_id, entry.number, entry.reason::affection_reason, entry.points,
    (watered_on + interval '21 hours') AT TIME ZONE zone
FROM watered JOIN (VALUES
    (1, 'contact', 8), (1, 'keywords', 8), (1, 'memo', 8), (2, 'contact', 8), (3, 'contact', 8), (3, 'keywords', 8),
    (4, 'contact', 8), (5, 'contact', 8), (6, 'contact', 8), (6, 'keywords', 8), (6, 'memo', 8), (7, 'contact', 8),
    (8, 'contact', 4)) AS entry (number, reason, points) USING (number)
ORDER BY watered_on;
INSERT INTO postponement
SELECT lane, plant_id, number / 10 + 1, (watered_on + cycle + interval '9 hours') AT TIME ZONE zone, watered_on + cycle,
    1 + chance(plant_number, 8) % 5, watered_on + cycle + 1 + chance(plant_number, 8) % 5
FROM watered WHERE number % 10 = 5 AND chance(plant_number, 7) % 5 > 0 ORDER BY watered_on;

\echo pushes
-- What was planned within 90 days: an alarm for each due date, and a reminder of each watering without a review.
CREATE UNLOGGED TABLE planned AS
SELECT lane, account_id, subject_id, topic, ref, planned_at, ending,
    row_number() OVER (PARTITION BY lane ORDER BY planned_at, subject_id) AS place
FROM (
    SELECT plant.lane, plant.account_id, plant.id AS subject_id, 'watering_due'::topic AS topic,
        (watered.watered_on + plant.cycle) - date '1970-01-01' AS ref,
        (watered.watered_on + plant.cycle + plant.alarm_minute * interval '1 minute') AT TIME ZONE plant.zone AS planned_at,
        CASE WHEN next.watered_on < watered.watered_on + plant.cycle THEN 1000
            ELSE chance(plant.number, 400 + watered.number) % 1000 END AS ending
    FROM grown AS plant
    JOIN watered ON watered.plant_number = plant.number
    LEFT JOIN watered AS next ON next.plant_number = plant.number AND next.number = watered.number + 1
    WHERE watered.watered_on + plant.cycle BETWEEN date '2026-12-03' AND date '2027-03-02' AND NOT plant.is_removed
    UNION ALL
    SELECT watering.lane, plant.account_id, plant.id, 'review_missing', watering.number,
        watering.recorded_at + interval '30 minutes', chance(hashtext(plant.id::text), watering.number) % 1000
    FROM watering JOIN grown AS plant ON plant.id = watering.plant_id
    WHERE recorded_at >= '2026-12-03' AND keywords = '{}' AND NOT is_review_declined
) AS planned
WHERE planned_at < '2027-03-02T00:40Z';
-- Of a thousand: 940 go out at once, 20 after a retry, 10 are dead, 25 suppressed, 5 expired; 1000 was watered before.
INSERT INTO occurrence_outcome
SELECT lane, account_id, subject_id, planned_at, topic, ref,
    CASE WHEN ending = 1000 THEN 'superseded' WHEN ending >= 995 THEN 'expired' ELSE 'suppressed' END::push_outcome_kind,
    CASE WHEN ending = 1000 THEN 'watered' WHEN ending >= 995 THEN 'too_late' ELSE 'plant_pushes_off' END,
    planned_at + interval '1 second', planned_at + interval '1 second'
FROM planned WHERE ending >= 970;
CREATE UNLOGGED TABLE job AS
SELECT lane, account_id, subject_id, topic, ref, planned_at, planned_at + interval '1 second' AS recorded_at, ending,
    row_number() OVER (PARTITION BY lane ORDER BY planned_at, place) AS seq
FROM planned WHERE ending < 970;
INSERT INTO push_job
SELECT lane, recorded_at, seq, account_id, subject_id, topic, ref, planned_at, planned_at + interval '12 hours' FROM job
ORDER BY recorded_at, lane, seq;
INSERT INTO push_receipt
SELECT lane, max(seq), recorded_at, min(seq), 1, 'worker', recorded_at + (1 + lane % 5) * interval '1 second'
FROM job GROUP BY lane, recorded_at ORDER BY recorded_at, lane;
INSERT INTO push_outcome
SELECT lane, recorded_at, seq, CASE WHEN ending >= 960 THEN 'dead' ELSE 'delivered' END::push_outcome_kind,
    CASE WHEN ending >= 960 THEN 'attempts_exhausted' ELSE 'sent_after_retry' END, recorded_at + interval '1 minute'
FROM job WHERE ending >= 940 ORDER BY recorded_at, lane, seq;
UPDATE lane SET cursor_at = '2027-03-02T00:40Z', last_seq = newest.seq, last_recorded_at = newest.recorded_at
FROM (SELECT DISTINCT ON (lane) lane, seq, recorded_at FROM job ORDER BY lane, seq DESC) AS newest
WHERE newest.lane = lane.lane;
UPDATE lane_delivery AS delivery SET cursor_seq = receipt.to_seq, cursor_recorded_at = receipt.recorded_at
FROM (SELECT DISTINCT ON (lane) lane, to_seq, recorded_at FROM push_receipt ORDER BY lane, to_seq DESC) AS receipt
WHERE receipt.lane = delivery.lane;

DROP TABLE sown, grown, watered, planned, job;
DROP FUNCTION chance(bigint, integer);
\echo statistics
VACUUM (ANALYZE);

\echo counts and indexes of the days that are over
-- As housekeeping does: the day before and today are still told from the log.
DO $$
BEGIN
    FOR days_ago IN REVERSE 90..2 LOOP
        INSERT INTO push_day
        SELECT * FROM count_pushes(
            '2027-03-02'::timestamptz - days_ago * interval '1 day', '2027-03-02'::timestamptz - (days_ago - 1) * interval '1 day');
        PERFORM index_day('push_job_' || to_char('2027-03-02'::timestamptz - days_ago * interval '1 day', 'YYYYMMDD'));
    END LOOP;
END
$$;
VACUUM (ANALYZE) push_day;

\echo summaries of histories
-- As housekeeping does.
INSERT INTO plant_summary
SELECT lane, plant_id, watering_count, postponement_count, due_on, restored_on, in_time_count, late_count, unbroken_count,
    longest_streak, gap_count, median_gap_days, p90_gap_days
FROM plant_history WHERE NOT is_kept ORDER BY lane, plant_id;
INSERT INTO account_summary
SELECT lane, account_id, time_zone, watering_count, active_weeks FROM account_history WHERE NOT is_kept ORDER BY lane, account_id;
VACUUM (ANALYZE) plant_summary;
VACUUM (ANALYZE) account_summary;
