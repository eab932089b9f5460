-- Versions (rule 14.1), facts that clients name (rule 14.3), devices that go with their session (rule 12.3), and what a person can
-- say about themselves (rules 12.6 and 12.7).

-- MARK: Versions

ALTER TABLE account ADD COLUMN version bigint NOT NULL DEFAULT 1;
ALTER TABLE account ADD CONSTRAINT account_version_range CHECK (version >= 1);
COMMENT ON COLUMN account.version IS 'Grows with each change of the settings (rule 14.1), from 1.';

ALTER TABLE plant ADD COLUMN version bigint NOT NULL DEFAULT 1;
ALTER TABLE plant ADD CONSTRAINT plant_version_range CHECK (version >= 1);
COMMENT ON COLUMN plant.version IS 'Grows with each command that changes the plant (rule 14.1), from 1.';

ALTER TABLE tag ADD COLUMN version bigint NOT NULL DEFAULT 1;
ALTER TABLE tag ADD CONSTRAINT tag_version_range CHECK (version >= 1);
COMMENT ON COLUMN tag.version IS 'Grows with each change (rule 14.1), from 1.';

-- MARK: Facts

ALTER TABLE watering ADD COLUMN fact_id uuid;
CREATE UNIQUE INDEX watering_by_fact ON watering (lane, plant_id, fact_id) WHERE fact_id IS NOT NULL;
COMMENT ON INDEX watering_by_fact IS 'A fact is recorded once.';
COMMENT ON COLUMN watering.fact_id IS
    'The id that the client made: however often it is sent, it is recorded once (rule 14.3). Null without one.';

ALTER TABLE postponement ADD COLUMN fact_id uuid;
CREATE UNIQUE INDEX postponement_by_fact ON postponement (lane, plant_id, fact_id) WHERE fact_id IS NOT NULL;
COMMENT ON INDEX postponement_by_fact IS 'A fact is recorded once.';
COMMENT ON COLUMN postponement.fact_id IS
    'The id that the client made: however often it is sent, it is recorded once (rule 14.3). Null without one.';

-- MARK: Devices of sessions

ALTER TABLE device ADD COLUMN session_id uuid;
-- Whoever has signed out gets no more pushes, whatever ended the session.
ALTER TABLE device ADD CONSTRAINT device_session_fkey FOREIGN KEY (lane, session_id)
    REFERENCES account_session (lane, id) ON DELETE CASCADE;
CREATE INDEX device_by_session ON device (lane, session_id);
COMMENT ON INDEX device_by_session IS 'Deletes the devices of a session that ends.';
COMMENT ON COLUMN device.session_id IS
    'The session that added it, with which it ends; null for webhooks, and for what an operator added.';

CREATE FUNCTION delete_sessions(owner_lane smallint, owner uuid, gone uuid[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    deleted bigint;
BEGIN
    PERFORM remove_devices(owner, ARRAY (
        SELECT device.id FROM device
        WHERE device.lane = owner_lane AND device.account_id = owner AND device.session_id = ANY (gone)));
    DELETE FROM account_session AS session
    WHERE session.lane = owner_lane AND session.account_id = owner AND session.id = ANY (gone);
    GET DIAGNOSTICS deleted = ROW_COUNT;
    RETURN deleted;
END
$$;
COMMENT ON FUNCTION delete_sessions(smallint, uuid, uuid[]) IS
    'Deletes sessions of an account and their devices, whose tokens become free. Returns how many sessions there were.';

CREATE OR REPLACE FUNCTION begin_session(
    owner_lane smallint, owner uuid, new_id uuid, secret bytea, device text, at timestamptz) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    -- Nobody is signed in on more devices; the one that was unused for longest makes room.
    PERFORM delete_sessions(owner_lane, owner, ARRAY (
        SELECT old.id FROM account_session AS old WHERE old.lane = owner_lane AND old.account_id = owner
        ORDER BY old.used_at DESC, old.id OFFSET 49));
    INSERT INTO account_session (lane, id, account_id, secret_hash, device_name, signed_in_at, used_at)
    VALUES (owner_lane, new_id, owner, secret, device, at, at);
END
$$;

CREATE OR REPLACE FUNCTION end_sessions(owner_lane smallint, owner uuid, ended uuid, kept uuid) RETURNS bigint
    LANGUAGE plpgsql AS $$
BEGIN
    RETURN delete_sessions(owner_lane, owner, ARRAY (
        SELECT session.id FROM account_session AS session
        WHERE session.lane = owner_lane AND session.account_id = owner AND (ended IS NULL OR session.id = ended)
            AND session.id IS DISTINCT FROM kept));
END
$$;

-- MARK: Another e-mail changes the settings

CREATE OR REPLACE FUNCTION change_account_email(lane smallint, account_id uuid, email text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    UPDATE account_email SET email = lower($3) WHERE account_email.lane = $1 AND account_email.account_id = $2;
    IF NOT FOUND THEN
        INSERT INTO account_email (lane, account_id, email) VALUES ($1, $2, lower($3));
    END IF;
    -- Both here, so that no session for one account can give it an e-mail that belongs to somebody else.
    UPDATE account SET email = $3, version = account.version + 1 WHERE account.lane = $1 AND account.id = $2;
    RETURN true;
EXCEPTION
    WHEN unique_violation THEN
        RETURN false;
END
$$;

-- MARK: About oneself

ALTER TABLE account ADD COLUMN postcode text;
ALTER TABLE account ADD CONSTRAINT account_postcode_length CHECK (octet_length(postcode) BETWEEN 1 AND 40);
COMMENT ON COLUMN account.postcode IS 'Where the account lives, for lists of neighbours, 1-10 characters; null when unknown.';

ALTER TABLE account ADD COLUMN appearance jsonb NOT NULL DEFAULT '{}';
ALTER TABLE account ADD CONSTRAINT account_appearance_form CHECK (
    jsonb_typeof(appearance) = 'object' AND octet_length(appearance::text) <= 16384);
COMMENT ON COLUMN account.appearance IS 'An object of up to 8 KiB that apps own and the same on every device (rule 12.6).';

CREATE TABLE account_picture (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    image bytea,
    changed_at timestamptz NOT NULL,
    CONSTRAINT account_picture_pkey PRIMARY KEY (lane, account_id),
    CONSTRAINT account_picture_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT account_picture_length CHECK (octet_length(image) BETWEEN 1 AND 1048576)
);
COMMENT ON TABLE account_picture IS 'The picture of an account (rule 12.7).';
COMMENT ON COLUMN account_picture.lane IS 'The account''s lane.';
COMMENT ON COLUMN account_picture.account_id IS 'The account.';
COMMENT ON COLUMN account_picture.image IS 'A square JPEG of at most 512 pixels, made anew from what was sent, without metadata; null after it was removed.';
COMMENT ON COLUMN account_picture.changed_at IS 'When it was set or removed.';

-- MARK: Leaving

CREATE FUNCTION tables_of_account() RETURNS TABLE (table_name text, link text) LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    VALUES
        ('account', 'id'), ('account_email', 'account_id'), ('account_password', 'account_id'),
        ('account_picture', 'account_id'), ('account_session', 'account_id'), ('verification_code', 'account_id'),
        ('idempotent_request', 'account_id'), ('device', 'account_id'), ('device_token', 'account_id'),
        ('plant', 'account_id'), ('tag', 'account_id'), ('import_batch', 'account_id'), ('sent_push', 'account_id'),
        ('watering', 'plant_id'), ('postponement', 'plant_id'), ('cycle_change', 'plant_id'),
        ('affection_entry', 'plant_id'), ('plant_tag', 'plant_id'), ('import_change', 'batch_id'),
        ('push_device_outcome', 'device_id');
END;
COMMENT ON FUNCTION tables_of_account() IS
    'The tables with rows of one account, and what links them to it: its own id, or those of its plants, imports or devices. '
    'An erasure counts them before and after.';

CREATE OR REPLACE FUNCTION erase_account(owner_lane smallint, owner uuid, proof uuid, at timestamptz)
    RETURNS TABLE (table_name text, before bigint, after bigint) LANGUAGE plpgsql AS $$
DECLARE
    address_of_owner text;
    tables text[] := ARRAY (SELECT linked.table_name FROM tables_of_account() AS linked);
    columns text[] := ARRAY (SELECT linked.link FROM tables_of_account() AS linked);
    owners uuid[] := ARRAY[owner];
    plants uuid[];
    batches uuid[];
    devices uuid[];
    counts bigint[] := '{}';
    planned bigint;
    counted bigint;
BEGIN
    -- Block the lane's receipts, so that none adds a provider's answer between the deletion and the recount. Receipts also lock
    -- this row before the account.
    PERFORM 1 FROM lane_delivery WHERE lane_delivery.lane = owner_lane FOR UPDATE;
    SELECT account.email INTO address_of_owner FROM account WHERE account.lane = owner_lane AND account.id = owner FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    plants := ARRAY (SELECT id FROM plant WHERE plant.lane = owner_lane AND plant.account_id = owner);
    batches := ARRAY (SELECT id FROM import_batch WHERE import_batch.lane = owner_lane AND import_batch.account_id = owner);
    -- Also removed devices to which the log still refers.
    devices := ARRAY (
        SELECT id FROM device WHERE device.lane = owner_lane AND device.account_id = owner
        UNION
        SELECT asked.device_id FROM push_device_outcome AS asked
        JOIN push_job AS job ON job.lane = owner_lane AND job.recorded_at = asked.recorded_at AND job.seq = asked.seq
        WHERE asked.lane = owner_lane AND job.account_id = owner);
    planned := planned_rows(owner_lane, owner);
    FOR index IN 1 .. cardinality(tables) LOOP
        EXECUTE format('SELECT count(*) FROM %I WHERE lane = $1 AND %I = ANY ($2)', tables[index], columns[index])
        INTO counted USING owner_lane, CASE columns[index]
            WHEN 'plant_id' THEN plants WHEN 'batch_id' THEN batches WHEN 'device_id' THEN devices ELSE owners END;
        counts := counts || counted;
    END LOOP;

    DELETE FROM account_email WHERE account_email.email = lower(address_of_owner);
    -- Those from before there was an account name only the e-mail.
    DELETE FROM verification_code AS code WHERE code.account_id = owner OR lower(code.address) = lower(address_of_owner);
    DELETE FROM device_token WHERE device_token.lane = owner_lane AND device_token.account_id = owner;
    -- The account's id, or a device's, would link its plants to one person.
    DELETE FROM sent_push WHERE sent_push.lane = owner_lane AND sent_push.account_id = owner;
    DELETE FROM push_device_outcome AS asked WHERE asked.lane = owner_lane AND asked.device_id = ANY (devices);
    -- These rows remain, because each planned push ends in one outcome (rule 7.8), but name the account no longer.
    UPDATE occurrence SET account_id = '00000000-0000-0000-0000-000000000000'
    WHERE occurrence.lane = owner_lane AND occurrence.account_id = owner;
    UPDATE occurrence_outcome SET account_id = '00000000-0000-0000-0000-000000000000'
    WHERE occurrence_outcome.lane = owner_lane AND occurrence_outcome.account_id = owner;
    UPDATE push_job SET account_id = '00000000-0000-0000-0000-000000000000'
    WHERE push_job.lane = owner_lane AND push_job.account_id = owner;
    -- Foreign keys cascade to plants, waterings, the ledger, devices, passwords and sessions.
    DELETE FROM account WHERE account.lane = owner_lane AND account.id = owner;

    FOR index IN 1 .. cardinality(tables) LOOP
        EXECUTE format('SELECT count(*) FROM %I WHERE lane = $1 AND %I = ANY ($2)', tables[index], columns[index])
        INTO counted USING owner_lane, CASE columns[index]
            WHEN 'plant_id' THEN plants WHEN 'batch_id' THEN batches WHEN 'device_id' THEN devices ELSE owners END;
        RETURN QUERY SELECT tables[index], counts[index], counted;
    END LOOP;
    RETURN QUERY SELECT 'planned', planned, planned_rows(owner_lane, owner);
    INSERT INTO erasure (lane, id, erased_at, plant_count, watering_count, device_count)
    VALUES (
        owner_lane, proof, at, counts[array_position(tables, 'plant')], counts[array_position(tables, 'watering')],
        counts[array_position(tables, 'device')]);
END
$$;

-- MARK: What a session for one account sees and calls

-- The columns of a view are those of its table when it was made.
CREATE OR REPLACE VIEW garden.account WITH (security_barrier) AS
SELECT * FROM account
WHERE lane = (SELECT garden.account_lane()) AND id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE OR REPLACE VIEW garden.device WITH (security_barrier) AS
SELECT * FROM device
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE OR REPLACE VIEW garden.plant WITH (security_barrier) AS
SELECT * FROM plant
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE OR REPLACE VIEW garden.tag WITH (security_barrier) AS
SELECT * FROM tag
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE OR REPLACE VIEW garden.watering WITH (security_barrier) AS
SELECT * FROM watering
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = watering.lane AND plant.id = watering.plant_id)
WITH CASCADED CHECK OPTION;

CREATE OR REPLACE VIEW garden.postponement WITH (security_barrier) AS
SELECT * FROM postponement
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = postponement.lane AND plant.id = postponement.plant_id)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.account_picture WITH (security_barrier) AS
SELECT * FROM account_picture
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;
COMMENT ON VIEW garden.account_picture IS 'The account''s part of account_picture.';

-- Every column has the comment of the column of the same name.
DO $$
DECLARE
    shown record;
BEGIN
    FOR shown IN
        SELECT view.relname, field.attname, col_description(source.oid, field.attnum) AS comment
        FROM pg_class AS view
        JOIN pg_class AS source ON source.relname = view.relname AND source.relnamespace = current_schema()::regnamespace
        JOIN pg_attribute AS field ON field.attrelid = source.oid AND field.attnum > 0 AND NOT field.attisdropped
        WHERE view.relnamespace = 'garden'::regnamespace AND view.relname IN (
            'account', 'device', 'plant', 'tag', 'watering', 'postponement', 'account_picture')
    LOOP
        EXECUTE format('COMMENT ON COLUMN garden.%I.%I IS %L', shown.relname, shown.attname, shown.comment);
    END LOOP;
END
$$;

-- MARK: Privileges and search paths

DO $$
BEGIN
    REVOKE EXECUTE ON FUNCTION delete_sessions(smallint, uuid, uuid[]), tables_of_account() FROM PUBLIC;
    EXECUTE format(
        'ALTER FUNCTION delete_sessions(smallint, uuid, uuid[]) SET search_path = %I, pg_temp', current_schema());
    -- A replaced function keeps its privileges, but not its search path.
    EXECUTE format(
        'ALTER FUNCTION begin_session(smallint, uuid, uuid, bytea, text, timestamptz) SET search_path = %I, pg_temp',
        current_schema());
    EXECUTE format(
        'ALTER FUNCTION end_sessions(smallint, uuid, uuid, uuid) SET search_path = %I, pg_temp', current_schema());
    EXECUTE format(
        'ALTER FUNCTION erase_account(smallint, uuid, uuid, timestamptz) SET search_path = %I, pg_temp', current_schema());
END
$$;
