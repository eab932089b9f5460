-- What undoing an import has to know: how things were before it, and whether somebody built upon it since.

ALTER TABLE import_change
    ADD COLUMN nickname_before text,
    ADD COLUMN due_on date,
    ADD COLUMN due_source due_source,
    ADD COLUMN care_count integer,
    ADD COLUMN fingerprint text,
    ADD CONSTRAINT import_change_nickname_beside_name CHECK (nickname_before IS NULL OR name_before IS NOT NULL),
    ADD CONSTRAINT import_change_due_is_whole CHECK ((due_on IS NULL) = (due_source IS NULL)),
    ADD CONSTRAINT import_change_due_of_restored CHECK (due_on IS NULL OR kind = 'restored'),
    ADD CONSTRAINT import_change_state_is_whole CHECK ((care_count IS NULL) = (fingerprint IS NULL)),
    ADD CONSTRAINT import_change_care_count_range CHECK (care_count >= 0),
    ADD CONSTRAINT import_change_fingerprint_form CHECK (fingerprint ~ '^[0-9a-f]{16}$');
COMMENT ON COLUMN import_change.nickname_before IS 'The nickname beside name_before; null before migration 4.';
COMMENT ON COLUMN import_change.due_on IS 'The due date that a restored plant had; null for others, and before migration 4.';
COMMENT ON COLUMN import_change.due_source IS 'What had set that due date.';
COMMENT ON COLUMN import_change.care_count IS 'How many waterings and postponements a new or restored plant had; null for others, and before migration 4.';
COMMENT ON COLUMN import_change.fingerprint IS 'Its hash over all else that commands can change, as the import left it: 16 hexadecimal digits.';
