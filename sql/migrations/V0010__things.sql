-- Things: what an account must remember besides its friends (rule 10). A further domain of subjects: the calendar and the log
-- stay as they are.

CREATE TYPE thing_kind AS ENUM ('pickup', 'return', 'reminder', 'food');
CREATE TYPE alert_repetition AS ENUM ('once', 'hourly', 'daily', 'weekly');
CREATE TYPE recurrence_unit AS ENUM ('days', 'weeks', 'months', 'years');
CREATE TYPE recurrence_base AS ENUM ('due', 'completion');
CREATE TYPE completion_outcome AS ENUM ('eaten', 'thrown_away');
ALTER TYPE topic ADD VALUE 'thing_alert';

COMMENT ON TYPE thing_kind IS 'What a thing is (rule 10).';
COMMENT ON TYPE alert_repetition IS 'How a thing goes on after its last alert (rule 10.5).';
COMMENT ON TYPE recurrence_unit IS 'The unit of the interval after which a thing comes back (rule 10.8).';
COMMENT ON TYPE recurrence_base IS 'What the next due day is counted from (rule 10.8).';
COMMENT ON TYPE completion_outcome IS 'How food ended (rule 10.7).';
COMMENT ON TYPE topic IS 'What a push is about (rules 7.1, 7.10 and 10.13). A domain adds its topics at the end.';

COMMENT ON COLUMN occurrence.subject_id IS
    'The subject, which is what the push is about: a plant or a thing. It may have been erased since.';
COMMENT ON COLUMN occurrence.ref IS
    'A number that the subject''s domain understands. For review_missing it is the watering''s number, otherwise a civil day in '
    'days since 1970-01-01: the due date or the birthday. For thing_alert, -1 stands for an alert that is too far ahead to be '
    'planned.';

-- MARK: Settings

ALTER TABLE account ADD COLUMN thing_pushes boolean NOT NULL DEFAULT true;
ALTER TABLE account ADD COLUMN expiry_warning_days smallint NOT NULL DEFAULT 3;
ALTER TABLE account ADD CONSTRAINT account_expiry_warning_days_range CHECK (expiry_warning_days BETWEEN 0 AND 30);
COMMENT ON COLUMN account.thing_pushes IS 'Whether it wants the alerts of its things (rule 10.13).';
COMMENT ON COLUMN account.expiry_warning_days IS
    'For how many days before its due day food is expiring, and when it alerts unless chosen (rules 10.3 and 10.4), 0-30.';
COMMENT ON COLUMN account.replan_after IS
    'While its garden is replanned in pieces: plants and things with a greater id are still to come. Null otherwise.';

-- MARK: Things

CREATE TABLE thing (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    kind thing_kind NOT NULL,
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
    repetition alert_repetition NOT NULL,
    pushes_enabled boolean NOT NULL,
    recurrence_every smallint,
    recurrence_unit recurrence_unit,
    recurrence_base recurrence_base,
    recurrence_until date,
    series_start date NOT NULL,
    completion_count integer NOT NULL,
    done_on date,
    done_at timestamptz,
    done_as completion_outcome,
    alert_ref integer,
    alert_at timestamptz,
    alert_expires_at timestamptz,
    reached_alert_ref integer,
    reached_alert_at timestamptz,
    reached_alert_expires_at timestamptz,
    version bigint NOT NULL,
    modified_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT thing_pkey PRIMARY KEY (lane, id),
    -- What refers to a thing names its account, too, so that it cannot refer to somebody else's.
    CONSTRAINT thing_of_account UNIQUE (lane, account_id, id),
    CONSTRAINT thing_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT thing_title_length CHECK (octet_length(title) BETWEEN 1 AND 6400),
    CONSTRAINT thing_note_length CHECK (octet_length(note) BETWEEN 1 AND 64000),
    CONSTRAINT thing_category_length CHECK (octet_length(category) BETWEEN 1 AND 1280),
    CONSTRAINT thing_order_number_length CHECK (octet_length(order_number) BETWEEN 1 AND 3840),
    CONSTRAINT thing_days_range CHECK (
        due_on BETWEEN '2000-01-01' AND '2099-12-31' AND bought_on BETWEEN '2000-01-01' AND '2099-12-31'
        AND series_start BETWEEN '2000-01-01' AND '2099-12-31' AND recurrence_until BETWEEN '0001-01-01' AND '9999-12-31'
        AND done_on BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT thing_due_minute_range CHECK (due_minute BETWEEN 0 AND 1439),
    CONSTRAINT thing_parts_of_kind CHECK (
        CASE kind WHEN 'food' THEN due_minute IS NULL AND store_id IS NULL AND order_number IS NULL
            WHEN 'reminder' THEN num_nulls(category, bought_on, store_id, order_number) = 4
            ELSE category IS NULL END
        AND (kind = 'food' OR done_as IS NULL)),
    -- Up to five. How far away they may be is the program's to check.
    CONSTRAINT thing_chosen_alerts_form CHECK (
        chosen_alerts ~ '^(|([0-9]{1,3}d@[0-2][0-9]:[0-5][0-9]|[0-9]{1,5}m)( ([0-9]{1,3}d@[0-2][0-9]:[0-5][0-9]|[0-9]{1,5}m)){0,4})$'),
    CONSTRAINT thing_recurrence_is_whole CHECK (num_nulls(recurrence_every, recurrence_unit, recurrence_base) IN (0, 3)
        AND (recurrence_every IS NOT NULL OR recurrence_until IS NULL)),
    CONSTRAINT thing_recurrence_every_range CHECK (recurrence_every BETWEEN 1 AND 99),
    CONSTRAINT thing_completion_count_range CHECK (completion_count BETWEEN 0 AND 999999999),
    CONSTRAINT thing_end_is_whole CHECK (num_nulls(done_on, done_at) IN (0, 2) AND (done_on IS NOT NULL OR done_as IS NULL)),
    CONSTRAINT thing_alert_is_whole CHECK (
        num_nulls(alert_ref, alert_at, alert_expires_at) IN (0, 3)
        AND num_nulls(reached_alert_ref, reached_alert_at, reached_alert_expires_at) IN (0, 3)),
    CONSTRAINT thing_alert_ref_range CHECK (
        alert_ref BETWEEN -1 AND 2932896 AND reached_alert_ref BETWEEN -1 AND 2932896),
    CONSTRAINT thing_done_is_silent CHECK (done_on IS NULL OR alert_ref IS NULL AND reached_alert_ref IS NULL),
    CONSTRAINT thing_instants_range CHECK (
        created_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'
        AND modified_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'
        AND done_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'
        AND alert_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND alert_expires_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND reached_alert_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND reached_alert_expires_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'),
    CONSTRAINT thing_version_range CHECK (version >= 1)
);
COMMENT ON CONSTRAINT thing_of_account ON thing IS 'Also the things of an account.';
CREATE INDEX thing_open_by_due ON thing (lane, account_id, due_on) WHERE done_on IS NULL;
COMMENT ON INDEX thing_open_by_due IS 'What an account has to do, by due day.';
COMMENT ON TABLE thing IS 'What an account must remember besides its friends: errands, reminders and food (rule 10).';
COMMENT ON COLUMN thing.lane IS 'The account''s lane.';
COMMENT ON COLUMN thing.id IS 'A random UUID.';
COMMENT ON COLUMN thing.account_id IS 'The account.';
COMMENT ON COLUMN thing.kind IS 'What it is. It never changes.';
COMMENT ON COLUMN thing.title IS 'What it is called, 1-100 characters.';
COMMENT ON COLUMN thing.note IS 'What the account notes about it, up to 1,000 characters; null without a note.';
COMMENT ON COLUMN thing.is_favourite IS 'Whether it is a favourite (rule 9.5).';
COMMENT ON COLUMN thing.due_on IS 'The civil day on which it is due.';
COMMENT ON COLUMN thing.due_minute IS 'When on that day, in minutes of the account''s wall clock; null where the day is enough.';
COMMENT ON COLUMN thing.category IS 'What sort of food it is, 1-20 characters; null for other kinds.';
COMMENT ON COLUMN thing.bought_on IS 'When it was bought; null for reminders, and where nobody said.';
COMMENT ON COLUMN thing.store_id IS 'Where it was bought; null for reminders and food.';
COMMENT ON COLUMN thing.order_number IS 'The number of the order, 1-60 characters; null for reminders and food.';
COMMENT ON COLUMN thing.chosen_alerts IS
    'When it alerts, by the account''s choice: up to five, such as 3d@09:00 (days before) and 30m (minutes before), with a space '
    'between. Empty for no alert; null for the alert of rule 10.4.';
COMMENT ON COLUMN thing.repetition IS 'How it goes on after the last alert.';
COMMENT ON COLUMN thing.pushes_enabled IS 'Whether its alerts are sent.';
COMMENT ON COLUMN thing.recurrence_every IS 'After how many units it comes back, 1-99; null if it does not.';
COMMENT ON COLUMN thing.recurrence_unit IS 'The unit of that.';
COMMENT ON COLUMN thing.recurrence_base IS 'What that is counted from.';
COMMENT ON COLUMN thing.recurrence_until IS 'The last day on which it may be due; null without one.';
COMMENT ON COLUMN thing.series_start IS 'The first day of the series of due days: the one that a person chose last.';
COMMENT ON COLUMN thing.completion_count IS 'How often it was completed, completions that were undone included.';
COMMENT ON COLUMN thing.done_on IS 'The civil day on which it was done for good; null while it is open.';
COMMENT ON COLUMN thing.done_at IS 'When that was recorded.';
COMMENT ON COLUMN thing.done_as IS 'How food ended; null for other kinds.';
COMMENT ON COLUMN thing.alert_ref IS 'Points at its next alert in the calendar: the due day, or -1; null without an alert.';
COMMENT ON COLUMN thing.alert_at IS 'When that is.';
COMMENT ON COLUMN thing.alert_expires_at IS 'From when it is not worth sending.';
COMMENT ON COLUMN thing.reached_alert_ref IS
    'Points at the newest alert that was reached for this due day, which may still be underway; null without one.';
COMMENT ON COLUMN thing.reached_alert_at IS 'When that was.';
COMMENT ON COLUMN thing.reached_alert_expires_at IS 'From when it is not worth sending.';
COMMENT ON COLUMN thing.version IS 'Grows with each command that changes the thing (rule 14.1), from 1.';
COMMENT ON COLUMN thing.modified_at IS 'When the account changed it last.';
COMMENT ON COLUMN thing.created_at IS 'When it was recorded.';

CREATE TABLE thing_completion (
    lane smallint NOT NULL,
    thing_id uuid NOT NULL,
    number integer NOT NULL,
    account_id uuid NOT NULL,
    completed_on date NOT NULL,
    recorded_at timestamptz NOT NULL,
    outcome completion_outcome,
    due_on date NOT NULL,
    next_due_on date,
    series_start date NOT NULL,
    fact_id uuid,
    undone_at timestamptz,
    CONSTRAINT thing_completion_pkey PRIMARY KEY (lane, account_id, thing_id, number),
    CONSTRAINT thing_completion_thing_fkey FOREIGN KEY (lane, account_id, thing_id)
        REFERENCES thing (lane, account_id, id) ON DELETE CASCADE,
    CONSTRAINT thing_completion_number_range CHECK (number BETWEEN 1 AND 999999999),
    CONSTRAINT thing_completion_days_range CHECK (
        completed_on BETWEEN '0001-01-01' AND '9999-12-31' AND due_on BETWEEN '2000-01-01' AND '2099-12-31'
        AND next_due_on BETWEEN '2000-01-01' AND '2099-12-31' AND series_start BETWEEN '2000-01-01' AND '2099-12-31'),
    CONSTRAINT thing_completion_instants_range CHECK (
        recorded_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'
        AND undone_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z')
);
CREATE UNIQUE INDEX thing_completion_by_fact ON thing_completion (lane, account_id, thing_id, fact_id) WHERE fact_id IS NOT NULL;
COMMENT ON INDEX thing_completion_by_fact IS 'A fact is recorded once.';
CREATE INDEX thing_completion_by_account ON thing_completion (lane, account_id, completed_on);
COMMENT ON INDEX thing_completion_by_account IS 'What an account did on a day.';
COMMENT ON TABLE thing_completion IS 'Completions of things (rules 10.7 and 10.8). One that was undone stays, so that it is not recorded again.';
COMMENT ON COLUMN thing_completion.lane IS 'The account''s lane.';
COMMENT ON COLUMN thing_completion.thing_id IS 'The thing.';
COMMENT ON COLUMN thing_completion.number IS '1, 2, 3 ... within the thing.';
COMMENT ON COLUMN thing_completion.account_id IS 'The account.';
COMMENT ON COLUMN thing_completion.completed_on IS 'The civil day for which it counts.';
COMMENT ON COLUMN thing_completion.recorded_at IS 'When it was recorded.';
COMMENT ON COLUMN thing_completion.outcome IS 'How food ended; null for other kinds.';
COMMENT ON COLUMN thing_completion.due_on IS 'When the thing was due.';
COMMENT ON COLUMN thing_completion.next_due_on IS 'The due day that it set; null if the thing was done for good.';
COMMENT ON COLUMN thing_completion.series_start IS 'The first day of the series before, which an undoing brings back.';
COMMENT ON COLUMN thing_completion.fact_id IS
    'The id that the client made: however often it is sent, it is recorded once (rule 14.3). Null without one.';
COMMENT ON COLUMN thing_completion.undone_at IS 'When it was undone; null if it stands.';

CREATE TABLE thing_tag (
    lane smallint NOT NULL,
    thing_id uuid NOT NULL,
    tag_id uuid NOT NULL,
    account_id uuid NOT NULL,
    CONSTRAINT thing_tag_pkey PRIMARY KEY (lane, account_id, thing_id, tag_id),
    CONSTRAINT thing_tag_thing_fkey FOREIGN KEY (lane, account_id, thing_id)
        REFERENCES thing (lane, account_id, id) ON DELETE CASCADE,
    CONSTRAINT thing_tag_tag_fkey FOREIGN KEY (lane, tag_id) REFERENCES tag (lane, id) ON DELETE CASCADE
);
CREATE INDEX thing_tag_by_tag ON thing_tag (lane, tag_id);
COMMENT ON INDEX thing_tag_by_tag IS 'The things of a tag.';
COMMENT ON TABLE thing_tag IS 'Which things have which tags, at most ten each.';
COMMENT ON COLUMN thing_tag.lane IS 'The account''s lane.';
COMMENT ON COLUMN thing_tag.thing_id IS 'The thing.';
COMMENT ON COLUMN thing_tag.tag_id IS 'The tag.';
COMMENT ON COLUMN thing_tag.account_id IS 'The account.';
COMMENT ON TABLE tag IS 'A word under which an account groups friends and things (rule 9).';

CREATE TABLE tombstone (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    kind text NOT NULL,
    id uuid NOT NULL,
    deleted_at timestamptz NOT NULL,
    CONSTRAINT tombstone_pkey PRIMARY KEY (lane, account_id, kind, id),
    CONSTRAINT tombstone_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT tombstone_kind_known CHECK (kind IN ('thing')),
    CONSTRAINT tombstone_deleted_at_range CHECK (
        deleted_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z')
);
COMMENT ON TABLE tombstone IS 'What an account has deleted, without its content, for its other devices (rule 14.2).';
COMMENT ON COLUMN tombstone.lane IS 'The account''s lane.';
COMMENT ON COLUMN tombstone.account_id IS 'The account.';
COMMENT ON COLUMN tombstone.kind IS 'What was deleted: thing.';
COMMENT ON COLUMN tombstone.id IS 'Its id.';
COMMENT ON COLUMN tombstone.deleted_at IS 'When.';

-- MARK: The daily cap

ALTER TABLE sent_push ADD COLUMN counts_towards_cap boolean NOT NULL DEFAULT true;
COMMENT ON COLUMN sent_push.counts_towards_cap IS 'Whether it counts towards the pushes of the day; appointments do not (rule 10.13).';

-- MARK: Deleting

CREATE FUNCTION delete_things(lane smallint, account_id uuid, ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM thing WHERE thing.lane = $1 AND thing.account_id = $2 AND thing.id = ANY ($3);
END
$$;
COMMENT ON FUNCTION delete_things(smallint, uuid, uuid[]) IS 'Deletes things of an account, with all that happened to them.';

CREATE FUNCTION delete_thing_tags(lane smallint, account_id uuid, thing_id uuid, tag_ids uuid[]) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM thing_tag
    WHERE thing_tag.lane = $1 AND thing_tag.account_id = $2 AND thing_tag.thing_id = $3 AND thing_tag.tag_id = ANY ($4);
END
$$;
COMMENT ON FUNCTION delete_thing_tags(smallint, uuid, uuid, uuid[]) IS 'Takes tags from a thing.';

CREATE OR REPLACE FUNCTION delete_tags(lane smallint, account_id uuid, ids uuid[], unless_used boolean) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM tag WHERE tag.lane = $1 AND tag.account_id = $2 AND tag.id = ANY ($3) AND NOT (
        unless_used AND (
            EXISTS (SELECT 1 FROM plant_tag WHERE plant_tag.lane = $1 AND plant_tag.tag_id = tag.id)
            OR EXISTS (SELECT 1 FROM thing_tag WHERE thing_tag.lane = $1 AND thing_tag.tag_id = tag.id)));
END
$$;

CREATE OR REPLACE FUNCTION analyze_gardens() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '1s' AS $$
BEGIN
    ANALYZE plant, occurrence, watering, cycle_change, plant_tag, import_change, thing, thing_tag;
END
$$;
-- Replacing a function takes its settings away.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION analyze_gardens() SET search_path = %I, pg_temp', current_schema());
END
$$;

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
        ('tombstone', 'account_id');
END;

-- MARK: What a session for one account sees

-- The columns of a view are those of its table when it was made.
CREATE OR REPLACE VIEW garden.account WITH (security_barrier) AS
SELECT * FROM account
WHERE lane = (SELECT garden.account_lane()) AND id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE OR REPLACE VIEW garden.sent_push WITH (security_barrier) AS
SELECT * FROM sent_push
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.thing WITH (security_barrier) AS
SELECT * FROM thing
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.thing_completion WITH (security_barrier) AS
SELECT * FROM thing_completion
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.thing_tag WITH (security_barrier) AS
SELECT * FROM thing_tag AS tagging
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
    AND EXISTS (SELECT FROM garden.tag AS tag WHERE tag.lane = tagging.lane AND tag.id = tagging.tag_id)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.tombstone WITH (security_barrier) AS
SELECT * FROM tombstone
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE OR REPLACE VIEW garden.occurrence WITH (security_barrier) AS
SELECT * FROM occurrence AS planned
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
    AND (EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = planned.lane AND plant.id = planned.subject_id)
        OR EXISTS (SELECT FROM garden.thing AS thing WHERE thing.lane = planned.lane AND thing.id = planned.subject_id))
WITH CASCADED CHECK OPTION;

DO $$
DECLARE
    shown record;
BEGIN
    FOR shown IN
        SELECT view.relname, obj_description(view.oid, 'pg_class') IS NULL AS is_new
        FROM pg_class AS view
        WHERE view.relnamespace = 'garden'::regnamespace
            AND view.relname IN ('account', 'occurrence', 'sent_push', 'thing', 'thing_completion', 'thing_tag', 'tombstone')
    LOOP
        IF shown.is_new THEN
            EXECUTE format('COMMENT ON VIEW garden.%I IS %L', shown.relname, 'The account''s part of ' || shown.relname || '.');
        END IF;
    END LOOP;
    FOR shown IN
        SELECT view.relname, field.attname, col_description(base.oid, field.attnum) AS comment
        FROM pg_class AS base
        JOIN pg_class AS view ON view.relname = base.relname AND view.relnamespace = 'garden'::regnamespace
        JOIN pg_attribute AS field ON field.attrelid = base.oid AND field.attnum > 0 AND NOT field.attisdropped
        WHERE base.relnamespace = current_schema()::regnamespace
            AND base.relname IN ('account', 'occurrence', 'sent_push', 'thing', 'thing_completion', 'thing_tag', 'tombstone')
    LOOP
        EXECUTE format('COMMENT ON COLUMN garden.%I.%I IS %L', shown.relname, shown.attname, shown.comment);
    END LOOP;
END
$$;

CREATE FUNCTION garden.delete_things(lane smallint, account_id uuid, ids uuid[]) RETURNS void SECURITY DEFINER
RETURN delete_things(lane, account_id, ids);
CREATE FUNCTION garden.delete_thing_tags(lane smallint, account_id uuid, thing_id uuid, tag_ids uuid[]) RETURNS void
    SECURITY DEFINER
RETURN delete_thing_tags(lane, account_id, thing_id, tag_ids);

DO $$
DECLARE
    signature text;
BEGIN
    FOREACH signature IN ARRAY ARRAY[
        'delete_things(smallint, uuid, uuid[])', 'delete_thing_tags(smallint, uuid, uuid, uuid[])'
    ] LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s, garden.%s FROM PUBLIC', signature, signature);
        -- They see only the views of the garden, and so the rows of one account.
        EXECUTE format('ALTER FUNCTION garden.%s SET search_path = garden, %I, pg_temp', signature, current_schema());
        EXECUTE format('COMMENT ON FUNCTION garden.%s IS %L', signature, 'The same for the account that the session acts for.');
    END LOOP;
END
$$;
