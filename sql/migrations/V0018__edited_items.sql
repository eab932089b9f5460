-- When devices last edited the parts of friends, things, tags, lists, reviews and settings (rule 14.3, decision 60).

CREATE TABLE edited_item (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    kind change_kind NOT NULL,
    id uuid NOT NULL,
    number integer NOT NULL,
    parts text[] NOT NULL,
    made_at timestamptz[] NOT NULL,
    newest_at timestamptz NOT NULL,
    CONSTRAINT edited_item_pkey PRIMARY KEY (lane, account_id, kind, id, number),
    CONSTRAINT edited_item_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT edited_item_times_match CHECK (cardinality(parts) >= 1 AND cardinality(parts) = cardinality(made_at)),
    CONSTRAINT edited_item_newest_at_range CHECK (
        newest_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z')
);
COMMENT ON TABLE edited_item IS
    'When the parts of an item were last edited, by the clocks of the devices: the newer of two edits of a part wins, whichever '
    'arrives first. Kept for 90 days after the newest edit; older edits are refused.';
COMMENT ON COLUMN edited_item.lane IS 'The account''s lane.';
COMMENT ON COLUMN edited_item.account_id IS 'The account.';
COMMENT ON COLUMN edited_item.kind IS 'What was edited: a friend, a thing, a tag, a list, the settings, or the review of a watering.';
COMMENT ON COLUMN edited_item.id IS 'Its id: of a watering that of its plant, of settings that of the account.';
COMMENT ON COLUMN edited_item.number IS 'The number of a watering; 0 for other kinds.';
COMMENT ON COLUMN edited_item.parts IS 'The names of the parts that were edited, as the API spells them; "tag" and an id for a tag that was added or removed.';
COMMENT ON COLUMN edited_item.made_at IS 'When each part was last edited, to the second.';
COMMENT ON COLUMN edited_item.newest_at IS 'The newest of these times.';

-- Rows of about the same time lie together.
CREATE INDEX edited_item_by_time ON edited_item USING brin (newest_at);
COMMENT ON INDEX edited_item_by_time IS 'Deletes what is older than 90 days.';

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
        ('account_change', 'account_id'), ('edited_item', 'account_id');
END;

-- MARK: Sessions for one account

CREATE VIEW garden.edited_item WITH (security_barrier) AS
SELECT * FROM edited_item
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;
COMMENT ON VIEW garden.edited_item IS 'The account''s part of edited_item.';

DO $$
DECLARE
    shown record;
BEGIN
    FOR shown IN
        SELECT field.attname, col_description(base.oid, field.attnum) AS comment
        FROM pg_class AS base
        JOIN pg_attribute AS field ON field.attrelid = base.oid AND field.attnum > 0 AND NOT field.attisdropped
        WHERE base.relnamespace = current_schema()::regnamespace AND base.relname = 'edited_item'
    LOOP
        EXECUTE format('COMMENT ON COLUMN garden.edited_item.%I IS %L', shown.attname, shown.comment);
    END LOOP;
END
$$;
