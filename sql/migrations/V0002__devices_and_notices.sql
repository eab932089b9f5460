-- Pushes to devices: what each device's provider said, which tokens are dead, and what an account was told today, so that
-- pushes of one minute are combined and a day has no more of them than an account can bear.

ALTER TABLE device
    ADD COLUMN secret text,
    ADD COLUMN retired_at timestamptz,
    ADD COLUMN retired_reason text,
    ADD CONSTRAINT device_retirement_is_whole CHECK ((retired_at IS NULL) = (retired_reason IS NULL)),
    ADD CONSTRAINT device_secret_is_for_webhooks CHECK (secret IS NULL OR platform = 'webhook');
-- Webhooks that were added before are signed from now on.
UPDATE device SET secret = 'whsec_' || encode(decode(
    replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'), 'base64')
WHERE platform = 'webhook';
COMMENT ON COLUMN device.secret IS 'With what a webhook''s pushes are signed, whsec_ and Base64; null for other platforms.';
COMMENT ON COLUMN device.retired_at IS 'Since when nothing is sent to it, by the engine''s now; null while it lives.';
COMMENT ON COLUMN device.retired_reason IS 'What its provider said, or not_refreshed.';

CREATE TYPE device_outcome AS ENUM ('accepted', 'failed', 'refused', 'token_dead');
COMMENT ON TYPE device_outcome IS
    'What came of sending to one device: taken, to be tried again, never to be taken, or the device is gone.';

CREATE TABLE push_device_outcome (
    lane smallint NOT NULL,
    recorded_at timestamptz NOT NULL,
    seq bigint NOT NULL,
    device_id uuid NOT NULL,
    outcome device_outcome NOT NULL,
    reason text NOT NULL,
    attempts integer NOT NULL,
    finished_at timestamptz NOT NULL,
    CONSTRAINT push_device_outcome_pkey PRIMARY KEY (lane, recorded_at, seq, device_id),
    CONSTRAINT push_device_outcome_attempts_from_one CHECK (attempts >= 1)
) PARTITION BY RANGE (recorded_at);
COMMENT ON TABLE push_device_outcome IS
    'What the provider of each device said of a job, the last time it was asked. By day of the job''s recording.';
COMMENT ON COLUMN push_device_outcome.lane IS 'The lane.';
COMMENT ON COLUMN push_device_outcome.recorded_at IS 'When the job was recorded.';
COMMENT ON COLUMN push_device_outcome.seq IS 'The job.';
COMMENT ON COLUMN push_device_outcome.device_id IS 'The device; it may have been removed since.';
COMMENT ON COLUMN push_device_outcome.outcome IS 'What came of it.';
COMMENT ON COLUMN push_device_outcome.reason IS 'The provider''s status and code, or why it gave no answer.';
COMMENT ON COLUMN push_device_outcome.attempts IS 'How often the provider was asked to take the job to this device.';
COMMENT ON COLUMN push_device_outcome.finished_at IS 'When it last was, by the engine''s now.';

CREATE TABLE push_notice (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    recorded_at timestamptz NOT NULL,
    collapse_id text NOT NULL,
    told_on date NOT NULL,
    plant_ids uuid[] NOT NULL,
    CONSTRAINT push_notice_pkey PRIMARY KEY (lane, account_id, recorded_at, collapse_id),
    CONSTRAINT push_notice_collapse_id_length CHECK (octet_length(collapse_id) BETWEEN 1 AND 64)
) PARTITION BY RANGE (recorded_at);
COMMENT ON TABLE push_notice IS
    'The pushes that reached a device of an account: what is about the same minute is not sent again, and a day is counted.';
COMMENT ON COLUMN push_notice.lane IS 'The account''s lane.';
COMMENT ON COLUMN push_notice.account_id IS 'The account; its notices are erased with it.';
COMMENT ON COLUMN push_notice.recorded_at IS 'When the job was recorded with which it went.';
COMMENT ON COLUMN push_notice.collapse_id IS 'Kind and minute, or the digest of a day: a phone shows one push with it.';
COMMENT ON COLUMN push_notice.told_on IS 'The civil day in the account''s zone on which it was sent.';
COMMENT ON COLUMN push_notice.plant_ids IS 'The plants that it spoke of.';

CREATE OR REPLACE FUNCTION make_log_partitions(instant timestamptz) RETURNS void
    LANGUAGE sql AS $$
    SELECT make_partition(parent, 'day', instant)
    FROM unnest(ARRAY[
        'occurrence_outcome', 'push_job', 'push_outcome', 'push_receipt', 'push_device_outcome', 'push_notice'
    ]) AS parent
$$;

-- What has room for a job has room for all that is recorded about it.
SELECT make_log_partitions(to_date(right(partition.relname, 8), 'YYYYMMDD')::timestamp AT TIME ZONE 'UTC')
FROM pg_inherits JOIN pg_class AS partition ON partition.oid = pg_inherits.inhrelid
WHERE pg_inherits.inhparent = 'push_job'::regclass;
