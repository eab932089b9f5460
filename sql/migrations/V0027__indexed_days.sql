-- Reports about an account's pushes find them by an index in each day that has ended (decision 69).

CREATE FUNCTION index_day(partition text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '1s' AS $$
BEGIN
    IF partition !~ '^push_job_[0-9]{8}$' THEN
        RAISE EXCEPTION '% is no day of pushes', partition USING ERRCODE = 'invalid_parameter_value';
    END IF;
    EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I (lane, account_id)', partition || '_account', partition);
END
$$;
COMMENT ON FUNCTION index_day(text) IS
    'Indexes the pushes of a day by account, for programs that do not own it. Only for days to which nobody adds any more.';

REVOKE EXECUTE ON FUNCTION index_day(text) FROM PUBLIC;
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION index_day(text) SET search_path = %I, pg_temp', current_schema());
END
$$;
