-- Things (rule 10): how they stand today, and what was done in time, eaten and thrown away. No titles and no notes.

CREATE TYPE report.thing_state AS ENUM ('done', 'upcoming', 'due', 'overdue', 'fresh', 'expiring', 'expired');
COMMENT ON TYPE report.thing_state IS 'How a thing stands on a day (rule 10.3); the last three are those of food.';

CREATE FUNCTION report.thing_state(kind thing_kind, is_done boolean, days_left integer, warning_days integer)
    RETURNS report.thing_state IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN is_done THEN 'done'::report.thing_state
    WHEN kind = 'food' THEN
        CASE WHEN days_left < 0 THEN 'expired'::report.thing_state WHEN days_left <= warning_days THEN 'expiring' ELSE 'fresh' END
    WHEN days_left > 0 THEN 'upcoming'
    WHEN days_left = 0 THEN 'due'
    ELSE 'overdue'
END;
COMMENT ON FUNCTION report.thing_state(thing_kind, boolean, integer, integer) IS
    'The state of a thing with so many days left (rule 10.3).';

CREATE VIEW report.things AS
SELECT account.lane, account.account_id, thing.id AS thing_id, thing.kind,
    report.thing_state(
        thing.kind, thing.done_on IS NOT NULL, thing.due_on - account.today, owner.expiry_warning_days) AS state,
    thing.due_on, thing.due_on - account.today AS days_left, thing.category IS NOT NULL AS has_category,
    thing.recurrence_every IS NOT NULL AS recurs, thing.completion_count, thing.done_on,
    report.civil_day(thing.created_at, account.time_zone, account.day_end_minute) AS recorded_on
FROM report.account_day AS account
JOIN account AS owner ON owner.lane = account.lane AND owner.id = account.account_id
JOIN thing ON thing.lane = account.lane AND thing.account_id = account.account_id;
COMMENT ON VIEW report.things IS 'The things of each account, open and done, with how they stand today. Deleted ones are left out.';
COMMENT ON COLUMN report.things.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.things.account_id IS 'The account.';
COMMENT ON COLUMN report.things.thing_id IS 'The thing.';
COMMENT ON COLUMN report.things.kind IS 'pickup, return, reminder or food.';
COMMENT ON COLUMN report.things.state IS 'How it stands today in the account''s zone (rule 10.3).';
COMMENT ON COLUMN report.things.due_on IS 'The civil day on which it is due. [day] [ascending]';
COMMENT ON COLUMN report.things.days_left IS 'Days from today to the due day, negative once it has passed.';
COMMENT ON COLUMN report.things.has_category IS 'Whether it is food with a category.';
COMMENT ON COLUMN report.things.recurs IS 'Whether it comes back after it was completed (rule 10.8).';
COMMENT ON COLUMN report.things.completion_count IS 'How often it was completed, those that were undone included.';
COMMENT ON COLUMN report.things.done_on IS 'The civil day for which its completion counts; null while it is open.';
COMMENT ON COLUMN report.things.recorded_on IS 'The civil day on which it was recorded, in the account''s present zone.';

CREATE VIEW report.thing_completion_monthly AS
SELECT completion.lane, completion.account_id, date_trunc('month', completion.completed_on)::date AS month, thing.kind,
    count(*) AS completion_count,
    count(*) FILTER (WHERE completion.completed_on <= completion.due_on) AS in_time_count,
    count(*) FILTER (WHERE completion.outcome = 'eaten') AS eaten_count,
    count(*) FILTER (WHERE completion.outcome = 'thrown_away') AS thrown_away_count
FROM account
JOIN thing_completion AS completion ON completion.lane = account.lane AND completion.account_id = account.id
JOIN thing ON thing.lane = completion.lane AND thing.account_id = completion.account_id AND thing.id = completion.thing_id
WHERE completion.undone_at IS NULL
GROUP BY completion.lane, completion.account_id, date_trunc('month', completion.completed_on), thing.kind;
COMMENT ON VIEW report.thing_completion_monthly IS
    'What each account completed by month and kind: errands done in time, food eaten and thrown away. Completions that were '
    'undone, and those of deleted things, are left out. For the service: service_thing_completion_monthly.';
COMMENT ON COLUMN report.thing_completion_monthly.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.thing_completion_monthly.account_id IS 'The account.';
COMMENT ON COLUMN report.thing_completion_monthly.month IS
    'The first day of the month in which the completions count, in the account''s zone at that time. [day]';
COMMENT ON COLUMN report.thing_completion_monthly.kind IS 'pickup, return, reminder or food.';
COMMENT ON COLUMN report.thing_completion_monthly.completion_count IS 'Completions. [bar]';
COMMENT ON COLUMN report.thing_completion_monthly.in_time_count IS 'Those on the due day or before it.';
COMMENT ON COLUMN report.thing_completion_monthly.eaten_count IS 'Food that was eaten.';
COMMENT ON COLUMN report.thing_completion_monthly.thrown_away_count IS 'Food that was thrown away.';

CREATE VIEW report.service_thing_completion_monthly AS
SELECT month, kind, sum(completion_count)::bigint AS completion_count, sum(in_time_count)::bigint AS in_time_count,
    sum(eaten_count)::bigint AS eaten_count, sum(thrown_away_count)::bigint AS thrown_away_count
FROM report.thing_completion_monthly
GROUP BY month, kind;
COMMENT ON VIEW report.service_thing_completion_monthly IS
    'What all accounts completed by month and kind. Completions that were undone, and those of deleted things, are left out.';
COMMENT ON COLUMN report.service_thing_completion_monthly.month IS
    'The first day of the month in which the completions count, of each account in its own zone. [day]';
COMMENT ON COLUMN report.service_thing_completion_monthly.kind IS 'pickup, return, reminder or food.';
COMMENT ON COLUMN report.service_thing_completion_monthly.completion_count IS 'Completions. [bar]';
COMMENT ON COLUMN report.service_thing_completion_monthly.in_time_count IS 'Those on the due day or before it.';
COMMENT ON COLUMN report.service_thing_completion_monthly.eaten_count IS 'Food that was eaten.';
COMMENT ON COLUMN report.service_thing_completion_monthly.thrown_away_count IS 'Food that was thrown away.';
