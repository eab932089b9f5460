-- Who stays. The weeks of each account are kept, and computed only where it has watered since: see account_history. OFFSET 0
-- has the day of registration told once for each account, not for each of its weeks.

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
    SELECT cohort_week, number, count(*) AS account_count
    FROM (
        SELECT cohort_week, unnest(active_weeks) AS number
        FROM (
            SELECT registered_on - extract(isodow FROM registered_on)::integer + 1 AS cohort_week, active_weeks
            FROM account_history
            CROSS JOIN LATERAL report.civil_day(created_at, time_zone) AS registered_on
            OFFSET 0
        ) AS account
    ) AS account
    GROUP BY cohort_week, number
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
