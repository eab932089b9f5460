-- What programs need that do not own the tables (cherish database roles): partitions are made and dropped on their behalf.

ALTER FUNCTION make_partition(text, text, timestamptz) SECURITY DEFINER;
REVOKE EXECUTE ON FUNCTION make_partition(text, text, timestamptz) FROM PUBLIC;

-- The owner detaches a partition beside its readers (DETACH ... CONCURRENTLY), which no function can do. This one needs the
-- whole table for a moment, and gives up soon, so that nobody waits behind it for long.
CREATE FUNCTION drop_partition(partition text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '100ms' AS $$
BEGIN
    IF partition !~ '^(push_(job|outcome|receipt|device_outcome|notice)_[0-9]{8}|occurrence_(outcome_[0-9]{8}|[0-9]{6}))$' THEN
        RAISE EXCEPTION '% is no partition of the calendar or the log', partition USING ERRCODE = 'invalid_parameter_value';
    END IF;
    EXECUTE format('DROP TABLE IF EXISTS %I', partition);
END
$$;
REVOKE EXECUTE ON FUNCTION drop_partition(text) FROM PUBLIC;
COMMENT ON FUNCTION drop_partition(text) IS
    'Drops a partition of the calendar or the log, attached or not, for programs that do not own it.';

-- Names are looked up where the tables are, and never among the temporary tables of whoever calls.
DO $$
BEGIN
    EXECUTE format(
        'ALTER FUNCTION make_partition(text, text, timestamptz) SET search_path = %I, pg_temp', current_schema());
    EXECUTE format('ALTER FUNCTION drop_partition(text) SET search_path = %I, pg_temp', current_schema());
END
$$;
