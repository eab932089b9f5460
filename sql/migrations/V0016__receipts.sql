-- A helper attaches a receipt to a list (rule 11.6).

ALTER TABLE shopping_list ADD COLUMN receipt_format text;
ALTER TABLE shopping_list ADD CONSTRAINT shopping_list_receipt_format_known CHECK (
    receipt_format IN ('image/jpeg', 'application/pdf'));
COMMENT ON COLUMN shopping_list.receipt_format IS
    'What kind of receipt the helper has attached, a media type; null without one, and of no meaning without a helper.';

CREATE TABLE list_receipt (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    list_id uuid NOT NULL,
    helper_id uuid NOT NULL,
    content bytea,
    attached_at timestamptz NOT NULL,
    CONSTRAINT list_receipt_pkey PRIMARY KEY (lane, account_id, list_id),
    CONSTRAINT list_receipt_list_fkey FOREIGN KEY (lane, account_id, list_id)
        REFERENCES shopping_list (lane, account_id, id) ON DELETE CASCADE,
    CONSTRAINT list_receipt_content_length CHECK (octet_length(content) <= 5242880),
    CONSTRAINT list_receipt_attached_at_range CHECK (
        attached_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z')
);
COMMENT ON TABLE list_receipt IS 'What the shopping has cost, as the helper showed it to the owner.';
COMMENT ON COLUMN list_receipt.lane IS 'The owner''s lane.';
COMMENT ON COLUMN list_receipt.account_id IS 'The owner.';
COMMENT ON COLUMN list_receipt.list_id IS 'The list.';
COMMENT ON COLUMN list_receipt.helper_id IS
    'The helper who attached it: whoever else helps later has nothing to do with it.';
COMMENT ON COLUMN list_receipt.content IS
    'A JPEG or a PDF without metadata, up to 5 MiB; null once the helper has taken it away or given the list back.';
COMMENT ON COLUMN list_receipt.attached_at IS 'When it was attached, or taken away.';

COMMENT ON TABLE helped_list IS
    'The lists that an account helps with, as its lane knows them: a claim of one of five places first, then what news tells '
    '(decision 58). The list itself is the truth.';

COMMENT ON FUNCTION delete_list_news(smallint, uuid, uuid, uuid, bigint) IS
    'Deletes news of a list that was delivered, unless newer news has been noted.';

COMMENT ON COLUMN occurrence.ref IS
    'A number that the subject''s domain understands. For review_missing it is the watering''s number, for lists 0 for the owner '
    'and the first 20 bits of the helper''s id + 1 for the helper, otherwise a civil day in days since 1970-01-01: the due date or '
    'the birthday. For thing_alert, -1 stands for an alert that is too far ahead to be planned.';

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
        ('list_measure', 'account_id'), ('list_receipt', 'account_id');
END;

-- The columns of a view are those of its table when it was made.
CREATE OR REPLACE VIEW garden.shopping_list WITH (security_barrier) AS
SELECT * FROM shopping_list
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.list_receipt WITH (security_barrier) AS
SELECT * FROM list_receipt
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;
COMMENT ON VIEW garden.list_receipt IS 'The account''s part of list_receipt.';

DO $$
DECLARE
    shown record;
BEGIN
    FOR shown IN
        SELECT view.relname, field.attname, col_description(base.oid, field.attnum) AS comment
        FROM pg_class AS base
        JOIN pg_class AS view ON view.relname = base.relname AND view.relnamespace = 'garden'::regnamespace
        JOIN pg_attribute AS field ON field.attrelid = base.oid AND field.attnum > 0 AND NOT field.attisdropped
        WHERE base.relnamespace = current_schema()::regnamespace AND base.relname IN ('shopping_list', 'list_receipt')
    LOOP
        EXECUTE format('COMMENT ON COLUMN garden.%I.%I IS %L', shown.relname, shown.attname, shown.comment);
    END LOOP;
END
$$;
