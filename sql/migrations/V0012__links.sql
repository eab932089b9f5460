-- Secret links: a reminder that somebody shares (rule 10.12), and the calendar of an account for other programs. Whoever has
-- the token of a link needs no session. Only hashes of tokens are stored.

CREATE TABLE thing_share (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    thing_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT thing_share_pkey PRIMARY KEY (lane, id),
    CONSTRAINT thing_share_by_token UNIQUE (lane, token_hash),
    CONSTRAINT thing_share_thing_fkey FOREIGN KEY (lane, account_id, thing_id)
        REFERENCES thing (lane, account_id, id) ON DELETE CASCADE,
    CONSTRAINT thing_share_token_form CHECK (octet_length(token_hash) = 32),
    CONSTRAINT thing_share_instants_range CHECK (
        created_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'
        AND expires_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z')
);
CREATE INDEX thing_share_by_thing ON thing_share (lane, account_id, thing_id);
COMMENT ON INDEX thing_share_by_thing IS 'The shares of a thing, and of an account.';
COMMENT ON CONSTRAINT thing_share_by_token ON thing_share IS 'Finds what a link shows.';
COMMENT ON TABLE thing_share IS 'Links to reminders (rule 10.12). Those that are over stay until the account makes or withdraws another.';
COMMENT ON COLUMN thing_share.lane IS 'The account''s lane.';
COMMENT ON COLUMN thing_share.id IS 'A random UUID, which is not in the link.';
COMMENT ON COLUMN thing_share.account_id IS 'The account.';
COMMENT ON COLUMN thing_share.thing_id IS 'The reminder.';
COMMENT ON COLUMN thing_share.token_hash IS 'SHA-256 of the 256 random bits of the token.';
COMMENT ON COLUMN thing_share.created_at IS 'When it was made.';
COMMENT ON COLUMN thing_share.expires_at IS 'From when it shows nothing.';

CREATE TABLE calendar_feed (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT calendar_feed_pkey PRIMARY KEY (lane, id),
    CONSTRAINT calendar_feed_by_token UNIQUE (lane, token_hash),
    CONSTRAINT calendar_feed_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT calendar_feed_token_form CHECK (octet_length(token_hash) = 32),
    CONSTRAINT calendar_feed_created_at_range CHECK (
        created_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z')
);
CREATE INDEX calendar_feed_by_account ON calendar_feed (lane, account_id);
COMMENT ON INDEX calendar_feed_by_account IS 'The feeds of an account.';
COMMENT ON CONSTRAINT calendar_feed_by_token ON calendar_feed IS 'Finds whose calendar a link shows.';
COMMENT ON TABLE calendar_feed IS 'Links to the calendar of an account, for programs that subscribe to it, until they are removed.';
COMMENT ON COLUMN calendar_feed.lane IS 'The account''s lane.';
COMMENT ON COLUMN calendar_feed.id IS 'A random UUID, which is not in the link.';
COMMENT ON COLUMN calendar_feed.account_id IS 'The account.';
COMMENT ON COLUMN calendar_feed.token_hash IS 'SHA-256 of the 256 random bits of the token.';
COMMENT ON COLUMN calendar_feed.created_at IS 'When it was made.';

-- MARK: Whoever has a link

CREATE FUNCTION shared_thing(wanted_lane smallint, hash bytea, at timestamptz)
    RETURNS TABLE (account_id uuid, thing_id uuid) LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
        SELECT share.account_id, share.thing_id FROM thing_share AS share
        JOIN thing ON thing.lane = wanted_lane AND thing.account_id = share.account_id AND thing.id = share.thing_id
        WHERE share.lane = wanted_lane AND share.token_hash = hash AND share.expires_at > at AND thing.done_on IS NULL;
END
$$;
COMMENT ON FUNCTION shared_thing(smallint, bytea, timestamptz) IS
    'The thing that a link shows, and its account; no row for a link that is over or withdrawn, or if the thing is done.';

CREATE FUNCTION feed_owner(wanted_lane smallint, hash bytea) RETURNS uuid LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT feed.account_id FROM calendar_feed AS feed WHERE feed.lane = wanted_lane AND feed.token_hash = hash);
END
$$;
COMMENT ON FUNCTION feed_owner(smallint, bytea) IS 'The account whose calendar a link shows; null without such a link.';

-- Before anybody is signed in.
CREATE FUNCTION garden.shared_thing(wanted_lane smallint, hash bytea, at timestamptz)
    RETURNS TABLE (account_id uuid, thing_id uuid) LANGUAGE sql STABLE SECURITY DEFINER
BEGIN ATOMIC
    SELECT * FROM shared_thing(wanted_lane, hash, at);
END;

CREATE FUNCTION garden.feed_owner(wanted_lane smallint, hash bytea) RETURNS uuid LANGUAGE sql STABLE SECURITY DEFINER
BEGIN ATOMIC
    SELECT feed_owner(wanted_lane, hash);
END;

-- MARK: Deleting

CREATE FUNCTION delete_thing_shares(lane smallint, account_id uuid, ids uuid[], at timestamptz) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM thing_share
    WHERE thing_share.lane = $1 AND thing_share.account_id = $2
        AND (thing_share.id = ANY ($3) OR thing_share.expires_at <= $4);
END
$$;
COMMENT ON FUNCTION delete_thing_shares(smallint, uuid, uuid[], timestamptz) IS
    'Withdraws links of an account to reminders, and deletes those that are over.';

CREATE FUNCTION delete_calendar_feeds(lane smallint, account_id uuid, ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM calendar_feed
    WHERE calendar_feed.lane = $1 AND calendar_feed.account_id = $2 AND calendar_feed.id = ANY ($3);
END
$$;
COMMENT ON FUNCTION delete_calendar_feeds(smallint, uuid, uuid[]) IS 'Withdraws links to the calendar of an account.';

CREATE OR REPLACE FUNCTION tables_of_account() RETURNS TABLE (table_name text, link text) LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    VALUES
        ('account', 'id'), ('account_email', 'account_id'), ('account_identity', 'account_id'),
        ('account_password', 'account_id'), ('account_phone', 'account_id'), ('account_picture', 'account_id'),
        ('account_session', 'account_id'), ('verification_code', 'account_id'), ('idempotent_request', 'account_id'),
        ('device', 'account_id'), ('device_token', 'account_id'), ('push_action', 'account_id'), ('plant', 'account_id'),
        ('tag', 'account_id'), ('import_batch', 'account_id'), ('sent_push', 'account_id'), ('watering', 'plant_id'),
        ('postponement', 'plant_id'), ('cycle_change', 'plant_id'), ('affection_entry', 'plant_id'),
        ('plant_tag', 'plant_id'), ('import_change', 'batch_id'), ('push_device_outcome', 'device_id'),
        ('thing', 'account_id'), ('thing_completion', 'account_id'), ('thing_tag', 'account_id'),
        ('tombstone', 'account_id'), ('thing_share', 'account_id'), ('calendar_feed', 'account_id');
END;

-- MARK: What a session for one account sees

CREATE VIEW garden.thing_share WITH (security_barrier) AS
SELECT * FROM thing_share
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.calendar_feed WITH (security_barrier) AS
SELECT * FROM calendar_feed
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

DO $$
DECLARE
    shown record;
BEGIN
    COMMENT ON VIEW garden.thing_share IS 'The account''s part of thing_share.';
    COMMENT ON VIEW garden.calendar_feed IS 'The account''s part of calendar_feed.';
    FOR shown IN
        SELECT view.relname, field.attname, col_description(base.oid, field.attnum) AS comment
        FROM pg_class AS base
        JOIN pg_class AS view ON view.relname = base.relname AND view.relnamespace = 'garden'::regnamespace
        JOIN pg_attribute AS field ON field.attrelid = base.oid AND field.attnum > 0 AND NOT field.attisdropped
        WHERE base.relnamespace = current_schema()::regnamespace AND base.relname IN ('thing_share', 'calendar_feed')
    LOOP
        EXECUTE format('COMMENT ON COLUMN garden.%I.%I IS %L', shown.relname, shown.attname, shown.comment);
    END LOOP;
END
$$;

CREATE FUNCTION garden.delete_thing_shares(lane smallint, account_id uuid, ids uuid[], at timestamptz) RETURNS void
    SECURITY DEFINER
RETURN delete_thing_shares(lane, account_id, ids, at);
CREATE FUNCTION garden.delete_calendar_feeds(lane smallint, account_id uuid, ids uuid[]) RETURNS void SECURITY DEFINER
RETURN delete_calendar_feeds(lane, account_id, ids);

DO $$
DECLARE
    signature text;
    made record;
BEGIN
    FOREACH signature IN ARRAY ARRAY[
        'delete_thing_shares(smallint, uuid, uuid[], timestamptz)', 'delete_calendar_feeds(smallint, uuid, uuid[])'
    ] LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s, garden.%s FROM PUBLIC', signature, signature);
        -- They see only the views of the garden, and so the rows of one account.
        EXECUTE format('ALTER FUNCTION garden.%s SET search_path = garden, %I, pg_temp', signature, current_schema());
        EXECUTE format('COMMENT ON FUNCTION garden.%s IS %L', signature, 'The same for the account that the session acts for.');
    END LOOP;
    FOR made IN
        SELECT function.oid::regprocedure AS signature, function.pronamespace = 'garden'::regnamespace AS is_of_garden
        FROM pg_proc AS function
        WHERE function.pronamespace IN ('garden'::regnamespace, current_schema()::regnamespace)
            AND function.proname IN ('shared_thing', 'feed_owner')
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
