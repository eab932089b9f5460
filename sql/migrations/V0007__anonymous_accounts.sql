-- Accounts without an e-mail, which a device begins and a person may complete later (rule 12.5).

ALTER TABLE account ALTER COLUMN email DROP NOT NULL;
COMMENT ON COLUMN account.email IS
    'As the account wrote it; account_email keeps it unique. Null for an anonymous account.';
CREATE INDEX account_anonymous ON account (lane, created_at) WHERE email IS NULL;
COMMENT ON INDEX account_anonymous IS 'Finds the accounts without an e-mail, which housekeeping erases when they are unused.';

CREATE FUNCTION begin_anonymously(
    new_lane smallint, new_account uuid, new_nickname text, new_zone text, new_language language, session_id uuid,
    secret bytea, device text, at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM insert_account(new_lane, new_account, NULL, new_nickname, NULL, new_zone, new_language, at);
    PERFORM begin_session(new_lane, new_account, session_id, secret, device, at);
END
$$;
COMMENT ON FUNCTION begin_anonymously(smallint, uuid, text, text, language, uuid, bytea, text, timestamptz) IS
    'Adds an account without an e-mail, and the session that alone lets the person in.';

CREATE FUNCTION renew_sign_in(owner_lane smallint, owner uuid, renewed uuid, at timestamptz) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    UPDATE account_session AS session SET signed_in_at = at
    WHERE session.lane = owner_lane AND session.account_id = owner AND session.id = renewed;
END
$$;
COMMENT ON FUNCTION renew_sign_in(smallint, uuid, uuid, timestamptz) IS
    'Notes that somebody has just proved who they are by a code.';

-- MARK: What a session for one account calls

-- Before anybody is signed in.
CREATE FUNCTION garden.begin_anonymously(
    new_lane smallint, new_account uuid, new_nickname text, new_zone text, new_language language, session_id uuid,
    secret bytea, device text, at timestamptz) RETURNS void LANGUAGE sql SECURITY DEFINER
RETURN begin_anonymously(new_lane, new_account, new_nickname, new_zone, new_language, session_id, secret, device, at);

-- For the account that the session acts for, and for no other.
CREATE FUNCTION garden.renew_sign_in(owner_lane smallint, owner uuid, renewed uuid, at timestamptz) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM garden.require_account(owner);
    PERFORM renew_sign_in(garden.account_lane(), owner, renewed, at);
END
$$;

-- MARK: Comments, privileges and search paths

DO $$
DECLARE
    made record;
BEGIN
    EXECUTE format(
        'COMMENT ON COLUMN garden.account.email IS %L',
        (SELECT col_description(attrelid, attnum) FROM pg_attribute
         WHERE attrelid = 'account'::regclass AND attname = 'email'));
    FOR made IN
        SELECT function.oid::regprocedure AS signature, function.pronamespace = 'garden'::regnamespace AS is_of_garden
        FROM pg_proc AS function
        WHERE function.pronamespace IN ('garden'::regnamespace, current_schema()::regnamespace)
            AND function.proname IN ('begin_anonymously', 'renew_sign_in')
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
