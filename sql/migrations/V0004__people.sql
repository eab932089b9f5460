-- People: passwords, sessions, verification codes, and the limit on wrong passwords (rule 12, docs/decisions/0044).
--
-- Whoever signs up or in has no account yet that a session could act for. What that takes is done by functions. Those of the
-- schema garden have the rights of the owner, and a login of cherish_account reaches passwords, sessions and codes through them
-- alone: no function returns the hash of a password, a token or a code.

CREATE TYPE code_purpose AS ENUM ('sign_up', 'password_reset', 'new_email');
COMMENT ON TYPE code_purpose IS 'What a confirmation code is for (rules 12.1, 12.4 and 12.6).';

CREATE TABLE account_password (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    salt bytea NOT NULL,
    tag bytea NOT NULL,
    memory_kib integer NOT NULL,
    passes smallint NOT NULL,
    changed_at timestamptz NOT NULL,
    CONSTRAINT account_password_pkey PRIMARY KEY (lane, account_id),
    CONSTRAINT account_password_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT account_password_form CHECK (octet_length(salt) = 16 AND octet_length(tag) = 32),
    CONSTRAINT account_password_cost_range CHECK (memory_kib BETWEEN 8 AND 1048576 AND passes BETWEEN 1 AND 100)
);
COMMENT ON TABLE account_password IS 'The password of an account as an Argon2id tag (rule 12.2).';
COMMENT ON COLUMN account_password.lane IS 'The account''s lane.';
COMMENT ON COLUMN account_password.account_id IS 'The account.';
COMMENT ON COLUMN account_password.salt IS '16 random bytes, new with each password.';
COMMENT ON COLUMN account_password.tag IS 'What Argon2id makes of password and salt, with one thread.';
COMMENT ON COLUMN account_password.memory_kib IS 'The memory that it takes, in KiB.';
COMMENT ON COLUMN account_password.passes IS 'How often it passes over the memory.';
COMMENT ON COLUMN account_password.changed_at IS 'When the password was set.';

CREATE TABLE account_session (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    secret_hash bytea NOT NULL,
    device_name text NOT NULL,
    signed_in_at timestamptz NOT NULL,
    used_at timestamptz NOT NULL,
    CONSTRAINT account_session_pkey PRIMARY KEY (lane, id),
    CONSTRAINT account_session_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT account_session_secret_form CHECK (octet_length(secret_hash) = 32),
    CONSTRAINT account_session_device_name_length CHECK (octet_length(device_name) BETWEEN 1 AND 1280)
);
CREATE INDEX account_session_by_account ON account_session (lane, account_id);
COMMENT ON INDEX account_session_by_account IS 'Lists and ends the sessions of an account.';
COMMENT ON TABLE account_session IS 'Who is signed in where (rule 12.3).';
COMMENT ON COLUMN account_session.lane IS 'The account''s lane.';
COMMENT ON COLUMN account_session.id IS 'A random UUID, part of the token.';
COMMENT ON COLUMN account_session.account_id IS 'The account.';
COMMENT ON COLUMN account_session.secret_hash IS 'SHA-256 of the 256 random bits of the token.';
COMMENT ON COLUMN account_session.device_name IS 'What the app calls the device, or its address.';
COMMENT ON COLUMN account_session.signed_in_at IS 'When the password was last given.';
COMMENT ON COLUMN account_session.used_at IS 'When it was last used, to the hour.';

CREATE TABLE verification_code (
    id uuid NOT NULL,
    purpose code_purpose NOT NULL,
    address text NOT NULL,
    lane smallint,
    account_id uuid,
    code_hash bytea,
    sent_at timestamptz NOT NULL,
    tries smallint NOT NULL DEFAULT 0,
    used_at timestamptz,
    CONSTRAINT verification_code_pkey PRIMARY KEY (id),
    CONSTRAINT verification_code_account_is_whole CHECK ((lane IS NULL) = (account_id IS NULL)),
    CONSTRAINT verification_code_address_length CHECK (octet_length(address) BETWEEN 1 AND 254),
    CONSTRAINT verification_code_hash_form CHECK (octet_length(code_hash) = 32),
    CONSTRAINT verification_code_tries_range CHECK (tries BETWEEN 0 AND 5)
);
CREATE INDEX verification_code_by_address ON verification_code (lower(address), sent_at);
CREATE INDEX verification_code_by_account ON verification_code (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX verification_code_by_age ON verification_code (sent_at);
COMMENT ON INDEX verification_code_by_address IS 'Counts the codes of an address (rule 12.4).';
COMMENT ON INDEX verification_code_by_account IS 'Erases the codes of an account.';
COMMENT ON INDEX verification_code_by_age IS 'Housekeeping deletes codes after a day.';
COMMENT ON TABLE verification_code IS 'Codes of six digits that were sent to an address, outside the lanes (rule 12.4).';
COMMENT ON COLUMN verification_code.id IS 'A random UUID, which the app gives with the code.';
COMMENT ON COLUMN verification_code.purpose IS 'What the code is for.';
COMMENT ON COLUMN verification_code.address IS 'The e-mail to which it was sent, as it was written.';
COMMENT ON COLUMN verification_code.lane IS 'The lane of the account that it is about; null before there is one.';
COMMENT ON COLUMN verification_code.account_id IS 'The account that it is about; null before there is one.';
COMMENT ON COLUMN verification_code.code_hash IS
    'SHA-256 of id and code. Null if no code was sent, because the address is known, or unknown: whoever asked is not told.';
COMMENT ON COLUMN verification_code.sent_at IS 'When it was asked for; it is valid for ten minutes.';
COMMENT ON COLUMN verification_code.tries IS 'How many wrong codes were given; the fifth ends it.';
COMMENT ON COLUMN verification_code.used_at IS 'When it was given; it is valid once.';

CREATE TABLE throttle (
    key bytea NOT NULL,
    level double precision NOT NULL,
    measured_at timestamptz NOT NULL,
    CONSTRAINT throttle_pkey PRIMARY KEY (key),
    CONSTRAINT throttle_key_form CHECK (octet_length(key) = 32),
    CONSTRAINT throttle_level_range CHECK (level BETWEEN 0 AND 1000000)
);
CREATE INDEX throttle_by_age ON throttle (measured_at);
COMMENT ON INDEX throttle_by_age IS 'Housekeeping deletes levels that have run empty.';
COMMENT ON TABLE throttle IS
    'How many attempts count against somebody, outside the lanes: a bucket that each attempt fills and that runs empty in 15 '
    'minutes (rule 12.9).';
COMMENT ON COLUMN throttle.key IS 'SHA-256 of what is limited: an e-mail or a network address, with the reason.';
COMMENT ON COLUMN throttle.level IS 'The attempts in the bucket at the time of measurement.';
COMMENT ON COLUMN throttle.measured_at IS 'When the level was measured.';

-- MARK: Limits

CREATE FUNCTION throttle_key(kind text, name text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN sha256(convert_to(kind || ' ' || lower(name), 'UTF8'));
COMMENT ON FUNCTION throttle_key(text, text) IS 'The key of a throttle.';

CREATE FUNCTION take_attempt(wanted bytea, capacity integer, at timestamptz) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    bucket throttle;
    filled double precision;
BEGIN
    INSERT INTO throttle (key, level, measured_at) VALUES (wanted, 0, at) ON CONFLICT DO NOTHING;
    SELECT * INTO STRICT bucket FROM throttle WHERE throttle.key = wanted FOR UPDATE;
    filled := greatest(0, bucket.level - capacity * greatest(0, extract(epoch FROM at - bucket.measured_at)) / 900);
    IF filled + 1 > capacity THEN
        RETURN ceil((filled + 1 - capacity) * 900 / capacity);
    END IF;
    UPDATE throttle SET level = filled + 1, measured_at = greatest(at, bucket.measured_at) WHERE throttle.key = wanted;
    RETURN 0;
END
$$;
COMMENT ON FUNCTION take_attempt(bytea, integer, timestamptz) IS
    'Counts an attempt. Returns 0, or the seconds to wait if the bucket is full; then it counts nothing.';

CREATE FUNCTION forgive_attempt(wanted bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE throttle SET level = greatest(0, level - 1) WHERE throttle.key = wanted;
END
$$;
COMMENT ON FUNCTION forgive_attempt(bytea) IS 'Takes back an attempt that turned out to be right.';

-- MARK: Codes

CREATE FUNCTION begin_code(
    new_id uuid, wanted code_purpose, to_address text, owner_lane smallint, owner uuid, hash bytea, at timestamptz)
    RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    hour_count bigint;
    day_count bigint;
BEGIN
    -- Whoever asks for the same address at the same time waits here, so that the counts are right.
    PERFORM take_attempt(throttle_key('code', to_address), 1000, at);
    SELECT count(*) FILTER (WHERE sent_at > at - interval '1 hour'), count(*) INTO hour_count, day_count
    FROM verification_code AS earlier
    WHERE lower(earlier.address) = lower(to_address) AND earlier.sent_at > at - interval '1 day';
    IF hour_count >= 3 OR day_count >= 10 THEN
        RETURN false;
    END IF;
    INSERT INTO verification_code (id, purpose, address, lane, account_id, code_hash, sent_at)
    VALUES (new_id, wanted, to_address, owner_lane, owner, hash, at);
    RETURN true;
END
$$;
COMMENT ON FUNCTION begin_code(uuid, code_purpose, text, smallint, uuid, bytea, timestamptz) IS
    'Stores a code that is about to be sent. False if the address has had three within an hour, or ten within a day.';

CREATE FUNCTION check_code(wanted_id uuid, wanted code_purpose, hash bytea, at timestamptz)
    RETURNS TABLE (outcome text, address text) LANGUAGE plpgsql AS $$
DECLARE
    code verification_code;
BEGIN
    SELECT * INTO code FROM verification_code WHERE id = wanted_id AND purpose = wanted FOR UPDATE;
    IF NOT FOUND OR code.used_at IS NOT NULL OR at > code.sent_at + interval '10 minutes' THEN
        RETURN QUERY SELECT 'code_expired', NULL::text;
    ELSIF code.tries >= 5 THEN
        RETURN QUERY SELECT 'too_many_tries', NULL::text;
    ELSIF code.code_hash IS DISTINCT FROM hash OR hash IS NULL THEN
        UPDATE verification_code SET tries = tries + 1 WHERE id = wanted_id;
        RETURN QUERY SELECT CASE WHEN code.tries >= 4 THEN 'too_many_tries' ELSE 'code_wrong' END, NULL::text;
    ELSE
        RETURN QUERY SELECT 'done', code.address;
    END IF;
END
$$;
COMMENT ON FUNCTION check_code(uuid, code_purpose, bytea, timestamptz) IS
    'Whether a code is right and valid: done, with the address to which it went, or code_expired, too_many_tries or code_wrong. '
    'A wrong one is counted.';

CREATE FUNCTION take_code(wanted_id uuid, wanted code_purpose, hash bytea, at timestamptz) RETURNS text
    LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    SELECT checked.outcome INTO result FROM check_code(wanted_id, wanted, hash, at) AS checked;
    IF result = 'done' THEN
        UPDATE verification_code SET used_at = at WHERE id = wanted_id;
    END IF;
    RETURN result;
END
$$;
COMMENT ON FUNCTION take_code(uuid, code_purpose, bytea, timestamptz) IS 'Like check_code, and uses the code up.';

-- MARK: Sessions

CREATE FUNCTION begin_session(
    owner_lane smallint, owner uuid, new_id uuid, secret bytea, device text, at timestamptz) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    -- Nobody is signed in on more devices; the one that was unused for longest makes room.
    DELETE FROM account_session
    WHERE account_session.lane = owner_lane AND account_session.account_id = owner AND account_session.id IN (
        SELECT old.id FROM account_session AS old WHERE old.lane = owner_lane AND old.account_id = owner
        ORDER BY old.used_at DESC, old.id OFFSET 49);
    INSERT INTO account_session (lane, id, account_id, secret_hash, device_name, signed_in_at, used_at)
    VALUES (owner_lane, new_id, owner, secret, device, at, at);
END
$$;
COMMENT ON FUNCTION begin_session(smallint, uuid, uuid, bytea, text, timestamptz) IS
    'Adds a session; the account keeps its 49 newest others.';

CREATE FUNCTION use_session(wanted_lane smallint, wanted_id uuid, secret bytea, at timestamptz)
    RETURNS TABLE (account_id uuid, signed_in_at timestamptz) LANGUAGE plpgsql AS $$
DECLARE
    found account_session;
BEGIN
    SELECT * INTO found FROM account_session AS session WHERE session.lane = wanted_lane AND session.id = wanted_id;
    IF found.secret_hash IS DISTINCT FROM secret OR secret IS NULL OR found.used_at < at - interval '180 days' THEN
        RETURN;
    END IF;
    IF found.used_at < at - interval '1 hour' THEN
        UPDATE account_session AS session SET used_at = at
        WHERE session.lane = wanted_lane AND session.id = wanted_id AND session.used_at < at;
    END IF;
    RETURN QUERY SELECT found.account_id, found.signed_in_at;
END
$$;
COMMENT ON FUNCTION use_session(smallint, uuid, bytea, timestamptz) IS
    'The account of a token, and when it signed in; no row if there is no such session. Notes the use once an hour.';

CREATE FUNCTION end_sessions(owner_lane smallint, owner uuid, ended uuid, kept uuid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    count bigint;
BEGIN
    DELETE FROM account_session AS session
    WHERE session.lane = owner_lane AND session.account_id = owner AND (ended IS NULL OR session.id = ended)
        AND session.id IS DISTINCT FROM kept;
    GET DIAGNOSTICS count = ROW_COUNT;
    RETURN count;
END
$$;
COMMENT ON FUNCTION end_sessions(smallint, uuid, uuid, uuid) IS
    'Ends one session of an account, or all but the one that is kept. Returns how many there were.';

-- MARK: Signing up

CREATE FUNCTION begin_sign_up(new_id uuid, to_address text, hash bytea, at timestamptz) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    is_known boolean;
BEGIN
    is_known := EXISTS (SELECT 1 FROM account_email WHERE account_email.email = lower(to_address));
    IF NOT begin_code(new_id, 'sign_up', to_address, NULL, NULL, CASE WHEN is_known THEN NULL ELSE hash END, at) THEN
        RETURN 'limited';
    END IF;
    RETURN CASE WHEN is_known THEN 'known' ELSE 'new' END;
END
$$;
COMMENT ON FUNCTION begin_sign_up(uuid, text, bytea, timestamptz) IS
    'Stores the code of somebody who wants an account: new, or known if the e-mail has one, or limited.';

CREATE FUNCTION sign_up(
    code_id uuid, hash bytea, new_lane smallint, new_account uuid, new_nickname text, new_phone text, new_zone text,
    new_language language, new_salt bytea, new_tag bytea, new_memory_kib integer, new_passes smallint, session_id uuid,
    secret bytea, device text, at timestamptz) RETURNS TABLE (outcome text, email text) LANGUAGE plpgsql AS $$
DECLARE
    result text;
    wanted text;
    claimed bigint;
BEGIN
    result := take_code(code_id, 'sign_up', hash, at);
    IF result = 'done' THEN
        SELECT code.address INTO wanted FROM verification_code AS code WHERE code.id = code_id;
        INSERT INTO account_email (email, lane, account_id) VALUES (lower(wanted), new_lane, new_account)
        ON CONFLICT DO NOTHING;
        GET DIAGNOSTICS claimed = ROW_COUNT;
        -- Another code for the same e-mail was faster.
        IF claimed = 0 THEN result := 'code_expired'; END IF;
    END IF;
    IF result = 'done' THEN
        INSERT INTO account (
            lane, id, email, nickname, phone, time_zone, language, watering_pushes, review_pushes, birthday_pushes,
            withered_pushes, created_at)
        VALUES (
            new_lane, new_account, wanted, new_nickname, new_phone, new_zone, new_language, true, true, false, false, at);
        INSERT INTO account_password (lane, account_id, salt, tag, memory_kib, passes, changed_at)
        VALUES (new_lane, new_account, new_salt, new_tag, new_memory_kib, new_passes, at);
        PERFORM begin_session(new_lane, new_account, session_id, secret, device, at);
    END IF;
    RETURN QUERY SELECT result, wanted;
END
$$;
COMMENT ON FUNCTION sign_up(
    uuid, bytea, smallint, uuid, text, text, text, language, bytea, bytea, integer, smallint, uuid, bytea, text, timestamptz) IS
    'Adds an account with a password and a session, if the code is right. The e-mail is the one to which the code went.';

-- MARK: Passwords

CREATE FUNCTION wait_seconds(wanted bytea, capacity integer, at timestamptz) RETURNS integer LANGUAGE plpgsql STABLE AS $$
DECLARE
    bucket throttle;
    filled double precision;
BEGIN
    SELECT * INTO bucket FROM throttle WHERE throttle.key = wanted;
    filled := greatest(0, bucket.level - capacity * greatest(0, extract(epoch FROM at - bucket.measured_at)) / 900);
    RETURN greatest(0, ceil((coalesce(filled, 0) + 1 - capacity) * 900 / capacity));
END
$$;
COMMENT ON FUNCTION wait_seconds(bytea, integer, timestamptz) IS 'The seconds until an attempt would count; counts nothing.';

CREATE FUNCTION password_challenge(wanted_email text, address_key bytea, at timestamptz)
    RETURNS TABLE (wait integer, salt bytea, memory_kib integer, passes smallint) LANGUAGE plpgsql STABLE AS $$
DECLARE
    owner account_email;
    password account_password;
BEGIN
    SELECT * INTO owner FROM account_email WHERE account_email.email = lower(wanted_email);
    SELECT * INTO password FROM account_password AS kept
    WHERE kept.lane = owner.lane AND kept.account_id = owner.account_id;
    RETURN QUERY SELECT
        greatest(
            wait_seconds(throttle_key('sign-in', wanted_email), 10, at), wait_seconds(address_key, 100, at)),
        password.salt, password.memory_kib, password.passes;
END
$$;
COMMENT ON FUNCTION password_challenge(text, bytea, timestamptz) IS
    'What a program needs to make the tag of a password: salt and costs, null if there is no account, or no password. Whoever '
    'has to wait learns it here, before the program computes anything expensive.';

CREATE FUNCTION check_password(
    wanted_email text, given_tag bytea, address_key bytea, at timestamptz)
    RETURNS TABLE (wait_seconds integer, lane smallint, account_id uuid) LANGUAGE plpgsql AS $$
DECLARE
    owner account_email;
    email_key bytea := throttle_key('sign-in', wanted_email);
    wait integer;
BEGIN
    -- Counted before the comparison, under the lock of the bucket: many attempts at once are no way around the limit.
    -- The address first: one that has to wait must not count against anybody's e-mail.
    wait := take_attempt(address_key, 100, at);
    IF wait = 0 THEN
        wait := take_attempt(email_key, 10, at);
        IF wait > 0 THEN
            PERFORM forgive_attempt(address_key);
        END IF;
    END IF;
    IF wait = 0 THEN
        SELECT * INTO owner FROM account_email WHERE account_email.email = lower(wanted_email);
        PERFORM 1 FROM account_password AS password
        WHERE password.lane = owner.lane AND password.account_id = owner.account_id AND password.tag = given_tag;
        IF FOUND THEN
            PERFORM forgive_attempt(email_key);
            PERFORM forgive_attempt(address_key);
            RETURN QUERY SELECT 0, owner.lane, owner.account_id;
            RETURN;
        END IF;
    END IF;
    RETURN QUERY SELECT wait, NULL::smallint, NULL::uuid;
END
$$;
COMMENT ON FUNCTION check_password(text, bytea, bytea, timestamptz) IS
    'The account whose password has this tag; null if it is wrong, or if its e-mail or the network address must wait.';

CREATE FUNCTION sign_in(
    wanted_email text, given_tag bytea, address_key bytea, session_id uuid, secret bytea, device text, at timestamptz)
    RETURNS TABLE (wait_seconds integer, lane smallint, account_id uuid) LANGUAGE plpgsql AS $$
DECLARE
    checked record;
BEGIN
    SELECT * INTO checked FROM check_password(wanted_email, given_tag, address_key, at);
    IF checked.account_id IS NOT NULL THEN
        PERFORM begin_session(checked.lane, checked.account_id, session_id, secret, device, at);
    END IF;
    RETURN QUERY SELECT checked.wait_seconds, checked.lane, checked.account_id;
END
$$;
COMMENT ON FUNCTION sign_in(text, bytea, bytea, uuid, bytea, text, timestamptz) IS
    'Begins a session if the password is right; otherwise like check_password.';

CREATE FUNCTION set_password(
    owner_lane smallint, owner uuid, new_salt bytea, new_tag bytea, new_memory_kib integer, new_passes smallint,
    kept_session uuid, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO account_password (lane, account_id, salt, tag, memory_kib, passes, changed_at)
    VALUES (owner_lane, owner, new_salt, new_tag, new_memory_kib, new_passes, at)
    ON CONFLICT (lane, account_id) DO UPDATE SET salt = excluded.salt, tag = excluded.tag,
        memory_kib = excluded.memory_kib, passes = excluded.passes, changed_at = excluded.changed_at;
    PERFORM end_sessions(owner_lane, owner, NULL, kept_session);
    -- A code that was sent before must not undo this.
    UPDATE verification_code SET used_at = at WHERE verification_code.account_id = owner AND used_at IS NULL;
END
$$;
COMMENT ON FUNCTION set_password(smallint, uuid, bytea, bytea, integer, smallint, uuid, timestamptz) IS
    'Sets the password of an account, ends all its sessions but the one that is kept, and its codes (rules 12.3 and 12.4).';

CREATE FUNCTION begin_password_reset(new_id uuid, to_address text, hash bytea, at timestamptz)
    RETURNS TABLE (outcome text, language language) LANGUAGE plpgsql AS $$
DECLARE
    owner account_email;
    is_begun boolean;
BEGIN
    SELECT * INTO owner FROM account_email WHERE account_email.email = lower(to_address);
    is_begun := begin_code(
        new_id, 'password_reset', to_address, owner.lane, owner.account_id,
        CASE WHEN owner.account_id IS NULL THEN NULL ELSE hash END, at);
    RETURN QUERY
    SELECT CASE WHEN NOT is_begun THEN 'limited' WHEN owner.account_id IS NULL THEN 'unknown' ELSE 'known' END,
        (SELECT account.language FROM account WHERE account.lane = owner.lane AND account.id = owner.account_id);
END
$$;
COMMENT ON FUNCTION begin_password_reset(uuid, text, bytea, timestamptz) IS
    'Stores the code of somebody who forgot the password: known, or unknown if no account has the e-mail, or limited.';

CREATE FUNCTION reset_password(
    code_id uuid, hash bytea, new_salt bytea, new_tag bytea, new_memory_kib integer, new_passes smallint, at timestamptz)
    RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
    code verification_code;
BEGIN
    result := take_code(code_id, 'password_reset', hash, at);
    IF result = 'done' THEN
        SELECT * INTO STRICT code FROM verification_code WHERE id = code_id;
        PERFORM set_password(
            code.lane, code.account_id, new_salt, new_tag, new_memory_kib, new_passes, NULL, at);
    END IF;
    RETURN result;
END
$$;
COMMENT ON FUNCTION reset_password(uuid, bytea, bytea, bytea, integer, smallint, timestamptz) IS
    'Sets the password of the account that the code is about, if the code is right, and ends all its sessions.';

-- MARK: Another e-mail

CREATE FUNCTION begin_email_change(
    new_id uuid, owner_lane smallint, owner uuid, to_address text, hash bytea, at timestamptz) RETURNS text
    LANGUAGE plpgsql AS $$
DECLARE
    is_taken boolean;
BEGIN
    is_taken := EXISTS (
        SELECT 1 FROM account_email WHERE account_email.email = lower(to_address) AND account_email.account_id <> owner);
    -- The newest request counts.
    UPDATE verification_code SET used_at = at
    WHERE verification_code.account_id = owner AND purpose = 'new_email' AND used_at IS NULL;
    IF NOT begin_code(
        new_id, 'new_email', to_address, owner_lane, owner, CASE WHEN is_taken THEN NULL ELSE hash END, at) THEN
        RETURN 'limited';
    END IF;
    RETURN CASE WHEN is_taken THEN 'known' ELSE 'new' END;
END
$$;
COMMENT ON FUNCTION begin_email_change(uuid, smallint, uuid, text, bytea, timestamptz) IS
    'Stores the code that confirms another e-mail: new, or known if another account has it, or limited (rule 12.6).';

CREATE FUNCTION confirm_email(owner_lane smallint, owner uuid, hash bytea, at timestamptz) RETURNS text
    LANGUAGE plpgsql AS $$
DECLARE
    code verification_code;
    result text;
BEGIN
    SELECT * INTO code FROM verification_code AS pending
    WHERE pending.account_id = owner AND pending.purpose = 'new_email' AND pending.used_at IS NULL
    ORDER BY pending.sent_at DESC LIMIT 1;
    result := take_code(code.id, 'new_email', hash, at);
    -- Another account may have confirmed the same e-mail meanwhile.
    IF result = 'done' AND NOT change_account_email(owner_lane, owner, code.address) THEN
        result := 'code_expired';
    END IF;
    RETURN result;
END
$$;
COMMENT ON FUNCTION confirm_email(smallint, uuid, bytea, timestamptz) IS
    'Gives the account the e-mail that its newest code confirms, if the code is right.';

-- MARK: Leaving

CREATE FUNCTION erase_account(owner_lane smallint, owner uuid, proof uuid, at timestamptz)
    RETURNS TABLE (table_name text, before bigint, after bigint) LANGUAGE plpgsql AS $$
DECLARE
    address_of_owner text;
    -- What links the rows of each table to the account: its own id, or those of its plants, imports or devices.
    tables text[] := ARRAY[
        'account', 'account_email', 'account_password', 'account_session', 'verification_code', 'idempotent_request', 'device',
        'device_token', 'plant', 'tag', 'import_batch', 'sent_push', 'watering', 'postponement', 'cycle_change',
        'affection_entry', 'plant_tag', 'import_change', 'push_device_outcome'];
    columns text[] := ARRAY[
        'id', 'account_id', 'account_id', 'account_id', 'account_id', 'account_id', 'account_id', 'account_id', 'account_id',
        'account_id', 'account_id', 'account_id', 'plant_id', 'plant_id', 'plant_id', 'plant_id', 'plant_id', 'batch_id',
        'device_id'];
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
COMMENT ON FUNCTION erase_account(smallint, uuid, uuid, timestamptz) IS
    'Erases an account and everything in it for good, and leaves a row as proof (rule 8.6). Returns how many of its rows each '
    'table had before and after, and of the calendar and the log, as planned; no row if there is no such account.';

CREATE FUNCTION planned_rows(owner_lane smallint, owner uuid) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    total bigint;
    counted bigint;
BEGIN
    SELECT count(*) INTO total FROM occurrence WHERE occurrence.lane = owner_lane AND occurrence.account_id = owner;
    SELECT count(*) INTO counted FROM occurrence_outcome AS ended WHERE ended.lane = owner_lane AND ended.account_id = owner;
    total := total + counted;
    SELECT count(*) INTO counted FROM push_job AS job WHERE job.lane = owner_lane AND job.account_id = owner;
    total := total + counted;
    SELECT count(*) INTO counted FROM push_outcome AS ended
    JOIN push_job AS job ON job.lane = owner_lane AND job.recorded_at = ended.recorded_at AND job.seq = ended.seq
    WHERE ended.lane = owner_lane AND job.account_id = owner;
    total := total + counted;
    SELECT count(*) INTO counted FROM push_retry AS retry
    JOIN push_job AS job ON job.lane = owner_lane AND job.recorded_at = retry.recorded_at AND job.seq = retry.seq
    WHERE retry.lane = owner_lane AND job.account_id = owner;
    RETURN total + counted;
END
$$;
COMMENT ON FUNCTION planned_rows(smallint, uuid) IS
    'How many rows of the calendar and the log name an account, their results included.';

-- MARK: Requests that happen once

CREATE TABLE idempotent_request (
    lane smallint NOT NULL,
    session_id uuid NOT NULL,
    key text NOT NULL,
    account_id uuid NOT NULL,
    request_hash bytea NOT NULL,
    attempt uuid NOT NULL,
    started_at timestamptz NOT NULL,
    is_committed boolean NOT NULL DEFAULT false,
    status smallint,
    body bytea,
    CONSTRAINT idempotent_request_pkey PRIMARY KEY (lane, session_id, key),
    CONSTRAINT idempotent_request_session_fkey FOREIGN KEY (lane, session_id)
        REFERENCES account_session (lane, id) ON DELETE CASCADE,
    CONSTRAINT idempotent_request_key_length CHECK (octet_length(key) BETWEEN 1 AND 64),
    CONSTRAINT idempotent_request_hash_form CHECK (octet_length(request_hash) = 32),
    CONSTRAINT idempotent_request_answer_is_whole CHECK ((status IS NULL) = (body IS NULL)),
    CONSTRAINT idempotent_request_status_range CHECK (status BETWEEN 200 AND 599)
);
CREATE INDEX idempotent_request_by_age ON idempotent_request (lane, started_at);
COMMENT ON INDEX idempotent_request_by_age IS 'Housekeeping deletes requests after 48 hours.';
COMMENT ON TABLE idempotent_request IS
    'Requests with an Idempotency-Key and their answers, for 48 hours: a repeated request gets the first answer again.';
COMMENT ON COLUMN idempotent_request.lane IS 'The account''s lane.';
COMMENT ON COLUMN idempotent_request.session_id IS 'The session that asks; keys of others do not matter.';
COMMENT ON COLUMN idempotent_request.key IS 'The Idempotency-Key, 1-64 visible characters.';
COMMENT ON COLUMN idempotent_request.account_id IS 'The account.';
COMMENT ON COLUMN idempotent_request.request_hash IS 'HMAC of method, path and body under the secret of the session.';
COMMENT ON COLUMN idempotent_request.attempt IS
    'The attempt that may change something; one that was given up for dead finds another here, and changes nothing.';
COMMENT ON COLUMN idempotent_request.started_at IS 'When the attempt began.';
COMMENT ON COLUMN idempotent_request.is_committed IS
    'Whether the attempt has changed what it was to change; set by the transaction that did.';
COMMENT ON COLUMN idempotent_request.status IS 'The status of the answer; null while there is none.';
COMMENT ON COLUMN idempotent_request.body IS 'The body of the answer; null while there is none.';

CREATE FUNCTION begin_request(
    owner_lane smallint, owner uuid, session uuid, wanted text, hash bytea, new_attempt uuid, at timestamptz)
    RETURNS TABLE (state text, status smallint, body bytea) LANGUAGE plpgsql AS $$
DECLARE
    begun bigint;
    found idempotent_request;
BEGIN
    INSERT INTO idempotent_request (lane, session_id, key, account_id, request_hash, attempt, started_at)
    VALUES (owner_lane, session, wanted, owner, hash, new_attempt, at) ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS begun = ROW_COUNT;
    IF begun = 1 THEN
        RETURN QUERY SELECT 'begun', NULL::smallint, NULL::bytea;
        RETURN;
    END IF;
    SELECT * INTO found FROM idempotent_request AS request
    WHERE request.lane = owner_lane AND request.session_id = session AND request.key = wanted FOR UPDATE;
    IF found.request_hash IS DISTINCT FROM hash THEN
        RETURN QUERY SELECT 'mismatch', NULL::smallint, NULL::bytea;
    ELSIF found.status IS NOT NULL THEN
        RETURN QUERY SELECT 'answered', found.status, found.body;
    ELSIF found.is_committed THEN
        RETURN QUERY SELECT 'unanswered', NULL::smallint, NULL::bytea;
    ELSIF at < found.started_at + interval '30 seconds' THEN
        RETURN QUERY SELECT 'running', NULL::smallint, NULL::bytea;
    ELSE
        -- Twice as long as an answer may take: its server is gone, or too late.
        UPDATE idempotent_request AS request SET attempt = new_attempt, started_at = at
        WHERE request.lane = owner_lane AND request.session_id = session AND request.key = wanted;
        RETURN QUERY SELECT 'begun', NULL::smallint, NULL::bytea;
    END IF;
END
$$;
COMMENT ON FUNCTION begin_request(smallint, uuid, uuid, text, bytea, uuid, timestamptz) IS
    'Claims a request for an attempt. Otherwise: another body (mismatch), its answer (answered), running elsewhere (running), or '
    'done by a server that could not store its answer (unanswered).';

CREATE FUNCTION commit_request(owner_lane smallint, session uuid, wanted text, own_attempt uuid) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    committed bigint;
BEGIN
    UPDATE idempotent_request AS request SET is_committed = true
    WHERE request.lane = owner_lane AND request.session_id = session AND request.key = wanted
        AND request.attempt = own_attempt;
    GET DIAGNOSTICS committed = ROW_COUNT;
    IF committed = 0 THEN
        -- Not a serialization failure, which programs try again.
        RAISE EXCEPTION 'another attempt has taken over this request' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
END
$$;
COMMENT ON FUNCTION commit_request(smallint, uuid, text, uuid) IS
    'Notes, in the transaction that changes something for a request, that it did; fails if another attempt took over.';

CREATE FUNCTION answer_request(
    owner_lane smallint, session uuid, wanted text, own_attempt uuid, new_status smallint, new_body bytea) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    UPDATE idempotent_request AS request SET status = new_status, body = new_body
    WHERE request.lane = owner_lane AND request.session_id = session AND request.key = wanted
        AND request.attempt = own_attempt;
END
$$;
COMMENT ON FUNCTION answer_request(smallint, uuid, text, uuid, smallint, bytea) IS 'Stores the answer of a request.';

CREATE FUNCTION abandon_request(owner_lane smallint, session uuid, wanted text, own_attempt uuid) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM idempotent_request AS request
    WHERE request.lane = owner_lane AND request.session_id = session AND request.key = wanted
        AND request.attempt = own_attempt AND NOT request.is_committed;
END
$$;
COMMENT ON FUNCTION abandon_request(smallint, uuid, text, uuid) IS
    'Forgets a request that changed nothing and may be repeated.';

-- MARK: What a session for one account sees and calls

-- Without the hash of the token.
CREATE VIEW garden.account_session WITH (security_barrier) AS
SELECT lane, id, account_id, device_name, signed_in_at, used_at FROM account_session
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;
COMMENT ON VIEW garden.account_session IS 'The account''s part of account_session, without the secrets.';

CREATE FUNCTION garden.require_account(owner uuid) RETURNS void LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF owner IS DISTINCT FROM garden.account_id() OR owner IS NULL THEN
        RAISE EXCEPTION 'the session does not act for account %', owner USING ERRCODE = 'insufficient_privilege';
    END IF;
END
$$;
COMMENT ON FUNCTION garden.require_account(uuid) IS 'Refuses whoever does not act for the account.';

-- Before anybody is signed in. What they may do without an account is all that these functions do.
CREATE FUNCTION garden.begin_sign_up(new_id uuid, to_address text, hash bytea, at timestamptz) RETURNS text
    LANGUAGE sql SECURITY DEFINER
RETURN begin_sign_up(new_id, to_address, hash, at);

CREATE FUNCTION garden.check_code(wanted_id uuid, wanted code_purpose, hash bytea, at timestamptz)
    RETURNS TABLE (outcome text, address text) LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
    SELECT * FROM check_code(wanted_id, wanted, hash, at);
END;

CREATE FUNCTION garden.sign_up(
    code_id uuid, hash bytea, new_lane smallint, new_account uuid, new_nickname text, new_phone text, new_zone text,
    new_language language, new_salt bytea, new_tag bytea, new_memory_kib integer, new_passes smallint, session_id uuid,
    secret bytea, device text, at timestamptz) RETURNS TABLE (outcome text, email text) LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
    SELECT * FROM sign_up(
        code_id, hash, new_lane, new_account, new_nickname, new_phone, new_zone, new_language, new_salt, new_tag,
        new_memory_kib, new_passes, session_id, secret, device, at);
END;

CREATE FUNCTION garden.password_challenge(wanted_email text, address_key bytea, at timestamptz)
    RETURNS TABLE (wait integer, salt bytea, memory_kib integer, passes smallint) LANGUAGE sql STABLE SECURITY DEFINER
BEGIN ATOMIC
    SELECT * FROM password_challenge(wanted_email, address_key, at);
END;

CREATE FUNCTION garden.check_password(wanted_email text, given_tag bytea, address_key bytea, at timestamptz)
    RETURNS TABLE (wait_seconds integer, lane smallint, account_id uuid) LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
    SELECT * FROM check_password(wanted_email, given_tag, address_key, at);
END;

CREATE FUNCTION garden.sign_in(
    wanted_email text, given_tag bytea, address_key bytea, session_id uuid, secret bytea, device text, at timestamptz)
    RETURNS TABLE (wait_seconds integer, lane smallint, account_id uuid) LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
    SELECT * FROM sign_in(wanted_email, given_tag, address_key, session_id, secret, device, at);
END;

CREATE FUNCTION garden.use_session(wanted_lane smallint, wanted_id uuid, secret bytea, at timestamptz)
    RETURNS TABLE (account_id uuid, signed_in_at timestamptz) LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
    SELECT * FROM use_session(wanted_lane, wanted_id, secret, at);
END;

CREATE FUNCTION garden.begin_password_reset(new_id uuid, to_address text, hash bytea, at timestamptz)
    RETURNS TABLE (outcome text, language language) LANGUAGE sql SECURITY DEFINER
BEGIN ATOMIC
    SELECT * FROM begin_password_reset(new_id, to_address, hash, at);
END;

CREATE FUNCTION garden.reset_password(
    code_id uuid, hash bytea, new_salt bytea, new_tag bytea, new_memory_kib integer, new_passes smallint, at timestamptz)
    RETURNS text LANGUAGE sql SECURITY DEFINER
RETURN reset_password(code_id, hash, new_salt, new_tag, new_memory_kib, new_passes, at);

CREATE FUNCTION garden.take_attempt(wanted bytea, capacity integer, at timestamptz) RETURNS integer
    LANGUAGE sql SECURITY DEFINER
RETURN take_attempt(wanted, capacity, at);

-- For the account that the session acts for, and for no other.
CREATE FUNCTION garden.end_sessions(owner_lane smallint, owner uuid, ended uuid, kept uuid) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN end_sessions(garden.account_lane(), owner, ended, kept);
END
$$;

CREATE FUNCTION garden.set_password(
    owner_lane smallint, owner uuid, new_salt bytea, new_tag bytea, new_memory_kib integer, new_passes smallint,
    kept_session uuid, at timestamptz) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM garden.require_account(owner);
    PERFORM set_password(
        garden.account_lane(), owner, new_salt, new_tag, new_memory_kib, new_passes, kept_session, at);
END
$$;

CREATE FUNCTION garden.begin_email_change(
    new_id uuid, owner_lane smallint, owner uuid, to_address text, hash bytea, at timestamptz) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN begin_email_change(new_id, garden.account_lane(), owner, to_address, hash, at);
END
$$;

CREATE FUNCTION garden.confirm_email(owner_lane smallint, owner uuid, hash bytea, at timestamptz) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN confirm_email(garden.account_lane(), owner, hash, at);
END
$$;

CREATE FUNCTION garden.erase_account(owner_lane smallint, owner uuid, proof uuid, at timestamptz)
    RETURNS TABLE (table_name text, before bigint, after bigint) LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN QUERY SELECT * FROM erase_account(garden.account_lane(), owner, proof, at);
END
$$;

CREATE FUNCTION garden.begin_request(
    owner_lane smallint, owner uuid, session uuid, wanted text, hash bytea, new_attempt uuid, at timestamptz)
    RETURNS TABLE (state text, status smallint, body bytea) LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM garden.require_account(owner);
    -- The key refers to a session; it has to be one of the account.
    PERFORM 1 FROM garden.account_session AS own WHERE own.id = session;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the account has no such session' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN QUERY SELECT * FROM begin_request(garden.account_lane(), owner, session, wanted, hash, new_attempt, at);
END
$$;

-- An attempt's id is known to nobody but the server that made it.
CREATE FUNCTION garden.commit_request(owner_lane smallint, session uuid, wanted text, own_attempt uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
RETURN commit_request(owner_lane, session, wanted, own_attempt);

CREATE FUNCTION garden.answer_request(
    owner_lane smallint, session uuid, wanted text, own_attempt uuid, new_status smallint, new_body bytea) RETURNS void
    LANGUAGE sql SECURITY DEFINER
RETURN answer_request(owner_lane, session, wanted, own_attempt, new_status, new_body);

CREATE FUNCTION garden.abandon_request(owner_lane smallint, session uuid, wanted text, own_attempt uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
RETURN abandon_request(owner_lane, session, wanted, own_attempt);

-- MARK: Privileges and search paths

DO $$
DECLARE
    made record;
BEGIN
    FOR made IN
        SELECT function.oid::regprocedure AS signature, function.pronamespace = 'garden'::regnamespace AS is_of_garden
        FROM pg_proc AS function
        WHERE function.pronamespace IN ('garden'::regnamespace, current_schema()::regnamespace)
            AND function.proname IN (
                'throttle_key', 'wait_seconds', 'take_attempt', 'forgive_attempt', 'begin_code', 'check_code', 'take_code',
                'begin_session', 'use_session', 'end_sessions', 'begin_sign_up', 'sign_up', 'password_challenge', 'check_password', 'sign_in',
                'set_password', 'begin_password_reset', 'reset_password', 'begin_email_change', 'confirm_email',
                'erase_account', 'planned_rows', 'begin_request', 'commit_request', 'answer_request', 'abandon_request',
                'require_account')
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
