-- Row-level security by account: the schema garden shows each table that holds an account's rows, limited to the one account
-- that the setting cherish.account names. The role cherish_account (cherish database roles) may use these views and none of
-- the tables; docs/decisions/0024 says why they are views. Without the setting there are no rows, and none can be written.
-- A migration that adds a column to a table replaces its view; one that drops a column drops the view first.

CREATE SCHEMA garden;
COMMENT ON SCHEMA garden IS
    'The rows of one account, named by the setting cherish.account: what a session sees and changes that acts for it.';

CREATE FUNCTION garden.account_id() RETURNS uuid STABLE PARALLEL SAFE
RETURN nullif(current_setting('cherish.account', true), '')::uuid;
COMMENT ON FUNCTION garden.account_id() IS 'The account that the setting cherish.account names; null without one.';

CREATE FUNCTION garden.account_lane() RETURNS smallint STABLE PARALLEL SAFE
RETURN get_byte(uuid_send(garden.account_id()), 15)::smallint;
COMMENT ON FUNCTION garden.account_lane() IS 'The lane of that account; null without one.';

-- A barrier keeps functions of whoever asks from seeing rows before they are left out, and the check option keeps rows from
-- being written that would not be seen.
CREATE VIEW garden.account WITH (security_barrier) AS
SELECT * FROM account
WHERE lane = (SELECT garden.account_lane()) AND id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.account_email WITH (security_barrier) AS
SELECT * FROM account_email
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.device WITH (security_barrier) AS
SELECT * FROM device
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.plant WITH (security_barrier) AS
SELECT * FROM plant
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.tag WITH (security_barrier) AS
SELECT * FROM tag
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.import_batch WITH (security_barrier) AS
SELECT * FROM import_batch
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.push_notice WITH (security_barrier) AS
SELECT * FROM push_notice
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.import_change WITH (security_barrier) AS
SELECT * FROM import_change AS change
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.import_batch AS batch WHERE batch.lane = change.lane AND batch.id = change.batch_id)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.plant_tag WITH (security_barrier) AS
SELECT * FROM plant_tag AS tagging
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = tagging.lane AND plant.id = tagging.plant_id)
    AND EXISTS (SELECT FROM garden.tag AS tag WHERE tag.lane = tagging.lane AND tag.id = tagging.tag_id)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.watering WITH (security_barrier) AS
SELECT * FROM watering
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = watering.lane AND plant.id = watering.plant_id)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.postponement WITH (security_barrier) AS
SELECT * FROM postponement
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = postponement.lane AND plant.id = postponement.plant_id)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.cycle_change WITH (security_barrier) AS
SELECT * FROM cycle_change
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = cycle_change.lane AND plant.id = cycle_change.plant_id)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.affection_entry WITH (security_barrier) AS
SELECT * FROM affection_entry AS entry
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = entry.lane AND plant.id = entry.plant_id)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.occurrence WITH (security_barrier) AS
SELECT * FROM occurrence
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = occurrence.lane AND plant.id = occurrence.plant_id)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.occurrence_outcome WITH (security_barrier) AS
SELECT * FROM occurrence_outcome AS ended
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = ended.lane AND plant.id = ended.plant_id)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.push_job WITH (security_barrier) AS
SELECT * FROM push_job AS job
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = job.lane AND plant.id = job.plant_id)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.push_outcome WITH (security_barrier) AS
SELECT * FROM push_outcome AS ended
WHERE lane = (SELECT garden.account_lane()) AND EXISTS (
    SELECT FROM garden.push_job AS job
    WHERE job.lane = ended.lane AND job.recorded_at = ended.recorded_at AND job.seq = ended.seq)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.push_retry WITH (security_barrier) AS
SELECT * FROM push_retry AS retry
WHERE lane = (SELECT garden.account_lane()) AND EXISTS (
    SELECT FROM garden.push_job AS job
    WHERE job.lane = retry.lane AND job.recorded_at = retry.recorded_at AND job.seq = retry.seq)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.push_device_outcome WITH (security_barrier) AS
SELECT * FROM push_device_outcome AS told
WHERE lane = (SELECT garden.account_lane()) AND EXISTS (
    SELECT FROM garden.push_job AS job
    WHERE job.lane = told.lane AND job.recorded_at = told.recorded_at AND job.seq = told.seq)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.push WITH (security_barrier) AS
SELECT * FROM push
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = push.lane AND plant.id = push.plant_id);

-- The lane itself is nobody's; a command locks its row, and sees how far the calendar was walked.
CREATE VIEW garden.lane WITH (security_barrier) AS
SELECT * FROM lane WHERE lane = (SELECT garden.account_lane())
WITH CASCADED CHECK OPTION;

-- Every view and column is that of the table or view of the same name.
DO $$
DECLARE
    shown record;
BEGIN
    FOR shown IN
        SELECT view.relname, quote_literal('The account''s part of ' || view.relname || '.') AS comment
        FROM pg_class AS view WHERE view.relnamespace = 'garden'::regnamespace AND view.relkind = 'v'
    LOOP
        EXECUTE format('COMMENT ON VIEW garden.%I IS %s', shown.relname, shown.comment);
    END LOOP;
    FOR shown IN
        SELECT view.relname, field.attname, col_description(source.oid, field.attnum) AS comment
        FROM pg_class AS view
        JOIN pg_class AS source ON source.relname = view.relname AND source.relnamespace = current_schema()::regnamespace
        JOIN pg_attribute AS field ON field.attrelid = source.oid AND field.attnum > 0 AND NOT field.attisdropped
        WHERE view.relnamespace = 'garden'::regnamespace AND view.relkind = 'v'
    LOOP
        EXECUTE format('COMMENT ON COLUMN garden.%I.%I IS %L', shown.relname, shown.attname, shown.comment);
    END LOOP;
END
$$;
