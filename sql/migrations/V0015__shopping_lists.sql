-- Shopping lists between neighbours (rule 11). A list lies in its owner's lane, which is also the last byte of its id; whoever
-- helps with it has a row of its own lane that news from the list keep up to date (decision 58).

ALTER TYPE topic ADD VALUE 'list_accepted';
ALTER TYPE topic ADD VALUE 'list_released';
ALTER TYPE topic ADD VALUE 'list_delivered';
ALTER TYPE topic ADD VALUE 'list_expiring';
ALTER TYPE topic ADD VALUE 'list_expired';
ALTER TYPE topic ADD VALUE 'list_cancelled';
COMMENT ON TYPE topic IS 'What a push is about (rules 7.1, 7.10, 10.13 and 11.5). A domain adds its topics at the end.';
COMMENT ON COLUMN occurrence.subject_id IS
    'The subject, which is what the push is about: a plant, a thing or a shopping list. It may have been erased since.';
COMMENT ON COLUMN occurrence.ref IS
    'A number that the subject''s domain understands. For review_missing it is the watering''s number, for lists 0 for the owner '
    'and 1 for the helper, otherwise a civil day in days since 1970-01-01: the due date or the birthday. For thing_alert, -1 '
    'stands for an alert that is too far ahead to be planned.';

-- MARK: Postcodes

CREATE TABLE postcode (
    country text NOT NULL,
    key text NOT NULL,
    latitude double precision NOT NULL,
    longitude double precision NOT NULL,
    CONSTRAINT postcode_pkey PRIMARY KEY (key, country),
    CONSTRAINT postcode_country_form CHECK (country ~ '^[A-Z]{2}$'),
    CONSTRAINT postcode_key_form CHECK (key ~ '^[0-9A-Z]{1,20}$'),
    CONSTRAINT postcode_position_range CHECK (latitude BETWEEN -90 AND 90 AND longitude BETWEEN -180 AND 180)
);
COMMENT ON TABLE postcode IS 'The operator''s catalogue of postcodes and their centres (rule 11.8).';
COMMENT ON COLUMN postcode.country IS 'The country: ISO 3166-1 alpha-2, such as KR.';
COMMENT ON COLUMN postcode.key IS 'The code in capitals, without blanks and hyphens.';
COMMENT ON COLUMN postcode.latitude IS 'Degrees north of the equator (WGS 84): the mean of the places that have the code.';
COMMENT ON COLUMN postcode.longitude IS 'Degrees east of Greenwich (WGS 84).';

ALTER TABLE account ADD COLUMN country text;
ALTER TABLE account ADD CONSTRAINT account_country_form CHECK (country ~ '^[A-Z]{2}$');
ALTER TABLE account ADD COLUMN postcode_changed_at timestamptz[] NOT NULL DEFAULT '{}';
ALTER TABLE account ADD COLUMN barred_from_helping_at timestamptz;
COMMENT ON COLUMN account.country IS 'Where its postcode is one: ISO 3166-1 alpha-2; null when unknown.';
COMMENT ON COLUMN account.postcode_changed_at IS 'When postcode or country were changed, the newest two times, oldest first.';
COMMENT ON COLUMN account.barred_from_helping_at IS 'When the operator ended its access to lists of others; null if it has it.';

-- MARK: Lists

CREATE TABLE shopping_list (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    title text NOT NULL,
    note text,
    delivery_note text,
    entry_names text[] NOT NULL,
    entry_quantities text[] NOT NULL,
    entries_bought boolean[] NOT NULL,
    area text,
    latitude double precision,
    longitude double precision,
    opened_at timestamptz,
    expires_at timestamptz,
    first_accepted_at timestamptz,
    accepted_at timestamptz,
    helper_id uuid,
    helper_nickname text,
    helper_rating_count integer,
    helper_rating_sum integer,
    delivered_at timestamptz,
    cancelled_at timestamptz,
    rating smallint,
    event_topic topic,
    event_at timestamptz,
    expired_push_at timestamptz,
    version bigint NOT NULL,
    modified_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT shopping_list_pkey PRIMARY KEY (lane, id),
    -- What refers to a list names its account, too, so that it cannot refer to somebody else's.
    CONSTRAINT shopping_list_of_account UNIQUE (lane, account_id, id),
    CONSTRAINT shopping_list_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT shopping_list_title_length CHECK (octet_length(title) BETWEEN 1 AND 6400),
    CONSTRAINT shopping_list_note_length CHECK (octet_length(note) BETWEEN 1 AND 64000),
    CONSTRAINT shopping_list_delivery_note_length CHECK (octet_length(delivery_note) BETWEEN 1 AND 19200),
    CONSTRAINT shopping_list_entries_match CHECK (
        cardinality(entry_names) <= 100 AND cardinality(entry_quantities) = cardinality(entry_names)
        AND cardinality(entries_bought) = cardinality(entry_names)
        AND array_position(entry_names, NULL) IS NULL AND array_position(entry_quantities, NULL) IS NULL
        AND array_position(entries_bought, NULL) IS NULL),
    CONSTRAINT shopping_list_position_range CHECK (
        (latitude IS NULL) = (longitude IS NULL) AND latitude BETWEEN -90 AND 90 AND longitude BETWEEN -180 AND 180),
    CONSTRAINT shopping_list_area_form CHECK (area ~ '^[A-Z]{2}-[0-9A-Z]{1,2}$'),
    CONSTRAINT shopping_list_draft_is_whole CHECK (num_nulls(opened_at, expires_at) IN (0, 2)
        AND (opened_at IS NOT NULL OR num_nonnulls(helper_id, delivered_at, cancelled_at) = 0)),
    CONSTRAINT shopping_list_helper_is_whole CHECK (
        num_nulls(accepted_at, helper_id, helper_nickname, helper_rating_count, helper_rating_sum) IN (0, 5)),
    CONSTRAINT shopping_list_helper_nickname_length CHECK (octet_length(helper_nickname) BETWEEN 1 AND 1280),
    CONSTRAINT shopping_list_rating_range CHECK (rating BETWEEN 1 AND 5),
    CONSTRAINT shopping_list_event_is_whole CHECK ((event_topic IS NULL) = (event_at IS NULL)),
    CONSTRAINT shopping_list_instants_range CHECK (
        created_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'
        AND modified_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'
        AND opened_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'
        AND expires_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND first_accepted_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'
        AND accepted_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'
        AND delivered_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'
        AND cancelled_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'
        AND event_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND expired_push_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'),
    CONSTRAINT shopping_list_version_range CHECK (version >= 1)
);
COMMENT ON CONSTRAINT shopping_list_of_account ON shopping_list IS 'Also the lists of an account.';
-- Lists that nobody may accept any more leave the index when housekeeping forgets where they were.
CREATE INDEX shopping_list_by_position ON shopping_list USING gist (point(longitude, latitude))
    WHERE latitude IS NOT NULL AND helper_id IS NULL AND delivered_at IS NULL AND cancelled_at IS NULL;
COMMENT ON INDEX shopping_list_by_position IS 'Open lists near a place.';
COMMENT ON TABLE shopping_list IS 'What an account needs from a shop, and what the neighbour who fetches it has done (rule 11).';
COMMENT ON COLUMN shopping_list.lane IS 'The owner''s lane.';
COMMENT ON COLUMN shopping_list.id IS 'A random UUID whose last byte is the lane.';
COMMENT ON COLUMN shopping_list.account_id IS 'The owner.';
COMMENT ON COLUMN shopping_list.title IS 'What it is called, 1-100 characters.';
COMMENT ON COLUMN shopping_list.note IS 'What the owner says about it, up to 1,000 characters; null without a note.';
COMMENT ON COLUMN shopping_list.delivery_note IS
    'Where to leave the shopping, up to 300 characters, for the owner and the helper alone; null without one.';
COMMENT ON COLUMN shopping_list.entry_names IS 'What to buy: up to 100, 1-60 characters each.';
COMMENT ON COLUMN shopping_list.entry_quantities IS 'How much of each, up to 20 characters; empty where nobody said.';
COMMENT ON COLUMN shopping_list.entries_bought IS 'Which of them the helper has.';
COMMENT ON COLUMN shopping_list.area IS 'Where it was opened: the country and the first two characters of the postcode.';
COMMENT ON COLUMN shopping_list.latitude IS
    'The centre of the owner''s postcode when it was opened, degrees north; null for a draft, and some time after the end.';
COMMENT ON COLUMN shopping_list.longitude IS 'Degrees east.';
COMMENT ON COLUMN shopping_list.opened_at IS 'When neighbours could find it; null for a draft.';
COMMENT ON COLUMN shopping_list.expires_at IS 'When it ends if nothing else ends it (rule 11.2); null for a draft.';
COMMENT ON COLUMN shopping_list.first_accepted_at IS 'When somebody accepted it first, whoever has it now.';
COMMENT ON COLUMN shopping_list.accepted_at IS 'When the helper accepted it; null without a helper.';
COMMENT ON COLUMN shopping_list.helper_id IS 'The account that fetches it, in whatever lane; null without one.';
COMMENT ON COLUMN shopping_list.helper_nickname IS 'Its nickname when it accepted.';
COMMENT ON COLUMN shopping_list.helper_rating_count IS 'How often it had been rated by then.';
COMMENT ON COLUMN shopping_list.helper_rating_sum IS 'The sum of those ratings.';
COMMENT ON COLUMN shopping_list.delivered_at IS 'When the helper said that it was delivered.';
COMMENT ON COLUMN shopping_list.cancelled_at IS 'When the owner, or the operator, cancelled it.';
COMMENT ON COLUMN shopping_list.rating IS 'How the owner rated the helper, 1-5; null without a rating.';
COMMENT ON COLUMN shopping_list.event_topic IS 'What the owner is told last; null without a push.';
COMMENT ON COLUMN shopping_list.event_at IS 'When that is planned in the calendar.';
COMMENT ON COLUMN shopping_list.expired_push_at IS 'When the push about its expiry is planned; null without one.';
COMMENT ON COLUMN shopping_list.version IS 'Grows with each change (rule 14.1), from 1.';
COMMENT ON COLUMN shopping_list.modified_at IS 'When it was changed last.';
COMMENT ON COLUMN shopping_list.created_at IS 'When it was written.';

CREATE TABLE helped_list (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    list_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    owner_nickname text NOT NULL,
    slot smallint,
    claimed_at timestamptz NOT NULL,
    accepted_at timestamptz,
    opened_at timestamptz,
    expires_at timestamptz,
    ended_at timestamptz,
    released_at timestamptz,
    acceptance_count integer NOT NULL,
    release_count integer NOT NULL,
    list_version bigint NOT NULL,
    event_topic topic,
    event_at timestamptz,
    expiring_push_at timestamptz,
    expired_push_at timestamptz,
    CONSTRAINT helped_list_pkey PRIMARY KEY (lane, account_id, list_id),
    -- No sixth place, in whatever order transactions commit.
    CONSTRAINT helped_list_slot_unique UNIQUE (lane, account_id, slot),
    CONSTRAINT helped_list_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT helped_list_slot_range CHECK (slot BETWEEN 1 AND 5),
    CONSTRAINT helped_list_owner_nickname_length CHECK (octet_length(owner_nickname) <= 1280),
    CONSTRAINT helped_list_counts_range CHECK (acceptance_count >= 0 AND release_count >= 0 AND list_version >= 0),
    CONSTRAINT helped_list_event_is_whole CHECK ((event_topic IS NULL) = (event_at IS NULL)),
    CONSTRAINT helped_list_instants_range CHECK (
        claimed_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'
        AND accepted_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'
        AND opened_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'
        AND expires_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND ended_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND released_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'
        AND event_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND expiring_push_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND expired_push_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z')
);
CREATE INDEX helped_list_by_age ON helped_list (lane, claimed_at);
COMMENT ON INDEX helped_list_by_age IS 'Housekeeping deletes rows after 40 days.';
COMMENT ON CONSTRAINT helped_list_slot_unique ON helped_list IS 'A helper has five places (rule 11.4).';
COMMENT ON TABLE helped_list IS
    'The lists that an account helps with, as its lane knows them: a claim of one of five places first, then what news tell '
    '(decision 58). The list itself is the truth.';
COMMENT ON COLUMN helped_list.lane IS 'The helper''s lane.';
COMMENT ON COLUMN helped_list.account_id IS 'The helper.';
COMMENT ON COLUMN helped_list.list_id IS 'The list, in its owner''s lane.';
COMMENT ON COLUMN helped_list.owner_id IS 'The owner.';
COMMENT ON COLUMN helped_list.owner_nickname IS 'The owner''s nickname, for pushes; empty until the acceptance is known.';
COMMENT ON COLUMN helped_list.slot IS 'Which of the five places it takes; null once it takes none.';
COMMENT ON COLUMN helped_list.claimed_at IS 'When the place was claimed.';
COMMENT ON COLUMN helped_list.accepted_at IS 'When the list confirmed it; null before that, and after it was given back.';
COMMENT ON COLUMN helped_list.opened_at IS 'When the list was opened.';
COMMENT ON COLUMN helped_list.expires_at IS 'When the list ends.';
COMMENT ON COLUMN helped_list.ended_at IS 'When it was delivered or cancelled.';
COMMENT ON COLUMN helped_list.released_at IS 'When the helper gave it back last.';
COMMENT ON COLUMN helped_list.acceptance_count IS 'How often the helper has accepted it.';
COMMENT ON COLUMN helped_list.release_count IS 'How often the helper has given it back.';
COMMENT ON COLUMN helped_list.list_version IS 'The version of the list that is known; 0 before any is.';
COMMENT ON COLUMN helped_list.event_topic IS 'What the helper is told last; null without a push.';
COMMENT ON COLUMN helped_list.event_at IS 'When that is planned in the calendar.';
COMMENT ON COLUMN helped_list.expiring_push_at IS 'When the push is planned that warns of the end; null without one.';
COMMENT ON COLUMN helped_list.expired_push_at IS 'When the push about the end is planned; null without one.';

CREATE TABLE list_news (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    list_id uuid NOT NULL,
    recipient_id uuid NOT NULL,
    list_version bigint NOT NULL,
    written_at timestamptz NOT NULL,
    CONSTRAINT list_news_pkey PRIMARY KEY (lane, account_id, list_id, recipient_id),
    CONSTRAINT list_news_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT list_news_version_range CHECK (list_version >= 1),
    CONSTRAINT list_news_written_at_range CHECK (
        written_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z')
);
CREATE INDEX list_news_by_age ON list_news (written_at);
COMMENT ON INDEX list_news_by_age IS 'What workers deliver.';
COMMENT ON TABLE list_news IS
    'Changes of lists that the helper''s lane does not know yet. Whoever changed the list tells it and deletes the row; if that '
    'program stops before, a worker does.';
COMMENT ON COLUMN list_news.lane IS 'The owner''s lane.';
COMMENT ON COLUMN list_news.account_id IS 'The owner.';
COMMENT ON COLUMN list_news.list_id IS 'The list.';
COMMENT ON COLUMN list_news.recipient_id IS 'The account to tell: whoever has the list, or has given it back.';
COMMENT ON COLUMN list_news.list_version IS 'The version of the list that changed last.';
COMMENT ON COLUMN list_news.written_at IS 'When that was.';

CREATE TABLE helper_rating (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    list_id uuid NOT NULL,
    points smallint NOT NULL,
    CONSTRAINT helper_rating_pkey PRIMARY KEY (lane, account_id, list_id),
    CONSTRAINT helper_rating_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT helper_rating_points_range CHECK (points BETWEEN 1 AND 5)
);
COMMENT ON TABLE helper_rating IS 'How owners rated an account that helped them (rule 11.6): all that remains of its help.';
COMMENT ON COLUMN helper_rating.lane IS 'The helper''s lane.';
COMMENT ON COLUMN helper_rating.account_id IS 'The helper.';
COMMENT ON COLUMN helper_rating.list_id IS 'The list, so that it counts once.';
COMMENT ON COLUMN helper_rating.points IS 'From 1 to 5.';

CREATE TABLE account_block (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    blocked_id uuid NOT NULL,
    nickname text NOT NULL,
    blocked_at timestamptz NOT NULL,
    CONSTRAINT account_block_pkey PRIMARY KEY (lane, id),
    CONSTRAINT account_block_of_account UNIQUE (lane, account_id, blocked_id),
    CONSTRAINT account_block_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT account_block_nickname_length CHECK (octet_length(nickname) BETWEEN 1 AND 1280),
    CONSTRAINT account_block_blocked_at_range CHECK (
        blocked_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z')
);
CREATE INDEX account_block_by_blocked ON account_block (blocked_id);
COMMENT ON INDEX account_block_by_blocked IS 'Who has blocked an account, in whatever lane.';
COMMENT ON CONSTRAINT account_block_of_account ON account_block IS 'Whom an account has blocked.';
COMMENT ON TABLE account_block IS 'Accounts that never see each other''s lists again (rule 11.7).';
COMMENT ON COLUMN account_block.lane IS 'The lane of the account that blocked.';
COMMENT ON COLUMN account_block.id IS 'A random UUID: people name a block by it, and never learn the id of the other account.';
COMMENT ON COLUMN account_block.account_id IS 'The account that blocked.';
COMMENT ON COLUMN account_block.blocked_id IS 'The account that is blocked, in whatever lane.';
COMMENT ON COLUMN account_block.nickname IS 'Its nickname then.';
COMMENT ON COLUMN account_block.blocked_at IS 'When that was.';

CREATE TABLE list_report (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    list_id uuid NOT NULL,
    reporter_id uuid NOT NULL,
    reason text NOT NULL,
    reported_at timestamptz NOT NULL,
    CONSTRAINT list_report_pkey PRIMARY KEY (lane, id),
    CONSTRAINT list_report_once UNIQUE (lane, account_id, list_id, reporter_id),
    CONSTRAINT list_report_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT list_report_reason_length CHECK (octet_length(reason) BETWEEN 1 AND 32000),
    CONSTRAINT list_report_reported_at_range CHECK (
        reported_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z')
);
COMMENT ON CONSTRAINT list_report_once ON list_report IS 'Nobody reports a list twice.';
COMMENT ON TABLE list_report IS 'What people told the operator about lists.';
COMMENT ON COLUMN list_report.lane IS 'The lane of the list''s owner.';
COMMENT ON COLUMN list_report.id IS 'A random UUID.';
COMMENT ON COLUMN list_report.account_id IS 'The list''s owner.';
COMMENT ON COLUMN list_report.list_id IS 'The list. It may have been deleted since.';
COMMENT ON COLUMN list_report.reporter_id IS 'Who reported it: its owner, its helper, or a neighbour, in whatever lane.';
COMMENT ON COLUMN list_report.reason IS 'What they say, 1-500 characters.';
COMMENT ON COLUMN list_report.reported_at IS 'When.';

CREATE TABLE list_measure (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    list_id uuid,
    action text NOT NULL,
    reason text NOT NULL,
    taken_by text NOT NULL,
    taken_at timestamptz NOT NULL,
    CONSTRAINT list_measure_pkey PRIMARY KEY (lane, id),
    CONSTRAINT list_measure_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT list_measure_action_known CHECK (action IN ('close', 'bar', 'admit')),
    CONSTRAINT list_measure_close_names_list CHECK ((action = 'close') = (list_id IS NOT NULL)),
    CONSTRAINT list_measure_texts_length CHECK (
        octet_length(reason) BETWEEN 1 AND 32000 AND octet_length(taken_by) BETWEEN 1 AND 1280),
    CONSTRAINT list_measure_taken_at_range CHECK (
        taken_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z')
);
CREATE INDEX list_measure_by_account ON list_measure (lane, account_id, taken_at);
COMMENT ON INDEX list_measure_by_account IS 'What the operator did about an account.';
COMMENT ON TABLE list_measure IS 'What operators did about lists and their people, and why: for the record.';
COMMENT ON COLUMN list_measure.lane IS 'The account''s lane.';
COMMENT ON COLUMN list_measure.id IS 'A random UUID.';
COMMENT ON COLUMN list_measure.account_id IS 'The list''s owner, or the account that was barred.';
COMMENT ON COLUMN list_measure.list_id IS 'The list that was closed; null otherwise.';
COMMENT ON COLUMN list_measure.action IS 'close (a list), bar (an account from helping), or admit (it again).';
COMMENT ON COLUMN list_measure.reason IS 'Why, 1-500 characters.';
COMMENT ON COLUMN list_measure.taken_by IS 'The user of the operating system who ran the command.';
COMMENT ON COLUMN list_measure.taken_at IS 'When.';

-- MARK: Neighbours

CREATE FUNCTION list_owner(wanted_lane smallint, wanted uuid) RETURNS uuid LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT list.account_id FROM shopping_list AS list WHERE list.lane = wanted_lane AND list.id = wanted);
END
$$;
COMMENT ON FUNCTION list_owner(smallint, uuid) IS 'The owner of a list; null without such a list.';

CREATE FUNCTION nearby_lists(
    caller_lane smallint, caller uuid, at timestamptz, reach double precision, most integer)
    RETURNS TABLE (id uuid, nickname text, entry_count integer, expires_at timestamptz, distance integer)
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    -- The mean radius of the earth in metres (IUGG).
    earth CONSTANT double precision := 6371008.8;
    north double precision;
    east double precision;
    height double precision;
    width double precision;
    hidden uuid[];
BEGIN
    -- The place is looked up here: a caller cannot choose one.
    SELECT found.latitude, found.longitude INTO north, east
    FROM account_position(caller_lane, caller) AS found;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    height := degrees(reach / earth) + 1e-9;
    width := CASE WHEN abs(north) + height >= 90 THEN 180
        ELSE degrees(asin(sin(reach / earth) / cos(radians(north)))) + 1e-9 END;
    -- Those whom the caller has blocked, and those who have blocked the caller.
    hidden := ARRAY(
        SELECT block.blocked_id FROM account_block AS block
        WHERE block.lane = caller_lane AND block.account_id = caller);
    hidden := hidden || ARRAY(SELECT block.account_id FROM account_block AS block WHERE block.blocked_id = caller) || caller;
    RETURN QUERY
        WITH nearest AS MATERIALIZED (
            SELECT measured.* FROM (
                SELECT list.lane, list.id, list.account_id, list.expires_at, cardinality(list.entry_names) AS entry_count,
                    2 * earth * asin(least(1, sqrt(
                        sin(radians(list.latitude - north) / 2) ^ 2
                            + cos(radians(north)) * cos(radians(list.latitude))
                                * sin(radians(list.longitude - east) / 2) ^ 2))) AS metres
                FROM shopping_list AS list
                WHERE list.latitude IS NOT NULL AND list.helper_id IS NULL AND list.delivered_at IS NULL
                    AND list.cancelled_at IS NULL AND list.expires_at > at
                    AND (point(list.longitude, list.latitude) <@ box(
                            point(east - width, north - height), point(east + width, north + height))
                        OR east - width < -180 AND point(list.longitude, list.latitude) <@ box(
                            point(east - width + 360, north - height), point(180, north + height))
                        OR east + width > 180 AND point(list.longitude, list.latitude) <@ box(
                            point(-180, north - height), point(east + width - 360, north + height)))
                    AND list.account_id <> ALL (hidden)
            ) AS measured
            WHERE measured.metres < reach
            -- Within a step of 2 km the order is random, so that it says no more than the step does.
            ORDER BY floor(measured.metres / 2000), random() LIMIT most
        )
        SELECT nearest.id, owner.nickname, nearest.entry_count, nearest.expires_at,
            (floor(nearest.metres / 2000)::integer + 1) * 2
        FROM nearest JOIN account AS owner ON owner.lane = nearest.lane AND owner.id = nearest.account_id
        ORDER BY floor(nearest.metres / 2000), random();
END
$$;
COMMENT ON FUNCTION nearby_lists(smallint, uuid, timestamptz, double precision, integer) IS
    'The open lists of others that are less than so many metres from the centre of the caller''s postcode: by distance in steps '
    'of 2 km, and in random order within a step. What the caller and those owners have blocked is left out (rule 11.3).';

CREATE FUNCTION account_position(owner_lane smallint, owner uuid)
    RETURNS TABLE (area text, latitude double precision, longitude double precision) LANGUAGE plpgsql STABLE AS $$
DECLARE
    wanted_key text;
    wanted_country text;
BEGIN
    SELECT upper(translate(account.postcode, ' -', '')), account.country INTO wanted_key, wanted_country
    FROM account WHERE account.lane = owner_lane AND account.id = owner;
    -- Without a country the code must be one of a single country.
    RETURN QUERY
        SELECT min(known.country) || '-' || left(wanted_key, 2), min(known.latitude), min(known.longitude)
        FROM postcode AS known
        WHERE known.key = wanted_key AND (wanted_country IS NULL OR known.country = wanted_country)
        HAVING count(*) = 1;
END
$$;
COMMENT ON FUNCTION account_position(smallint, uuid) IS
    'The centre of an account''s postcode, with its country and first two characters; no row if the catalogue does not know it, '
    'or knows it in several countries and the account names none.';

-- MARK: Deleting

CREATE FUNCTION delete_draft_list(lane smallint, account_id uuid, id uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM shopping_list AS list
    WHERE list.lane = $1 AND list.account_id = $2 AND list.id = $3 AND list.opened_at IS NULL;
END
$$;
COMMENT ON FUNCTION delete_draft_list(smallint, uuid, uuid) IS 'Deletes a list that was never opened.';

CREATE FUNCTION delete_list_news(lane smallint, account_id uuid, list_id uuid, recipient uuid, version bigint) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM list_news AS news
    WHERE news.lane = $1 AND news.account_id = $2 AND news.list_id = $3 AND news.recipient_id = $4 AND news.list_version <= $5;
END
$$;
COMMENT ON FUNCTION delete_list_news(smallint, uuid, uuid, uuid, bigint) IS
    'Deletes news of a list that were delivered, unless there are newer ones.';

CREATE FUNCTION delete_account_blocks(lane smallint, account_id uuid, ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM account_block AS block WHERE block.lane = $1 AND block.account_id = $2 AND block.id = ANY ($3);
END
$$;
COMMENT ON FUNCTION delete_account_blocks(smallint, uuid, uuid[]) IS 'Unblocks accounts.';

CREATE OR REPLACE FUNCTION tables_of_account() RETURNS TABLE (table_name text, link text) LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
    VALUES
        ('account', 'id'), ('account_email', 'account_id'), ('account_identity', 'account_id'),
        ('account_password', 'account_id'), ('account_phone', 'account_id'), ('account_picture', 'account_id'),
        ('account_session', 'account_id'), ('verification_code', 'account_id'), ('idempotent_request', 'account_id'),
        ('device', 'account_id'), ('device_token', 'account_id'), ('push_action', 'account_id'), ('plant', 'account_id'),
        ('tag', 'account_id'), ('import_batch', 'account_id'), ('sent_push', 'account_id'), ('watering', 'plant_id'),
        ('postponement', 'plant_id'), ('cycle_change', 'plant_id'), ('affection_entry', 'plant_id'),
        ('plant_tag', 'plant_id'), ('import_change', 'batch_id'), ('push_device_outcome', 'device_id'),
        ('thing', 'account_id'), ('thing_completion', 'account_id'), ('thing_tag', 'account_id'),
        ('tombstone', 'account_id'), ('thing_share', 'account_id'), ('calendar_feed', 'account_id'),
        ('shopping_list', 'account_id'), ('helped_list', 'account_id'), ('list_news', 'account_id'),
        ('helper_rating', 'account_id'), ('account_block', 'account_id'), ('list_report', 'account_id'),
        ('list_measure', 'account_id');
END;

-- MARK: What a session for one account sees

-- The columns of a view are those of its table when it was made.
CREATE OR REPLACE VIEW garden.account WITH (security_barrier) AS
SELECT * FROM account
WHERE lane = (SELECT garden.account_lane()) AND id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.shopping_list WITH (security_barrier) AS
SELECT * FROM shopping_list
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.helped_list WITH (security_barrier) AS
SELECT * FROM helped_list
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.list_news WITH (security_barrier) AS
SELECT * FROM list_news
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.helper_rating WITH (security_barrier) AS
SELECT * FROM helper_rating
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.account_block WITH (security_barrier) AS
SELECT * FROM account_block
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.list_report WITH (security_barrier) AS
SELECT * FROM list_report
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE OR REPLACE VIEW garden.occurrence WITH (security_barrier) AS
SELECT * FROM occurrence AS planned
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
    AND (EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = planned.lane AND plant.id = planned.subject_id)
        OR EXISTS (SELECT FROM garden.thing AS thing WHERE thing.lane = planned.lane AND thing.id = planned.subject_id)
        OR EXISTS (SELECT FROM garden.shopping_list AS list WHERE list.lane = planned.lane AND list.id = planned.subject_id)
        OR EXISTS (
            SELECT FROM garden.helped_list AS helped
            WHERE helped.lane = planned.lane AND helped.account_id = planned.account_id AND helped.list_id = planned.subject_id))
WITH CASCADED CHECK OPTION;

DO $$
DECLARE
    shown record;
BEGIN
    FOR shown IN
        SELECT view.relname FROM pg_class AS view
        WHERE view.relnamespace = 'garden'::regnamespace AND obj_description(view.oid, 'pg_class') IS NULL
    LOOP
        EXECUTE format('COMMENT ON VIEW garden.%I IS %L', shown.relname, 'The account''s part of ' || shown.relname || '.');
    END LOOP;
    FOR shown IN
        SELECT view.relname, field.attname, col_description(base.oid, field.attnum) AS comment
        FROM pg_class AS base
        JOIN pg_class AS view ON view.relname = base.relname AND view.relnamespace = 'garden'::regnamespace
        JOIN pg_attribute AS field ON field.attrelid = base.oid AND field.attnum > 0 AND NOT field.attisdropped
        WHERE base.relnamespace = current_schema()::regnamespace
            AND base.relname IN (
                'account', 'occurrence', 'shopping_list', 'helped_list', 'list_news', 'helper_rating', 'account_block',
                'list_report')
    LOOP
        EXECUTE format('COMMENT ON COLUMN garden.%I.%I IS %L', shown.relname, shown.attname, shown.comment);
    END LOOP;
END
$$;

-- What the session asks about neighbours: never whose rows they are.
CREATE FUNCTION garden.nearby_lists(
    caller_lane smallint, caller uuid, at timestamptz, reach double precision, most integer)
    RETURNS TABLE (id uuid, nickname text, entry_count integer, expires_at timestamptz, distance integer)
    LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM garden.require_account(caller);
    RETURN QUERY SELECT * FROM nearby_lists(garden.account_lane(), caller, at, reach, most);
END
$$;
CREATE FUNCTION garden.account_position(owner_lane smallint, owner uuid)
    RETURNS TABLE (area text, latitude double precision, longitude double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM garden.require_account(owner);
    RETURN QUERY SELECT * FROM account_position(garden.account_lane(), owner);
END
$$;
CREATE FUNCTION garden.list_owner(wanted_lane smallint, wanted uuid) RETURNS uuid LANGUAGE sql STABLE SECURITY DEFINER
BEGIN ATOMIC
    SELECT list_owner(wanted_lane, wanted);
END;

CREATE FUNCTION garden.delete_draft_list(lane smallint, account_id uuid, id uuid) RETURNS void SECURITY DEFINER
RETURN delete_draft_list(lane, account_id, id);
CREATE FUNCTION garden.delete_list_news(lane smallint, account_id uuid, list_id uuid, recipient uuid, version bigint)
    RETURNS void SECURITY DEFINER
RETURN delete_list_news(lane, account_id, list_id, recipient, version);
CREATE FUNCTION garden.delete_account_blocks(lane smallint, account_id uuid, ids uuid[]) RETURNS void SECURITY DEFINER
RETURN delete_account_blocks(lane, account_id, ids);

DO $$
DECLARE
    signature text;
    made record;
BEGIN
    FOREACH signature IN ARRAY ARRAY[
        'delete_draft_list(smallint, uuid, uuid)', 'delete_list_news(smallint, uuid, uuid, uuid, bigint)',
        'delete_account_blocks(smallint, uuid, uuid[])'
    ] LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s, garden.%s FROM PUBLIC', signature, signature);
        -- They see only the views of the garden, and so the rows of one account.
        EXECUTE format('ALTER FUNCTION garden.%s SET search_path = garden, %I, pg_temp', signature, current_schema());
        EXECUTE format('COMMENT ON FUNCTION garden.%s IS %L', signature, 'The same for the account that the session acts for.');
    END LOOP;
    FOR made IN
        SELECT function.oid::regprocedure AS signature, function.pronamespace = 'garden'::regnamespace AS is_of_garden
        FROM pg_proc AS function
        WHERE function.pronamespace IN ('garden'::regnamespace, current_schema()::regnamespace)
            AND function.proname IN ('list_owner', 'nearby_lists', 'account_position')
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', made.signature);
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', made.signature, current_schema());
        IF made.is_of_garden THEN
            EXECUTE format(
                'COMMENT ON FUNCTION %s IS %L', made.signature, 'The same with the rights of the owner, for sessions.');
        END IF;
    END LOOP;
END
$$;
