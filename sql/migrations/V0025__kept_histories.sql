-- Reports of the whole service compute nothing beside kept histories again (decision 41). Since migration 3 the planner had merged what is
-- computed into the view, and so it was computed for every plant, and then not used.

CREATE OR REPLACE VIEW plant_history AS
SELECT plant.lane, plant.account_id, plant.id AS plant_id, account.time_zone, plant.removed_at, plant.cycle_days,
    plant.watering_count, plant.postponement_count, plant.due_on, plant.restored_on, kept.plant_id IS NOT NULL AS is_kept,
    coalesce(kept.in_time_count, computed.in_time_count) AS in_time_count,
    coalesce(kept.late_count, computed.late_count) AS late_count,
    coalesce(kept.unbroken_count, computed.unbroken_count) AS unbroken_count,
    coalesce(kept.longest_streak, computed.longest_streak) AS longest_streak,
    coalesce(kept.gap_count, computed.gap_count) AS gap_count,
    coalesce(kept.median_gap_days, computed.median_gap_days) AS median_gap_days,
    coalesce(kept.p90_gap_days, computed.p90_gap_days) AS p90_gap_days,
    account.day_end_minute, plant.pauses
FROM account
JOIN plant ON plant.lane = account.lane AND plant.account_id = account.id
-- Whatever changes a sum below also changes one of these. As rows, so that only the key is hashed.
LEFT JOIN plant_summary AS kept
    ON kept.lane = plant.lane AND kept.plant_id = plant.id
    AND (kept.watering_count, kept.postponement_count, kept.due_on, kept.restored_on)
        IS NOT DISTINCT FROM (plant.watering_count, plant.postponement_count, plant.due_on, plant.restored_on)
-- Nothing is computed where the row is kept: OFFSET 0 keeps this apart, and its first condition is asked before it reads anything.
LEFT JOIN LATERAL (
    SELECT now.* FROM plant_summary_now AS now
    WHERE kept.plant_id IS NULL AND now.lane = plant.lane AND now.plant_id = plant.id OFFSET 0
) AS computed ON true;
