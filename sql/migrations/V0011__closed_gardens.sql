-- What a session for one account could do to others, and cannot any more (docs/security.md, docs/decisions/0028). Who may DELETE
-- from or UPDATE a whole view may LOCK it, and the table beneath it, in any mode: deletions go through functions, updates through
-- grants on columns (cherish database roles). Locks have rows of their own, which nobody else can take.

-- MARK: Locks

CREATE TABLE engine_lock (
    name text NOT NULL,
    held_by text,
    held_until timestamptz,
    CONSTRAINT engine_lock_pkey PRIMARY KEY (name),
    CONSTRAINT engine_lock_lease_is_whole CHECK ((held_by IS NULL) = (held_until IS NULL))
);
COMMENT ON TABLE engine_lock IS
    'What one program does at a time: it locks the row for a transaction, or notes itself there for several.';
COMMENT ON COLUMN engine_lock.name IS 'What is done.';
COMMENT ON COLUMN engine_lock.held_by IS 'Who does it over several transactions; null when nobody does.';
COMMENT ON COLUMN engine_lock.held_until IS 'When another one may take over, by the database''s clock.';
INSERT INTO engine_lock (name) VALUES ('counting'), ('dropping');

-- Whoever needs a partition that is there takes no lock at all. ATTACH wants this lock of the table in any case, and roles that have
-- no UPDATE or DELETE of the whole table cannot take it.
CREATE OR REPLACE FUNCTION make_partition(parent text, unit text, instant timestamptz) RETURNS void
    -- Its bounds are written and read as the caller's settings say, and its caller may be anybody.
    LANGUAGE plpgsql SECURITY DEFINER SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
DECLARE
    first timestamptz := date_trunc(unit, instant AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
    after timestamptz := (date_trunc(unit, instant AT TIME ZONE 'UTC') + ('1 ' || unit)::interval) AT TIME ZONE 'UTC';
    child text := parent || to_char(first AT TIME ZONE 'UTC', CASE unit WHEN 'month' THEN '_YYYYMM' ELSE '_YYYYMMDD' END);
    -- With its schema: a temporary table of the caller's is not meant.
    place text := quote_ident(current_schema()) || '.' || quote_ident(child);
BEGIN
    IF (parent, unit) NOT IN (
        ('occurrence', 'month'), ('occurrence_outcome', 'day'), ('push_job', 'day'), ('push_outcome', 'day'),
        ('push_receipt', 'day'), ('push_device_outcome', 'day'), ('push_notice', 'day')
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

-- A session for one account makes only what rules can plan: one that may make any month may make so many that all others wait.
CREATE FUNCTION garden.make_calendar_partition(instant timestamptz) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER AS $$
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
COMMENT ON FUNCTION garden.make_calendar_partition(timestamptz) IS
    'Makes the partition of the calendar for the month of an instant that a rule can plan, if it is missing.';

-- MARK: Deletions

-- Each deletes what its caller may delete, in the tables or views that the caller's search path finds.
CREATE FUNCTION delete_plants(lane smallint, account_id uuid, ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM plant WHERE plant.lane = $1 AND plant.account_id = $2 AND plant.id = ANY (ids);
END
$$;
COMMENT ON FUNCTION delete_plants(smallint, uuid, uuid[]) IS 'Deletes plants of an account, with all that happened to them.';

CREATE FUNCTION delete_tags(lane smallint, account_id uuid, ids uuid[], unless_used boolean) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM tag WHERE tag.lane = $1 AND tag.account_id = $2 AND tag.id = ANY (ids) AND NOT (
        unless_used AND EXISTS (SELECT FROM plant_tag WHERE plant_tag.lane = $1 AND plant_tag.tag_id = tag.id));
END
$$;
COMMENT ON FUNCTION delete_tags(smallint, uuid, uuid[], boolean) IS
    'Deletes tags of an account, all of them or those that no plant has.';

CREATE FUNCTION delete_plant_tags(lane smallint, plant_ids uuid[], tag_ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- Without statistics the planner would read all taggings of the lane; the first and the last plant bound what it reads.
    DELETE FROM plant_tag USING unnest(plant_ids, tag_ids) AS removed (plant_id, tag_id)
    WHERE plant_tag.lane = $1 AND plant_tag.plant_id = removed.plant_id AND plant_tag.tag_id = removed.tag_id
        AND plant_tag.plant_id >= (SELECT id FROM unnest(plant_ids) AS id ORDER BY id LIMIT 1)
        AND plant_tag.plant_id <= (SELECT id FROM unnest(plant_ids) AS id ORDER BY id DESC LIMIT 1);
END
$$;
COMMENT ON FUNCTION delete_plant_tags(smallint, uuid[], uuid[]) IS 'Takes tags from plants: pairs of a plant and a tag.';

CREATE FUNCTION delete_cycle_changes(lane smallint, plant_ids uuid[], changed_at timestamptz) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM cycle_change
    WHERE cycle_change.lane = $1 AND cycle_change.plant_id = ANY (plant_ids) AND cycle_change.changed_at = $3;
END
$$;
COMMENT ON FUNCTION delete_cycle_changes(smallint, uuid[], timestamptz) IS
    'Deletes what is noted of some plants'' due dates at one instant, which an import had set.';

-- MARK: The look-up by e-mail

-- One account could take any number of e-mails.
ALTER TABLE account_email ADD CONSTRAINT account_email_account_unique UNIQUE (lane, account_id);

CREATE FUNCTION change_account_email(lane smallint, account_id uuid, email text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    UPDATE account_email SET email = lower($3) WHERE account_email.lane = $1 AND account_email.account_id = $2;
    IF NOT FOUND THEN
        INSERT INTO account_email (lane, account_id, email) VALUES ($1, $2, lower($3));
    END IF;
    -- Both here, so that no session for one account can call it by an e-mail of somebody else.
    UPDATE account SET email = $3 WHERE account.lane = $1 AND account.id = $2;
    RETURN true;
EXCEPTION
    WHEN unique_violation THEN
        RETURN false;
END
$$;
COMMENT ON FUNCTION change_account_email(smallint, uuid, text) IS
    'Gives an account another e-mail, by which alone it is found then; false where another account has it.';

-- MARK: For sessions of one account

-- The functions of the same names that such a session finds first, with the rights of the owner. They see the views of the garden
-- alone, and so the rows of one account. Their bodies are bound to the functions above, whatever the search path.
CREATE FUNCTION garden.delete_plants(lane smallint, account_id uuid, ids uuid[]) RETURNS void SECURITY DEFINER
RETURN delete_plants(lane, account_id, ids);
CREATE FUNCTION garden.delete_tags(lane smallint, account_id uuid, ids uuid[], unless_used boolean) RETURNS void
    SECURITY DEFINER
RETURN delete_tags(lane, account_id, ids, unless_used);
CREATE FUNCTION garden.delete_plant_tags(lane smallint, plant_ids uuid[], tag_ids uuid[]) RETURNS void SECURITY DEFINER
RETURN delete_plant_tags(lane, plant_ids, tag_ids);
CREATE FUNCTION garden.delete_cycle_changes(lane smallint, plant_ids uuid[], changed_at timestamptz) RETURNS void
    SECURITY DEFINER
RETURN delete_cycle_changes(lane, plant_ids, changed_at);
CREATE FUNCTION garden.change_account_email(lane smallint, account_id uuid, email text) RETURNS boolean SECURITY DEFINER
RETURN change_account_email(lane, account_id, email);

-- Names are looked up in the garden before the tables, and never among the temporary tables of whoever calls. Nobody calls a
-- function of ours whom cherish database roles does not let.
DO $$
DECLARE
    called record;
BEGIN
    EXECUTE format(
        'ALTER FUNCTION make_partition(text, text, timestamptz) SET search_path = %I, pg_temp', current_schema());
    EXECUTE format(
        'ALTER FUNCTION garden.make_calendar_partition(timestamptz) SET search_path = %I, pg_temp', current_schema());
    FOR called IN
        SELECT oid::regprocedure AS signature, pronamespace = 'garden'::regnamespace AS is_of_garden
        FROM pg_proc
        WHERE pronamespace IN (current_schema()::regnamespace, 'garden'::regnamespace)
            AND (proname LIKE 'delete\_%' OR proname IN ('change_account_email', 'make_calendar_partition'))
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', called.signature);
        CONTINUE WHEN NOT called.is_of_garden OR called.signature::text LIKE '%make_calendar_partition%';
        EXECUTE format('ALTER FUNCTION %s SET search_path = garden, %I, pg_temp', called.signature, current_schema());
        EXECUTE format(
            'COMMENT ON FUNCTION %s IS %L', called.signature, 'The same for the account that the session acts for.');
    END LOOP;
END
$$;
