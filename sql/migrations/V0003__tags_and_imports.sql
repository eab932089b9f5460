-- Tags and favourites, by which an account sorts its friends, and the imports of address books, which can be undone.

ALTER TABLE plant ADD COLUMN is_favourite boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN plant.is_favourite IS 'Whether the account marked the friend as a favourite (rule 9.5).';

CREATE TABLE tag (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    colour integer NOT NULL,
    cycle_days smallint,
    CONSTRAINT tag_pkey PRIMARY KEY (lane, id),
    CONSTRAINT tag_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT tag_name_unique UNIQUE (lane, account_id, name_key),
    CONSTRAINT tag_name_not_blank CHECK (name <> ''),
    CONSTRAINT tag_colour_range CHECK (colour BETWEEN 0 AND 16777215),
    CONSTRAINT tag_cycle_days_range CHECK (cycle_days BETWEEN 1 AND 90)
);
COMMENT ON TABLE tag IS 'A word under which an account gathers friends (rule 9).';
COMMENT ON COLUMN tag.lane IS 'The account''s lane.';
COMMENT ON COLUMN tag.id IS 'A random UUID.';
COMMENT ON COLUMN tag.account_id IS 'The account.';
COMMENT ON COLUMN tag.name IS 'As the account wrote it, 1-20 characters.';
COMMENT ON COLUMN tag.name_key IS 'The name in lower case: unique in the account.';
COMMENT ON COLUMN tag.colour IS 'Red, green and blue, 8 bits each, red highest.';
COMMENT ON COLUMN tag.cycle_days IS 'The cycle of friends added under it without one of their own; null when it has none.';

CREATE TABLE plant_tag (
    lane smallint NOT NULL,
    plant_id uuid NOT NULL,
    tag_id uuid NOT NULL,
    CONSTRAINT plant_tag_pkey PRIMARY KEY (lane, plant_id, tag_id),
    CONSTRAINT plant_tag_plant_fkey FOREIGN KEY (lane, plant_id) REFERENCES plant (lane, id) ON DELETE CASCADE,
    CONSTRAINT plant_tag_tag_fkey FOREIGN KEY (lane, tag_id) REFERENCES tag (lane, id) ON DELETE CASCADE
);
CREATE INDEX plant_tag_by_tag ON plant_tag (lane, tag_id);
COMMENT ON INDEX plant_tag_by_tag IS 'The friends of a tag.';
COMMENT ON TABLE plant_tag IS 'Which friends have which tags, at most ten each.';
COMMENT ON COLUMN plant_tag.lane IS 'The account''s lane.';
COMMENT ON COLUMN plant_tag.plant_id IS 'The plant.';
COMMENT ON COLUMN plant_tag.tag_id IS 'The tag.';

CREATE TYPE import_change_kind AS ENUM ('planted', 'restored', 'updated');
COMMENT ON TYPE import_change_kind IS 'What an import did with a plant: new, brought back, or changed while it lived.';

CREATE TABLE import_batch (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    imported_at timestamptz NOT NULL,
    file_name text NOT NULL,
    tag_ids uuid[] NOT NULL,
    undone_at timestamptz,
    CONSTRAINT import_batch_pkey PRIMARY KEY (lane, id),
    CONSTRAINT import_batch_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE
);
CREATE INDEX import_batch_by_account ON import_batch (lane, account_id);
COMMENT ON INDEX import_batch_by_account IS 'The imports of an account.';
COMMENT ON TABLE import_batch IS 'One import of an address book that changed something.';
COMMENT ON COLUMN import_batch.lane IS 'The account''s lane.';
COMMENT ON COLUMN import_batch.id IS 'A random UUID.';
COMMENT ON COLUMN import_batch.account_id IS 'The account.';
COMMENT ON COLUMN import_batch.imported_at IS 'When it was imported, by the engine''s now.';
COMMENT ON COLUMN import_batch.file_name IS 'The last part of the file''s path.';
COMMENT ON COLUMN import_batch.tag_ids IS 'The tags that were made for it.';
COMMENT ON COLUMN import_batch.undone_at IS 'When it was undone; null when it was not.';

CREATE TABLE import_change (
    lane smallint NOT NULL,
    batch_id uuid NOT NULL,
    plant_id uuid NOT NULL,
    kind import_change_kind NOT NULL,
    name_before text,
    name_after text,
    birthday text,
    tag_ids uuid[] NOT NULL,
    archived_at timestamptz,
    CONSTRAINT import_change_pkey PRIMARY KEY (lane, batch_id, plant_id),
    CONSTRAINT import_change_batch_fkey FOREIGN KEY (lane, batch_id) REFERENCES import_batch (lane, id) ON DELETE CASCADE,
    CONSTRAINT import_change_name_is_whole CHECK ((name_before IS NULL) = (name_after IS NULL)),
    CONSTRAINT import_change_restored CHECK ((kind = 'restored') = (archived_at IS NOT NULL))
);
COMMENT ON TABLE import_change IS 'What an import did with one plant: enough to undo it.';
COMMENT ON COLUMN import_change.lane IS 'The account''s lane.';
COMMENT ON COLUMN import_change.batch_id IS 'The import.';
COMMENT ON COLUMN import_change.plant_id IS 'The plant; an undone import has removed it for good.';
COMMENT ON COLUMN import_change.kind IS 'What was done.';
COMMENT ON COLUMN import_change.name_before IS 'The name that was corrected; null where the name stayed.';
COMMENT ON COLUMN import_change.name_after IS 'What it was corrected to.';
COMMENT ON COLUMN import_change.birthday IS 'The birthday that was added, as 1994-05-21 or 05-21; null when none was.';
COMMENT ON COLUMN import_change.tag_ids IS 'The tags that were added.';
COMMENT ON COLUMN import_change.archived_at IS 'Since when a restored plant was removed; null otherwise.';
