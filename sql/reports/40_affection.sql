-- Affection: the ledger, and whether the balances agree with it (rule 4.5).

CREATE VIEW report.affection_ledger AS
SELECT plant.lane, plant.account_id, plant.plant_id, entry.watering_number, entry.reason, entry.points, entry.gained_at,
    report.civil_day(entry.gained_at, plant.time_zone, plant.day_end_minute) AS day,
    sum(entry.points) OVER (PARTITION BY plant.lane, plant.account_id, plant.plant_id
        ORDER BY entry.gained_at, entry.watering_number, entry.reason) AS balance
FROM report.plant_day AS plant JOIN affection_entry AS entry USING (lane, plant_id);
COMMENT ON VIEW report.affection_ledger IS 'Every gain of affection with the balance after it, removed plants too.';
COMMENT ON COLUMN report.affection_ledger.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.affection_ledger.account_id IS 'The account.';
COMMENT ON COLUMN report.affection_ledger.plant_id IS 'The plant.';
COMMENT ON COLUMN report.affection_ledger.watering_number IS 'The watering that earned it, 1, 2, 3 ... within the plant.';
COMMENT ON COLUMN report.affection_ledger.reason IS 'What earned it: the contact, keywords or a memo (rule 4.1).';
COMMENT ON COLUMN report.affection_ledger.points IS 'Points actually gained, 1-8.';
COMMENT ON COLUMN report.affection_ledger.gained_at IS 'The instant at which they were gained.';
COMMENT ON COLUMN report.affection_ledger.day IS 'The civil day of that instant in the account''s present zone.';
COMMENT ON COLUMN report.affection_ledger.balance IS
    'Points of the plant after this gain, 0-100; in the order of gaining, then of waterings, then contact, keywords, memo.';

CREATE VIEW report.affection_check AS
SELECT plant.lane, plant.account_id, plant.plant_id, plant.affection, coalesce(sum(entry.points), 0) AS ledger_points,
    plant.affection - coalesce(sum(entry.points), 0) AS difference
FROM report.plant_day AS plant LEFT JOIN affection_entry AS entry USING (lane, plant_id)
GROUP BY plant.lane, plant.account_id, plant.plant_id, plant.affection
HAVING plant.affection <> coalesce(sum(entry.points), 0);
COMMENT ON VIEW report.affection_check IS
    'Every plant whose affection is not the sum of its ledger, removed plants too. A row here is a bug; there should be none.';
COMMENT ON COLUMN report.affection_check.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.affection_check.account_id IS 'The account.';
COMMENT ON COLUMN report.affection_check.plant_id IS 'The plant.';
COMMENT ON COLUMN report.affection_check.affection IS 'The points that the plant says it has.';
COMMENT ON COLUMN report.affection_check.ledger_points IS 'The points that its ledger adds up to.';
COMMENT ON COLUMN report.affection_check.difference IS 'The first less the second, in points.';
