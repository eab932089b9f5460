-- The reports. All files of this folder, in the order of their names and in one transaction, replace the schema as a whole.

DROP SCHEMA IF EXISTS report CASCADE;
CREATE SCHEMA report;
COMMENT ON SCHEMA report IS
    'Views for reporting: names, columns and their comments are stable. No names, phones, e-mails, tokens or memos. All '
    'tell what is true now; those of pushes, for the service, also what was counted before the log went. Days are civil days '
    'in the zone of the account, unless said otherwise.';

-- Rules 1.3, 2.2 and 4.6 once more, for sets. A test compares them with CherishCore.
CREATE TYPE report.species AS ENUM ('rosemary', 'american_blue', 'dandelion', 'stuckyi', 'echinopsis');
CREATE TYPE report.condition AS ENUM ('thriving', 'thirsty', 'withered');
CREATE TYPE report.growth_stage AS ENUM ('sprout', 'bud', 'bloom');
COMMENT ON TYPE report.species IS 'What grows on a cycle, from the shortest to the longest (rule 1.3).';
COMMENT ON TYPE report.condition IS 'How a plant is doing on a day (rule 2.2).';
COMMENT ON TYPE report.growth_stage IS 'How big a plant has grown (rule 4.6).';

CREATE FUNCTION report.present() RETURNS timestamptz STABLE PARALLEL SAFE
RETURN coalesce(nullif(current_setting('cherish.now', true), '')::timestamptz, now());
COMMENT ON FUNCTION report.present() IS
    'What the reports take for now: the setting cherish.now, or the start of the transaction.';

-- The first literal gives the CASE its type. A cast of the whole would be one of texts, looked up for each row and never inlined.
CREATE FUNCTION report.species(cycle_days integer) RETURNS report.species IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN cycle_days <= 3 THEN 'rosemary'::report.species
    WHEN cycle_days <= 7 THEN 'american_blue'
    WHEN cycle_days <= 15 THEN 'dandelion'
    WHEN cycle_days <= 30 THEN 'stuckyi'
    ELSE 'echinopsis'
END;
COMMENT ON FUNCTION report.species(integer) IS 'The species that a cycle decides (rule 1.3).';

CREATE FUNCTION report.condition(days_left integer) RETURNS report.condition IMMUTABLE PARALLEL SAFE
-- Named once, or days that a subquery tells would keep it from being inlined.
RETURN CASE sign(days_left) WHEN 1 THEN 'thriving'::report.condition WHEN 0 THEN 'thirsty' ELSE 'withered' END;
COMMENT ON FUNCTION report.condition(integer) IS 'The condition of a plant with so many days left (rule 2.2).';

CREATE FUNCTION report.growth_stage(affection integer) RETURNS report.growth_stage IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN affection < 24 THEN 'sprout'::report.growth_stage WHEN affection < 48 THEN 'bud' ELSE 'bloom' END;
COMMENT ON FUNCTION report.growth_stage(integer) IS 'The stage that an affection has reached (rule 4.6).';

CREATE FUNCTION report.civil_day(instant timestamptz, time_zone text) RETURNS date IMMUTABLE PARALLEL SAFE
RETURN civil_day(instant, time_zone);
COMMENT ON FUNCTION report.civil_day(timestamptz, text) IS 'The civil day that the clocks of an IANA zone show at an instant.';

CREATE FUNCTION report.civil_day(instant timestamptz, time_zone text, day_end_minute smallint) RETURNS date
IMMUTABLE PARALLEL SAFE COST 1
RETURN civil_day(instant, time_zone, day_end_minute);
COMMENT ON FUNCTION report.civil_day(timestamptz, text, smallint) IS
    'The civil day of an account at an instant, by its zone and the minutes after midnight at which its days end (rule 13.4).';

CREATE VIEW report.account_day AS
SELECT lane, id AS account_id, time_zone, language, report.civil_day(created_at, time_zone) AS registered_on,
    -- Nearly all days end at midnight, and a function that names its argument twice is not inlined for a subquery.
    CASE day_end_minute WHEN 0 THEN report.civil_day((SELECT report.present()), time_zone)
        ELSE report.civil_day((SELECT report.present()), time_zone, day_end_minute) END AS today,
    day_end_minute
FROM account;
COMMENT ON VIEW report.account_day IS 'What day it is for each account.';
COMMENT ON COLUMN report.account_day.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.account_day.account_id IS 'The account.';
COMMENT ON COLUMN report.account_day.time_zone IS 'Its IANA zone, in which its civil days are counted.';
COMMENT ON COLUMN report.account_day.language IS 'The language of its pushes.';
COMMENT ON COLUMN report.account_day.registered_on IS 'The civil day on which the account was added, in its present zone.';
COMMENT ON COLUMN report.account_day.today IS 'The civil day it is now in its zone (rule 2.1), which may end late (rule 13.4).';
COMMENT ON COLUMN report.account_day.day_end_minute IS 'When its days end, in minutes after midnight, 0-240 (rule 13.4).';

CREATE VIEW report.plant_day AS
SELECT account.lane, account.id AS account_id, plant.id AS plant_id, account.time_zone,
    CASE account.day_end_minute WHEN 0 THEN report.civil_day((SELECT report.present()), account.time_zone)
        ELSE report.civil_day((SELECT report.present()), account.time_zone, account.day_end_minute) END AS today,
    plant.removed_at IS NOT NULL AS is_archived,
    report.civil_day(plant.removed_at, account.time_zone, account.day_end_minute) AS archived_on,
    report.species(plant.cycle_days) AS species, plant.cycle_days, plant.planted_on, plant.restored_on,
    plant.last_watered_on, greatest(coalesce(plant.last_watered_on, plant.planted_on), plant.restored_on) AS anchor_on,
    plant.due_on, plant.due_source, plant.affection, plant.is_favourite, plant.watering_count, plant.postponement_count,
    account.day_end_minute, withers_on(plant.due_on, plant.pauses) AS withers_on
FROM account
JOIN plant ON plant.lane = account.lane AND plant.account_id = account.id;
COMMENT ON VIEW report.plant_day IS 'Every plant, removed ones too, and what day it is for its account.';
COMMENT ON COLUMN report.plant_day.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.plant_day.account_id IS 'The account.';
COMMENT ON COLUMN report.plant_day.plant_id IS 'The plant.';
COMMENT ON COLUMN report.plant_day.time_zone IS 'The account''s IANA zone, in which its civil days are counted.';
COMMENT ON COLUMN report.plant_day.today IS 'The civil day it is now in that zone (rule 2.1).';
COMMENT ON COLUMN report.plant_day.is_archived IS 'Whether the plant is removed.';
COMMENT ON COLUMN report.plant_day.archived_on IS 'The civil day on which it was removed, in that zone; null while it lives.';
COMMENT ON COLUMN report.plant_day.species IS 'Decided by the cycle (rule 1.3).';
COMMENT ON COLUMN report.plant_day.cycle_days IS 'Days after which it wants water, 1-90.';
COMMENT ON COLUMN report.plant_day.planted_on IS 'The civil day on which the friend was registered.';
COMMENT ON COLUMN report.plant_day.restored_on IS
    'The civil day on which it was brought back last after it had been removed; null when it never was (rule 1.8).';
COMMENT ON COLUMN report.plant_day.last_watered_on IS 'The latest civil day of a watering; null when never watered.';
COMMENT ON COLUMN report.plant_day.anchor_on IS
    'From which day the gauge counts: the last watering or the registration, or the day on which it was brought back if that is '
    'later (rule 2.3).';
COMMENT ON COLUMN report.plant_day.due_on IS 'The civil day on which it wants water; of a removed plant the last one.';
COMMENT ON COLUMN report.plant_day.due_source IS 'What set that due date.';
COMMENT ON COLUMN report.plant_day.affection IS 'Points, 0-100.';
COMMENT ON COLUMN report.plant_day.is_favourite IS 'Whether the account marked the friend as a favourite.';
COMMENT ON COLUMN report.plant_day.watering_count IS 'Waterings of the plant, ever.';
COMMENT ON COLUMN report.plant_day.postponement_count IS 'Postponements of the plant, ever.';
COMMENT ON COLUMN report.plant_day.day_end_minute IS 'When the account''s days end, in minutes after midnight, 0-240 (rule 13.4).';
COMMENT ON COLUMN report.plant_day.withers_on IS
    'The first civil day on which it is withered: the day after the due date, or the first one after a pause (rule 13.1).';
