-- Waterings by day. The day is that of the contact, as the account told it; removed plants count (rule 8.4).

CREATE VIEW report.watering_daily AS
SELECT plant.lane, plant.account_id, watering.watered_on AS day, count(*) AS watering_count,
    count(DISTINCT plant.plant_id) AS plant_count,
    count(*) FILTER (WHERE watering.is_backdated) AS backdated_count,
    count(*) FILTER (WHERE watering.keywords <> '{}' OR watering.memo IS NOT NULL) AS reviewed_count
FROM report.plant_day AS plant
JOIN watering USING (lane, plant_id)
GROUP BY plant.lane, plant.account_id, watering.watered_on;
COMMENT ON VIEW report.watering_daily IS
    'Waterings per account and day, days without any left out. Removed plants count. For the service: service_watering_daily.';
COMMENT ON COLUMN report.watering_daily.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.watering_daily.account_id IS 'The account.';
COMMENT ON COLUMN report.watering_daily.day IS
    'The civil day of the contact in the account''s zone at that time, also where it was recorded later (rule 3.4).';
COMMENT ON COLUMN report.watering_daily.watering_count IS 'Waterings, several of a plant each on its own. [bar] [sparkline]';
COMMENT ON COLUMN report.watering_daily.plant_count IS
    'Plants watered: waterings without further ones of the same plant that day.';
COMMENT ON COLUMN report.watering_daily.backdated_count IS 'Those that were recorded on a later day (rule 3.4).';
COMMENT ON COLUMN report.watering_daily.reviewed_count IS 'Those that have keywords or a memo now.';

CREATE VIEW report.watering_by_method AS
SELECT plant.lane, plant.account_id, watering.watered_on AS day, watering.method, count(*) AS watering_count,
    count(*) FILTER (WHERE watering.keywords <> '{}' OR watering.memo IS NOT NULL) AS reviewed_count
FROM report.plant_day AS plant
JOIN watering USING (lane, plant_id)
GROUP BY plant.lane, plant.account_id, watering.watered_on, watering.method;
COMMENT ON VIEW report.watering_by_method IS
    'Waterings per account, day and contact method. Removed plants count. For the service: service_watering_by_method.';
COMMENT ON COLUMN report.watering_by_method.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.watering_by_method.account_id IS 'The account.';
COMMENT ON COLUMN report.watering_by_method.day IS 'The civil day of the contact in the account''s zone at that time.';
COMMENT ON COLUMN report.watering_by_method.method IS 'How the contact was made (rule 3.1).';
COMMENT ON COLUMN report.watering_by_method.watering_count IS 'Waterings by that method. [bar]';
COMMENT ON COLUMN report.watering_by_method.reviewed_count IS 'Those that have keywords or a memo now.';

CREATE VIEW report.service_watering_by_method AS
SELECT watered_on AS day, method, count(*) AS watering_count,
    count(*) FILTER (WHERE is_backdated) AS backdated_count,
    count(*) FILTER (WHERE keywords <> '{}' OR memo IS NOT NULL) AS reviewed_count
FROM watering
GROUP BY watered_on, method;
COMMENT ON VIEW report.service_watering_by_method IS
    'Waterings of all accounts per day and contact method. Removed plants count.';
COMMENT ON COLUMN report.service_watering_by_method.day IS
    'The civil day of the contact, of each account in its own zone: accounts far apart share a date, not 24 hours.';
COMMENT ON COLUMN report.service_watering_by_method.method IS 'How the contact was made (rule 3.1).';
COMMENT ON COLUMN report.service_watering_by_method.watering_count IS 'Waterings by that method. [bar]';
COMMENT ON COLUMN report.service_watering_by_method.backdated_count IS 'Those that were recorded on a later day (rule 3.4).';
COMMENT ON COLUMN report.service_watering_by_method.reviewed_count IS 'Those that have keywords or a memo now.';

CREATE VIEW report.service_watering_daily AS
SELECT day, sum(watering_count)::bigint AS watering_count, sum(backdated_count)::bigint AS backdated_count,
    sum(reviewed_count)::bigint AS reviewed_count
FROM report.service_watering_by_method
GROUP BY day;
COMMENT ON VIEW report.service_watering_daily IS 'Waterings of all accounts per day. Removed plants count.';
COMMENT ON COLUMN report.service_watering_daily.day IS 'The civil day of the contact, of each account in its own zone.';
COMMENT ON COLUMN report.service_watering_daily.watering_count IS 'Waterings. [bar] [sparkline]';
COMMENT ON COLUMN report.service_watering_daily.backdated_count IS 'Those that were recorded on a later day (rule 3.4).';
COMMENT ON COLUMN report.service_watering_daily.reviewed_count IS 'Those that have keywords or a memo now.';
