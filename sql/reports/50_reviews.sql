-- What people write about their contacts, word by word; never a memo.

CREATE VIEW report.review_keywords AS
SELECT plant.lane, plant.account_id, keyword, count(*) AS review_count, count(DISTINCT plant.plant_id) AS plant_count,
    min(watering.watered_on) AS first_on, max(watering.watered_on) AS last_on
FROM report.plant_day AS plant JOIN watering USING (lane, plant_id)
CROSS JOIN LATERAL unnest(watering.keywords) AS keyword
WHERE watering.keywords <> '{}'
GROUP BY plant.lane, plant.account_id, keyword;
COMMENT ON VIEW report.review_keywords IS
    'How often each account wrote each keyword in the reviews as they are now. Removed plants count. For the service: '
    'service_review_keywords.';
COMMENT ON COLUMN report.review_keywords.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.review_keywords.account_id IS 'The account.';
COMMENT ON COLUMN report.review_keywords.keyword IS 'The keyword as it was written, in NFC; upper and lower case differ.';
COMMENT ON COLUMN report.review_keywords.review_count IS 'Reviews with it; a review has it at most once. [descending] [bar]';
COMMENT ON COLUMN report.review_keywords.plant_count IS 'Plants with such a review.';
COMMENT ON COLUMN report.review_keywords.first_on IS 'The earliest civil day of a contact that has it.';
COMMENT ON COLUMN report.review_keywords.last_on IS 'The latest civil day of a contact that has it.';

CREATE VIEW report.review_keyword_pairs AS
SELECT plant.lane, plant.account_id, keyword, other_keyword, count(*) AS review_count
FROM report.plant_day AS plant JOIN watering USING (lane, plant_id)
CROSS JOIN LATERAL unnest(watering.keywords) AS keyword
CROSS JOIN LATERAL unnest(watering.keywords) AS other_keyword
WHERE cardinality(watering.keywords) > 1 AND keyword COLLATE "C" < other_keyword COLLATE "C"
GROUP BY plant.lane, plant.account_id, keyword, other_keyword;
COMMENT ON VIEW report.review_keyword_pairs IS
    'How often each account wrote two keywords in one review, each pair once. Removed plants count. For the service: '
    'service_review_keyword_pairs.';
COMMENT ON COLUMN report.review_keyword_pairs.lane IS 'The account''s lane, 0-255: the last byte of its id.';
COMMENT ON COLUMN report.review_keyword_pairs.account_id IS 'The account.';
COMMENT ON COLUMN report.review_keyword_pairs.keyword IS 'The keyword of the two that comes first by its code points.';
COMMENT ON COLUMN report.review_keyword_pairs.other_keyword IS 'The other one.';
COMMENT ON COLUMN report.review_keyword_pairs.review_count IS 'Reviews with both. [descending] [bar]';

CREATE VIEW report.service_review_keywords AS
SELECT keyword, count(*) AS review_count, min(watered_on) AS first_on, max(watered_on) AS last_on
FROM watering
CROSS JOIN LATERAL unnest(keywords) AS keyword
WHERE keywords <> '{}'
GROUP BY keyword;
COMMENT ON VIEW report.service_review_keywords IS
    'How often all accounts wrote each keyword in the reviews as they are now. Removed plants count.';
COMMENT ON COLUMN report.service_review_keywords.keyword IS 'The keyword as it was written, in NFC; upper and lower case differ.';
COMMENT ON COLUMN report.service_review_keywords.review_count IS 'Reviews with it. [descending] [bar]';
COMMENT ON COLUMN report.service_review_keywords.first_on IS 'The earliest civil day of a contact that has it.';
COMMENT ON COLUMN report.service_review_keywords.last_on IS 'The latest civil day of a contact that has it.';

CREATE VIEW report.service_review_keyword_pairs AS
SELECT keyword, other_keyword, count(*) AS review_count
FROM watering
CROSS JOIN LATERAL unnest(keywords) AS keyword
CROSS JOIN LATERAL unnest(keywords) AS other_keyword
WHERE cardinality(keywords) > 1 AND keyword COLLATE "C" < other_keyword COLLATE "C"
GROUP BY keyword, other_keyword;
COMMENT ON VIEW report.service_review_keyword_pairs IS
    'How often all accounts wrote two keywords in one review, each pair once. Removed plants count.';
COMMENT ON COLUMN report.service_review_keyword_pairs.keyword IS 'The keyword of the two that comes first by its code points.';
COMMENT ON COLUMN report.service_review_keyword_pairs.other_keyword IS 'The other one.';
COMMENT ON COLUMN report.service_review_keyword_pairs.review_count IS 'Reviews with both. [descending] [bar]';
