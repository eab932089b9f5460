-- Calendars say when a plant was changed (LAST-MODIFIED of RFC 5545).

ALTER TABLE plant ADD COLUMN modified_at timestamptz;
ALTER TABLE plant ADD CONSTRAINT plant_modified_at_range CHECK (
    modified_at BETWEEN '0001-01-02 00:00:00+00' AND '9999-12-30 23:59:59.999999+00');
COMMENT ON COLUMN plant.modified_at IS 'When a command last changed the plant; null if none has since migration 14.';

-- The columns of a view are those of its table when it was made.
CREATE OR REPLACE VIEW garden.plant WITH (security_barrier) AS
SELECT * FROM plant
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;
DO $$
BEGIN
    EXECUTE format(
        'COMMENT ON COLUMN garden.plant.modified_at IS %L',
        (SELECT col_description(attrelid, attnum) FROM pg_attribute
         WHERE attrelid = 'plant'::regclass AND attname = 'modified_at'));
END
$$;
