-- Gardens of 100,000 friends are planned again piece by piece; databases that are for tests say so.

ALTER TABLE account ADD COLUMN replan_after uuid;
COMMENT ON COLUMN account.replan_after IS
    'While its garden is planned again piece by piece: plants with a greater id are still to come. Null otherwise.';
CREATE INDEX account_to_replan ON account (lane, id) WHERE replan_after IS NOT NULL;
COMMENT ON INDEX account_to_replan IS 'The accounts whose gardens are still being planned again.';

-- A view does not show columns that its table got later.
CREATE OR REPLACE VIEW garden.account WITH (security_barrier) AS
SELECT * FROM account
WHERE lane = (SELECT garden.account_lane()) AND id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;
COMMENT ON COLUMN garden.account.replan_after IS
    'While its garden is planned again piece by piece: plants with a greater id are still to come. Null otherwise.';

-- With the id: without statistics the planner takes an index by lane and account for as good as the primary key, and would
-- read the whole garden for each plant.
DROP INDEX plant_by_account;
CREATE INDEX plant_by_account ON plant (lane, account_id, id);
COMMENT ON INDEX plant_by_account IS 'The garden of an account, with what was archived.';

CREATE TABLE database_mark (
    purpose text NOT NULL,
    marked_at timestamptz NOT NULL,
    CONSTRAINT database_mark_pkey PRIMARY KEY (purpose),
    CONSTRAINT database_mark_purpose CHECK (purpose = 'test')
);
COMMENT ON TABLE database_mark IS
    'What the database is for, if that is nothing serious: in one for tests a tick may go far into the future.';
COMMENT ON COLUMN database_mark.purpose IS 'test.';
COMMENT ON COLUMN database_mark.marked_at IS 'When the owner of the tables said so, by the database''s clock.';

-- Programs do not own the tables, and autovacuum takes its time: after a large import the planner would know nothing of it.
-- Nobody waits for ANALYZE but another ANALYZE, and who makes or drops a partition; two at once: the second gives up soon.
CREATE FUNCTION analyze_gardens() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '1s' AS $$
BEGIN
    ANALYZE plant, occurrence, watering, cycle_change, plant_tag, import_change;
END
$$;
REVOKE EXECUTE ON FUNCTION analyze_gardens() FROM PUBLIC;
COMMENT ON FUNCTION analyze_gardens() IS 'Tells the planner what the tables of gardens hold, after an import of many friends.';
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION analyze_gardens() SET search_path = %I, pg_temp', current_schema());
END
$$;
