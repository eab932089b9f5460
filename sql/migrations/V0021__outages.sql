-- Outages, and the plants that they excuse (rule 13.3, decision 64).

ALTER TYPE due_source ADD VALUE 'outage';

-- Neither table has a foreign key to lane: its check would wait for a command that holds a lane, and pushes of all lanes with it.
CREATE TABLE lane_watch (
    lane smallint NOT NULL,
    seen_at timestamptz NOT NULL,
    CONSTRAINT lane_watch_pkey PRIMARY KEY (lane),
    CONSTRAINT lane_watch_seen_at_range CHECK (seen_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z')
);
COMMENT ON TABLE lane_watch IS
    'When a worker last found nothing overdue in each lane. A lane that no worker has looked at yet has no row.';
COMMENT ON COLUMN lane_watch.lane IS 'The lane, 0-255.';
COMMENT ON COLUMN lane_watch.seen_at IS 'When, by the engine''s now; noted about once a minute.';

CREATE TABLE outage (
    lane smallint NOT NULL,
    began_at timestamptz NOT NULL,
    cause text NOT NULL,
    ended_at timestamptz,
    excused_after uuid,
    excused_count integer NOT NULL DEFAULT 0,
    excused_at timestamptz,
    CONSTRAINT outage_pkey PRIMARY KEY (lane, began_at, cause),
    CONSTRAINT outage_cause CHECK (cause IN ('engine', 'apple', 'google', 'browsers', 'declared')),
    CONSTRAINT outage_order CHECK (ended_at >= began_at),
    CONSTRAINT outage_excused_is_over CHECK (excused_at IS NULL OR ended_at IS NOT NULL),
    CONSTRAINT outage_excused_count_range CHECK (excused_count >= 0),
    CONSTRAINT outage_began_at_range CHECK (began_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'),
    CONSTRAINT outage_ended_at_range CHECK (ended_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'),
    CONSTRAINT outage_excused_at_range CHECK (
        excused_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z')
);
COMMENT ON TABLE outage IS
    'When the pushes of a lane could not leave: an outage is one if it took more than 30 minutes, or an operator declared it '
    '(rule 13.3).';
COMMENT ON COLUMN outage.lane IS 'The lane, 0-255.';
COMMENT ON COLUMN outage.began_at IS
    'When it began: when a worker had last seen the lane, or when a provider first took none of its pushes.';
COMMENT ON COLUMN outage.cause IS
    'engine: no worker scheduled the lane; apple, google, browsers: that provider took no push; declared: by an operator.';
COMMENT ON COLUMN outage.ended_at IS 'When pushes left again; null while it lasts.';
COMMENT ON COLUMN outage.excused_after IS 'The last plant that was looked at; null before the first.';
COMMENT ON COLUMN outage.excused_count IS 'How many plants it has excused.';
COMMENT ON COLUMN outage.excused_at IS 'When all plants had been looked at; null before.';

CREATE INDEX outage_unexcused ON outage (lane) WHERE excused_at IS NULL;
COMMENT ON INDEX outage_unexcused IS 'Finds the outages that last, and those whose plants are still to be excused.';

-- By the label, because no value can be used in the transaction that adds it.
ALTER TABLE cycle_change DROP CONSTRAINT cycle_change_source;
ALTER TABLE cycle_change ADD CONSTRAINT cycle_change_source CHECK (
    source::text IN ('registration', 'edit', 'pause', 'outage'));
COMMENT ON COLUMN cycle_change.source IS
    'Registration (or restoration), or an edit; a pause, which moved the due date that something else had set (rule 13.2); or an '
    'outage, which moved it because its push could not leave (rule 13.3), as of the instant of that push.';

DO $$
BEGIN
    EXECUTE format(
        'COMMENT ON COLUMN garden.cycle_change.source IS %L',
        col_description('cycle_change'::regclass, (
            SELECT attnum FROM pg_attribute WHERE attrelid = 'cycle_change'::regclass AND attname = 'source')));
END
$$;
