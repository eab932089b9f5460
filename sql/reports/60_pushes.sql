-- Pushes. Per account they are told from the log, as long as it is kept; for the service from what push_day keeps of the days
-- that are over, and from the log since then.

-- A job is delivered when the cursor has passed it, unless it has an outcome or a retry of its own: the cursor moves together
-- with the receipt. A receipt lies in the day of its last job: nearly always that of the job, so that one partition is asked
-- before all later ones are. OFFSET 0 fences the subqueries off, for one plan: read the jobs of the account's lane, and for each
-- of its own the one partition that may say how it ended. Otherwise the planner would take lane and account for independent.
CREATE VIEW report.pushes AS
SELECT account.lane, account.id AS account_id, planned.subject_id, planned.topic,
    -- What nobody can read (unreadable_row) counts for the day for which it was planned.
    CASE
        WHEN planned.topic IN ('watering_due', 'birthday', 'withered') AND planned.ref BETWEEN -719162 AND 2932896
            THEN least(date '1970-01-01' + planned.ref + (planned.topic = 'withered')::integer, date '9999-12-31')
        ELSE report.civil_day(planned.planned_at, account.time_zone, account.day_end_minute) END AS day,
    planned.planned_at, planned.outcome, planned.reason, planned.finished_at
FROM account
CROSS JOIN LATERAL (
    SELECT job.subject_id, job.topic, job.ref, job.planned_at, ended.outcome, ended.reason, ended.finished_at
    FROM (
        SELECT job.* FROM push_job AS job
        WHERE job.lane = account.lane AND job.account_id = account.id
        OFFSET 0
    ) AS job
    LEFT JOIN LATERAL (
        SELECT ended.outcome, ended.reason, ended.finished_at FROM push_outcome AS ended
        WHERE ended.lane = job.lane AND ended.recorded_at = job.recorded_at AND ended.seq = job.seq
        UNION ALL
        SELECT 'delivered', 'sent', coalesce((
            SELECT batch.finished_at FROM push_receipt AS batch
            WHERE batch.lane = job.lane AND batch.to_seq >= job.seq
                AND batch.recorded_at >= job.recorded_at AND batch.recorded_at < job.recorded_at + interval '1 hour'
            ORDER BY batch.to_seq LIMIT 1
        ), (
            SELECT batch.finished_at FROM push_receipt AS batch
            WHERE batch.lane = job.lane AND batch.to_seq >= job.seq AND batch.recorded_at >= job.recorded_at
            ORDER BY batch.to_seq LIMIT 1
        ))
        FROM lane_delivery AS delivery
        WHERE delivery.lane = job.lane AND delivery.cursor_seq >= job.seq
            AND NOT EXISTS (SELECT 1 FROM push_retry AS retry WHERE retry.lane = job.lane AND retry.seq = job.seq)
        LIMIT 1
    ) AS ended ON true
    UNION ALL
    SELECT ended.subject_id, ended.topic, ended.ref, ended.planned_at, ended.outcome, ended.reason, ended.finished_at
    FROM occurrence_outcome AS ended
    WHERE ended.lane = account.lane AND ended.account_id = account.id
    OFFSET 0
) AS planned;
COMMENT ON VIEW report.pushes IS
    'Everything that was planned for an account and has been scheduled, for removed plants too, as long as the log is kept. '
    'Ask for accounts by their ids: for all of them it takes hours. Pushes of erased accounts are left out.';
COMMENT ON COLUMN report.pushes.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.pushes.account_id IS 'The account.';
COMMENT ON COLUMN report.pushes.subject_id IS 'What it is about: a plant or a thing.';
COMMENT ON COLUMN report.pushes.topic IS 'Its topic (rules 7.1 and 7.10).';
COMMENT ON COLUMN report.pushes.day IS
    'The civil day it is for in the account''s zone: the due date, the birthday, the day after the due date for withered, and '
    'for review_missing and thing_alert the day of the planned instant in the present zone.';
COMMENT ON COLUMN report.pushes.planned_at IS 'The instant for which it was planned.';
COMMENT ON COLUMN report.pushes.outcome IS 'How it ended (rule 7.8); null while pending.';
COMMENT ON COLUMN report.pushes.reason IS 'Why; null while pending.';
COMMENT ON COLUMN report.pushes.finished_at IS 'When; null while pending.';

CREATE VIEW report.push_outcomes AS
SELECT lane, account_id, day, topic, outcome, reason, count(*) AS push_count,
    avg(extract(epoch FROM finished_at - planned_at))::double precision AS average_delay_seconds,
    max(extract(epoch FROM finished_at - planned_at))::double precision AS longest_delay_seconds
FROM report.pushes
GROUP BY lane, account_id, day, topic, outcome, reason;
COMMENT ON VIEW report.push_outcomes IS
    'How the pushes of an account ended, as long as the log is kept. Ask for accounts by their ids; for the service: '
    'service_push_outcomes.';
COMMENT ON COLUMN report.push_outcomes.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.push_outcomes.account_id IS 'The account.';
COMMENT ON COLUMN report.push_outcomes.day IS 'The civil day they were for in the account''s zone, as in pushes.';
COMMENT ON COLUMN report.push_outcomes.topic IS 'What they were about (rules 7.1 and 7.10).';
COMMENT ON COLUMN report.push_outcomes.outcome IS 'How they ended (rule 7.8); null while pending.';
COMMENT ON COLUMN report.push_outcomes.reason IS 'Why; null while pending.';
COMMENT ON COLUMN report.push_outcomes.push_count IS 'How many. [bar]';
COMMENT ON COLUMN report.push_outcomes.average_delay_seconds IS
    'Seconds from the planned instant to the end, for delivered ones from due to delivered, on average; null while pending.';
COMMENT ON COLUMN report.push_outcomes.longest_delay_seconds IS 'The longest of those times, in seconds; null while pending.';

-- Not on report.pushes: what was delivered stands in two of the four tables, and a session that asks for the first time has to
-- learn every partition of a table that a statement names.
CREATE VIEW report.push_funnel AS
SELECT pushed.lane, pushed.account_id, pushed.day, pushed.topic, count(*) AS pushed_count,
    count(watering.is_reviewed) AS watered_count,
    count(*) FILTER (WHERE watering.is_reviewed) AS reviewed_count
FROM (
    SELECT account.lane, account.id AS account_id, job.subject_id, job.topic, job.planned_at,
        CASE WHEN job.ref BETWEEN -719162 AND 2932896
            THEN least(date '1970-01-01' + job.ref + (job.topic = 'withered')::integer, date '9999-12-31')
            ELSE report.civil_day(job.planned_at, account.time_zone, account.day_end_minute) END AS day
    FROM account
    CROSS JOIN LATERAL (
        SELECT job.* FROM (
            SELECT job.* FROM push_job AS job
            WHERE job.lane = account.lane AND job.account_id = account.id
            OFFSET 0
        ) AS job
        CROSS JOIN LATERAL (
            SELECT ended.outcome FROM push_outcome AS ended
            WHERE ended.lane = job.lane AND ended.recorded_at = job.recorded_at AND ended.seq = job.seq
            UNION ALL
            SELECT 'delivered' FROM lane_delivery AS delivery
            WHERE delivery.lane = job.lane AND delivery.cursor_seq >= job.seq
                AND NOT EXISTS (SELECT 1 FROM push_retry AS retry WHERE retry.lane = job.lane AND retry.seq = job.seq)
            LIMIT 1
        ) AS ended
        WHERE ended.outcome = 'delivered' AND job.topic IN ('watering_due', 'birthday', 'withered')
        OFFSET 0
    ) AS job
) AS pushed
LEFT JOIN LATERAL (
    SELECT bool_or(watering.keywords <> '{}' OR watering.memo IS NOT NULL) AS is_reviewed
    FROM watering
    WHERE watering.lane = pushed.lane AND watering.plant_id = pushed.subject_id AND watering.watered_on >= pushed.day
        AND watering.recorded_at >= pushed.planned_at AND watering.recorded_at < pushed.planned_at + interval '24 hours'
) AS watering ON true
GROUP BY pushed.lane, pushed.account_id, pushed.day, pushed.topic;
COMMENT ON VIEW report.push_funnel IS
    'What the delivered pushes of an account led to: pushed, watered within 24 hours, reviewed. As long as the log is kept. Ask '
    'for accounts by their ids; for the service: service_push_funnel. Reminders of reviews are left out.';
COMMENT ON COLUMN report.push_funnel.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.push_funnel.account_id IS 'The account.';
COMMENT ON COLUMN report.push_funnel.day IS 'The civil day the pushes were for in the account''s zone, as in pushes.';
COMMENT ON COLUMN report.push_funnel.topic IS 'What they were about: watering_due, birthday or withered.';
COMMENT ON COLUMN report.push_funnel.pushed_count IS 'Pushes delivered. [bar]';
COMMENT ON COLUMN report.push_funnel.watered_count IS
    'Those after which the plant was watered: recorded within 24 hours of the planned instant, for that civil day or a later '
    'one.';
COMMENT ON COLUMN report.push_funnel.reviewed_count IS 'Those of them where such a watering has keywords or a memo now.';

-- Days of the log are UTC, by the clock of the database. Those in push_day are not read again.
CREATE VIEW report.push_counts AS
SELECT * FROM push_day
UNION ALL
SELECT * FROM count_pushes(
    coalesce((SELECT max(recorded_on) + 1 FROM push_day), '-infinity')::timestamp AT TIME ZONE 'UTC', 'infinity');
COMMENT ON VIEW report.push_counts IS
    'How the pushes of all accounts ended: kept counts of each day of the log that is over, and what the log tells since then.';
COMMENT ON COLUMN report.push_counts.recorded_on IS 'The day of the log, in UTC by the clock of the database.';
COMMENT ON COLUMN report.push_counts.day IS
    'The civil day they were for, of each account in its own zone, as in pushes; reminders of erased accounts count by UTC. '
    '[day]';
COMMENT ON COLUMN report.push_counts.topic IS 'What they were about (rules 7.1 and 7.10).';
COMMENT ON COLUMN report.push_counts.outcome IS 'How they ended (rule 7.8); null while pending.';
COMMENT ON COLUMN report.push_counts.reason IS 'Why; null while pending.';
COMMENT ON COLUMN report.push_counts.push_count IS 'How many. [bar]';
COMMENT ON COLUMN report.push_counts.delay_seconds IS
    'The sum of the seconds from the planned instant to the end; null while pending.';
COMMENT ON COLUMN report.push_counts.longest_delay_seconds IS 'The longest of those times, in seconds; null while pending.';
COMMENT ON COLUMN report.push_counts.within_10_seconds_count IS 'Those that ended within 10 seconds of the planned instant.';
COMMENT ON COLUMN report.push_counts.within_1_minute_count IS 'Those that ended within a minute of it.';
COMMENT ON COLUMN report.push_counts.within_10_minutes_count IS 'Those that ended within 10 minutes of it.';
COMMENT ON COLUMN report.push_counts.watered_count IS
    'Those that were delivered, no reminders, and after which the plant was watered: recorded within 24 hours of the planned '
    'instant, for that civil day or a later one.';
COMMENT ON COLUMN report.push_counts.reviewed_count IS 'Those of them whose watering had a review when they were counted.';

CREATE VIEW report.service_push_outcomes AS
SELECT day, topic, outcome, reason, sum(push_count)::bigint AS push_count,
    sum(delay_seconds) / sum(push_count)::double precision AS average_delay_seconds,
    max(longest_delay_seconds) AS longest_delay_seconds,
    sum(within_10_seconds_count)::bigint AS within_10_seconds_count,
    sum(within_1_minute_count)::bigint AS within_1_minute_count,
    sum(within_10_minutes_count)::bigint AS within_10_minutes_count
FROM report.push_counts
GROUP BY day, topic, outcome, reason;
COMMENT ON VIEW report.service_push_outcomes IS
    'How the pushes of all accounts ended, erased ones too, and how long it took.';
COMMENT ON COLUMN report.service_push_outcomes.day IS
    'The civil day they were for, of each account in its own zone, as in pushes.';
COMMENT ON COLUMN report.service_push_outcomes.topic IS 'What they were about (rules 7.1 and 7.10).';
COMMENT ON COLUMN report.service_push_outcomes.outcome IS 'How they ended (rule 7.8); null while pending.';
COMMENT ON COLUMN report.service_push_outcomes.reason IS 'Why; null while pending.';
COMMENT ON COLUMN report.service_push_outcomes.push_count IS 'How many. [bar]';
COMMENT ON COLUMN report.service_push_outcomes.average_delay_seconds IS
    'Seconds from the planned instant to the end, for delivered ones from due to delivered, on average; null while pending.';
COMMENT ON COLUMN report.service_push_outcomes.longest_delay_seconds IS
    'The longest of those times, in seconds; null while pending.';
COMMENT ON COLUMN report.service_push_outcomes.within_10_seconds_count IS
    'Those that ended within 10 seconds of the planned instant.';
COMMENT ON COLUMN report.service_push_outcomes.within_1_minute_count IS 'Those that ended within a minute of it.';
COMMENT ON COLUMN report.service_push_outcomes.within_10_minutes_count IS 'Those that ended within 10 minutes of it.';

CREATE VIEW report.service_push_funnel AS
SELECT day, topic, sum(push_count)::bigint AS pushed_count, sum(watered_count)::bigint AS watered_count,
    sum(reviewed_count)::bigint AS reviewed_count
FROM report.push_counts
WHERE outcome = 'delivered' AND topic IN ('watering_due', 'birthday', 'withered')
GROUP BY day, topic;
COMMENT ON VIEW report.service_push_funnel IS
    'What the delivered pushes of all accounts led to: pushed, watered within 24 hours, reviewed. Reminders of reviews are left '
    'out.';
COMMENT ON COLUMN report.service_push_funnel.day IS
    'The civil day the pushes were for, of each account in its own zone, as in pushes.';
COMMENT ON COLUMN report.service_push_funnel.topic IS 'What they were about: watering_due, birthday or withered.';
COMMENT ON COLUMN report.service_push_funnel.pushed_count IS 'Pushes delivered. [bar]';
COMMENT ON COLUMN report.service_push_funnel.watered_count IS
    'Those after which the plant was watered: recorded within 24 hours of the planned instant, for that civil day or a later '
    'one.';
COMMENT ON COLUMN report.service_push_funnel.reviewed_count IS
    'Those of them whose watering had a review when they were counted: now, or a day or two after the push.';
