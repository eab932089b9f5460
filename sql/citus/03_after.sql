-- Run once after 01_distribute.sql, when 02_check.sql finds nothing:
-- psql -v ON_ERROR_STOP=1 -d DATABASE -f sql/citus/03_after.sql
-- Then: cherish database migrate; cherish database roles; start workers as a member of cherish_app.

-- What lay on the coordinator before still takes room there, hidden beneath the distributed tables.
SELECT truncate_local_data_after_distributing_table(logicalrelid)
FROM pg_dist_partition WHERE partmethod = 'h' AND logicalrelid NOT IN (SELECT inhrelid FROM pg_inherits);

-- Made anew by cherish database migrate: functions and views that were there before Citus are unknown to the nodes.
DROP SCHEMA IF EXISTS report CASCADE;

ANALYZE;
