-- The outcomes of pushes lie in months, not in days: the first report of a connection has to learn every partition (decision 66).

CREATE OR REPLACE FUNCTION make_partition(parent text, unit text, instant timestamptz) RETURNS void
    -- The bounds are written and read according to the session's settings, and the caller may be anybody.
    LANGUAGE plpgsql SECURITY DEFINER SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
DECLARE
    first timestamptz := date_trunc(unit, instant AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
    after timestamptz := (date_trunc(unit, instant AT TIME ZONE 'UTC') + ('1 ' || unit)::interval) AT TIME ZONE 'UTC';
    child text := parent || to_char(first AT TIME ZONE 'UTC', CASE unit WHEN 'month' THEN '_YYYYMM' ELSE '_YYYYMMDD' END);
    -- With its schema, so that a temporary table of the caller is not meant.
    place text := quote_ident(current_schema()) || '.' || quote_ident(child);
BEGIN
    IF (parent, unit) NOT IN (
        ('occurrence', 'month'), ('occurrence_outcome', 'day'), ('push_job', 'day'), ('push_outcome', 'day'),
        ('push_outcome', 'month'), ('push_receipt', 'day'), ('push_device_outcome', 'day'), ('sent_push', 'day')
    ) THEN
        RAISE EXCEPTION '% has no partitions by %', parent, unit USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF instant < '2000-01-01T00:00:00Z' OR instant >= '2100-01-01T00:00:00Z' THEN
        RAISE EXCEPTION 'no partition is made for %; look at the clocks', instant USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF to_regclass(place) IS NOT NULL THEN
        RETURN;
    END IF;
    -- One at a time: two programs may need the same partition at once.
    EXECUTE format('LOCK TABLE %I IN SHARE UPDATE EXCLUSIVE MODE', parent);
    IF to_regclass(place) IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format('CREATE TABLE %s (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING COMMENTS)', place, parent);
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', parent, place, first, after);
END
$$;

CREATE OR REPLACE FUNCTION make_log_partitions(instant timestamptz) RETURNS void
    LANGUAGE sql AS $$
    SELECT make_partition(parent, 'day', instant)
    FROM unnest(ARRAY['occurrence_outcome', 'push_job', 'push_receipt', 'push_device_outcome', 'sent_push']) AS parent;
    -- A month that a release before this one began by day continues by day.
    SELECT make_partition('push_outcome', CASE WHEN EXISTS (
        SELECT 1 FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
        WHERE inhparent = 'push_outcome'::regclass
            AND relname ~ to_char(instant AT TIME ZONE 'UTC', '"^push_outcome_"YYYYMM"[0-9]{2}$"')
    ) THEN 'day' ELSE 'month' END, instant)
$$;
COMMENT ON FUNCTION make_log_partitions(timestamptz) IS
    'Makes the partitions of the log for the day of an instant, and that of the outcomes for its month, if they are missing.';

CREATE OR REPLACE FUNCTION drop_partition(partition text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '100ms' AS $$
BEGIN
    IF partition !~ ('^((push_(job|outcome|receipt|device_outcome)|sent_push|occurrence_outcome)_[0-9]{8}'
        '|(push_outcome|occurrence)_[0-9]{6})$')
    THEN
        RAISE EXCEPTION '% is no partition of the calendar or the log', partition USING ERRCODE = 'invalid_parameter_value';
    END IF;
    EXECUTE format('DROP TABLE IF EXISTS %I', partition);
END
$$;

DO $$
DECLARE
    signature text;
BEGIN
    FOREACH signature IN ARRAY ARRAY['make_partition(text, text, timestamptz)', 'drop_partition(text)'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', signature, current_schema());
    END LOOP;
END
$$;
