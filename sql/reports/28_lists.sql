-- Shopping lists (rule 11): how neighbourhoods help each other. No titles, no entries, no people.

CREATE VIEW report.shopping_list_area AS
SELECT area, count(*) AS opened_count, count(first_accepted_at) AS accepted_count,
    count(delivered_at) AS delivered_count, count(cancelled_at) AS cancelled_count,
    percentile_cont(0.5) WITHIN GROUP (
        ORDER BY extract(epoch FROM first_accepted_at - opened_at) / 3600)::double precision AS median_hours_to_acceptance
FROM (
    -- OFFSET 0 keeps this apart: on Citus the nodes send these rows, and the median is computed once.
    SELECT area, opened_at, first_accepted_at, delivered_at, cancelled_at FROM shopping_list
    WHERE opened_at IS NOT NULL AND area IS NOT NULL OFFSET 0
) AS opened
GROUP BY area
HAVING count(*) >= 20;
COMMENT ON VIEW report.shopping_list_area IS
    'Shopping lists that were opened, by area. Areas with fewer than 20 lists are left out, because few lists would tell of people.';
COMMENT ON COLUMN report.shopping_list_area.area IS 'The country and the first two characters of the postcode: KR-04.';
COMMENT ON COLUMN report.shopping_list_area.opened_count IS 'Lists that were opened. [descending] [bar]';
COMMENT ON COLUMN report.shopping_list_area.accepted_count IS 'Those that somebody accepted, given back later or not.';
COMMENT ON COLUMN report.shopping_list_area.delivered_count IS 'Those that were delivered in time: nobody delivers an expired one.';
COMMENT ON COLUMN report.shopping_list_area.cancelled_count IS 'Those that their owner, or the operator, took back.';
COMMENT ON COLUMN report.shopping_list_area.median_hours_to_acceptance IS
    'The median of the hours from opening to the first acceptance; null if nobody accepted any.';
