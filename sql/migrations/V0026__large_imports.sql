-- No plan of a large import depends on what the planner believed before it (decision 67).

-- The check of a foreign key looks a plant up by lane and id. While the planner believes the table empty, as after VACUUM beside an import,
-- it takes any index with these columns for as good as the primary key. This one made each check read the whole garden, with the lane
-- locked. The condition holds for every plant, and only look-ups by account imply it.
-- Dropped first: a transaction that built an index, and only then asked for the stronger lock, would deadlock with commands.
DROP INDEX plant_by_account;
CREATE INDEX plant_by_account ON plant (lane, account_id, id) WHERE account_id IS NOT NULL;
COMMENT ON INDEX plant_by_account IS
    'The garden of an account, removed plants included. The condition, true of every plant, keeps look-ups by id alone away.';

-- Autovacuum gives way to ANALYZE after deadlock_timeout, one second by default. ANALYZE gave up in the same moment, so the planner went on
-- with what it knew before the import.
CREATE OR REPLACE FUNCTION analyze_gardens() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '10s' AS $$
BEGIN
    -- Of the widest tables, only the columns by which commands find rows.
    ANALYZE plant (lane, id, account_id, phone, removed_at), occurrence, watering, cycle_change, plant_tag,
        import_change (lane, batch_id, plant_id), thing, thing_tag;
END
$$;

DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION analyze_gardens() SET search_path = %I, pg_temp', current_schema());
END
$$;
