-- Phones that people have confirmed by a code, and passwords that are reset by them (rules 12.4 and 12.6).

ALTER TYPE code_purpose ADD VALUE 'new_phone';
COMMENT ON COLUMN verification_code.address IS 'The e-mail or the phone to which it was sent, as it was written, or in E.164.';

CREATE TABLE account_phone (
    phone text NOT NULL,
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    confirmed_at timestamptz NOT NULL,
    CONSTRAINT account_phone_pkey PRIMARY KEY (phone),
    CONSTRAINT account_phone_account_unique UNIQUE (lane, account_id),
    CONSTRAINT account_phone_form CHECK (phone ~ '^\+[1-9][0-9]{4,14}$')
);
COMMENT ON TABLE account_phone IS
    'Which account has confirmed a phone last, outside the lanes: a password is reset by it (rule 12.4).';
COMMENT ON COLUMN account_phone.phone IS 'The phone in E.164, the same as that of the account.';
COMMENT ON COLUMN account_phone.lane IS 'The account''s lane.';
COMMENT ON COLUMN account_phone.account_id IS 'The account.';
COMMENT ON COLUMN account_phone.confirmed_at IS 'When the person gave the code, or an operator vouched for them.';

CREATE FUNCTION hidden_address(address text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN encode(throttle_key('code', lower(address)), 'hex');
COMMENT ON FUNCTION hidden_address(text) IS 'What stands for the address of a code once its account is erased.';

CREATE OR REPLACE FUNCTION begin_code(
    new_id uuid, wanted code_purpose, to_address text, owner_lane smallint, owner uuid, hash bytea, at timestamptz)
    RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    hour_count bigint;
    day_count bigint;
BEGIN
    -- Whoever asks for the same address at the same time waits here, so that the counts are right.
    PERFORM take_attempt(throttle_key('code', lower(to_address)), 1000, at);
    SELECT count(*) FILTER (WHERE sent_at > at - interval '1 hour'), count(*) INTO hour_count, day_count
    FROM verification_code AS earlier
    WHERE lower(earlier.address) IN (lower(to_address), hidden_address(to_address))
        AND earlier.sent_at > at - interval '1 day';
    IF hour_count >= 3 OR day_count >= 10 THEN
        RETURN false;
    END IF;
    INSERT INTO verification_code (id, purpose, address, lane, account_id, code_hash, sent_at)
    VALUES (new_id, wanted, to_address, owner_lane, owner, hash, at);
    RETURN true;
END
$$;

CREATE OR REPLACE FUNCTION begin_email_change(
    new_id uuid, owner_lane smallint, owner uuid, to_address text, hash bytea, at timestamptz) RETURNS text
    LANGUAGE plpgsql AS $$
DECLARE
    is_taken boolean;
BEGIN
    is_taken := EXISTS (
        SELECT 1 FROM account_email WHERE account_email.email = lower(to_address) AND account_email.account_id <> owner);
    IF NOT begin_code(
        new_id, 'new_email', to_address, owner_lane, owner, CASE WHEN is_taken THEN NULL ELSE hash END, at) THEN
        RETURN 'limited';
    END IF;
    -- The newest request counts.
    UPDATE verification_code SET used_at = at
    WHERE verification_code.account_id = owner AND purpose = 'new_email' AND used_at IS NULL AND id <> new_id;
    RETURN CASE WHEN is_taken THEN 'known' ELSE 'new' END;
END
$$;

CREATE FUNCTION begin_phone_change(
    new_id uuid, owner_lane smallint, owner uuid, to_phone text, hash bytea, at timestamptz) RETURNS text
    LANGUAGE plpgsql AS $$
BEGIN
    IF NOT begin_code(new_id, 'new_phone', to_phone, owner_lane, owner, hash, at) THEN
        RETURN 'limited';
    END IF;
    -- The newest request counts.
    UPDATE verification_code SET used_at = at
    WHERE verification_code.account_id = owner AND purpose = 'new_phone' AND used_at IS NULL AND id <> new_id;
    RETURN 'new';
END
$$;
COMMENT ON FUNCTION begin_phone_change(uuid, smallint, uuid, text, bytea, timestamptz) IS
    'Stores the code that confirms a phone: new, or limited (rule 12.6).';

CREATE FUNCTION delete_phone(owner_lane smallint, owner uuid, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM account_phone AS known WHERE known.lane = owner_lane AND known.account_id = owner;
    -- What went to it must not reset the password any more. An e-mail has an @.
    UPDATE verification_code AS code SET used_at = at
    WHERE code.account_id = owner AND code.purpose = 'password_reset' AND code.used_at IS NULL AND code.address LIKE '+%'
        AND code.address NOT LIKE '%@%';
END
$$;
COMMENT ON FUNCTION delete_phone(smallint, uuid, timestamptz) IS
    'Takes the confirmation of its phone from an account, with the codes that were sent there to reset its password.';

CREATE FUNCTION set_phone(owner_lane smallint, owner uuid, new_phone text, at timestamptz) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    former account_phone;
BEGIN
    -- An edit of the account locks it first, too.
    PERFORM 1 FROM account WHERE account.lane = owner_lane AND account.id = owner FOR UPDATE;
    FOR former IN
        SELECT * FROM account_phone AS known
        WHERE known.phone = new_phone OR known.lane = owner_lane AND known.account_id = owner
    LOOP
        PERFORM delete_phone(former.lane, former.account_id, at);
    END LOOP;
    -- Whoever confirms the same phone at the same moment waits here for the other, and the newest wins.
    INSERT INTO account_phone (phone, lane, account_id, confirmed_at) VALUES (new_phone, owner_lane, owner, at)
    ON CONFLICT (phone) DO UPDATE
        SET lane = excluded.lane, account_id = excluded.account_id, confirmed_at = excluded.confirmed_at;
    UPDATE account SET phone = new_phone, version = account.version + 1
    WHERE account.lane = owner_lane AND account.id = owner AND account.phone IS DISTINCT FROM new_phone;
END
$$;
COMMENT ON FUNCTION set_phone(smallint, uuid, text, timestamptz) IS
    'Gives an account a confirmed phone. Another account that had it loses it: the newest confirmation wins (rule 12.4).';

CREATE FUNCTION confirm_phone(owner_lane smallint, owner uuid, hash bytea, at timestamptz) RETURNS text
    LANGUAGE plpgsql AS $$
DECLARE
    code verification_code;
    result text;
BEGIN
    SELECT * INTO code FROM verification_code AS pending
    WHERE pending.account_id = owner AND pending.purpose = 'new_phone' AND pending.used_at IS NULL
    ORDER BY pending.sent_at DESC LIMIT 1;
    result := take_code(code.id, 'new_phone', hash, at);
    IF result = 'done' THEN
        PERFORM set_phone(owner_lane, owner, code.address, at);
    END IF;
    RETURN result;
END
$$;
COMMENT ON FUNCTION confirm_phone(smallint, uuid, bytea, timestamptz) IS
    'Gives the account the phone that its newest code confirms, if the code is right.';

CREATE FUNCTION begin_password_reset_by_phone(new_id uuid, to_phone text, hash bytea, at timestamptz)
    RETURNS TABLE (outcome text, language language) LANGUAGE plpgsql AS $$
DECLARE
    owner account_phone;
    reader account;
    is_begun boolean;
BEGIN
    SELECT * INTO owner FROM account_phone AS known WHERE known.phone = to_phone;
    -- Without an e-mail, nobody could sign in by the new password.
    SELECT * INTO reader FROM account
    WHERE account.lane = owner.lane AND account.id = owner.account_id AND account.email IS NOT NULL;
    is_begun := begin_code(
        new_id, 'password_reset', to_phone, reader.lane, reader.id, CASE WHEN reader.id IS NULL THEN NULL ELSE hash END, at);
    RETURN QUERY
    SELECT CASE WHEN NOT is_begun THEN 'limited' WHEN reader.id IS NULL THEN 'unknown' ELSE 'known' END, reader.language;
END
$$;
COMMENT ON FUNCTION begin_password_reset_by_phone(uuid, text, bytea, timestamptz) IS
    'Stores the code of somebody who forgot the password: known, or unknown if no account has confirmed the phone, or limited.';

-- MARK: Leaving

CREATE OR REPLACE FUNCTION tables_of_account() RETURNS TABLE (table_name text, link text) LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    VALUES
        ('account', 'id'), ('account_email', 'account_id'), ('account_identity', 'account_id'),
        ('account_password', 'account_id'), ('account_phone', 'account_id'), ('account_picture', 'account_id'),
        ('account_session', 'account_id'), ('verification_code', 'account_id'), ('idempotent_request', 'account_id'),
        ('device', 'account_id'), ('device_token', 'account_id'), ('plant', 'account_id'), ('tag', 'account_id'),
        ('import_batch', 'account_id'), ('sent_push', 'account_id'), ('watering', 'plant_id'), ('postponement', 'plant_id'),
        ('cycle_change', 'plant_id'), ('affection_entry', 'plant_id'), ('plant_tag', 'plant_id'),
        ('import_change', 'batch_id'), ('push_device_outcome', 'device_id');
END;

CREATE OR REPLACE FUNCTION forget_addresses(owner_lane smallint, owner uuid) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    emails text[] := ARRAY (
        SELECT known.email FROM account_email AS known WHERE known.lane = owner_lane AND known.account_id = owner);
    phones text[] := ARRAY (
        SELECT known.phone FROM account_phone AS known WHERE known.lane = owner_lane AND known.account_id = owner);
BEGIN
    -- Codes from before there was an account name only the address. The count of codes that an address was sent stays for a
    -- day: whoever erases one account after another must not be able to have more sent.
    UPDATE verification_code AS code
    SET address = hidden_address(code.address), lane = NULL, account_id = NULL, code_hash = NULL
    WHERE code.account_id = owner OR lower(code.address) = ANY (emails || phones);
    DELETE FROM account_email AS known WHERE known.lane = owner_lane AND known.account_id = owner;
    DELETE FROM account_identity AS known WHERE known.lane = owner_lane AND known.account_id = owner;
    DELETE FROM account_phone AS known WHERE known.lane = owner_lane AND known.account_id = owner;
END
$$;

-- MARK: What a session for one account sees and calls

CREATE VIEW garden.account_phone WITH (security_barrier) AS
SELECT * FROM account_phone
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;
COMMENT ON VIEW garden.account_phone IS 'The account''s part of account_phone.';

-- Before anybody is signed in.
CREATE FUNCTION garden.begin_password_reset_by_phone(new_id uuid, to_phone text, hash bytea, at timestamptz)
    RETURNS TABLE (outcome text, language language) LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
    SELECT * FROM begin_password_reset_by_phone(new_id, to_phone, hash, at);
END;

-- For the account that the session acts for, and for no other.
CREATE FUNCTION garden.begin_phone_change(
    new_id uuid, owner_lane smallint, owner uuid, to_phone text, hash bytea, at timestamptz) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN begin_phone_change(new_id, garden.account_lane(), owner, to_phone, hash, at);
END
$$;

CREATE FUNCTION garden.confirm_phone(owner_lane smallint, owner uuid, hash bytea, at timestamptz) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN confirm_phone(garden.account_lane(), owner, hash, at);
END
$$;

CREATE FUNCTION garden.delete_phone(owner_lane smallint, owner uuid, at timestamptz) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM garden.require_account(owner);
    PERFORM delete_phone(garden.account_lane(), owner, at);
END
$$;

-- MARK: Comments, privileges and search paths

DO $$
DECLARE
    shown record;
BEGIN
    FOR shown IN
        SELECT field.attname, col_description(field.attrelid, field.attnum) AS comment FROM pg_attribute AS field
        WHERE field.attrelid = 'account_phone'::regclass AND field.attnum > 0
    LOOP
        EXECUTE format('COMMENT ON COLUMN garden.account_phone.%I IS %L', shown.attname, shown.comment);
    END LOOP;
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
                'begin_phone_change', 'delete_phone', 'set_phone', 'confirm_phone', 'begin_password_reset_by_phone',
                'hidden_address',
                -- A replaced function keeps its privileges, but not its search path.
                'begin_code', 'begin_email_change', 'forget_addresses')
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
