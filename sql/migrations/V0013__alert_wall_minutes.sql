-- After its account has moved to another zone, a thing still recognizes the alerts that it has reached (rule 7.5).
-- No constraint ties a minute to its alert: programs of the release before clear an alert and leave the minute.

ALTER TABLE thing ADD COLUMN alert_wall_minute integer;
ALTER TABLE thing ADD COLUMN reached_alert_wall_minute integer;
ALTER TABLE thing ADD CONSTRAINT thing_wall_minutes_range CHECK (
    alert_wall_minute BETWEEN -525600 AND 11519 AND reached_alert_wall_minute BETWEEN -525600 AND 11519);
COMMENT ON COLUMN thing.alert_wall_minute IS
    'What the account''s clocks show at its next alert, in minutes from the start of the due day; null if unknown.';
COMMENT ON COLUMN thing.reached_alert_wall_minute IS
    'What they showed at the alert that was reached; null if unknown, or if the account chose other alerts since.';

-- The columns of a view are those of its table when it was made.
CREATE OR REPLACE VIEW garden.thing WITH (security_barrier) AS
SELECT * FROM thing
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;
DO $$
DECLARE
    field record;
BEGIN
    FOR field IN
        SELECT attname, col_description(attrelid, attnum) AS comment FROM pg_attribute
        WHERE attrelid = 'thing'::regclass AND attname IN ('alert_wall_minute', 'reached_alert_wall_minute')
    LOOP
        EXECUTE format('COMMENT ON COLUMN garden.thing.%I IS %L', field.attname, field.comment);
    END LOOP;
END
$$;
