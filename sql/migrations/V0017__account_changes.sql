-- What has changed in an account, in order, for its other devices (rules 14.1 and 14.2, decision 59).

CREATE TYPE change_kind AS ENUM ('settings', 'session', 'tag', 'friend', 'watering', 'thing', 'list');
COMMENT ON TYPE change_kind IS 'What a change was about.';

CREATE TABLE account_change_head (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    number bigint NOT NULL,
    noted_at timestamptz NOT NULL,
    CONSTRAINT account_change_head_pkey PRIMARY KEY (lane, account_id),
    CONSTRAINT account_change_head_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT account_change_head_number_from_one CHECK (number >= 1),
    CONSTRAINT account_change_head_noted_at_range CHECK (
        noted_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z')
-- Each command of the account updates the row, which then stays on its page.
) WITH (fillfactor = 50);
COMMENT ON TABLE account_change_head IS
    'The newest change of each account. Whoever notes a change locks this row until it commits: so numbers become visible in '
    'their order, without a gap.';
COMMENT ON COLUMN account_change_head.lane IS 'The account''s lane.';
COMMENT ON COLUMN account_change_head.account_id IS 'The account.';
COMMENT ON COLUMN account_change_head.number IS 'Of the newest change: 1, 2, 3 ...';
COMMENT ON COLUMN account_change_head.noted_at IS 'When that was noted.';

CREATE TABLE account_change (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    number bigint NOT NULL,
    noted_at timestamptz NOT NULL,
    item_count integer NOT NULL,
    kinds change_kind[] NOT NULL,
    ids uuid[] NOT NULL,
    numbers integer[] NOT NULL,
    CONSTRAINT account_change_pkey PRIMARY KEY (lane, account_id, number),
    CONSTRAINT account_change_head_fkey FOREIGN KEY (lane, account_id)
        REFERENCES account_change_head (lane, account_id) ON DELETE CASCADE,
    CONSTRAINT account_change_items_match CHECK (
        item_count >= 1 AND cardinality(kinds) = item_count AND cardinality(ids) = item_count
        AND cardinality(numbers) = item_count)
);
COMMENT ON TABLE account_change IS
    'Which things changed in an account: one row for each transaction, kept for 90 days. What they are now, or that they are gone, '
    'their own tables say.';
COMMENT ON COLUMN account_change.lane IS 'The account''s lane.';
COMMENT ON COLUMN account_change.account_id IS 'The account.';
COMMENT ON COLUMN account_change.number IS '1, 2, 3 ..., in the order of commits.';
COMMENT ON COLUMN account_change.noted_at IS
    'When it was noted, by the engine''s clock; never before the change before it. Tells a cursor from one of a database that '
    'was since put back from a backup.';
COMMENT ON COLUMN account_change.item_count IS 'How many items changed.';
COMMENT ON COLUMN account_change.kinds IS 'The kind of each item.';
COMMENT ON COLUMN account_change.ids IS 'The id of each item: of a watering that of its plant, of settings that of the account.';
COMMENT ON COLUMN account_change.numbers IS 'The number of each watering; 0 for other kinds.';

-- Rows of about the same time lie together, and are deleted together.
CREATE INDEX account_change_by_time ON account_change USING brin (noted_at);
COMMENT ON INDEX account_change_by_time IS 'Deletes what is older than 90 days.';

-- Called last in a transaction, or nearly: all other commands of the account that change something wait for its end.
CREATE FUNCTION note_changes(
    owner_lane smallint, owner uuid, at timestamptz, changed_kinds change_kind[], changed_ids uuid[],
    changed_numbers integer[]) RETURNS void LANGUAGE plpgsql AS $$
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
COMMENT ON FUNCTION note_changes(smallint, uuid, timestamptz, change_kind[], uuid[], integer[]) IS
    'Notes what a transaction has changed in an account, for its devices.';

-- In the order of the accounts, so that two transactions cannot deadlock.
CREATE FUNCTION note_changes_of_accounts(
    owner_lane smallint, at timestamptz, owners uuid[], changed_kinds change_kind[], changed_ids uuid[],
    changed_numbers integer[]) RETURNS void LANGUAGE plpgsql AS $$
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
COMMENT ON FUNCTION note_changes_of_accounts(smallint, timestamptz, uuid[], change_kind[], uuid[], integer[]) IS
    'The same for several accounts of a lane; each item has its account.';

CREATE FUNCTION newest_changes(wanted_lane smallint, wanted uuid[])
    RETURNS TABLE (session_id uuid, number bigint, noted_at timestamptz) LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY SELECT session.id, coalesce(head.number, 0), coalesce(head.noted_at, timestamptz 'epoch')
    FROM account_session AS session
    LEFT JOIN account_change_head AS head ON head.lane = wanted_lane AND head.account_id = session.account_id
    WHERE session.lane = wanted_lane AND session.id = ANY (wanted);
END
$$;
COMMENT ON FUNCTION newest_changes(smallint, uuid[]) IS
    'The newest change of the accounts of some sessions; 0 before the first. Sessions that have ended are absent.';

-- MARK: Functions that change accounts and sessions

CREATE OR REPLACE FUNCTION begin_session(
    owner_lane smallint, owner uuid, new_id uuid, secret bytea, device text, at timestamptz) RETURNS void
    LANGUAGE plpgsql AS $$
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

CREATE OR REPLACE FUNCTION delete_sessions(owner_lane smallint, owner uuid, gone uuid[]) RETURNS bigint LANGUAGE plpgsql AS $$
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

CREATE OR REPLACE FUNCTION end_sessions(owner_lane smallint, owner uuid, ended uuid, kept uuid) RETURNS bigint
    LANGUAGE plpgsql AS $$
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

CREATE OR REPLACE FUNCTION renew_sign_in(owner_lane smallint, owner uuid, renewed uuid, at timestamptz) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    UPDATE account_session AS session SET signed_in_at = at
    WHERE session.lane = owner_lane AND session.account_id = owner AND session.id = renewed;
    IF FOUND THEN
        PERFORM note_changes(owner_lane, owner, at, ARRAY['session'::change_kind], ARRAY[renewed], ARRAY[0]);
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION change_account_email(lane smallint, account_id uuid, email text) RETURNS boolean LANGUAGE plpgsql AS $$
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
$$;

CREATE OR REPLACE FUNCTION set_phone(owner_lane smallint, owner uuid, new_phone text, at timestamptz) RETURNS void
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
    IF FOUND THEN
        PERFORM note_changes(owner_lane, owner, at, ARRAY['settings'::change_kind], ARRAY[owner], ARRAY[0]);
    END IF;
END
$$;

COMMENT ON TABLE tombstone IS
    'Not written any more: account_change tells devices what was deleted (rule 14.2). A later release drops it.';

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
        ('tombstone', 'account_id'), ('thing_share', 'account_id'), ('calendar_feed', 'account_id'),
        ('shopping_list', 'account_id'), ('helped_list', 'account_id'), ('list_news', 'account_id'),
        ('helper_rating', 'account_id'), ('account_block', 'account_id'), ('list_report', 'account_id'),
        ('list_measure', 'account_id'), ('list_receipt', 'account_id'), ('account_change_head', 'account_id'),
        ('account_change', 'account_id');
END;

-- MARK: Sessions for one account

CREATE VIEW garden.account_change_head WITH (security_barrier) AS
SELECT * FROM account_change_head
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.account_change WITH (security_barrier) AS
SELECT * FROM account_change
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

-- What the devices of sessions are told, by those who know the ids of the sessions.
CREATE FUNCTION garden.newest_changes(wanted_lane smallint, wanted uuid[])
    RETURNS TABLE (session_id uuid, number bigint, noted_at timestamptz) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    RETURN QUERY SELECT * FROM newest_changes(wanted_lane, wanted);
END
$$;

-- What they changed themselves: a session notes no change of anybody else.
CREATE FUNCTION garden.note_changes(
    owner_lane smallint, owner uuid, at timestamptz, changed_kinds change_kind[], changed_ids uuid[],
    changed_numbers integer[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM garden.require_account(owner);
    PERFORM note_changes(garden.account_lane(), owner, at, changed_kinds, changed_ids, changed_numbers);
END
$$;

DO $$
DECLARE
    shown record;
    made record;
BEGIN
    FOR shown IN
        SELECT view.relname FROM pg_class AS view
        WHERE view.relnamespace = 'garden'::regnamespace AND obj_description(view.oid, 'pg_class') IS NULL
    LOOP
        EXECUTE format('COMMENT ON VIEW garden.%I IS %L', shown.relname, 'The account''s part of ' || shown.relname || '.');
    END LOOP;
    FOR shown IN
        SELECT view.relname, field.attname, col_description(base.oid, field.attnum) AS comment
        FROM pg_class AS base
        JOIN pg_class AS view ON view.relname = base.relname AND view.relnamespace = 'garden'::regnamespace
        JOIN pg_attribute AS field ON field.attrelid = base.oid AND field.attnum > 0 AND NOT field.attisdropped
        WHERE base.relnamespace = current_schema()::regnamespace
            AND base.relname IN ('account_change_head', 'account_change')
    LOOP
        EXECUTE format('COMMENT ON COLUMN garden.%I.%I IS %L', shown.relname, shown.attname, shown.comment);
    END LOOP;
    FOR made IN
        SELECT function.oid::regprocedure AS signature, function.pronamespace = 'garden'::regnamespace AS is_of_garden
        FROM pg_proc AS function
        WHERE function.pronamespace IN ('garden'::regnamespace, current_schema()::regnamespace)
            AND function.proname IN ('note_changes', 'note_changes_of_accounts', 'newest_changes')
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

-- CREATE OR REPLACE forgets the search path of a function.
DO $$
DECLARE
    made record;
BEGIN
    FOR made IN
        SELECT function.oid::regprocedure AS signature FROM pg_proc AS function
        WHERE function.pronamespace = current_schema()::regnamespace
            AND function.proname IN ('begin_session', 'delete_sessions', 'end_sessions', 'renew_sign_in', 'set_phone')
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', made.signature, current_schema());
    END LOOP;
END
$$;
