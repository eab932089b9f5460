-- Browsers that subscribe to Web Push: devices with keys of their own, with which their pushes are encrypted (RFC 8291).

ALTER TYPE device_platform ADD VALUE 'web';

ALTER TABLE device ADD COLUMN p256dh bytea;
ALTER TABLE device ADD COLUMN auth bytea;
-- By the label, because no value can be used in the transaction that adds it.
ALTER TABLE device ADD CONSTRAINT device_keys_are_for_browsers CHECK (
    (p256dh IS NOT NULL) = (platform::text = 'web') AND (auth IS NOT NULL) = (platform::text = 'web'));
ALTER TABLE device ADD CONSTRAINT device_p256dh_form CHECK (octet_length(p256dh) = 65 AND get_byte(p256dh, 0) = 4);
ALTER TABLE device ADD CONSTRAINT device_auth_length CHECK (octet_length(auth) = 16);
COMMENT ON COLUMN device.token IS
    'The provider''s token, the URL of a webhook, or the endpoint of a browser''s subscription.';
COMMENT ON COLUMN device.p256dh IS 'A browser''s public key, an uncompressed point on P-256; null for other platforms.';
COMMENT ON COLUMN device.auth IS 'A browser''s secret, 16 bytes; null for other platforms.';

COMMENT ON TABLE device_token IS
    'Which account a phone or a browser belongs to: one at a time, outside the lanes. A webhook may belong to several accounts.';
COMMENT ON COLUMN device_token.platform IS 'ios, android or web.';
COMMENT ON COLUMN device_token.token IS 'The provider''s token, or the endpoint of a browser''s subscription.';

-- MARK: What a notification offers

CREATE TABLE push_action (
    lane smallint NOT NULL,
    token_hash bytea NOT NULL,
    account_id uuid NOT NULL,
    device_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    topic topic NOT NULL,
    ref bigint NOT NULL,
    action text NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT push_action_pkey PRIMARY KEY (lane, token_hash),
    CONSTRAINT push_action_device_fkey FOREIGN KEY (lane, device_id) REFERENCES device (lane, id) ON DELETE CASCADE,
    CONSTRAINT push_action_token_form CHECK (octet_length(token_hash) = 32),
    CONSTRAINT push_action_action_length CHECK (octet_length(action) BETWEEN 1 AND 40)
);
CREATE INDEX push_action_by_device ON push_action (lane, device_id);
COMMENT ON INDEX push_action_by_device IS 'Finds what goes with a device.';
CREATE INDEX push_action_by_expiry ON push_action (lane, expires_at);
COMMENT ON INDEX push_action_by_expiry IS 'Finds what is over.';
COMMENT ON TABLE push_action IS
    'What somebody may do from a notification on a browser without opening a page: once, by a token. It goes with its device, and so with '
    'the session that added that.';
COMMENT ON COLUMN push_action.lane IS 'The account''s lane.';
COMMENT ON COLUMN push_action.token_hash IS 'SHA-256 of the 256 random bits of the token.';
COMMENT ON COLUMN push_action.account_id IS 'The account.';
COMMENT ON COLUMN push_action.device_id IS 'The browser that was given the token.';
COMMENT ON COLUMN push_action.subject_id IS 'What the push was about.';
COMMENT ON COLUMN push_action.topic IS 'What the push was about it.';
COMMENT ON COLUMN push_action.ref IS 'Tells the push apart, as in occurrence: the due date of a plant.';
COMMENT ON COLUMN push_action.action IS 'What it does, such as later.';
COMMENT ON COLUMN push_action.expires_at IS 'When the push, and what it offers, is over.';

CREATE FUNCTION use_push_action(wanted_lane smallint, hash bytea, at timestamptz)
    RETURNS TABLE (account_id uuid, subject_id uuid, topic topic, ref bigint, action text) LANGUAGE plpgsql AS $$
DECLARE
    found push_action;
BEGIN
    DELETE FROM push_action AS action WHERE action.lane = wanted_lane AND action.token_hash = hash RETURNING * INTO found;
    IF found.expires_at > at AND EXISTS (
        SELECT 1 FROM device WHERE device.lane = wanted_lane AND device.id = found.device_id AND device.retired_at IS NULL)
    THEN
        RETURN QUERY SELECT found.account_id, found.subject_id, found.topic, found.ref, found.action;
    END IF;
END
$$;
COMMENT ON FUNCTION use_push_action(smallint, bytea, timestamptz) IS
    'What a token of a notification allows, to whoever has its hash; no row if it was used, is over, or its device is gone.';

-- MARK: Tokens that are replaced

CREATE FUNCTION renew_token(wanted_lane smallint, wanted_id uuid, secret bytea, new_secret bytea, at timestamptz)
    RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
    owner uuid;
BEGIN
    UPDATE account_session AS session SET secret_hash = new_secret, used_at = greatest(session.used_at, at)
    WHERE session.lane = wanted_lane AND session.id = wanted_id AND session.secret_hash = secret
        AND session.used_at >= at - interval '180 days'
    RETURNING session.account_id INTO owner;
    RETURN owner;
END
$$;
COMMENT ON FUNCTION renew_token(smallint, uuid, bytea, bytea, timestamptz) IS
    'Gives a session another token, so that the one before is worth nothing, and returns the account; null if there is no such session.';

-- MARK: Leaving

CREATE OR REPLACE FUNCTION tables_of_account() RETURNS TABLE (table_name text, link text) LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    VALUES
        ('account', 'id'), ('account_email', 'account_id'), ('account_identity', 'account_id'),
        ('account_password', 'account_id'), ('account_phone', 'account_id'), ('account_picture', 'account_id'),
        ('account_session', 'account_id'), ('verification_code', 'account_id'), ('idempotent_request', 'account_id'),
        ('device', 'account_id'), ('device_token', 'account_id'), ('push_action', 'account_id'), ('plant', 'account_id'),
        ('tag', 'account_id'), ('import_batch', 'account_id'), ('sent_push', 'account_id'), ('watering', 'plant_id'),
        ('postponement', 'plant_id'), ('cycle_change', 'plant_id'), ('affection_entry', 'plant_id'),
        ('plant_tag', 'plant_id'), ('import_change', 'batch_id'), ('push_device_outcome', 'device_id');
END;

-- MARK: What a session for one account sees

-- The columns of a view are those of its table when it was made.
CREATE OR REPLACE VIEW garden.device WITH (security_barrier) AS
SELECT * FROM device
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

DO $$
DECLARE
    shown record;
BEGIN
    FOR shown IN
        SELECT view.relname, field.attname, col_description(base.oid, field.attnum) AS comment
        FROM pg_class AS base
        JOIN pg_class AS view ON view.relname = base.relname AND view.relnamespace = 'garden'::regnamespace
        JOIN pg_attribute AS field ON field.attrelid = base.oid AND field.attnum > 0 AND NOT field.attisdropped
        WHERE base.oid IN ('device'::regclass, 'device_token'::regclass)
    LOOP
        EXECUTE format('COMMENT ON COLUMN garden.%I.%I IS %L', shown.relname, shown.attname, shown.comment);
    END LOOP;
END
$$;

-- Before anybody is signed in.
CREATE FUNCTION garden.use_push_action(wanted_lane smallint, hash bytea, at timestamptz)
    RETURNS TABLE (account_id uuid, subject_id uuid, topic topic, ref bigint, action text) LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
    SELECT * FROM use_push_action(wanted_lane, hash, at);
END;

CREATE FUNCTION garden.renew_token(
    wanted_lane smallint, wanted_id uuid, secret bytea, new_secret bytea, at timestamptz) RETURNS uuid
    LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
    SELECT renew_token(wanted_lane, wanted_id, secret, new_secret, at);
END;

DO $$
DECLARE
    made record;
BEGIN
    FOR made IN
        SELECT function.oid::regprocedure AS signature, function.pronamespace = 'garden'::regnamespace AS is_of_garden
        FROM pg_proc AS function
        WHERE function.pronamespace IN ('garden'::regnamespace, current_schema()::regnamespace)
            AND function.proname IN ('renew_token', 'use_push_action')
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', made.signature);
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', made.signature, current_schema());
        IF made.is_of_garden THEN
            EXECUTE format(
                'COMMENT ON FUNCTION %s IS %L', made.signature, 'The same with the rights of the owner, for sessions.');
        END IF;
    END LOOP;
END
$$;
