-- An anonymous account that an export brought back counts as used on that day (rule 12.5). It has no session yet, and its created_at
-- may be older than any session lasts.

ALTER TABLE account ADD COLUMN restored_at timestamptz;
ALTER TABLE account ADD CONSTRAINT account_restored_at_range CHECK (
    restored_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z');
COMMENT ON COLUMN account.restored_at IS 'When an export brought it to this database; null if it began here.';

-- The columns of a view are those of its table when it was made.
CREATE OR REPLACE VIEW garden.account WITH (security_barrier) AS
SELECT * FROM account
WHERE lane = (SELECT garden.account_lane()) AND id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;
COMMENT ON COLUMN garden.account.restored_at IS 'When an export brought it to this database; null if it began here.';

COMMENT ON COLUMN thing.alert_wall_minute IS
    'What the account''s clocks show at its next alert, in minutes from midnight of the due date; null if unknown.';
COMMENT ON COLUMN garden.thing.alert_wall_minute IS
    'What the account''s clocks show at its next alert, in minutes from midnight of the due date; null if unknown.';
