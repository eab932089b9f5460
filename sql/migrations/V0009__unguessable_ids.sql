-- Ids from which no phone can be told, the day on which a friend was brought back, and phones that change hands.

------------------------------------------------------------------------------------------------------- unguessable ids

COMMENT ON COLUMN plant.id IS 'A random UUID.';
COMMENT ON COLUMN garden.plant.id IS 'A random UUID.';
COMMENT ON COLUMN erasure.id IS 'A random UUID of the proof itself. The account''s own is not kept: the proof leads to nobody.';

-- A friend is found again by account and phone. Those who were removed are few.
CREATE INDEX plant_removed_phone ON plant (lane, phone, account_id) WHERE archived_at IS NOT NULL;
COMMENT ON INDEX plant_removed_phone IS 'Finds friends who were removed by their phones: seeds do not plant them again.';

------------------------------------------------------------------------------------------------- friends who came back

ALTER TABLE plant
    ADD COLUMN restored_on date,
    ADD CONSTRAINT plant_restored_on_range CHECK (restored_on BETWEEN '0001-01-01' AND '9999-12-31');
COMMENT ON COLUMN plant.restored_on IS
    'The day on which it was brought back last after it had been removed (rule 1.8); null when it never was.';

ALTER TABLE import_change
    ADD COLUMN restored_on date,
    ADD CONSTRAINT import_change_restored_on_beside_due CHECK (restored_on IS NULL OR due_on IS NOT NULL),
    ADD CONSTRAINT import_change_restored_on_range CHECK (restored_on BETWEEN '0001-01-01' AND '9999-12-31');
COMMENT ON COLUMN import_change.restored_on IS
    'The day on which a restored plant had been brought back before; null for others, and when it never was.';

CREATE OR REPLACE VIEW garden.plant WITH (security_barrier) AS
SELECT * FROM plant
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;
COMMENT ON COLUMN garden.plant.restored_on IS
    'The day on which it was brought back last after it had been removed (rule 1.8); null when it never was.';

CREATE OR REPLACE VIEW garden.import_change WITH (security_barrier) AS
SELECT * FROM import_change AS change
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.import_batch AS batch WHERE batch.lane = change.lane AND batch.id = change.batch_id)
WITH CASCADED CHECK OPTION;
COMMENT ON COLUMN garden.import_change.restored_on IS
    'The day on which a restored plant had been brought back before; null for others, and when it never was.';

-------------------------------------------------------------------------------------------- phones that change hands

-- Whoever signs in on a phone takes its token along: nobody else's friends are named on it from then on.
DELETE FROM device USING (
    SELECT lane, id, row_number() OVER (PARTITION BY platform, token ORDER BY added_at DESC, id) AS place
    FROM device WHERE platform <> 'webhook'
) AS ranked
WHERE device.lane = ranked.lane AND device.id = ranked.id AND ranked.place > 1;

CREATE TABLE device_token (
    platform device_platform NOT NULL,
    token text NOT NULL,
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    device_id uuid NOT NULL,
    CONSTRAINT device_token_pkey PRIMARY KEY (platform, token),
    CONSTRAINT device_token_of_a_phone CHECK (platform <> 'webhook')
);
CREATE INDEX device_token_by_account ON device_token (lane, account_id);
COMMENT ON TABLE device_token IS
    'Which account a phone belongs to: one at a time. Outside the lanes, as account_email is. Webhooks may belong to several.';
COMMENT ON COLUMN device_token.platform IS 'ios or android.';
COMMENT ON COLUMN device_token.token IS 'The provider''s token.';
COMMENT ON COLUMN device_token.lane IS 'The lane of the account that has the phone.';
COMMENT ON COLUMN device_token.account_id IS 'The account that has the phone.';
COMMENT ON COLUMN device_token.device_id IS 'Its device.';
COMMENT ON INDEX device_token_by_account IS 'The phones of an account.';

INSERT INTO device_token (platform, token, lane, account_id, device_id)
SELECT platform, token, lane, account_id, id FROM device WHERE platform <> 'webhook';

CREATE VIEW garden.device_token WITH (security_barrier) AS
SELECT * FROM device_token
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;
COMMENT ON VIEW garden.device_token IS 'The account''s part of device_token.';
COMMENT ON COLUMN garden.device_token.platform IS 'ios or android.';
COMMENT ON COLUMN garden.device_token.token IS 'The provider''s token.';
COMMENT ON COLUMN garden.device_token.lane IS 'The lane of the account that has the phone.';
COMMENT ON COLUMN garden.device_token.account_id IS 'The account that has the phone.';
COMMENT ON COLUMN garden.device_token.device_id IS 'Its device.';

-- Whoever changes an account's phones holds its row. Beyond that a taker locks one row here and the device that goes with
-- it, in this order, so that two who swap their phones never wait for each other; it holds nothing of the former account.
CREATE FUNCTION take_device_token(owner uuid, wanted_platform device_platform, wanted_token text, new_device uuid)
    RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
    owner_lane smallint := get_byte(uuid_send(owner), 15);
    former device_token;
    kept uuid;
BEGIN
    LOOP
        SELECT * INTO former FROM device_token
        WHERE device_token.platform = wanted_platform AND device_token.token = wanted_token FOR UPDATE;
        EXIT WHEN FOUND;
        INSERT INTO device_token (platform, token, lane, account_id, device_id)
        VALUES (wanted_platform, wanted_token, owner_lane, owner, new_device) ON CONFLICT DO NOTHING;
    END LOOP;
    IF former.account_id <> owner THEN
        DELETE FROM device
        WHERE device.lane = former.lane AND device.account_id = former.account_id AND device.id = former.device_id;
    END IF;
    SELECT device.id INTO kept FROM device
    WHERE device.lane = owner_lane AND device.account_id = owner AND device.platform = wanted_platform
        AND device.token = wanted_token;
    kept := coalesce(kept, new_device);
    UPDATE device_token SET lane = owner_lane, account_id = owner, device_id = kept
    WHERE device_token.platform = wanted_platform AND device_token.token = wanted_token;
    RETURN kept;
END
$$;
REVOKE EXECUTE ON FUNCTION take_device_token(uuid, device_platform, text, uuid) FROM PUBLIC;
COMMENT ON FUNCTION take_device_token(uuid, device_platform, text, uuid) IS
    'Gives an account the phone with a token, whoever had it. The former account''s device is gone. Answers the device under which the account has the phone, or else is to have it.';

CREATE FUNCTION remove_devices(owner uuid, gone uuid[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    owner_lane smallint := get_byte(uuid_send(owner), 15);
    removed bigint;
BEGIN
    DELETE FROM device_token
    WHERE device_token.lane = owner_lane AND device_token.account_id = owner AND device_token.device_id = ANY (gone);
    DELETE FROM device
    WHERE device.lane = owner_lane AND device.account_id = owner AND device.id = ANY (gone);
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END
$$;
REVOKE EXECUTE ON FUNCTION remove_devices(uuid, uuid[]) FROM PUBLIC;
COMMENT ON FUNCTION remove_devices(uuid, uuid[]) IS
    'Removes devices of an account, and lets go of their tokens. Answers how many there were.';

-- The same for a session that acts for one account, which sees no other's rows: under the same names, so that the commands
-- find them in its search path as they find its views.
CREATE FUNCTION garden.take_device_token(owner uuid, wanted_platform device_platform, wanted_token text, new_device uuid)
    RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF owner IS DISTINCT FROM garden.account_id() THEN
        RAISE EXCEPTION 'the session does not act for account %', owner USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN take_device_token(owner, wanted_platform, wanted_token, new_device);
END
$$;
REVOKE EXECUTE ON FUNCTION garden.take_device_token(uuid, device_platform, text, uuid) FROM PUBLIC;
COMMENT ON FUNCTION garden.take_device_token(uuid, device_platform, text, uuid) IS
    'take_device_token for the account that the setting cherish.account names, and for no other.';

CREATE FUNCTION garden.remove_devices(owner uuid, gone uuid[]) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF owner IS DISTINCT FROM garden.account_id() THEN
        RAISE EXCEPTION 'the session does not act for account %', owner USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN remove_devices(owner, gone);
END
$$;
REVOKE EXECUTE ON FUNCTION garden.remove_devices(uuid, uuid[]) FROM PUBLIC;
COMMENT ON FUNCTION garden.remove_devices(uuid, uuid[]) IS
    'remove_devices for the account that the setting cherish.account names, and for no other.';

-- Names are looked up where the tables are, and never among those of whoever calls.
DO $$
DECLARE
    signature text;
BEGIN
    FOREACH signature IN ARRAY ARRAY[
        'take_device_token(uuid, device_platform, text, uuid)', 'remove_devices(uuid, uuid[])',
        'garden.take_device_token(uuid, device_platform, text, uuid)', 'garden.remove_devices(uuid, uuid[])'
    ] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', signature, current_schema());
    END LOOP;
END
$$;
