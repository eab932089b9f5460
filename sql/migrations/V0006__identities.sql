-- Signing in by Google or Apple (rule 12.5). The server verifies a provider's token; what is here trusts that it did.

CREATE TYPE identity_provider AS ENUM ('google', 'apple');
COMMENT ON TYPE identity_provider IS 'Who vouches for somebody who signs in (rule 12.5).';

CREATE TABLE account_identity (
    provider identity_provider NOT NULL,
    subject text NOT NULL,
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    email text,
    linked_at timestamptz NOT NULL,
    CONSTRAINT account_identity_pkey PRIMARY KEY (provider, subject),
    -- The provider alone names what an account unlinks.
    CONSTRAINT account_identity_account_unique UNIQUE (lane, account_id, provider),
    CONSTRAINT account_identity_subject_length CHECK (octet_length(subject) BETWEEN 1 AND 255),
    CONSTRAINT account_identity_email_length CHECK (octet_length(email) BETWEEN 1 AND 254)
);
COMMENT ON TABLE account_identity IS 'Who a person is to Google or Apple, and which account that is, outside the lanes (rule 12.5).';
COMMENT ON COLUMN account_identity.provider IS 'Google or Apple.';
COMMENT ON COLUMN account_identity.subject IS 'What the provider calls the person, for ever: sub of its ID token.';
COMMENT ON COLUMN account_identity.lane IS 'The account''s lane.';
COMMENT ON COLUMN account_identity.account_id IS 'The account.';
COMMENT ON COLUMN account_identity.email IS
    'The e-mail in the token when it was linked, so that people recognize it; null if there was none. No account is found by it.';
COMMENT ON COLUMN account_identity.linked_at IS 'When the person linked it.';

COMMENT ON COLUMN account_session.signed_in_at IS 'When the password was last given, or a provider vouched for the person.';

-- MARK: Signing up and in

CREATE FUNCTION insert_account(
    new_lane smallint, new_account uuid, new_email text, new_nickname text, new_phone text, new_zone text,
    new_language language, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account (
        lane, id, email, nickname, phone, time_zone, language, watering_pushes, review_pushes, birthday_pushes,
        withered_pushes, created_at)
    VALUES (
        new_lane, new_account, new_email, new_nickname, new_phone, new_zone, new_language, true, true, false, false, at);
END
$$;
COMMENT ON FUNCTION insert_account(smallint, uuid, text, text, text, text, language, timestamptz) IS
    'Adds an account with the switches that everybody begins with (rule 7.10).';

CREATE FUNCTION sign_up_with_identity(
    vouching identity_provider, new_subject text, new_email text, new_lane smallint, new_account uuid, new_nickname text,
    new_phone text, new_zone text, new_language language, session_id uuid, secret bytea, device text, at timestamptz)
    RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    claimed bigint;
BEGIN
    PERFORM 1 FROM account_identity AS known WHERE known.provider = vouching AND known.subject = new_subject;
    IF FOUND THEN
        RETURN 'identity_taken';
    END IF;
    INSERT INTO account_email (email, lane, account_id) VALUES (lower(new_email), new_lane, new_account)
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS claimed = ROW_COUNT;
    IF claimed = 0 THEN
        RETURN 'email_known';
    END IF;
    -- Whoever signs up twice at the same moment waits for the e-mail, and fails there.
    INSERT INTO account_identity (provider, subject, lane, account_id, email, linked_at)
    VALUES (vouching, new_subject, new_lane, new_account, new_email, at);
    PERFORM insert_account(new_lane, new_account, new_email, new_nickname, new_phone, new_zone, new_language, at);
    PERFORM begin_session(new_lane, new_account, session_id, secret, device, at);
    RETURN 'done';
END
$$;
COMMENT ON FUNCTION sign_up_with_identity(
    identity_provider, text, text, smallint, uuid, text, text, text, language, uuid, bytea, text, timestamptz) IS
    'Adds an account without a password, with an identity and a session. The provider has confirmed the e-mail. Otherwise: an '
    'account has the identity (identity_taken), or the e-mail (email_known).';

CREATE FUNCTION sign_in_with_identity(
    vouching identity_provider, wanted_subject text, session_id uuid, secret bytea, device text, at timestamptz)
    RETURNS TABLE (lane smallint, account_id uuid) LANGUAGE plpgsql AS $$
DECLARE
    owner account_identity;
BEGIN
    SELECT * INTO owner FROM account_identity AS known
    WHERE known.provider = vouching AND known.subject = wanted_subject;
    IF FOUND THEN
        PERFORM begin_session(owner.lane, owner.account_id, session_id, secret, device, at);
        RETURN QUERY SELECT owner.lane, owner.account_id;
    END IF;
END
$$;
COMMENT ON FUNCTION sign_in_with_identity(identity_provider, text, uuid, bytea, text, timestamptz) IS
    'Begins a session of the account that has the identity; no row if none has.';

-- MARK: Linking

CREATE FUNCTION has_password(owner_lane smallint, owner uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    PERFORM 1 FROM account_password AS password WHERE password.lane = owner_lane AND password.account_id = owner;
    RETURN FOUND;
END
$$;
COMMENT ON FUNCTION has_password(smallint, uuid) IS 'Whether an account has a password.';

CREATE FUNCTION link_identity(
    owner_lane smallint, owner uuid, vouching identity_provider, new_subject text, new_email text, at timestamptz)
    RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    linked bigint;
    known account_identity;
BEGIN
    INSERT INTO account_identity (provider, subject, lane, account_id, email, linked_at)
    VALUES (vouching, new_subject, owner_lane, owner, new_email, at) ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS linked = ROW_COUNT;
    IF linked = 1 THEN
        RETURN 'done';
    END IF;
    SELECT * INTO known FROM account_identity AS earlier
    WHERE earlier.provider = vouching AND earlier.subject = new_subject;
    RETURN CASE
        WHEN known.account_id = owner THEN 'known' WHEN known.account_id IS NULL THEN 'provider_linked'
        ELSE 'identity_taken' END;
END
$$;
COMMENT ON FUNCTION link_identity(smallint, uuid, identity_provider, text, text, timestamptz) IS
    'Links an identity to an account: done, or known if it was linked before. Otherwise: another account has it '
    '(identity_taken), or the account has another one of the provider (provider_linked).';

CREATE FUNCTION unlink_identity(owner_lane smallint, owner uuid, vouching identity_provider) RETURNS text
    LANGUAGE plpgsql AS $$
DECLARE
    own bigint;
    others bigint;
BEGIN
    -- One at a time: two that unlink at the same moment must not leave the account without a way in.
    PERFORM 1 FROM account WHERE account.lane = owner_lane AND account.id = owner FOR UPDATE;
    SELECT count(*) FILTER (WHERE identity.provider = vouching), count(*) FILTER (WHERE identity.provider <> vouching)
    INTO own, others
    FROM account_identity AS identity WHERE identity.lane = owner_lane AND identity.account_id = owner;
    IF own = 0 THEN
        RETURN 'not_found';
    ELSIF others = 0 AND NOT has_password(owner_lane, owner) THEN
        RETURN 'last_way_in';
    END IF;
    DELETE FROM account_identity AS identity
    WHERE identity.lane = owner_lane AND identity.account_id = owner AND identity.provider = vouching;
    RETURN 'done';
END
$$;
COMMENT ON FUNCTION unlink_identity(smallint, uuid, identity_provider) IS
    'Unlinks an identity from an account: done, or not_found, or last_way_in if nothing else lets the person in.';

-- MARK: Leaving

CREATE OR REPLACE FUNCTION tables_of_account() RETURNS TABLE (table_name text, link text) LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    VALUES
        ('account', 'id'), ('account_email', 'account_id'), ('account_identity', 'account_id'),
        ('account_password', 'account_id'), ('account_picture', 'account_id'), ('account_session', 'account_id'),
        ('verification_code', 'account_id'), ('idempotent_request', 'account_id'), ('device', 'account_id'),
        ('device_token', 'account_id'), ('plant', 'account_id'), ('tag', 'account_id'), ('import_batch', 'account_id'),
        ('sent_push', 'account_id'), ('watering', 'plant_id'), ('postponement', 'plant_id'), ('cycle_change', 'plant_id'),
        ('affection_entry', 'plant_id'), ('plant_tag', 'plant_id'), ('import_change', 'batch_id'),
        ('push_device_outcome', 'device_id');
END;

CREATE FUNCTION forget_addresses(owner_lane smallint, owner uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    addresses text[] := ARRAY (
        SELECT known.email FROM account_email AS known WHERE known.lane = owner_lane AND known.account_id = owner);
BEGIN
    -- Codes from before there was an account name only the address.
    DELETE FROM verification_code AS code WHERE code.account_id = owner OR lower(code.address) = ANY (addresses);
    DELETE FROM account_email AS known WHERE known.lane = owner_lane AND known.account_id = owner;
    DELETE FROM account_identity AS known WHERE known.lane = owner_lane AND known.account_id = owner;
END
$$;
COMMENT ON FUNCTION forget_addresses(smallint, uuid) IS
    'Deletes what finds an account from outside the lanes, and the codes that were sent there; no foreign key does.';

CREATE OR REPLACE FUNCTION erase_account(owner_lane smallint, owner uuid, proof uuid, at timestamptz)
    RETURNS TABLE (table_name text, before bigint, after bigint) LANGUAGE plpgsql AS $$
DECLARE
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
    PERFORM 1 FROM account WHERE account.lane = owner_lane AND account.id = owner FOR UPDATE;
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

    PERFORM forget_addresses(owner_lane, owner);
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

CREATE VIEW garden.account_identity WITH (security_barrier) AS
SELECT * FROM account_identity
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;
COMMENT ON VIEW garden.account_identity IS 'The account''s part of account_identity.';

-- Before anybody is signed in. The server has verified the provider's token.
CREATE FUNCTION garden.sign_up_with_identity(
    vouching identity_provider, new_subject text, new_email text, new_lane smallint, new_account uuid, new_nickname text,
    new_phone text, new_zone text, new_language language, session_id uuid, secret bytea, device text, at timestamptz)
    RETURNS text LANGUAGE sql SECURITY DEFINER
RETURN sign_up_with_identity(
    vouching, new_subject, new_email, new_lane, new_account, new_nickname, new_phone, new_zone, new_language, session_id,
    secret, device, at);

CREATE FUNCTION garden.sign_in_with_identity(
    vouching identity_provider, wanted_subject text, session_id uuid, secret bytea, device text, at timestamptz)
    RETURNS TABLE (lane smallint, account_id uuid) LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
    SELECT * FROM sign_in_with_identity(vouching, wanted_subject, session_id, secret, device, at);
END;

-- For the account that the session acts for, and for no other.
CREATE FUNCTION garden.has_password(owner_lane smallint, owner uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN has_password(garden.account_lane(), owner);
END
$$;

CREATE FUNCTION garden.link_identity(
    owner_lane smallint, owner uuid, vouching identity_provider, new_subject text, new_email text, at timestamptz)
    RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN link_identity(garden.account_lane(), owner, vouching, new_subject, new_email, at);
END
$$;

CREATE FUNCTION garden.unlink_identity(owner_lane smallint, owner uuid, vouching identity_provider) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN unlink_identity(garden.account_lane(), owner, vouching);
END
$$;

-- MARK: Comments, privileges and search paths

DO $$
DECLARE
    shown record;
BEGIN
    FOR shown IN
        SELECT field.attname, col_description(field.attrelid, field.attnum) AS comment FROM pg_attribute AS field
        WHERE field.attrelid = 'account_identity'::regclass AND field.attnum > 0
    LOOP
        EXECUTE format('COMMENT ON COLUMN garden.account_identity.%I IS %L', shown.attname, shown.comment);
    END LOOP;
    EXECUTE format(
        'COMMENT ON COLUMN garden.account_session.signed_in_at IS %L',
        'When the password was last given, or a provider vouched for the person.');
END
$$;

DO $$
DECLARE
    made record;
BEGIN
    FOR made IN
        SELECT function.oid::regprocedure AS signature, function.pronamespace = 'garden'::regnamespace AS is_of_garden
        FROM pg_proc AS function
        WHERE function.pronamespace IN ('garden'::regnamespace, current_schema()::regnamespace)
            AND function.proname IN (
                'insert_account', 'sign_up_with_identity', 'sign_in_with_identity', 'has_password', 'link_identity',
                'unlink_identity', 'forget_addresses',
                -- A replaced function keeps its privileges, but not its search path.
                'erase_account')
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', made.signature);
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', made.signature, current_schema());
        IF made.is_of_garden AND obj_description(made.signature::oid, 'pg_proc') IS NULL THEN
            EXECUTE format(
                'COMMENT ON FUNCTION %s IS %L', made.signature, 'The same with the rights of the owner, for sessions.');
        END IF;
    END LOOP;
END
$$;
