-- Pushes, as long as the log is kept (CHERISH_RETENTION_DAYS). Nothing here knows what was dropped.

-- A job is delivered when the cursor has passed it, unless it has an outcome or a retry of its own: the cursor moves together
-- with the receipt. That saves looking for the receipt, which only tells when.
CREATE VIEW report.pushes AS
SELECT job.lane, plant.account_id, job.plant_id, job.kind,
    CASE job.kind
        WHEN 'review_missing' THEN (job.planned_at AT TIME ZONE coalesce(account.time_zone, 'UTC'))::date
        ELSE date '1970-01-01' + job.subject + (job.kind = 'withered')::integer END AS day,
    job.planned_at, job.recorded_at,
    coalesce(ended.outcome, CASE WHEN job.seq <= delivery.cursor_seq AND retry.seq IS NULL
        THEN 'delivered'::push_outcome_kind END) AS outcome,
    coalesce(ended.reason, CASE WHEN job.seq <= delivery.cursor_seq AND retry.seq IS NULL THEN 'sent' END) AS reason,
    coalesce(ended.finished_at, CASE WHEN retry.seq IS NULL THEN receipt.finished_at END) AS finished_at
FROM push_job AS job
JOIN lane_delivery AS delivery ON delivery.lane = job.lane
LEFT JOIN plant ON plant.lane = job.lane AND plant.id = job.plant_id
LEFT JOIN account ON account.lane = plant.lane AND account.id = plant.account_id
LEFT JOIN push_outcome AS ended
    ON ended.lane = job.lane AND ended.recorded_at = job.recorded_at AND ended.seq = job.seq
LEFT JOIN push_retry AS retry ON retry.lane = job.lane AND retry.seq = job.seq
LEFT JOIN (
    SELECT batch.lane, job.seq, batch.finished_at
    FROM push_receipt AS batch CROSS JOIN LATERAL generate_series(batch.from_seq, batch.to_seq) AS job (seq)
) AS receipt ON receipt.lane = job.lane AND receipt.seq = job.seq
UNION ALL
SELECT ended.lane, plant.account_id, ended.plant_id, ended.kind,
    CASE ended.kind
        WHEN 'review_missing' THEN (ended.planned_at AT TIME ZONE coalesce(account.time_zone, 'UTC'))::date
        ELSE date '1970-01-01' + ended.subject + (ended.kind = 'withered')::integer END,
    ended.planned_at, ended.recorded_at, ended.outcome, ended.reason, ended.finished_at
FROM occurrence_outcome AS ended
LEFT JOIN plant ON plant.lane = ended.lane AND plant.id = ended.plant_id
LEFT JOIN account ON account.lane = plant.lane AND account.id = plant.account_id;
