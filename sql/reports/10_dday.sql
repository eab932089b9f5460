-- The garden as it is today.

CREATE VIEW report.dday AS
SELECT lane, account_id, plant_id, species, cycle_days, planted_on, restored_on, last_watered_on, due_on, due_source, today,
    due_on - today AS days_left,
    CASE WHEN due_on > today THEN 'D-' || (due_on - today) WHEN due_on = today THEN 'D-DAY'
        ELSE 'D+' || (today - due_on) END AS label,
    -- While it is paused after its due date, it stays thirsty (rule 13.1).
    report.condition(CASE WHEN withers_on > today THEN greatest(due_on - today, 0) ELSE -1 END) AS condition,
    CASE WHEN due_on > anchor_on
        THEN least(greatest((due_on - today)::double precision / (due_on - anchor_on), 0), 1) ELSE 0 END AS gauge,
    affection, report.growth_stage(affection) AS stage, affection = 100 AS is_full, is_favourite, watering_count,
    postponement_count
FROM report.plant_day
WHERE NOT is_archived;
COMMENT ON VIEW report.dday IS 'Today''s state of every living plant, one row each; removed plants have no D-day.';
COMMENT ON COLUMN report.dday.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.dday.account_id IS 'The account.';
COMMENT ON COLUMN report.dday.plant_id IS 'The plant.';
COMMENT ON COLUMN report.dday.species IS 'Decided by the cycle (rule 1.3).';
COMMENT ON COLUMN report.dday.cycle_days IS 'Days after which it wants water, 1-90.';
COMMENT ON COLUMN report.dday.planted_on IS 'The civil day on which the friend was registered.';
COMMENT ON COLUMN report.dday.restored_on IS
    'The civil day on which it was brought back last after it had been removed; null when it never was (rule 1.8).';
COMMENT ON COLUMN report.dday.last_watered_on IS 'The latest civil day of a watering; null when never watered.';
COMMENT ON COLUMN report.dday.due_on IS 'The civil day on which it wants water. [day]';
COMMENT ON COLUMN report.dday.due_source IS 'What set that due date.';
COMMENT ON COLUMN report.dday.today IS 'The civil day it is now in the account''s zone.';
COMMENT ON COLUMN report.dday.days_left IS 'Days from today to the due date; negative once it is past (rule 2.1). [ascending]';
COMMENT ON COLUMN report.dday.label IS 'D-3, D-DAY or D+2 (rule 2.1).';
COMMENT ON COLUMN report.dday.condition IS
    'Thriving, thirsty on the due date, withered from the first unpaused day after it (rules 2.2 and 13.1).';
COMMENT ON COLUMN report.dday.gauge IS 'How near watering is: 1 just watered, 0 due or past (rule 2.3).';
COMMENT ON COLUMN report.dday.affection IS 'Points, 0-100.';
COMMENT ON COLUMN report.dday.stage IS 'How big affection has made it (rule 4.6).';
COMMENT ON COLUMN report.dday.is_full IS 'Whether affection is 100.';
COMMENT ON COLUMN report.dday.is_favourite IS 'Whether the account marked the friend as a favourite.';
COMMENT ON COLUMN report.dday.watering_count IS 'Waterings of the plant, ever.';
COMMENT ON COLUMN report.dday.postponement_count IS 'Postponements of the plant, ever.';

CREATE VIEW report.overdue AS
SELECT lane, account_id, plant_id, species, cycle_days, due_on, today, -days_left AS days_overdue,
    -days_left::double precision / cycle_days AS cycles_overdue, last_watered_on, affection, stage, is_favourite
FROM report.dday
WHERE condition = 'withered';
COMMENT ON VIEW report.overdue IS
    'Every living plant that is withered today: its due date is past, and so was a day without a pause. D-day itself is not overdue.';
COMMENT ON COLUMN report.overdue.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.overdue.account_id IS 'The account.';
COMMENT ON COLUMN report.overdue.plant_id IS 'The plant.';
COMMENT ON COLUMN report.overdue.species IS 'Decided by the cycle (rule 1.3).';
COMMENT ON COLUMN report.overdue.cycle_days IS 'Days after which it wants water, 1-90.';
COMMENT ON COLUMN report.overdue.due_on IS 'The civil day on which it wanted water. [day]';
COMMENT ON COLUMN report.overdue.today IS 'The civil day it is now in the account''s zone.';
COMMENT ON COLUMN report.overdue.days_overdue IS
    'Days since the due date, 1 or more: the number of its label D+n. [descending] [bar]';
COMMENT ON COLUMN report.overdue.cycles_overdue IS
    'The same in cycles of the plant: 1 is a whole cycle without contact after the due date.';
COMMENT ON COLUMN report.overdue.last_watered_on IS 'The latest civil day of a watering; null when never watered.';
COMMENT ON COLUMN report.overdue.affection IS 'Points, 0-100; withering does not lower them (rule 4.3).';
COMMENT ON COLUMN report.overdue.stage IS 'How big affection has made it (rule 4.6).';
COMMENT ON COLUMN report.overdue.is_favourite IS 'Whether the account marked the friend as a favourite.';

CREATE VIEW report.garden AS
SELECT lane, account_id, species, stage, count(*) AS plant_count,
    count(*) FILTER (WHERE condition = 'thriving') AS thriving_count,
    count(*) FILTER (WHERE condition = 'thirsty') AS thirsty_count,
    count(*) FILTER (WHERE condition = 'withered') AS withered_count,
    count(*) FILTER (WHERE is_full) AS full_count,
    sum(affection) AS affection_points
FROM report.dday
GROUP BY lane, account_id, species, stage;
COMMENT ON VIEW report.garden IS 'The living plants of each account by species and stage. All counts may be added up.';
COMMENT ON COLUMN report.garden.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.garden.account_id IS 'The account.';
COMMENT ON COLUMN report.garden.species IS 'Decided by the cycle (rule 1.3).';
COMMENT ON COLUMN report.garden.stage IS 'How big affection has made them (rule 4.6).';
COMMENT ON COLUMN report.garden.plant_count IS 'Living plants. [bar]';
COMMENT ON COLUMN report.garden.thriving_count IS 'Those whose due date is after today, in the account''s zone.';
COMMENT ON COLUMN report.garden.thirsty_count IS 'Those whose due date is today, or past while they are paused.';
COMMENT ON COLUMN report.garden.withered_count IS 'The others whose due date is past.';
COMMENT ON COLUMN report.garden.full_count IS 'Those whose affection is 100.';
COMMENT ON COLUMN report.garden.affection_points IS 'The sum of their affection; divided by plant_count the average.';

CREATE VIEW report.account_stats AS
SELECT day.lane, day.account_id, day.registered_on, day.today,
    count(plant.id) FILTER (WHERE plant.removed_at IS NULL) AS plant_count,
    count(*) FILTER (WHERE plant.removed_at IS NOT NULL) AS archived_plant_count,
    count(*) FILTER (WHERE plant.removed_at IS NULL AND plant.affection = 100) AS full_count,
    count(*) FILTER (WHERE plant.removed_at IS NULL AND plant.due_on <= day.today
        AND withers_on(plant.due_on, plant.pauses) > day.today) AS thirsty_count,
    count(*) FILTER (WHERE plant.removed_at IS NULL
        AND withers_on(plant.due_on, plant.pauses) <= day.today) AS withered_count,
    coalesce(sum(plant.watering_count), 0) AS watering_count,
    coalesce(sum(plant.postponement_count), 0) AS postponement_count,
    max(plant.last_watered_on) AS last_watered_on
FROM report.account_day AS day
LEFT JOIN plant ON plant.lane = day.lane AND plant.account_id = day.account_id
GROUP BY day.lane, day.account_id, day.registered_on, day.today;
COMMENT ON VIEW report.account_stats IS 'My page (rule 8.1): the counts of every account, those without a plant too.';
COMMENT ON COLUMN report.account_stats.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.account_stats.account_id IS 'The account.';
COMMENT ON COLUMN report.account_stats.registered_on IS 'The civil day on which the account was added, in its present zone.';
COMMENT ON COLUMN report.account_stats.today IS 'The civil day it is now in its zone.';
COMMENT ON COLUMN report.account_stats.plant_count IS 'Living plants.';
COMMENT ON COLUMN report.account_stats.archived_plant_count IS 'Removed plants.';
COMMENT ON COLUMN report.account_stats.full_count IS 'Living plants whose affection is 100.';
COMMENT ON COLUMN report.account_stats.thirsty_count IS 'Living plants whose due date is today.';
COMMENT ON COLUMN report.account_stats.withered_count IS 'Living plants whose due date is past.';
COMMENT ON COLUMN report.account_stats.watering_count IS 'Waterings ever, those of removed plants too (rule 8.4).';
COMMENT ON COLUMN report.account_stats.postponement_count IS 'Postponements ever, those of removed plants too (rule 8.4).';
COMMENT ON COLUMN report.account_stats.last_watered_on IS 'The latest civil day of any watering; null when never watered.';
