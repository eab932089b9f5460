-- Run once after 01_distribute.sql, by the owner of the database, when 02_check.sql finds nothing:
-- psql -v ON_ERROR_STOP=1 -d DATABASE -f sql/citus/03_after.sql
-- Then: cherish database migrate; cherish database roles; start workers as a member of cherish_app.

-- Its notices name every table and view.
SET client_min_messages = warning;

-- What lay on the coordinator before still takes room there, hidden beneath the distributed tables.
SELECT truncate_local_data_after_distributing_table(logicalrelid)
FROM pg_dist_partition WHERE partmethod = 'h' AND logicalrelid NOT IN (SELECT inhrelid FROM pg_inherits);

-- Made anew by cherish database migrate: functions and views that were there before Citus are unknown to the nodes.
DROP SCHEMA IF EXISTS report CASCADE;

ANALYZE;

-- SET LOCAL reaches the nodes, and with it what the reports take for now (cherish.now). A look at all lanes asks each node over the
-- connection that is open: by default Citus opens further ones each time, which takes longer than the answers. An analyst on
-- large nodes may raise it for a session. By default Citus waits half a minute for a node that does not answer, and the worker's
-- other lanes wait with it.
DO $$
BEGIN
    EXECUTE format('ALTER DATABASE %I SET citus.propagate_set_commands = ''local''', current_database());
    EXECUTE format('ALTER DATABASE %I SET citus.max_adaptive_executor_pool_size = 1', current_database());
    EXECUTE format('ALTER DATABASE %I SET citus.node_connection_timeout = ''2s''', current_database());
END
$$;

-- Views over distributed tables cannot be written, and the setting that names the account would not reach every row: whoever
-- asks the schema garden is told so instead of finding no rows. The programs bind the account in every statement themselves.
CREATE OR REPLACE FUNCTION garden.account_id() RETURNS uuid LANGUAGE plpgsql STABLE AS $$
BEGIN
    RAISE EXCEPTION 'the schema garden is not available on Citus' USING ERRCODE = 'feature_not_supported',
        HINT = 'Let the program log in as a member of cherish_app; it binds the account itself.';
END
$$;
