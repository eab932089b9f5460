-- Tells what is not as 01_distribute.sql leaves it: no row, and all is well. Run it after each migration, too: a new table
-- is to be distributed before a worker writes to it.
-- psql -d DATABASE -f sql/citus/02_check.sql

-- On the coordinator alone: counts of the whole service, written once a day, what the migrator knows, what only one program
-- does at a time, and what is known of people before they have an account.
WITH kept_local (name) AS (VALUES ('engine_lock'), ('push_day'), ('schema_migration'), ('throttle'), ('verification_code'))
SELECT class.relname AS table_name,
    CASE WHEN placed.logicalrelid IS NULL THEN 'is not distributed' ELSE 'is not placed as its lane is' END AS problem
FROM pg_class AS class
LEFT JOIN pg_dist_partition AS placed ON placed.logicalrelid = class.oid
LEFT JOIN pg_dist_partition AS lane ON lane.logicalrelid = 'lane'::regclass
WHERE class.relnamespace = current_schema()::regnamespace AND class.relkind IN ('r', 'p')
    AND class.relname NOT IN (SELECT name FROM kept_local)
    -- n: a reference table, which is everywhere.
    AND (placed.logicalrelid IS NULL OR placed.partmethod <> 'n' AND placed.colocationid IS DISTINCT FROM lane.colocationid)
ORDER BY class.relname;
