-- Who stays. An account's weeks are kept as bits while they are gathered: pairs of account and week would have to be sorted.
-- OFFSET 0 has the day of registration told once for each plant, not for each watering, and all waterings read in one go.

CREATE VIEW report.cohort_retention AS
SELECT cohort.cohort_week, week.number AS week_number, cohort.account_count, coalesce(active.account_count, 0) AS active_count,
    coalesce(active.account_count, 0)::double precision / cohort.account_count AS retention,
    cohort.days_of_youngest >= 7 * week.number + 7 AS is_complete
FROM (
    SELECT registered_on - extract(isodow FROM registered_on)::integer + 1 AS cohort_week, count(*) AS account_count,
        max(today - registered_on) AS days_of_oldest, min(today - registered_on) AS days_of_youngest
    FROM report.account_day
    GROUP BY 1
) AS cohort
CROSS JOIN LATERAL generate_series(0, least(cohort.days_of_oldest / 7, 521)) AS week (number)
LEFT JOIN (
    SELECT cohort_week, week.number, count(*) AS account_count
    FROM (
        SELECT registered_on - extract(isodow FROM registered_on)::integer + 1 AS cohort_week, today - registered_on AS days,
            bit_or(set_bit(repeat('0', 522)::bit(522),
                least(greatest((watering.watered_on - registered_on) / 7, 0), 521), 1)) AS weeks
        FROM (
            SELECT day.lane, day.account_id, day.registered_on, day.today, plant.id AS plant_id
            FROM report.account_day AS day
            JOIN plant ON plant.lane = day.lane AND plant.account_id = day.account_id
            OFFSET 0
        ) AS plant
        JOIN watering USING (lane, plant_id)
        GROUP BY lane, account_id, registered_on, today
    ) AS account
    CROSS JOIN LATERAL generate_series(0, least(account.days / 7, 521)) AS week (number)
    WHERE get_bit(account.weeks, week.number) = 1
    GROUP BY cohort_week, week.number
) AS active ON active.cohort_week = cohort.cohort_week AND active.number = week.number;
COMMENT ON VIEW report.cohort_retention IS
    'Of the accounts that were added in one week, how many watered in their first week, their second and so on. Removed plants '
    'count.';
COMMENT ON COLUMN report.cohort_retention.cohort_week IS
    'The Monday of the civil week in which the accounts were added, each in its own zone. [day] [descending]';
COMMENT ON COLUMN report.cohort_retention.week_number IS
    'Full weeks since the account was added, from 0 to those of the oldest account; the 521st takes all that follow. [ascending]';
COMMENT ON COLUMN report.cohort_retention.account_count IS 'Accounts of the cohort that are still here; erased ones are not.';
COMMENT ON COLUMN report.cohort_retention.active_count IS 'Those with at least one watering in that week of theirs.';
COMMENT ON COLUMN report.cohort_retention.retention IS 'Active accounts divided by accounts, 0-1. [bar]';
COMMENT ON COLUMN report.cohort_retention.is_complete IS 'Whether that week is over for every account of the cohort.';
