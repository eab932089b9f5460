-- Whether programs and reports know a zone. It raises where this server's tz database has no such name. PostgreSQL takes texts like
-- ABC+1 for zones, as POSIX writes them, and abbreviations, by a setting of the session. Of the zones that hold digits there will be
-- no new ones; one without a slash may be an abbreviation and is looked up in the whole list, which takes some hundredths of a second.
CREATE FUNCTION is_known_time_zone(name text) RETURNS boolean
    LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN timezone(name, timestamptz 'epoch') IS NOT NULL AND CASE
        WHEN name ~ '[0-9]' THEN name ~ '^(Etc/)?GMT[+-]?0$|^Etc/GMT([+]([1-9]|1[0-2])|-([1-9]|1[0-4]))$|^(EST5EDT|CST6CDT|MST7MDT|PST8PDT)$'
        WHEN name = 'UTC' OR name LIKE '%/%' THEN true
        ELSE EXISTS (SELECT FROM pg_timezone_names WHERE pg_timezone_names.name = is_known_time_zone.name) END;
END
$$;
REVOKE EXECUTE ON FUNCTION is_known_time_zone(text) FROM PUBLIC;
COMMENT ON FUNCTION is_known_time_zone(text) IS 'Whether a text is the name of an IANA zone that this server knows.';

-- What no column may hold, so that no row can keep the engine from reading it: days and instants within the years 1 to 9999,
-- which is what the engine reckons with; numbers within the ranges that it takes; texts no longer than the rules allow; arrays
-- of one dimension without nulls. A row that comes past these all the same ends what it is about and no more (reason
-- unreadable_row); docs/decisions/0029 says how. What partitions and foreign keys hold already is not said again.

--------------------------------------------------------------------------------------------------------------- accounts

ALTER TABLE account
    ADD CONSTRAINT account_email_length CHECK (octet_length(email) <= 254),
    ADD CONSTRAINT account_nickname_length CHECK (octet_length(nickname) <= 1280),
    ADD CONSTRAINT account_time_zone_form CHECK (
        octet_length(time_zone) <= 64 AND time_zone ~ '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z][A-Za-z0-9_+-]*){0,2}$'),
    ADD CONSTRAINT account_created_at_range CHECK (
        created_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'),
    -- Never to be validated: what is not valid is checked for all that is written, and added after the rows when a dump is read
    -- back. A server with an older tz database than the dump's then takes all accounts, where a constraint in the table itself
    -- would lose every one of them for one new zone.
    ADD CONSTRAINT account_time_zone_is_known CHECK (is_known_time_zone(time_zone)) NOT VALID;

ALTER TABLE device
    ADD CONSTRAINT device_secret_form CHECK (secret ~ '^whsec_[A-Za-z0-9+/]{32,86}={0,2}$'),
    ADD CONSTRAINT device_instants_range CHECK (
        added_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND retired_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z');

ALTER TABLE tag
    ADD CONSTRAINT tag_name_length CHECK (octet_length(name) <= 1280),
    -- Lower case may take more bytes.
    ADD CONSTRAINT tag_name_key_length CHECK (octet_length(name_key) BETWEEN 1 AND 2560);

----------------------------------------------------------------------------------------------------------------- plants

ALTER TABLE plant
    ADD CONSTRAINT plant_name_length CHECK (octet_length(name) <= 3200),
    ADD CONSTRAINT plant_nickname_length CHECK (octet_length(nickname) <= 1280),
    ADD CONSTRAINT plant_birthday_year_range CHECK (birthday_year BETWEEN 1 AND 9999),
    ADD CONSTRAINT plant_days_range CHECK (
        planted_on BETWEEN '0001-01-01' AND '9999-12-31' AND due_on BETWEEN '0001-01-01' AND '9999-12-31'
        AND last_watered_on BETWEEN '0001-01-01' AND '9999-12-31' AND birthday_on BETWEEN '0001-01-01' AND '9999-12-31'
        AND passed_birthday_on BETWEEN '0001-01-01' AND '9999-12-31'),
    -- The calendar itself says from when to when it can be planned: by its partitions, with a refusal of its own.
    ADD CONSTRAINT plant_instants_range CHECK (
        created_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'
        AND alarm_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND reminder_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND birthday_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND passed_birthday_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND withered_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND archived_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'),
    ADD CONSTRAINT plant_counts_range CHECK (watering_count <= 999999999 AND postponement_count <= 999999999),
    ADD CONSTRAINT plant_reminder_number_range CHECK (reminder_number BETWEEN 1 AND 999999999),
    ADD CONSTRAINT plant_alarmed_due_dates_are_days CHECK (
        array_ndims(alarmed_due_dates) IS NULL OR CASE WHEN array_ndims(alarmed_due_dates) = 1 THEN
            cardinality(alarmed_due_dates) <= 8 AND array_position(alarmed_due_dates, NULL) IS NULL
            AND '0001-01-01' <= ALL (alarmed_due_dates) AND '9999-12-31' >= ALL (alarmed_due_dates) ELSE false END);

ALTER TABLE watering
    ADD CONSTRAINT watering_number_range CHECK (number <= 999999999),
    ADD CONSTRAINT watering_days_range CHECK (
        watered_on BETWEEN '0001-01-01' AND '9999-12-31' AND due_on BETWEEN '0001-01-01' AND '9999-12-31'),
    ADD CONSTRAINT watering_recorded_at_range CHECK (
        recorded_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'),
    ADD CONSTRAINT watering_keywords_are_words CHECK (
        array_ndims(keywords) IS NULL OR CASE WHEN array_ndims(keywords) = 1 THEN
            array_lower(keywords, 1) = 1 AND array_position(keywords, NULL) IS NULL
            AND octet_length(keywords[1]) BETWEEN 1 AND 320 AND octet_length(keywords[2]) BETWEEN 1 AND 320
            AND octet_length(keywords[3]) BETWEEN 1 AND 320 ELSE false END),
    ADD CONSTRAINT watering_memo_length CHECK (octet_length(memo) <= 6400);

ALTER TABLE postponement
    ADD CONSTRAINT postponement_number_range CHECK (number BETWEEN 1 AND 999999999),
    ADD CONSTRAINT postponement_days_are_finite CHECK (
        from_due_on BETWEEN '0001-01-01' AND '9999-12-31' AND due_on BETWEEN '0001-01-01' AND '9999-12-31'),
    ADD CONSTRAINT postponement_postponed_at_range CHECK (
        postponed_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z');

ALTER TABLE cycle_change
    ADD CONSTRAINT cycle_change_due_on_range CHECK (due_on BETWEEN '0001-01-01' AND '9999-12-31'),
    ADD CONSTRAINT cycle_change_changed_at_range CHECK (
        changed_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z');

ALTER TABLE affection_entry
    ADD CONSTRAINT affection_entry_gained_at_range CHECK (
        gained_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z');

---------------------------------------------------------------------------------------------------------------- imports

ALTER TABLE import_batch
    ADD CONSTRAINT import_batch_instants_range CHECK (
        imported_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND undone_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'),
    ADD CONSTRAINT import_batch_tag_ids_are_ids CHECK (
        array_ndims(tag_ids) IS NULL
        OR CASE WHEN array_ndims(tag_ids) = 1 THEN array_position(tag_ids, NULL) IS NULL ELSE false END);

ALTER TABLE import_change
    ADD CONSTRAINT import_change_names_length CHECK (
        octet_length(name_before) <= 3200 AND octet_length(name_after) <= 3200 AND octet_length(nickname_before) <= 1280),
    ADD CONSTRAINT import_change_birthday_form CHECK (
        birthday ~ '^([0-9]{4}-)?(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$'),
    ADD CONSTRAINT import_change_tag_ids_are_ids CHECK (
        array_ndims(tag_ids) IS NULL
        OR CASE WHEN array_ndims(tag_ids) = 1 THEN array_position(tag_ids, NULL) IS NULL ELSE false END),
    ADD CONSTRAINT import_change_archived_at_range CHECK (
        archived_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'),
    ADD CONSTRAINT import_change_due_on_range CHECK (due_on BETWEEN '0001-01-01' AND '9999-12-31'),
    ADD CONSTRAINT import_change_care_count_limit CHECK (care_count <= 1999999998);

------------------------------------------------------------------------------------------------------ calendar and lanes

-- No range for cursor_subject: the cursor has to pass an occurrence whatever its subject.
ALTER TABLE lane
    ADD CONSTRAINT lane_cursor_at_range CHECK (
        cursor_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'),
    ADD CONSTRAINT lane_last_seq_range CHECK (last_seq BETWEEN 0 AND 4611686018427387903),
    ADD CONSTRAINT lane_last_recorded_at_range CHECK (
        last_recorded_at >= '0001-01-01T00:00:00Z' AND last_recorded_at < '2100-01-01T00:00:00Z');

ALTER TABLE lane_delivery
    ADD CONSTRAINT lane_delivery_cursor_recorded_at_range CHECK (
        cursor_recorded_at >= '0001-01-01T00:00:00Z' AND cursor_recorded_at < '2100-01-01T00:00:00Z'),
    ADD CONSTRAINT lane_delivery_cursor_seq_range CHECK (cursor_seq BETWEEN 0 AND 4611686018427387903),
    ADD CONSTRAINT lane_delivery_fence_range CHECK (fence BETWEEN 0 AND 4611686018427387903),
    ADD CONSTRAINT lane_delivery_leased_until_range CHECK (
        leased_until BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z');

-- The watering's number, else a day of the years 1 to 9999. Here and in push_job, which get most rows, as few comparisons as can be.
ALTER TABLE occurrence
    ADD CONSTRAINT occurrence_lane_range CHECK (lane BETWEEN 0 AND 255),
    ADD CONSTRAINT occurrence_subject_range CHECK (
        CASE WHEN kind = 'review_missing' THEN subject BETWEEN 1 AND 999999999 ELSE subject BETWEEN -719162 AND 2932896 END);

-- It also tells how those ended that came past these constraints.
ALTER TABLE occurrence_outcome
    ADD CONSTRAINT occurrence_outcome_lane_range CHECK (lane BETWEEN 0 AND 255),
    ADD CONSTRAINT occurrence_outcome_subject_range CHECK (
        CASE WHEN kind = 'review_missing' THEN subject BETWEEN 1 AND 999999999 ELSE subject BETWEEN -719162 AND 2932896 END
        OR reason = 'unreadable_row'),
    ADD CONSTRAINT occurrence_outcome_instants_range CHECK (
        planned_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND finished_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z');

ALTER TABLE push_job
    ADD CONSTRAINT push_job_lane_range CHECK (lane BETWEEN 0 AND 255),
    ADD CONSTRAINT push_job_seq_range CHECK (seq BETWEEN 1 AND 4611686018427387903),
    ADD CONSTRAINT push_job_subject_range CHECK (
        CASE WHEN kind = 'review_missing' THEN subject BETWEEN 1 AND 999999999 ELSE subject BETWEEN -719162 AND 2932896 END),
    ADD CONSTRAINT push_job_instants_range CHECK (
        planned_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND expires_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z');

ALTER TABLE push_outcome
    ADD CONSTRAINT push_outcome_lane_range CHECK (lane BETWEEN 0 AND 255),
    ADD CONSTRAINT push_outcome_seq_range CHECK (seq BETWEEN 1 AND 4611686018427387903 OR reason = 'unreadable_row'),
    ADD CONSTRAINT push_outcome_finished_at_range CHECK (
        finished_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z');

ALTER TABLE push_receipt
    ADD CONSTRAINT push_receipt_lane_range CHECK (lane BETWEEN 0 AND 255),
    ADD CONSTRAINT push_receipt_to_seq_range CHECK (to_seq <= 4611686018427387903),
    ADD CONSTRAINT push_receipt_fence_range CHECK (fence BETWEEN 0 AND 4611686018427387903),
    ADD CONSTRAINT push_receipt_finished_at_range CHECK (
        finished_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z');

ALTER TABLE push_retry
    ADD CONSTRAINT push_retry_lane_range CHECK (lane BETWEEN 0 AND 255),
    ADD CONSTRAINT push_retry_seq_range CHECK (seq BETWEEN 1 AND 4611686018427387903),
    ADD CONSTRAINT push_retry_attempts_range CHECK (attempts <= 999999999),
    ADD CONSTRAINT push_retry_instants_range CHECK (
        recorded_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND retry_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z');

ALTER TABLE push_device_outcome
    ADD CONSTRAINT push_device_outcome_lane_range CHECK (lane BETWEEN 0 AND 255),
    ADD CONSTRAINT push_device_outcome_seq_range CHECK (seq BETWEEN 1 AND 4611686018427387903),
    ADD CONSTRAINT push_device_outcome_attempts_range CHECK (attempts <= 999999999),
    ADD CONSTRAINT push_device_outcome_finished_at_range CHECK (
        finished_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z');

ALTER TABLE push_notice
    ADD CONSTRAINT push_notice_lane_range CHECK (lane BETWEEN 0 AND 255),
    ADD CONSTRAINT push_notice_told_on_range CHECK (told_on BETWEEN '0001-01-01' AND '9999-12-31'),
    ADD CONSTRAINT push_notice_plant_ids_are_ids CHECK (
        array_ndims(plant_ids) IS NULL
        OR CASE WHEN array_ndims(plant_ids) = 1 THEN array_position(plant_ids, NULL) IS NULL ELSE false END);

ALTER TABLE push_day
    ADD CONSTRAINT push_day_days_range CHECK (
        recorded_on BETWEEN '0001-01-01' AND '9999-12-31' AND day BETWEEN '0001-01-01' AND '9999-12-31'),
    ADD CONSTRAINT push_day_counts_range CHECK (
        push_count BETWEEN 0 AND 1000000000000 AND within_10_seconds_count BETWEEN 0 AND 1000000000000
        AND within_1_minute_count BETWEEN 0 AND 1000000000000 AND within_10_minutes_count BETWEEN 0 AND 1000000000000
        AND watered_count BETWEEN 0 AND 1000000000000 AND reviewed_count BETWEEN 0 AND 1000000000000),
    -- No number sorts above all others, and is refused with them.
    ADD CONSTRAINT push_day_delays_are_finite CHECK (
        abs(delay_seconds) <= 1e24 AND abs(longest_delay_seconds) <= 1e12);

---------------------------------------------------------------------------------------------------------------- counting

-- As in migration 6, but for what ended as unreadable_row, which must not keep the others from being counted.
CREATE OR REPLACE FUNCTION count_pushes(since timestamptz, until timestamptz)
    RETURNS SETOF push_day
    -- Views call it for readers who may not see the log. A plan of so many partitions looks dear enough to be compiled, which
    -- would take ten times as long as to run it.
    LANGUAGE sql STABLE SECURITY DEFINER SET jit = off AS $$
    WITH ended AS (
        SELECT job.lane, job.recorded_at, job.plant_id, job.kind, job.subject,
            CASE WHEN job.planned_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
                THEN job.planned_at ELSE job.recorded_at END AS planned_at,
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
            -- The zone is needed for reminders alone; without it, of an erased account, or where this server does not know it,
            -- they count by UTC. What nobody can read counts for the day for which it was planned.
            CASE
                WHEN ended.kind = 'review_missing' THEN (ended.planned_at AT TIME ZONE CASE
                    WHEN account.time_zone IN (SELECT name FROM pg_timezone_names) THEN account.time_zone ELSE 'UTC' END)::date
                WHEN ended.subject BETWEEN -719162 AND 2932896
                    -- Withered is what is due on the last day that can be written, on that day.
                    THEN least(date '1970-01-01' + ended.subject + (ended.kind = 'withered')::integer, date '9999-12-31')
                ELSE (ended.planned_at AT TIME ZONE 'UTC')::date END AS day
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
DO $$
BEGIN
    EXECUTE format(
        'ALTER FUNCTION count_pushes(timestamptz, timestamptz) SET search_path = %I, pg_temp', current_schema());
END
$$;

COMMENT ON COLUMN push.reason IS
    'Why it ended so; unreadable_row where a row that it needs holds what no rule allows.';
