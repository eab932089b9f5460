-- Partitions are made for programs that do not own the tables (migration 5): only those that belong there, so that no program
-- can bring in one that keeps others from being made.

CREATE OR REPLACE FUNCTION make_partition(parent text, unit text, instant timestamptz) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    first timestamptz := date_trunc(unit, instant AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
    after timestamptz := (date_trunc(unit, instant AT TIME ZONE 'UTC') + ('1 ' || unit)::interval) AT TIME ZONE 'UTC';
    child text := parent || to_char(first AT TIME ZONE 'UTC', CASE unit WHEN 'month' THEN '_YYYYMM' ELSE '_YYYYMMDD' END);
BEGIN
    IF (parent, unit) NOT IN (
        ('occurrence', 'month'), ('occurrence_outcome', 'day'), ('push_job', 'day'), ('push_outcome', 'day'),
        ('push_receipt', 'day'), ('push_device_outcome', 'day'), ('push_notice', 'day')
    ) THEN
        RAISE EXCEPTION '% has no partitions by %', parent, unit USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF instant < '2000-01-01T00:00:00Z' OR instant >= '2100-01-01T00:00:00Z' THEN
        RAISE EXCEPTION 'no partition is made for %; look at the clocks', instant USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- One at a time: two programs may need the same partition at once.
    PERFORM pg_advisory_xact_lock(hashtextextended('cherish partition ' || parent, 0));
    IF to_regclass(quote_ident(child)) IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING COMMENTS)', child, parent);
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, child, first, after);
END
$$;
COMMENT ON FUNCTION make_partition(text, text, timestamptz) IS
    'Makes the partition of a table of the calendar or the log for the month or day of an instant, if it is missing.';

-- All that a session needs that acts for one account: a command that plans something far ahead.
CREATE FUNCTION make_calendar_partition(instant timestamptz) RETURNS void
    LANGUAGE sql SECURITY DEFINER AS $$
    SELECT make_partition('occurrence', 'month', instant)
$$;
REVOKE EXECUTE ON FUNCTION make_calendar_partition(timestamptz) FROM PUBLIC;
COMMENT ON FUNCTION make_calendar_partition(timestamptz) IS
    'Makes the partition of the calendar for the month of an instant, if it is missing.';

-- Only the programs make what the log needs, too.
REVOKE EXECUTE ON FUNCTION make_log_partitions(timestamptz) FROM PUBLIC;

DO $$
BEGIN
    EXECUTE format(
        'ALTER FUNCTION make_partition(text, text, timestamptz) SET search_path = %I, pg_temp', current_schema());
    EXECUTE format(
        'ALTER FUNCTION make_calendar_partition(timestamptz) SET search_path = %I, pg_temp', current_schema());
END
$$;
