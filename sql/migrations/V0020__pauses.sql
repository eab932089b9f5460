-- Pauses of an account, a tag or a friend (rules 13.1 and 13.2, decision 63).

ALTER TYPE due_source ADD VALUE 'pause';
ALTER TYPE change_kind ADD VALUE 'pause';

CREATE TABLE pause (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    tag_id uuid,
    plant_id uuid,
    first_day date NOT NULL,
    last_day date NOT NULL,
    is_spread boolean NOT NULL,
    CONSTRAINT pause_pkey PRIMARY KEY (lane, id),
    CONSTRAINT pause_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT pause_tag_fkey FOREIGN KEY (lane, tag_id) REFERENCES tag (lane, id) ON DELETE CASCADE,
    CONSTRAINT pause_plant_fkey FOREIGN KEY (lane, plant_id) REFERENCES plant (lane, id) ON DELETE CASCADE,
    CONSTRAINT pause_scope CHECK (tag_id IS NULL OR plant_id IS NULL),
    CONSTRAINT pause_days CHECK (last_day BETWEEN first_day AND first_day + 365),
    CONSTRAINT pause_days_range CHECK (first_day >= '0001-01-01' AND last_day <= '9999-12-30')
);
COMMENT ON TABLE pause IS
    'Spans of days on which nothing is asked of an account, or of its friends with a tag, or of one friend, those that are over too '
    '(rule 13.1).';
COMMENT ON COLUMN pause.lane IS 'The account''s lane.';
COMMENT ON COLUMN pause.id IS 'A random id.';
COMMENT ON COLUMN pause.account_id IS 'The account.';
COMMENT ON COLUMN pause.tag_id IS 'The tag that it is for; null otherwise.';
COMMENT ON COLUMN pause.plant_id IS 'The friend that it is for; null otherwise. Without either it is for the whole account.';
COMMENT ON COLUMN pause.first_day IS 'The first day. [day]';
COMMENT ON COLUMN pause.last_day IS 'The last day, up to 365 days later; of a pause that was ended early the day before it was ended. [day]';
COMMENT ON COLUMN pause.is_spread IS 'Whether what is due on the first day after it is spread over the cycles (rule 13.2).';

CREATE INDEX pause_by_account ON pause (lane, account_id);
COMMENT ON INDEX pause_by_account IS 'Finds the pauses of an account.';
CREATE INDEX pause_by_tag ON pause (lane, tag_id);
COMMENT ON INDEX pause_by_tag IS 'Deletes the pauses of a tag with it.';
CREATE INDEX pause_by_plant ON pause (lane, plant_id);
COMMENT ON INDEX pause_by_plant IS 'Deletes the pauses of a friend with it.';

-- What is planned goes by the union of all pauses that count for a row, so the row has it.
ALTER TABLE account ADD COLUMN pauses date[] NOT NULL DEFAULT '{}';
ALTER TABLE account ADD CONSTRAINT account_pauses_pairs CHECK (cardinality(pauses) % 2 = 0);
COMMENT ON COLUMN account.pauses IS
    'When the whole account is paused: the first and the last day of each span, in order, with days between the spans (rule 13.1).';
ALTER TABLE plant ADD COLUMN original_due_on date;
ALTER TABLE plant ADD COLUMN pauses date[] NOT NULL DEFAULT '{}';
ALTER TABLE plant ADD COLUMN spread_days date[] NOT NULL DEFAULT '{}';
ALTER TABLE plant ADD CONSTRAINT plant_original_due_on_range CHECK (original_due_on BETWEEN '0001-01-01' AND '9999-12-31');
ALTER TABLE plant ADD CONSTRAINT plant_pauses_pairs CHECK (cardinality(pauses) % 2 = 0);
COMMENT ON COLUMN plant.original_due_on IS
    'The due date before a pause moved it; null where none has since it was set (rule 13.2).';
COMMENT ON COLUMN plant.pauses IS
    'When it is paused, by pauses of the account, of its tags and of its own: the first and the last day of each span, in order, '
    'with days between the spans (rule 13.1).';
COMMENT ON COLUMN plant.spread_days IS 'Days after such spans on which what is due is spread over the cycles (rule 13.2).';

-- By the label, because no value can be used in the transaction that adds it.
ALTER TABLE cycle_change DROP CONSTRAINT cycle_change_source;
ALTER TABLE cycle_change ADD CONSTRAINT cycle_change_source CHECK (source::text IN ('registration', 'edit', 'pause'));
ALTER TABLE cycle_change ADD COLUMN withers_on date;
ALTER TABLE cycle_change ADD CONSTRAINT cycle_change_withers_on_range CHECK (withers_on BETWEEN due_on AND due_on + 100000);
COMMENT ON COLUMN cycle_change.source IS
    'Registration (or restoration), or an edit; or a pause, which moved the due date that something else had set (rule 13.2).';
COMMENT ON COLUMN cycle_change.withers_on IS
    'The first day on which the plant would be withered, where a pause puts it off; null means the day after the due date.';

-- MARK: Days

CREATE FUNCTION unpaused_day(day date, pauses date[]) RETURNS date
    -- Hardly any plant has pauses.
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1 AS $$
BEGIN
    FOR place IN 1..cardinality(pauses) BY 2 LOOP
        IF day BETWEEN pauses[place] AND pauses[place + 1] THEN
            RETURN pauses[place + 1] + 1;
        END IF;
    END LOOP;
    RETURN day;
END
$$;
COMMENT ON FUNCTION unpaused_day(date, date[]) IS 'The day itself, or the first one after the pause that it belongs to.';

CREATE FUNCTION withers_on(due_on date, pauses date[]) RETURNS date IMMUTABLE PARALLEL SAFE COST 1
RETURN CASE pauses WHEN '{}' THEN due_on + 1 ELSE unpaused_day(due_on + 1, pauses) END;
COMMENT ON FUNCTION withers_on(date, date[]) IS
    'The first day on which a plant is withered unless it is watered: the first unpaused one after the due date (rules 2.2 and 13.1).';

-- As before, but a watering is late from the day on which the plant has withered.
CREATE OR REPLACE VIEW plant_summary_now AS
SELECT plant.lane, plant.id AS plant_id, plant.watering_count, plant.postponement_count, plant.due_on, plant.restored_on,
    streak.in_time_count, streak.late_count, streak.unbroken_count, streak.longest_streak,
    rhythm.gap_count, rhythm.median_gap_days, rhythm.p90_gap_days
FROM plant
-- Its due dates in the order in which they were set, of which two at one instant come only from a fixed --now: first what
-- cycle_change holds, then postponements, then waterings. Of the waterings the first of each day.
CROSS JOIN LATERAL (
    SELECT (count(*) FILTER (WHERE NOT is_late))::integer AS in_time_count,
        (count(*) FILTER (WHERE is_late))::integer AS late_count,
        (coalesce(max(place), 0) - coalesce(max(place) FILTER (WHERE is_late), 0))::integer AS unbroken_count,
        coalesce(max(place - late_place), 0)::integer AS longest_streak
    FROM (
        SELECT *, coalesce(max(place) FILTER (WHERE is_late) OVER (ORDER BY place), 0) AS late_place
        FROM (
            SELECT is_late, row_number() OVER (ORDER BY set_at, number) AS place
            FROM (
                SELECT set_at, number, coalesce(watered_on >= withers_on_before, false) AS is_late,
                    watered_on IS DISTINCT FROM lag(watered_on) OVER (ORDER BY set_at, number) AS is_first_of_day
                FROM (
                    SELECT *, lag(withers_on) OVER (ORDER BY set_at, place, number) AS withers_on_before
                    FROM (
                        SELECT watering.recorded_at AS set_at, 3 AS place, watering.number, watering.watered_on,
                            watering.due_on + 1 AS withers_on
                        FROM watering
                        WHERE watering.lane = plant.lane AND watering.plant_id = plant.id AND watering.due_on IS NOT NULL
                        UNION ALL
                        SELECT postponed.postponed_at, 2, postponed.number, NULL, postponed.due_on + 1
                        FROM postponement AS postponed
                        WHERE postponed.lane = plant.lane AND postponed.plant_id = plant.id
                        UNION ALL
                        SELECT changed.changed_at, 1, 0, NULL, coalesce(changed.withers_on, changed.due_on + 1)
                        FROM cycle_change AS changed
                        WHERE changed.lane = plant.lane AND changed.plant_id = plant.id
                    ) AS event
                ) AS due_date
                WHERE watered_on IS NOT NULL
            ) AS watering
            WHERE is_first_of_day
        ) AS judged
    ) AS judged
) AS streak
-- The day on which a removed plant was brought back parts the days before from those after: the time between is no gap.
CROSS JOIN LATERAL (
    SELECT count(*)::integer AS gap_count,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY gap_days) AS median_gap_days,
        percentile_cont(0.9) WITHIN GROUP (ORDER BY gap_days) AS p90_gap_days
    FROM (
        SELECT CASE WHEN is_watering AND lag(is_watering) OVER so_far THEN day - lag(day) OVER so_far END AS gap_days
        FROM (
            SELECT watering.watered_on AS day, true AS is_watering FROM watering
            WHERE watering.lane = plant.lane AND watering.plant_id = plant.id
            UNION ALL
            SELECT changed.due_on - changed.cycle_days, false FROM cycle_change AS changed
            WHERE changed.lane = plant.lane AND changed.plant_id = plant.id AND changed.source = 'registration'
        ) AS event
        WINDOW so_far AS (ORDER BY day, is_watering)
    ) AS contact
    WHERE gap_days > 0
) AS rhythm;

CREATE OR REPLACE VIEW plant_history AS
SELECT plant.lane, plant.account_id, plant.id AS plant_id, account.time_zone, plant.removed_at, plant.cycle_days,
    plant.watering_count, plant.postponement_count, plant.due_on, plant.restored_on, kept.plant_id IS NOT NULL AS is_kept,
    coalesce(kept.in_time_count, computed.in_time_count) AS in_time_count,
    coalesce(kept.late_count, computed.late_count) AS late_count,
    coalesce(kept.unbroken_count, computed.unbroken_count) AS unbroken_count,
    coalesce(kept.longest_streak, computed.longest_streak) AS longest_streak,
    coalesce(kept.gap_count, computed.gap_count) AS gap_count,
    coalesce(kept.median_gap_days, computed.median_gap_days) AS median_gap_days,
    coalesce(kept.p90_gap_days, computed.p90_gap_days) AS p90_gap_days, account.day_end_minute,
    plant.pauses
FROM account
JOIN plant ON plant.lane = account.lane AND plant.account_id = account.id
-- Whatever changes a sum below also changes one of these.
LEFT JOIN plant_summary AS kept
    ON kept.lane = plant.lane AND kept.plant_id = plant.id
    AND kept.watering_count = plant.watering_count AND kept.postponement_count = plant.postponement_count
    AND kept.due_on = plant.due_on AND kept.restored_on IS NOT DISTINCT FROM plant.restored_on
-- Nothing is computed where the row is kept.
LEFT JOIN LATERAL (
    SELECT now.* FROM plant_summary_now AS now
    WHERE kept.plant_id IS NULL AND now.lane = plant.lane AND now.plant_id = plant.id
) AS computed ON true;
COMMENT ON COLUMN plant_history.pauses IS 'When the plant is paused: the first and the last day of each span, in order.';

-- MARK: Deleting

CREATE FUNCTION delete_pauses(lane smallint, account_id uuid, ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM pause WHERE pause.lane = $1 AND pause.account_id = $2 AND pause.id = ANY ($3);
END
$$;
COMMENT ON FUNCTION delete_pauses(smallint, uuid, uuid[]) IS 'Deletes pauses of an account that never began, or are long over.';

CREATE OR REPLACE FUNCTION tables_of_account() RETURNS TABLE (table_name text, link text) LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    VALUES
        ('account', 'id'), ('account_email', 'account_id'), ('account_identity', 'account_id'),
        ('account_password', 'account_id'), ('account_phone', 'account_id'), ('account_picture', 'account_id'),
        ('account_session', 'account_id'), ('verification_code', 'account_id'), ('idempotent_request', 'account_id'),
        ('device', 'account_id'), ('device_token', 'account_id'), ('push_action', 'account_id'), ('plant', 'account_id'),
        ('tag', 'account_id'), ('import_batch', 'account_id'), ('sent_push', 'account_id'), ('watering', 'plant_id'),
        ('postponement', 'plant_id'), ('cycle_change', 'plant_id'), ('affection_entry', 'plant_id'),
        ('plant_tag', 'plant_id'), ('import_change', 'batch_id'), ('push_device_outcome', 'device_id'),
        ('thing', 'account_id'), ('thing_completion', 'account_id'), ('thing_tag', 'account_id'),
        ('tombstone', 'account_id'), ('thing_share', 'account_id'), ('calendar_feed', 'account_id'),
        ('shopping_list', 'account_id'), ('helped_list', 'account_id'), ('list_news', 'account_id'),
        ('helper_rating', 'account_id'), ('account_block', 'account_id'), ('list_report', 'account_id'),
        ('list_measure', 'account_id'), ('list_receipt', 'account_id'), ('account_change_head', 'account_id'),
        ('account_change', 'account_id'), ('edited_item', 'account_id'), ('pause', 'account_id');
END;

-- MARK: What a session for one account sees

CREATE VIEW garden.pause WITH (security_barrier) AS
SELECT * FROM pause
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;
COMMENT ON VIEW garden.pause IS 'The account''s part of pause.';

-- The columns of a view are those of its table when it was made.
CREATE OR REPLACE VIEW garden.account WITH (security_barrier) AS
SELECT * FROM account
WHERE lane = (SELECT garden.account_lane()) AND id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;
CREATE OR REPLACE VIEW garden.plant WITH (security_barrier) AS
SELECT * FROM plant
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;
CREATE OR REPLACE VIEW garden.cycle_change WITH (security_barrier) AS
SELECT * FROM cycle_change
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = cycle_change.lane AND plant.id = cycle_change.plant_id)
WITH CASCADED CHECK OPTION;

CREATE FUNCTION garden.delete_pauses(lane smallint, account_id uuid, ids uuid[]) RETURNS void SECURITY DEFINER
RETURN delete_pauses(lane, account_id, ids);

DO $$
DECLARE
    signature text := 'delete_pauses(smallint, uuid, uuid[])';
    shown record;
BEGIN
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s, garden.%s FROM PUBLIC', signature, signature);
    -- It sees only the views of the garden, and so the rows of one account.
    EXECUTE format('ALTER FUNCTION garden.%s SET search_path = garden, %I, pg_temp', signature, current_schema());
    EXECUTE format('COMMENT ON FUNCTION garden.%s IS %L', signature, 'The same for the account that the session acts for.');
    -- Views call it for whoever reads them.
    EXECUTE format('ALTER FUNCTION unpaused_day(date, date[]) SET search_path = %I, pg_temp', current_schema());
    REVOKE EXECUTE ON FUNCTION unpaused_day(date, date[]), withers_on(date, date[]) FROM PUBLIC;
    FOR shown IN
        SELECT base.relname, field.attname, col_description(base.oid, field.attnum) AS comment
        FROM pg_class AS base
        JOIN pg_attribute AS field ON field.attrelid = base.oid AND field.attnum > 0 AND NOT field.attisdropped
        WHERE base.relnamespace = current_schema()::regnamespace AND (base.relname = 'pause'
            OR (base.relname, field.attname) IN (
                ('account', 'pauses'), ('plant', 'original_due_on'), ('plant', 'pauses'), ('plant', 'spread_days'),
                ('cycle_change', 'source'), ('cycle_change', 'withers_on')))
    LOOP
        EXECUTE format('COMMENT ON COLUMN garden.%I.%I IS %L', shown.relname, shown.attname, shown.comment);
    END LOOP;
END
$$;
