CREATE SCHEMA garden;

COMMENT ON SCHEMA garden IS 'The rows of one account, named by the setting cherish.account: what a session sees and changes that acts for it.';

CREATE TYPE public.affection_reason AS ENUM (
    'contact',
    'keywords',
    'memo'
);

COMMENT ON TYPE public.affection_reason IS 'Why affection grew (rule 4.1).';

CREATE TYPE public.alert_repetition AS ENUM (
    'once',
    'hourly',
    'daily',
    'weekly'
);

COMMENT ON TYPE public.alert_repetition IS 'How a thing goes on after its last alert (rule 10.5).';

CREATE TYPE public.change_kind AS ENUM (
    'settings',
    'session',
    'tag',
    'friend',
    'watering',
    'thing',
    'list',
    'pause'
);

COMMENT ON TYPE public.change_kind IS 'What a change was about.';

CREATE TYPE public.code_purpose AS ENUM (
    'sign_up',
    'password_reset',
    'new_email',
    'new_phone'
);

COMMENT ON TYPE public.code_purpose IS 'What a confirmation code is for (rules 12.1, 12.4 and 12.6).';

CREATE TYPE public.completion_outcome AS ENUM (
    'eaten',
    'thrown_away'
);

COMMENT ON TYPE public.completion_outcome IS 'How food ended (rule 10.7).';

CREATE TYPE public.contact_method AS ENUM (
    'call',
    'message',
    'kakaotalk',
    'video',
    'in_person',
    'other'
);

COMMENT ON TYPE public.contact_method IS 'How a contact was made (rule 3.1).';

CREATE TYPE public.device_outcome AS ENUM (
    'accepted',
    'failed',
    'refused',
    'token_dead'
);

COMMENT ON TYPE public.device_outcome IS 'What came of sending to one device: accepted, to be tried again, refused for good, or the device is gone.';

CREATE TYPE public.device_platform AS ENUM (
    'ios',
    'android',
    'webhook',
    'web'
);

COMMENT ON TYPE public.device_platform IS 'Which provider reaches a device.';

CREATE TYPE public.due_source AS ENUM (
    'registration',
    'watering',
    'postponement',
    'edit',
    'pause',
    'outage'
);

COMMENT ON TYPE public.due_source IS 'What set a due date.';

CREATE TYPE public.identity_provider AS ENUM (
    'google',
    'apple'
);

COMMENT ON TYPE public.identity_provider IS 'Who vouches for somebody who signs in (rule 12.5).';

CREATE TYPE public.import_change_kind AS ENUM (
    'planted',
    'restored',
    'updated'
);

COMMENT ON TYPE public.import_change_kind IS 'What an import did with a plant: new, brought back, or changed while it lived.';

CREATE TYPE public.language AS ENUM (
    'ko',
    'en'
);

COMMENT ON TYPE public.language IS 'The language in which an account reads pushes.';

CREATE TYPE public.push_outcome_kind AS ENUM (
    'delivered',
    'superseded',
    'suppressed',
    'expired',
    'dead'
);

COMMENT ON TYPE public.push_outcome_kind IS 'How a planned push ended (rule 7.8).';

CREATE TYPE public.recurrence_base AS ENUM (
    'due',
    'completion'
);

COMMENT ON TYPE public.recurrence_base IS 'What the next due day is counted from (rule 10.8).';

CREATE TYPE public.recurrence_unit AS ENUM (
    'days',
    'weeks',
    'months',
    'years'
);

COMMENT ON TYPE public.recurrence_unit IS 'The unit of the interval after which a thing comes back (rule 10.8).';

CREATE TYPE public.thing_kind AS ENUM (
    'pickup',
    'return',
    'reminder',
    'food'
);

COMMENT ON TYPE public.thing_kind IS 'What a thing is (rule 10).';

CREATE TYPE public.topic AS ENUM (
    'watering_due',
    'review_missing',
    'birthday',
    'withered',
    'thing_alert',
    'list_accepted',
    'list_released',
    'list_delivered',
    'list_expiring',
    'list_expired',
    'list_cancelled'
);

COMMENT ON TYPE public.topic IS 'What a push is about (rules 7.1, 7.10, 10.13 and 11.5). A domain adds its topics at the end.';

CREATE FUNCTION public.abandon_request(owner_lane smallint, session uuid, wanted text, own_attempt uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    DELETE FROM idempotent_request AS request
    WHERE request.lane = owner_lane AND request.session_id = session AND request.key = wanted
        AND request.attempt = own_attempt AND NOT request.is_committed;
END
$$;

COMMENT ON FUNCTION public.abandon_request(owner_lane smallint, session uuid, wanted text, own_attempt uuid) IS 'Forgets a request that changed nothing and may be repeated.';

CREATE FUNCTION garden.abandon_request(owner_lane smallint, session uuid, wanted text, own_attempt uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    RETURN public.abandon_request(owner_lane, session, wanted, own_attempt);

COMMENT ON FUNCTION garden.abandon_request(owner_lane smallint, session uuid, wanted text, own_attempt uuid) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION garden.account_id() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('cherish.account'::text, true), ''::text))::uuid;

COMMENT ON FUNCTION garden.account_id() IS 'The account that the setting cherish.account names; null without one.';

CREATE FUNCTION garden.account_lane() RETURNS smallint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (get_byte(uuid_send(garden.account_id()), 15))::smallint;

COMMENT ON FUNCTION garden.account_lane() IS 'The lane of that account; null without one.';

CREATE FUNCTION garden.account_position(owner_lane smallint, owner uuid) RETURNS TABLE(area text, latitude double precision, longitude double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN QUERY SELECT * FROM account_position(garden.account_lane(), owner);
END
$$;

COMMENT ON FUNCTION garden.account_position(owner_lane smallint, owner uuid) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.answer_request(owner_lane smallint, session uuid, wanted text, own_attempt uuid, new_status smallint, new_body bytea) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE idempotent_request AS request SET status = new_status, body = new_body
    WHERE request.lane = owner_lane AND request.session_id = session AND request.key = wanted
        AND request.attempt = own_attempt;
END
$$;

COMMENT ON FUNCTION public.answer_request(owner_lane smallint, session uuid, wanted text, own_attempt uuid, new_status smallint, new_body bytea) IS 'Stores the answer of a request.';

CREATE FUNCTION garden.answer_request(owner_lane smallint, session uuid, wanted text, own_attempt uuid, new_status smallint, new_body bytea) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    RETURN public.answer_request(owner_lane, session, wanted, own_attempt, new_status, new_body);

COMMENT ON FUNCTION garden.answer_request(owner_lane smallint, session uuid, wanted text, own_attempt uuid, new_status smallint, new_body bytea) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.begin_anonymously(new_lane smallint, new_account uuid, new_nickname text, new_zone text, new_language public.language, session_id uuid, secret bytea, device text, at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM insert_account(new_lane, new_account, NULL, new_nickname, NULL, new_zone, new_language, at);
    PERFORM begin_session(new_lane, new_account, session_id, secret, device, at);
END
$$;

COMMENT ON FUNCTION public.begin_anonymously(new_lane smallint, new_account uuid, new_nickname text, new_zone text, new_language public.language, session_id uuid, secret bytea, device text, at timestamp with time zone) IS 'Adds an account without an e-mail, and the session that alone lets the person in.';

CREATE FUNCTION garden.begin_anonymously(new_lane smallint, new_account uuid, new_nickname text, new_zone text, new_language public.language, session_id uuid, secret bytea, device text, at timestamp with time zone) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    RETURN public.begin_anonymously(new_lane, new_account, new_nickname, new_zone, new_language, session_id, secret, device, at);

COMMENT ON FUNCTION garden.begin_anonymously(new_lane smallint, new_account uuid, new_nickname text, new_zone text, new_language public.language, session_id uuid, secret bytea, device text, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION garden.begin_email_change(new_id uuid, owner_lane smallint, owner uuid, to_address text, hash bytea, at timestamp with time zone) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN begin_email_change(new_id, garden.account_lane(), owner, to_address, hash, at);
END
$$;

COMMENT ON FUNCTION garden.begin_email_change(new_id uuid, owner_lane smallint, owner uuid, to_address text, hash bytea, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.begin_password_reset(new_id uuid, to_address text, hash bytea, at timestamp with time zone) RETURNS TABLE(outcome text, language public.language)
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.begin_password_reset(new_id uuid, to_address text, hash bytea, at timestamp with time zone) IS 'Stores the code of somebody who forgot the password: known, or unknown if no account has the e-mail, or limited.';

CREATE FUNCTION garden.begin_password_reset(new_id uuid, to_address text, hash bytea, at timestamp with time zone) RETURNS TABLE(outcome text, language public.language)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT begin_password_reset.outcome,
     begin_password_reset.language
    FROM public.begin_password_reset(begin_password_reset.new_id, begin_password_reset.to_address, begin_password_reset.hash, begin_password_reset.at) begin_password_reset(outcome, language);
END;

COMMENT ON FUNCTION garden.begin_password_reset(new_id uuid, to_address text, hash bytea, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.begin_password_reset_by_phone(new_id uuid, to_phone text, hash bytea, at timestamp with time zone) RETURNS TABLE(outcome text, language public.language)
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.begin_password_reset_by_phone(new_id uuid, to_phone text, hash bytea, at timestamp with time zone) IS 'Stores the code of somebody who forgot the password: known, or unknown if no account has confirmed the phone, or limited.';

CREATE FUNCTION garden.begin_password_reset_by_phone(new_id uuid, to_phone text, hash bytea, at timestamp with time zone) RETURNS TABLE(outcome text, language public.language)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT begin_password_reset_by_phone.outcome,
     begin_password_reset_by_phone.language
    FROM public.begin_password_reset_by_phone(begin_password_reset_by_phone.new_id, begin_password_reset_by_phone.to_phone, begin_password_reset_by_phone.hash, begin_password_reset_by_phone.at) begin_password_reset_by_phone(outcome, language);
END;

COMMENT ON FUNCTION garden.begin_password_reset_by_phone(new_id uuid, to_phone text, hash bytea, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION garden.begin_phone_change(new_id uuid, owner_lane smallint, owner uuid, to_phone text, hash bytea, at timestamp with time zone) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN begin_phone_change(new_id, garden.account_lane(), owner, to_phone, hash, at);
END
$$;

COMMENT ON FUNCTION garden.begin_phone_change(new_id uuid, owner_lane smallint, owner uuid, to_phone text, hash bytea, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION garden.begin_request(owner_lane smallint, owner uuid, session uuid, wanted text, hash bytea, new_attempt uuid, at timestamp with time zone) RETURNS TABLE(state text, status smallint, body bytea)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION garden.begin_request(owner_lane smallint, owner uuid, session uuid, wanted text, hash bytea, new_attempt uuid, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.begin_sign_up(new_id uuid, to_address text, hash bytea, at timestamp with time zone) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.begin_sign_up(new_id uuid, to_address text, hash bytea, at timestamp with time zone) IS 'Stores the code of somebody who wants an account: new, or known if the e-mail has one, or limited.';

CREATE FUNCTION garden.begin_sign_up(new_id uuid, to_address text, hash bytea, at timestamp with time zone) RETURNS text
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    RETURN public.begin_sign_up(new_id, to_address, hash, at);

COMMENT ON FUNCTION garden.begin_sign_up(new_id uuid, to_address text, hash bytea, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.change_account_email(lane smallint, account_id uuid, email text) RETURNS boolean
    LANGUAGE plpgsql
    AS $_$
BEGIN
    UPDATE account_email SET email = lower($3) WHERE account_email.lane = $1 AND account_email.account_id = $2;
    IF NOT FOUND THEN
        INSERT INTO account_email (lane, account_id, email) VALUES ($1, $2, lower($3));
    END IF;
    -- Both here, so that no session for one account can give it an e-mail that belongs to somebody else.
    UPDATE account SET email = $3, version = account.version + 1 WHERE account.lane = $1 AND account.id = $2;
    PERFORM note_changes($1, $2, now(), ARRAY['settings'::change_kind], ARRAY[$2], ARRAY[0]);
    RETURN true;
EXCEPTION
    WHEN unique_violation THEN
        RETURN false;
END
$_$;

COMMENT ON FUNCTION public.change_account_email(lane smallint, account_id uuid, email text) IS 'Gives an account another e-mail, by which alone it is then found; false where another account has it.';

CREATE FUNCTION garden.change_account_email(lane smallint, account_id uuid, email text) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'garden', 'public', 'pg_temp'
    RETURN public.change_account_email(lane, account_id, email);

COMMENT ON FUNCTION garden.change_account_email(lane smallint, account_id uuid, email text) IS 'The same for the account that the session acts for.';

CREATE FUNCTION public.check_code(wanted_id uuid, wanted public.code_purpose, hash bytea, at timestamp with time zone) RETURNS TABLE(outcome text, address text)
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.check_code(wanted_id uuid, wanted public.code_purpose, hash bytea, at timestamp with time zone) IS 'Whether a code is right and valid: done, with the address to which it went, or code_expired, too_many_tries or code_wrong. A wrong one is counted.';

CREATE FUNCTION garden.check_code(wanted_id uuid, wanted public.code_purpose, hash bytea, at timestamp with time zone) RETURNS TABLE(outcome text, address text)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT check_code.outcome,
     check_code.address
    FROM public.check_code(check_code.wanted_id, check_code.wanted, check_code.hash, check_code.at) check_code(outcome, address);
END;

COMMENT ON FUNCTION garden.check_code(wanted_id uuid, wanted public.code_purpose, hash bytea, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.check_password(wanted_email text, given_tag bytea, address_key bytea, at timestamp with time zone) RETURNS TABLE(wait_seconds integer, lane smallint, account_id uuid)
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.check_password(wanted_email text, given_tag bytea, address_key bytea, at timestamp with time zone) IS 'The account whose password has this tag; null if it is wrong, or if its e-mail or the network address must wait.';

CREATE FUNCTION garden.check_password(wanted_email text, given_tag bytea, address_key bytea, at timestamp with time zone) RETURNS TABLE(wait_seconds integer, lane smallint, account_id uuid)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT check_password.wait_seconds,
     check_password.lane,
     check_password.account_id
    FROM public.check_password(check_password.wanted_email, check_password.given_tag, check_password.address_key, check_password.at) check_password(wait_seconds, lane, account_id);
END;

COMMENT ON FUNCTION garden.check_password(wanted_email text, given_tag bytea, address_key bytea, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.commit_request(owner_lane smallint, session uuid, wanted text, own_attempt uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.commit_request(owner_lane smallint, session uuid, wanted text, own_attempt uuid) IS 'Notes, in the transaction that changes something for a request, that it did; fails if another attempt took over.';

CREATE FUNCTION garden.commit_request(owner_lane smallint, session uuid, wanted text, own_attempt uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    RETURN public.commit_request(owner_lane, session, wanted, own_attempt);

COMMENT ON FUNCTION garden.commit_request(owner_lane smallint, session uuid, wanted text, own_attempt uuid) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION garden.confirm_email(owner_lane smallint, owner uuid, hash bytea, at timestamp with time zone) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN confirm_email(garden.account_lane(), owner, hash, at);
END
$$;

COMMENT ON FUNCTION garden.confirm_email(owner_lane smallint, owner uuid, hash bytea, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION garden.confirm_phone(owner_lane smallint, owner uuid, hash bytea, at timestamp with time zone) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN confirm_phone(garden.account_lane(), owner, hash, at);
END
$$;

COMMENT ON FUNCTION garden.confirm_phone(owner_lane smallint, owner uuid, hash bytea, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.delete_account_blocks(lane smallint, account_id uuid, ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    AS $_$
BEGIN
    DELETE FROM account_block AS block WHERE block.lane = $1 AND block.account_id = $2 AND block.id = ANY ($3);
END
$_$;

COMMENT ON FUNCTION public.delete_account_blocks(lane smallint, account_id uuid, ids uuid[]) IS 'Unblocks accounts.';

CREATE FUNCTION garden.delete_account_blocks(lane smallint, account_id uuid, ids uuid[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'garden', 'public', 'pg_temp'
    RETURN public.delete_account_blocks(lane, account_id, ids);

COMMENT ON FUNCTION garden.delete_account_blocks(lane smallint, account_id uuid, ids uuid[]) IS 'The same for the account that the session acts for.';

CREATE FUNCTION public.delete_calendar_feeds(lane smallint, account_id uuid, ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    AS $_$
BEGIN
    DELETE FROM calendar_feed
    WHERE calendar_feed.lane = $1 AND calendar_feed.account_id = $2 AND calendar_feed.id = ANY ($3);
END
$_$;

COMMENT ON FUNCTION public.delete_calendar_feeds(lane smallint, account_id uuid, ids uuid[]) IS 'Withdraws links to the calendar of an account.';

CREATE FUNCTION garden.delete_calendar_feeds(lane smallint, account_id uuid, ids uuid[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'garden', 'public', 'pg_temp'
    RETURN public.delete_calendar_feeds(lane, account_id, ids);

COMMENT ON FUNCTION garden.delete_calendar_feeds(lane smallint, account_id uuid, ids uuid[]) IS 'The same for the account that the session acts for.';

CREATE FUNCTION public.delete_cycle_changes(lane smallint, plant_ids uuid[], changed_at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $_$
BEGIN
    DELETE FROM cycle_change
    WHERE cycle_change.lane = $1 AND cycle_change.plant_id = ANY (plant_ids) AND cycle_change.changed_at = $3;
END
$_$;

COMMENT ON FUNCTION public.delete_cycle_changes(lane smallint, plant_ids uuid[], changed_at timestamp with time zone) IS 'Deletes the due dates that an import set for some plants at one instant.';

CREATE FUNCTION garden.delete_cycle_changes(lane smallint, plant_ids uuid[], changed_at timestamp with time zone) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'garden', 'public', 'pg_temp'
    RETURN public.delete_cycle_changes(lane, plant_ids, changed_at);

COMMENT ON FUNCTION garden.delete_cycle_changes(lane smallint, plant_ids uuid[], changed_at timestamp with time zone) IS 'The same for the account that the session acts for.';

CREATE FUNCTION public.delete_draft_list(lane smallint, account_id uuid, id uuid) RETURNS void
    LANGUAGE plpgsql
    AS $_$
BEGIN
    DELETE FROM shopping_list AS list
    WHERE list.lane = $1 AND list.account_id = $2 AND list.id = $3 AND list.opened_at IS NULL;
END
$_$;

COMMENT ON FUNCTION public.delete_draft_list(lane smallint, account_id uuid, id uuid) IS 'Deletes a list that was never opened.';

CREATE FUNCTION garden.delete_draft_list(lane smallint, account_id uuid, id uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'garden', 'public', 'pg_temp'
    RETURN public.delete_draft_list(lane, account_id, id);

COMMENT ON FUNCTION garden.delete_draft_list(lane smallint, account_id uuid, id uuid) IS 'The same for the account that the session acts for.';

CREATE FUNCTION public.delete_list_news(lane smallint, account_id uuid, list_id uuid, recipient uuid, version bigint) RETURNS void
    LANGUAGE plpgsql
    AS $_$
BEGIN
    DELETE FROM list_news AS news
    WHERE news.lane = $1 AND news.account_id = $2 AND news.list_id = $3 AND news.recipient_id = $4 AND news.list_version <= $5;
END
$_$;

COMMENT ON FUNCTION public.delete_list_news(lane smallint, account_id uuid, list_id uuid, recipient uuid, version bigint) IS 'Deletes news of a list that was delivered, unless newer news has been noted.';

CREATE FUNCTION garden.delete_list_news(lane smallint, account_id uuid, list_id uuid, recipient uuid, version bigint) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'garden', 'public', 'pg_temp'
    RETURN public.delete_list_news(lane, account_id, list_id, recipient, version);

COMMENT ON FUNCTION garden.delete_list_news(lane smallint, account_id uuid, list_id uuid, recipient uuid, version bigint) IS 'The same for the account that the session acts for.';

CREATE FUNCTION public.delete_pauses(lane smallint, account_id uuid, ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    AS $_$
BEGIN
    DELETE FROM pause WHERE pause.lane = $1 AND pause.account_id = $2 AND pause.id = ANY ($3);
END
$_$;

COMMENT ON FUNCTION public.delete_pauses(lane smallint, account_id uuid, ids uuid[]) IS 'Deletes pauses of an account that never began, or are long over.';

CREATE FUNCTION garden.delete_pauses(lane smallint, account_id uuid, ids uuid[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'garden', 'public', 'pg_temp'
    RETURN public.delete_pauses(lane, account_id, ids);

COMMENT ON FUNCTION garden.delete_pauses(lane smallint, account_id uuid, ids uuid[]) IS 'The same for the account that the session acts for.';

CREATE FUNCTION garden.delete_phone(owner_lane smallint, owner uuid, at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM garden.require_account(owner);
    PERFORM delete_phone(garden.account_lane(), owner, at);
END
$$;

COMMENT ON FUNCTION garden.delete_phone(owner_lane smallint, owner uuid, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.delete_plant_tags(lane smallint, plant_ids uuid[], tag_ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    AS $_$
BEGIN
    -- Without statistics, the planner would read all rows of the lane; the first and the last plant bound what it reads.
    DELETE FROM plant_tag USING unnest(plant_ids, tag_ids) AS removed (plant_id, tag_id)
    WHERE plant_tag.lane = $1 AND plant_tag.plant_id = removed.plant_id AND plant_tag.tag_id = removed.tag_id
        AND plant_tag.plant_id >= (SELECT id FROM unnest(plant_ids) AS id ORDER BY id LIMIT 1)
        AND plant_tag.plant_id <= (SELECT id FROM unnest(plant_ids) AS id ORDER BY id DESC LIMIT 1);
END
$_$;

COMMENT ON FUNCTION public.delete_plant_tags(lane smallint, plant_ids uuid[], tag_ids uuid[]) IS 'Takes tags from plants, given as pairs of a plant and a tag.';

CREATE FUNCTION garden.delete_plant_tags(lane smallint, plant_ids uuid[], tag_ids uuid[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'garden', 'public', 'pg_temp'
    RETURN public.delete_plant_tags(lane, plant_ids, tag_ids);

COMMENT ON FUNCTION garden.delete_plant_tags(lane smallint, plant_ids uuid[], tag_ids uuid[]) IS 'The same for the account that the session acts for.';

CREATE FUNCTION public.delete_plants(lane smallint, account_id uuid, ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    AS $_$
BEGIN
    DELETE FROM plant WHERE plant.lane = $1 AND plant.account_id = $2 AND plant.id = ANY (ids);
END
$_$;

COMMENT ON FUNCTION public.delete_plants(lane smallint, account_id uuid, ids uuid[]) IS 'Deletes plants of an account, with all that happened to them.';

CREATE FUNCTION garden.delete_plants(lane smallint, account_id uuid, ids uuid[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'garden', 'public', 'pg_temp'
    RETURN public.delete_plants(lane, account_id, ids);

COMMENT ON FUNCTION garden.delete_plants(lane smallint, account_id uuid, ids uuid[]) IS 'The same for the account that the session acts for.';

CREATE FUNCTION public.delete_tags(lane smallint, account_id uuid, ids uuid[], unless_used boolean) RETURNS void
    LANGUAGE plpgsql
    AS $_$
BEGIN
    DELETE FROM tag WHERE tag.lane = $1 AND tag.account_id = $2 AND tag.id = ANY ($3) AND NOT (
        unless_used AND (
            EXISTS (SELECT 1 FROM plant_tag WHERE plant_tag.lane = $1 AND plant_tag.tag_id = tag.id)
            OR EXISTS (SELECT 1 FROM thing_tag WHERE thing_tag.lane = $1 AND thing_tag.tag_id = tag.id)));
END
$_$;

COMMENT ON FUNCTION public.delete_tags(lane smallint, account_id uuid, ids uuid[], unless_used boolean) IS 'Deletes tags of an account, all of them or those that no plant has.';

CREATE FUNCTION garden.delete_tags(lane smallint, account_id uuid, ids uuid[], unless_used boolean) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'garden', 'public', 'pg_temp'
    RETURN public.delete_tags(lane, account_id, ids, unless_used);

COMMENT ON FUNCTION garden.delete_tags(lane smallint, account_id uuid, ids uuid[], unless_used boolean) IS 'The same for the account that the session acts for.';

CREATE FUNCTION public.delete_thing_shares(lane smallint, account_id uuid, ids uuid[], at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $_$
BEGIN
    DELETE FROM thing_share
    WHERE thing_share.lane = $1 AND thing_share.account_id = $2
        AND (thing_share.id = ANY ($3) OR thing_share.expires_at <= $4);
END
$_$;

COMMENT ON FUNCTION public.delete_thing_shares(lane smallint, account_id uuid, ids uuid[], at timestamp with time zone) IS 'Withdraws links of an account to reminders, and deletes those that are over.';

CREATE FUNCTION garden.delete_thing_shares(lane smallint, account_id uuid, ids uuid[], at timestamp with time zone) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'garden', 'public', 'pg_temp'
    RETURN public.delete_thing_shares(lane, account_id, ids, at);

COMMENT ON FUNCTION garden.delete_thing_shares(lane smallint, account_id uuid, ids uuid[], at timestamp with time zone) IS 'The same for the account that the session acts for.';

CREATE FUNCTION public.delete_thing_tags(lane smallint, account_id uuid, thing_id uuid, tag_ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    AS $_$
BEGIN
    DELETE FROM thing_tag
    WHERE thing_tag.lane = $1 AND thing_tag.account_id = $2 AND thing_tag.thing_id = $3 AND thing_tag.tag_id = ANY ($4);
END
$_$;

COMMENT ON FUNCTION public.delete_thing_tags(lane smallint, account_id uuid, thing_id uuid, tag_ids uuid[]) IS 'Takes tags from a thing.';

CREATE FUNCTION garden.delete_thing_tags(lane smallint, account_id uuid, thing_id uuid, tag_ids uuid[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'garden', 'public', 'pg_temp'
    RETURN public.delete_thing_tags(lane, account_id, thing_id, tag_ids);

COMMENT ON FUNCTION garden.delete_thing_tags(lane smallint, account_id uuid, thing_id uuid, tag_ids uuid[]) IS 'The same for the account that the session acts for.';

CREATE FUNCTION public.delete_things(lane smallint, account_id uuid, ids uuid[]) RETURNS void
    LANGUAGE plpgsql
    AS $_$
BEGIN
    DELETE FROM thing WHERE thing.lane = $1 AND thing.account_id = $2 AND thing.id = ANY ($3);
END
$_$;

COMMENT ON FUNCTION public.delete_things(lane smallint, account_id uuid, ids uuid[]) IS 'Deletes things of an account, with all that happened to them.';

CREATE FUNCTION garden.delete_things(lane smallint, account_id uuid, ids uuid[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'garden', 'public', 'pg_temp'
    RETURN public.delete_things(lane, account_id, ids);

COMMENT ON FUNCTION garden.delete_things(lane smallint, account_id uuid, ids uuid[]) IS 'The same for the account that the session acts for.';

CREATE FUNCTION garden.end_sessions(owner_lane smallint, owner uuid, ended uuid, kept uuid) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN end_sessions(garden.account_lane(), owner, ended, kept);
END
$$;

COMMENT ON FUNCTION garden.end_sessions(owner_lane smallint, owner uuid, ended uuid, kept uuid) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION garden.erase_account(owner_lane smallint, owner uuid, proof uuid, at timestamp with time zone) RETURNS TABLE(table_name text, before bigint, after bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN QUERY SELECT * FROM erase_account(garden.account_lane(), owner, proof, at);
END
$$;

COMMENT ON FUNCTION garden.erase_account(owner_lane smallint, owner uuid, proof uuid, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.feed_owner(wanted_lane smallint, hash bytea) RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN (SELECT feed.account_id FROM calendar_feed AS feed WHERE feed.lane = wanted_lane AND feed.token_hash = hash);
END
$$;

COMMENT ON FUNCTION public.feed_owner(wanted_lane smallint, hash bytea) IS 'The account whose calendar a link shows; null without such a link.';

CREATE FUNCTION garden.feed_owner(wanted_lane smallint, hash bytea) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT public.feed_owner(wanted_lane, hash) AS feed_owner;
END;

COMMENT ON FUNCTION garden.feed_owner(wanted_lane smallint, hash bytea) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION garden.has_password(owner_lane smallint, owner uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN has_password(garden.account_lane(), owner);
END
$$;

COMMENT ON FUNCTION garden.has_password(owner_lane smallint, owner uuid) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION garden.link_identity(owner_lane smallint, owner uuid, vouching public.identity_provider, new_subject text, new_email text, at timestamp with time zone) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN link_identity(garden.account_lane(), owner, vouching, new_subject, new_email, at);
END
$$;

COMMENT ON FUNCTION garden.link_identity(owner_lane smallint, owner uuid, vouching public.identity_provider, new_subject text, new_email text, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.list_owner(wanted_lane smallint, wanted uuid) RETURNS uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN (SELECT list.account_id FROM shopping_list AS list WHERE list.lane = wanted_lane AND list.id = wanted);
END
$$;

COMMENT ON FUNCTION public.list_owner(wanted_lane smallint, wanted uuid) IS 'The owner of a list; null without such a list.';

CREATE FUNCTION garden.list_owner(wanted_lane smallint, wanted uuid) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT public.list_owner(wanted_lane, wanted) AS list_owner;
END;

COMMENT ON FUNCTION garden.list_owner(wanted_lane smallint, wanted uuid) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION garden.make_calendar_partition(instant timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    marks text := format('%I.database_mark', current_schema());
    is_test boolean := false;
BEGIN
    -- Databases for tests live in other years than their server.
    IF to_regclass(marks) IS NOT NULL THEN
        EXECUTE format('SELECT EXISTS (SELECT FROM %s WHERE purpose = ''test'')', marks) INTO is_test;
    END IF;
    IF NOT is_test AND NOT (instant >= now() - interval '1 month' AND instant < now() + interval '14 months') THEN
        RAISE EXCEPTION 'a session for one account plans from a month ago to 14 months ahead, which % is not', instant
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM make_partition('occurrence', 'month', instant);
END
$$;

COMMENT ON FUNCTION garden.make_calendar_partition(instant timestamp with time zone) IS 'Makes the partition of the calendar for the month of an instant that a rule can plan, if it is missing.';

CREATE FUNCTION garden.nearby_lists(caller_lane smallint, caller uuid, at timestamp with time zone, reach double precision, most integer) RETURNS TABLE(id uuid, nickname text, entry_count integer, expires_at timestamp with time zone, distance integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM garden.require_account(caller);
    RETURN QUERY SELECT * FROM nearby_lists(garden.account_lane(), caller, at, reach, most);
END
$$;

COMMENT ON FUNCTION garden.nearby_lists(caller_lane smallint, caller uuid, at timestamp with time zone, reach double precision, most integer) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION garden.newest_changes(wanted_lane smallint, wanted uuid[]) RETURNS TABLE(session_id uuid, number bigint, noted_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN QUERY SELECT * FROM newest_changes(wanted_lane, wanted);
END
$$;

COMMENT ON FUNCTION garden.newest_changes(wanted_lane smallint, wanted uuid[]) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION garden.note_changes(owner_lane smallint, owner uuid, at timestamp with time zone, changed_kinds public.change_kind[], changed_ids uuid[], changed_numbers integer[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM garden.require_account(owner);
    PERFORM note_changes(garden.account_lane(), owner, at, changed_kinds, changed_ids, changed_numbers);
END
$$;

COMMENT ON FUNCTION garden.note_changes(owner_lane smallint, owner uuid, at timestamp with time zone, changed_kinds public.change_kind[], changed_ids uuid[], changed_numbers integer[]) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.password_challenge(wanted_email text, address_key bytea, at timestamp with time zone) RETURNS TABLE(wait integer, salt bytea, memory_kib integer, passes smallint)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.password_challenge(wanted_email text, address_key bytea, at timestamp with time zone) IS 'What a program needs to make the tag of a password: salt and costs, null if there is no account, or no password. Whoever has to wait learns it here, before the program computes anything expensive.';

CREATE FUNCTION garden.password_challenge(wanted_email text, address_key bytea, at timestamp with time zone) RETURNS TABLE(wait integer, salt bytea, memory_kib integer, passes smallint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT password_challenge.wait,
     password_challenge.salt,
     password_challenge.memory_kib,
     password_challenge.passes
    FROM public.password_challenge(password_challenge.wanted_email, password_challenge.address_key, password_challenge.at) password_challenge(wait, salt, memory_kib, passes);
END;

COMMENT ON FUNCTION garden.password_challenge(wanted_email text, address_key bytea, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION garden.remove_devices(owner uuid, gone uuid[]) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF owner IS DISTINCT FROM garden.account_id() THEN
        RAISE EXCEPTION 'the session does not act for account %', owner USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN remove_devices(owner, gone);
END
$$;

COMMENT ON FUNCTION garden.remove_devices(owner uuid, gone uuid[]) IS 'remove_devices for the account that the setting cherish.account names, and for no other.';

CREATE FUNCTION garden.renew_sign_in(owner_lane smallint, owner uuid, renewed uuid, at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM garden.require_account(owner);
    PERFORM renew_sign_in(garden.account_lane(), owner, renewed, at);
END
$$;

COMMENT ON FUNCTION garden.renew_sign_in(owner_lane smallint, owner uuid, renewed uuid, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.renew_token(wanted_lane smallint, wanted_id uuid, secret bytea, new_secret bytea, at timestamp with time zone) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.renew_token(wanted_lane smallint, wanted_id uuid, secret bytea, new_secret bytea, at timestamp with time zone) IS 'Gives a session another token, so that the one before is worth nothing, and returns the account; null if there is no such session.';

CREATE FUNCTION garden.renew_token(wanted_lane smallint, wanted_id uuid, secret bytea, new_secret bytea, at timestamp with time zone) RETURNS uuid
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT public.renew_token(wanted_lane, wanted_id, secret, new_secret, at) AS renew_token;
END;

COMMENT ON FUNCTION garden.renew_token(wanted_lane smallint, wanted_id uuid, secret bytea, new_secret bytea, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION garden.require_account(owner uuid) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF owner IS DISTINCT FROM garden.account_id() OR owner IS NULL THEN
        RAISE EXCEPTION 'the session does not act for account %', owner USING ERRCODE = 'insufficient_privilege';
    END IF;
END
$$;

COMMENT ON FUNCTION garden.require_account(owner uuid) IS 'Refuses whoever does not act for the account.';

CREATE FUNCTION public.reset_password(code_id uuid, hash bytea, new_salt bytea, new_tag bytea, new_memory_kib integer, new_passes smallint, at timestamp with time zone) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.reset_password(code_id uuid, hash bytea, new_salt bytea, new_tag bytea, new_memory_kib integer, new_passes smallint, at timestamp with time zone) IS 'Sets the password of the account that the code is about, if the code is right, and ends all its sessions.';

CREATE FUNCTION garden.reset_password(code_id uuid, hash bytea, new_salt bytea, new_tag bytea, new_memory_kib integer, new_passes smallint, at timestamp with time zone) RETURNS text
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    RETURN public.reset_password(code_id, hash, new_salt, new_tag, new_memory_kib, new_passes, at);

COMMENT ON FUNCTION garden.reset_password(code_id uuid, hash bytea, new_salt bytea, new_tag bytea, new_memory_kib integer, new_passes smallint, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION garden.set_password(owner_lane smallint, owner uuid, new_salt bytea, new_tag bytea, new_memory_kib integer, new_passes smallint, kept_session uuid, at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM garden.require_account(owner);
    PERFORM set_password(
        garden.account_lane(), owner, new_salt, new_tag, new_memory_kib, new_passes, kept_session, at);
END
$$;

COMMENT ON FUNCTION garden.set_password(owner_lane smallint, owner uuid, new_salt bytea, new_tag bytea, new_memory_kib integer, new_passes smallint, kept_session uuid, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.shared_thing(wanted_lane smallint, hash bytea, at timestamp with time zone) RETURNS TABLE(account_id uuid, thing_id uuid)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN QUERY
        SELECT share.account_id, share.thing_id FROM thing_share AS share
        JOIN thing ON thing.lane = wanted_lane AND thing.account_id = share.account_id AND thing.id = share.thing_id
        WHERE share.lane = wanted_lane AND share.token_hash = hash AND share.expires_at > at AND thing.done_on IS NULL;
END
$$;

COMMENT ON FUNCTION public.shared_thing(wanted_lane smallint, hash bytea, at timestamp with time zone) IS 'The thing that a link shows, and its account; no row for a link that is over or withdrawn, or if the thing is done.';

CREATE FUNCTION garden.shared_thing(wanted_lane smallint, hash bytea, at timestamp with time zone) RETURNS TABLE(account_id uuid, thing_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT shared_thing.account_id,
     shared_thing.thing_id
    FROM public.shared_thing(shared_thing.wanted_lane, shared_thing.hash, shared_thing.at) shared_thing(account_id, thing_id);
END;

COMMENT ON FUNCTION garden.shared_thing(wanted_lane smallint, hash bytea, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.sign_in(wanted_email text, given_tag bytea, address_key bytea, session_id uuid, secret bytea, device text, at timestamp with time zone) RETURNS TABLE(wait_seconds integer, lane smallint, account_id uuid)
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.sign_in(wanted_email text, given_tag bytea, address_key bytea, session_id uuid, secret bytea, device text, at timestamp with time zone) IS 'Begins a session if the password is right; otherwise like check_password.';

CREATE FUNCTION garden.sign_in(wanted_email text, given_tag bytea, address_key bytea, session_id uuid, secret bytea, device text, at timestamp with time zone) RETURNS TABLE(wait_seconds integer, lane smallint, account_id uuid)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT sign_in.wait_seconds,
     sign_in.lane,
     sign_in.account_id
    FROM public.sign_in(sign_in.wanted_email, sign_in.given_tag, sign_in.address_key, sign_in.session_id, sign_in.secret, sign_in.device, sign_in.at) sign_in(wait_seconds, lane, account_id);
END;

COMMENT ON FUNCTION garden.sign_in(wanted_email text, given_tag bytea, address_key bytea, session_id uuid, secret bytea, device text, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.sign_in_with_identity(vouching public.identity_provider, wanted_subject text, session_id uuid, secret bytea, device text, at timestamp with time zone) RETURNS TABLE(lane smallint, account_id uuid)
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.sign_in_with_identity(vouching public.identity_provider, wanted_subject text, session_id uuid, secret bytea, device text, at timestamp with time zone) IS 'Begins a session of the account that has the identity; no row if none has.';

CREATE FUNCTION garden.sign_in_with_identity(vouching public.identity_provider, wanted_subject text, session_id uuid, secret bytea, device text, at timestamp with time zone) RETURNS TABLE(lane smallint, account_id uuid)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT sign_in_with_identity.lane,
     sign_in_with_identity.account_id
    FROM public.sign_in_with_identity(sign_in_with_identity.vouching, sign_in_with_identity.wanted_subject, sign_in_with_identity.session_id, sign_in_with_identity.secret, sign_in_with_identity.device, sign_in_with_identity.at) sign_in_with_identity(lane, account_id);
END;

COMMENT ON FUNCTION garden.sign_in_with_identity(vouching public.identity_provider, wanted_subject text, session_id uuid, secret bytea, device text, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.sign_up(code_id uuid, hash bytea, new_lane smallint, new_account uuid, new_nickname text, new_phone text, new_zone text, new_language public.language, new_salt bytea, new_tag bytea, new_memory_kib integer, new_passes smallint, session_id uuid, secret bytea, device text, at timestamp with time zone) RETURNS TABLE(outcome text, email text)
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.sign_up(code_id uuid, hash bytea, new_lane smallint, new_account uuid, new_nickname text, new_phone text, new_zone text, new_language public.language, new_salt bytea, new_tag bytea, new_memory_kib integer, new_passes smallint, session_id uuid, secret bytea, device text, at timestamp with time zone) IS 'Adds an account with a password and a session, if the code is right. The e-mail is the one to which the code went.';

CREATE FUNCTION garden.sign_up(code_id uuid, hash bytea, new_lane smallint, new_account uuid, new_nickname text, new_phone text, new_zone text, new_language public.language, new_salt bytea, new_tag bytea, new_memory_kib integer, new_passes smallint, session_id uuid, secret bytea, device text, at timestamp with time zone) RETURNS TABLE(outcome text, email text)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT sign_up.outcome,
     sign_up.email
    FROM public.sign_up(sign_up.code_id, sign_up.hash, sign_up.new_lane, sign_up.new_account, sign_up.new_nickname, sign_up.new_phone, sign_up.new_zone, sign_up.new_language, sign_up.new_salt, sign_up.new_tag, sign_up.new_memory_kib, sign_up.new_passes, sign_up.session_id, sign_up.secret, sign_up.device, sign_up.at) sign_up(outcome, email);
END;

COMMENT ON FUNCTION garden.sign_up(code_id uuid, hash bytea, new_lane smallint, new_account uuid, new_nickname text, new_phone text, new_zone text, new_language public.language, new_salt bytea, new_tag bytea, new_memory_kib integer, new_passes smallint, session_id uuid, secret bytea, device text, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.sign_up_with_identity(vouching public.identity_provider, new_subject text, new_email text, new_lane smallint, new_account uuid, new_nickname text, new_phone text, new_zone text, new_language public.language, session_id uuid, secret bytea, device text, at timestamp with time zone) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.sign_up_with_identity(vouching public.identity_provider, new_subject text, new_email text, new_lane smallint, new_account uuid, new_nickname text, new_phone text, new_zone text, new_language public.language, session_id uuid, secret bytea, device text, at timestamp with time zone) IS 'Adds an account without a password, with an identity and a session. The provider has confirmed the e-mail. Otherwise: an account has the identity (identity_taken), or the e-mail (email_known).';

CREATE FUNCTION garden.sign_up_with_identity(vouching public.identity_provider, new_subject text, new_email text, new_lane smallint, new_account uuid, new_nickname text, new_phone text, new_zone text, new_language public.language, session_id uuid, secret bytea, device text, at timestamp with time zone) RETURNS text
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    RETURN public.sign_up_with_identity(vouching, new_subject, new_email, new_lane, new_account, new_nickname, new_phone, new_zone, new_language, session_id, secret, device, at);

COMMENT ON FUNCTION garden.sign_up_with_identity(vouching public.identity_provider, new_subject text, new_email text, new_lane smallint, new_account uuid, new_nickname text, new_phone text, new_zone text, new_language public.language, session_id uuid, secret bytea, device text, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.take_attempt(wanted bytea, capacity integer, at timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.take_attempt(wanted bytea, capacity integer, at timestamp with time zone) IS 'Counts an attempt. Returns 0, or the seconds to wait if the bucket is full; then it counts nothing.';

CREATE FUNCTION garden.take_attempt(wanted bytea, capacity integer, at timestamp with time zone) RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    RETURN public.take_attempt(wanted, capacity, at);

COMMENT ON FUNCTION garden.take_attempt(wanted bytea, capacity integer, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION garden.take_device_token(owner uuid, wanted_platform public.device_platform, wanted_token text, new_device uuid) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    IF owner IS DISTINCT FROM garden.account_id() THEN
        RAISE EXCEPTION 'the session does not act for account %', owner USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN take_device_token(owner, wanted_platform, wanted_token, new_device);
END
$$;

COMMENT ON FUNCTION garden.take_device_token(owner uuid, wanted_platform public.device_platform, wanted_token text, new_device uuid) IS 'take_device_token for the account that the setting cherish.account names, and for no other.';

CREATE FUNCTION garden.unlink_identity(owner_lane smallint, owner uuid, vouching public.identity_provider) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN unlink_identity(garden.account_lane(), owner, vouching);
END
$$;

COMMENT ON FUNCTION garden.unlink_identity(owner_lane smallint, owner uuid, vouching public.identity_provider) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.use_push_action(wanted_lane smallint, hash bytea, at timestamp with time zone) RETURNS TABLE(account_id uuid, subject_id uuid, topic public.topic, ref bigint, action text)
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.use_push_action(wanted_lane smallint, hash bytea, at timestamp with time zone) IS 'What a token of a notification allows, to whoever has its hash; no row if it was used, is over, or its device is gone.';

CREATE FUNCTION garden.use_push_action(wanted_lane smallint, hash bytea, at timestamp with time zone) RETURNS TABLE(account_id uuid, subject_id uuid, topic public.topic, ref bigint, action text)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT use_push_action.account_id,
     use_push_action.subject_id,
     use_push_action.topic,
     use_push_action.ref,
     use_push_action.action
    FROM public.use_push_action(use_push_action.wanted_lane, use_push_action.hash, use_push_action.at) use_push_action(account_id, subject_id, topic, ref, action);
END;

COMMENT ON FUNCTION garden.use_push_action(wanted_lane smallint, hash bytea, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.use_session(wanted_lane smallint, wanted_id uuid, secret bytea, at timestamp with time zone) RETURNS TABLE(account_id uuid, signed_in_at timestamp with time zone)
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.use_session(wanted_lane smallint, wanted_id uuid, secret bytea, at timestamp with time zone) IS 'The account of a token, and when it signed in; no row if there is no such session. Notes the use once an hour.';

CREATE FUNCTION garden.use_session(wanted_lane smallint, wanted_id uuid, secret bytea, at timestamp with time zone) RETURNS TABLE(account_id uuid, signed_in_at timestamp with time zone)
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT use_session.account_id,
     use_session.signed_in_at
    FROM public.use_session(use_session.wanted_lane, use_session.wanted_id, use_session.secret, use_session.at) use_session(account_id, signed_in_at);
END;

COMMENT ON FUNCTION garden.use_session(wanted_lane smallint, wanted_id uuid, secret bytea, at timestamp with time zone) IS 'The same with the rights of the owner, for sessions.';

CREATE FUNCTION public.account_position(owner_lane smallint, owner uuid) RETURNS TABLE(area text, latitude double precision, longitude double precision)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    wanted_key text;
    wanted_country text;
BEGIN
    SELECT upper(translate(account.postcode, ' -', '')), account.country INTO wanted_key, wanted_country
    FROM account WHERE account.lane = owner_lane AND account.id = owner;
    -- Without a country the code must be one of a single country.
    RETURN QUERY
        SELECT min(known.country) || '-' || left(wanted_key, 2), min(known.latitude), min(known.longitude)
        FROM postcode AS known
        WHERE known.key = wanted_key AND (wanted_country IS NULL OR known.country = wanted_country)
        HAVING count(*) = 1;
END
$$;

COMMENT ON FUNCTION public.account_position(owner_lane smallint, owner uuid) IS 'The centre of an account''s postcode, with its country and first two characters; no row if the catalogue does not know it, or knows it in several countries and the account names none.';

CREATE FUNCTION public.analyze_gardens() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET lock_timeout TO '10s'
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    -- Of the widest tables, only the columns by which commands find rows.
    ANALYZE plant (lane, id, account_id, phone, removed_at), occurrence, watering, cycle_change, plant_tag,
        import_change (lane, batch_id, plant_id), thing, thing_tag;
END
$$;

COMMENT ON FUNCTION public.analyze_gardens() IS 'Tells the planner what the tables of gardens hold, after an import of many friends.';

CREATE FUNCTION public.begin_code(new_id uuid, wanted public.code_purpose, to_address text, owner_lane smallint, owner uuid, hash bytea, at timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.begin_code(new_id uuid, wanted public.code_purpose, to_address text, owner_lane smallint, owner uuid, hash bytea, at timestamp with time zone) IS 'Stores a code that is about to be sent. False if the address has had three within an hour, or ten within a day.';

CREATE FUNCTION public.begin_email_change(new_id uuid, owner_lane smallint, owner uuid, to_address text, hash bytea, at timestamp with time zone) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.begin_email_change(new_id uuid, owner_lane smallint, owner uuid, to_address text, hash bytea, at timestamp with time zone) IS 'Stores the code that confirms another e-mail: new, or known if another account has it, or limited (rule 12.6).';

CREATE FUNCTION public.begin_phone_change(new_id uuid, owner_lane smallint, owner uuid, to_phone text, hash bytea, at timestamp with time zone) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.begin_phone_change(new_id uuid, owner_lane smallint, owner uuid, to_phone text, hash bytea, at timestamp with time zone) IS 'Stores the code that confirms a phone: new, or limited (rule 12.6).';

CREATE FUNCTION public.begin_request(owner_lane smallint, owner uuid, session uuid, wanted text, hash bytea, new_attempt uuid, at timestamp with time zone) RETURNS TABLE(state text, status smallint, body bytea)
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.begin_request(owner_lane smallint, owner uuid, session uuid, wanted text, hash bytea, new_attempt uuid, at timestamp with time zone) IS 'Claims a request for an attempt. Otherwise: another body (mismatch), its answer (answered), running elsewhere (running), or done by a server that could not store its answer (unanswered).';

CREATE FUNCTION public.begin_session(owner_lane smallint, owner uuid, new_id uuid, secret bytea, device text, at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    oldest uuid[];
BEGIN
    -- Nobody is signed in on more devices; the one that was unused for longest makes room. In a statement of its own, as Citus
    -- calls functions with a query inside on the node that answers it.
    oldest := ARRAY (
        SELECT old.id FROM account_session AS old WHERE old.lane = owner_lane AND old.account_id = owner
        ORDER BY old.used_at DESC, old.id OFFSET 49);
    IF cardinality(oldest) > 0 THEN
        PERFORM delete_sessions(owner_lane, owner, oldest);
    END IF;
    INSERT INTO account_session (lane, id, account_id, secret_hash, device_name, signed_in_at, used_at)
    VALUES (owner_lane, new_id, owner, secret, device, at, at);
    PERFORM note_changes(owner_lane, owner, at, ARRAY['session'::change_kind], ARRAY[new_id], ARRAY[0]);
END
$$;

COMMENT ON FUNCTION public.begin_session(owner_lane smallint, owner uuid, new_id uuid, secret bytea, device text, at timestamp with time zone) IS 'Adds a session; the account keeps its 49 newest others.';

CREATE FUNCTION public.wall_clock(instant timestamp with time zone, time_zone text) RETURNS timestamp without time zone
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (instant AT TIME ZONE CASE time_zone WHEN 'CET'::text THEN 'Europe/Brussels'::text WHEN 'MET'::text THEN 'Europe/Brussels'::text WHEN 'EET'::text THEN 'Europe/Athens'::text WHEN 'WET'::text THEN 'Atlantic/Canary'::text ELSE time_zone END);

COMMENT ON FUNCTION public.wall_clock(instant timestamp with time zone, time_zone text) IS 'What the clocks of an IANA zone show at an instant.';

CREATE FUNCTION public.civil_day(instant timestamp with time zone, time_zone text) RETURNS date
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (public.wall_clock(instant, time_zone))::date;

COMMENT ON FUNCTION public.civil_day(instant timestamp with time zone, time_zone text) IS 'The civil day that the clocks of an IANA zone show at an instant.';

CREATE FUNCTION public.late_civil_day(instant timestamp with time zone, time_zone text, day_end_minute smallint) RETURNS date
    LANGUAGE plpgsql IMMUTABLE STRICT COST 1 PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    day_end interval := make_interval(mins => day_end_minute);
    day date := (wall_clock(instant, time_zone) - day_end)::date;
    next_day timestamp := day + 1 + day_end;
    -- When the next day begins, by the offset of a day ago. Arithmetic in UTC, because that of timestamptz goes by the session.
    beginning timestamptz := (instant AT TIME ZONE 'UTC' + (
        next_day - wall_clock((instant AT TIME ZONE 'UTC' - interval '1 day') AT TIME ZONE 'UTC', time_zone) - interval '1 day'
    )) AT TIME ZONE 'UTC';
BEGIN
    -- Clocks that go back may show a time before the end of the day once more, when the next day has begun.
    RETURN CASE WHEN beginning <= instant AND wall_clock(beginning, time_zone) = next_day THEN day + 1 ELSE day END;
END
$$;

COMMENT ON FUNCTION public.late_civil_day(instant timestamp with time zone, time_zone text, day_end_minute smallint) IS 'The last civil day that has begun at an instant, where days begin so many minutes after midnight of an IANA zone.';

CREATE FUNCTION public.civil_day(instant timestamp with time zone, time_zone text, day_end_minute smallint) RETURNS date
    LANGUAGE sql IMMUTABLE COST 1 PARALLEL SAFE
    RETURN CASE day_end_minute WHEN 0 THEN public.civil_day(instant, time_zone) ELSE public.late_civil_day(instant, time_zone, day_end_minute) END;

COMMENT ON FUNCTION public.civil_day(instant timestamp with time zone, time_zone text, day_end_minute smallint) IS 'The civil day of an account at an instant, by its IANA zone and the minutes after midnight at which its days end (rule 13.4).';

CREATE FUNCTION public.confirm_email(owner_lane smallint, owner uuid, hash bytea, at timestamp with time zone) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.confirm_email(owner_lane smallint, owner uuid, hash bytea, at timestamp with time zone) IS 'Gives the account the e-mail that its newest code confirms, if the code is right.';

CREATE FUNCTION public.confirm_phone(owner_lane smallint, owner uuid, hash bytea, at timestamp with time zone) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.confirm_phone(owner_lane smallint, owner uuid, hash bytea, at timestamp with time zone) IS 'Gives the account the phone that its newest code confirms, if the code is right.';

CREATE TABLE public.push_day (
    recorded_on date NOT NULL,
    day date NOT NULL,
    topic public.topic NOT NULL,
    outcome public.push_outcome_kind NOT NULL,
    reason text NOT NULL,
    push_count bigint NOT NULL,
    delay_seconds double precision NOT NULL,
    longest_delay_seconds double precision NOT NULL,
    within_10_seconds_count bigint NOT NULL,
    within_1_minute_count bigint NOT NULL,
    within_10_minutes_count bigint NOT NULL,
    watered_count bigint NOT NULL,
    reviewed_count bigint NOT NULL,
    CONSTRAINT push_day_counts_range CHECK ((((push_count >= 0) AND (push_count <= '1000000000000'::bigint)) AND ((within_10_seconds_count >= 0) AND (within_10_seconds_count <= '1000000000000'::bigint)) AND ((within_1_minute_count >= 0) AND (within_1_minute_count <= '1000000000000'::bigint)) AND ((within_10_minutes_count >= 0) AND (within_10_minutes_count <= '1000000000000'::bigint)) AND ((watered_count >= 0) AND (watered_count <= '1000000000000'::bigint)) AND ((reviewed_count >= 0) AND (reviewed_count <= '1000000000000'::bigint)))),
    CONSTRAINT push_day_days_range CHECK ((((recorded_on >= '0001-01-01'::date) AND (recorded_on <= '9999-12-31'::date)) AND ((day >= '0001-01-01'::date) AND (day <= '9999-12-31'::date)))),
    CONSTRAINT push_day_delays_are_finite CHECK (((abs(delay_seconds) <= ('1000000000000000000000000'::numeric)::double precision) AND (abs(longest_delay_seconds) <= ('1000000000000'::numeric)::double precision)))
);

COMMENT ON TABLE public.push_day IS 'What is kept of a day of the log once all its pushes have ended: counts of the whole service, nothing about anybody.';

COMMENT ON COLUMN public.push_day.recorded_on IS 'The day of the log, in UTC by the database''s clock.';

COMMENT ON COLUMN public.push_day.day IS 'The civil day that the pushes were for, of each account in its own zone.';

COMMENT ON COLUMN public.push_day.topic IS 'What they were about.';

COMMENT ON COLUMN public.push_day.outcome IS 'How they ended.';

COMMENT ON COLUMN public.push_day.reason IS 'Why.';

COMMENT ON COLUMN public.push_day.push_count IS 'How many.';

COMMENT ON COLUMN public.push_day.delay_seconds IS 'The sum of the times from the planned instant to the end.';

COMMENT ON COLUMN public.push_day.longest_delay_seconds IS 'The longest of them.';

COMMENT ON COLUMN public.push_day.within_10_seconds_count IS 'Those that ended within 10 seconds of the planned instant.';

COMMENT ON COLUMN public.push_day.within_1_minute_count IS 'Those that ended within a minute of it.';

COMMENT ON COLUMN public.push_day.within_10_minutes_count IS 'Those that ended within 10 minutes of it.';

COMMENT ON COLUMN public.push_day.watered_count IS 'Those that were delivered and after which the plant was watered within 24 hours.';

COMMENT ON COLUMN public.push_day.reviewed_count IS 'Those of them whose watering had a review when they were counted.';

CREATE FUNCTION public.count_pushes(since timestamp with time zone, until timestamp with time zone) RETURNS SETOF public.push_day
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET jit TO 'off'
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    zones text[] := ARRAY (SELECT name FROM pg_timezone_names);
    first_day date;
    last_day date;
BEGIN
    -- Days on which a push of the span may have been answered. The condition on watered_on below needs them for its index.
    SELECT date '1970-01-01' + min(ref), least(date '1970-01-01' + max(ref) + 3, date '9999-12-31')
    INTO first_day, last_day
    FROM (
        SELECT job.ref FROM push_job AS job
        WHERE job.recorded_at >= since AND job.recorded_at < until AND job.topic IN ('watering_due', 'birthday', 'withered')
        UNION ALL
        SELECT unplanned.ref FROM occurrence_outcome AS unplanned
        WHERE unplanned.recorded_at >= since AND unplanned.recorded_at < until
            AND unplanned.topic IN ('watering_due', 'birthday', 'withered')
    ) AS reminder
    WHERE ref BETWEEN -719162 AND 2932896;
    RETURN QUERY
    SELECT (followed.recorded_at AT TIME ZONE 'UTC')::date, followed.day, followed.topic, followed.outcome, followed.reason,
        count(*), sum(delay_seconds), max(delay_seconds), count(*) FILTER (WHERE delay_seconds <= 10),
        count(*) FILTER (WHERE delay_seconds <= 60), count(*) FILTER (WHERE delay_seconds <= 600),
        count(*) FILTER (WHERE is_watered), count(*) FILTER (WHERE is_reviewed)
    FROM (
        SELECT dated.recorded_at, dated.day, dated.topic, dated.outcome, dated.reason,
            extract(epoch FROM dated.finished_at - dated.planned_at)::double precision AS delay_seconds,
            count(watering.number) > 0 AS is_watered,
            coalesce(bool_or(watering.keywords <> '{}' OR watering.memo IS NOT NULL), false) AS is_reviewed
        FROM (
            SELECT ended.*,
                -- The topics whose ref is a day need no zone. Where there is none, because the account was erased or this server
                -- does not know its zone, they count by UTC. What nobody can read counts for the day for which it was planned.
                CASE
                    WHEN ended.topic NOT IN ('watering_due', 'birthday', 'withered') THEN civil_day(ended.planned_at, CASE
                        WHEN account.time_zone = ANY (zones) THEN account.time_zone ELSE 'UTC' END,
                        coalesce(account.day_end_minute, 0::smallint))
                    WHEN ended.ref BETWEEN -719162 AND 2932896
                        -- A plant that was due on the last day that can be written withered on that day.
                        THEN least(date '1970-01-01' + ended.ref + (ended.topic = 'withered')::integer, date '9999-12-31')
                    ELSE (ended.planned_at AT TIME ZONE 'UTC')::date END AS day
            FROM (
                SELECT job.lane, job.recorded_at, job.account_id, job.subject_id, job.topic, job.ref,
                    CASE WHEN job.planned_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
                        THEN job.planned_at ELSE job.recorded_at END AS planned_at,
                    coalesce(outcome.outcome,
                        CASE WHEN retry.seq IS NULL AND coalesce(receipt.finished_at, later.finished_at) IS NOT NULL
                            THEN 'delivered'::push_outcome_kind END) AS outcome,
                    coalesce(outcome.reason,
                        CASE WHEN retry.seq IS NULL AND coalesce(receipt.finished_at, later.finished_at) IS NOT NULL
                            THEN 'sent' END) AS reason,
                    coalesce(outcome.finished_at,
                        CASE WHEN retry.seq IS NULL THEN coalesce(receipt.finished_at, later.finished_at) END) AS finished_at
                FROM push_job AS job
                LEFT JOIN push_outcome AS outcome
                    ON outcome.lane = job.lane AND outcome.recorded_at = job.recorded_at AND outcome.seq = job.seq
                    AND outcome.recorded_at >= since AND outcome.recorded_at < until
                LEFT JOIN push_retry AS retry ON retry.lane = job.lane AND retry.seq = job.seq
                LEFT JOIN (
                    SELECT batch.lane, done.seq, batch.finished_at
                    FROM push_receipt AS batch CROSS JOIN LATERAL generate_series(batch.from_seq, batch.to_seq) AS done (seq)
                    WHERE batch.recorded_at >= since AND batch.recorded_at < until
                ) AS receipt ON receipt.lane = job.lane AND receipt.seq = job.seq
                -- The receipt of a batch lies in the day of its last job, which may be a later one.
                LEFT JOIN LATERAL (
                    SELECT batch.finished_at FROM push_receipt AS batch
                    WHERE batch.lane = job.lane AND receipt.seq IS NULL AND retry.seq IS NULL AND outcome.seq IS NULL
                        AND batch.to_seq >= job.seq AND batch.from_seq <= job.seq AND batch.recorded_at >= until
                    LIMIT 1
                ) AS later ON true
                WHERE job.recorded_at >= since AND job.recorded_at < until
                UNION ALL
                SELECT unplanned.lane, unplanned.recorded_at, unplanned.account_id, unplanned.subject_id, unplanned.topic,
                    unplanned.ref, unplanned.planned_at, unplanned.outcome, unplanned.reason, unplanned.finished_at
                FROM occurrence_outcome AS unplanned
                WHERE unplanned.recorded_at >= since AND unplanned.recorded_at < until
            ) AS ended
            LEFT JOIN account ON account.lane = ended.lane AND account.id = ended.account_id
        ) AS dated
        LEFT JOIN watering
            ON dated.outcome = 'delivered' AND dated.topic IN ('watering_due', 'birthday', 'withered')
            AND watering.lane = dated.lane AND watering.plant_id = dated.subject_id AND watering.watered_on >= dated.day
            AND watering.recorded_at >= dated.planned_at AND watering.recorded_at < dated.planned_at + interval '24 hours'
            AND watering.watered_on BETWEEN first_day AND last_day
        GROUP BY dated.lane, dated.subject_id, dated.ref, dated.planned_at, dated.recorded_at, dated.day, dated.topic,
            dated.outcome, dated.reason, dated.finished_at
    ) AS followed
    GROUP BY 1, 2, 3, 4, 5;
END
$$;

COMMENT ON FUNCTION public.count_pushes(since timestamp with time zone, until timestamp with time zone) IS 'Counts how the pushes ended that were written to the log from one instant on and before another; those that have not ended are counted without an outcome.';

CREATE FUNCTION public.delete_phone(owner_lane smallint, owner uuid, at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    DELETE FROM account_phone AS known WHERE known.lane = owner_lane AND known.account_id = owner;
    -- What went to it must not reset the password any more. An e-mail has an @.
    UPDATE verification_code AS code SET used_at = at
    WHERE code.account_id = owner AND code.purpose = 'password_reset' AND code.used_at IS NULL AND code.address LIKE '+%'
        AND code.address NOT LIKE '%@%';
END
$$;

COMMENT ON FUNCTION public.delete_phone(owner_lane smallint, owner uuid, at timestamp with time zone) IS 'Takes the confirmation of its phone from an account, with the codes that were sent there to reset its password.';

CREATE FUNCTION public.delete_sessions(owner_lane smallint, owner uuid, gone uuid[]) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    deleted uuid[] := '{}';
    session_id uuid;
    devices uuid[];
BEGIN
    devices := ARRAY (
        SELECT device.id FROM device
        WHERE device.lane = owner_lane AND device.account_id = owner AND device.session_id = ANY (gone));
    IF cardinality(devices) > 0 THEN
        PERFORM remove_devices(owner, devices);
    END IF;
    FOR session_id IN
        DELETE FROM account_session AS session
        WHERE session.lane = owner_lane AND session.account_id = owner AND session.id = ANY (gone) RETURNING session.id
    LOOP
        deleted := deleted || session_id;
    END LOOP;
    IF cardinality(deleted) > 0 THEN
        PERFORM note_changes(
            owner_lane, owner, now(), array_fill('session'::change_kind, ARRAY[cardinality(deleted)]), deleted,
            array_fill(0, ARRAY[cardinality(deleted)]));
    END IF;
    RETURN cardinality(deleted);
END
$$;

COMMENT ON FUNCTION public.delete_sessions(owner_lane smallint, owner uuid, gone uuid[]) IS 'Deletes sessions of an account and their devices, whose tokens become free. Returns how many sessions there were.';

CREATE FUNCTION public.drop_partition(partition text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET lock_timeout TO '100ms'
    SET search_path TO 'public', 'pg_temp'
    AS $_$
BEGIN
    IF partition !~ ('^((push_(job|outcome|receipt|device_outcome)|sent_push|occurrence_outcome)_[0-9]{8}'
        '|(push_outcome|occurrence)_[0-9]{6})$')
    THEN
        RAISE EXCEPTION '% is no partition of the calendar or the log', partition USING ERRCODE = 'invalid_parameter_value';
    END IF;
    EXECUTE format('DROP TABLE IF EXISTS %I', partition);
END
$_$;

COMMENT ON FUNCTION public.drop_partition(partition text) IS 'Drops a partition of the calendar or the log, attached or not, for programs that do not own it.';

CREATE FUNCTION public.end_sessions(owner_lane smallint, owner uuid, ended uuid, kept uuid) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    gone uuid[];
BEGIN
    gone := ARRAY (
        SELECT session.id FROM account_session AS session
        WHERE session.lane = owner_lane AND session.account_id = owner AND (ended IS NULL OR session.id = ended)
            AND session.id IS DISTINCT FROM kept);
    RETURN delete_sessions(owner_lane, owner, gone);
END
$$;

COMMENT ON FUNCTION public.end_sessions(owner_lane smallint, owner uuid, ended uuid, kept uuid) IS 'Ends one session of an account, or all but the one that is kept. Returns how many there were.';

CREATE FUNCTION public.erase_account(owner_lane smallint, owner uuid, proof uuid, at timestamp with time zone) RETURNS TABLE(table_name text, before bigint, after bigint)
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $_$
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
$_$;

COMMENT ON FUNCTION public.erase_account(owner_lane smallint, owner uuid, proof uuid, at timestamp with time zone) IS 'Erases an account and everything in it for good, and leaves a row as proof (rule 8.6). Returns how many of its rows each table had before and after, and of the calendar and the log, as planned; no row if there is no such account.';

CREATE FUNCTION public.forget_addresses(owner_lane smallint, owner uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.forget_addresses(owner_lane smallint, owner uuid) IS 'Deletes what finds an account from outside the lanes, and the codes that were sent there; no foreign key does.';

CREATE FUNCTION public.forgive_attempt(wanted bytea) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE throttle SET level = greatest(0, level - 1) WHERE throttle.key = wanted;
END
$$;

COMMENT ON FUNCTION public.forgive_attempt(wanted bytea) IS 'Takes back an attempt that turned out to be right.';

CREATE FUNCTION public.has_password(owner_lane smallint, owner uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    PERFORM 1 FROM account_password AS password WHERE password.lane = owner_lane AND password.account_id = owner;
    RETURN FOUND;
END
$$;

COMMENT ON FUNCTION public.has_password(owner_lane smallint, owner uuid) IS 'Whether an account has a password.';

CREATE FUNCTION public.throttle_key(kind text, name text) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    RETURN sha256(convert_to(((kind || ' '::text) || lower(name)), 'UTF8'::name));

COMMENT ON FUNCTION public.throttle_key(kind text, name text) IS 'The key of a throttle.';

CREATE FUNCTION public.hidden_address(address text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    RETURN encode(public.throttle_key('code'::text, lower(address)), 'hex'::text);

COMMENT ON FUNCTION public.hidden_address(address text) IS 'What stands for the address of a code once its account is erased.';

CREATE FUNCTION public.index_day(partition text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET lock_timeout TO '1s'
    SET search_path TO 'public', 'pg_temp'
    AS $_$
BEGIN
    IF partition !~ '^push_job_[0-9]{8}$' THEN
        RAISE EXCEPTION '% is no day of pushes', partition USING ERRCODE = 'invalid_parameter_value';
    END IF;
    EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I (lane, account_id)', partition || '_account', partition);
END
$_$;

COMMENT ON FUNCTION public.index_day(partition text) IS 'Indexes the pushes of a day by account, for programs that do not own it. Only for days to which nobody adds any more.';

CREATE FUNCTION public.insert_account(new_lane smallint, new_account uuid, new_email text, new_nickname text, new_phone text, new_zone text, new_language public.language, at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    INSERT INTO account (
        lane, id, email, nickname, phone, time_zone, language, watering_pushes, review_pushes, birthday_pushes,
        withered_pushes, created_at)
    VALUES (
        new_lane, new_account, new_email, new_nickname, new_phone, new_zone, new_language, true, true, false, false, at);
END
$$;

COMMENT ON FUNCTION public.insert_account(new_lane smallint, new_account uuid, new_email text, new_nickname text, new_phone text, new_zone text, new_language public.language, at timestamp with time zone) IS 'Adds an account with the switches that everybody begins with (rule 7.10).';

CREATE FUNCTION public.is_known_time_zone(name text) RETURNS boolean
    LANGUAGE plpgsql STABLE STRICT
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
BEGIN
    RETURN timezone(name, timestamptz 'epoch') IS NOT NULL AND CASE
        WHEN name ~ '[0-9]' THEN name ~ (
            '^(Etc/)?GMT[+-]?0$|^Etc/GMT([+]([1-9]|1[0-2])|-([1-9]|1[0-4]))$|^(EST5EDT|CST6CDT|MST7MDT|PST8PDT)$')
        WHEN name = 'UTC' OR name LIKE '%/%' THEN true
        ELSE EXISTS (SELECT FROM pg_timezone_names WHERE pg_timezone_names.name = is_known_time_zone.name) END;
END
$_$;

COMMENT ON FUNCTION public.is_known_time_zone(name text) IS 'Whether a text is the name of an IANA zone that this server knows.';

CREATE FUNCTION public.link_identity(owner_lane smallint, owner uuid, vouching public.identity_provider, new_subject text, new_email text, at timestamp with time zone) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.link_identity(owner_lane smallint, owner uuid, vouching public.identity_provider, new_subject text, new_email text, at timestamp with time zone) IS 'Links an identity to an account: done, or known if it was linked before. Otherwise: another account has it (identity_taken), or the account has another one of the provider (provider_linked).';

CREATE FUNCTION public.make_calendar_partition(instant timestamp with time zone) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT make_partition('occurrence', 'month', instant)
$$;

COMMENT ON FUNCTION public.make_calendar_partition(instant timestamp with time zone) IS 'Makes the partition of the calendar for the month of an instant, if it is missing.';

CREATE FUNCTION public.make_log_partitions(instant timestamp with time zone) RETURNS void
    LANGUAGE sql
    AS $_$
    SELECT make_partition(parent, 'day', instant)
    FROM unnest(ARRAY['occurrence_outcome', 'push_job', 'push_receipt', 'push_device_outcome', 'sent_push']) AS parent;
    -- A month that a release before this one began by day continues by day.
    SELECT make_partition('push_outcome', CASE WHEN EXISTS (
        SELECT 1 FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
        WHERE inhparent = 'push_outcome'::regclass
            AND relname ~ to_char(instant AT TIME ZONE 'UTC', '"^push_outcome_"YYYYMM"[0-9]{2}$"')
    ) THEN 'day' ELSE 'month' END, instant)
$_$;

COMMENT ON FUNCTION public.make_log_partitions(instant timestamp with time zone) IS 'Makes the partitions of the log for the day of an instant, and that of the outcomes for its month, if they are missing.';

CREATE FUNCTION public.make_partition(parent text, unit text, instant timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO'
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    first timestamptz := date_trunc(unit, instant AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
    after timestamptz := (date_trunc(unit, instant AT TIME ZONE 'UTC') + ('1 ' || unit)::interval) AT TIME ZONE 'UTC';
    child text := parent || to_char(first AT TIME ZONE 'UTC', CASE unit WHEN 'month' THEN '_YYYYMM' ELSE '_YYYYMMDD' END);
    -- With its schema, so that a temporary table of the caller is not meant.
    place text := quote_ident(current_schema()) || '.' || quote_ident(child);
BEGIN
    IF (parent, unit) NOT IN (
        ('occurrence', 'month'), ('occurrence_outcome', 'day'), ('push_job', 'day'), ('push_outcome', 'day'),
        ('push_outcome', 'month'), ('push_receipt', 'day'), ('push_device_outcome', 'day'), ('sent_push', 'day')
    ) THEN
        RAISE EXCEPTION '% has no partitions by %', parent, unit USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF instant < '2000-01-01T00:00:00Z' OR instant >= '2100-01-01T00:00:00Z' THEN
        RAISE EXCEPTION 'no partition is made for %; look at the clocks', instant USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF to_regclass(place) IS NOT NULL THEN
        RETURN;
    END IF;
    -- One at a time: two programs may need the same partition at once.
    EXECUTE format('LOCK TABLE %I IN SHARE UPDATE EXCLUSIVE MODE', parent);
    IF to_regclass(place) IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format('CREATE TABLE %s (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING COMMENTS)', place, parent);
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', parent, place, first, after);
END
$$;

COMMENT ON FUNCTION public.make_partition(parent text, unit text, instant timestamp with time zone) IS 'Makes the partition of a table of the calendar or the log for the month or day of an instant, if it is missing.';

CREATE FUNCTION public.nearby_lists(caller_lane smallint, caller uuid, at timestamp with time zone, reach double precision, most integer) RETURNS TABLE(id uuid, nickname text, entry_count integer, expires_at timestamp with time zone, distance integer)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    -- The mean radius of the earth in metres (IUGG).
    earth CONSTANT double precision := 6371008.8;
    north double precision;
    east double precision;
    height double precision;
    width double precision;
    hidden uuid[];
BEGIN
    -- The place is looked up here: a caller cannot choose one.
    SELECT found.latitude, found.longitude INTO north, east
    FROM account_position(caller_lane, caller) AS found;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    height := degrees(reach / earth) + 1e-9;
    width := CASE WHEN abs(north) + height >= 90 THEN 180
        ELSE degrees(asin(sin(reach / earth) / cos(radians(north)))) + 1e-9 END;
    -- Those whom the caller has blocked, and those who have blocked the caller.
    hidden := ARRAY(
        SELECT block.blocked_id FROM account_block AS block
        WHERE block.lane = caller_lane AND block.account_id = caller);
    hidden := hidden || ARRAY(SELECT block.account_id FROM account_block AS block WHERE block.blocked_id = caller) || caller;
    RETURN QUERY
        WITH nearest AS MATERIALIZED (
            SELECT measured.* FROM (
                SELECT list.lane, list.id, list.account_id, list.expires_at, cardinality(list.entry_names) AS entry_count,
                    2 * earth * asin(least(1, sqrt(
                        sin(radians(list.latitude - north) / 2) ^ 2
                            + cos(radians(north)) * cos(radians(list.latitude))
                                * sin(radians(list.longitude - east) / 2) ^ 2))) AS metres
                FROM shopping_list AS list
                WHERE list.latitude IS NOT NULL AND list.helper_id IS NULL AND list.delivered_at IS NULL
                    AND list.cancelled_at IS NULL AND list.expires_at > at
                    AND (point(list.longitude, list.latitude) <@ box(
                            point(east - width, north - height), point(east + width, north + height))
                        OR east - width < -180 AND point(list.longitude, list.latitude) <@ box(
                            point(east - width + 360, north - height), point(180, north + height))
                        OR east + width > 180 AND point(list.longitude, list.latitude) <@ box(
                            point(-180, north - height), point(east + width - 360, north + height)))
                    AND list.account_id <> ALL (hidden)
            ) AS measured
            WHERE measured.metres < reach
            -- Within a step of 2 km the order is random, so that it says no more than the step does.
            ORDER BY floor(measured.metres / 2000), random() LIMIT most
        )
        SELECT nearest.id, owner.nickname, nearest.entry_count, nearest.expires_at,
            (floor(nearest.metres / 2000)::integer + 1) * 2
        FROM nearest JOIN account AS owner ON owner.lane = nearest.lane AND owner.id = nearest.account_id
        ORDER BY floor(nearest.metres / 2000), random();
END
$$;

COMMENT ON FUNCTION public.nearby_lists(caller_lane smallint, caller uuid, at timestamp with time zone, reach double precision, most integer) IS 'The open lists of others that are less than so many metres from the centre of the caller''s postcode: by distance in steps of 2 km, and in random order within a step. What the caller and those owners have blocked is left out (rule 11.3).';

CREATE FUNCTION public.newest_changes(wanted_lane smallint, wanted uuid[]) RETURNS TABLE(session_id uuid, number bigint, noted_at timestamp with time zone)
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN QUERY SELECT session.id, coalesce(head.number, 0), coalesce(head.noted_at, timestamptz 'epoch')
    FROM account_session AS session
    LEFT JOIN account_change_head AS head ON head.lane = wanted_lane AND head.account_id = session.account_id
    WHERE session.lane = wanted_lane AND session.id = ANY (wanted);
END
$$;

COMMENT ON FUNCTION public.newest_changes(wanted_lane smallint, wanted uuid[]) IS 'The newest change of the accounts of some sessions; 0 before the first. Sessions that have ended are absent.';

CREATE FUNCTION public.note_changes(owner_lane smallint, owner uuid, at timestamp with time zone, changed_kinds public.change_kind[], changed_ids uuid[], changed_numbers integer[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    new_number bigint;
    new_time timestamptz;
BEGIN
    INSERT INTO account_change_head AS head (lane, account_id, number, noted_at) VALUES (owner_lane, owner, 1, at)
    ON CONFLICT (lane, account_id) DO UPDATE
        SET number = head.number + 1, noted_at = greatest(excluded.noted_at, head.noted_at)
    RETURNING head.number, head.noted_at INTO new_number, new_time;
    INSERT INTO account_change (lane, account_id, number, noted_at, item_count, kinds, ids, numbers)
    VALUES (
        owner_lane, owner, new_number, new_time, cardinality(changed_ids), changed_kinds, changed_ids, changed_numbers);
END
$$;

COMMENT ON FUNCTION public.note_changes(owner_lane smallint, owner uuid, at timestamp with time zone, changed_kinds public.change_kind[], changed_ids uuid[], changed_numbers integer[]) IS 'Notes what a transaction has changed in an account, for its devices.';

CREATE FUNCTION public.note_changes_of_accounts(owner_lane smallint, at timestamp with time zone, owners uuid[], changed_kinds public.change_kind[], changed_ids uuid[], changed_numbers integer[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    INSERT INTO account_change_head AS head (lane, account_id, number, noted_at)
    SELECT lane.lane, owner.id, 1, at
    FROM lane, (SELECT DISTINCT given.id FROM unnest(owners) AS given (id)) AS owner
    WHERE lane.lane = owner_lane ORDER BY owner.id
    ON CONFLICT (lane, account_id) DO UPDATE
        SET number = head.number + 1, noted_at = greatest(excluded.noted_at, head.noted_at);
    INSERT INTO account_change (lane, account_id, number, noted_at, item_count, kinds, ids, numbers)
    SELECT head.lane, head.account_id, head.number, head.noted_at, changed.item_count, changed.kinds, changed.ids, changed.numbers
    FROM account_change_head AS head
    JOIN (
        SELECT item.owner, count(*)::integer AS item_count, array_agg(item.kind) AS kinds, array_agg(item.id) AS ids,
            array_agg(item.number) AS numbers
        FROM unnest(owners, changed_kinds, changed_ids, changed_numbers) AS item (owner, kind, id, number) GROUP BY item.owner
    ) AS changed ON changed.owner = head.account_id
    WHERE head.lane = owner_lane;
END
$$;

COMMENT ON FUNCTION public.note_changes_of_accounts(owner_lane smallint, at timestamp with time zone, owners uuid[], changed_kinds public.change_kind[], changed_ids uuid[], changed_numbers integer[]) IS 'The same for several accounts of a lane; each item has its account.';

CREATE FUNCTION public.planned_rows(owner_lane smallint, owner uuid) RETURNS bigint
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.planned_rows(owner_lane smallint, owner uuid) IS 'How many rows of the calendar and the log name an account, their results included.';

CREATE FUNCTION public.remove_devices(owner uuid, gone uuid[]) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.remove_devices(owner uuid, gone uuid[]) IS 'Removes devices of an account and releases their tokens. Returns how many there were.';

CREATE FUNCTION public.renew_sign_in(owner_lane smallint, owner uuid, renewed uuid, at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    UPDATE account_session AS session SET signed_in_at = at
    WHERE session.lane = owner_lane AND session.account_id = owner AND session.id = renewed;
    IF FOUND THEN
        PERFORM note_changes(owner_lane, owner, at, ARRAY['session'::change_kind], ARRAY[renewed], ARRAY[0]);
    END IF;
END
$$;

COMMENT ON FUNCTION public.renew_sign_in(owner_lane smallint, owner uuid, renewed uuid, at timestamp with time zone) IS 'Notes that somebody has just proved who they are by a code.';

CREATE FUNCTION public.set_password(owner_lane smallint, owner uuid, new_salt bytea, new_tag bytea, new_memory_kib integer, new_passes smallint, kept_session uuid, at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.set_password(owner_lane smallint, owner uuid, new_salt bytea, new_tag bytea, new_memory_kib integer, new_passes smallint, kept_session uuid, at timestamp with time zone) IS 'Sets the password of an account, ends all its sessions but the one that is kept, and its codes (rules 12.3 and 12.4).';

CREATE FUNCTION public.set_phone(owner_lane smallint, owner uuid, new_phone text, at timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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
    IF FOUND THEN
        PERFORM note_changes(owner_lane, owner, at, ARRAY['settings'::change_kind], ARRAY[owner], ARRAY[0]);
    END IF;
END
$$;

COMMENT ON FUNCTION public.set_phone(owner_lane smallint, owner uuid, new_phone text, at timestamp with time zone) IS 'Gives an account a confirmed phone. Another account that had it loses it: the newest confirmation wins (rule 12.4).';

CREATE FUNCTION public.tables_of_account() RETURNS TABLE(table_name text, link text)
    LANGUAGE sql IMMUTABLE
    BEGIN ATOMIC
 VALUES ('account'::text,'id'::text), ('account_email'::text,'account_id'::text), ('account_identity'::text,'account_id'::text), ('account_password'::text,'account_id'::text), ('account_phone'::text,'account_id'::text), ('account_picture'::text,'account_id'::text), ('account_session'::text,'account_id'::text), ('verification_code'::text,'account_id'::text), ('idempotent_request'::text,'account_id'::text), ('device'::text,'account_id'::text), ('device_token'::text,'account_id'::text), ('push_action'::text,'account_id'::text), ('plant'::text,'account_id'::text), ('tag'::text,'account_id'::text), ('import_batch'::text,'account_id'::text), ('sent_push'::text,'account_id'::text), ('watering'::text,'plant_id'::text), ('postponement'::text,'plant_id'::text), ('cycle_change'::text,'plant_id'::text), ('affection_entry'::text,'plant_id'::text), ('plant_tag'::text,'plant_id'::text), ('import_change'::text,'batch_id'::text), ('push_device_outcome'::text,'device_id'::text), ('thing'::text,'account_id'::text), ('thing_completion'::text,'account_id'::text), ('thing_tag'::text,'account_id'::text), ('tombstone'::text,'account_id'::text), ('thing_share'::text,'account_id'::text), ('calendar_feed'::text,'account_id'::text), ('shopping_list'::text,'account_id'::text), ('helped_list'::text,'account_id'::text), ('list_news'::text,'account_id'::text), ('helper_rating'::text,'account_id'::text), ('account_block'::text,'account_id'::text), ('list_report'::text,'account_id'::text), ('list_measure'::text,'account_id'::text), ('list_receipt'::text,'account_id'::text), ('account_change_head'::text,'account_id'::text), ('account_change'::text,'account_id'::text), ('edited_item'::text,'account_id'::text), ('pause'::text,'account_id'::text);
END;

COMMENT ON FUNCTION public.tables_of_account() IS 'The tables with rows of one account, and what links them to it: its own id, or those of its plants, imports or devices. An erasure counts them before and after.';

CREATE FUNCTION public.take_code(wanted_id uuid, wanted public.code_purpose, hash bytea, at timestamp with time zone) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.take_code(wanted_id uuid, wanted public.code_purpose, hash bytea, at timestamp with time zone) IS 'Like check_code, and uses the code up.';

CREATE FUNCTION public.take_device_token(owner uuid, wanted_platform public.device_platform, wanted_token text, new_device uuid) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.take_device_token(owner uuid, wanted_platform public.device_platform, wanted_token text, new_device uuid) IS 'Gives an account the phone with a token, whoever had it, and deletes the former account''s device. Returns the device under which the account has the phone, or is to have it.';

CREATE FUNCTION public.unlink_identity(owner_lane smallint, owner uuid, vouching public.identity_provider) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

COMMENT ON FUNCTION public.unlink_identity(owner_lane smallint, owner uuid, vouching public.identity_provider) IS 'Unlinks an identity from an account: done, or not_found, or last_way_in if nothing else lets the person in.';

CREATE FUNCTION public.unpaused_day(day date, pauses date[]) RETURNS date
    LANGUAGE plpgsql IMMUTABLE STRICT COST 1 PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    FOR place IN 1..cardinality(pauses) BY 2 LOOP
        IF day BETWEEN pauses[place] AND pauses[place + 1] THEN
            RETURN pauses[place + 1] + 1;
        END IF;
    END LOOP;
    RETURN day;
END
$$;

COMMENT ON FUNCTION public.unpaused_day(day date, pauses date[]) IS 'The day itself, or the first one after the pause that it belongs to.';

CREATE FUNCTION public.wait_seconds(wanted bytea, capacity integer, at timestamp with time zone) RETURNS integer
    LANGUAGE plpgsql STABLE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    bucket throttle;
    filled double precision;
BEGIN
    SELECT * INTO bucket FROM throttle WHERE throttle.key = wanted;
    filled := greatest(0, bucket.level - capacity * greatest(0, extract(epoch FROM at - bucket.measured_at)) / 900);
    RETURN greatest(0, ceil((coalesce(filled, 0) + 1 - capacity) * 900 / capacity));
END
$$;

COMMENT ON FUNCTION public.wait_seconds(wanted bytea, capacity integer, at timestamp with time zone) IS 'The seconds until an attempt would count; counts nothing.';

CREATE FUNCTION public.withers_on(due_on date, pauses date[]) RETURNS date
    LANGUAGE sql IMMUTABLE COST 1 PARALLEL SAFE
    RETURN CASE pauses WHEN '{}'::date[] THEN (due_on + 1) ELSE public.unpaused_day((due_on + 1), pauses) END;

COMMENT ON FUNCTION public.withers_on(due_on date, pauses date[]) IS 'The first day on which a plant is withered unless it is watered: the first unpaused one after the due date (rules 2.2 and 13.1).';

CREATE TABLE public.account (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    email text,
    nickname text NOT NULL,
    phone text,
    time_zone text NOT NULL,
    language public.language NOT NULL,
    watering_pushes boolean NOT NULL,
    review_pushes boolean NOT NULL,
    birthday_pushes boolean NOT NULL,
    withered_pushes boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    replan_after uuid,
    version bigint DEFAULT 1 NOT NULL,
    postcode text,
    appearance jsonb DEFAULT '{}'::jsonb NOT NULL,
    thing_pushes boolean DEFAULT true NOT NULL,
    expiry_warning_days smallint DEFAULT 3 NOT NULL,
    country text,
    postcode_changed_at timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL,
    barred_from_helping_at timestamp with time zone,
    day_end_minute smallint DEFAULT 0 NOT NULL,
    pauses date[] DEFAULT '{}'::date[] NOT NULL,
    restored_at timestamp with time zone,
    CONSTRAINT account_appearance_form CHECK (((jsonb_typeof(appearance) = 'object'::text) AND (octet_length((appearance)::text) <= 16384))),
    CONSTRAINT account_country_form CHECK ((country ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT account_created_at_range CHECK (((created_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (created_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT account_day_end_minute_range CHECK (((day_end_minute >= 0) AND (day_end_minute <= 240))),
    CONSTRAINT account_email_length CHECK ((octet_length(email) <= 254)),
    CONSTRAINT account_email_not_blank CHECK ((email <> ''::text)),
    CONSTRAINT account_expiry_warning_days_range CHECK (((expiry_warning_days >= 0) AND (expiry_warning_days <= 30))),
    CONSTRAINT account_lane_is_last_byte_of_id CHECK ((lane = get_byte(uuid_send(id), 15))),
    CONSTRAINT account_nickname_length CHECK ((octet_length(nickname) <= 1280)),
    CONSTRAINT account_nickname_not_blank CHECK ((nickname <> ''::text)),
    CONSTRAINT account_pauses_pairs CHECK (((cardinality(pauses) % 2) = 0)),
    CONSTRAINT account_phone_is_e164 CHECK ((phone ~ '^\+[1-9][0-9]{4,14}$'::text)),
    CONSTRAINT account_postcode_length CHECK (((octet_length(postcode) >= 1) AND (octet_length(postcode) <= 40))),
    CONSTRAINT account_restored_at_range CHECK (((restored_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (restored_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT account_time_zone_form CHECK (((octet_length(time_zone) <= 64) AND (time_zone ~ '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z][A-Za-z0-9_+-]*){0,2}$'::text))),
    CONSTRAINT account_version_range CHECK ((version >= 1))
);

COMMENT ON TABLE public.account IS 'A person who uses Cherish.';

COMMENT ON COLUMN public.account.lane IS 'The last byte of the id, 0-255.';

COMMENT ON COLUMN public.account.id IS 'A random UUID.';

COMMENT ON COLUMN public.account.email IS 'As the account wrote it; account_email keeps it unique. Null for an anonymous account.';

COMMENT ON COLUMN public.account.nickname IS 'What the account calls itself, 1-20 characters.';

COMMENT ON COLUMN public.account.phone IS 'E.164, for recovery; null when unknown.';

COMMENT ON COLUMN public.account.time_zone IS 'The IANA zone whose civil days and wall clock apply to the account''s plants.';

COMMENT ON COLUMN public.account.language IS 'The language of its pushes.';

COMMENT ON COLUMN public.account.watering_pushes IS 'Whether it wants pushes on D-day (rule 7.4).';

COMMENT ON COLUMN public.account.review_pushes IS 'Whether it wants to be reminded of reviews (rule 7.4).';

COMMENT ON COLUMN public.account.birthday_pushes IS 'Whether it asked for birthday pushes (rule 7.10).';

COMMENT ON COLUMN public.account.withered_pushes IS 'Whether it asked for pushes about plants that withered (rule 7.10).';

COMMENT ON COLUMN public.account.created_at IS 'When it was added.';

COMMENT ON COLUMN public.account.replan_after IS 'While its garden is replanned in pieces: plants and things with a greater id are still to come. Null otherwise.';

COMMENT ON COLUMN public.account.version IS 'Grows with each change of the settings (rule 14.1), from 1.';

COMMENT ON COLUMN public.account.postcode IS 'Where the account lives, for lists of neighbours, 1-10 characters; null when unknown.';

COMMENT ON COLUMN public.account.appearance IS 'An object of up to 8 KiB that apps own and the same on every device (rule 12.6).';

COMMENT ON COLUMN public.account.thing_pushes IS 'Whether it wants the alerts of its things (rule 10.13).';

COMMENT ON COLUMN public.account.expiry_warning_days IS 'For how many days before its due day food is expiring, and when it alerts unless chosen (rules 10.3 and 10.4), 0-30.';

COMMENT ON COLUMN public.account.country IS 'Where its postcode is one: ISO 3166-1 alpha-2; null when unknown.';

COMMENT ON COLUMN public.account.postcode_changed_at IS 'When postcode or country were changed, the newest two times, oldest first.';

COMMENT ON COLUMN public.account.barred_from_helping_at IS 'When the operator ended its access to lists of others; null if it has it.';

COMMENT ON COLUMN public.account.day_end_minute IS 'When its days end, in minutes after midnight of its wall clock, 0-240 (rule 13.4).';

COMMENT ON COLUMN public.account.pauses IS 'When the whole account is paused: the first and the last day of each span, in order, with days between the spans (rule 13.1).';

COMMENT ON COLUMN public.account.restored_at IS 'When an export brought it to this database; null if it began here.';

CREATE VIEW garden.account WITH (security_barrier='true') AS
 SELECT account.lane,
    account.id,
    account.email,
    account.nickname,
    account.phone,
    account.time_zone,
    account.language,
    account.watering_pushes,
    account.review_pushes,
    account.birthday_pushes,
    account.withered_pushes,
    account.created_at,
    account.replan_after,
    account.version,
    account.postcode,
    account.appearance,
    account.thing_pushes,
    account.expiry_warning_days,
    account.country,
    account.postcode_changed_at,
    account.barred_from_helping_at,
    account.day_end_minute,
    account.pauses,
    account.restored_at
   FROM public.account
  WHERE ((account.lane = ( SELECT garden.account_lane() AS account_lane)) AND (account.id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.account IS 'The account''s part of account.';

COMMENT ON COLUMN garden.account.lane IS 'The last byte of the id, 0-255.';

COMMENT ON COLUMN garden.account.id IS 'A random UUID.';

COMMENT ON COLUMN garden.account.email IS 'As the account wrote it; account_email keeps it unique. Null for an anonymous account.';

COMMENT ON COLUMN garden.account.nickname IS 'What the account calls itself, 1-20 characters.';

COMMENT ON COLUMN garden.account.phone IS 'E.164, for recovery; null when unknown.';

COMMENT ON COLUMN garden.account.time_zone IS 'The IANA zone whose civil days and wall clock apply to the account''s plants.';

COMMENT ON COLUMN garden.account.language IS 'The language of its pushes.';

COMMENT ON COLUMN garden.account.watering_pushes IS 'Whether it wants pushes on D-day (rule 7.4).';

COMMENT ON COLUMN garden.account.review_pushes IS 'Whether it wants to be reminded of reviews (rule 7.4).';

COMMENT ON COLUMN garden.account.birthday_pushes IS 'Whether it asked for birthday pushes (rule 7.10).';

COMMENT ON COLUMN garden.account.withered_pushes IS 'Whether it asked for pushes about plants that withered (rule 7.10).';

COMMENT ON COLUMN garden.account.created_at IS 'When it was added.';

COMMENT ON COLUMN garden.account.replan_after IS 'While its garden is replanned in pieces: plants and things with a greater id are still to come. Null otherwise.';

COMMENT ON COLUMN garden.account.version IS 'Grows with each change of the settings (rule 14.1), from 1.';

COMMENT ON COLUMN garden.account.postcode IS 'Where the account lives, for lists of neighbours, 1-10 characters; null when unknown.';

COMMENT ON COLUMN garden.account.appearance IS 'An object of up to 8 KiB that apps own and the same on every device (rule 12.6).';

COMMENT ON COLUMN garden.account.thing_pushes IS 'Whether it wants the alerts of its things (rule 10.13).';

COMMENT ON COLUMN garden.account.expiry_warning_days IS 'For how many days before its due day food is expiring, and when it alerts unless chosen (rules 10.3 and 10.4), 0-30.';

COMMENT ON COLUMN garden.account.country IS 'Where its postcode is one: ISO 3166-1 alpha-2; null when unknown.';

COMMENT ON COLUMN garden.account.postcode_changed_at IS 'When postcode or country were changed, the newest two times, oldest first.';

COMMENT ON COLUMN garden.account.barred_from_helping_at IS 'When the operator ended its access to lists of others; null if it has it.';

COMMENT ON COLUMN garden.account.day_end_minute IS 'When its days end, in minutes after midnight of its wall clock, 0-240 (rule 13.4).';

COMMENT ON COLUMN garden.account.pauses IS 'When the whole account is paused: the first and the last day of each span, in order, with days between the spans (rule 13.1).';

COMMENT ON COLUMN garden.account.restored_at IS 'When an export brought it to this database; null if it began here.';

CREATE TABLE public.account_block (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    blocked_id uuid NOT NULL,
    nickname text NOT NULL,
    blocked_at timestamp with time zone NOT NULL,
    CONSTRAINT account_block_blocked_at_range CHECK (((blocked_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (blocked_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT account_block_nickname_length CHECK (((octet_length(nickname) >= 1) AND (octet_length(nickname) <= 1280)))
);

COMMENT ON TABLE public.account_block IS 'Accounts that never see each other''s lists again (rule 11.7).';

COMMENT ON COLUMN public.account_block.lane IS 'The lane of the account that blocked.';

COMMENT ON COLUMN public.account_block.id IS 'A random UUID: people name a block by it, and never learn the id of the other account.';

COMMENT ON COLUMN public.account_block.account_id IS 'The account that blocked.';

COMMENT ON COLUMN public.account_block.blocked_id IS 'The account that is blocked, in whatever lane.';

COMMENT ON COLUMN public.account_block.nickname IS 'Its nickname then.';

COMMENT ON COLUMN public.account_block.blocked_at IS 'When that was.';

CREATE VIEW garden.account_block WITH (security_barrier='true') AS
 SELECT account_block.lane,
    account_block.id,
    account_block.account_id,
    account_block.blocked_id,
    account_block.nickname,
    account_block.blocked_at
   FROM public.account_block
  WHERE ((account_block.lane = ( SELECT garden.account_lane() AS account_lane)) AND (account_block.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.account_block IS 'The account''s part of account_block.';

COMMENT ON COLUMN garden.account_block.lane IS 'The lane of the account that blocked.';

COMMENT ON COLUMN garden.account_block.id IS 'A random UUID: people name a block by it, and never learn the id of the other account.';

COMMENT ON COLUMN garden.account_block.account_id IS 'The account that blocked.';

COMMENT ON COLUMN garden.account_block.blocked_id IS 'The account that is blocked, in whatever lane.';

COMMENT ON COLUMN garden.account_block.nickname IS 'Its nickname then.';

COMMENT ON COLUMN garden.account_block.blocked_at IS 'When that was.';

CREATE TABLE public.account_change (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    number bigint NOT NULL,
    noted_at timestamp with time zone NOT NULL,
    item_count integer NOT NULL,
    kinds public.change_kind[] NOT NULL,
    ids uuid[] NOT NULL,
    numbers integer[] NOT NULL,
    CONSTRAINT account_change_items_match CHECK (((item_count >= 1) AND (cardinality(kinds) = item_count) AND (cardinality(ids) = item_count) AND (cardinality(numbers) = item_count)))
);

COMMENT ON TABLE public.account_change IS 'Which things changed in an account: one row for each transaction, kept for 90 days. What they are now, or that they are gone, their own tables say.';

COMMENT ON COLUMN public.account_change.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.account_change.account_id IS 'The account.';

COMMENT ON COLUMN public.account_change.number IS '1, 2, 3 ..., in the order of commits.';

COMMENT ON COLUMN public.account_change.noted_at IS 'When it was noted, by the engine''s clock; never before the change before it. Tells a cursor from one of a database that was since put back from a backup.';

COMMENT ON COLUMN public.account_change.item_count IS 'How many items changed.';

COMMENT ON COLUMN public.account_change.kinds IS 'The kind of each item.';

COMMENT ON COLUMN public.account_change.ids IS 'The id of each item: of a watering that of its plant, of settings that of the account.';

COMMENT ON COLUMN public.account_change.numbers IS 'The number of each watering; 0 for other kinds.';

CREATE VIEW garden.account_change WITH (security_barrier='true') AS
 SELECT account_change.lane,
    account_change.account_id,
    account_change.number,
    account_change.noted_at,
    account_change.item_count,
    account_change.kinds,
    account_change.ids,
    account_change.numbers
   FROM public.account_change
  WHERE ((account_change.lane = ( SELECT garden.account_lane() AS account_lane)) AND (account_change.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.account_change IS 'The account''s part of account_change.';

COMMENT ON COLUMN garden.account_change.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.account_change.account_id IS 'The account.';

COMMENT ON COLUMN garden.account_change.number IS '1, 2, 3 ..., in the order of commits.';

COMMENT ON COLUMN garden.account_change.noted_at IS 'When it was noted, by the engine''s clock; never before the change before it. Tells a cursor from one of a database that was since put back from a backup.';

COMMENT ON COLUMN garden.account_change.item_count IS 'How many items changed.';

COMMENT ON COLUMN garden.account_change.kinds IS 'The kind of each item.';

COMMENT ON COLUMN garden.account_change.ids IS 'The id of each item: of a watering that of its plant, of settings that of the account.';

COMMENT ON COLUMN garden.account_change.numbers IS 'The number of each watering; 0 for other kinds.';

CREATE TABLE public.account_change_head (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    number bigint NOT NULL,
    noted_at timestamp with time zone NOT NULL,
    CONSTRAINT account_change_head_noted_at_range CHECK (((noted_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (noted_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT account_change_head_number_from_one CHECK ((number >= 1))
)
WITH (fillfactor='50');

COMMENT ON TABLE public.account_change_head IS 'The newest change of each account. Whoever notes a change locks this row until it commits: so numbers become visible in their order, without a gap.';

COMMENT ON COLUMN public.account_change_head.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.account_change_head.account_id IS 'The account.';

COMMENT ON COLUMN public.account_change_head.number IS 'Of the newest change: 1, 2, 3 ...';

COMMENT ON COLUMN public.account_change_head.noted_at IS 'When that was noted.';

CREATE VIEW garden.account_change_head WITH (security_barrier='true') AS
 SELECT account_change_head.lane,
    account_change_head.account_id,
    account_change_head.number,
    account_change_head.noted_at
   FROM public.account_change_head
  WHERE ((account_change_head.lane = ( SELECT garden.account_lane() AS account_lane)) AND (account_change_head.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.account_change_head IS 'The account''s part of account_change_head.';

COMMENT ON COLUMN garden.account_change_head.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.account_change_head.account_id IS 'The account.';

COMMENT ON COLUMN garden.account_change_head.number IS 'Of the newest change: 1, 2, 3 ...';

COMMENT ON COLUMN garden.account_change_head.noted_at IS 'When that was noted.';

CREATE TABLE public.account_email (
    email text NOT NULL,
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    CONSTRAINT account_email_is_lower_case CHECK ((email = lower(email)))
);

COMMENT ON TABLE public.account_email IS 'Finds an account by its e-mail and keeps e-mails unique, outside the lanes.';

COMMENT ON COLUMN public.account_email.email IS 'The e-mail in lower case.';

COMMENT ON COLUMN public.account_email.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.account_email.account_id IS 'The account.';

CREATE VIEW garden.account_email WITH (security_barrier='true') AS
 SELECT account_email.email,
    account_email.lane,
    account_email.account_id
   FROM public.account_email
  WHERE ((account_email.lane = ( SELECT garden.account_lane() AS account_lane)) AND (account_email.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.account_email IS 'The account''s part of account_email.';

COMMENT ON COLUMN garden.account_email.email IS 'The e-mail in lower case.';

COMMENT ON COLUMN garden.account_email.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.account_email.account_id IS 'The account.';

CREATE TABLE public.account_identity (
    provider public.identity_provider NOT NULL,
    subject text NOT NULL,
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    email text,
    linked_at timestamp with time zone NOT NULL,
    CONSTRAINT account_identity_email_length CHECK (((octet_length(email) >= 1) AND (octet_length(email) <= 254))),
    CONSTRAINT account_identity_subject_length CHECK (((octet_length(subject) >= 1) AND (octet_length(subject) <= 255)))
);

COMMENT ON TABLE public.account_identity IS 'Who a person is to Google or Apple, and which account that is, outside the lanes (rule 12.5).';

COMMENT ON COLUMN public.account_identity.provider IS 'Google or Apple.';

COMMENT ON COLUMN public.account_identity.subject IS 'What the provider calls the person, for ever: sub of its ID token.';

COMMENT ON COLUMN public.account_identity.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.account_identity.account_id IS 'The account.';

COMMENT ON COLUMN public.account_identity.email IS 'The e-mail in the token when it was linked, so that people recognize it; null if there was none. No account is found by it.';

COMMENT ON COLUMN public.account_identity.linked_at IS 'When the person linked it.';

CREATE VIEW garden.account_identity WITH (security_barrier='true') AS
 SELECT account_identity.provider,
    account_identity.subject,
    account_identity.lane,
    account_identity.account_id,
    account_identity.email,
    account_identity.linked_at
   FROM public.account_identity
  WHERE ((account_identity.lane = ( SELECT garden.account_lane() AS account_lane)) AND (account_identity.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.account_identity IS 'The account''s part of account_identity.';

COMMENT ON COLUMN garden.account_identity.provider IS 'Google or Apple.';

COMMENT ON COLUMN garden.account_identity.subject IS 'What the provider calls the person, for ever: sub of its ID token.';

COMMENT ON COLUMN garden.account_identity.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.account_identity.account_id IS 'The account.';

COMMENT ON COLUMN garden.account_identity.email IS 'The e-mail in the token when it was linked, so that people recognize it; null if there was none. No account is found by it.';

COMMENT ON COLUMN garden.account_identity.linked_at IS 'When the person linked it.';

CREATE TABLE public.account_phone (
    phone text NOT NULL,
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    confirmed_at timestamp with time zone NOT NULL,
    CONSTRAINT account_phone_form CHECK ((phone ~ '^\+[1-9][0-9]{4,14}$'::text))
);

COMMENT ON TABLE public.account_phone IS 'Which account has confirmed a phone last, outside the lanes: a password is reset by it (rule 12.4).';

COMMENT ON COLUMN public.account_phone.phone IS 'The phone in E.164, the same as that of the account.';

COMMENT ON COLUMN public.account_phone.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.account_phone.account_id IS 'The account.';

COMMENT ON COLUMN public.account_phone.confirmed_at IS 'When the person gave the code, or an operator vouched for them.';

CREATE VIEW garden.account_phone WITH (security_barrier='true') AS
 SELECT account_phone.phone,
    account_phone.lane,
    account_phone.account_id,
    account_phone.confirmed_at
   FROM public.account_phone
  WHERE ((account_phone.lane = ( SELECT garden.account_lane() AS account_lane)) AND (account_phone.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.account_phone IS 'The account''s part of account_phone.';

COMMENT ON COLUMN garden.account_phone.phone IS 'The phone in E.164, the same as that of the account.';

COMMENT ON COLUMN garden.account_phone.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.account_phone.account_id IS 'The account.';

COMMENT ON COLUMN garden.account_phone.confirmed_at IS 'When the person gave the code, or an operator vouched for them.';

CREATE TABLE public.account_picture (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    image bytea,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT account_picture_length CHECK (((octet_length(image) >= 1) AND (octet_length(image) <= 1048576)))
);

COMMENT ON TABLE public.account_picture IS 'The picture of an account (rule 12.7).';

COMMENT ON COLUMN public.account_picture.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.account_picture.account_id IS 'The account.';

COMMENT ON COLUMN public.account_picture.image IS 'A square JPEG of at most 512 pixels, made anew from what was sent, without metadata; null after it was removed.';

COMMENT ON COLUMN public.account_picture.changed_at IS 'When it was set or removed.';

CREATE VIEW garden.account_picture WITH (security_barrier='true') AS
 SELECT account_picture.lane,
    account_picture.account_id,
    account_picture.image,
    account_picture.changed_at
   FROM public.account_picture
  WHERE ((account_picture.lane = ( SELECT garden.account_lane() AS account_lane)) AND (account_picture.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.account_picture IS 'The account''s part of account_picture.';

COMMENT ON COLUMN garden.account_picture.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.account_picture.account_id IS 'The account.';

COMMENT ON COLUMN garden.account_picture.image IS 'A square JPEG of at most 512 pixels, made anew from what was sent, without metadata; null after it was removed.';

COMMENT ON COLUMN garden.account_picture.changed_at IS 'When it was set or removed.';

CREATE TABLE public.account_session (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    secret_hash bytea NOT NULL,
    device_name text NOT NULL,
    signed_in_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone NOT NULL,
    CONSTRAINT account_session_device_name_length CHECK (((octet_length(device_name) >= 1) AND (octet_length(device_name) <= 1280))),
    CONSTRAINT account_session_secret_form CHECK ((octet_length(secret_hash) = 32))
);

COMMENT ON TABLE public.account_session IS 'Who is signed in where (rule 12.3).';

COMMENT ON COLUMN public.account_session.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.account_session.id IS 'A random UUID, part of the token.';

COMMENT ON COLUMN public.account_session.account_id IS 'The account.';

COMMENT ON COLUMN public.account_session.secret_hash IS 'SHA-256 of the 256 random bits of the token.';

COMMENT ON COLUMN public.account_session.device_name IS 'What the app calls the device, or its address.';

COMMENT ON COLUMN public.account_session.signed_in_at IS 'When the password was last given, or a provider vouched for the person.';

COMMENT ON COLUMN public.account_session.used_at IS 'When it was last used, to the hour.';

CREATE VIEW garden.account_session WITH (security_barrier='true') AS
 SELECT account_session.lane,
    account_session.id,
    account_session.account_id,
    account_session.device_name,
    account_session.signed_in_at,
    account_session.used_at
   FROM public.account_session
  WHERE ((account_session.lane = ( SELECT garden.account_lane() AS account_lane)) AND (account_session.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.account_session IS 'The account''s part of account_session, without the secrets.';

COMMENT ON COLUMN garden.account_session.signed_in_at IS 'When the password was last given, or a provider vouched for the person.';

CREATE TABLE public.plant (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    name text NOT NULL,
    phone text NOT NULL,
    nickname text NOT NULL,
    birthday_year smallint,
    birthday_month smallint,
    birthday_day smallint,
    cycle_days smallint NOT NULL,
    alarm_minute smallint NOT NULL,
    planted_on date NOT NULL,
    last_watered_on date,
    due_on date NOT NULL,
    due_source public.due_source NOT NULL,
    affection smallint NOT NULL,
    watering_count integer NOT NULL,
    postponement_count integer NOT NULL,
    pushes_enabled boolean NOT NULL,
    alarm_at timestamp with time zone,
    alarmed_due_dates date[] NOT NULL,
    reminder_number integer,
    reminder_at timestamp with time zone,
    birthday_on date,
    birthday_at timestamp with time zone,
    passed_birthday_on date,
    passed_birthday_at timestamp with time zone,
    withered_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    removed_at timestamp with time zone,
    is_favourite boolean DEFAULT false NOT NULL,
    restored_on date,
    version bigint DEFAULT 1 NOT NULL,
    modified_at timestamp with time zone,
    original_due_on date,
    pauses date[] DEFAULT '{}'::date[] NOT NULL,
    spread_days date[] DEFAULT '{}'::date[] NOT NULL,
    CONSTRAINT plant_affection_range CHECK (((affection >= 0) AND (affection <= 100))),
    CONSTRAINT plant_alarm_minute_range CHECK (((alarm_minute >= 0) AND (alarm_minute <= 1439))),
    CONSTRAINT plant_alarmed_due_dates_are_days CHECK (((array_ndims(alarmed_due_dates) IS NULL) OR
CASE
    WHEN (array_ndims(alarmed_due_dates) = 1) THEN ((cardinality(alarmed_due_dates) <= 8) AND (array_position(alarmed_due_dates, NULL::date) IS NULL) AND ('0001-01-01'::date <= ALL (alarmed_due_dates)) AND ('9999-12-31'::date >= ALL (alarmed_due_dates)))
    ELSE false
END)),
    CONSTRAINT plant_birthday_is_a_day CHECK ((((birthday_month IS NULL) AND (birthday_day IS NULL) AND (birthday_year IS NULL)) OR (make_date(COALESCE((birthday_year)::integer, 2000), (birthday_month)::integer, (birthday_day)::integer) IS NOT NULL))),
    CONSTRAINT plant_birthday_plan_is_whole CHECK (((birthday_on IS NULL) = (birthday_at IS NULL))),
    CONSTRAINT plant_birthday_year_range CHECK (((birthday_year >= 1) AND (birthday_year <= 9999))),
    CONSTRAINT plant_counts_not_negative CHECK (((watering_count >= 0) AND (postponement_count >= 0))),
    CONSTRAINT plant_counts_range CHECK (((watering_count <= 999999999) AND (postponement_count <= 999999999))),
    CONSTRAINT plant_cycle_days_range CHECK (((cycle_days >= 1) AND (cycle_days <= 90))),
    CONSTRAINT plant_days_range CHECK ((((planted_on >= '0001-01-01'::date) AND (planted_on <= '9999-12-31'::date)) AND ((due_on >= '0001-01-01'::date) AND (due_on <= '9999-12-31'::date)) AND ((last_watered_on >= '0001-01-01'::date) AND (last_watered_on <= '9999-12-31'::date)) AND ((birthday_on >= '0001-01-01'::date) AND (birthday_on <= '9999-12-31'::date)) AND ((passed_birthday_on >= '0001-01-01'::date) AND (passed_birthday_on <= '9999-12-31'::date)))),
    CONSTRAINT plant_instants_range CHECK ((((created_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (created_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)) AND ((alarm_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (alarm_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)) AND ((reminder_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (reminder_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)) AND ((birthday_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (birthday_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)) AND ((passed_birthday_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (passed_birthday_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)) AND ((withered_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (withered_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)) AND ((removed_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (removed_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)))),
    CONSTRAINT plant_modified_at_range CHECK (((modified_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (modified_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT plant_name_length CHECK ((octet_length(name) <= 3200)),
    CONSTRAINT plant_name_not_blank CHECK ((name <> ''::text)),
    CONSTRAINT plant_nickname_length CHECK ((octet_length(nickname) <= 1280)),
    CONSTRAINT plant_nickname_not_blank CHECK ((nickname <> ''::text)),
    CONSTRAINT plant_original_due_on_range CHECK (((original_due_on >= '0001-01-01'::date) AND (original_due_on <= '9999-12-31'::date))),
    CONSTRAINT plant_passed_birthday_is_whole CHECK (((passed_birthday_on IS NULL) = (passed_birthday_at IS NULL))),
    CONSTRAINT plant_pauses_pairs CHECK (((cardinality(pauses) % 2) = 0)),
    CONSTRAINT plant_phone_is_e164 CHECK ((phone ~ '^\+[1-9][0-9]{4,14}$'::text)),
    CONSTRAINT plant_reminder_is_whole CHECK (((reminder_number IS NULL) = (reminder_at IS NULL))),
    CONSTRAINT plant_reminder_number_range CHECK (((reminder_number >= 1) AND (reminder_number <= 999999999))),
    CONSTRAINT plant_restored_on_range CHECK (((restored_on >= '0001-01-01'::date) AND (restored_on <= '9999-12-31'::date))),
    CONSTRAINT plant_version_range CHECK ((version >= 1))
)
WITH (fillfactor='50');

COMMENT ON TABLE public.plant IS 'The present state of one friendship. The tables below tell how it came about.';

COMMENT ON COLUMN public.plant.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.plant.id IS 'A random UUID.';

COMMENT ON COLUMN public.plant.account_id IS 'The account that cares for the friend.';

COMMENT ON COLUMN public.plant.name IS 'As the address book has it, 1-50 characters.';

COMMENT ON COLUMN public.plant.phone IS 'E.164.';

COMMENT ON COLUMN public.plant.nickname IS 'What the account calls the friend, 1-20 characters.';

COMMENT ON COLUMN public.plant.birthday_year IS 'The year of birth; null when unknown.';

COMMENT ON COLUMN public.plant.birthday_month IS 'The month of birth, 1-12; null when the birthday is unknown.';

COMMENT ON COLUMN public.plant.birthday_day IS 'The day of birth, 1-31; null when the birthday is unknown.';

COMMENT ON COLUMN public.plant.cycle_days IS 'Days after which it wants water, 1-90; it decides the species (rule 1.3).';

COMMENT ON COLUMN public.plant.alarm_minute IS 'The alarm time in minutes after midnight on the wall clock of the account''s zone.';

COMMENT ON COLUMN public.plant.planted_on IS 'The day of registration.';

COMMENT ON COLUMN public.plant.last_watered_on IS 'The latest day of a watering; null when never watered.';

COMMENT ON COLUMN public.plant.due_on IS 'The day on which it wants water.';

COMMENT ON COLUMN public.plant.due_source IS 'What set the due date.';

COMMENT ON COLUMN public.plant.affection IS 'The sum of the plant''s affection_entry rows, 0-100.';

COMMENT ON COLUMN public.plant.watering_count IS 'How many waterings it has; the next one''s number minus one.';

COMMENT ON COLUMN public.plant.postponement_count IS 'How many postponements it has; the next one''s number minus one.';

COMMENT ON COLUMN public.plant.pushes_enabled IS 'The plant''s own switch for its pushes (rule 7.4).';

COMMENT ON COLUMN public.plant.alarm_at IS 'Points at the occurrence of the due date''s alarm; null when none is planned (rule 7.2).';

COMMENT ON COLUMN public.plant.alarmed_due_dates IS 'Past due dates whose alarm was reached and that could come again: they are not planned again (rule 7.2).';

COMMENT ON COLUMN public.plant.reminder_number IS 'The watering for whose review a reminder is or was planned (rule 7.3).';

COMMENT ON COLUMN public.plant.reminder_at IS 'When the reminder is or was planned.';

COMMENT ON COLUMN public.plant.birthday_on IS 'The birthday for which a push is planned (rule 7.10).';

COMMENT ON COLUMN public.plant.birthday_at IS 'When that push is planned.';

COMMENT ON COLUMN public.plant.passed_birthday_on IS 'The birthday whose push was reached last; it may still be on its way.';

COMMENT ON COLUMN public.plant.passed_birthday_at IS 'When that push was planned.';

COMMENT ON COLUMN public.plant.withered_at IS 'Points at the occurrence of the withered push, on the day after the due date; null when none is planned (rule 7.10).';

COMMENT ON COLUMN public.plant.created_at IS 'When it was registered.';

COMMENT ON COLUMN public.plant.removed_at IS 'When it was removed; null while it lives.';

COMMENT ON COLUMN public.plant.is_favourite IS 'Whether the account marked the friend as a favourite (rule 9.5).';

COMMENT ON COLUMN public.plant.restored_on IS 'The day on which it was last brought back after a removal (rule 1.8); null when it never was.';

COMMENT ON COLUMN public.plant.version IS 'Grows with each command that changes the plant (rule 14.1), from 1.';

COMMENT ON COLUMN public.plant.modified_at IS 'When a command last changed the plant; null if none has since migration 14.';

COMMENT ON COLUMN public.plant.original_due_on IS 'The due date before a pause moved it; null where none has since it was set (rule 13.2).';

COMMENT ON COLUMN public.plant.pauses IS 'When it is paused, by pauses of the account, of its tags and of its own: the first and the last day of each span, in order, with days between the spans (rule 13.1).';

COMMENT ON COLUMN public.plant.spread_days IS 'Days after such spans on which what is due is spread over the cycles (rule 13.2).';

CREATE VIEW garden.plant WITH (security_barrier='true') AS
 SELECT plant.lane,
    plant.id,
    plant.account_id,
    plant.name,
    plant.phone,
    plant.nickname,
    plant.birthday_year,
    plant.birthday_month,
    plant.birthday_day,
    plant.cycle_days,
    plant.alarm_minute,
    plant.planted_on,
    plant.last_watered_on,
    plant.due_on,
    plant.due_source,
    plant.affection,
    plant.watering_count,
    plant.postponement_count,
    plant.pushes_enabled,
    plant.alarm_at,
    plant.alarmed_due_dates,
    plant.reminder_number,
    plant.reminder_at,
    plant.birthday_on,
    plant.birthday_at,
    plant.passed_birthday_on,
    plant.passed_birthday_at,
    plant.withered_at,
    plant.created_at,
    plant.removed_at,
    plant.is_favourite,
    plant.restored_on,
    plant.version,
    plant.modified_at,
    plant.original_due_on,
    plant.pauses,
    plant.spread_days
   FROM public.plant
  WHERE ((plant.lane = ( SELECT garden.account_lane() AS account_lane)) AND (plant.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.plant IS 'The account''s part of plant.';

COMMENT ON COLUMN garden.plant.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.plant.id IS 'A random UUID.';

COMMENT ON COLUMN garden.plant.account_id IS 'The account that cares for the friend.';

COMMENT ON COLUMN garden.plant.name IS 'As the address book has it, 1-50 characters.';

COMMENT ON COLUMN garden.plant.phone IS 'E.164.';

COMMENT ON COLUMN garden.plant.nickname IS 'What the account calls the friend, 1-20 characters.';

COMMENT ON COLUMN garden.plant.birthday_year IS 'The year of birth; null when unknown.';

COMMENT ON COLUMN garden.plant.birthday_month IS 'The month of birth, 1-12; null when the birthday is unknown.';

COMMENT ON COLUMN garden.plant.birthday_day IS 'The day of birth, 1-31; null when the birthday is unknown.';

COMMENT ON COLUMN garden.plant.cycle_days IS 'Days after which it wants water, 1-90; it decides the species (rule 1.3).';

COMMENT ON COLUMN garden.plant.alarm_minute IS 'The alarm time in minutes after midnight on the wall clock of the account''s zone.';

COMMENT ON COLUMN garden.plant.planted_on IS 'The day of registration.';

COMMENT ON COLUMN garden.plant.last_watered_on IS 'The latest day of a watering; null when never watered.';

COMMENT ON COLUMN garden.plant.due_on IS 'The day on which it wants water.';

COMMENT ON COLUMN garden.plant.due_source IS 'What set the due date.';

COMMENT ON COLUMN garden.plant.affection IS 'The sum of the plant''s affection_entry rows, 0-100.';

COMMENT ON COLUMN garden.plant.watering_count IS 'How many waterings it has; the next one''s number minus one.';

COMMENT ON COLUMN garden.plant.postponement_count IS 'How many postponements it has; the next one''s number minus one.';

COMMENT ON COLUMN garden.plant.pushes_enabled IS 'The plant''s own switch for its pushes (rule 7.4).';

COMMENT ON COLUMN garden.plant.alarm_at IS 'Points at the occurrence of the due date''s alarm; null when none is planned (rule 7.2).';

COMMENT ON COLUMN garden.plant.alarmed_due_dates IS 'Past due dates whose alarm was reached and that could come again: they are not planned again (rule 7.2).';

COMMENT ON COLUMN garden.plant.reminder_number IS 'The watering for whose review a reminder is or was planned (rule 7.3).';

COMMENT ON COLUMN garden.plant.reminder_at IS 'When the reminder is or was planned.';

COMMENT ON COLUMN garden.plant.birthday_on IS 'The birthday for which a push is planned (rule 7.10).';

COMMENT ON COLUMN garden.plant.birthday_at IS 'When that push is planned.';

COMMENT ON COLUMN garden.plant.passed_birthday_on IS 'The birthday whose push was reached last; it may still be on its way.';

COMMENT ON COLUMN garden.plant.passed_birthday_at IS 'When that push was planned.';

COMMENT ON COLUMN garden.plant.withered_at IS 'Points at the occurrence of the withered push, on the day after the due date; null when none is planned (rule 7.10).';

COMMENT ON COLUMN garden.plant.created_at IS 'When it was registered.';

COMMENT ON COLUMN garden.plant.removed_at IS 'When it was removed; null while it lives.';

COMMENT ON COLUMN garden.plant.is_favourite IS 'Whether the account marked the friend as a favourite (rule 9.5).';

COMMENT ON COLUMN garden.plant.restored_on IS 'The day on which it was last brought back after a removal (rule 1.8); null when it never was.';

COMMENT ON COLUMN garden.plant.version IS 'Grows with each command that changes the plant (rule 14.1), from 1.';

COMMENT ON COLUMN garden.plant.modified_at IS 'When a command last changed the plant; null if none has since migration 14.';

COMMENT ON COLUMN garden.plant.original_due_on IS 'The due date before a pause moved it; null where none has since it was set (rule 13.2).';

COMMENT ON COLUMN garden.plant.pauses IS 'When it is paused, by pauses of the account, of its tags and of its own: the first and the last day of each span, in order, with days between the spans (rule 13.1).';

COMMENT ON COLUMN garden.plant.spread_days IS 'Days after such spans on which what is due is spread over the cycles (rule 13.2).';

CREATE TABLE public.affection_entry (
    lane smallint NOT NULL,
    plant_id uuid NOT NULL,
    watering_number integer NOT NULL,
    reason public.affection_reason NOT NULL,
    points smallint NOT NULL,
    gained_at timestamp with time zone NOT NULL,
    CONSTRAINT affection_entry_gained_at_range CHECK (((gained_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (gained_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT affection_entry_points_range CHECK (((points >= 1) AND (points <= 8)))
);

COMMENT ON TABLE public.affection_entry IS 'The ledger of affection: its sum is the plant''s affection (rule 4.5).';

COMMENT ON COLUMN public.affection_entry.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.affection_entry.plant_id IS 'The plant.';

COMMENT ON COLUMN public.affection_entry.watering_number IS 'The watering that earned it.';

COMMENT ON COLUMN public.affection_entry.reason IS 'What earned it; each at most once per watering.';

COMMENT ON COLUMN public.affection_entry.points IS 'What was actually gained, 1-8: less than 8 when affection became full.';

COMMENT ON COLUMN public.affection_entry.gained_at IS 'When it was gained.';

CREATE VIEW garden.affection_entry WITH (security_barrier='true') AS
 SELECT entry.lane,
    entry.plant_id,
    entry.watering_number,
    entry.reason,
    entry.points,
    entry.gained_at
   FROM public.affection_entry entry
  WHERE ((entry.lane = ( SELECT garden.account_lane() AS account_lane)) AND (EXISTS ( SELECT
           FROM garden.plant plant
          WHERE ((plant.lane = entry.lane) AND (plant.id = entry.plant_id)))))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.affection_entry IS 'The account''s part of affection_entry.';

COMMENT ON COLUMN garden.affection_entry.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.affection_entry.plant_id IS 'The plant.';

COMMENT ON COLUMN garden.affection_entry.watering_number IS 'The watering that earned it.';

COMMENT ON COLUMN garden.affection_entry.reason IS 'What earned it; each at most once per watering.';

COMMENT ON COLUMN garden.affection_entry.points IS 'What was actually gained, 1-8: less than 8 when affection became full.';

COMMENT ON COLUMN garden.affection_entry.gained_at IS 'When it was gained.';

CREATE TABLE public.calendar_feed (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT calendar_feed_created_at_range CHECK (((created_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (created_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT calendar_feed_token_form CHECK ((octet_length(token_hash) = 32))
);

COMMENT ON TABLE public.calendar_feed IS 'Links to the calendar of an account, for programs that subscribe to it, until they are removed.';

COMMENT ON COLUMN public.calendar_feed.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.calendar_feed.id IS 'A random UUID, which is not in the link.';

COMMENT ON COLUMN public.calendar_feed.account_id IS 'The account.';

COMMENT ON COLUMN public.calendar_feed.token_hash IS 'SHA-256 of the 256 random bits of the token.';

COMMENT ON COLUMN public.calendar_feed.created_at IS 'When it was made.';

CREATE VIEW garden.calendar_feed WITH (security_barrier='true') AS
 SELECT calendar_feed.lane,
    calendar_feed.id,
    calendar_feed.account_id,
    calendar_feed.token_hash,
    calendar_feed.created_at
   FROM public.calendar_feed
  WHERE ((calendar_feed.lane = ( SELECT garden.account_lane() AS account_lane)) AND (calendar_feed.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.calendar_feed IS 'The account''s part of calendar_feed.';

COMMENT ON COLUMN garden.calendar_feed.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.calendar_feed.id IS 'A random UUID, which is not in the link.';

COMMENT ON COLUMN garden.calendar_feed.account_id IS 'The account.';

COMMENT ON COLUMN garden.calendar_feed.token_hash IS 'SHA-256 of the 256 random bits of the token.';

COMMENT ON COLUMN garden.calendar_feed.created_at IS 'When it was made.';

CREATE TABLE public.cycle_change (
    lane smallint NOT NULL,
    plant_id uuid NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    cycle_days smallint NOT NULL,
    due_on date NOT NULL,
    source public.due_source NOT NULL,
    withers_on date,
    CONSTRAINT cycle_change_changed_at_range CHECK (((changed_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (changed_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT cycle_change_cycle_days_range CHECK (((cycle_days >= 1) AND (cycle_days <= 90))),
    CONSTRAINT cycle_change_due_on_range CHECK (((due_on >= '0001-01-01'::date) AND (due_on <= '9999-12-31'::date))),
    CONSTRAINT cycle_change_source CHECK (((source)::text = ANY (ARRAY['registration'::text, 'edit'::text, 'pause'::text, 'outage'::text]))),
    CONSTRAINT cycle_change_withers_on_range CHECK (((withers_on >= due_on) AND (withers_on <= (due_on + 100000))))
);

COMMENT ON TABLE public.cycle_change IS 'The due dates that neither a watering nor a postponement set: registration, restoration, a changed cycle.';

COMMENT ON COLUMN public.cycle_change.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.cycle_change.plant_id IS 'The plant.';

COMMENT ON COLUMN public.cycle_change.changed_at IS 'When it was changed.';

COMMENT ON COLUMN public.cycle_change.cycle_days IS 'The cycle from then on.';

COMMENT ON COLUMN public.cycle_change.due_on IS 'The due date that it set.';

COMMENT ON COLUMN public.cycle_change.source IS 'Registration (or restoration), or an edit; a pause, which moved the due date that something else had set (rule 13.2); or an outage, which moved it because its push could not leave (rule 13.3), as of the instant of that push.';

COMMENT ON COLUMN public.cycle_change.withers_on IS 'The first day on which the plant would be withered, where a pause puts it off; null means the day after the due date.';

CREATE VIEW garden.cycle_change WITH (security_barrier='true') AS
 SELECT cycle_change.lane,
    cycle_change.plant_id,
    cycle_change.changed_at,
    cycle_change.cycle_days,
    cycle_change.due_on,
    cycle_change.source,
    cycle_change.withers_on
   FROM public.cycle_change
  WHERE ((cycle_change.lane = ( SELECT garden.account_lane() AS account_lane)) AND (EXISTS ( SELECT
           FROM garden.plant plant
          WHERE ((plant.lane = cycle_change.lane) AND (plant.id = cycle_change.plant_id)))))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.cycle_change IS 'The account''s part of cycle_change.';

COMMENT ON COLUMN garden.cycle_change.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.cycle_change.plant_id IS 'The plant.';

COMMENT ON COLUMN garden.cycle_change.changed_at IS 'When it was changed.';

COMMENT ON COLUMN garden.cycle_change.cycle_days IS 'The cycle from then on.';

COMMENT ON COLUMN garden.cycle_change.due_on IS 'The due date that it set.';

COMMENT ON COLUMN garden.cycle_change.source IS 'Registration (or restoration), or an edit; a pause, which moved the due date that something else had set (rule 13.2); or an outage, which moved it because its push could not leave (rule 13.3), as of the instant of that push.';

COMMENT ON COLUMN garden.cycle_change.withers_on IS 'The first day on which the plant would be withered, where a pause puts it off; null means the day after the due date.';

CREATE TABLE public.device (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    platform public.device_platform NOT NULL,
    token text NOT NULL,
    added_at timestamp with time zone NOT NULL,
    secret text,
    retired_at timestamp with time zone,
    retired_reason text,
    session_id uuid,
    p256dh bytea,
    auth bytea,
    CONSTRAINT device_auth_length CHECK ((octet_length(auth) = 16)),
    CONSTRAINT device_instants_range CHECK ((((added_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (added_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)) AND ((retired_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (retired_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)))),
    CONSTRAINT device_keys_are_for_browsers CHECK ((((p256dh IS NOT NULL) = ((platform)::text = 'web'::text)) AND ((auth IS NOT NULL) = ((platform)::text = 'web'::text)))),
    CONSTRAINT device_p256dh_form CHECK (((octet_length(p256dh) = 65) AND (get_byte(p256dh, 0) = 4))),
    CONSTRAINT device_retirement_is_whole CHECK (((retired_at IS NULL) = (retired_reason IS NULL))),
    CONSTRAINT device_secret_form CHECK ((secret ~ '^whsec_[A-Za-z0-9+/]{32,86}={0,2}$'::text)),
    CONSTRAINT device_secret_is_for_webhooks CHECK (((secret IS NULL) OR (platform = 'webhook'::public.device_platform))),
    CONSTRAINT device_token_length CHECK (((octet_length(token) >= 1) AND (octet_length(token) <= 2000)))
);

COMMENT ON TABLE public.device IS 'Where an account''s pushes go.';

COMMENT ON COLUMN public.device.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.device.id IS 'A random UUID.';

COMMENT ON COLUMN public.device.account_id IS 'The account.';

COMMENT ON COLUMN public.device.platform IS 'Which provider reaches it.';

COMMENT ON COLUMN public.device.token IS 'The provider''s token, the URL of a webhook, or the endpoint of a browser''s subscription.';

COMMENT ON COLUMN public.device.added_at IS 'When it was added, or last added again.';

COMMENT ON COLUMN public.device.secret IS 'What signs a webhook''s pushes, whsec_ and Base64; null for other platforms.';

COMMENT ON COLUMN public.device.retired_at IS 'Since when nothing is sent to it, by the engine''s now; null while it lives.';

COMMENT ON COLUMN public.device.retired_reason IS 'What its provider said, or not_refreshed.';

COMMENT ON COLUMN public.device.session_id IS 'The session that added it, with which it ends; null for webhooks, and for what an operator added.';

COMMENT ON COLUMN public.device.p256dh IS 'A browser''s public key, an uncompressed point on P-256; null for other platforms.';

COMMENT ON COLUMN public.device.auth IS 'A browser''s secret, 16 bytes; null for other platforms.';

CREATE VIEW garden.device WITH (security_barrier='true') AS
 SELECT device.lane,
    device.id,
    device.account_id,
    device.platform,
    device.token,
    device.added_at,
    device.secret,
    device.retired_at,
    device.retired_reason,
    device.session_id,
    device.p256dh,
    device.auth
   FROM public.device
  WHERE ((device.lane = ( SELECT garden.account_lane() AS account_lane)) AND (device.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.device IS 'The account''s part of device.';

COMMENT ON COLUMN garden.device.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.device.id IS 'A random UUID.';

COMMENT ON COLUMN garden.device.account_id IS 'The account.';

COMMENT ON COLUMN garden.device.platform IS 'Which provider reaches it.';

COMMENT ON COLUMN garden.device.token IS 'The provider''s token, the URL of a webhook, or the endpoint of a browser''s subscription.';

COMMENT ON COLUMN garden.device.added_at IS 'When it was added, or last added again.';

COMMENT ON COLUMN garden.device.secret IS 'What signs a webhook''s pushes, whsec_ and Base64; null for other platforms.';

COMMENT ON COLUMN garden.device.retired_at IS 'Since when nothing is sent to it, by the engine''s now; null while it lives.';

COMMENT ON COLUMN garden.device.retired_reason IS 'What its provider said, or not_refreshed.';

COMMENT ON COLUMN garden.device.session_id IS 'The session that added it, with which it ends; null for webhooks, and for what an operator added.';

COMMENT ON COLUMN garden.device.p256dh IS 'A browser''s public key, an uncompressed point on P-256; null for other platforms.';

COMMENT ON COLUMN garden.device.auth IS 'A browser''s secret, 16 bytes; null for other platforms.';

CREATE TABLE public.device_token (
    platform public.device_platform NOT NULL,
    token text NOT NULL,
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    device_id uuid NOT NULL,
    CONSTRAINT device_token_of_a_phone CHECK ((platform <> 'webhook'::public.device_platform))
);

COMMENT ON TABLE public.device_token IS 'Which account a phone or a browser belongs to: one at a time, outside the lanes. A webhook may belong to several accounts.';

COMMENT ON COLUMN public.device_token.platform IS 'ios, android or web.';

COMMENT ON COLUMN public.device_token.token IS 'The provider''s token, or the endpoint of a browser''s subscription.';

COMMENT ON COLUMN public.device_token.lane IS 'The lane of the account that has the phone.';

COMMENT ON COLUMN public.device_token.account_id IS 'The account that has the phone.';

COMMENT ON COLUMN public.device_token.device_id IS 'Its device.';

CREATE VIEW garden.device_token WITH (security_barrier='true') AS
 SELECT device_token.platform,
    device_token.token,
    device_token.lane,
    device_token.account_id,
    device_token.device_id
   FROM public.device_token
  WHERE ((device_token.lane = ( SELECT garden.account_lane() AS account_lane)) AND (device_token.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.device_token IS 'The account''s part of device_token.';

COMMENT ON COLUMN garden.device_token.platform IS 'ios, android or web.';

COMMENT ON COLUMN garden.device_token.token IS 'The provider''s token, or the endpoint of a browser''s subscription.';

COMMENT ON COLUMN garden.device_token.lane IS 'The lane of the account that has the phone.';

COMMENT ON COLUMN garden.device_token.account_id IS 'The account that has the phone.';

COMMENT ON COLUMN garden.device_token.device_id IS 'Its device.';

CREATE TABLE public.edited_item (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    kind public.change_kind NOT NULL,
    id uuid NOT NULL,
    number integer NOT NULL,
    parts text[] NOT NULL,
    made_at timestamp with time zone[] NOT NULL,
    newest_at timestamp with time zone NOT NULL,
    CONSTRAINT edited_item_newest_at_range CHECK (((newest_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (newest_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT edited_item_times_match CHECK (((cardinality(parts) >= 1) AND (cardinality(parts) = cardinality(made_at))))
);

COMMENT ON TABLE public.edited_item IS 'When the parts of an item were last edited, by the clocks of the devices: the newer of two edits of a part wins, whichever arrives first. Kept for 90 days after the newest edit; older edits are refused.';

COMMENT ON COLUMN public.edited_item.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.edited_item.account_id IS 'The account.';

COMMENT ON COLUMN public.edited_item.kind IS 'What was edited: a friend, a thing, a tag, a list, the settings, or the review of a watering.';

COMMENT ON COLUMN public.edited_item.id IS 'Its id: of a watering that of its plant, of settings that of the account.';

COMMENT ON COLUMN public.edited_item.number IS 'The number of a watering; 0 for other kinds.';

COMMENT ON COLUMN public.edited_item.parts IS 'The names of the parts that were edited, as the API spells them; "tag" and an id for a tag that was added or removed.';

COMMENT ON COLUMN public.edited_item.made_at IS 'When each part was last edited, to the second.';

COMMENT ON COLUMN public.edited_item.newest_at IS 'The newest of these times.';

CREATE VIEW garden.edited_item WITH (security_barrier='true') AS
 SELECT edited_item.lane,
    edited_item.account_id,
    edited_item.kind,
    edited_item.id,
    edited_item.number,
    edited_item.parts,
    edited_item.made_at,
    edited_item.newest_at
   FROM public.edited_item
  WHERE ((edited_item.lane = ( SELECT garden.account_lane() AS account_lane)) AND (edited_item.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.edited_item IS 'The account''s part of edited_item.';

COMMENT ON COLUMN garden.edited_item.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.edited_item.account_id IS 'The account.';

COMMENT ON COLUMN garden.edited_item.kind IS 'What was edited: a friend, a thing, a tag, a list, the settings, or the review of a watering.';

COMMENT ON COLUMN garden.edited_item.id IS 'Its id: of a watering that of its plant, of settings that of the account.';

COMMENT ON COLUMN garden.edited_item.number IS 'The number of a watering; 0 for other kinds.';

COMMENT ON COLUMN garden.edited_item.parts IS 'The names of the parts that were edited, as the API spells them; "tag" and an id for a tag that was added or removed.';

COMMENT ON COLUMN garden.edited_item.made_at IS 'When each part was last edited, to the second.';

COMMENT ON COLUMN garden.edited_item.newest_at IS 'The newest of these times.';

CREATE TABLE public.helped_list (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    list_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    owner_nickname text NOT NULL,
    slot smallint,
    claimed_at timestamp with time zone NOT NULL,
    accepted_at timestamp with time zone,
    opened_at timestamp with time zone,
    expires_at timestamp with time zone,
    ended_at timestamp with time zone,
    released_at timestamp with time zone,
    acceptance_count integer NOT NULL,
    release_count integer NOT NULL,
    list_version bigint NOT NULL,
    event_topic public.topic,
    event_at timestamp with time zone,
    expiring_push_at timestamp with time zone,
    expired_push_at timestamp with time zone,
    CONSTRAINT helped_list_counts_range CHECK (((acceptance_count >= 0) AND (release_count >= 0) AND (list_version >= 0))),
    CONSTRAINT helped_list_event_is_whole CHECK (((event_topic IS NULL) = (event_at IS NULL))),
    CONSTRAINT helped_list_instants_range CHECK ((((claimed_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (claimed_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)) AND ((accepted_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (accepted_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)) AND ((opened_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (opened_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)) AND ((expires_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (expires_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)) AND ((ended_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (ended_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)) AND ((released_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (released_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)) AND ((event_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (event_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)) AND ((expiring_push_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (expiring_push_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)) AND ((expired_push_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (expired_push_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)))),
    CONSTRAINT helped_list_owner_nickname_length CHECK ((octet_length(owner_nickname) <= 1280)),
    CONSTRAINT helped_list_slot_range CHECK (((slot >= 1) AND (slot <= 5)))
);

COMMENT ON TABLE public.helped_list IS 'The lists that an account helps with, as its lane knows them: a claim of one of five places first, then what news tells (decision 58). The list itself is the truth.';

COMMENT ON COLUMN public.helped_list.lane IS 'The helper''s lane.';

COMMENT ON COLUMN public.helped_list.account_id IS 'The helper.';

COMMENT ON COLUMN public.helped_list.list_id IS 'The list, in its owner''s lane.';

COMMENT ON COLUMN public.helped_list.owner_id IS 'The owner.';

COMMENT ON COLUMN public.helped_list.owner_nickname IS 'The owner''s nickname, for pushes; empty until the acceptance is known.';

COMMENT ON COLUMN public.helped_list.slot IS 'Which of the five places it takes; null once it takes none.';

COMMENT ON COLUMN public.helped_list.claimed_at IS 'When the place was claimed.';

COMMENT ON COLUMN public.helped_list.accepted_at IS 'When the list confirmed it; null before that, and after it was given back.';

COMMENT ON COLUMN public.helped_list.opened_at IS 'When the list was opened.';

COMMENT ON COLUMN public.helped_list.expires_at IS 'When the list ends.';

COMMENT ON COLUMN public.helped_list.ended_at IS 'When it was delivered or cancelled.';

COMMENT ON COLUMN public.helped_list.released_at IS 'When the helper gave it back last.';

COMMENT ON COLUMN public.helped_list.acceptance_count IS 'How often the helper has accepted it.';

COMMENT ON COLUMN public.helped_list.release_count IS 'How often the helper has given it back.';

COMMENT ON COLUMN public.helped_list.list_version IS 'The version of the list that is known; 0 before any is.';

COMMENT ON COLUMN public.helped_list.event_topic IS 'What the helper is told last; null without a push.';

COMMENT ON COLUMN public.helped_list.event_at IS 'When that is planned in the calendar.';

COMMENT ON COLUMN public.helped_list.expiring_push_at IS 'When the push is planned that warns of the end; null without one.';

COMMENT ON COLUMN public.helped_list.expired_push_at IS 'When the push about the end is planned; null without one.';

CREATE VIEW garden.helped_list WITH (security_barrier='true') AS
 SELECT helped_list.lane,
    helped_list.account_id,
    helped_list.list_id,
    helped_list.owner_id,
    helped_list.owner_nickname,
    helped_list.slot,
    helped_list.claimed_at,
    helped_list.accepted_at,
    helped_list.opened_at,
    helped_list.expires_at,
    helped_list.ended_at,
    helped_list.released_at,
    helped_list.acceptance_count,
    helped_list.release_count,
    helped_list.list_version,
    helped_list.event_topic,
    helped_list.event_at,
    helped_list.expiring_push_at,
    helped_list.expired_push_at
   FROM public.helped_list
  WHERE ((helped_list.lane = ( SELECT garden.account_lane() AS account_lane)) AND (helped_list.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.helped_list IS 'The account''s part of helped_list.';

COMMENT ON COLUMN garden.helped_list.lane IS 'The helper''s lane.';

COMMENT ON COLUMN garden.helped_list.account_id IS 'The helper.';

COMMENT ON COLUMN garden.helped_list.list_id IS 'The list, in its owner''s lane.';

COMMENT ON COLUMN garden.helped_list.owner_id IS 'The owner.';

COMMENT ON COLUMN garden.helped_list.owner_nickname IS 'The owner''s nickname, for pushes; empty until the acceptance is known.';

COMMENT ON COLUMN garden.helped_list.slot IS 'Which of the five places it takes; null once it takes none.';

COMMENT ON COLUMN garden.helped_list.claimed_at IS 'When the place was claimed.';

COMMENT ON COLUMN garden.helped_list.accepted_at IS 'When the list confirmed it; null before that, and after it was given back.';

COMMENT ON COLUMN garden.helped_list.opened_at IS 'When the list was opened.';

COMMENT ON COLUMN garden.helped_list.expires_at IS 'When the list ends.';

COMMENT ON COLUMN garden.helped_list.ended_at IS 'When it was delivered or cancelled.';

COMMENT ON COLUMN garden.helped_list.released_at IS 'When the helper gave it back last.';

COMMENT ON COLUMN garden.helped_list.acceptance_count IS 'How often the helper has accepted it.';

COMMENT ON COLUMN garden.helped_list.release_count IS 'How often the helper has given it back.';

COMMENT ON COLUMN garden.helped_list.list_version IS 'The version of the list that is known; 0 before any is.';

COMMENT ON COLUMN garden.helped_list.event_topic IS 'What the helper is told last; null without a push.';

COMMENT ON COLUMN garden.helped_list.event_at IS 'When that is planned in the calendar.';

COMMENT ON COLUMN garden.helped_list.expiring_push_at IS 'When the push is planned that warns of the end; null without one.';

COMMENT ON COLUMN garden.helped_list.expired_push_at IS 'When the push about the end is planned; null without one.';

CREATE TABLE public.helper_rating (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    list_id uuid NOT NULL,
    points smallint NOT NULL,
    CONSTRAINT helper_rating_points_range CHECK (((points >= 1) AND (points <= 5)))
);

COMMENT ON TABLE public.helper_rating IS 'How owners rated an account that helped them (rule 11.6): all that remains of its help.';

COMMENT ON COLUMN public.helper_rating.lane IS 'The helper''s lane.';

COMMENT ON COLUMN public.helper_rating.account_id IS 'The helper.';

COMMENT ON COLUMN public.helper_rating.list_id IS 'The list, so that it counts once.';

COMMENT ON COLUMN public.helper_rating.points IS 'From 1 to 5.';

CREATE VIEW garden.helper_rating WITH (security_barrier='true') AS
 SELECT helper_rating.lane,
    helper_rating.account_id,
    helper_rating.list_id,
    helper_rating.points
   FROM public.helper_rating
  WHERE ((helper_rating.lane = ( SELECT garden.account_lane() AS account_lane)) AND (helper_rating.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.helper_rating IS 'The account''s part of helper_rating.';

COMMENT ON COLUMN garden.helper_rating.lane IS 'The helper''s lane.';

COMMENT ON COLUMN garden.helper_rating.account_id IS 'The helper.';

COMMENT ON COLUMN garden.helper_rating.list_id IS 'The list, so that it counts once.';

COMMENT ON COLUMN garden.helper_rating.points IS 'From 1 to 5.';

CREATE TABLE public.import_batch (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    imported_at timestamp with time zone NOT NULL,
    file_name text NOT NULL,
    tag_ids uuid[] NOT NULL,
    undone_at timestamp with time zone,
    CONSTRAINT import_batch_instants_range CHECK ((((imported_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (imported_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)) AND ((undone_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (undone_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)))),
    CONSTRAINT import_batch_tag_ids_are_ids CHECK (((array_ndims(tag_ids) IS NULL) OR
CASE
    WHEN (array_ndims(tag_ids) = 1) THEN (array_position(tag_ids, NULL::uuid) IS NULL)
    ELSE false
END))
);

COMMENT ON TABLE public.import_batch IS 'One import of an address book that changed something.';

COMMENT ON COLUMN public.import_batch.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.import_batch.id IS 'A random UUID.';

COMMENT ON COLUMN public.import_batch.account_id IS 'The account.';

COMMENT ON COLUMN public.import_batch.imported_at IS 'When it was imported, by the engine''s now.';

COMMENT ON COLUMN public.import_batch.file_name IS 'The last part of the file''s path.';

COMMENT ON COLUMN public.import_batch.tag_ids IS 'The tags that were created for it.';

COMMENT ON COLUMN public.import_batch.undone_at IS 'When it was undone; null when it was not.';

CREATE VIEW garden.import_batch WITH (security_barrier='true') AS
 SELECT import_batch.lane,
    import_batch.id,
    import_batch.account_id,
    import_batch.imported_at,
    import_batch.file_name,
    import_batch.tag_ids,
    import_batch.undone_at
   FROM public.import_batch
  WHERE ((import_batch.lane = ( SELECT garden.account_lane() AS account_lane)) AND (import_batch.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.import_batch IS 'The account''s part of import_batch.';

COMMENT ON COLUMN garden.import_batch.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.import_batch.id IS 'A random UUID.';

COMMENT ON COLUMN garden.import_batch.account_id IS 'The account.';

COMMENT ON COLUMN garden.import_batch.imported_at IS 'When it was imported, by the engine''s now.';

COMMENT ON COLUMN garden.import_batch.file_name IS 'The last part of the file''s path.';

COMMENT ON COLUMN garden.import_batch.tag_ids IS 'The tags that were created for it.';

COMMENT ON COLUMN garden.import_batch.undone_at IS 'When it was undone; null when it was not.';

CREATE TABLE public.import_change (
    lane smallint NOT NULL,
    batch_id uuid NOT NULL,
    plant_id uuid NOT NULL,
    kind public.import_change_kind NOT NULL,
    name_before text,
    name_after text,
    birthday text,
    tag_ids uuid[] NOT NULL,
    removed_at timestamp with time zone,
    nickname_before text,
    due_on date,
    due_source public.due_source,
    care_count integer,
    fingerprint text,
    restored_on date,
    CONSTRAINT import_change_birthday_form CHECK ((birthday ~ '^([0-9]{4}-)?(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$'::text)),
    CONSTRAINT import_change_care_count_limit CHECK ((care_count <= 1999999998)),
    CONSTRAINT import_change_care_count_range CHECK ((care_count >= 0)),
    CONSTRAINT import_change_due_is_whole CHECK (((due_on IS NULL) = (due_source IS NULL))),
    CONSTRAINT import_change_due_of_restored CHECK (((due_on IS NULL) OR (kind = 'restored'::public.import_change_kind))),
    CONSTRAINT import_change_due_on_range CHECK (((due_on >= '0001-01-01'::date) AND (due_on <= '9999-12-31'::date))),
    CONSTRAINT import_change_fingerprint_form CHECK ((fingerprint ~ '^[0-9a-f]{16}$'::text)),
    CONSTRAINT import_change_name_is_whole CHECK (((name_before IS NULL) = (name_after IS NULL))),
    CONSTRAINT import_change_names_length CHECK (((octet_length(name_before) <= 3200) AND (octet_length(name_after) <= 3200) AND (octet_length(nickname_before) <= 1280))),
    CONSTRAINT import_change_nickname_beside_name CHECK (((nickname_before IS NULL) OR (name_before IS NOT NULL))),
    CONSTRAINT import_change_removed_at_range CHECK (((removed_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (removed_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT import_change_restored CHECK (((kind = 'restored'::public.import_change_kind) = (removed_at IS NOT NULL))),
    CONSTRAINT import_change_restored_on_beside_due CHECK (((restored_on IS NULL) OR (due_on IS NOT NULL))),
    CONSTRAINT import_change_restored_on_range CHECK (((restored_on >= '0001-01-01'::date) AND (restored_on <= '9999-12-31'::date))),
    CONSTRAINT import_change_state_is_whole CHECK (((care_count IS NULL) = (fingerprint IS NULL))),
    CONSTRAINT import_change_tag_ids_are_ids CHECK (((array_ndims(tag_ids) IS NULL) OR
CASE
    WHEN (array_ndims(tag_ids) = 1) THEN (array_position(tag_ids, NULL::uuid) IS NULL)
    ELSE false
END))
);

COMMENT ON TABLE public.import_change IS 'What an import did with one plant: enough to undo it.';

COMMENT ON COLUMN public.import_change.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.import_change.batch_id IS 'The import.';

COMMENT ON COLUMN public.import_change.plant_id IS 'The plant; undoing the import may have deleted it.';

COMMENT ON COLUMN public.import_change.kind IS 'What was done.';

COMMENT ON COLUMN public.import_change.name_before IS 'The name that was corrected; null where the name stayed.';

COMMENT ON COLUMN public.import_change.name_after IS 'What it was corrected to.';

COMMENT ON COLUMN public.import_change.birthday IS 'The birthday that was added, as 1994-05-21 or 05-21; null when none was.';

COMMENT ON COLUMN public.import_change.tag_ids IS 'The tags that were added.';

COMMENT ON COLUMN public.import_change.removed_at IS 'Since when a restored plant had been removed; null for others.';

COMMENT ON COLUMN public.import_change.nickname_before IS 'The nickname beside name_before; null when unknown.';

COMMENT ON COLUMN public.import_change.due_on IS 'The due date that a restored plant had; null for others, and when unknown.';

COMMENT ON COLUMN public.import_change.due_source IS 'What had set that due date.';

COMMENT ON COLUMN public.import_change.care_count IS 'How many waterings and postponements a new or restored plant had; null for others, and when unknown.';

COMMENT ON COLUMN public.import_change.fingerprint IS 'A hash of everything else about it that commands can change, as the import left it: 16 hexadecimal digits.';

COMMENT ON COLUMN public.import_change.restored_on IS 'The day on which a restored plant had been brought back before; null for others, and when it never was.';

CREATE VIEW garden.import_change WITH (security_barrier='true') AS
 SELECT change.lane,
    change.batch_id,
    change.plant_id,
    change.kind,
    change.name_before,
    change.name_after,
    change.birthday,
    change.tag_ids,
    change.removed_at,
    change.nickname_before,
    change.due_on,
    change.due_source,
    change.care_count,
    change.fingerprint,
    change.restored_on
   FROM public.import_change change
  WHERE ((change.lane = ( SELECT garden.account_lane() AS account_lane)) AND (EXISTS ( SELECT
           FROM garden.import_batch batch
          WHERE ((batch.lane = change.lane) AND (batch.id = change.batch_id)))))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.import_change IS 'The account''s part of import_change.';

COMMENT ON COLUMN garden.import_change.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.import_change.batch_id IS 'The import.';

COMMENT ON COLUMN garden.import_change.plant_id IS 'The plant; undoing the import may have deleted it.';

COMMENT ON COLUMN garden.import_change.kind IS 'What was done.';

COMMENT ON COLUMN garden.import_change.name_before IS 'The name that was corrected; null where the name stayed.';

COMMENT ON COLUMN garden.import_change.name_after IS 'What it was corrected to.';

COMMENT ON COLUMN garden.import_change.birthday IS 'The birthday that was added, as 1994-05-21 or 05-21; null when none was.';

COMMENT ON COLUMN garden.import_change.tag_ids IS 'The tags that were added.';

COMMENT ON COLUMN garden.import_change.removed_at IS 'Since when a restored plant had been removed; null for others.';

COMMENT ON COLUMN garden.import_change.nickname_before IS 'The nickname beside name_before; null when unknown.';

COMMENT ON COLUMN garden.import_change.due_on IS 'The due date that a restored plant had; null for others, and when unknown.';

COMMENT ON COLUMN garden.import_change.due_source IS 'What had set that due date.';

COMMENT ON COLUMN garden.import_change.care_count IS 'How many waterings and postponements a new or restored plant had; null for others, and when unknown.';

COMMENT ON COLUMN garden.import_change.fingerprint IS 'A hash of everything else about it that commands can change, as the import left it: 16 hexadecimal digits.';

COMMENT ON COLUMN garden.import_change.restored_on IS 'The day on which a restored plant had been brought back before; null for others, and when it never was.';

CREATE TABLE public.lane (
    lane smallint NOT NULL,
    cursor_at timestamp with time zone NOT NULL,
    cursor_subject_id uuid NOT NULL,
    cursor_topic public.topic NOT NULL,
    cursor_ref integer NOT NULL,
    last_seq bigint NOT NULL,
    last_recorded_at timestamp with time zone NOT NULL,
    CONSTRAINT lane_cursor_at_range CHECK (((cursor_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (cursor_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT lane_last_recorded_at_range CHECK (((last_recorded_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (last_recorded_at < '2100-01-01 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT lane_last_seq_range CHECK (((last_seq >= 0) AND (last_seq <= '4611686018427387903'::bigint))),
    CONSTRAINT lane_range CHECK (((lane >= 0) AND (lane <= 255)))
);

COMMENT ON TABLE public.lane IS 'How far each lane''s calendar is scheduled. Commands lock the row FOR SHARE, the scheduler FOR UPDATE.';

COMMENT ON COLUMN public.lane.lane IS 'The lane, 0-255.';

COMMENT ON COLUMN public.lane.cursor_at IS 'The instant of the last occurrence that was scheduled; only a repair moves it back.';

COMMENT ON COLUMN public.lane.cursor_subject_id IS 'The subject of that occurrence.';

COMMENT ON COLUMN public.lane.cursor_topic IS 'The topic of that occurrence.';

COMMENT ON COLUMN public.lane.cursor_ref IS 'The ref of that occurrence.';

COMMENT ON COLUMN public.lane.last_seq IS 'The number of the lane''s newest push job.';

COMMENT ON COLUMN public.lane.last_recorded_at IS 'When that job was recorded; the next one is not recorded earlier.';

CREATE VIEW garden.lane WITH (security_barrier='true') AS
 SELECT lane.lane,
    lane.cursor_at,
    lane.cursor_subject_id,
    lane.cursor_topic,
    lane.cursor_ref,
    lane.last_seq,
    lane.last_recorded_at
   FROM public.lane
  WHERE (lane.lane = ( SELECT garden.account_lane() AS account_lane))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.lane IS 'The account''s part of lane.';

COMMENT ON COLUMN garden.lane.lane IS 'The lane, 0-255.';

COMMENT ON COLUMN garden.lane.cursor_at IS 'The instant of the last occurrence that was scheduled; only a repair moves it back.';

COMMENT ON COLUMN garden.lane.cursor_subject_id IS 'The subject of that occurrence.';

COMMENT ON COLUMN garden.lane.cursor_topic IS 'The topic of that occurrence.';

COMMENT ON COLUMN garden.lane.cursor_ref IS 'The ref of that occurrence.';

COMMENT ON COLUMN garden.lane.last_seq IS 'The number of the lane''s newest push job.';

COMMENT ON COLUMN garden.lane.last_recorded_at IS 'When that job was recorded; the next one is not recorded earlier.';

CREATE TABLE public.list_news (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    list_id uuid NOT NULL,
    recipient_id uuid NOT NULL,
    list_version bigint NOT NULL,
    written_at timestamp with time zone NOT NULL,
    CONSTRAINT list_news_version_range CHECK ((list_version >= 1)),
    CONSTRAINT list_news_written_at_range CHECK (((written_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (written_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)))
);

COMMENT ON TABLE public.list_news IS 'Changes of lists that the helper''s lane does not know yet. Whoever changed the list tells it and deletes the row; if that program stops before, a worker does.';

COMMENT ON COLUMN public.list_news.lane IS 'The owner''s lane.';

COMMENT ON COLUMN public.list_news.account_id IS 'The owner.';

COMMENT ON COLUMN public.list_news.list_id IS 'The list.';

COMMENT ON COLUMN public.list_news.recipient_id IS 'The account to tell: whoever has the list, or has given it back.';

COMMENT ON COLUMN public.list_news.list_version IS 'The version of the list that changed last.';

COMMENT ON COLUMN public.list_news.written_at IS 'When that was.';

CREATE VIEW garden.list_news WITH (security_barrier='true') AS
 SELECT list_news.lane,
    list_news.account_id,
    list_news.list_id,
    list_news.recipient_id,
    list_news.list_version,
    list_news.written_at
   FROM public.list_news
  WHERE ((list_news.lane = ( SELECT garden.account_lane() AS account_lane)) AND (list_news.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.list_news IS 'The account''s part of list_news.';

COMMENT ON COLUMN garden.list_news.lane IS 'The owner''s lane.';

COMMENT ON COLUMN garden.list_news.account_id IS 'The owner.';

COMMENT ON COLUMN garden.list_news.list_id IS 'The list.';

COMMENT ON COLUMN garden.list_news.recipient_id IS 'The account to tell: whoever has the list, or has given it back.';

COMMENT ON COLUMN garden.list_news.list_version IS 'The version of the list that changed last.';

COMMENT ON COLUMN garden.list_news.written_at IS 'When that was.';

CREATE TABLE public.list_receipt (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    list_id uuid NOT NULL,
    helper_id uuid NOT NULL,
    content bytea,
    attached_at timestamp with time zone NOT NULL,
    CONSTRAINT list_receipt_attached_at_range CHECK (((attached_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (attached_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT list_receipt_content_length CHECK ((octet_length(content) <= 5242880))
);

COMMENT ON TABLE public.list_receipt IS 'What the shopping has cost, as the helper showed it to the owner.';

COMMENT ON COLUMN public.list_receipt.lane IS 'The owner''s lane.';

COMMENT ON COLUMN public.list_receipt.account_id IS 'The owner.';

COMMENT ON COLUMN public.list_receipt.list_id IS 'The list.';

COMMENT ON COLUMN public.list_receipt.helper_id IS 'The helper who attached it: whoever else helps later has nothing to do with it.';

COMMENT ON COLUMN public.list_receipt.content IS 'A JPEG or a PDF without metadata, up to 5 MiB; null once the helper has taken it away or given the list back.';

COMMENT ON COLUMN public.list_receipt.attached_at IS 'When it was attached, or taken away.';

CREATE VIEW garden.list_receipt WITH (security_barrier='true') AS
 SELECT list_receipt.lane,
    list_receipt.account_id,
    list_receipt.list_id,
    list_receipt.helper_id,
    list_receipt.content,
    list_receipt.attached_at
   FROM public.list_receipt
  WHERE ((list_receipt.lane = ( SELECT garden.account_lane() AS account_lane)) AND (list_receipt.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.list_receipt IS 'The account''s part of list_receipt.';

COMMENT ON COLUMN garden.list_receipt.lane IS 'The owner''s lane.';

COMMENT ON COLUMN garden.list_receipt.account_id IS 'The owner.';

COMMENT ON COLUMN garden.list_receipt.list_id IS 'The list.';

COMMENT ON COLUMN garden.list_receipt.helper_id IS 'The helper who attached it: whoever else helps later has nothing to do with it.';

COMMENT ON COLUMN garden.list_receipt.content IS 'A JPEG or a PDF without metadata, up to 5 MiB; null once the helper has taken it away or given the list back.';

COMMENT ON COLUMN garden.list_receipt.attached_at IS 'When it was attached, or taken away.';

CREATE TABLE public.list_report (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    list_id uuid NOT NULL,
    reporter_id uuid NOT NULL,
    reason text NOT NULL,
    reported_at timestamp with time zone NOT NULL,
    CONSTRAINT list_report_reason_length CHECK (((octet_length(reason) >= 1) AND (octet_length(reason) <= 32000))),
    CONSTRAINT list_report_reported_at_range CHECK (((reported_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (reported_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)))
);

COMMENT ON TABLE public.list_report IS 'What people told the operator about lists.';

COMMENT ON COLUMN public.list_report.lane IS 'The lane of the list''s owner.';

COMMENT ON COLUMN public.list_report.id IS 'A random UUID.';

COMMENT ON COLUMN public.list_report.account_id IS 'The list''s owner.';

COMMENT ON COLUMN public.list_report.list_id IS 'The list. It may have been deleted since.';

COMMENT ON COLUMN public.list_report.reporter_id IS 'Who reported it: its owner, its helper, or a neighbour, in whatever lane.';

COMMENT ON COLUMN public.list_report.reason IS 'What they say, 1-500 characters.';

COMMENT ON COLUMN public.list_report.reported_at IS 'When.';

CREATE VIEW garden.list_report WITH (security_barrier='true') AS
 SELECT list_report.lane,
    list_report.id,
    list_report.account_id,
    list_report.list_id,
    list_report.reporter_id,
    list_report.reason,
    list_report.reported_at
   FROM public.list_report
  WHERE ((list_report.lane = ( SELECT garden.account_lane() AS account_lane)) AND (list_report.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.list_report IS 'The account''s part of list_report.';

COMMENT ON COLUMN garden.list_report.lane IS 'The lane of the list''s owner.';

COMMENT ON COLUMN garden.list_report.id IS 'A random UUID.';

COMMENT ON COLUMN garden.list_report.account_id IS 'The list''s owner.';

COMMENT ON COLUMN garden.list_report.list_id IS 'The list. It may have been deleted since.';

COMMENT ON COLUMN garden.list_report.reporter_id IS 'Who reported it: its owner, its helper, or a neighbour, in whatever lane.';

COMMENT ON COLUMN garden.list_report.reason IS 'What they say, 1-500 characters.';

COMMENT ON COLUMN garden.list_report.reported_at IS 'When.';

CREATE TABLE public.shopping_list (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    title text NOT NULL,
    note text,
    delivery_note text,
    entry_names text[] NOT NULL,
    entry_quantities text[] NOT NULL,
    entries_bought boolean[] NOT NULL,
    area text,
    latitude double precision,
    longitude double precision,
    opened_at timestamp with time zone,
    expires_at timestamp with time zone,
    first_accepted_at timestamp with time zone,
    accepted_at timestamp with time zone,
    helper_id uuid,
    helper_nickname text,
    helper_rating_count integer,
    helper_rating_sum integer,
    delivered_at timestamp with time zone,
    cancelled_at timestamp with time zone,
    rating smallint,
    event_topic public.topic,
    event_at timestamp with time zone,
    expired_push_at timestamp with time zone,
    version bigint NOT NULL,
    modified_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    receipt_format text,
    CONSTRAINT shopping_list_area_form CHECK ((area ~ '^[A-Z]{2}-[0-9A-Z]{1,2}$'::text)),
    CONSTRAINT shopping_list_delivery_note_length CHECK (((octet_length(delivery_note) >= 1) AND (octet_length(delivery_note) <= 19200))),
    CONSTRAINT shopping_list_draft_is_whole CHECK (((num_nulls(opened_at, expires_at) = ANY (ARRAY[0, 2])) AND ((opened_at IS NOT NULL) OR (num_nonnulls(helper_id, delivered_at, cancelled_at) = 0)))),
    CONSTRAINT shopping_list_entries_match CHECK (((cardinality(entry_names) <= 100) AND (cardinality(entry_quantities) = cardinality(entry_names)) AND (cardinality(entries_bought) = cardinality(entry_names)) AND (array_position(entry_names, NULL::text) IS NULL) AND (array_position(entry_quantities, NULL::text) IS NULL) AND (array_position(entries_bought, NULL::boolean) IS NULL))),
    CONSTRAINT shopping_list_event_is_whole CHECK (((event_topic IS NULL) = (event_at IS NULL))),
    CONSTRAINT shopping_list_helper_is_whole CHECK ((num_nulls(accepted_at, helper_id, helper_nickname, helper_rating_count, helper_rating_sum) = ANY (ARRAY[0, 5]))),
    CONSTRAINT shopping_list_helper_nickname_length CHECK (((octet_length(helper_nickname) >= 1) AND (octet_length(helper_nickname) <= 1280))),
    CONSTRAINT shopping_list_instants_range CHECK ((((created_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (created_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)) AND ((modified_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (modified_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)) AND ((opened_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (opened_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)) AND ((expires_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (expires_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)) AND ((first_accepted_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (first_accepted_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)) AND ((accepted_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (accepted_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)) AND ((delivered_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (delivered_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)) AND ((cancelled_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (cancelled_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)) AND ((event_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (event_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)) AND ((expired_push_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (expired_push_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)))),
    CONSTRAINT shopping_list_note_length CHECK (((octet_length(note) >= 1) AND (octet_length(note) <= 64000))),
    CONSTRAINT shopping_list_position_range CHECK ((((latitude IS NULL) = (longitude IS NULL)) AND ((latitude >= ('-90'::integer)::double precision) AND (latitude <= (90)::double precision)) AND ((longitude >= ('-180'::integer)::double precision) AND (longitude <= (180)::double precision)))),
    CONSTRAINT shopping_list_rating_range CHECK (((rating >= 1) AND (rating <= 5))),
    CONSTRAINT shopping_list_receipt_format_known CHECK ((receipt_format = ANY (ARRAY['image/jpeg'::text, 'application/pdf'::text]))),
    CONSTRAINT shopping_list_title_length CHECK (((octet_length(title) >= 1) AND (octet_length(title) <= 6400))),
    CONSTRAINT shopping_list_version_range CHECK ((version >= 1))
);

COMMENT ON TABLE public.shopping_list IS 'What an account needs from a shop, and what the neighbour who fetches it has done (rule 11).';

COMMENT ON COLUMN public.shopping_list.lane IS 'The owner''s lane.';

COMMENT ON COLUMN public.shopping_list.id IS 'A random UUID whose last byte is the lane.';

COMMENT ON COLUMN public.shopping_list.account_id IS 'The owner.';

COMMENT ON COLUMN public.shopping_list.title IS 'What it is called, 1-100 characters.';

COMMENT ON COLUMN public.shopping_list.note IS 'What the owner says about it, up to 1,000 characters; null without a note.';

COMMENT ON COLUMN public.shopping_list.delivery_note IS 'Where to leave the shopping, up to 300 characters, for the owner and the helper alone; null without one.';

COMMENT ON COLUMN public.shopping_list.entry_names IS 'What to buy: up to 100, 1-60 characters each.';

COMMENT ON COLUMN public.shopping_list.entry_quantities IS 'How much of each, up to 20 characters; empty where nobody said.';

COMMENT ON COLUMN public.shopping_list.entries_bought IS 'Which of them the helper has.';

COMMENT ON COLUMN public.shopping_list.area IS 'Where it was opened: the country and the first two characters of the postcode.';

COMMENT ON COLUMN public.shopping_list.latitude IS 'The centre of the owner''s postcode when it was opened, degrees north; null for a draft, and some time after the end.';

COMMENT ON COLUMN public.shopping_list.longitude IS 'Degrees east.';

COMMENT ON COLUMN public.shopping_list.opened_at IS 'When neighbours could find it; null for a draft.';

COMMENT ON COLUMN public.shopping_list.expires_at IS 'When it ends if nothing else ends it (rule 11.2); null for a draft.';

COMMENT ON COLUMN public.shopping_list.first_accepted_at IS 'When somebody accepted it first, whoever has it now.';

COMMENT ON COLUMN public.shopping_list.accepted_at IS 'When the helper accepted it; null without a helper.';

COMMENT ON COLUMN public.shopping_list.helper_id IS 'The account that fetches it, in whatever lane; null without one.';

COMMENT ON COLUMN public.shopping_list.helper_nickname IS 'Its nickname when it accepted.';

COMMENT ON COLUMN public.shopping_list.helper_rating_count IS 'How often it had been rated by then.';

COMMENT ON COLUMN public.shopping_list.helper_rating_sum IS 'The sum of those ratings.';

COMMENT ON COLUMN public.shopping_list.delivered_at IS 'When the helper said that it was delivered.';

COMMENT ON COLUMN public.shopping_list.cancelled_at IS 'When the owner, or the operator, cancelled it.';

COMMENT ON COLUMN public.shopping_list.rating IS 'How the owner rated the helper, 1-5; null without a rating.';

COMMENT ON COLUMN public.shopping_list.event_topic IS 'What the owner is told last; null without a push.';

COMMENT ON COLUMN public.shopping_list.event_at IS 'When that is planned in the calendar.';

COMMENT ON COLUMN public.shopping_list.expired_push_at IS 'When the push about its expiry is planned; null without one.';

COMMENT ON COLUMN public.shopping_list.version IS 'Grows with each change (rule 14.1), from 1.';

COMMENT ON COLUMN public.shopping_list.modified_at IS 'When it was changed last.';

COMMENT ON COLUMN public.shopping_list.created_at IS 'When it was written.';

COMMENT ON COLUMN public.shopping_list.receipt_format IS 'What kind of receipt the helper has attached, a media type; null without one, and of no meaning without a helper.';

CREATE VIEW garden.shopping_list WITH (security_barrier='true') AS
 SELECT shopping_list.lane,
    shopping_list.id,
    shopping_list.account_id,
    shopping_list.title,
    shopping_list.note,
    shopping_list.delivery_note,
    shopping_list.entry_names,
    shopping_list.entry_quantities,
    shopping_list.entries_bought,
    shopping_list.area,
    shopping_list.latitude,
    shopping_list.longitude,
    shopping_list.opened_at,
    shopping_list.expires_at,
    shopping_list.first_accepted_at,
    shopping_list.accepted_at,
    shopping_list.helper_id,
    shopping_list.helper_nickname,
    shopping_list.helper_rating_count,
    shopping_list.helper_rating_sum,
    shopping_list.delivered_at,
    shopping_list.cancelled_at,
    shopping_list.rating,
    shopping_list.event_topic,
    shopping_list.event_at,
    shopping_list.expired_push_at,
    shopping_list.version,
    shopping_list.modified_at,
    shopping_list.created_at,
    shopping_list.receipt_format
   FROM public.shopping_list
  WHERE ((shopping_list.lane = ( SELECT garden.account_lane() AS account_lane)) AND (shopping_list.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.shopping_list IS 'The account''s part of shopping_list.';

COMMENT ON COLUMN garden.shopping_list.lane IS 'The owner''s lane.';

COMMENT ON COLUMN garden.shopping_list.id IS 'A random UUID whose last byte is the lane.';

COMMENT ON COLUMN garden.shopping_list.account_id IS 'The owner.';

COMMENT ON COLUMN garden.shopping_list.title IS 'What it is called, 1-100 characters.';

COMMENT ON COLUMN garden.shopping_list.note IS 'What the owner says about it, up to 1,000 characters; null without a note.';

COMMENT ON COLUMN garden.shopping_list.delivery_note IS 'Where to leave the shopping, up to 300 characters, for the owner and the helper alone; null without one.';

COMMENT ON COLUMN garden.shopping_list.entry_names IS 'What to buy: up to 100, 1-60 characters each.';

COMMENT ON COLUMN garden.shopping_list.entry_quantities IS 'How much of each, up to 20 characters; empty where nobody said.';

COMMENT ON COLUMN garden.shopping_list.entries_bought IS 'Which of them the helper has.';

COMMENT ON COLUMN garden.shopping_list.area IS 'Where it was opened: the country and the first two characters of the postcode.';

COMMENT ON COLUMN garden.shopping_list.latitude IS 'The centre of the owner''s postcode when it was opened, degrees north; null for a draft, and some time after the end.';

COMMENT ON COLUMN garden.shopping_list.longitude IS 'Degrees east.';

COMMENT ON COLUMN garden.shopping_list.opened_at IS 'When neighbours could find it; null for a draft.';

COMMENT ON COLUMN garden.shopping_list.expires_at IS 'When it ends if nothing else ends it (rule 11.2); null for a draft.';

COMMENT ON COLUMN garden.shopping_list.first_accepted_at IS 'When somebody accepted it first, whoever has it now.';

COMMENT ON COLUMN garden.shopping_list.accepted_at IS 'When the helper accepted it; null without a helper.';

COMMENT ON COLUMN garden.shopping_list.helper_id IS 'The account that fetches it, in whatever lane; null without one.';

COMMENT ON COLUMN garden.shopping_list.helper_nickname IS 'Its nickname when it accepted.';

COMMENT ON COLUMN garden.shopping_list.helper_rating_count IS 'How often it had been rated by then.';

COMMENT ON COLUMN garden.shopping_list.helper_rating_sum IS 'The sum of those ratings.';

COMMENT ON COLUMN garden.shopping_list.delivered_at IS 'When the helper said that it was delivered.';

COMMENT ON COLUMN garden.shopping_list.cancelled_at IS 'When the owner, or the operator, cancelled it.';

COMMENT ON COLUMN garden.shopping_list.rating IS 'How the owner rated the helper, 1-5; null without a rating.';

COMMENT ON COLUMN garden.shopping_list.event_topic IS 'What the owner is told last; null without a push.';

COMMENT ON COLUMN garden.shopping_list.event_at IS 'When that is planned in the calendar.';

COMMENT ON COLUMN garden.shopping_list.expired_push_at IS 'When the push about its expiry is planned; null without one.';

COMMENT ON COLUMN garden.shopping_list.version IS 'Grows with each change (rule 14.1), from 1.';

COMMENT ON COLUMN garden.shopping_list.modified_at IS 'When it was changed last.';

COMMENT ON COLUMN garden.shopping_list.created_at IS 'When it was written.';

COMMENT ON COLUMN garden.shopping_list.receipt_format IS 'What kind of receipt the helper has attached, a media type; null without one, and of no meaning without a helper.';

CREATE TABLE public.thing (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    kind public.thing_kind NOT NULL,
    title text NOT NULL,
    note text,
    is_favourite boolean NOT NULL,
    due_on date NOT NULL,
    due_minute smallint,
    category text,
    bought_on date,
    store_id uuid,
    order_number text,
    chosen_alerts text,
    repetition public.alert_repetition NOT NULL,
    pushes_enabled boolean NOT NULL,
    recurrence_every smallint,
    recurrence_unit public.recurrence_unit,
    recurrence_base public.recurrence_base,
    recurrence_until date,
    series_start date NOT NULL,
    completion_count integer NOT NULL,
    done_on date,
    done_at timestamp with time zone,
    done_as public.completion_outcome,
    alert_ref integer,
    alert_at timestamp with time zone,
    alert_expires_at timestamp with time zone,
    reached_alert_ref integer,
    reached_alert_at timestamp with time zone,
    reached_alert_expires_at timestamp with time zone,
    version bigint NOT NULL,
    modified_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    alert_wall_minute integer,
    reached_alert_wall_minute integer,
    CONSTRAINT thing_alert_is_whole CHECK (((num_nulls(alert_ref, alert_at, alert_expires_at) = ANY (ARRAY[0, 3])) AND (num_nulls(reached_alert_ref, reached_alert_at, reached_alert_expires_at) = ANY (ARRAY[0, 3])))),
    CONSTRAINT thing_alert_ref_range CHECK ((((alert_ref >= '-1'::integer) AND (alert_ref <= 2932896)) AND ((reached_alert_ref >= '-1'::integer) AND (reached_alert_ref <= 2932896)))),
    CONSTRAINT thing_category_length CHECK (((octet_length(category) >= 1) AND (octet_length(category) <= 1280))),
    CONSTRAINT thing_chosen_alerts_form CHECK ((chosen_alerts ~ '^(|([0-9]{1,3}d@[0-2][0-9]:[0-5][0-9]|[0-9]{1,5}m)( ([0-9]{1,3}d@[0-2][0-9]:[0-5][0-9]|[0-9]{1,5}m)){0,4})$'::text)),
    CONSTRAINT thing_completion_count_range CHECK (((completion_count >= 0) AND (completion_count <= 999999999))),
    CONSTRAINT thing_days_range CHECK ((((due_on >= '2000-01-01'::date) AND (due_on <= '2099-12-31'::date)) AND ((bought_on >= '2000-01-01'::date) AND (bought_on <= '2099-12-31'::date)) AND ((series_start >= '2000-01-01'::date) AND (series_start <= '2099-12-31'::date)) AND ((recurrence_until >= '0001-01-01'::date) AND (recurrence_until <= '9999-12-31'::date)) AND ((done_on >= '0001-01-01'::date) AND (done_on <= '9999-12-31'::date)))),
    CONSTRAINT thing_done_is_silent CHECK (((done_on IS NULL) OR ((alert_ref IS NULL) AND (reached_alert_ref IS NULL)))),
    CONSTRAINT thing_due_minute_range CHECK (((due_minute >= 0) AND (due_minute <= 1439))),
    CONSTRAINT thing_end_is_whole CHECK (((num_nulls(done_on, done_at) = ANY (ARRAY[0, 2])) AND ((done_on IS NOT NULL) OR (done_as IS NULL)))),
    CONSTRAINT thing_instants_range CHECK ((((created_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (created_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)) AND ((modified_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (modified_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)) AND ((done_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (done_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)) AND ((alert_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (alert_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)) AND ((alert_expires_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (alert_expires_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)) AND ((reached_alert_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (reached_alert_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)) AND ((reached_alert_expires_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (reached_alert_expires_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)))),
    CONSTRAINT thing_note_length CHECK (((octet_length(note) >= 1) AND (octet_length(note) <= 64000))),
    CONSTRAINT thing_order_number_length CHECK (((octet_length(order_number) >= 1) AND (octet_length(order_number) <= 3840))),
    CONSTRAINT thing_parts_of_kind CHECK ((
CASE kind
    WHEN 'food'::public.thing_kind THEN ((due_minute IS NULL) AND (store_id IS NULL) AND (order_number IS NULL))
    WHEN 'reminder'::public.thing_kind THEN (num_nulls(category, bought_on, store_id, order_number) = 4)
    ELSE (category IS NULL)
END AND ((kind = 'food'::public.thing_kind) OR (done_as IS NULL)))),
    CONSTRAINT thing_recurrence_every_range CHECK (((recurrence_every >= 1) AND (recurrence_every <= 99))),
    CONSTRAINT thing_recurrence_is_whole CHECK (((num_nulls(recurrence_every, recurrence_unit, recurrence_base) = ANY (ARRAY[0, 3])) AND ((recurrence_every IS NOT NULL) OR (recurrence_until IS NULL)))),
    CONSTRAINT thing_title_length CHECK (((octet_length(title) >= 1) AND (octet_length(title) <= 6400))),
    CONSTRAINT thing_version_range CHECK ((version >= 1)),
    CONSTRAINT thing_wall_minutes_range CHECK ((((alert_wall_minute >= '-525600'::integer) AND (alert_wall_minute <= 11759)) AND ((reached_alert_wall_minute >= '-525600'::integer) AND (reached_alert_wall_minute <= 11759))))
);

COMMENT ON TABLE public.thing IS 'What an account must remember besides its friends: errands, reminders and food (rule 10).';

COMMENT ON COLUMN public.thing.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.thing.id IS 'A random UUID.';

COMMENT ON COLUMN public.thing.account_id IS 'The account.';

COMMENT ON COLUMN public.thing.kind IS 'What it is. It never changes.';

COMMENT ON COLUMN public.thing.title IS 'What it is called, 1-100 characters.';

COMMENT ON COLUMN public.thing.note IS 'What the account notes about it, up to 1,000 characters; null without a note.';

COMMENT ON COLUMN public.thing.is_favourite IS 'Whether it is a favourite (rule 9.5).';

COMMENT ON COLUMN public.thing.due_on IS 'The civil day on which it is due.';

COMMENT ON COLUMN public.thing.due_minute IS 'When on that day, in minutes of the account''s wall clock; null where the day is enough.';

COMMENT ON COLUMN public.thing.category IS 'What sort of food it is, 1-20 characters; null for other kinds.';

COMMENT ON COLUMN public.thing.bought_on IS 'When it was bought; null for reminders, and where nobody said.';

COMMENT ON COLUMN public.thing.store_id IS 'Where it was bought; null for reminders and food.';

COMMENT ON COLUMN public.thing.order_number IS 'The number of the order, 1-60 characters; null for reminders and food.';

COMMENT ON COLUMN public.thing.chosen_alerts IS 'When it alerts, by the account''s choice: up to five, such as 3d@09:00 (days before) and 30m (minutes before), with a space between. Empty for no alert; null for the alert of rule 10.4.';

COMMENT ON COLUMN public.thing.repetition IS 'How it goes on after the last alert.';

COMMENT ON COLUMN public.thing.pushes_enabled IS 'Whether its alerts are sent.';

COMMENT ON COLUMN public.thing.recurrence_every IS 'After how many units it comes back, 1-99; null if it does not.';

COMMENT ON COLUMN public.thing.recurrence_unit IS 'The unit of that.';

COMMENT ON COLUMN public.thing.recurrence_base IS 'What that is counted from.';

COMMENT ON COLUMN public.thing.recurrence_until IS 'The last day on which it may be due; null without one.';

COMMENT ON COLUMN public.thing.series_start IS 'The first day of the series of due days: the one that a person chose last.';

COMMENT ON COLUMN public.thing.completion_count IS 'How often it was completed, completions that were undone included.';

COMMENT ON COLUMN public.thing.done_on IS 'The civil day on which it was done for good; null while it is open.';

COMMENT ON COLUMN public.thing.done_at IS 'When that was recorded.';

COMMENT ON COLUMN public.thing.done_as IS 'How food ended; null for other kinds.';

COMMENT ON COLUMN public.thing.alert_ref IS 'Points at its next alert in the calendar: the due day, or -1; null without an alert.';

COMMENT ON COLUMN public.thing.alert_at IS 'When that is.';

COMMENT ON COLUMN public.thing.alert_expires_at IS 'From when it is not worth sending.';

COMMENT ON COLUMN public.thing.reached_alert_ref IS 'Points at the newest alert that was reached for this due day, which may still be underway; null without one.';

COMMENT ON COLUMN public.thing.reached_alert_at IS 'When that was.';

COMMENT ON COLUMN public.thing.reached_alert_expires_at IS 'From when it is not worth sending.';

COMMENT ON COLUMN public.thing.version IS 'Grows with each command that changes the thing (rule 14.1), from 1.';

COMMENT ON COLUMN public.thing.modified_at IS 'When the account changed it last.';

COMMENT ON COLUMN public.thing.created_at IS 'When it was recorded.';

COMMENT ON COLUMN public.thing.alert_wall_minute IS 'What the account''s clocks show at its next alert, in minutes from midnight of the due date; null if unknown.';

COMMENT ON COLUMN public.thing.reached_alert_wall_minute IS 'What they showed at the alert that was reached; null if unknown, or if the account chose other alerts since.';

CREATE VIEW garden.thing WITH (security_barrier='true') AS
 SELECT thing.lane,
    thing.id,
    thing.account_id,
    thing.kind,
    thing.title,
    thing.note,
    thing.is_favourite,
    thing.due_on,
    thing.due_minute,
    thing.category,
    thing.bought_on,
    thing.store_id,
    thing.order_number,
    thing.chosen_alerts,
    thing.repetition,
    thing.pushes_enabled,
    thing.recurrence_every,
    thing.recurrence_unit,
    thing.recurrence_base,
    thing.recurrence_until,
    thing.series_start,
    thing.completion_count,
    thing.done_on,
    thing.done_at,
    thing.done_as,
    thing.alert_ref,
    thing.alert_at,
    thing.alert_expires_at,
    thing.reached_alert_ref,
    thing.reached_alert_at,
    thing.reached_alert_expires_at,
    thing.version,
    thing.modified_at,
    thing.created_at,
    thing.alert_wall_minute,
    thing.reached_alert_wall_minute
   FROM public.thing
  WHERE ((thing.lane = ( SELECT garden.account_lane() AS account_lane)) AND (thing.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.thing IS 'The account''s part of thing.';

COMMENT ON COLUMN garden.thing.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.thing.id IS 'A random UUID.';

COMMENT ON COLUMN garden.thing.account_id IS 'The account.';

COMMENT ON COLUMN garden.thing.kind IS 'What it is. It never changes.';

COMMENT ON COLUMN garden.thing.title IS 'What it is called, 1-100 characters.';

COMMENT ON COLUMN garden.thing.note IS 'What the account notes about it, up to 1,000 characters; null without a note.';

COMMENT ON COLUMN garden.thing.is_favourite IS 'Whether it is a favourite (rule 9.5).';

COMMENT ON COLUMN garden.thing.due_on IS 'The civil day on which it is due.';

COMMENT ON COLUMN garden.thing.due_minute IS 'When on that day, in minutes of the account''s wall clock; null where the day is enough.';

COMMENT ON COLUMN garden.thing.category IS 'What sort of food it is, 1-20 characters; null for other kinds.';

COMMENT ON COLUMN garden.thing.bought_on IS 'When it was bought; null for reminders, and where nobody said.';

COMMENT ON COLUMN garden.thing.store_id IS 'Where it was bought; null for reminders and food.';

COMMENT ON COLUMN garden.thing.order_number IS 'The number of the order, 1-60 characters; null for reminders and food.';

COMMENT ON COLUMN garden.thing.chosen_alerts IS 'When it alerts, by the account''s choice: up to five, such as 3d@09:00 (days before) and 30m (minutes before), with a space between. Empty for no alert; null for the alert of rule 10.4.';

COMMENT ON COLUMN garden.thing.repetition IS 'How it goes on after the last alert.';

COMMENT ON COLUMN garden.thing.pushes_enabled IS 'Whether its alerts are sent.';

COMMENT ON COLUMN garden.thing.recurrence_every IS 'After how many units it comes back, 1-99; null if it does not.';

COMMENT ON COLUMN garden.thing.recurrence_unit IS 'The unit of that.';

COMMENT ON COLUMN garden.thing.recurrence_base IS 'What that is counted from.';

COMMENT ON COLUMN garden.thing.recurrence_until IS 'The last day on which it may be due; null without one.';

COMMENT ON COLUMN garden.thing.series_start IS 'The first day of the series of due days: the one that a person chose last.';

COMMENT ON COLUMN garden.thing.completion_count IS 'How often it was completed, completions that were undone included.';

COMMENT ON COLUMN garden.thing.done_on IS 'The civil day on which it was done for good; null while it is open.';

COMMENT ON COLUMN garden.thing.done_at IS 'When that was recorded.';

COMMENT ON COLUMN garden.thing.done_as IS 'How food ended; null for other kinds.';

COMMENT ON COLUMN garden.thing.alert_ref IS 'Points at its next alert in the calendar: the due day, or -1; null without an alert.';

COMMENT ON COLUMN garden.thing.alert_at IS 'When that is.';

COMMENT ON COLUMN garden.thing.alert_expires_at IS 'From when it is not worth sending.';

COMMENT ON COLUMN garden.thing.reached_alert_ref IS 'Points at the newest alert that was reached for this due day, which may still be underway; null without one.';

COMMENT ON COLUMN garden.thing.reached_alert_at IS 'When that was.';

COMMENT ON COLUMN garden.thing.reached_alert_expires_at IS 'From when it is not worth sending.';

COMMENT ON COLUMN garden.thing.version IS 'Grows with each command that changes the thing (rule 14.1), from 1.';

COMMENT ON COLUMN garden.thing.modified_at IS 'When the account changed it last.';

COMMENT ON COLUMN garden.thing.created_at IS 'When it was recorded.';

COMMENT ON COLUMN garden.thing.alert_wall_minute IS 'What the account''s clocks show at its next alert, in minutes from midnight of the due date; null if unknown.';

COMMENT ON COLUMN garden.thing.reached_alert_wall_minute IS 'What they showed at the alert that was reached; null if unknown, or if the account chose other alerts since.';

CREATE TABLE public.occurrence (
    lane smallint NOT NULL,
    at timestamp with time zone NOT NULL,
    account_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    topic public.topic NOT NULL,
    ref integer NOT NULL,
    CONSTRAINT occurrence_lane_range CHECK (((lane >= 0) AND (lane <= 255))),
    CONSTRAINT occurrence_ref_range CHECK (
CASE
    WHEN (topic = 'review_missing'::public.topic) THEN ((ref >= 1) AND (ref <= 999999999))
    ELSE ((ref >= '-719162'::integer) AND (ref <= 2932896))
END)
)
PARTITION BY RANGE (at);

COMMENT ON TABLE public.occurrence IS 'The calendar: every planned moment, written by the command that causes it. By month of its instant.';

COMMENT ON COLUMN public.occurrence.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.occurrence.at IS 'When it is planned for.';

COMMENT ON COLUMN public.occurrence.account_id IS 'The account that it reminds; zeros once the account was erased.';

COMMENT ON COLUMN public.occurrence.subject_id IS 'The subject, which is what the push is about: a plant, a thing or a shopping list. It may have been erased since.';

COMMENT ON COLUMN public.occurrence.topic IS 'What it says about the subject.';

COMMENT ON COLUMN public.occurrence.ref IS 'A number that the subject''s domain understands. For review_missing it is the watering''s number, for lists 0 for the owner and the first 20 bits of the helper''s id + 1 for the helper, otherwise a civil day in days since 1970-01-01: the due date or the birthday. For thing_alert, -1 stands for an alert that is too far ahead to be planned.';

CREATE VIEW garden.occurrence WITH (security_barrier='true') AS
 SELECT planned.lane,
    planned.at,
    planned.account_id,
    planned.subject_id,
    planned.topic,
    planned.ref
   FROM public.occurrence planned
  WHERE ((planned.lane = ( SELECT garden.account_lane() AS account_lane)) AND (planned.account_id = ( SELECT garden.account_id() AS account_id)) AND ((EXISTS ( SELECT
           FROM garden.plant plant
          WHERE ((plant.lane = planned.lane) AND (plant.id = planned.subject_id)))) OR (EXISTS ( SELECT
           FROM garden.thing thing
          WHERE ((thing.lane = planned.lane) AND (thing.id = planned.subject_id)))) OR (EXISTS ( SELECT
           FROM garden.shopping_list list
          WHERE ((list.lane = planned.lane) AND (list.id = planned.subject_id)))) OR (EXISTS ( SELECT
           FROM garden.helped_list helped
          WHERE ((helped.lane = planned.lane) AND (helped.account_id = planned.account_id) AND (helped.list_id = planned.subject_id))))))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.occurrence IS 'The account''s part of occurrence.';

COMMENT ON COLUMN garden.occurrence.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.occurrence.at IS 'When it is planned for.';

COMMENT ON COLUMN garden.occurrence.account_id IS 'The account that it reminds; zeros once the account was erased.';

COMMENT ON COLUMN garden.occurrence.subject_id IS 'The subject, which is what the push is about: a plant, a thing or a shopping list. It may have been erased since.';

COMMENT ON COLUMN garden.occurrence.topic IS 'What it says about the subject.';

COMMENT ON COLUMN garden.occurrence.ref IS 'A number that the subject''s domain understands. For review_missing it is the watering''s number, for lists 0 for the owner and 1 for the helper, otherwise a civil day in days since 1970-01-01: the due date or the birthday. For thing_alert, -1 stands for an alert that is too far ahead to be planned.';

CREATE TABLE public.occurrence_outcome (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    planned_at timestamp with time zone NOT NULL,
    topic public.topic NOT NULL,
    ref integer NOT NULL,
    outcome public.push_outcome_kind NOT NULL,
    reason text NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    CONSTRAINT occurrence_outcome_instants_range CHECK ((((planned_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (planned_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)) AND ((finished_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (finished_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)))),
    CONSTRAINT occurrence_outcome_lane_range CHECK (((lane >= 0) AND (lane <= 255))),
    CONSTRAINT occurrence_outcome_ref_range CHECK ((
CASE
    WHEN (topic = 'review_missing'::public.topic) THEN ((ref >= 1) AND (ref <= 999999999))
    ELSE ((ref >= '-719162'::integer) AND (ref <= 2932896))
END OR (reason = 'unreadable_row'::text)))
)
PARTITION BY RANGE (recorded_at);

COMMENT ON TABLE public.occurrence_outcome IS 'How occurrences ended that never became a push job. By day of recording.';

COMMENT ON COLUMN public.occurrence_outcome.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.occurrence_outcome.account_id IS 'The account that it would have reminded; zeros once the account was erased.';

COMMENT ON COLUMN public.occurrence_outcome.subject_id IS 'As in occurrence.';

COMMENT ON COLUMN public.occurrence_outcome.planned_at IS 'When the occurrence was planned for.';

COMMENT ON COLUMN public.occurrence_outcome.topic IS 'What it said about the subject.';

COMMENT ON COLUMN public.occurrence_outcome.ref IS 'As in occurrence.';

COMMENT ON COLUMN public.occurrence_outcome.outcome IS 'How it ended.';

COMMENT ON COLUMN public.occurrence_outcome.reason IS 'Why.';

COMMENT ON COLUMN public.occurrence_outcome.finished_at IS 'When, by the engine''s now.';

COMMENT ON COLUMN public.occurrence_outcome.recorded_at IS 'When this row was written, by the database''s clock.';

CREATE VIEW garden.occurrence_outcome WITH (security_barrier='true') AS
 SELECT occurrence_outcome.lane,
    occurrence_outcome.account_id,
    occurrence_outcome.subject_id,
    occurrence_outcome.planned_at,
    occurrence_outcome.topic,
    occurrence_outcome.ref,
    occurrence_outcome.outcome,
    occurrence_outcome.reason,
    occurrence_outcome.finished_at,
    occurrence_outcome.recorded_at
   FROM public.occurrence_outcome
  WHERE ((occurrence_outcome.lane = ( SELECT garden.account_lane() AS account_lane)) AND (occurrence_outcome.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.occurrence_outcome IS 'The account''s part of occurrence_outcome.';

COMMENT ON COLUMN garden.occurrence_outcome.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.occurrence_outcome.account_id IS 'The account that it would have reminded; zeros once the account was erased.';

COMMENT ON COLUMN garden.occurrence_outcome.subject_id IS 'As in occurrence.';

COMMENT ON COLUMN garden.occurrence_outcome.planned_at IS 'When the occurrence was planned for.';

COMMENT ON COLUMN garden.occurrence_outcome.topic IS 'What it said about the subject.';

COMMENT ON COLUMN garden.occurrence_outcome.ref IS 'As in occurrence.';

COMMENT ON COLUMN garden.occurrence_outcome.outcome IS 'How it ended.';

COMMENT ON COLUMN garden.occurrence_outcome.reason IS 'Why.';

COMMENT ON COLUMN garden.occurrence_outcome.finished_at IS 'When, by the engine''s now.';

COMMENT ON COLUMN garden.occurrence_outcome.recorded_at IS 'When this row was written, by the database''s clock.';

CREATE TABLE public.pause (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    tag_id uuid,
    plant_id uuid,
    first_day date NOT NULL,
    last_day date NOT NULL,
    is_spread boolean NOT NULL,
    CONSTRAINT pause_days CHECK (((last_day >= first_day) AND (last_day <= (first_day + 365)))),
    CONSTRAINT pause_days_range CHECK (((first_day >= '0001-01-01'::date) AND (last_day <= '9999-12-30'::date))),
    CONSTRAINT pause_scope CHECK (((tag_id IS NULL) OR (plant_id IS NULL)))
);

COMMENT ON TABLE public.pause IS 'Spans of days on which nothing is asked of an account, or of its friends with a tag, or of one friend, those that are over too (rule 13.1).';

COMMENT ON COLUMN public.pause.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.pause.id IS 'A random id.';

COMMENT ON COLUMN public.pause.account_id IS 'The account.';

COMMENT ON COLUMN public.pause.tag_id IS 'The tag that it is for; null otherwise.';

COMMENT ON COLUMN public.pause.plant_id IS 'The friend that it is for; null otherwise. Without either it is for the whole account.';

COMMENT ON COLUMN public.pause.first_day IS 'The first day. [day]';

COMMENT ON COLUMN public.pause.last_day IS 'The last day, up to 365 days later; of a pause that was ended early the day before it was ended. [day]';

COMMENT ON COLUMN public.pause.is_spread IS 'Whether what is due on the first day after it is spread over the cycles (rule 13.2).';

CREATE VIEW garden.pause WITH (security_barrier='true') AS
 SELECT pause.lane,
    pause.id,
    pause.account_id,
    pause.tag_id,
    pause.plant_id,
    pause.first_day,
    pause.last_day,
    pause.is_spread
   FROM public.pause
  WHERE ((pause.lane = ( SELECT garden.account_lane() AS account_lane)) AND (pause.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.pause IS 'The account''s part of pause.';

COMMENT ON COLUMN garden.pause.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.pause.id IS 'A random id.';

COMMENT ON COLUMN garden.pause.account_id IS 'The account.';

COMMENT ON COLUMN garden.pause.tag_id IS 'The tag that it is for; null otherwise.';

COMMENT ON COLUMN garden.pause.plant_id IS 'The friend that it is for; null otherwise. Without either it is for the whole account.';

COMMENT ON COLUMN garden.pause.first_day IS 'The first day. [day]';

COMMENT ON COLUMN garden.pause.last_day IS 'The last day, up to 365 days later; of a pause that was ended early the day before it was ended. [day]';

COMMENT ON COLUMN garden.pause.is_spread IS 'Whether what is due on the first day after it is spread over the cycles (rule 13.2).';

CREATE TABLE public.tag (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    colour integer NOT NULL,
    cycle_days smallint,
    version bigint DEFAULT 1 NOT NULL,
    CONSTRAINT tag_colour_range CHECK (((colour >= 0) AND (colour <= 16777215))),
    CONSTRAINT tag_cycle_days_range CHECK (((cycle_days >= 1) AND (cycle_days <= 90))),
    CONSTRAINT tag_name_key_length CHECK (((octet_length(name_key) >= 1) AND (octet_length(name_key) <= 2560))),
    CONSTRAINT tag_name_length CHECK ((octet_length(name) <= 1280)),
    CONSTRAINT tag_name_not_blank CHECK ((name <> ''::text)),
    CONSTRAINT tag_version_range CHECK ((version >= 1))
);

COMMENT ON TABLE public.tag IS 'A word under which an account groups friends and things (rule 9).';

COMMENT ON COLUMN public.tag.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.tag.id IS 'A random UUID.';

COMMENT ON COLUMN public.tag.account_id IS 'The account.';

COMMENT ON COLUMN public.tag.name IS 'As the account wrote it, 1-20 characters.';

COMMENT ON COLUMN public.tag.name_key IS 'The name in lower case: unique in the account.';

COMMENT ON COLUMN public.tag.colour IS 'Red, green and blue, 8 bits each, red highest.';

COMMENT ON COLUMN public.tag.cycle_days IS 'The cycle of friends that are added under it without one of their own; null when it has none.';

COMMENT ON COLUMN public.tag.version IS 'Grows with each change (rule 14.1), from 1.';

CREATE VIEW garden.tag WITH (security_barrier='true') AS
 SELECT tag.lane,
    tag.id,
    tag.account_id,
    tag.name,
    tag.name_key,
    tag.colour,
    tag.cycle_days,
    tag.version
   FROM public.tag
  WHERE ((tag.lane = ( SELECT garden.account_lane() AS account_lane)) AND (tag.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.tag IS 'The account''s part of tag.';

COMMENT ON COLUMN garden.tag.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.tag.id IS 'A random UUID.';

COMMENT ON COLUMN garden.tag.account_id IS 'The account.';

COMMENT ON COLUMN garden.tag.name IS 'As the account wrote it, 1-20 characters.';

COMMENT ON COLUMN garden.tag.name_key IS 'The name in lower case: unique in the account.';

COMMENT ON COLUMN garden.tag.colour IS 'Red, green and blue, 8 bits each, red highest.';

COMMENT ON COLUMN garden.tag.cycle_days IS 'The cycle of friends that are added under it without one of their own; null when it has none.';

COMMENT ON COLUMN garden.tag.version IS 'Grows with each change (rule 14.1), from 1.';

CREATE TABLE public.plant_tag (
    lane smallint NOT NULL,
    plant_id uuid NOT NULL,
    tag_id uuid NOT NULL
);

COMMENT ON TABLE public.plant_tag IS 'Which friends have which tags, at most ten each.';

COMMENT ON COLUMN public.plant_tag.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.plant_tag.plant_id IS 'The plant.';

COMMENT ON COLUMN public.plant_tag.tag_id IS 'The tag.';

CREATE VIEW garden.plant_tag WITH (security_barrier='true') AS
 SELECT tagging.lane,
    tagging.plant_id,
    tagging.tag_id
   FROM public.plant_tag tagging
  WHERE ((tagging.lane = ( SELECT garden.account_lane() AS account_lane)) AND (EXISTS ( SELECT
           FROM garden.plant plant
          WHERE ((plant.lane = tagging.lane) AND (plant.id = tagging.plant_id)))) AND (EXISTS ( SELECT
           FROM garden.tag tag
          WHERE ((tag.lane = tagging.lane) AND (tag.id = tagging.tag_id)))))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.plant_tag IS 'The account''s part of plant_tag.';

COMMENT ON COLUMN garden.plant_tag.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.plant_tag.plant_id IS 'The plant.';

COMMENT ON COLUMN garden.plant_tag.tag_id IS 'The tag.';

CREATE TABLE public.postponement (
    lane smallint NOT NULL,
    plant_id uuid NOT NULL,
    number integer NOT NULL,
    postponed_at timestamp with time zone NOT NULL,
    from_due_on date NOT NULL,
    days smallint NOT NULL,
    due_on date NOT NULL,
    fact_id uuid,
    CONSTRAINT postponement_days_are_finite CHECK ((((from_due_on >= '0001-01-01'::date) AND (from_due_on <= '9999-12-31'::date)) AND ((due_on >= '0001-01-01'::date) AND (due_on <= '9999-12-31'::date)))),
    CONSTRAINT postponement_days_range CHECK (((days >= 1) AND (days <= 7))),
    CONSTRAINT postponement_due_on_follows CHECK ((due_on = (from_due_on + (days)::integer))),
    CONSTRAINT postponement_number_range CHECK (((number >= 1) AND (number <= 999999999))),
    CONSTRAINT postponement_postponed_at_range CHECK (((postponed_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (postponed_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)))
);

COMMENT ON TABLE public.postponement IS 'A move of a due date on D-day, by 1 to 7 days (rule 6).';

COMMENT ON COLUMN public.postponement.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.postponement.plant_id IS 'The plant.';

COMMENT ON COLUMN public.postponement.number IS '1, 2, 3 ... within the plant.';

COMMENT ON COLUMN public.postponement.postponed_at IS 'When it was postponed.';

COMMENT ON COLUMN public.postponement.from_due_on IS 'The due date before.';

COMMENT ON COLUMN public.postponement.days IS 'By how many days, 1-7.';

COMMENT ON COLUMN public.postponement.due_on IS 'The due date that it set.';

COMMENT ON COLUMN public.postponement.fact_id IS 'The id that the client made: however often it is sent, it is recorded once (rule 14.3). Null without one.';

CREATE VIEW garden.postponement WITH (security_barrier='true') AS
 SELECT postponement.lane,
    postponement.plant_id,
    postponement.number,
    postponement.postponed_at,
    postponement.from_due_on,
    postponement.days,
    postponement.due_on,
    postponement.fact_id
   FROM public.postponement
  WHERE ((postponement.lane = ( SELECT garden.account_lane() AS account_lane)) AND (EXISTS ( SELECT
           FROM garden.plant plant
          WHERE ((plant.lane = postponement.lane) AND (plant.id = postponement.plant_id)))))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.postponement IS 'The account''s part of postponement.';

COMMENT ON COLUMN garden.postponement.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.postponement.plant_id IS 'The plant.';

COMMENT ON COLUMN garden.postponement.number IS '1, 2, 3 ... within the plant.';

COMMENT ON COLUMN garden.postponement.postponed_at IS 'When it was postponed.';

COMMENT ON COLUMN garden.postponement.from_due_on IS 'The due date before.';

COMMENT ON COLUMN garden.postponement.days IS 'By how many days, 1-7.';

COMMENT ON COLUMN garden.postponement.due_on IS 'The due date that it set.';

COMMENT ON COLUMN garden.postponement.fact_id IS 'The id that the client made: however often it is sent, it is recorded once (rule 14.3). Null without one.';

CREATE TABLE public.push_job (
    lane smallint NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    seq bigint NOT NULL,
    account_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    topic public.topic NOT NULL,
    ref integer NOT NULL,
    planned_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT push_job_instants_range CHECK ((((planned_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (planned_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)) AND ((expires_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (expires_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)))),
    CONSTRAINT push_job_lane_range CHECK (((lane >= 0) AND (lane <= 255))),
    CONSTRAINT push_job_ref_range CHECK (
CASE
    WHEN (topic = 'review_missing'::public.topic) THEN ((ref >= 1) AND (ref <= 999999999))
    ELSE ((ref >= '-719162'::integer) AND (ref <= 2932896))
END),
    CONSTRAINT push_job_seq_range CHECK (((seq >= 1) AND (seq <= '4611686018427387903'::bigint)))
)
PARTITION BY RANGE (recorded_at);

COMMENT ON TABLE public.push_job IS 'The log of pushes to deliver, appended by the scheduler, never updated. By day of recording.';

COMMENT ON COLUMN public.push_job.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.push_job.recorded_at IS 'When it was written, by the database''s clock; it never decreases within a lane.';

COMMENT ON COLUMN public.push_job.seq IS '1, 2, 3 ... within the lane, without gaps.';

COMMENT ON COLUMN public.push_job.account_id IS 'The account that it reminds; zeros once the account was erased.';

COMMENT ON COLUMN public.push_job.subject_id IS 'As in occurrence.';

COMMENT ON COLUMN public.push_job.topic IS 'What it says about the subject.';

COMMENT ON COLUMN public.push_job.ref IS 'As in occurrence.';

COMMENT ON COLUMN public.push_job.planned_at IS 'When it was planned for.';

COMMENT ON COLUMN public.push_job.expires_at IS 'From when on it is no longer worth sending (rule 7.7).';

CREATE TABLE public.push_outcome (
    lane smallint NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    seq bigint NOT NULL,
    outcome public.push_outcome_kind NOT NULL,
    reason text NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    CONSTRAINT push_outcome_finished_at_range CHECK (((finished_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (finished_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT push_outcome_lane_range CHECK (((lane >= 0) AND (lane <= 255))),
    CONSTRAINT push_outcome_seq_range CHECK ((((seq >= 1) AND (seq <= '4611686018427387903'::bigint)) OR (reason = 'unreadable_row'::text)))
)
PARTITION BY RANGE (recorded_at);

COMMENT ON TABLE public.push_outcome IS 'How those jobs ended that were not simply delivered with their batch.';

COMMENT ON COLUMN public.push_outcome.lane IS 'The lane.';

COMMENT ON COLUMN public.push_outcome.recorded_at IS 'When the job was recorded.';

COMMENT ON COLUMN public.push_outcome.seq IS 'The job.';

COMMENT ON COLUMN public.push_outcome.outcome IS 'How it ended.';

COMMENT ON COLUMN public.push_outcome.reason IS 'Why.';

COMMENT ON COLUMN public.push_outcome.finished_at IS 'When, by the engine''s now.';

CREATE TABLE public.push_receipt (
    lane smallint NOT NULL,
    to_seq bigint NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    from_seq bigint NOT NULL,
    fence bigint NOT NULL,
    worker text NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    CONSTRAINT push_receipt_fence_range CHECK (((fence >= 0) AND (fence <= '4611686018427387903'::bigint))),
    CONSTRAINT push_receipt_finished_at_range CHECK (((finished_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (finished_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT push_receipt_lane_range CHECK (((lane >= 0) AND (lane <= 255))),
    CONSTRAINT push_receipt_range CHECK (((from_seq >= 1) AND (from_seq <= to_seq))),
    CONSTRAINT push_receipt_to_seq_range CHECK ((to_seq <= '4611686018427387903'::bigint))
)
PARTITION BY RANGE (recorded_at);

COMMENT ON TABLE public.push_receipt IS 'One row per batch of jobs: all of them were delivered, except those in push_outcome and push_retry.';

COMMENT ON COLUMN public.push_receipt.lane IS 'The lane.';

COMMENT ON COLUMN public.push_receipt.to_seq IS 'The last job of the batch.';

COMMENT ON COLUMN public.push_receipt.recorded_at IS 'When the last job of the batch was recorded; the receipt lies in that day.';

COMMENT ON COLUMN public.push_receipt.from_seq IS 'The first job of the batch.';

COMMENT ON COLUMN public.push_receipt.fence IS 'The fence of the lease under which it was delivered.';

COMMENT ON COLUMN public.push_receipt.worker IS 'The worker that delivered it.';

COMMENT ON COLUMN public.push_receipt.finished_at IS 'When, by the engine''s now.';

CREATE TABLE public.push_retry (
    lane smallint NOT NULL,
    seq bigint NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    attempts integer NOT NULL,
    retry_at timestamp with time zone NOT NULL,
    last_error text,
    CONSTRAINT push_retry_attempts_not_negative CHECK ((attempts >= 0)),
    CONSTRAINT push_retry_attempts_range CHECK ((attempts <= 999999999)),
    CONSTRAINT push_retry_instants_range CHECK ((((recorded_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (recorded_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)) AND ((retry_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (retry_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)))),
    CONSTRAINT push_retry_lane_range CHECK (((lane >= 0) AND (lane <= 255))),
    CONSTRAINT push_retry_seq_range CHECK (((seq >= 1) AND (seq <= '4611686018427387903'::bigint)))
);

COMMENT ON TABLE public.push_retry IS 'Jobs to try again; the cursor does not wait for them. A row goes when its job ends.';

COMMENT ON COLUMN public.push_retry.lane IS 'The lane.';

COMMENT ON COLUMN public.push_retry.seq IS 'The job.';

COMMENT ON COLUMN public.push_retry.recorded_at IS 'When the job was recorded.';

COMMENT ON COLUMN public.push_retry.attempts IS 'How often it was tried; waiting for quiet hours to end is no attempt.';

COMMENT ON COLUMN public.push_retry.retry_at IS 'When to try again, by the engine''s now.';

COMMENT ON COLUMN public.push_retry.last_error IS 'What the provider said, without personal data; null while it only waited.';

CREATE VIEW public.push AS
 SELECT job.lane,
    job.seq,
    job.account_id,
    job.subject_id,
    job.topic,
    job.ref,
    job.planned_at,
    job.expires_at,
    COALESCE(ended.outcome,
        CASE
            WHEN ((receipt.finished_at IS NOT NULL) AND (retry.seq IS NULL)) THEN 'delivered'::public.push_outcome_kind
            ELSE NULL::public.push_outcome_kind
        END) AS outcome,
    COALESCE(ended.reason,
        CASE
            WHEN ((receipt.finished_at IS NOT NULL) AND (retry.seq IS NULL)) THEN 'sent'::text
            ELSE NULL::text
        END) AS reason,
    COALESCE(ended.finished_at,
        CASE
            WHEN (retry.seq IS NULL) THEN receipt.finished_at
            ELSE NULL::timestamp with time zone
        END) AS finished_at
   FROM (((public.push_job job
     LEFT JOIN public.push_outcome ended ON (((ended.lane = job.lane) AND (ended.recorded_at = job.recorded_at) AND (ended.seq = job.seq))))
     LEFT JOIN public.push_retry retry ON (((retry.lane = job.lane) AND (retry.seq = job.seq))))
     LEFT JOIN LATERAL ( SELECT batch.from_seq,
            batch.finished_at
           FROM public.push_receipt batch
          WHERE ((batch.lane = job.lane) AND (batch.to_seq >= job.seq) AND (batch.recorded_at >= job.recorded_at))
          ORDER BY batch.to_seq
         LIMIT 1) receipt ON ((receipt.from_seq <= job.seq)))
UNION ALL
 SELECT occurrence_outcome.lane,
    NULL::bigint AS seq,
    occurrence_outcome.account_id,
    occurrence_outcome.subject_id,
    occurrence_outcome.topic,
    occurrence_outcome.ref,
    occurrence_outcome.planned_at,
    NULL::timestamp with time zone AS expires_at,
    occurrence_outcome.outcome,
    occurrence_outcome.reason,
    occurrence_outcome.finished_at
   FROM public.occurrence_outcome;

COMMENT ON VIEW public.push IS 'Everything that was planned and has been scheduled, with its one outcome; null while pending.';

COMMENT ON COLUMN public.push.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.push.seq IS 'The number of the job in its lane; null where the occurrence never became a job.';

COMMENT ON COLUMN public.push.account_id IS 'The account that it reminds; it may have been erased since.';

COMMENT ON COLUMN public.push.subject_id IS 'As in occurrence.';

COMMENT ON COLUMN public.push.topic IS 'What it says about the subject.';

COMMENT ON COLUMN public.push.ref IS 'As in occurrence.';

COMMENT ON COLUMN public.push.planned_at IS 'When it was planned for.';

COMMENT ON COLUMN public.push.expires_at IS 'From when on the job was no longer worth sending; null without a job.';

COMMENT ON COLUMN public.push.outcome IS 'How it ended; null while pending.';

COMMENT ON COLUMN public.push.reason IS 'Why it ended so; unreadable_row where a row that it needs holds what no rule allows.';

COMMENT ON COLUMN public.push.finished_at IS 'When it ended, by the engine''s now.';

CREATE VIEW garden.push WITH (security_barrier='true') AS
 SELECT push.lane,
    push.seq,
    push.account_id,
    push.subject_id,
    push.topic,
    push.ref,
    push.planned_at,
    push.expires_at,
    push.outcome,
    push.reason,
    push.finished_at
   FROM public.push
  WHERE ((push.lane = ( SELECT garden.account_lane() AS account_lane)) AND (push.account_id = ( SELECT garden.account_id() AS account_id)));

COMMENT ON VIEW garden.push IS 'The account''s part of push.';

COMMENT ON COLUMN garden.push.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.push.seq IS 'The number of the job in its lane; null where the occurrence never became a job.';

COMMENT ON COLUMN garden.push.account_id IS 'The account that it reminds; it may have been erased since.';

COMMENT ON COLUMN garden.push.subject_id IS 'As in occurrence.';

COMMENT ON COLUMN garden.push.topic IS 'What it says about the subject.';

COMMENT ON COLUMN garden.push.ref IS 'As in occurrence.';

COMMENT ON COLUMN garden.push.planned_at IS 'When it was planned for.';

COMMENT ON COLUMN garden.push.expires_at IS 'From when on the job was no longer worth sending; null without a job.';

COMMENT ON COLUMN garden.push.outcome IS 'How it ended; null while pending.';

COMMENT ON COLUMN garden.push.reason IS 'Why it ended so; unreadable_row where a row that it needs holds what no rule allows.';

COMMENT ON COLUMN garden.push.finished_at IS 'When it ended, by the engine''s now.';

CREATE VIEW garden.push_job WITH (security_barrier='true') AS
 SELECT push_job.lane,
    push_job.recorded_at,
    push_job.seq,
    push_job.account_id,
    push_job.subject_id,
    push_job.topic,
    push_job.ref,
    push_job.planned_at,
    push_job.expires_at
   FROM public.push_job
  WHERE ((push_job.lane = ( SELECT garden.account_lane() AS account_lane)) AND (push_job.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.push_job IS 'The account''s part of push_job.';

COMMENT ON COLUMN garden.push_job.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.push_job.recorded_at IS 'When it was written, by the database''s clock; it never decreases within a lane.';

COMMENT ON COLUMN garden.push_job.seq IS '1, 2, 3 ... within the lane, without gaps.';

COMMENT ON COLUMN garden.push_job.account_id IS 'The account that it reminds; zeros once the account was erased.';

COMMENT ON COLUMN garden.push_job.subject_id IS 'As in occurrence.';

COMMENT ON COLUMN garden.push_job.topic IS 'What it says about the subject.';

COMMENT ON COLUMN garden.push_job.ref IS 'As in occurrence.';

COMMENT ON COLUMN garden.push_job.planned_at IS 'When it was planned for.';

COMMENT ON COLUMN garden.push_job.expires_at IS 'From when on it is no longer worth sending (rule 7.7).';

CREATE TABLE public.push_device_outcome (
    lane smallint NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    seq bigint NOT NULL,
    device_id uuid NOT NULL,
    outcome public.device_outcome NOT NULL,
    reason text NOT NULL,
    attempts integer NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    CONSTRAINT push_device_outcome_attempts_from_one CHECK ((attempts >= 1)),
    CONSTRAINT push_device_outcome_attempts_range CHECK ((attempts <= 999999999)),
    CONSTRAINT push_device_outcome_finished_at_range CHECK (((finished_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (finished_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT push_device_outcome_lane_range CHECK (((lane >= 0) AND (lane <= 255))),
    CONSTRAINT push_device_outcome_seq_range CHECK (((seq >= 1) AND (seq <= '4611686018427387903'::bigint)))
)
PARTITION BY RANGE (recorded_at);

COMMENT ON TABLE public.push_device_outcome IS 'What the provider of each device said of a job when it was last asked. By day of the job''s recording.';

COMMENT ON COLUMN public.push_device_outcome.lane IS 'The lane.';

COMMENT ON COLUMN public.push_device_outcome.recorded_at IS 'When the job was recorded.';

COMMENT ON COLUMN public.push_device_outcome.seq IS 'The job.';

COMMENT ON COLUMN public.push_device_outcome.device_id IS 'The device; it may have been removed since.';

COMMENT ON COLUMN public.push_device_outcome.outcome IS 'What came of it.';

COMMENT ON COLUMN public.push_device_outcome.reason IS 'The provider''s status and code, or why it gave no answer.';

COMMENT ON COLUMN public.push_device_outcome.attempts IS 'How often the provider was asked to take the job to this device.';

COMMENT ON COLUMN public.push_device_outcome.finished_at IS 'When it last was, by the engine''s now.';

CREATE VIEW garden.push_device_outcome WITH (security_barrier='true') AS
 SELECT told.lane,
    told.recorded_at,
    told.seq,
    told.device_id,
    told.outcome,
    told.reason,
    told.attempts,
    told.finished_at
   FROM public.push_device_outcome told
  WHERE ((told.lane = ( SELECT garden.account_lane() AS account_lane)) AND (EXISTS ( SELECT
           FROM garden.push_job job
          WHERE ((job.lane = told.lane) AND (job.recorded_at = told.recorded_at) AND (job.seq = told.seq)))))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.push_device_outcome IS 'The account''s part of push_device_outcome.';

COMMENT ON COLUMN garden.push_device_outcome.lane IS 'The lane.';

COMMENT ON COLUMN garden.push_device_outcome.recorded_at IS 'When the job was recorded.';

COMMENT ON COLUMN garden.push_device_outcome.seq IS 'The job.';

COMMENT ON COLUMN garden.push_device_outcome.device_id IS 'The device; it may have been removed since.';

COMMENT ON COLUMN garden.push_device_outcome.outcome IS 'What came of it.';

COMMENT ON COLUMN garden.push_device_outcome.reason IS 'The provider''s status and code, or why it gave no answer.';

COMMENT ON COLUMN garden.push_device_outcome.attempts IS 'How often the provider was asked to take the job to this device.';

COMMENT ON COLUMN garden.push_device_outcome.finished_at IS 'When it last was, by the engine''s now.';

CREATE VIEW garden.push_outcome WITH (security_barrier='true') AS
 SELECT ended.lane,
    ended.recorded_at,
    ended.seq,
    ended.outcome,
    ended.reason,
    ended.finished_at
   FROM public.push_outcome ended
  WHERE ((ended.lane = ( SELECT garden.account_lane() AS account_lane)) AND (EXISTS ( SELECT
           FROM garden.push_job job
          WHERE ((job.lane = ended.lane) AND (job.recorded_at = ended.recorded_at) AND (job.seq = ended.seq)))))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.push_outcome IS 'The account''s part of push_outcome.';

COMMENT ON COLUMN garden.push_outcome.lane IS 'The lane.';

COMMENT ON COLUMN garden.push_outcome.recorded_at IS 'When the job was recorded.';

COMMENT ON COLUMN garden.push_outcome.seq IS 'The job.';

COMMENT ON COLUMN garden.push_outcome.outcome IS 'How it ended.';

COMMENT ON COLUMN garden.push_outcome.reason IS 'Why.';

COMMENT ON COLUMN garden.push_outcome.finished_at IS 'When, by the engine''s now.';

CREATE VIEW garden.push_retry WITH (security_barrier='true') AS
 SELECT retry.lane,
    retry.seq,
    retry.recorded_at,
    retry.attempts,
    retry.retry_at,
    retry.last_error
   FROM public.push_retry retry
  WHERE ((retry.lane = ( SELECT garden.account_lane() AS account_lane)) AND (EXISTS ( SELECT
           FROM garden.push_job job
          WHERE ((job.lane = retry.lane) AND (job.recorded_at = retry.recorded_at) AND (job.seq = retry.seq)))))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.push_retry IS 'The account''s part of push_retry.';

COMMENT ON COLUMN garden.push_retry.lane IS 'The lane.';

COMMENT ON COLUMN garden.push_retry.seq IS 'The job.';

COMMENT ON COLUMN garden.push_retry.recorded_at IS 'When the job was recorded.';

COMMENT ON COLUMN garden.push_retry.attempts IS 'How often it was tried; waiting for quiet hours to end is no attempt.';

COMMENT ON COLUMN garden.push_retry.retry_at IS 'When to try again, by the engine''s now.';

COMMENT ON COLUMN garden.push_retry.last_error IS 'What the provider said, without personal data; null while it only waited.';

CREATE TABLE public.sent_push (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    collapse_id text NOT NULL,
    sent_on date NOT NULL,
    subject_ids uuid[] NOT NULL,
    counts_towards_cap boolean DEFAULT true NOT NULL,
    CONSTRAINT sent_push_collapse_id_length CHECK (((octet_length(collapse_id) >= 1) AND (octet_length(collapse_id) <= 64))),
    CONSTRAINT sent_push_lane_range CHECK (((lane >= 0) AND (lane <= 255))),
    CONSTRAINT sent_push_sent_on_range CHECK (((sent_on >= '0001-01-01'::date) AND (sent_on <= '9999-12-31'::date))),
    CONSTRAINT sent_push_subject_ids_are_ids CHECK (((array_ndims(subject_ids) IS NULL) OR
CASE
    WHEN (array_ndims(subject_ids) = 1) THEN (array_position(subject_ids, NULL::uuid) IS NULL)
    ELSE false
END))
)
PARTITION BY RANGE (recorded_at);

COMMENT ON TABLE public.sent_push IS 'The pushes that reached a device of an account, so that the same minute is not sent twice and those of a day are counted. By day of the job''s recording.';

COMMENT ON COLUMN public.sent_push.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.sent_push.account_id IS 'The account; its rows are erased with it.';

COMMENT ON COLUMN public.sent_push.recorded_at IS 'When the job with which it went was recorded.';

COMMENT ON COLUMN public.sent_push.collapse_id IS 'Topic and minute, or the digest of a day: a phone shows one push with it.';

COMMENT ON COLUMN public.sent_push.sent_on IS 'The civil day in the account''s zone on which it was sent.';

COMMENT ON COLUMN public.sent_push.subject_ids IS 'The subjects that it named.';

COMMENT ON COLUMN public.sent_push.counts_towards_cap IS 'Whether it counts towards the pushes of the day; appointments do not (rule 10.13).';

CREATE VIEW garden.sent_push WITH (security_barrier='true') AS
 SELECT sent_push.lane,
    sent_push.account_id,
    sent_push.recorded_at,
    sent_push.collapse_id,
    sent_push.sent_on,
    sent_push.subject_ids,
    sent_push.counts_towards_cap
   FROM public.sent_push
  WHERE ((sent_push.lane = ( SELECT garden.account_lane() AS account_lane)) AND (sent_push.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.sent_push IS 'The account''s part of sent_push.';

COMMENT ON COLUMN garden.sent_push.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.sent_push.account_id IS 'The account; its rows are erased with it.';

COMMENT ON COLUMN garden.sent_push.recorded_at IS 'When the job with which it went was recorded.';

COMMENT ON COLUMN garden.sent_push.collapse_id IS 'Topic and minute, or the digest of a day: a phone shows one push with it.';

COMMENT ON COLUMN garden.sent_push.sent_on IS 'The civil day in the account''s zone on which it was sent.';

COMMENT ON COLUMN garden.sent_push.subject_ids IS 'The subjects that it named.';

COMMENT ON COLUMN garden.sent_push.counts_towards_cap IS 'Whether it counts towards the pushes of the day; appointments do not (rule 10.13).';

CREATE TABLE public.thing_completion (
    lane smallint NOT NULL,
    thing_id uuid NOT NULL,
    number integer NOT NULL,
    account_id uuid NOT NULL,
    completed_on date NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    outcome public.completion_outcome,
    due_on date NOT NULL,
    next_due_on date,
    series_start date NOT NULL,
    fact_id uuid,
    undone_at timestamp with time zone,
    CONSTRAINT thing_completion_days_range CHECK ((((completed_on >= '0001-01-01'::date) AND (completed_on <= '9999-12-31'::date)) AND ((due_on >= '2000-01-01'::date) AND (due_on <= '2099-12-31'::date)) AND ((next_due_on >= '2000-01-01'::date) AND (next_due_on <= '2099-12-31'::date)) AND ((series_start >= '2000-01-01'::date) AND (series_start <= '2099-12-31'::date)))),
    CONSTRAINT thing_completion_instants_range CHECK ((((recorded_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (recorded_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)) AND ((undone_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (undone_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)))),
    CONSTRAINT thing_completion_number_range CHECK (((number >= 1) AND (number <= 999999999)))
);

COMMENT ON TABLE public.thing_completion IS 'Completions of things (rules 10.7 and 10.8). One that was undone stays, so that it is not recorded again.';

COMMENT ON COLUMN public.thing_completion.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.thing_completion.thing_id IS 'The thing.';

COMMENT ON COLUMN public.thing_completion.number IS '1, 2, 3 ... within the thing.';

COMMENT ON COLUMN public.thing_completion.account_id IS 'The account.';

COMMENT ON COLUMN public.thing_completion.completed_on IS 'The civil day for which it counts.';

COMMENT ON COLUMN public.thing_completion.recorded_at IS 'When it was recorded.';

COMMENT ON COLUMN public.thing_completion.outcome IS 'How food ended; null for other kinds.';

COMMENT ON COLUMN public.thing_completion.due_on IS 'When the thing was due.';

COMMENT ON COLUMN public.thing_completion.next_due_on IS 'The due day that it set; null if the thing was done for good.';

COMMENT ON COLUMN public.thing_completion.series_start IS 'The first day of the series before, which an undoing brings back.';

COMMENT ON COLUMN public.thing_completion.fact_id IS 'The id that the client made: however often it is sent, it is recorded once (rule 14.3). Null without one.';

COMMENT ON COLUMN public.thing_completion.undone_at IS 'When it was undone; null if it stands.';

CREATE VIEW garden.thing_completion WITH (security_barrier='true') AS
 SELECT thing_completion.lane,
    thing_completion.thing_id,
    thing_completion.number,
    thing_completion.account_id,
    thing_completion.completed_on,
    thing_completion.recorded_at,
    thing_completion.outcome,
    thing_completion.due_on,
    thing_completion.next_due_on,
    thing_completion.series_start,
    thing_completion.fact_id,
    thing_completion.undone_at
   FROM public.thing_completion
  WHERE ((thing_completion.lane = ( SELECT garden.account_lane() AS account_lane)) AND (thing_completion.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.thing_completion IS 'The account''s part of thing_completion.';

COMMENT ON COLUMN garden.thing_completion.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.thing_completion.thing_id IS 'The thing.';

COMMENT ON COLUMN garden.thing_completion.number IS '1, 2, 3 ... within the thing.';

COMMENT ON COLUMN garden.thing_completion.account_id IS 'The account.';

COMMENT ON COLUMN garden.thing_completion.completed_on IS 'The civil day for which it counts.';

COMMENT ON COLUMN garden.thing_completion.recorded_at IS 'When it was recorded.';

COMMENT ON COLUMN garden.thing_completion.outcome IS 'How food ended; null for other kinds.';

COMMENT ON COLUMN garden.thing_completion.due_on IS 'When the thing was due.';

COMMENT ON COLUMN garden.thing_completion.next_due_on IS 'The due day that it set; null if the thing was done for good.';

COMMENT ON COLUMN garden.thing_completion.series_start IS 'The first day of the series before, which an undoing brings back.';

COMMENT ON COLUMN garden.thing_completion.fact_id IS 'The id that the client made: however often it is sent, it is recorded once (rule 14.3). Null without one.';

COMMENT ON COLUMN garden.thing_completion.undone_at IS 'When it was undone; null if it stands.';

CREATE TABLE public.thing_share (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    thing_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT thing_share_instants_range CHECK ((((created_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (created_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)) AND ((expires_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (expires_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone)))),
    CONSTRAINT thing_share_token_form CHECK ((octet_length(token_hash) = 32))
);

COMMENT ON TABLE public.thing_share IS 'Links to reminders (rule 10.12). Those that are over stay until the account makes or withdraws another.';

COMMENT ON COLUMN public.thing_share.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.thing_share.id IS 'A random UUID, which is not in the link.';

COMMENT ON COLUMN public.thing_share.account_id IS 'The account.';

COMMENT ON COLUMN public.thing_share.thing_id IS 'The reminder.';

COMMENT ON COLUMN public.thing_share.token_hash IS 'SHA-256 of the 256 random bits of the token.';

COMMENT ON COLUMN public.thing_share.created_at IS 'When it was made.';

COMMENT ON COLUMN public.thing_share.expires_at IS 'From when it shows nothing.';

CREATE VIEW garden.thing_share WITH (security_barrier='true') AS
 SELECT thing_share.lane,
    thing_share.id,
    thing_share.account_id,
    thing_share.thing_id,
    thing_share.token_hash,
    thing_share.created_at,
    thing_share.expires_at
   FROM public.thing_share
  WHERE ((thing_share.lane = ( SELECT garden.account_lane() AS account_lane)) AND (thing_share.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.thing_share IS 'The account''s part of thing_share.';

COMMENT ON COLUMN garden.thing_share.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.thing_share.id IS 'A random UUID, which is not in the link.';

COMMENT ON COLUMN garden.thing_share.account_id IS 'The account.';

COMMENT ON COLUMN garden.thing_share.thing_id IS 'The reminder.';

COMMENT ON COLUMN garden.thing_share.token_hash IS 'SHA-256 of the 256 random bits of the token.';

COMMENT ON COLUMN garden.thing_share.created_at IS 'When it was made.';

COMMENT ON COLUMN garden.thing_share.expires_at IS 'From when it shows nothing.';

CREATE TABLE public.thing_tag (
    lane smallint NOT NULL,
    thing_id uuid NOT NULL,
    tag_id uuid NOT NULL,
    account_id uuid NOT NULL
);

COMMENT ON TABLE public.thing_tag IS 'Which things have which tags, at most ten each.';

COMMENT ON COLUMN public.thing_tag.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.thing_tag.thing_id IS 'The thing.';

COMMENT ON COLUMN public.thing_tag.tag_id IS 'The tag.';

COMMENT ON COLUMN public.thing_tag.account_id IS 'The account.';

CREATE VIEW garden.thing_tag WITH (security_barrier='true') AS
 SELECT tagging.lane,
    tagging.thing_id,
    tagging.tag_id,
    tagging.account_id
   FROM public.thing_tag tagging
  WHERE ((tagging.lane = ( SELECT garden.account_lane() AS account_lane)) AND (tagging.account_id = ( SELECT garden.account_id() AS account_id)) AND (EXISTS ( SELECT
           FROM garden.tag tag
          WHERE ((tag.lane = tagging.lane) AND (tag.id = tagging.tag_id)))))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.thing_tag IS 'The account''s part of thing_tag.';

COMMENT ON COLUMN garden.thing_tag.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.thing_tag.thing_id IS 'The thing.';

COMMENT ON COLUMN garden.thing_tag.tag_id IS 'The tag.';

COMMENT ON COLUMN garden.thing_tag.account_id IS 'The account.';

CREATE TABLE public.tombstone (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    kind text NOT NULL,
    id uuid NOT NULL,
    deleted_at timestamp with time zone NOT NULL,
    CONSTRAINT tombstone_deleted_at_range CHECK (((deleted_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (deleted_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT tombstone_kind_known CHECK ((kind = 'thing'::text))
);

COMMENT ON TABLE public.tombstone IS 'Not written any more: account_change tells devices what was deleted (rule 14.2). A later release drops it.';

COMMENT ON COLUMN public.tombstone.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.tombstone.account_id IS 'The account.';

COMMENT ON COLUMN public.tombstone.kind IS 'What was deleted: thing.';

COMMENT ON COLUMN public.tombstone.id IS 'Its id.';

COMMENT ON COLUMN public.tombstone.deleted_at IS 'When.';

CREATE VIEW garden.tombstone WITH (security_barrier='true') AS
 SELECT tombstone.lane,
    tombstone.account_id,
    tombstone.kind,
    tombstone.id,
    tombstone.deleted_at
   FROM public.tombstone
  WHERE ((tombstone.lane = ( SELECT garden.account_lane() AS account_lane)) AND (tombstone.account_id = ( SELECT garden.account_id() AS account_id)))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.tombstone IS 'The account''s part of tombstone.';

COMMENT ON COLUMN garden.tombstone.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.tombstone.account_id IS 'The account.';

COMMENT ON COLUMN garden.tombstone.kind IS 'What was deleted: thing.';

COMMENT ON COLUMN garden.tombstone.id IS 'Its id.';

COMMENT ON COLUMN garden.tombstone.deleted_at IS 'When.';

CREATE TABLE public.watering (
    lane smallint NOT NULL,
    plant_id uuid NOT NULL,
    number integer NOT NULL,
    watered_on date NOT NULL,
    recorded_at timestamp with time zone NOT NULL,
    method public.contact_method NOT NULL,
    due_on date,
    is_backdated boolean NOT NULL,
    keywords text[] NOT NULL,
    memo text,
    is_review_declined boolean NOT NULL,
    fact_id uuid,
    CONSTRAINT watering_days_range CHECK ((((watered_on >= '0001-01-01'::date) AND (watered_on <= '9999-12-31'::date)) AND ((due_on >= '0001-01-01'::date) AND (due_on <= '9999-12-31'::date)))),
    CONSTRAINT watering_keywords_are_words CHECK (((array_ndims(keywords) IS NULL) OR
CASE
    WHEN (array_ndims(keywords) = 1) THEN ((array_lower(keywords, 1) = 1) AND (array_position(keywords, NULL::text) IS NULL) AND ((octet_length(keywords[1]) >= 1) AND (octet_length(keywords[1]) <= 320)) AND ((octet_length(keywords[2]) >= 1) AND (octet_length(keywords[2]) <= 320)) AND ((octet_length(keywords[3]) >= 1) AND (octet_length(keywords[3]) <= 320)))
    ELSE false
END)),
    CONSTRAINT watering_memo_length CHECK ((octet_length(memo) <= 6400)),
    CONSTRAINT watering_memo_not_blank CHECK ((memo <> ''::text)),
    CONSTRAINT watering_number_from_one CHECK ((number >= 1)),
    CONSTRAINT watering_number_range CHECK ((number <= 999999999)),
    CONSTRAINT watering_recorded_at_range CHECK (((recorded_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (recorded_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT watering_three_keywords CHECK ((cardinality(keywords) <= 3))
);

COMMENT ON TABLE public.watering IS 'One contact with the friend, with its review (rules 3 and 5).';

COMMENT ON COLUMN public.watering.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.watering.plant_id IS 'The plant.';

COMMENT ON COLUMN public.watering.number IS '1, 2, 3 ... within the plant, in the order of recording.';

COMMENT ON COLUMN public.watering.watered_on IS 'The civil day of the contact.';

COMMENT ON COLUMN public.watering.recorded_at IS 'When it was recorded.';

COMMENT ON COLUMN public.watering.method IS 'How the contact was made.';

COMMENT ON COLUMN public.watering.due_on IS 'The due date that it set; null when it was older than the latest watering.';

COMMENT ON COLUMN public.watering.is_backdated IS 'Recorded for a day before the day of recording: it gets no reminder (rule 7.3).';

COMMENT ON COLUMN public.watering.keywords IS 'Up to three keywords of the review, in NFC.';

COMMENT ON COLUMN public.watering.memo IS 'The memo of the review, in NFC; null when there is none.';

COMMENT ON COLUMN public.watering.is_review_declined IS 'The account does not want to review it (rule 5.4).';

COMMENT ON COLUMN public.watering.fact_id IS 'The id that the client made: however often it is sent, it is recorded once (rule 14.3). Null without one.';

CREATE VIEW garden.watering WITH (security_barrier='true') AS
 SELECT watering.lane,
    watering.plant_id,
    watering.number,
    watering.watered_on,
    watering.recorded_at,
    watering.method,
    watering.due_on,
    watering.is_backdated,
    watering.keywords,
    watering.memo,
    watering.is_review_declined,
    watering.fact_id
   FROM public.watering
  WHERE ((watering.lane = ( SELECT garden.account_lane() AS account_lane)) AND (EXISTS ( SELECT
           FROM garden.plant plant
          WHERE ((plant.lane = watering.lane) AND (plant.id = watering.plant_id)))))
  WITH CASCADED CHECK OPTION;

COMMENT ON VIEW garden.watering IS 'The account''s part of watering.';

COMMENT ON COLUMN garden.watering.lane IS 'The account''s lane.';

COMMENT ON COLUMN garden.watering.plant_id IS 'The plant.';

COMMENT ON COLUMN garden.watering.number IS '1, 2, 3 ... within the plant, in the order of recording.';

COMMENT ON COLUMN garden.watering.watered_on IS 'The civil day of the contact.';

COMMENT ON COLUMN garden.watering.recorded_at IS 'When it was recorded.';

COMMENT ON COLUMN garden.watering.method IS 'How the contact was made.';

COMMENT ON COLUMN garden.watering.due_on IS 'The due date that it set; null when it was older than the latest watering.';

COMMENT ON COLUMN garden.watering.is_backdated IS 'Recorded for a day before the day of recording: it gets no reminder (rule 7.3).';

COMMENT ON COLUMN garden.watering.keywords IS 'Up to three keywords of the review, in NFC.';

COMMENT ON COLUMN garden.watering.memo IS 'The memo of the review, in NFC; null when there is none.';

COMMENT ON COLUMN garden.watering.is_review_declined IS 'The account does not want to review it (rule 5.4).';

COMMENT ON COLUMN garden.watering.fact_id IS 'The id that the client made: however often it is sent, it is recorded once (rule 14.3). Null without one.';

CREATE TABLE public.account_summary (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    time_zone text NOT NULL,
    watering_count bigint NOT NULL,
    active_weeks smallint[] NOT NULL
);

COMMENT ON TABLE public.account_summary IS 'In which weeks an account watered, as of when housekeeping last looked. It stands for the account while zone and waterings are those of the account.';

COMMENT ON COLUMN public.account_summary.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.account_summary.account_id IS 'The account.';

COMMENT ON COLUMN public.account_summary.time_zone IS 'Its zone then, by which the day on which it was added begins the first week.';

COMMENT ON COLUMN public.account_summary.watering_count IS 'The waterings of all its plants then.';

COMMENT ON COLUMN public.account_summary.active_weeks IS 'Full weeks from the day on which the account was added to those of its days of contact, each week once; the 521st takes all that follow.';

CREATE VIEW public.account_summary_now AS
 SELECT account.lane,
    account.id AS account_id,
    account.time_zone,
    garden.watering_count,
    garden.active_weeks
   FROM (public.account
     CROSS JOIN LATERAL ( SELECT COALESCE(sum(plant.watering_count), (0)::bigint) AS watering_count,
            COALESCE(( SELECT array_agg(DISTINCT (LEAST(GREATEST(((watering.watered_on - public.civil_day(account.created_at, account.time_zone)) / 7), 0), 521))::smallint) AS array_agg
                   FROM (public.plant plant_1
                     JOIN public.watering ON (((watering.lane = plant_1.lane) AND (watering.plant_id = plant_1.id))))
                  WHERE ((plant_1.lane = account.lane) AND (plant_1.account_id = account.id))), '{}'::smallint[]) AS active_weeks
           FROM public.plant
          WHERE ((plant.lane = account.lane) AND (plant.account_id = account.id))) garden);

COMMENT ON VIEW public.account_summary_now IS 'The row of account_summary that each account would get now. Ask for single accounts: all of a large service take minutes.';

COMMENT ON COLUMN public.account_summary_now.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.account_summary_now.account_id IS 'The account.';

COMMENT ON COLUMN public.account_summary_now.time_zone IS 'Its zone then, by which the day on which it was added begins the first week.';

COMMENT ON COLUMN public.account_summary_now.watering_count IS 'The waterings of all its plants then.';

COMMENT ON COLUMN public.account_summary_now.active_weeks IS 'Full weeks from the day on which the account was added to those of its days of contact, each week once; the 521st takes all that follow.';

CREATE VIEW public.account_history AS
 SELECT account.lane,
    account.id AS account_id,
    account.time_zone,
    account.created_at,
    COALESCE(garden.watering_count, (0)::bigint) AS watering_count,
    (kept.account_id IS NOT NULL) AS is_kept,
        CASE
            WHEN (kept.account_id IS NOT NULL) THEN kept.active_weeks
            ELSE ( SELECT now.active_weeks
               FROM public.account_summary_now now
              WHERE ((now.lane = account.lane) AND (now.account_id = account.id)))
        END AS active_weeks
   FROM ((public.account
     LEFT JOIN ( SELECT plant.lane,
            plant.account_id,
            sum(plant.watering_count) AS watering_count
           FROM public.plant
          GROUP BY plant.lane, plant.account_id) garden ON (((garden.lane = account.lane) AND (garden.account_id = account.id))))
     LEFT JOIN public.account_summary kept ON (((kept.lane = account.lane) AND (kept.account_id = account.id) AND (kept.time_zone = account.time_zone) AND (kept.watering_count = COALESCE(garden.watering_count, (0)::bigint)))));

COMMENT ON VIEW public.account_history IS 'In which weeks every account watered: as it is kept in account_summary, or computed.';

COMMENT ON COLUMN public.account_history.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.account_history.account_id IS 'The account.';

COMMENT ON COLUMN public.account_history.time_zone IS 'Its zone then, by which the day on which it was added begins the first week.';

COMMENT ON COLUMN public.account_history.created_at IS 'When it was added.';

COMMENT ON COLUMN public.account_history.watering_count IS 'The waterings of all its plants then.';

COMMENT ON COLUMN public.account_history.is_kept IS 'Whether the row of the summary is that of the present.';

COMMENT ON COLUMN public.account_history.active_weeks IS 'Full weeks from the day on which the account was added to those of its days of contact, each week once; the 521st takes all that follow.';

CREATE TABLE public.account_password (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    salt bytea NOT NULL,
    tag bytea NOT NULL,
    memory_kib integer NOT NULL,
    passes smallint NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT account_password_cost_range CHECK ((((memory_kib >= 8) AND (memory_kib <= 1048576)) AND ((passes >= 1) AND (passes <= 100)))),
    CONSTRAINT account_password_form CHECK (((octet_length(salt) = 16) AND (octet_length(tag) = 32)))
);

COMMENT ON TABLE public.account_password IS 'The password of an account as an Argon2id tag (rule 12.2).';

COMMENT ON COLUMN public.account_password.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.account_password.account_id IS 'The account.';

COMMENT ON COLUMN public.account_password.salt IS '16 random bytes, new with each password.';

COMMENT ON COLUMN public.account_password.tag IS 'What Argon2id makes of password and salt, with one thread.';

COMMENT ON COLUMN public.account_password.memory_kib IS 'The memory that it takes, in KiB.';

COMMENT ON COLUMN public.account_password.passes IS 'How often it passes over the memory.';

COMMENT ON COLUMN public.account_password.changed_at IS 'When the password was set.';

CREATE TABLE public.database_mark (
    purpose text NOT NULL,
    marked_at timestamp with time zone NOT NULL,
    CONSTRAINT database_mark_purpose CHECK ((purpose = 'test'::text))
);

COMMENT ON TABLE public.database_mark IS 'Marks a database that is not for production: in one for tests, a tick may go far into the future.';

COMMENT ON COLUMN public.database_mark.purpose IS 'test.';

COMMENT ON COLUMN public.database_mark.marked_at IS 'When the owner of the tables marked it, by the database''s clock.';

CREATE TABLE public.engine_lock (
    name text NOT NULL,
    held_by text,
    held_until timestamp with time zone,
    CONSTRAINT engine_lock_lease_is_whole CHECK (((held_by IS NULL) = (held_until IS NULL)))
);

COMMENT ON TABLE public.engine_lock IS 'What only one program does at a time: it locks the row for one transaction, or records itself there for several.';

COMMENT ON COLUMN public.engine_lock.name IS 'What is done.';

COMMENT ON COLUMN public.engine_lock.held_by IS 'Who does it over several transactions; null when nobody does.';

COMMENT ON COLUMN public.engine_lock.held_until IS 'When another program may take over, by the database''s clock.';

CREATE TABLE public.erasure (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    erased_at timestamp with time zone NOT NULL,
    plant_count integer NOT NULL,
    watering_count integer NOT NULL,
    device_count integer NOT NULL
);

COMMENT ON TABLE public.erasure IS 'The proof, without personal data, that an account was erased (rule 8.6).';

COMMENT ON COLUMN public.erasure.lane IS 'The lane it had.';

COMMENT ON COLUMN public.erasure.id IS 'A random UUID of the proof itself. The account''s own is not kept: the proof leads to nobody.';

COMMENT ON COLUMN public.erasure.erased_at IS 'When it was erased.';

COMMENT ON COLUMN public.erasure.plant_count IS 'How many plants were erased with it.';

COMMENT ON COLUMN public.erasure.watering_count IS 'How many waterings were erased with it.';

COMMENT ON COLUMN public.erasure.device_count IS 'How many devices were erased with it.';

CREATE TABLE public.idempotent_request (
    lane smallint NOT NULL,
    session_id uuid NOT NULL,
    key text NOT NULL,
    account_id uuid NOT NULL,
    request_hash bytea NOT NULL,
    attempt uuid NOT NULL,
    started_at timestamp with time zone NOT NULL,
    is_committed boolean DEFAULT false NOT NULL,
    status smallint,
    body bytea,
    CONSTRAINT idempotent_request_answer_is_whole CHECK (((status IS NULL) = (body IS NULL))),
    CONSTRAINT idempotent_request_hash_form CHECK ((octet_length(request_hash) = 32)),
    CONSTRAINT idempotent_request_key_length CHECK (((octet_length(key) >= 1) AND (octet_length(key) <= 64))),
    CONSTRAINT idempotent_request_status_range CHECK (((status >= 200) AND (status <= 599)))
);

COMMENT ON TABLE public.idempotent_request IS 'Requests with an Idempotency-Key and their answers, for 48 hours: a repeated request gets the first answer again.';

COMMENT ON COLUMN public.idempotent_request.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.idempotent_request.session_id IS 'The session that asks; keys of others do not matter.';

COMMENT ON COLUMN public.idempotent_request.key IS 'The Idempotency-Key, 1-64 visible characters.';

COMMENT ON COLUMN public.idempotent_request.account_id IS 'The account.';

COMMENT ON COLUMN public.idempotent_request.request_hash IS 'HMAC of method, path and body under the secret of the session.';

COMMENT ON COLUMN public.idempotent_request.attempt IS 'The attempt that may change something; one that was given up for dead finds another here, and changes nothing.';

COMMENT ON COLUMN public.idempotent_request.started_at IS 'When the attempt began.';

COMMENT ON COLUMN public.idempotent_request.is_committed IS 'Whether the attempt has changed what it was to change; set by the transaction that did.';

COMMENT ON COLUMN public.idempotent_request.status IS 'The status of the answer; null while there is none.';

COMMENT ON COLUMN public.idempotent_request.body IS 'The body of the answer; null while there is none.';

CREATE TABLE public.lane_delivery (
    lane smallint NOT NULL,
    cursor_recorded_at timestamp with time zone NOT NULL,
    cursor_seq bigint NOT NULL,
    fence bigint NOT NULL,
    leased_by text,
    leased_until timestamp with time zone,
    CONSTRAINT lane_delivery_cursor_recorded_at_range CHECK (((cursor_recorded_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (cursor_recorded_at < '2100-01-01 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT lane_delivery_cursor_seq_range CHECK (((cursor_seq >= 0) AND (cursor_seq <= '4611686018427387903'::bigint))),
    CONSTRAINT lane_delivery_fence_range CHECK (((fence >= 0) AND (fence <= '4611686018427387903'::bigint))),
    CONSTRAINT lane_delivery_lease_is_whole CHECK (((leased_by IS NULL) = (leased_until IS NULL))),
    CONSTRAINT lane_delivery_leased_until_range CHECK (((leased_until >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (leased_until <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)))
);

COMMENT ON TABLE public.lane_delivery IS 'How far each lane''s push jobs are delivered, and who is delivering them.';

COMMENT ON COLUMN public.lane_delivery.lane IS 'The lane, 0-255.';

COMMENT ON COLUMN public.lane_delivery.cursor_recorded_at IS 'When the last job that is done was recorded.';

COMMENT ON COLUMN public.lane_delivery.cursor_seq IS 'The number of the last job that is done.';

COMMENT ON COLUMN public.lane_delivery.fence IS 'Grows with each holder of the lease; a receipt with an older one is refused.';

COMMENT ON COLUMN public.lane_delivery.leased_by IS 'The worker that holds the lane; null when none does.';

COMMENT ON COLUMN public.lane_delivery.leased_until IS 'When the lease runs out, by the database''s clock.';

CREATE TABLE public.lane_watch (
    lane smallint NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    CONSTRAINT lane_watch_seen_at_range CHECK (((seen_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (seen_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone)))
);

COMMENT ON TABLE public.lane_watch IS 'When a worker last found nothing overdue in each lane. A lane that no worker has looked at yet has no row.';

COMMENT ON COLUMN public.lane_watch.lane IS 'The lane, 0-255.';

COMMENT ON COLUMN public.lane_watch.seen_at IS 'When, by the engine''s now; noted about once a minute.';

CREATE TABLE public.list_measure (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    list_id uuid,
    action text NOT NULL,
    reason text NOT NULL,
    taken_by text NOT NULL,
    taken_at timestamp with time zone NOT NULL,
    CONSTRAINT list_measure_action_known CHECK ((action = ANY (ARRAY['close'::text, 'bar'::text, 'admit'::text]))),
    CONSTRAINT list_measure_close_names_list CHECK (((action = 'close'::text) = (list_id IS NOT NULL))),
    CONSTRAINT list_measure_taken_at_range CHECK (((taken_at >= '0001-01-02 00:00:00+00'::timestamp with time zone) AND (taken_at <= '9999-12-30 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT list_measure_texts_length CHECK ((((octet_length(reason) >= 1) AND (octet_length(reason) <= 32000)) AND ((octet_length(taken_by) >= 1) AND (octet_length(taken_by) <= 1280))))
);

COMMENT ON TABLE public.list_measure IS 'What operators did about lists and their people, and why: for the record.';

COMMENT ON COLUMN public.list_measure.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.list_measure.id IS 'A random UUID.';

COMMENT ON COLUMN public.list_measure.account_id IS 'The list''s owner, or the account that was barred.';

COMMENT ON COLUMN public.list_measure.list_id IS 'The list that was closed; null otherwise.';

COMMENT ON COLUMN public.list_measure.action IS 'close (a list), bar (an account from helping), or admit (it again).';

COMMENT ON COLUMN public.list_measure.reason IS 'Why, 1-500 characters.';

COMMENT ON COLUMN public.list_measure.taken_by IS 'The user of the operating system who ran the command.';

COMMENT ON COLUMN public.list_measure.taken_at IS 'When.';

CREATE TABLE public.outage (
    lane smallint NOT NULL,
    began_at timestamp with time zone NOT NULL,
    cause text NOT NULL,
    ended_at timestamp with time zone,
    excused_after uuid,
    excused_count integer DEFAULT 0 NOT NULL,
    excused_at timestamp with time zone,
    CONSTRAINT outage_began_at_range CHECK (((began_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (began_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT outage_cause CHECK ((cause = ANY (ARRAY['engine'::text, 'apple'::text, 'google'::text, 'browsers'::text, 'declared'::text]))),
    CONSTRAINT outage_ended_at_range CHECK (((ended_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (ended_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT outage_excused_at_range CHECK (((excused_at >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (excused_at <= '9999-12-31 23:59:59.999999+00'::timestamp with time zone))),
    CONSTRAINT outage_excused_count_range CHECK ((excused_count >= 0)),
    CONSTRAINT outage_excused_is_over CHECK (((excused_at IS NULL) OR (ended_at IS NOT NULL))),
    CONSTRAINT outage_order CHECK ((ended_at >= began_at))
);

COMMENT ON TABLE public.outage IS 'When the pushes of a lane could not leave: an outage is one if it took more than 30 minutes, or an operator declared it (rule 13.3).';

COMMENT ON COLUMN public.outage.lane IS 'The lane, 0-255.';

COMMENT ON COLUMN public.outage.began_at IS 'When it began: when a worker had last seen the lane, or when a provider first took none of its pushes.';

COMMENT ON COLUMN public.outage.cause IS 'engine: no worker scheduled the lane; apple, google, browsers: that provider took no push; declared: by an operator.';

COMMENT ON COLUMN public.outage.ended_at IS 'When pushes left again; null while it lasts.';

COMMENT ON COLUMN public.outage.excused_after IS 'The last plant that was looked at; null before the first.';

COMMENT ON COLUMN public.outage.excused_count IS 'How many plants it has excused.';

COMMENT ON COLUMN public.outage.excused_at IS 'When all plants had been looked at; null before.';

CREATE TABLE public.place (
    store_id uuid NOT NULL,
    latitude double precision NOT NULL,
    longitude double precision NOT NULL,
    address text NOT NULL,
    CONSTRAINT place_address_length CHECK (((octet_length(address) >= 1) AND (octet_length(address) <= 12800))),
    CONSTRAINT place_position_range CHECK ((((latitude >= ('-90'::integer)::double precision) AND (latitude <= (90)::double precision)) AND ((longitude >= ('-180'::integer)::double precision) AND (longitude <= (180)::double precision))))
);

COMMENT ON TABLE public.place IS 'Where stores are (rule 10.9).';

COMMENT ON COLUMN public.place.store_id IS 'The store, which is there: one import writes both.';

COMMENT ON COLUMN public.place.latitude IS 'Degrees north of the equator (WGS 84), rounded to six decimals, which is a tenth of a metre.';

COMMENT ON COLUMN public.place.longitude IS 'Degrees east of Greenwich (WGS 84), rounded to six decimals.';

COMMENT ON COLUMN public.place.address IS 'Its address as people write it, 1-200 characters.';

CREATE TABLE public.plant_summary (
    lane smallint NOT NULL,
    plant_id uuid NOT NULL,
    watering_count integer NOT NULL,
    postponement_count integer NOT NULL,
    due_on date NOT NULL,
    restored_on date,
    in_time_count integer NOT NULL,
    late_count integer NOT NULL,
    unbroken_count integer NOT NULL,
    longest_streak integer NOT NULL,
    gap_count integer NOT NULL,
    median_gap_days double precision,
    p90_gap_days double precision
);

COMMENT ON TABLE public.plant_summary IS 'What the history of a plant amounted to when housekeeping last looked. It stands for the plant while the counts and days in it are those of the plant.';

COMMENT ON COLUMN public.plant_summary.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.plant_summary.plant_id IS 'The plant.';

COMMENT ON COLUMN public.plant_summary.watering_count IS 'Its waterings then.';

COMMENT ON COLUMN public.plant_summary.postponement_count IS 'Its postponements then.';

COMMENT ON COLUMN public.plant_summary.due_on IS 'Its due date then.';

COMMENT ON COLUMN public.plant_summary.restored_on IS 'The day on which it had last been brought back then; null when it never was.';

COMMENT ON COLUMN public.plant_summary.in_time_count IS 'Days on which it was watered in time (report.streaks).';

COMMENT ON COLUMN public.plant_summary.late_count IS 'Days on which it was watered after it had withered.';

COMMENT ON COLUMN public.plant_summary.unbroken_count IS 'Days watered in time since the last late one.';

COMMENT ON COLUMN public.plant_summary.longest_streak IS 'The most days watered in time, in a row.';

COMMENT ON COLUMN public.plant_summary.gap_count IS 'Gaps from one day of contact to the next (report.contact_rhythm).';

COMMENT ON COLUMN public.plant_summary.median_gap_days IS 'Their median in days, interpolated; null without gaps.';

COMMENT ON COLUMN public.plant_summary.p90_gap_days IS 'Their 90th percentile in days, interpolated; null without gaps.';

CREATE VIEW public.plant_summary_now AS
 SELECT plant.lane,
    plant.id AS plant_id,
    plant.watering_count,
    plant.postponement_count,
    plant.due_on,
    plant.restored_on,
    streak.in_time_count,
    streak.late_count,
    streak.unbroken_count,
    streak.longest_streak,
    rhythm.gap_count,
    rhythm.median_gap_days,
    rhythm.p90_gap_days
   FROM ((public.plant
     CROSS JOIN LATERAL ( SELECT (count(*) FILTER (WHERE (NOT judged.is_late)))::integer AS in_time_count,
            (count(*) FILTER (WHERE judged.is_late))::integer AS late_count,
            ((COALESCE(max(judged.place), (0)::bigint) - COALESCE(max(judged.place) FILTER (WHERE judged.is_late), (0)::bigint)))::integer AS unbroken_count,
            (COALESCE(max((judged.place - judged.late_place)), (0)::bigint))::integer AS longest_streak
           FROM ( SELECT judged_1.is_late,
                    judged_1.place,
                    COALESCE(max(judged_1.place) FILTER (WHERE judged_1.is_late) OVER (ORDER BY judged_1.place), (0)::bigint) AS late_place
                   FROM ( SELECT watering.is_late,
                            row_number() OVER (ORDER BY watering.set_at, watering.number) AS place
                           FROM ( SELECT due_date.set_at,
                                    due_date.number,
                                    COALESCE((due_date.watered_on >= due_date.withers_on_before), false) AS is_late,
                                    (due_date.watered_on IS DISTINCT FROM lag(due_date.watered_on) OVER (ORDER BY due_date.set_at, due_date.number)) AS is_first_of_day
                                   FROM ( SELECT event.set_at,
    event.place,
    event.number,
    event.watered_on,
    event.withers_on,
    lag(event.withers_on) OVER (ORDER BY event.set_at, event.place, event.number) AS withers_on_before
   FROM ( SELECT watering_1.recorded_at AS set_at,
      3 AS place,
      watering_1.number,
      watering_1.watered_on,
      (watering_1.due_on + 1) AS withers_on
     FROM public.watering watering_1
    WHERE ((watering_1.lane = plant.lane) AND (watering_1.plant_id = plant.id) AND (watering_1.due_on IS NOT NULL))
  UNION ALL
   SELECT postponed.postponed_at,
      2,
      postponed.number,
      NULL::date,
      (postponed.due_on + 1)
     FROM public.postponement postponed
    WHERE ((postponed.lane = plant.lane) AND (postponed.plant_id = plant.id))
  UNION ALL
   SELECT changed.changed_at,
      1,
      0,
      NULL::date,
      COALESCE(changed.withers_on, (changed.due_on + 1)) AS "coalesce"
     FROM public.cycle_change changed
    WHERE ((changed.lane = plant.lane) AND (changed.plant_id = plant.id))) event) due_date
                                  WHERE (due_date.watered_on IS NOT NULL)) watering
                          WHERE watering.is_first_of_day) judged_1) judged) streak)
     CROSS JOIN LATERAL ( SELECT (count(*))::integer AS gap_count,
            percentile_cont((0.5)::double precision) WITHIN GROUP (ORDER BY ((contact.gap_days)::double precision)) AS median_gap_days,
            percentile_cont((0.9)::double precision) WITHIN GROUP (ORDER BY ((contact.gap_days)::double precision)) AS p90_gap_days
           FROM ( SELECT
                        CASE
                            WHEN (event.is_watering AND lag(event.is_watering) OVER so_far) THEN (event.day - lag(event.day) OVER so_far)
                            ELSE NULL::integer
                        END AS gap_days
                   FROM ( SELECT watering.watered_on AS day,
                            true AS is_watering
                           FROM public.watering
                          WHERE ((watering.lane = plant.lane) AND (watering.plant_id = plant.id))
                        UNION ALL
                         SELECT (changed.due_on - (changed.cycle_days)::integer),
                            false
                           FROM public.cycle_change changed
                          WHERE ((changed.lane = plant.lane) AND (changed.plant_id = plant.id) AND (changed.source = 'registration'::public.due_source))) event
                  WINDOW so_far AS (ORDER BY event.day, event.is_watering)) contact
          WHERE (contact.gap_days > 0)) rhythm);

COMMENT ON VIEW public.plant_summary_now IS 'The row of plant_summary that each plant would get now. Ask for single plants: all of a large service take minutes.';

COMMENT ON COLUMN public.plant_summary_now.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.plant_summary_now.plant_id IS 'The plant.';

COMMENT ON COLUMN public.plant_summary_now.watering_count IS 'Its waterings then.';

COMMENT ON COLUMN public.plant_summary_now.postponement_count IS 'Its postponements then.';

COMMENT ON COLUMN public.plant_summary_now.due_on IS 'Its due date then.';

COMMENT ON COLUMN public.plant_summary_now.restored_on IS 'The day on which it had last been brought back then; null when it never was.';

COMMENT ON COLUMN public.plant_summary_now.in_time_count IS 'Days on which it was watered in time (report.streaks).';

COMMENT ON COLUMN public.plant_summary_now.late_count IS 'Days on which it was watered after it had withered.';

COMMENT ON COLUMN public.plant_summary_now.unbroken_count IS 'Days watered in time since the last late one.';

COMMENT ON COLUMN public.plant_summary_now.longest_streak IS 'The most days watered in time, in a row.';

COMMENT ON COLUMN public.plant_summary_now.gap_count IS 'Gaps from one day of contact to the next (report.contact_rhythm).';

COMMENT ON COLUMN public.plant_summary_now.median_gap_days IS 'Their median in days, interpolated; null without gaps.';

COMMENT ON COLUMN public.plant_summary_now.p90_gap_days IS 'Their 90th percentile in days, interpolated; null without gaps.';

CREATE VIEW public.plant_history AS
 SELECT plant.lane,
    plant.account_id,
    plant.id AS plant_id,
    account.time_zone,
    plant.removed_at,
    plant.cycle_days,
    plant.watering_count,
    plant.postponement_count,
    plant.due_on,
    plant.restored_on,
    (kept.plant_id IS NOT NULL) AS is_kept,
    COALESCE(kept.in_time_count, computed.in_time_count) AS in_time_count,
    COALESCE(kept.late_count, computed.late_count) AS late_count,
    COALESCE(kept.unbroken_count, computed.unbroken_count) AS unbroken_count,
    COALESCE(kept.longest_streak, computed.longest_streak) AS longest_streak,
    COALESCE(kept.gap_count, computed.gap_count) AS gap_count,
    COALESCE(kept.median_gap_days, computed.median_gap_days) AS median_gap_days,
    COALESCE(kept.p90_gap_days, computed.p90_gap_days) AS p90_gap_days,
    account.day_end_minute,
    plant.pauses
   FROM (((public.account
     JOIN public.plant ON (((plant.lane = account.lane) AND (plant.account_id = account.id))))
     LEFT JOIN public.plant_summary kept ON (((kept.lane = plant.lane) AND (kept.plant_id = plant.id) AND (NOT ((((kept.watering_count IS DISTINCT FROM plant.watering_count) OR (kept.postponement_count IS DISTINCT FROM plant.postponement_count)) OR (kept.due_on IS DISTINCT FROM plant.due_on)) OR (kept.restored_on IS DISTINCT FROM plant.restored_on))))))
     LEFT JOIN LATERAL ( SELECT now.lane,
            now.plant_id,
            now.watering_count,
            now.postponement_count,
            now.due_on,
            now.restored_on,
            now.in_time_count,
            now.late_count,
            now.unbroken_count,
            now.longest_streak,
            now.gap_count,
            now.median_gap_days,
            now.p90_gap_days
           FROM public.plant_summary_now now
          WHERE ((kept.plant_id IS NULL) AND (now.lane = plant.lane) AND (now.plant_id = plant.id))
         OFFSET 0) computed ON (true));

COMMENT ON VIEW public.plant_history IS 'What the history of every plant amounts to, removed plants too: as it is kept in plant_summary, or computed.';

COMMENT ON COLUMN public.plant_history.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.plant_history.account_id IS 'The account that cares for the friend.';

COMMENT ON COLUMN public.plant_history.plant_id IS 'The plant.';

COMMENT ON COLUMN public.plant_history.time_zone IS 'The IANA zone whose civil days and wall clock apply to the account''s plants.';

COMMENT ON COLUMN public.plant_history.removed_at IS 'When it was removed; null while it lives.';

COMMENT ON COLUMN public.plant_history.cycle_days IS 'Days after which it wants water, 1-90; it decides the species (rule 1.3).';

COMMENT ON COLUMN public.plant_history.watering_count IS 'Its waterings then.';

COMMENT ON COLUMN public.plant_history.postponement_count IS 'Its postponements then.';

COMMENT ON COLUMN public.plant_history.due_on IS 'Its due date then.';

COMMENT ON COLUMN public.plant_history.restored_on IS 'The day on which it had last been brought back then; null when it never was.';

COMMENT ON COLUMN public.plant_history.is_kept IS 'Whether the row of the summary is that of the present.';

COMMENT ON COLUMN public.plant_history.in_time_count IS 'Days on which it was watered in time (report.streaks).';

COMMENT ON COLUMN public.plant_history.late_count IS 'Days on which it was watered after it had withered.';

COMMENT ON COLUMN public.plant_history.unbroken_count IS 'Days watered in time since the last late one.';

COMMENT ON COLUMN public.plant_history.longest_streak IS 'The most days watered in time, in a row.';

COMMENT ON COLUMN public.plant_history.gap_count IS 'Gaps from one day of contact to the next (report.contact_rhythm).';

COMMENT ON COLUMN public.plant_history.median_gap_days IS 'Their median in days, interpolated; null without gaps.';

COMMENT ON COLUMN public.plant_history.p90_gap_days IS 'Their 90th percentile in days, interpolated; null without gaps.';

COMMENT ON COLUMN public.plant_history.day_end_minute IS 'When the account''s days end, in minutes after midnight of its wall clock, 0-240 (rule 13.4).';

COMMENT ON COLUMN public.plant_history.pauses IS 'When the plant is paused: the first and the last day of each span, in order.';

CREATE TABLE public.postcode (
    country text NOT NULL,
    key text NOT NULL,
    latitude double precision NOT NULL,
    longitude double precision NOT NULL,
    CONSTRAINT postcode_country_form CHECK ((country ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT postcode_key_form CHECK ((key ~ '^[0-9A-Z]{1,20}$'::text)),
    CONSTRAINT postcode_position_range CHECK ((((latitude >= ('-90'::integer)::double precision) AND (latitude <= (90)::double precision)) AND ((longitude >= ('-180'::integer)::double precision) AND (longitude <= (180)::double precision))))
);

COMMENT ON TABLE public.postcode IS 'The operator''s catalogue of postcodes and their centres (rule 11.8).';

COMMENT ON COLUMN public.postcode.country IS 'The country: ISO 3166-1 alpha-2, such as KR.';

COMMENT ON COLUMN public.postcode.key IS 'The code in capitals, without blanks and hyphens.';

COMMENT ON COLUMN public.postcode.latitude IS 'Degrees north of the equator (WGS 84): the mean of the places that have the code.';

COMMENT ON COLUMN public.postcode.longitude IS 'Degrees east of Greenwich (WGS 84).';

CREATE TABLE public.push_action (
    lane smallint NOT NULL,
    token_hash bytea NOT NULL,
    account_id uuid NOT NULL,
    device_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    topic public.topic NOT NULL,
    ref bigint NOT NULL,
    action text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT push_action_action_length CHECK (((octet_length(action) >= 1) AND (octet_length(action) <= 40))),
    CONSTRAINT push_action_token_form CHECK ((octet_length(token_hash) = 32))
);

COMMENT ON TABLE public.push_action IS 'What somebody may do from a notification on a browser without opening a page: once, by a token. It goes with its device, and so with the session that added that.';

COMMENT ON COLUMN public.push_action.lane IS 'The account''s lane.';

COMMENT ON COLUMN public.push_action.token_hash IS 'SHA-256 of the 256 random bits of the token.';

COMMENT ON COLUMN public.push_action.account_id IS 'The account.';

COMMENT ON COLUMN public.push_action.device_id IS 'The browser that was given the token.';

COMMENT ON COLUMN public.push_action.subject_id IS 'What the push was about.';

COMMENT ON COLUMN public.push_action.topic IS 'What the push was about it.';

COMMENT ON COLUMN public.push_action.ref IS 'Tells the push apart, as in occurrence: the due date of a plant.';

COMMENT ON COLUMN public.push_action.action IS 'What it does, such as later.';

COMMENT ON COLUMN public.push_action.expires_at IS 'When the push, and what it offers, is over.';

CREATE TABLE public.schema_migration (
    version integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

COMMENT ON TABLE public.schema_migration IS 'The migrations that were applied, each in one transaction.';

COMMENT ON COLUMN public.schema_migration.version IS '1, 2, 3 ... without gaps.';

COMMENT ON COLUMN public.schema_migration.name IS 'What it brought.';

COMMENT ON COLUMN public.schema_migration.checksum IS 'SHA-256 of the file in hexadecimal.';

COMMENT ON COLUMN public.schema_migration.applied_at IS 'When it was applied.';

CREATE TABLE public.store (
    id uuid NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    country text NOT NULL,
    return_policy_url text,
    return_days smallint,
    pickup_days smallint,
    CONSTRAINT store_country_form CHECK ((country ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT store_days_range CHECK ((((return_days >= 0) AND (return_days <= 3650)) AND ((pickup_days >= 0) AND (pickup_days <= 3650)))),
    CONSTRAINT store_name_length CHECK ((((octet_length(name) >= 1) AND (octet_length(name) <= 6400)) AND ((octet_length(name_key) >= 1) AND (octet_length(name_key) <= 12800)))),
    CONSTRAINT store_return_policy_url_form CHECK (((return_policy_url ~ '^https?://'::text) AND ((octet_length(return_policy_url) >= 1) AND (octet_length(return_policy_url) <= 2000))))
);

COMMENT ON TABLE public.store IS 'Shops with what they grant those who bought there (rule 10.9).';

COMMENT ON COLUMN public.store.id IS 'A random UUID, or the one that the imported file gave.';

COMMENT ON COLUMN public.store.name IS 'What it is called, 1-100 characters.';

COMMENT ON COLUMN public.store.name_key IS 'The name in lower case, which is unique within a country.';

COMMENT ON COLUMN public.store.country IS 'The country whose rules it follows: ISO 3166-1 alpha-2, such as KR.';

COMMENT ON COLUMN public.store.return_policy_url IS 'Where it explains how to return something; null if it does not.';

COMMENT ON COLUMN public.store.return_days IS 'For how many days after the purchase things can be returned, 0-3650; null if it does not say.';

COMMENT ON COLUMN public.store.pickup_days IS 'For how many days after the purchase things wait to be picked up, 0-3650; null if it does not say.';

CREATE TABLE public.throttle (
    key bytea NOT NULL,
    level double precision NOT NULL,
    measured_at timestamp with time zone NOT NULL,
    CONSTRAINT throttle_key_form CHECK ((octet_length(key) = 32)),
    CONSTRAINT throttle_level_range CHECK (((level >= (0)::double precision) AND (level <= (1000000)::double precision)))
);

COMMENT ON TABLE public.throttle IS 'How many attempts count against somebody, outside the lanes: a bucket that each attempt fills and that runs empty in 15 minutes (rule 12.9).';

COMMENT ON COLUMN public.throttle.key IS 'SHA-256 of what is limited: an e-mail or a network address, with the reason.';

COMMENT ON COLUMN public.throttle.level IS 'The attempts in the bucket at the time of measurement.';

COMMENT ON COLUMN public.throttle.measured_at IS 'When the level was measured.';

CREATE TABLE public.verification_code (
    id uuid NOT NULL,
    purpose public.code_purpose NOT NULL,
    address text NOT NULL,
    lane smallint,
    account_id uuid,
    code_hash bytea,
    sent_at timestamp with time zone NOT NULL,
    tries smallint DEFAULT 0 NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT verification_code_account_is_whole CHECK (((lane IS NULL) = (account_id IS NULL))),
    CONSTRAINT verification_code_address_length CHECK (((octet_length(address) >= 1) AND (octet_length(address) <= 254))),
    CONSTRAINT verification_code_hash_form CHECK ((octet_length(code_hash) = 32)),
    CONSTRAINT verification_code_tries_range CHECK (((tries >= 0) AND (tries <= 5)))
);

COMMENT ON TABLE public.verification_code IS 'Codes of six digits that were sent to an address, outside the lanes (rule 12.4).';

COMMENT ON COLUMN public.verification_code.id IS 'A random UUID, which the app gives with the code.';

COMMENT ON COLUMN public.verification_code.purpose IS 'What the code is for.';

COMMENT ON COLUMN public.verification_code.address IS 'The e-mail or the phone to which it was sent, as it was written, or in E.164.';

COMMENT ON COLUMN public.verification_code.lane IS 'The lane of the account that it is about; null before there is one.';

COMMENT ON COLUMN public.verification_code.account_id IS 'The account that it is about; null before there is one.';

COMMENT ON COLUMN public.verification_code.code_hash IS 'SHA-256 of id and code. Null if no code was sent, because the address is known, or unknown: whoever asked is not told.';

COMMENT ON COLUMN public.verification_code.sent_at IS 'When it was asked for; it is valid for ten minutes.';

COMMENT ON COLUMN public.verification_code.tries IS 'How many wrong codes were given; the fifth ends it.';

COMMENT ON COLUMN public.verification_code.used_at IS 'When it was given; it is valid once.';

ALTER TABLE ONLY public.account_block
    ADD CONSTRAINT account_block_of_account UNIQUE (lane, account_id, blocked_id);

COMMENT ON CONSTRAINT account_block_of_account ON public.account_block IS 'Whom an account has blocked.';

ALTER TABLE ONLY public.account_block
    ADD CONSTRAINT account_block_pkey PRIMARY KEY (lane, id);

ALTER TABLE ONLY public.account_change_head
    ADD CONSTRAINT account_change_head_pkey PRIMARY KEY (lane, account_id);

ALTER TABLE ONLY public.account_change
    ADD CONSTRAINT account_change_pkey PRIMARY KEY (lane, account_id, number);

ALTER TABLE ONLY public.account_email
    ADD CONSTRAINT account_email_account_unique UNIQUE (lane, account_id);

ALTER TABLE ONLY public.account_email
    ADD CONSTRAINT account_email_pkey PRIMARY KEY (email);

ALTER TABLE ONLY public.account_identity
    ADD CONSTRAINT account_identity_account_unique UNIQUE (lane, account_id, provider);

ALTER TABLE ONLY public.account_identity
    ADD CONSTRAINT account_identity_pkey PRIMARY KEY (provider, subject);

ALTER TABLE ONLY public.account_password
    ADD CONSTRAINT account_password_pkey PRIMARY KEY (lane, account_id);

ALTER TABLE ONLY public.account_phone
    ADD CONSTRAINT account_phone_account_unique UNIQUE (lane, account_id);

ALTER TABLE ONLY public.account_phone
    ADD CONSTRAINT account_phone_pkey PRIMARY KEY (phone);

ALTER TABLE ONLY public.account_picture
    ADD CONSTRAINT account_picture_pkey PRIMARY KEY (lane, account_id);

ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (lane, id);

ALTER TABLE ONLY public.account_session
    ADD CONSTRAINT account_session_pkey PRIMARY KEY (lane, id);

ALTER TABLE ONLY public.account_summary
    ADD CONSTRAINT account_summary_pkey PRIMARY KEY (lane, account_id);

ALTER TABLE public.account
    ADD CONSTRAINT account_time_zone_is_known CHECK (public.is_known_time_zone(time_zone)) NOT VALID;

ALTER TABLE ONLY public.affection_entry
    ADD CONSTRAINT affection_entry_pkey PRIMARY KEY (lane, plant_id, watering_number, reason);

ALTER TABLE ONLY public.calendar_feed
    ADD CONSTRAINT calendar_feed_by_token UNIQUE (lane, token_hash);

COMMENT ON CONSTRAINT calendar_feed_by_token ON public.calendar_feed IS 'Finds whose calendar a link shows.';

ALTER TABLE ONLY public.calendar_feed
    ADD CONSTRAINT calendar_feed_pkey PRIMARY KEY (lane, id);

ALTER TABLE ONLY public.cycle_change
    ADD CONSTRAINT cycle_change_pkey PRIMARY KEY (lane, plant_id, changed_at);

ALTER TABLE ONLY public.database_mark
    ADD CONSTRAINT database_mark_pkey PRIMARY KEY (purpose);

ALTER TABLE ONLY public.device
    ADD CONSTRAINT device_pkey PRIMARY KEY (lane, id);

ALTER TABLE ONLY public.device_token
    ADD CONSTRAINT device_token_pkey PRIMARY KEY (platform, token);

ALTER TABLE ONLY public.device
    ADD CONSTRAINT device_token_unique UNIQUE (lane, account_id, platform, token);

ALTER TABLE ONLY public.edited_item
    ADD CONSTRAINT edited_item_pkey PRIMARY KEY (lane, account_id, kind, id, number);

ALTER TABLE ONLY public.engine_lock
    ADD CONSTRAINT engine_lock_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.erasure
    ADD CONSTRAINT erasure_pkey PRIMARY KEY (lane, id);

ALTER TABLE ONLY public.helped_list
    ADD CONSTRAINT helped_list_pkey PRIMARY KEY (lane, account_id, list_id);

ALTER TABLE ONLY public.helped_list
    ADD CONSTRAINT helped_list_slot_unique UNIQUE (lane, account_id, slot);

COMMENT ON CONSTRAINT helped_list_slot_unique ON public.helped_list IS 'A helper has five places (rule 11.4).';

ALTER TABLE ONLY public.helper_rating
    ADD CONSTRAINT helper_rating_pkey PRIMARY KEY (lane, account_id, list_id);

ALTER TABLE ONLY public.idempotent_request
    ADD CONSTRAINT idempotent_request_pkey PRIMARY KEY (lane, session_id, key);

ALTER TABLE ONLY public.import_batch
    ADD CONSTRAINT import_batch_pkey PRIMARY KEY (lane, id);

ALTER TABLE ONLY public.import_change
    ADD CONSTRAINT import_change_pkey PRIMARY KEY (lane, batch_id, plant_id);

ALTER TABLE ONLY public.lane_delivery
    ADD CONSTRAINT lane_delivery_pkey PRIMARY KEY (lane);

ALTER TABLE ONLY public.lane
    ADD CONSTRAINT lane_pkey PRIMARY KEY (lane);

ALTER TABLE ONLY public.lane_watch
    ADD CONSTRAINT lane_watch_pkey PRIMARY KEY (lane);

ALTER TABLE ONLY public.list_measure
    ADD CONSTRAINT list_measure_pkey PRIMARY KEY (lane, id);

ALTER TABLE ONLY public.list_news
    ADD CONSTRAINT list_news_pkey PRIMARY KEY (lane, account_id, list_id, recipient_id);

ALTER TABLE ONLY public.list_receipt
    ADD CONSTRAINT list_receipt_pkey PRIMARY KEY (lane, account_id, list_id);

ALTER TABLE ONLY public.list_report
    ADD CONSTRAINT list_report_once UNIQUE (lane, account_id, list_id, reporter_id);

COMMENT ON CONSTRAINT list_report_once ON public.list_report IS 'Nobody reports a list twice.';

ALTER TABLE ONLY public.list_report
    ADD CONSTRAINT list_report_pkey PRIMARY KEY (lane, id);

ALTER TABLE ONLY public.occurrence_outcome
    ADD CONSTRAINT occurrence_outcome_pkey PRIMARY KEY (lane, subject_id, planned_at, topic, ref, recorded_at);

ALTER TABLE ONLY public.occurrence
    ADD CONSTRAINT occurrence_pkey PRIMARY KEY (lane, at, subject_id, topic, ref);

ALTER TABLE ONLY public.outage
    ADD CONSTRAINT outage_pkey PRIMARY KEY (lane, began_at, cause);

ALTER TABLE ONLY public.pause
    ADD CONSTRAINT pause_pkey PRIMARY KEY (lane, id);

ALTER TABLE ONLY public.place
    ADD CONSTRAINT place_pkey PRIMARY KEY (store_id, latitude, longitude);

COMMENT ON CONSTRAINT place_pkey ON public.place IS 'Also the nearest places of one store.';

ALTER TABLE ONLY public.plant
    ADD CONSTRAINT plant_pkey PRIMARY KEY (lane, id);

ALTER TABLE ONLY public.plant_summary
    ADD CONSTRAINT plant_summary_pkey PRIMARY KEY (lane, plant_id);

ALTER TABLE ONLY public.plant_tag
    ADD CONSTRAINT plant_tag_pkey PRIMARY KEY (lane, plant_id, tag_id);

ALTER TABLE ONLY public.postcode
    ADD CONSTRAINT postcode_pkey PRIMARY KEY (key, country);

ALTER TABLE ONLY public.postponement
    ADD CONSTRAINT postponement_pkey PRIMARY KEY (lane, plant_id, number);

ALTER TABLE ONLY public.push_action
    ADD CONSTRAINT push_action_pkey PRIMARY KEY (lane, token_hash);

ALTER TABLE ONLY public.push_day
    ADD CONSTRAINT push_day_pkey PRIMARY KEY (recorded_on, day, topic, outcome, reason);

ALTER TABLE ONLY public.push_device_outcome
    ADD CONSTRAINT push_device_outcome_pkey PRIMARY KEY (lane, recorded_at, seq, device_id);

ALTER TABLE ONLY public.push_job
    ADD CONSTRAINT push_job_pkey PRIMARY KEY (lane, recorded_at, seq);

ALTER TABLE ONLY public.push_outcome
    ADD CONSTRAINT push_outcome_pkey PRIMARY KEY (lane, recorded_at, seq);

ALTER TABLE ONLY public.push_receipt
    ADD CONSTRAINT push_receipt_pkey PRIMARY KEY (lane, to_seq, recorded_at);

ALTER TABLE ONLY public.push_retry
    ADD CONSTRAINT push_retry_pkey PRIMARY KEY (lane, seq);

ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (version);

ALTER TABLE ONLY public.sent_push
    ADD CONSTRAINT sent_push_pkey PRIMARY KEY (lane, account_id, recorded_at, collapse_id);

ALTER TABLE ONLY public.shopping_list
    ADD CONSTRAINT shopping_list_of_account UNIQUE (lane, account_id, id);

COMMENT ON CONSTRAINT shopping_list_of_account ON public.shopping_list IS 'Also the lists of an account.';

ALTER TABLE ONLY public.shopping_list
    ADD CONSTRAINT shopping_list_pkey PRIMARY KEY (lane, id);

ALTER TABLE ONLY public.store
    ADD CONSTRAINT store_by_name UNIQUE (name_key, country) DEFERRABLE;

COMMENT ON CONSTRAINT store_by_name ON public.store IS 'A store is found by its name. Lists are sorted by it, too.';

ALTER TABLE ONLY public.store
    ADD CONSTRAINT store_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.tag
    ADD CONSTRAINT tag_name_unique UNIQUE (lane, account_id, name_key);

ALTER TABLE ONLY public.tag
    ADD CONSTRAINT tag_pkey PRIMARY KEY (lane, id);

ALTER TABLE ONLY public.thing_completion
    ADD CONSTRAINT thing_completion_pkey PRIMARY KEY (lane, account_id, thing_id, number);

ALTER TABLE ONLY public.thing
    ADD CONSTRAINT thing_of_account UNIQUE (lane, account_id, id);

COMMENT ON CONSTRAINT thing_of_account ON public.thing IS 'Also the things of an account.';

ALTER TABLE ONLY public.thing
    ADD CONSTRAINT thing_pkey PRIMARY KEY (lane, id);

ALTER TABLE ONLY public.thing_share
    ADD CONSTRAINT thing_share_by_token UNIQUE (lane, token_hash);

COMMENT ON CONSTRAINT thing_share_by_token ON public.thing_share IS 'Finds what a link shows.';

ALTER TABLE ONLY public.thing_share
    ADD CONSTRAINT thing_share_pkey PRIMARY KEY (lane, id);

ALTER TABLE ONLY public.thing_tag
    ADD CONSTRAINT thing_tag_pkey PRIMARY KEY (lane, account_id, thing_id, tag_id);

ALTER TABLE ONLY public.throttle
    ADD CONSTRAINT throttle_pkey PRIMARY KEY (key);

ALTER TABLE ONLY public.tombstone
    ADD CONSTRAINT tombstone_pkey PRIMARY KEY (lane, account_id, kind, id);

ALTER TABLE ONLY public.verification_code
    ADD CONSTRAINT verification_code_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.watering
    ADD CONSTRAINT watering_pkey PRIMARY KEY (lane, plant_id, number);

CREATE INDEX account_anonymous ON public.account USING btree (lane, created_at) WHERE (email IS NULL);

COMMENT ON INDEX public.account_anonymous IS 'Finds the accounts without an e-mail, which housekeeping erases when they are unused.';

CREATE INDEX account_block_by_blocked ON public.account_block USING btree (blocked_id);

COMMENT ON INDEX public.account_block_by_blocked IS 'Who has blocked an account, in whatever lane.';

CREATE INDEX account_by_id ON public.account USING btree (id);

COMMENT ON INDEX public.account_by_id IS 'Finds an account where no lane is given.';

CREATE INDEX account_change_by_time ON public.account_change USING brin (noted_at);

COMMENT ON INDEX public.account_change_by_time IS 'Deletes what is older than 90 days.';

CREATE INDEX account_session_by_account ON public.account_session USING btree (lane, account_id);

COMMENT ON INDEX public.account_session_by_account IS 'Lists and ends the sessions of an account.';

CREATE INDEX account_to_replan ON public.account USING btree (lane, id) WHERE (replan_after IS NOT NULL);

COMMENT ON INDEX public.account_to_replan IS 'The accounts whose gardens are still being replanned.';

CREATE INDEX calendar_feed_by_account ON public.calendar_feed USING btree (lane, account_id);

COMMENT ON INDEX public.calendar_feed_by_account IS 'The feeds of an account.';

CREATE INDEX device_by_session ON public.device USING btree (lane, session_id);

COMMENT ON INDEX public.device_by_session IS 'Deletes the devices of a session that ends.';

CREATE INDEX device_token_by_account ON public.device_token USING btree (lane, account_id);

COMMENT ON INDEX public.device_token_by_account IS 'The phones of an account.';

CREATE INDEX edited_item_by_time ON public.edited_item USING brin (newest_at);

COMMENT ON INDEX public.edited_item_by_time IS 'Deletes what is older than 90 days.';

CREATE INDEX helped_list_by_age ON public.helped_list USING btree (lane, claimed_at);

COMMENT ON INDEX public.helped_list_by_age IS 'Housekeeping deletes rows after 40 days.';

CREATE INDEX idempotent_request_by_age ON public.idempotent_request USING btree (lane, started_at);

COMMENT ON INDEX public.idempotent_request_by_age IS 'Housekeeping deletes requests after 48 hours.';

CREATE INDEX import_batch_by_account ON public.import_batch USING btree (lane, account_id);

COMMENT ON INDEX public.import_batch_by_account IS 'The imports of an account.';

CREATE INDEX list_measure_by_account ON public.list_measure USING btree (lane, account_id, taken_at);

COMMENT ON INDEX public.list_measure_by_account IS 'What the operator did about an account.';

CREATE INDEX list_news_by_age ON public.list_news USING btree (written_at);

COMMENT ON INDEX public.list_news_by_age IS 'What workers deliver.';

CREATE INDEX outage_unexcused ON public.outage USING btree (lane) WHERE (excused_at IS NULL);

COMMENT ON INDEX public.outage_unexcused IS 'Finds the outages that last, and those whose plants are still to be excused.';

CREATE INDEX pause_by_account ON public.pause USING btree (lane, account_id);

COMMENT ON INDEX public.pause_by_account IS 'Finds the pauses of an account.';

CREATE INDEX pause_by_plant ON public.pause USING btree (lane, plant_id);

COMMENT ON INDEX public.pause_by_plant IS 'Deletes the pauses of a friend with it.';

CREATE INDEX pause_by_tag ON public.pause USING btree (lane, tag_id);

COMMENT ON INDEX public.pause_by_tag IS 'Deletes the pauses of a tag with it.';

CREATE INDEX place_by_position ON public.place USING gist (point(longitude, latitude));

COMMENT ON INDEX public.place_by_position IS 'The nearest places of all stores.';

CREATE INDEX plant_by_account ON public.plant USING btree (lane, account_id, id) WHERE (account_id IS NOT NULL);

COMMENT ON INDEX public.plant_by_account IS 'The garden of an account, removed plants included. The condition, true of every plant, keeps look-ups by id alone away.';

CREATE UNIQUE INDEX plant_living_phone ON public.plant USING btree (lane, account_id, phone) WHERE (removed_at IS NULL);

COMMENT ON INDEX public.plant_living_phone IS 'A phone is unique among an account''s living plants (rule 1.5).';

CREATE INDEX plant_removed_phone ON public.plant USING btree (lane, phone, account_id) WHERE (removed_at IS NOT NULL);

COMMENT ON INDEX public.plant_removed_phone IS 'Finds removed friends by their phones, so that seeds do not plant them again. There are few.';

CREATE INDEX plant_tag_by_tag ON public.plant_tag USING btree (lane, tag_id);

COMMENT ON INDEX public.plant_tag_by_tag IS 'The friends of a tag.';

CREATE UNIQUE INDEX postponement_by_fact ON public.postponement USING btree (lane, plant_id, fact_id) WHERE (fact_id IS NOT NULL);

COMMENT ON INDEX public.postponement_by_fact IS 'A fact is recorded once.';

CREATE INDEX push_action_by_device ON public.push_action USING btree (lane, device_id);

COMMENT ON INDEX public.push_action_by_device IS 'Finds what goes with a device.';

CREATE INDEX push_action_by_expiry ON public.push_action USING btree (lane, expires_at);

COMMENT ON INDEX public.push_action_by_expiry IS 'Finds what is over.';

CREATE INDEX push_retry_due ON public.push_retry USING btree (lane, retry_at);

COMMENT ON INDEX public.push_retry_due IS 'The retries of a lane that are due.';

CREATE INDEX shopping_list_by_position ON public.shopping_list USING gist (point(longitude, latitude)) WHERE ((latitude IS NOT NULL) AND (helper_id IS NULL) AND (delivered_at IS NULL) AND (cancelled_at IS NULL));

COMMENT ON INDEX public.shopping_list_by_position IS 'Open lists near a place.';

CREATE INDEX thing_completion_by_account ON public.thing_completion USING btree (lane, account_id, completed_on);

COMMENT ON INDEX public.thing_completion_by_account IS 'What an account did on a day.';

CREATE UNIQUE INDEX thing_completion_by_fact ON public.thing_completion USING btree (lane, account_id, thing_id, fact_id) WHERE (fact_id IS NOT NULL);

COMMENT ON INDEX public.thing_completion_by_fact IS 'A fact is recorded once.';

CREATE INDEX thing_open_by_due ON public.thing USING btree (lane, account_id, due_on) WHERE (done_on IS NULL);

COMMENT ON INDEX public.thing_open_by_due IS 'What an account has to do, by due day.';

CREATE INDEX thing_share_by_thing ON public.thing_share USING btree (lane, account_id, thing_id);

COMMENT ON INDEX public.thing_share_by_thing IS 'The shares of a thing, and of an account.';

CREATE INDEX thing_tag_by_tag ON public.thing_tag USING btree (lane, tag_id);

COMMENT ON INDEX public.thing_tag_by_tag IS 'The things of a tag.';

CREATE INDEX throttle_by_age ON public.throttle USING btree (measured_at);

COMMENT ON INDEX public.throttle_by_age IS 'Housekeeping deletes levels that have run empty.';

CREATE INDEX verification_code_by_account ON public.verification_code USING btree (account_id) WHERE (account_id IS NOT NULL);

COMMENT ON INDEX public.verification_code_by_account IS 'Erases the codes of an account.';

CREATE INDEX verification_code_by_address ON public.verification_code USING btree (lower(address), sent_at);

COMMENT ON INDEX public.verification_code_by_address IS 'Counts the codes of an address (rule 12.4).';

CREATE INDEX verification_code_by_age ON public.verification_code USING btree (sent_at);

COMMENT ON INDEX public.verification_code_by_age IS 'Housekeeping deletes codes after a day.';

CREATE INDEX watering_by_day ON public.watering USING brin (watered_on) WITH (autosummarize='on');

COMMENT ON INDEX public.watering_by_day IS 'The waterings of all accounts on some days.';

CREATE UNIQUE INDEX watering_by_fact ON public.watering USING btree (lane, plant_id, fact_id) WHERE (fact_id IS NOT NULL);

COMMENT ON INDEX public.watering_by_fact IS 'A fact is recorded once.';

ALTER TABLE ONLY public.account_block
    ADD CONSTRAINT account_block_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.account_change_head
    ADD CONSTRAINT account_change_head_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.account_change
    ADD CONSTRAINT account_change_head_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account_change_head(lane, account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.account_password
    ADD CONSTRAINT account_password_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.account_picture
    ADD CONSTRAINT account_picture_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.account_session
    ADD CONSTRAINT account_session_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.account_summary
    ADD CONSTRAINT account_summary_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.affection_entry
    ADD CONSTRAINT affection_entry_watering_fkey FOREIGN KEY (lane, plant_id, watering_number) REFERENCES public.watering(lane, plant_id, number) ON DELETE CASCADE;

ALTER TABLE ONLY public.calendar_feed
    ADD CONSTRAINT calendar_feed_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.cycle_change
    ADD CONSTRAINT cycle_change_plant_fkey FOREIGN KEY (lane, plant_id) REFERENCES public.plant(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.device
    ADD CONSTRAINT device_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.device
    ADD CONSTRAINT device_session_fkey FOREIGN KEY (lane, session_id) REFERENCES public.account_session(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.edited_item
    ADD CONSTRAINT edited_item_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.helped_list
    ADD CONSTRAINT helped_list_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.helper_rating
    ADD CONSTRAINT helper_rating_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.idempotent_request
    ADD CONSTRAINT idempotent_request_session_fkey FOREIGN KEY (lane, session_id) REFERENCES public.account_session(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.import_batch
    ADD CONSTRAINT import_batch_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.import_change
    ADD CONSTRAINT import_change_batch_fkey FOREIGN KEY (lane, batch_id) REFERENCES public.import_batch(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.lane_delivery
    ADD CONSTRAINT lane_delivery_lane_fkey FOREIGN KEY (lane) REFERENCES public.lane(lane);

ALTER TABLE ONLY public.list_measure
    ADD CONSTRAINT list_measure_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.list_news
    ADD CONSTRAINT list_news_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.list_receipt
    ADD CONSTRAINT list_receipt_list_fkey FOREIGN KEY (lane, account_id, list_id) REFERENCES public.shopping_list(lane, account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.list_report
    ADD CONSTRAINT list_report_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pause
    ADD CONSTRAINT pause_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pause
    ADD CONSTRAINT pause_plant_fkey FOREIGN KEY (lane, plant_id) REFERENCES public.plant(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.pause
    ADD CONSTRAINT pause_tag_fkey FOREIGN KEY (lane, tag_id) REFERENCES public.tag(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.plant
    ADD CONSTRAINT plant_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.plant_summary
    ADD CONSTRAINT plant_summary_plant_fkey FOREIGN KEY (lane, plant_id) REFERENCES public.plant(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.plant_tag
    ADD CONSTRAINT plant_tag_plant_fkey FOREIGN KEY (lane, plant_id) REFERENCES public.plant(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.plant_tag
    ADD CONSTRAINT plant_tag_tag_fkey FOREIGN KEY (lane, tag_id) REFERENCES public.tag(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.postponement
    ADD CONSTRAINT postponement_plant_fkey FOREIGN KEY (lane, plant_id) REFERENCES public.plant(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.push_action
    ADD CONSTRAINT push_action_device_fkey FOREIGN KEY (lane, device_id) REFERENCES public.device(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.shopping_list
    ADD CONSTRAINT shopping_list_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tag
    ADD CONSTRAINT tag_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.thing
    ADD CONSTRAINT thing_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.thing_completion
    ADD CONSTRAINT thing_completion_thing_fkey FOREIGN KEY (lane, account_id, thing_id) REFERENCES public.thing(lane, account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.thing_share
    ADD CONSTRAINT thing_share_thing_fkey FOREIGN KEY (lane, account_id, thing_id) REFERENCES public.thing(lane, account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.thing_tag
    ADD CONSTRAINT thing_tag_tag_fkey FOREIGN KEY (lane, tag_id) REFERENCES public.tag(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.thing_tag
    ADD CONSTRAINT thing_tag_thing_fkey FOREIGN KEY (lane, account_id, thing_id) REFERENCES public.thing(lane, account_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.tombstone
    ADD CONSTRAINT tombstone_account_fkey FOREIGN KEY (lane, account_id) REFERENCES public.account(lane, id) ON DELETE CASCADE;

ALTER TABLE ONLY public.watering
    ADD CONSTRAINT watering_plant_fkey FOREIGN KEY (lane, plant_id) REFERENCES public.plant(lane, id) ON DELETE CASCADE;
