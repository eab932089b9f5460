-- The way back to plain PostgreSQL: run on the restored database, by the owner of its tables (docs/operating.md):
-- psql -v ON_ERROR_STOP=1 -d DATABASE -f sql/citus/04_leave.sql
-- Then: cherish database migrate; cherish database roles.

-- As migration 1 made it, before 03_after.sql replaced it.
CREATE OR REPLACE FUNCTION garden.account_id() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('cherish.account', true), '')::uuid;
