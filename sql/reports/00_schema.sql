-- The reports. All files of this folder, in the order of their names and in one transaction, replace the schema as a whole.

DROP SCHEMA IF EXISTS report CASCADE;
CREATE SCHEMA report;
COMMENT ON SCHEMA report IS
    'Views for reporting: names, columns and their comments are stable. No names, phones, e-mails, tokens or memos. Nothing '
    'is stored here: every view tells what is true now. Days are civil days in the zone of the account, unless said otherwise.';

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

CREATE FUNCTION report.species(cycle_days integer) RETURNS report.species IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN cycle_days <= 3 THEN 'rosemary'
    WHEN cycle_days <= 7 THEN 'american_blue'
    WHEN cycle_days <= 15 THEN 'dandelion'
    WHEN cycle_days <= 30 THEN 'stuckyi'
    ELSE 'echinopsis'
END::report.species;
COMMENT ON FUNCTION report.species(integer) IS 'The species that a cycle decides (rule 1.3).';

CREATE FUNCTION report.condition(days_left integer) RETURNS report.condition IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN days_left > 0 THEN 'thriving' WHEN days_left = 0 THEN 'thirsty' ELSE 'withered' END::report.condition;
COMMENT ON FUNCTION report.condition(integer) IS 'The condition of a plant with so many days left (rule 2.2).';

CREATE FUNCTION report.growth_stage(affection integer) RETURNS report.growth_stage IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN affection < 24 THEN 'sprout' WHEN affection < 48 THEN 'bud' ELSE 'bloom' END::report.growth_stage;
COMMENT ON FUNCTION report.growth_stage(integer) IS 'The stage that an affection has reached (rule 4.6).';

-- OFFSET 0 keeps the day from being computed anew wherever it is used.
CREATE VIEW report.account_day AS
SELECT account.lane, account.id AS account_id, account.time_zone, account.language,
    (account.created_at AT TIME ZONE account.time_zone)::date AS registered_on, clock.today
FROM account
CROSS JOIN LATERAL (SELECT (report.present() AT TIME ZONE account.time_zone)::date AS today OFFSET 0) AS clock;
COMMENT ON VIEW report.account_day IS 'What day it is for each account.';
COMMENT ON COLUMN report.account_day.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.account_day.account_id IS 'The account.';
COMMENT ON COLUMN report.account_day.time_zone IS 'Its IANA zone, in which its civil days are counted.';
COMMENT ON COLUMN report.account_day.language IS 'The language of its pushes.';
COMMENT ON COLUMN report.account_day.registered_on IS 'The civil day on which the account was added, in its present zone.';
COMMENT ON COLUMN report.account_day.today IS 'The civil day it is now in its zone (rule 2.1).';
