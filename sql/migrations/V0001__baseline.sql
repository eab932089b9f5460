-- The whole schema but for the reports: accounts care for plants, and the engine turns what is due into pushes.
--
-- The lane, 0-255, is the last byte of the account's id. It leads every primary key, so that all rows of an account lie
-- together: the lane is the shard key, the unit of scheduling and the unit of delivery (docs/architecture.md).
--
-- The CHECKs keep out what the engine cannot read. Days and instants lie within the years 1 to 9999, numbers within the
-- ranges that the engine accepts, texts within the lengths that the rules allow; arrays have one dimension and no nulls. A
-- row that gets past them ends what it is about and nothing else, with the reason unreadable_row (docs/decisions/0029).
-- What partition bounds and foreign keys ensure is not repeated.

----------------------------------------------------------------------------------------------------------------- types

CREATE TYPE language AS ENUM ('ko', 'en');
CREATE TYPE contact_method AS ENUM ('call', 'message', 'kakaotalk', 'video', 'in_person', 'other');
CREATE TYPE due_source AS ENUM ('registration', 'watering', 'postponement', 'edit');
CREATE TYPE affection_reason AS ENUM ('contact', 'keywords', 'memo');
CREATE TYPE import_change_kind AS ENUM ('planted', 'restored', 'updated');
CREATE TYPE device_platform AS ENUM ('ios', 'android', 'webhook');
CREATE TYPE topic AS ENUM ('watering_due', 'review_missing', 'birthday', 'withered');
CREATE TYPE push_outcome_kind AS ENUM ('delivered', 'superseded', 'suppressed', 'expired', 'dead');
CREATE TYPE device_outcome AS ENUM ('accepted', 'failed', 'refused', 'token_dead');

COMMENT ON TYPE language IS 'The language in which an account reads pushes.';
COMMENT ON TYPE contact_method IS 'How a contact was made (rule 3.1).';
COMMENT ON TYPE due_source IS 'What set a due date.';
COMMENT ON TYPE affection_reason IS 'Why affection grew (rule 4.1).';
COMMENT ON TYPE import_change_kind IS 'What an import did with a plant: new, brought back, or changed while it lived.';
COMMENT ON TYPE device_platform IS 'Which provider reaches a device.';
COMMENT ON TYPE topic IS 'What a push is about (rules 7.1 and 7.10). A domain adds its topics at the end.';
COMMENT ON TYPE push_outcome_kind IS 'How a planned push ended (rule 7.8).';
COMMENT ON TYPE device_outcome IS
    'What came of sending to one device: accepted, to be tried again, refused for good, or the device is gone.';

-------------------------------------------------------------------------------------------------- accounts and devices

CREATE TABLE account (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    email text NOT NULL,
    nickname text NOT NULL,
    phone text,
    time_zone text NOT NULL,
    language language NOT NULL,
    watering_pushes boolean NOT NULL,
    review_pushes boolean NOT NULL,
    birthday_pushes boolean NOT NULL,
    withered_pushes boolean NOT NULL,
    created_at timestamptz NOT NULL,
    replan_after uuid,
    CONSTRAINT account_pkey PRIMARY KEY (lane, id),
    CONSTRAINT account_lane_is_last_byte_of_id CHECK (lane = get_byte(uuid_send(id), 15)),
    CONSTRAINT account_email_not_blank CHECK (email <> ''),
    CONSTRAINT account_email_length CHECK (octet_length(email) <= 254),
    CONSTRAINT account_nickname_not_blank CHECK (nickname <> ''),
    CONSTRAINT account_nickname_length CHECK (octet_length(nickname) <= 1280),
    CONSTRAINT account_phone_is_e164 CHECK (phone ~ '^\+[1-9][0-9]{4,14}$'),
    -- account_time_zone_is_known follows below its function.
    CONSTRAINT account_time_zone_form CHECK (
        octet_length(time_zone) <= 64 AND time_zone ~ '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z][A-Za-z0-9_+-]*){0,2}$'),
    CONSTRAINT account_created_at_range CHECK (
        created_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z')
);
CREATE INDEX account_by_id ON account (id);
CREATE INDEX account_to_replan ON account (lane, id) WHERE replan_after IS NOT NULL;
COMMENT ON INDEX account_by_id IS 'Finds an account where no lane is given.';
COMMENT ON INDEX account_to_replan IS 'The accounts whose gardens are still being replanned.';
COMMENT ON TABLE account IS 'A person who uses Cherish.';
COMMENT ON COLUMN account.lane IS 'The last byte of the id, 0-255.';
COMMENT ON COLUMN account.id IS 'A random UUID.';
COMMENT ON COLUMN account.email IS 'As the account wrote it; account_email keeps it unique.';
COMMENT ON COLUMN account.nickname IS 'What the account calls itself, 1-20 characters.';
COMMENT ON COLUMN account.phone IS 'E.164, for recovery; null when unknown.';
COMMENT ON COLUMN account.time_zone IS 'The IANA zone whose civil days and wall clock apply to the account''s plants.';
COMMENT ON COLUMN account.language IS 'The language of its pushes.';
COMMENT ON COLUMN account.watering_pushes IS 'Whether it wants pushes on D-day (rule 7.4).';
COMMENT ON COLUMN account.review_pushes IS 'Whether it wants to be reminded of reviews (rule 7.4).';
COMMENT ON COLUMN account.birthday_pushes IS 'Whether it asked for birthday pushes (rule 7.10).';
COMMENT ON COLUMN account.withered_pushes IS 'Whether it asked for pushes about plants that withered (rule 7.10).';
COMMENT ON COLUMN account.created_at IS 'When it was added.';
COMMENT ON COLUMN account.replan_after IS
    'While its garden is replanned in pieces: plants with a greater id are still to come. Null otherwise.';

CREATE TABLE account_email (
    email text NOT NULL,
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    CONSTRAINT account_email_pkey PRIMARY KEY (email),
    -- Otherwise an account could take any number of e-mails.
    CONSTRAINT account_email_account_unique UNIQUE (lane, account_id),
    CONSTRAINT account_email_is_lower_case CHECK (email = lower(email))
);
COMMENT ON TABLE account_email IS 'Finds an account by its e-mail and keeps e-mails unique, outside the lanes.';
COMMENT ON COLUMN account_email.email IS 'The e-mail in lower case.';
COMMENT ON COLUMN account_email.lane IS 'The account''s lane.';
COMMENT ON COLUMN account_email.account_id IS 'The account.';

CREATE TABLE device (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    platform device_platform NOT NULL,
    token text NOT NULL,
    added_at timestamptz NOT NULL,
    secret text,
    retired_at timestamptz,
    retired_reason text,
    CONSTRAINT device_pkey PRIMARY KEY (lane, id),
    CONSTRAINT device_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT device_token_unique UNIQUE (lane, account_id, platform, token),
    CONSTRAINT device_token_length CHECK (octet_length(token) BETWEEN 1 AND 2000),
    CONSTRAINT device_secret_is_for_webhooks CHECK (secret IS NULL OR platform = 'webhook'),
    CONSTRAINT device_secret_form CHECK (secret ~ '^whsec_[A-Za-z0-9+/]{32,86}={0,2}$'),
    CONSTRAINT device_retirement_is_whole CHECK ((retired_at IS NULL) = (retired_reason IS NULL)),
    CONSTRAINT device_instants_range CHECK (
        added_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND retired_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z')
);
COMMENT ON TABLE device IS 'Where an account''s pushes go.';
COMMENT ON COLUMN device.lane IS 'The account''s lane.';
COMMENT ON COLUMN device.id IS 'A random UUID.';
COMMENT ON COLUMN device.account_id IS 'The account.';
COMMENT ON COLUMN device.platform IS 'Which provider reaches it.';
COMMENT ON COLUMN device.token IS 'The provider''s token, or the URL of a webhook.';
COMMENT ON COLUMN device.added_at IS 'When it was added, or last added again.';
COMMENT ON COLUMN device.secret IS 'What signs a webhook''s pushes, whsec_ and Base64; null for other platforms.';
COMMENT ON COLUMN device.retired_at IS 'Since when nothing is sent to it, by the engine''s now; null while it lives.';
COMMENT ON COLUMN device.retired_reason IS 'What its provider said, or not_refreshed.';

-- Whoever signs in on a phone takes its token along, so that nobody else's friends are named on it from then on.
CREATE TABLE device_token (
    platform device_platform NOT NULL,
    token text NOT NULL,
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    device_id uuid NOT NULL,
    CONSTRAINT device_token_pkey PRIMARY KEY (platform, token),
    CONSTRAINT device_token_of_a_phone CHECK (platform <> 'webhook')
);
CREATE INDEX device_token_by_account ON device_token (lane, account_id);
COMMENT ON INDEX device_token_by_account IS 'The phones of an account.';
COMMENT ON TABLE device_token IS
    'Which account a phone belongs to: one at a time, outside the lanes. A webhook may belong to several accounts.';
COMMENT ON COLUMN device_token.platform IS 'ios or android.';
COMMENT ON COLUMN device_token.token IS 'The provider''s token.';
COMMENT ON COLUMN device_token.lane IS 'The lane of the account that has the phone.';
COMMENT ON COLUMN device_token.account_id IS 'The account that has the phone.';
COMMENT ON COLUMN device_token.device_id IS 'Its device.';

CREATE TABLE erasure (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    erased_at timestamptz NOT NULL,
    plant_count integer NOT NULL,
    watering_count integer NOT NULL,
    device_count integer NOT NULL,
    CONSTRAINT erasure_pkey PRIMARY KEY (lane, id)
);
COMMENT ON TABLE erasure IS 'The proof, without personal data, that an account was erased (rule 8.6).';
COMMENT ON COLUMN erasure.lane IS 'The lane it had.';
COMMENT ON COLUMN erasure.id IS
    'A random UUID of the proof itself. The account''s own is not kept: the proof leads to nobody.';
COMMENT ON COLUMN erasure.erased_at IS 'When it was erased.';
COMMENT ON COLUMN erasure.plant_count IS 'How many plants were erased with it.';
COMMENT ON COLUMN erasure.watering_count IS 'How many waterings were erased with it.';
COMMENT ON COLUMN erasure.device_count IS 'How many devices were erased with it.';

-------------------------------------------------------------------------------------- plants and what happened to them

CREATE TABLE plant (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    name text NOT NULL,
    phone text NOT NULL,
    nickname text NOT NULL,
    birthday_year smallint,
    birthday_month smallint,
    birthday_day smallint,
    cycle_days smallint NOT NULL,
    alarm_minute smallint NOT NULL,
    planted_on date NOT NULL,
    last_watered_on date,
    due_on date NOT NULL,
    due_source due_source NOT NULL,
    affection smallint NOT NULL,
    watering_count integer NOT NULL,
    postponement_count integer NOT NULL,
    pushes_enabled boolean NOT NULL,
    alarm_at timestamptz,
    alarmed_due_dates date[] NOT NULL,
    reminder_number integer,
    reminder_at timestamptz,
    birthday_on date,
    birthday_at timestamptz,
    passed_birthday_on date,
    passed_birthday_at timestamptz,
    withered_at timestamptz,
    created_at timestamptz NOT NULL,
    removed_at timestamptz,
    is_favourite boolean NOT NULL DEFAULT false,
    restored_on date,
    CONSTRAINT plant_pkey PRIMARY KEY (lane, id),
    CONSTRAINT plant_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT plant_name_not_blank CHECK (name <> ''),
    CONSTRAINT plant_name_length CHECK (octet_length(name) <= 3200),
    CONSTRAINT plant_nickname_not_blank CHECK (nickname <> ''),
    CONSTRAINT plant_nickname_length CHECK (octet_length(nickname) <= 1280),
    CONSTRAINT plant_phone_is_e164 CHECK (phone ~ '^\+[1-9][0-9]{4,14}$'),
    CONSTRAINT plant_birthday_is_a_day CHECK (
        (birthday_month IS NULL AND birthday_day IS NULL AND birthday_year IS NULL)
        OR make_date(coalesce(birthday_year, 2000)::int, birthday_month::int, birthday_day::int) IS NOT NULL),
    CONSTRAINT plant_birthday_year_range CHECK (birthday_year BETWEEN 1 AND 9999),
    CONSTRAINT plant_cycle_days_range CHECK (cycle_days BETWEEN 1 AND 90),
    CONSTRAINT plant_alarm_minute_range CHECK (alarm_minute BETWEEN 0 AND 1439),
    CONSTRAINT plant_days_range CHECK (
        planted_on BETWEEN '0001-01-01' AND '9999-12-31' AND due_on BETWEEN '0001-01-01' AND '9999-12-31'
        AND last_watered_on BETWEEN '0001-01-01' AND '9999-12-31' AND birthday_on BETWEEN '0001-01-01' AND '9999-12-31'
        AND passed_birthday_on BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT plant_restored_on_range CHECK (restored_on BETWEEN '0001-01-01' AND '9999-12-31'),
    -- The calendar itself limits what can be planned: by its partitions, and it reports what lies beyond them.
    CONSTRAINT plant_instants_range CHECK (
        created_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'
        AND alarm_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND reminder_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND birthday_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND passed_birthday_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND withered_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND removed_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'),
    CONSTRAINT plant_affection_range CHECK (affection BETWEEN 0 AND 100),
    CONSTRAINT plant_counts_not_negative CHECK (watering_count >= 0 AND postponement_count >= 0),
    CONSTRAINT plant_counts_range CHECK (watering_count <= 999999999 AND postponement_count <= 999999999),
    CONSTRAINT plant_alarmed_due_dates_are_days CHECK (
        array_ndims(alarmed_due_dates) IS NULL OR CASE WHEN array_ndims(alarmed_due_dates) = 1 THEN
            cardinality(alarmed_due_dates) <= 8 AND array_position(alarmed_due_dates, NULL) IS NULL
            AND '0001-01-01' <= ALL (alarmed_due_dates) AND '9999-12-31' >= ALL (alarmed_due_dates) ELSE false END),
    CONSTRAINT plant_reminder_is_whole CHECK ((reminder_number IS NULL) = (reminder_at IS NULL)),
    CONSTRAINT plant_reminder_number_range CHECK (reminder_number BETWEEN 1 AND 999999999),
    CONSTRAINT plant_birthday_plan_is_whole CHECK ((birthday_on IS NULL) = (birthday_at IS NULL)),
    CONSTRAINT plant_passed_birthday_is_whole CHECK ((passed_birthday_on IS NULL) = (passed_birthday_at IS NULL))
);
CREATE UNIQUE INDEX plant_living_phone ON plant (lane, account_id, phone) WHERE removed_at IS NULL;
CREATE INDEX plant_removed_phone ON plant (lane, phone, account_id) WHERE removed_at IS NOT NULL;
-- With the id: without statistics, the planner considers an index by lane and account as good as the primary key, and would
-- read the whole garden for each plant.
CREATE INDEX plant_by_account ON plant (lane, account_id, id);
COMMENT ON INDEX plant_living_phone IS 'A phone is unique among an account''s living plants (rule 1.5).';
COMMENT ON INDEX plant_removed_phone IS
    'Finds removed friends by their phones, so that seeds do not plant them again. There are few.';
COMMENT ON INDEX plant_by_account IS 'The garden of an account, removed plants included.';
COMMENT ON TABLE plant IS 'The present state of one friendship. The tables below tell how it came about.';
COMMENT ON COLUMN plant.lane IS 'The account''s lane.';
COMMENT ON COLUMN plant.id IS 'A random UUID.';
COMMENT ON COLUMN plant.account_id IS 'The account that cares for the friend.';
COMMENT ON COLUMN plant.name IS 'As the address book has it, 1-50 characters.';
COMMENT ON COLUMN plant.phone IS 'E.164.';
COMMENT ON COLUMN plant.nickname IS 'What the account calls the friend, 1-20 characters.';
COMMENT ON COLUMN plant.birthday_year IS 'The year of birth; null when unknown.';
COMMENT ON COLUMN plant.birthday_month IS 'The month of birth, 1-12; null when the birthday is unknown.';
COMMENT ON COLUMN plant.birthday_day IS 'The day of birth, 1-31; null when the birthday is unknown.';
COMMENT ON COLUMN plant.cycle_days IS 'Days after which it wants water, 1-90; it decides the species (rule 1.3).';
COMMENT ON COLUMN plant.alarm_minute IS 'The alarm time in minutes after midnight on the wall clock of the account''s zone.';
COMMENT ON COLUMN plant.planted_on IS 'The day of registration.';
COMMENT ON COLUMN plant.last_watered_on IS 'The latest day of a watering; null when never watered.';
COMMENT ON COLUMN plant.due_on IS 'The day on which it wants water.';
COMMENT ON COLUMN plant.due_source IS 'What set the due date.';
COMMENT ON COLUMN plant.affection IS 'The sum of the plant''s affection_entry rows, 0-100.';
COMMENT ON COLUMN plant.watering_count IS 'How many waterings it has; the next one''s number minus one.';
COMMENT ON COLUMN plant.postponement_count IS 'How many postponements it has; the next one''s number minus one.';
COMMENT ON COLUMN plant.pushes_enabled IS 'The plant''s own switch for its pushes (rule 7.4).';
COMMENT ON COLUMN plant.alarm_at IS
    'Points at the occurrence of the due date''s alarm; null when none is planned (rule 7.2).';
COMMENT ON COLUMN plant.alarmed_due_dates IS
    'Past due dates whose alarm was reached and that could come again: they are not planned again (rule 7.2).';
COMMENT ON COLUMN plant.reminder_number IS 'The watering for whose review a reminder is or was planned (rule 7.3).';
COMMENT ON COLUMN plant.reminder_at IS 'When the reminder is or was planned.';
COMMENT ON COLUMN plant.birthday_on IS 'The birthday for which a push is planned (rule 7.10).';
COMMENT ON COLUMN plant.birthday_at IS 'When that push is planned.';
COMMENT ON COLUMN plant.passed_birthday_on IS 'The birthday whose push was reached last; it may still be on its way.';
COMMENT ON COLUMN plant.passed_birthday_at IS 'When that push was planned.';
COMMENT ON COLUMN plant.withered_at IS
    'Points at the occurrence of the withered push, on the day after the due date; null when none is planned (rule 7.10).';
COMMENT ON COLUMN plant.created_at IS 'When it was registered.';
COMMENT ON COLUMN plant.removed_at IS 'When it was removed; null while it lives.';
COMMENT ON COLUMN plant.is_favourite IS 'Whether the account marked the friend as a favourite (rule 9.5).';
COMMENT ON COLUMN plant.restored_on IS
    'The day on which it was last brought back after a removal (rule 1.8); null when it never was.';

CREATE TABLE watering (
    lane smallint NOT NULL,
    plant_id uuid NOT NULL,
    number integer NOT NULL,
    watered_on date NOT NULL,
    recorded_at timestamptz NOT NULL,
    method contact_method NOT NULL,
    due_on date,
    is_backdated boolean NOT NULL,
    keywords text[] NOT NULL,
    memo text,
    is_review_declined boolean NOT NULL,
    CONSTRAINT watering_pkey PRIMARY KEY (lane, plant_id, number),
    CONSTRAINT watering_plant_fkey FOREIGN KEY (lane, plant_id) REFERENCES plant (lane, id) ON DELETE CASCADE,
    CONSTRAINT watering_number_from_one CHECK (number >= 1),
    CONSTRAINT watering_number_range CHECK (number <= 999999999),
    CONSTRAINT watering_days_range CHECK (
        watered_on BETWEEN '0001-01-01' AND '9999-12-31' AND due_on BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT watering_recorded_at_range CHECK (
        recorded_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'),
    CONSTRAINT watering_three_keywords CHECK (cardinality(keywords) <= 3),
    CONSTRAINT watering_keywords_are_words CHECK (
        array_ndims(keywords) IS NULL OR CASE WHEN array_ndims(keywords) = 1 THEN
            array_lower(keywords, 1) = 1 AND array_position(keywords, NULL) IS NULL
            AND octet_length(keywords[1]) BETWEEN 1 AND 320 AND octet_length(keywords[2]) BETWEEN 1 AND 320
            AND octet_length(keywords[3]) BETWEEN 1 AND 320 ELSE false END),
    CONSTRAINT watering_memo_not_blank CHECK (memo <> ''),
    CONSTRAINT watering_memo_length CHECK (octet_length(memo) <= 6400)
);
-- Waterings are stored nearly in the order of time, so the first and last day of each range of pages are enough. Commands pay
-- nothing for it.
CREATE INDEX watering_by_day ON watering USING brin (watered_on) WITH (autosummarize = on);
COMMENT ON INDEX watering_by_day IS 'The waterings of all accounts on some days.';
COMMENT ON TABLE watering IS 'One contact with the friend, with its review (rules 3 and 5).';
COMMENT ON COLUMN watering.lane IS 'The account''s lane.';
COMMENT ON COLUMN watering.plant_id IS 'The plant.';
COMMENT ON COLUMN watering.number IS '1, 2, 3 ... within the plant, in the order of recording.';
COMMENT ON COLUMN watering.watered_on IS 'The civil day of the contact.';
COMMENT ON COLUMN watering.recorded_at IS 'When it was recorded.';
COMMENT ON COLUMN watering.method IS 'How the contact was made.';
COMMENT ON COLUMN watering.due_on IS 'The due date that it set; null when it was older than the latest watering.';
COMMENT ON COLUMN watering.is_backdated IS 'Recorded for a day before the day of recording: it gets no reminder (rule 7.3).';
COMMENT ON COLUMN watering.keywords IS 'Up to three keywords of the review, in NFC.';
COMMENT ON COLUMN watering.memo IS 'The memo of the review, in NFC; null when there is none.';
COMMENT ON COLUMN watering.is_review_declined IS 'The account does not want to review it (rule 5.4).';

CREATE TABLE postponement (
    lane smallint NOT NULL,
    plant_id uuid NOT NULL,
    number integer NOT NULL,
    postponed_at timestamptz NOT NULL,
    from_due_on date NOT NULL,
    days smallint NOT NULL,
    due_on date NOT NULL,
    CONSTRAINT postponement_pkey PRIMARY KEY (lane, plant_id, number),
    CONSTRAINT postponement_plant_fkey FOREIGN KEY (lane, plant_id) REFERENCES plant (lane, id) ON DELETE CASCADE,
    CONSTRAINT postponement_number_range CHECK (number BETWEEN 1 AND 999999999),
    CONSTRAINT postponement_postponed_at_range CHECK (
        postponed_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'),
    CONSTRAINT postponement_days_range CHECK (days BETWEEN 1 AND 7),
    CONSTRAINT postponement_due_on_follows CHECK (due_on = from_due_on + days),
    CONSTRAINT postponement_days_are_finite CHECK (
        from_due_on BETWEEN '0001-01-01' AND '9999-12-31' AND due_on BETWEEN '0001-01-01' AND '9999-12-31')
);
COMMENT ON TABLE postponement IS 'A move of a due date on D-day, by 1 to 7 days (rule 6).';
COMMENT ON COLUMN postponement.lane IS 'The account''s lane.';
COMMENT ON COLUMN postponement.plant_id IS 'The plant.';
COMMENT ON COLUMN postponement.number IS '1, 2, 3 ... within the plant.';
COMMENT ON COLUMN postponement.postponed_at IS 'When it was postponed.';
COMMENT ON COLUMN postponement.from_due_on IS 'The due date before.';
COMMENT ON COLUMN postponement.days IS 'By how many days, 1-7.';
COMMENT ON COLUMN postponement.due_on IS 'The due date that it set.';

CREATE TABLE cycle_change (
    lane smallint NOT NULL,
    plant_id uuid NOT NULL,
    changed_at timestamptz NOT NULL,
    cycle_days smallint NOT NULL,
    due_on date NOT NULL,
    source due_source NOT NULL,
    CONSTRAINT cycle_change_pkey PRIMARY KEY (lane, plant_id, changed_at),
    CONSTRAINT cycle_change_plant_fkey FOREIGN KEY (lane, plant_id) REFERENCES plant (lane, id) ON DELETE CASCADE,
    CONSTRAINT cycle_change_changed_at_range CHECK (
        changed_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z'),
    CONSTRAINT cycle_change_cycle_days_range CHECK (cycle_days BETWEEN 1 AND 90),
    CONSTRAINT cycle_change_due_on_range CHECK (due_on BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT cycle_change_source CHECK (source IN ('registration', 'edit'))
);
COMMENT ON TABLE cycle_change IS
    'The due dates that neither a watering nor a postponement set: registration, restoration, a changed cycle.';
COMMENT ON COLUMN cycle_change.lane IS 'The account''s lane.';
COMMENT ON COLUMN cycle_change.plant_id IS 'The plant.';
COMMENT ON COLUMN cycle_change.changed_at IS 'When it was changed.';
COMMENT ON COLUMN cycle_change.cycle_days IS 'The cycle from then on.';
COMMENT ON COLUMN cycle_change.due_on IS 'The due date that it set.';
COMMENT ON COLUMN cycle_change.source IS 'Registration (or restoration), or an edit.';

CREATE TABLE affection_entry (
    lane smallint NOT NULL,
    plant_id uuid NOT NULL,
    watering_number integer NOT NULL,
    reason affection_reason NOT NULL,
    points smallint NOT NULL,
    gained_at timestamptz NOT NULL,
    CONSTRAINT affection_entry_pkey PRIMARY KEY (lane, plant_id, watering_number, reason),
    CONSTRAINT affection_entry_watering_fkey FOREIGN KEY (lane, plant_id, watering_number)
        REFERENCES watering (lane, plant_id, number) ON DELETE CASCADE,
    CONSTRAINT affection_entry_points_range CHECK (points BETWEEN 1 AND 8),
    CONSTRAINT affection_entry_gained_at_range CHECK (
        gained_at BETWEEN '0001-01-02T00:00:00Z' AND '9999-12-30T23:59:59.999999Z')
);
COMMENT ON TABLE affection_entry IS 'The ledger of affection: its sum is the plant''s affection (rule 4.5).';
COMMENT ON COLUMN affection_entry.lane IS 'The account''s lane.';
COMMENT ON COLUMN affection_entry.plant_id IS 'The plant.';
COMMENT ON COLUMN affection_entry.watering_number IS 'The watering that earned it.';
COMMENT ON COLUMN affection_entry.reason IS 'What earned it; each at most once per watering.';
COMMENT ON COLUMN affection_entry.points IS 'What was actually gained, 1-8: less than 8 when affection became full.';
COMMENT ON COLUMN affection_entry.gained_at IS 'When it was gained.';

------------------------------------------------------------------------------------------------------ tags and imports

CREATE TABLE tag (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    colour integer NOT NULL,
    cycle_days smallint,
    CONSTRAINT tag_pkey PRIMARY KEY (lane, id),
    CONSTRAINT tag_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT tag_name_unique UNIQUE (lane, account_id, name_key),
    CONSTRAINT tag_name_not_blank CHECK (name <> ''),
    CONSTRAINT tag_name_length CHECK (octet_length(name) <= 1280),
    -- Lower case may take more bytes.
    CONSTRAINT tag_name_key_length CHECK (octet_length(name_key) BETWEEN 1 AND 2560),
    CONSTRAINT tag_colour_range CHECK (colour BETWEEN 0 AND 16777215),
    CONSTRAINT tag_cycle_days_range CHECK (cycle_days BETWEEN 1 AND 90)
);
COMMENT ON TABLE tag IS 'A word under which an account groups friends (rule 9).';
COMMENT ON COLUMN tag.lane IS 'The account''s lane.';
COMMENT ON COLUMN tag.id IS 'A random UUID.';
COMMENT ON COLUMN tag.account_id IS 'The account.';
COMMENT ON COLUMN tag.name IS 'As the account wrote it, 1-20 characters.';
COMMENT ON COLUMN tag.name_key IS 'The name in lower case: unique in the account.';
COMMENT ON COLUMN tag.colour IS 'Red, green and blue, 8 bits each, red highest.';
COMMENT ON COLUMN tag.cycle_days IS
    'The cycle of friends that are added under it without one of their own; null when it has none.';

CREATE TABLE plant_tag (
    lane smallint NOT NULL,
    plant_id uuid NOT NULL,
    tag_id uuid NOT NULL,
    CONSTRAINT plant_tag_pkey PRIMARY KEY (lane, plant_id, tag_id),
    CONSTRAINT plant_tag_plant_fkey FOREIGN KEY (lane, plant_id) REFERENCES plant (lane, id) ON DELETE CASCADE,
    CONSTRAINT plant_tag_tag_fkey FOREIGN KEY (lane, tag_id) REFERENCES tag (lane, id) ON DELETE CASCADE
);
CREATE INDEX plant_tag_by_tag ON plant_tag (lane, tag_id);
COMMENT ON INDEX plant_tag_by_tag IS 'The friends of a tag.';
COMMENT ON TABLE plant_tag IS 'Which friends have which tags, at most ten each.';
COMMENT ON COLUMN plant_tag.lane IS 'The account''s lane.';
COMMENT ON COLUMN plant_tag.plant_id IS 'The plant.';
COMMENT ON COLUMN plant_tag.tag_id IS 'The tag.';

CREATE TABLE import_batch (
    lane smallint NOT NULL,
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    imported_at timestamptz NOT NULL,
    file_name text NOT NULL,
    tag_ids uuid[] NOT NULL,
    undone_at timestamptz,
    CONSTRAINT import_batch_pkey PRIMARY KEY (lane, id),
    CONSTRAINT import_batch_account_fkey FOREIGN KEY (lane, account_id) REFERENCES account (lane, id) ON DELETE CASCADE,
    CONSTRAINT import_batch_instants_range CHECK (
        imported_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND undone_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'),
    CONSTRAINT import_batch_tag_ids_are_ids CHECK (
        array_ndims(tag_ids) IS NULL
        OR CASE WHEN array_ndims(tag_ids) = 1 THEN array_position(tag_ids, NULL) IS NULL ELSE false END)
);
CREATE INDEX import_batch_by_account ON import_batch (lane, account_id);
COMMENT ON INDEX import_batch_by_account IS 'The imports of an account.';
COMMENT ON TABLE import_batch IS 'One import of an address book that changed something.';
COMMENT ON COLUMN import_batch.lane IS 'The account''s lane.';
COMMENT ON COLUMN import_batch.id IS 'A random UUID.';
COMMENT ON COLUMN import_batch.account_id IS 'The account.';
COMMENT ON COLUMN import_batch.imported_at IS 'When it was imported, by the engine''s now.';
COMMENT ON COLUMN import_batch.file_name IS 'The last part of the file''s path.';
COMMENT ON COLUMN import_batch.tag_ids IS 'The tags that were created for it.';
COMMENT ON COLUMN import_batch.undone_at IS 'When it was undone; null when it was not.';

-- Undoing an import needs to know the state before it, and whether anything was built on it since.
CREATE TABLE import_change (
    lane smallint NOT NULL,
    batch_id uuid NOT NULL,
    plant_id uuid NOT NULL,
    kind import_change_kind NOT NULL,
    name_before text,
    name_after text,
    birthday text,
    tag_ids uuid[] NOT NULL,
    removed_at timestamptz,
    nickname_before text,
    due_on date,
    due_source due_source,
    care_count integer,
    fingerprint text,
    restored_on date,
    CONSTRAINT import_change_pkey PRIMARY KEY (lane, batch_id, plant_id),
    CONSTRAINT import_change_batch_fkey FOREIGN KEY (lane, batch_id) REFERENCES import_batch (lane, id) ON DELETE CASCADE,
    CONSTRAINT import_change_name_is_whole CHECK ((name_before IS NULL) = (name_after IS NULL)),
    CONSTRAINT import_change_nickname_beside_name CHECK (nickname_before IS NULL OR name_before IS NOT NULL),
    CONSTRAINT import_change_names_length CHECK (
        octet_length(name_before) <= 3200 AND octet_length(name_after) <= 3200 AND octet_length(nickname_before) <= 1280),
    CONSTRAINT import_change_birthday_form CHECK (
        birthday ~ '^([0-9]{4}-)?(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$'),
    CONSTRAINT import_change_tag_ids_are_ids CHECK (
        array_ndims(tag_ids) IS NULL
        OR CASE WHEN array_ndims(tag_ids) = 1 THEN array_position(tag_ids, NULL) IS NULL ELSE false END),
    CONSTRAINT import_change_restored CHECK ((kind = 'restored') = (removed_at IS NOT NULL)),
    CONSTRAINT import_change_removed_at_range CHECK (
        removed_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'),
    CONSTRAINT import_change_due_is_whole CHECK ((due_on IS NULL) = (due_source IS NULL)),
    CONSTRAINT import_change_due_of_restored CHECK (due_on IS NULL OR kind = 'restored'),
    CONSTRAINT import_change_due_on_range CHECK (due_on BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT import_change_restored_on_beside_due CHECK (restored_on IS NULL OR due_on IS NOT NULL),
    CONSTRAINT import_change_restored_on_range CHECK (restored_on BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT import_change_state_is_whole CHECK ((care_count IS NULL) = (fingerprint IS NULL)),
    CONSTRAINT import_change_care_count_range CHECK (care_count >= 0),
    CONSTRAINT import_change_care_count_limit CHECK (care_count <= 1999999998),
    CONSTRAINT import_change_fingerprint_form CHECK (fingerprint ~ '^[0-9a-f]{16}$')
);
COMMENT ON TABLE import_change IS 'What an import did with one plant: enough to undo it.';
COMMENT ON COLUMN import_change.lane IS 'The account''s lane.';
COMMENT ON COLUMN import_change.batch_id IS 'The import.';
COMMENT ON COLUMN import_change.plant_id IS 'The plant; undoing the import may have deleted it.';
COMMENT ON COLUMN import_change.kind IS 'What was done.';
COMMENT ON COLUMN import_change.name_before IS 'The name that was corrected; null where the name stayed.';
COMMENT ON COLUMN import_change.name_after IS 'What it was corrected to.';
COMMENT ON COLUMN import_change.birthday IS 'The birthday that was added, as 1994-05-21 or 05-21; null when none was.';
COMMENT ON COLUMN import_change.tag_ids IS 'The tags that were added.';
COMMENT ON COLUMN import_change.removed_at IS 'Since when a restored plant had been removed; null for others.';
COMMENT ON COLUMN import_change.nickname_before IS 'The nickname beside name_before; null when unknown.';
COMMENT ON COLUMN import_change.due_on IS 'The due date that a restored plant had; null for others, and when unknown.';
COMMENT ON COLUMN import_change.due_source IS 'What had set that due date.';
COMMENT ON COLUMN import_change.care_count IS
    'How many waterings and postponements a new or restored plant had; null for others, and when unknown.';
COMMENT ON COLUMN import_change.fingerprint IS
    'A hash of everything else about it that commands can change, as the import left it: 16 hexadecimal digits.';
COMMENT ON COLUMN import_change.restored_on IS
    'The day on which a restored plant had been brought back before; null for others, and when it never was.';

---------------------------------------------------------------------------------------------------- calendar and lanes

CREATE TABLE lane (
    lane smallint NOT NULL,
    cursor_at timestamptz NOT NULL,
    cursor_subject_id uuid NOT NULL,
    cursor_topic topic NOT NULL,
    -- Without a range: the cursor has to pass an occurrence whatever its ref.
    cursor_ref integer NOT NULL,
    last_seq bigint NOT NULL,
    last_recorded_at timestamptz NOT NULL,
    CONSTRAINT lane_pkey PRIMARY KEY (lane),
    CONSTRAINT lane_range CHECK (lane BETWEEN 0 AND 255),
    CONSTRAINT lane_cursor_at_range CHECK (
        cursor_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'),
    CONSTRAINT lane_last_seq_range CHECK (last_seq BETWEEN 0 AND 4611686018427387903),
    CONSTRAINT lane_last_recorded_at_range CHECK (
        last_recorded_at >= '0001-01-01T00:00:00Z' AND last_recorded_at < '2100-01-01T00:00:00Z')
);
COMMENT ON TABLE lane IS
    'How far each lane''s calendar is scheduled. Commands lock the row FOR SHARE, the scheduler FOR UPDATE.';
COMMENT ON COLUMN lane.lane IS 'The lane, 0-255.';
COMMENT ON COLUMN lane.cursor_at IS 'The instant of the last occurrence that was scheduled; only a repair moves it back.';
COMMENT ON COLUMN lane.cursor_subject_id IS 'The subject of that occurrence.';
COMMENT ON COLUMN lane.cursor_topic IS 'The topic of that occurrence.';
COMMENT ON COLUMN lane.cursor_ref IS 'The ref of that occurrence.';
COMMENT ON COLUMN lane.last_seq IS 'The number of the lane''s newest push job.';
COMMENT ON COLUMN lane.last_recorded_at IS 'When that job was recorded; the next one is not recorded earlier.';

CREATE TABLE lane_delivery (
    lane smallint NOT NULL,
    cursor_recorded_at timestamptz NOT NULL,
    cursor_seq bigint NOT NULL,
    fence bigint NOT NULL,
    leased_by text,
    leased_until timestamptz,
    CONSTRAINT lane_delivery_pkey PRIMARY KEY (lane),
    CONSTRAINT lane_delivery_lane_fkey FOREIGN KEY (lane) REFERENCES lane (lane),
    CONSTRAINT lane_delivery_cursor_recorded_at_range CHECK (
        cursor_recorded_at >= '0001-01-01T00:00:00Z' AND cursor_recorded_at < '2100-01-01T00:00:00Z'),
    CONSTRAINT lane_delivery_cursor_seq_range CHECK (cursor_seq BETWEEN 0 AND 4611686018427387903),
    CONSTRAINT lane_delivery_fence_range CHECK (fence BETWEEN 0 AND 4611686018427387903),
    CONSTRAINT lane_delivery_lease_is_whole CHECK ((leased_by IS NULL) = (leased_until IS NULL)),
    CONSTRAINT lane_delivery_leased_until_range CHECK (
        leased_until BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z')
);
COMMENT ON TABLE lane_delivery IS 'How far each lane''s push jobs are delivered, and who is delivering them.';
COMMENT ON COLUMN lane_delivery.lane IS 'The lane, 0-255.';
COMMENT ON COLUMN lane_delivery.cursor_recorded_at IS 'When the last job that is done was recorded.';
COMMENT ON COLUMN lane_delivery.cursor_seq IS 'The number of the last job that is done.';
COMMENT ON COLUMN lane_delivery.fence IS 'Grows with each holder of the lease; a receipt with an older one is refused.';
COMMENT ON COLUMN lane_delivery.leased_by IS 'The worker that holds the lane; null when none does.';
COMMENT ON COLUMN lane_delivery.leased_until IS 'When the lease runs out, by the database''s clock.';

INSERT INTO lane (lane, cursor_at, cursor_subject_id, cursor_topic, cursor_ref, last_seq, last_recorded_at)
SELECT number, 'epoch', '00000000-0000-0000-0000-000000000000', 'watering_due', 0, 0, 'epoch'
FROM generate_series(0, 255) AS number;
INSERT INTO lane_delivery (lane, cursor_recorded_at, cursor_seq, fence)
SELECT lane, 'epoch', 0, 0 FROM lane;

CREATE TABLE occurrence (
    lane smallint NOT NULL,
    at timestamptz NOT NULL,
    account_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    topic topic NOT NULL,
    ref integer NOT NULL,
    CONSTRAINT occurrence_pkey PRIMARY KEY (lane, at, subject_id, topic, ref),
    -- This table and push_job get the most rows, and therefore the fewest comparisons.
    CONSTRAINT occurrence_lane_range CHECK (lane BETWEEN 0 AND 255),
    -- A watering's number, or a day of the years 1 to 9999.
    CONSTRAINT occurrence_ref_range CHECK (
        CASE WHEN topic = 'review_missing' THEN ref BETWEEN 1 AND 999999999 ELSE ref BETWEEN -719162 AND 2932896 END)
) PARTITION BY RANGE (at);
COMMENT ON TABLE occurrence IS
    'The calendar: every planned moment, written by the command that causes it. By month of its instant.';
COMMENT ON COLUMN occurrence.lane IS 'The account''s lane.';
COMMENT ON COLUMN occurrence.at IS 'When it is planned for.';
COMMENT ON COLUMN occurrence.account_id IS 'The account that it reminds; zeros once the account was erased.';
COMMENT ON COLUMN occurrence.subject_id IS
    'The subject, which is what the push is about: now a plant, later also a thing or a list. It may have been erased since.';
COMMENT ON COLUMN occurrence.topic IS 'What it says about the subject.';
COMMENT ON COLUMN occurrence.ref IS
    'A number that the subject''s domain understands. For review_missing it is the watering''s number, otherwise a civil day in '
    'days since 1970-01-01: the due date or the birthday.';

CREATE TABLE occurrence_outcome (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    planned_at timestamptz NOT NULL,
    topic topic NOT NULL,
    ref integer NOT NULL,
    outcome push_outcome_kind NOT NULL,
    reason text NOT NULL,
    finished_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    CONSTRAINT occurrence_outcome_pkey PRIMARY KEY (lane, subject_id, planned_at, topic, ref, recorded_at),
    CONSTRAINT occurrence_outcome_lane_range CHECK (lane BETWEEN 0 AND 255),
    -- It also tells how an occurrence ended that got past the constraints of its own table.
    CONSTRAINT occurrence_outcome_ref_range CHECK (
        CASE WHEN topic = 'review_missing' THEN ref BETWEEN 1 AND 999999999 ELSE ref BETWEEN -719162 AND 2932896 END
        OR reason = 'unreadable_row'),
    CONSTRAINT occurrence_outcome_instants_range CHECK (
        planned_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND finished_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z')
) PARTITION BY RANGE (recorded_at);
COMMENT ON TABLE occurrence_outcome IS 'How occurrences ended that never became a push job. By day of recording.';
COMMENT ON COLUMN occurrence_outcome.lane IS 'The account''s lane.';
COMMENT ON COLUMN occurrence_outcome.account_id IS 'The account that it would have reminded; zeros once the account was erased.';
COMMENT ON COLUMN occurrence_outcome.subject_id IS 'As in occurrence.';
COMMENT ON COLUMN occurrence_outcome.planned_at IS 'When the occurrence was planned for.';
COMMENT ON COLUMN occurrence_outcome.topic IS 'What it said about the subject.';
COMMENT ON COLUMN occurrence_outcome.ref IS 'As in occurrence.';
COMMENT ON COLUMN occurrence_outcome.outcome IS 'How it ended.';
COMMENT ON COLUMN occurrence_outcome.reason IS 'Why.';
COMMENT ON COLUMN occurrence_outcome.finished_at IS 'When, by the engine''s now.';
COMMENT ON COLUMN occurrence_outcome.recorded_at IS 'When this row was written, by the database''s clock.';

----------------------------------------------------------------------------------------------------- the log of pushes

CREATE TABLE push_job (
    lane smallint NOT NULL,
    recorded_at timestamptz NOT NULL,
    seq bigint NOT NULL,
    account_id uuid NOT NULL,
    subject_id uuid NOT NULL,
    topic topic NOT NULL,
    ref integer NOT NULL,
    planned_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT push_job_pkey PRIMARY KEY (lane, recorded_at, seq),
    CONSTRAINT push_job_lane_range CHECK (lane BETWEEN 0 AND 255),
    CONSTRAINT push_job_seq_range CHECK (seq BETWEEN 1 AND 4611686018427387903),
    CONSTRAINT push_job_ref_range CHECK (
        CASE WHEN topic = 'review_missing' THEN ref BETWEEN 1 AND 999999999 ELSE ref BETWEEN -719162 AND 2932896 END),
    CONSTRAINT push_job_instants_range CHECK (
        planned_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND expires_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z')
) PARTITION BY RANGE (recorded_at);
COMMENT ON TABLE push_job IS 'The log of pushes to deliver, appended by the scheduler, never updated. By day of recording.';
COMMENT ON COLUMN push_job.lane IS 'The account''s lane.';
COMMENT ON COLUMN push_job.recorded_at IS 'When it was written, by the database''s clock; it never decreases within a lane.';
COMMENT ON COLUMN push_job.seq IS '1, 2, 3 ... within the lane, without gaps.';
COMMENT ON COLUMN push_job.account_id IS 'The account that it reminds; zeros once the account was erased.';
COMMENT ON COLUMN push_job.subject_id IS 'As in occurrence.';
COMMENT ON COLUMN push_job.topic IS 'What it says about the subject.';
COMMENT ON COLUMN push_job.ref IS 'As in occurrence.';
COMMENT ON COLUMN push_job.planned_at IS 'When it was planned for.';
COMMENT ON COLUMN push_job.expires_at IS 'From when on it is no longer worth sending (rule 7.7).';

CREATE TABLE push_receipt (
    lane smallint NOT NULL,
    to_seq bigint NOT NULL,
    recorded_at timestamptz NOT NULL,
    from_seq bigint NOT NULL,
    fence bigint NOT NULL,
    worker text NOT NULL,
    finished_at timestamptz NOT NULL,
    CONSTRAINT push_receipt_pkey PRIMARY KEY (lane, to_seq, recorded_at),
    CONSTRAINT push_receipt_lane_range CHECK (lane BETWEEN 0 AND 255),
    CONSTRAINT push_receipt_range CHECK (from_seq BETWEEN 1 AND to_seq),
    CONSTRAINT push_receipt_to_seq_range CHECK (to_seq <= 4611686018427387903),
    CONSTRAINT push_receipt_fence_range CHECK (fence BETWEEN 0 AND 4611686018427387903),
    CONSTRAINT push_receipt_finished_at_range CHECK (
        finished_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z')
) PARTITION BY RANGE (recorded_at);
COMMENT ON TABLE push_receipt IS
    'One row per batch of jobs: all of them were delivered, except those in push_outcome and push_retry.';
COMMENT ON COLUMN push_receipt.lane IS 'The lane.';
COMMENT ON COLUMN push_receipt.to_seq IS 'The last job of the batch.';
COMMENT ON COLUMN push_receipt.recorded_at IS 'When the last job of the batch was recorded; the receipt lies in that day.';
COMMENT ON COLUMN push_receipt.from_seq IS 'The first job of the batch.';
COMMENT ON COLUMN push_receipt.fence IS 'The fence of the lease under which it was delivered.';
COMMENT ON COLUMN push_receipt.worker IS 'The worker that delivered it.';
COMMENT ON COLUMN push_receipt.finished_at IS 'When, by the engine''s now.';

CREATE TABLE push_outcome (
    lane smallint NOT NULL,
    recorded_at timestamptz NOT NULL,
    seq bigint NOT NULL,
    outcome push_outcome_kind NOT NULL,
    reason text NOT NULL,
    finished_at timestamptz NOT NULL,
    CONSTRAINT push_outcome_pkey PRIMARY KEY (lane, recorded_at, seq),
    CONSTRAINT push_outcome_lane_range CHECK (lane BETWEEN 0 AND 255),
    CONSTRAINT push_outcome_seq_range CHECK (seq BETWEEN 1 AND 4611686018427387903 OR reason = 'unreadable_row'),
    CONSTRAINT push_outcome_finished_at_range CHECK (
        finished_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z')
) PARTITION BY RANGE (recorded_at);
COMMENT ON TABLE push_outcome IS 'How those jobs ended that were not simply delivered with their batch.';
COMMENT ON COLUMN push_outcome.lane IS 'The lane.';
COMMENT ON COLUMN push_outcome.recorded_at IS 'When the job was recorded.';
COMMENT ON COLUMN push_outcome.seq IS 'The job.';
COMMENT ON COLUMN push_outcome.outcome IS 'How it ended.';
COMMENT ON COLUMN push_outcome.reason IS 'Why.';
COMMENT ON COLUMN push_outcome.finished_at IS 'When, by the engine''s now.';

CREATE TABLE push_device_outcome (
    lane smallint NOT NULL,
    recorded_at timestamptz NOT NULL,
    seq bigint NOT NULL,
    device_id uuid NOT NULL,
    outcome device_outcome NOT NULL,
    reason text NOT NULL,
    attempts integer NOT NULL,
    finished_at timestamptz NOT NULL,
    CONSTRAINT push_device_outcome_pkey PRIMARY KEY (lane, recorded_at, seq, device_id),
    CONSTRAINT push_device_outcome_lane_range CHECK (lane BETWEEN 0 AND 255),
    CONSTRAINT push_device_outcome_seq_range CHECK (seq BETWEEN 1 AND 4611686018427387903),
    CONSTRAINT push_device_outcome_attempts_from_one CHECK (attempts >= 1),
    CONSTRAINT push_device_outcome_attempts_range CHECK (attempts <= 999999999),
    CONSTRAINT push_device_outcome_finished_at_range CHECK (
        finished_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z')
) PARTITION BY RANGE (recorded_at);
COMMENT ON TABLE push_device_outcome IS
    'What the provider of each device said of a job when it was last asked. By day of the job''s recording.';
COMMENT ON COLUMN push_device_outcome.lane IS 'The lane.';
COMMENT ON COLUMN push_device_outcome.recorded_at IS 'When the job was recorded.';
COMMENT ON COLUMN push_device_outcome.seq IS 'The job.';
COMMENT ON COLUMN push_device_outcome.device_id IS 'The device; it may have been removed since.';
COMMENT ON COLUMN push_device_outcome.outcome IS 'What came of it.';
COMMENT ON COLUMN push_device_outcome.reason IS 'The provider''s status and code, or why it gave no answer.';
COMMENT ON COLUMN push_device_outcome.attempts IS 'How often the provider was asked to take the job to this device.';
COMMENT ON COLUMN push_device_outcome.finished_at IS 'When it last was, by the engine''s now.';

CREATE TABLE push_retry (
    lane smallint NOT NULL,
    seq bigint NOT NULL,
    recorded_at timestamptz NOT NULL,
    attempts integer NOT NULL,
    retry_at timestamptz NOT NULL,
    last_error text,
    CONSTRAINT push_retry_pkey PRIMARY KEY (lane, seq),
    CONSTRAINT push_retry_lane_range CHECK (lane BETWEEN 0 AND 255),
    CONSTRAINT push_retry_seq_range CHECK (seq BETWEEN 1 AND 4611686018427387903),
    CONSTRAINT push_retry_attempts_not_negative CHECK (attempts >= 0),
    CONSTRAINT push_retry_attempts_range CHECK (attempts <= 999999999),
    CONSTRAINT push_retry_instants_range CHECK (
        recorded_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
        AND retry_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z')
);
CREATE INDEX push_retry_due ON push_retry (lane, retry_at);
COMMENT ON INDEX push_retry_due IS 'The retries of a lane that are due.';
COMMENT ON TABLE push_retry IS 'Jobs to try again; the cursor does not wait for them. A row goes when its job ends.';
COMMENT ON COLUMN push_retry.lane IS 'The lane.';
COMMENT ON COLUMN push_retry.seq IS 'The job.';
COMMENT ON COLUMN push_retry.recorded_at IS 'When the job was recorded.';
COMMENT ON COLUMN push_retry.attempts IS 'How often it was tried; waiting for quiet hours to end is no attempt.';
COMMENT ON COLUMN push_retry.retry_at IS 'When to try again, by the engine''s now.';
COMMENT ON COLUMN push_retry.last_error IS 'What the provider said, without personal data; null while it only waited.';

CREATE TABLE sent_push (
    lane smallint NOT NULL,
    account_id uuid NOT NULL,
    recorded_at timestamptz NOT NULL,
    collapse_id text NOT NULL,
    sent_on date NOT NULL,
    subject_ids uuid[] NOT NULL,
    CONSTRAINT sent_push_pkey PRIMARY KEY (lane, account_id, recorded_at, collapse_id),
    CONSTRAINT sent_push_lane_range CHECK (lane BETWEEN 0 AND 255),
    CONSTRAINT sent_push_collapse_id_length CHECK (octet_length(collapse_id) BETWEEN 1 AND 64),
    CONSTRAINT sent_push_sent_on_range CHECK (sent_on BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT sent_push_subject_ids_are_ids CHECK (
        array_ndims(subject_ids) IS NULL
        OR CASE WHEN array_ndims(subject_ids) = 1 THEN array_position(subject_ids, NULL) IS NULL ELSE false END)
) PARTITION BY RANGE (recorded_at);
COMMENT ON TABLE sent_push IS
    'The pushes that reached a device of an account, so that the same minute is not sent twice and those of a day are counted. '
    'By day of the job''s recording.';
COMMENT ON COLUMN sent_push.lane IS 'The account''s lane.';
COMMENT ON COLUMN sent_push.account_id IS 'The account; its rows are erased with it.';
COMMENT ON COLUMN sent_push.recorded_at IS 'When the job with which it went was recorded.';
COMMENT ON COLUMN sent_push.collapse_id IS 'Topic and minute, or the digest of a day: a phone shows one push with it.';
COMMENT ON COLUMN sent_push.sent_on IS 'The civil day in the account''s zone on which it was sent.';
COMMENT ON COLUMN sent_push.subject_ids IS 'The subjects that it named.';

------------------------------------------------------------------------------------------------ counts for the reports

-- Kept of each day of the log, so that counting does not read the log again and again, and does not end with it.
CREATE TABLE push_day (
    recorded_on date NOT NULL,
    day date NOT NULL,
    topic topic NOT NULL,
    outcome push_outcome_kind NOT NULL,
    reason text NOT NULL,
    push_count bigint NOT NULL,
    delay_seconds double precision NOT NULL,
    longest_delay_seconds double precision NOT NULL,
    within_10_seconds_count bigint NOT NULL,
    within_1_minute_count bigint NOT NULL,
    within_10_minutes_count bigint NOT NULL,
    watered_count bigint NOT NULL,
    reviewed_count bigint NOT NULL,
    CONSTRAINT push_day_pkey PRIMARY KEY (recorded_on, day, topic, outcome, reason),
    CONSTRAINT push_day_days_range CHECK (
        recorded_on BETWEEN '0001-01-01' AND '9999-12-31' AND day BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT push_day_counts_range CHECK (
        push_count BETWEEN 0 AND 1000000000000 AND within_10_seconds_count BETWEEN 0 AND 1000000000000
        AND within_1_minute_count BETWEEN 0 AND 1000000000000 AND within_10_minutes_count BETWEEN 0 AND 1000000000000
        AND watered_count BETWEEN 0 AND 1000000000000 AND reviewed_count BETWEEN 0 AND 1000000000000),
    -- NaN sorts above all numbers, so this refuses it as well.
    CONSTRAINT push_day_delays_are_finite CHECK (
        abs(delay_seconds) <= 1e24 AND abs(longest_delay_seconds) <= 1e12)
);
COMMENT ON TABLE push_day IS
    'What is kept of a day of the log once all its pushes have ended: counts of the whole service, nothing about anybody.';
COMMENT ON COLUMN push_day.recorded_on IS 'The day of the log, in UTC by the database''s clock.';
COMMENT ON COLUMN push_day.day IS 'The civil day that the pushes were for, of each account in its own zone.';
COMMENT ON COLUMN push_day.topic IS 'What they were about.';
COMMENT ON COLUMN push_day.outcome IS 'How they ended.';
COMMENT ON COLUMN push_day.reason IS 'Why.';
COMMENT ON COLUMN push_day.push_count IS 'How many.';
COMMENT ON COLUMN push_day.delay_seconds IS 'The sum of the times from the planned instant to the end.';
COMMENT ON COLUMN push_day.longest_delay_seconds IS 'The longest of them.';
COMMENT ON COLUMN push_day.within_10_seconds_count IS 'Those that ended within 10 seconds of the planned instant.';
COMMENT ON COLUMN push_day.within_1_minute_count IS 'Those that ended within a minute of it.';
COMMENT ON COLUMN push_day.within_10_minutes_count IS 'Those that ended within 10 minutes of it.';
COMMENT ON COLUMN push_day.watered_count IS
    'Those that were delivered and after which the plant was watered within 24 hours.';
COMMENT ON COLUMN push_day.reviewed_count IS 'Those of them whose watering had a review when they were counted.';

------------------------------------------------------------------------------------------------ engine locks and marks

CREATE TABLE engine_lock (
    name text NOT NULL,
    held_by text,
    held_until timestamptz,
    CONSTRAINT engine_lock_pkey PRIMARY KEY (name),
    CONSTRAINT engine_lock_lease_is_whole CHECK ((held_by IS NULL) = (held_until IS NULL))
);
COMMENT ON TABLE engine_lock IS
    'What only one program does at a time: it locks the row for one transaction, or records itself there for several.';
COMMENT ON COLUMN engine_lock.name IS 'What is done.';
COMMENT ON COLUMN engine_lock.held_by IS 'Who does it over several transactions; null when nobody does.';
COMMENT ON COLUMN engine_lock.held_until IS 'When another program may take over, by the database''s clock.';
INSERT INTO engine_lock (name) VALUES ('counting'), ('dropping');

CREATE TABLE database_mark (
    purpose text NOT NULL,
    marked_at timestamptz NOT NULL,
    CONSTRAINT database_mark_pkey PRIMARY KEY (purpose),
    CONSTRAINT database_mark_purpose CHECK (purpose = 'test')
);
COMMENT ON TABLE database_mark IS
    'Marks a database that is not for production: in one for tests, a tick may go far into the future.';
COMMENT ON COLUMN database_mark.purpose IS 'test.';
COMMENT ON COLUMN database_mark.marked_at IS 'When the owner of the tables marked it, by the database''s clock.';

------------------------------------------------------------------------------------------------------------- functions

-- MARK: Time zones

-- Raises an error where this server's tz database has no such name. PostgreSQL also accepts POSIX texts like ABC+1 and, by
-- a setting of the session, abbreviations. The zones with digits are listed, since there will be no new ones. A zone without
-- a slash may be an abbreviation and is looked up in the whole list, which takes some hundredths of a second.
CREATE FUNCTION is_known_time_zone(name text) RETURNS boolean
    LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN timezone(name, timestamptz 'epoch') IS NOT NULL AND CASE
        WHEN name ~ '[0-9]' THEN name ~ (
            '^(Etc/)?GMT[+-]?0$|^Etc/GMT([+]([1-9]|1[0-2])|-([1-9]|1[0-4]))$|^(EST5EDT|CST6CDT|MST7MDT|PST8PDT)$')
        WHEN name = 'UTC' OR name LIKE '%/%' THEN true
        ELSE EXISTS (SELECT FROM pg_timezone_names WHERE pg_timezone_names.name = is_known_time_zone.name) END;
END
$$;
COMMENT ON FUNCTION is_known_time_zone(text) IS 'Whether a text is the name of an IANA zone that this server knows.';

-- Never to be validated. A constraint that is NOT VALID still checks everything that is written, but a dump adds it after the
-- rows. A server with an older tz database than the dump's then takes all accounts, where a constraint in the table itself
-- would lose every one of them for a single new zone.
ALTER TABLE account
    ADD CONSTRAINT account_time_zone_is_known CHECK (is_known_time_zone(time_zone)) NOT VALID;

-- MARK: Partitions

-- Housekeeping makes partitions ahead, and whoever needs one that is missing makes it on demand. ATTACH instead of PARTITION
-- OF, because it does not lock out writers of the other partitions. If the partition exists, the function takes no lock at
-- all. Otherwise it takes the lock of the table that ATTACH needs in any case; roles without UPDATE or DELETE on the whole
-- table cannot take it. Only tables and instants that belong there are accepted, so that no program can make a partition that
-- keeps others from being made.
CREATE FUNCTION make_partition(parent text, unit text, instant timestamptz) RETURNS void
    -- The bounds are written and read according to the session's settings, and the caller may be anybody.
    LANGUAGE plpgsql SECURITY DEFINER SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
DECLARE
    first timestamptz := date_trunc(unit, instant AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
    after timestamptz := (date_trunc(unit, instant AT TIME ZONE 'UTC') + ('1 ' || unit)::interval) AT TIME ZONE 'UTC';
    child text := parent || to_char(first AT TIME ZONE 'UTC', CASE unit WHEN 'month' THEN '_YYYYMM' ELSE '_YYYYMMDD' END);
    -- With its schema, so that a temporary table of the caller is not meant.
    place text := quote_ident(current_schema()) || '.' || quote_ident(child);
BEGIN
    IF (parent, unit) NOT IN (
        ('occurrence', 'month'), ('occurrence_outcome', 'day'), ('push_job', 'day'), ('push_outcome', 'day'),
        ('push_receipt', 'day'), ('push_device_outcome', 'day'), ('sent_push', 'day')
    ) THEN
        RAISE EXCEPTION '% has no partitions by %', parent, unit USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF instant < '2000-01-01T00:00:00Z' OR instant >= '2100-01-01T00:00:00Z' THEN
        RAISE EXCEPTION 'no partition is made for %; look at the clocks', instant USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF to_regclass(place) IS NOT NULL THEN
        RETURN;
    END IF;
    -- One at a time: two programs may need the same partition at once.
    EXECUTE format('LOCK TABLE %I IN SHARE UPDATE EXCLUSIVE MODE', parent);
    IF to_regclass(place) IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format('CREATE TABLE %s (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING COMMENTS)', place, parent);
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', parent, place, first, after);
END
$$;
COMMENT ON FUNCTION make_partition(text, text, timestamptz) IS
    'Makes the partition of a table of the calendar or the log for the month or day of an instant, if it is missing.';

CREATE FUNCTION make_log_partitions(instant timestamptz) RETURNS void
    LANGUAGE sql AS $$
    SELECT make_partition(parent, 'day', instant)
    FROM unnest(ARRAY[
        'occurrence_outcome', 'push_job', 'push_outcome', 'push_receipt', 'push_device_outcome', 'sent_push'
    ]) AS parent
$$;
COMMENT ON FUNCTION make_log_partitions(timestamptz) IS
    'Makes the partitions of the log and of what belongs to it for the day of an instant, if they are missing.';

CREATE FUNCTION make_calendar_partition(instant timestamptz) RETURNS void
    LANGUAGE sql SECURITY DEFINER AS $$
    SELECT make_partition('occurrence', 'month', instant)
$$;
COMMENT ON FUNCTION make_calendar_partition(timestamptz) IS
    'Makes the partition of the calendar for the month of an instant, if it is missing.';

-- The owner of the tables detaches a partition while others read it (DETACH ... CONCURRENTLY), which no function can do. This
-- one locks the whole table for a moment, and gives up soon, so that nobody waits long behind it.
CREATE FUNCTION drop_partition(partition text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '100ms' AS $$
BEGIN
    IF partition !~ ('^((push_(job|outcome|receipt|device_outcome)|sent_push|occurrence_outcome)_[0-9]{8}'
        '|occurrence_[0-9]{6})$')
    THEN
        RAISE EXCEPTION '% is no partition of the calendar or the log', partition USING ERRCODE = 'invalid_parameter_value';
    END IF;
    EXECUTE format('DROP TABLE IF EXISTS %I', partition);
END
$$;
COMMENT ON FUNCTION drop_partition(text) IS
    'Drops a partition of the calendar or the log, attached or not, for programs that do not own it.';

-- Programs do not own the tables, and autovacuum takes its time: after a large import, the planner would know nothing of it.
-- ANALYZE holds up only another ANALYZE, and whoever makes or drops a partition. Of two at once, the second soon gives up.
CREATE FUNCTION analyze_gardens() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '1s' AS $$
BEGIN
    ANALYZE plant, occurrence, watering, cycle_change, plant_tag, import_change;
END
$$;
COMMENT ON FUNCTION analyze_gardens() IS
    'Tells the planner what the tables of gardens hold, after an import of many friends.';

-- MARK: Counting

CREATE FUNCTION count_pushes(since timestamptz, until timestamptz)
    RETURNS SETOF push_day
    -- Views call it for readers who may not see the log. JIT is off: a plan over so many partitions looks expensive enough to
    -- be compiled, and compiling it takes ten times as long as running it.
    LANGUAGE sql STABLE SECURITY DEFINER SET jit = off AS $$
    WITH ended AS (
        SELECT job.lane, job.recorded_at, job.account_id, job.subject_id, job.topic, job.ref,
            CASE WHEN job.planned_at BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999999Z'
                THEN job.planned_at ELSE job.recorded_at END AS planned_at,
            coalesce(outcome.outcome, CASE WHEN finish.finished_at IS NOT NULL THEN 'delivered'::push_outcome_kind END)
                AS outcome,
            coalesce(outcome.reason, CASE WHEN finish.finished_at IS NOT NULL THEN 'sent' END) AS reason,
            coalesce(outcome.finished_at, finish.finished_at) AS finished_at
        FROM push_job AS job
        LEFT JOIN push_outcome AS outcome
            ON outcome.lane = job.lane AND outcome.recorded_at = job.recorded_at AND outcome.seq = job.seq
            AND outcome.recorded_at >= since AND outcome.recorded_at < until
        LEFT JOIN push_retry AS retry ON retry.lane = job.lane AND retry.seq = job.seq
        LEFT JOIN (
            SELECT batch.lane, done.seq, batch.finished_at
            FROM push_receipt AS batch CROSS JOIN LATERAL generate_series(batch.from_seq, batch.to_seq) AS done (seq)
            WHERE batch.recorded_at >= since AND batch.recorded_at < until
        ) AS receipt ON receipt.lane = job.lane AND receipt.seq = job.seq
        -- The receipt of a batch lies in the day of its last job, which may be a later one.
        CROSS JOIN LATERAL (
            SELECT CASE WHEN retry.seq IS NULL AND outcome.seq IS NULL THEN coalesce(receipt.finished_at, (
                SELECT batch.finished_at FROM push_receipt AS batch
                WHERE batch.lane = job.lane AND batch.to_seq >= job.seq AND batch.from_seq <= job.seq
                    AND batch.recorded_at >= until
                LIMIT 1)) END
        ) AS finish (finished_at)
        WHERE job.recorded_at >= since AND job.recorded_at < until
        UNION ALL
        SELECT lane, recorded_at, account_id, subject_id, topic, ref, planned_at, outcome, reason, finished_at
        FROM occurrence_outcome
        WHERE recorded_at >= since AND recorded_at < until
    ), dated AS (
        SELECT ended.*,
            -- The topics whose ref is a day need no zone. Where there is none, because the account was erased or this server does not know
            -- its zone, they count by UTC. What nobody can read counts for the day for which it was planned.
            CASE
                WHEN ended.topic NOT IN ('watering_due', 'birthday', 'withered') THEN (ended.planned_at AT TIME ZONE CASE
                    WHEN account.time_zone IN (SELECT name FROM pg_timezone_names) THEN account.time_zone ELSE 'UTC' END)::date
                WHEN ended.ref BETWEEN -719162 AND 2932896
                    -- A plant that was due on the last day that can be written withered on that day.
                    THEN least(date '1970-01-01' + ended.ref + (ended.topic = 'withered')::integer, date '9999-12-31')
                ELSE (ended.planned_at AT TIME ZONE 'UTC')::date END AS day
        FROM ended
        LEFT JOIN account ON account.lane = ended.lane AND account.id = ended.account_id
    ), span AS (
        SELECT min(day) AS first_day, max(day) + 2 AS last_day
        FROM dated WHERE outcome = 'delivered' AND topic IN ('watering_due', 'birthday', 'withered')
    ), followed AS (
        SELECT dated.recorded_at, dated.day, dated.topic, dated.outcome, dated.reason,
            extract(epoch FROM dated.finished_at - dated.planned_at)::double precision AS delay_seconds,
            count(watering.number) > 0 AS is_watered,
            coalesce(bool_or(watering.keywords <> '{}' OR watering.memo IS NOT NULL), false) AS is_reviewed
        FROM dated
        LEFT JOIN watering
            ON dated.outcome = 'delivered' AND dated.topic IN ('watering_due', 'birthday', 'withered')
            AND watering.lane = dated.lane AND watering.plant_id = dated.subject_id AND watering.watered_on >= dated.day
            AND watering.recorded_at >= dated.planned_at AND watering.recorded_at < dated.planned_at + interval '24 hours'
            -- The lines above imply this; the index needs it. By the days of the pushes, because the log goes by another clock.
            AND watering.watered_on BETWEEN (SELECT first_day FROM span) AND (SELECT last_day FROM span)
        GROUP BY dated.lane, dated.subject_id, dated.ref, dated.planned_at, dated.recorded_at, dated.day, dated.topic,
            dated.outcome, dated.reason, dated.finished_at
    )
    SELECT (recorded_at AT TIME ZONE 'UTC')::date AS recorded_on, day, topic, outcome, reason, count(*), sum(delay_seconds),
        max(delay_seconds), count(*) FILTER (WHERE delay_seconds <= 10), count(*) FILTER (WHERE delay_seconds <= 60),
        count(*) FILTER (WHERE delay_seconds <= 600), count(*) FILTER (WHERE is_watered), count(*) FILTER (WHERE is_reviewed)
    FROM followed
    GROUP BY recorded_on, day, topic, outcome, reason
$$;
COMMENT ON FUNCTION count_pushes(timestamptz, timestamptz) IS
    'Counts how the pushes ended that were written to the log from one instant on and before another; those that have not '
    'ended are counted without an outcome.';

-- MARK: Devices

-- Whoever changes an account's phones holds its row. Beyond that, a takeover locks one row here and then the device that goes
-- with it, and nothing of the former account, so that two accounts that swap their phones never wait for each other.
CREATE FUNCTION take_device_token(owner uuid, wanted_platform device_platform, wanted_token text, new_device uuid)
    RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
    owner_lane smallint := get_byte(uuid_send(owner), 15);
    former device_token;
    kept uuid;
BEGIN
    LOOP
        SELECT * INTO former FROM device_token
        WHERE device_token.platform = wanted_platform AND device_token.token = wanted_token FOR UPDATE;
        EXIT WHEN FOUND;
        INSERT INTO device_token (platform, token, lane, account_id, device_id)
        VALUES (wanted_platform, wanted_token, owner_lane, owner, new_device) ON CONFLICT DO NOTHING;
    END LOOP;
    IF former.account_id <> owner THEN
        DELETE FROM device
        WHERE device.lane = former.lane AND device.account_id = former.account_id AND device.id = former.device_id;
    END IF;
    SELECT device.id INTO kept FROM device
    WHERE device.lane = owner_lane AND device.account_id = owner AND device.platform = wanted_platform
        AND device.token = wanted_token;
    kept := coalesce(kept, new_device);
    UPDATE device_token SET lane = owner_lane, account_id = owner, device_id = kept
    WHERE device_token.platform = wanted_platform AND device_token.token = wanted_token;
    RETURN kept;
END
$$;
COMMENT ON FUNCTION take_device_token(uuid, device_platform, text, uuid) IS
    'Gives an account the phone with a token, whoever had it, and deletes the former account''s device. Returns the device under '
    'which the account has the phone, or is to have it.';

CREATE FUNCTION remove_devices(owner uuid, gone uuid[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    owner_lane smallint := get_byte(uuid_send(owner), 15);
    removed bigint;
BEGIN
    DELETE FROM device_token
    WHERE device_token.lane = owner_lane AND device_token.account_id = owner AND device_token.device_id = ANY (gone);
    DELETE FROM device
    WHERE device.lane = owner_lane AND device.account_id = owner AND device.id = ANY (gone);
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END
$$;
COMMENT ON FUNCTION remove_devices(uuid, uuid[]) IS
    'Removes devices of an account and releases their tokens. Returns how many there were.';

-- MARK: Deletions

-- Whoever may DELETE from or UPDATE a whole view may LOCK it, and the table beneath it, in any mode. Deletions therefore go
-- through functions, and updates through grants on columns (docs/decisions/0028). Each function deletes what its caller may
-- delete, in the tables or views that the caller's search path finds.
CREATE FUNCTION delete_plants(lane smallint, account_id uuid, ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM plant WHERE plant.lane = $1 AND plant.account_id = $2 AND plant.id = ANY (ids);
END
$$;
COMMENT ON FUNCTION delete_plants(smallint, uuid, uuid[]) IS 'Deletes plants of an account, with all that happened to them.';

CREATE FUNCTION delete_tags(lane smallint, account_id uuid, ids uuid[], unless_used boolean) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM tag WHERE tag.lane = $1 AND tag.account_id = $2 AND tag.id = ANY (ids) AND NOT (
        unless_used AND EXISTS (SELECT FROM plant_tag WHERE plant_tag.lane = $1 AND plant_tag.tag_id = tag.id));
END
$$;
COMMENT ON FUNCTION delete_tags(smallint, uuid, uuid[], boolean) IS
    'Deletes tags of an account, all of them or those that no plant has.';

CREATE FUNCTION delete_plant_tags(lane smallint, plant_ids uuid[], tag_ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- Without statistics, the planner would read all rows of the lane; the first and the last plant bound what it reads.
    DELETE FROM plant_tag USING unnest(plant_ids, tag_ids) AS removed (plant_id, tag_id)
    WHERE plant_tag.lane = $1 AND plant_tag.plant_id = removed.plant_id AND plant_tag.tag_id = removed.tag_id
        AND plant_tag.plant_id >= (SELECT id FROM unnest(plant_ids) AS id ORDER BY id LIMIT 1)
        AND plant_tag.plant_id <= (SELECT id FROM unnest(plant_ids) AS id ORDER BY id DESC LIMIT 1);
END
$$;
COMMENT ON FUNCTION delete_plant_tags(smallint, uuid[], uuid[]) IS
    'Takes tags from plants, given as pairs of a plant and a tag.';

CREATE FUNCTION delete_cycle_changes(lane smallint, plant_ids uuid[], changed_at timestamptz) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM cycle_change
    WHERE cycle_change.lane = $1 AND cycle_change.plant_id = ANY (plant_ids) AND cycle_change.changed_at = $3;
END
$$;
COMMENT ON FUNCTION delete_cycle_changes(smallint, uuid[], timestamptz) IS
    'Deletes the due dates that an import set for some plants at one instant.';

-- MARK: The look-up by e-mail

CREATE FUNCTION change_account_email(lane smallint, account_id uuid, email text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    UPDATE account_email SET email = lower($3) WHERE account_email.lane = $1 AND account_email.account_id = $2;
    IF NOT FOUND THEN
        INSERT INTO account_email (lane, account_id, email) VALUES ($1, $2, lower($3));
    END IF;
    -- Both here, so that no session for one account can give it an e-mail that belongs to somebody else.
    UPDATE account SET email = $3 WHERE account.lane = $1 AND account.id = $2;
    RETURN true;
EXCEPTION
    WHEN unique_violation THEN
        RETURN false;
END
$$;
COMMENT ON FUNCTION change_account_email(smallint, uuid, text) IS
    'Gives an account another e-mail, by which alone it is then found; false where another account has it.';

----------------------------------------------------------------------------------------------------------------- views

CREATE VIEW push AS
SELECT
    job.lane, job.seq, job.account_id, job.subject_id, job.topic, job.ref, job.planned_at, job.expires_at,
    coalesce(ended.outcome, CASE WHEN receipt.finished_at IS NOT NULL AND retry.seq IS NULL
        THEN 'delivered'::push_outcome_kind END) AS outcome,
    coalesce(ended.reason, CASE WHEN receipt.finished_at IS NOT NULL AND retry.seq IS NULL THEN 'sent' END) AS reason,
    coalesce(ended.finished_at, CASE WHEN retry.seq IS NULL THEN receipt.finished_at END) AS finished_at
FROM push_job AS job
LEFT JOIN push_outcome AS ended
    ON ended.lane = job.lane AND ended.recorded_at = job.recorded_at AND ended.seq = job.seq
LEFT JOIN push_retry AS retry ON retry.lane = job.lane AND retry.seq = job.seq
LEFT JOIN LATERAL (
    SELECT batch.from_seq, batch.finished_at FROM push_receipt AS batch
    WHERE batch.lane = job.lane AND batch.to_seq >= job.seq AND batch.recorded_at >= job.recorded_at
    ORDER BY batch.to_seq LIMIT 1
) AS receipt ON receipt.from_seq <= job.seq
UNION ALL
SELECT lane, NULL, account_id, subject_id, topic, ref, planned_at, NULL, outcome, reason, finished_at
FROM occurrence_outcome;
COMMENT ON VIEW push IS 'Everything that was planned and has been scheduled, with its one outcome; null while pending.';
COMMENT ON COLUMN push.lane IS 'The account''s lane.';
COMMENT ON COLUMN push.seq IS 'The number of the job in its lane; null where the occurrence never became a job.';
COMMENT ON COLUMN push.account_id IS 'The account that it reminds; it may have been erased since.';
COMMENT ON COLUMN push.subject_id IS 'As in occurrence.';
COMMENT ON COLUMN push.topic IS 'What it says about the subject.';
COMMENT ON COLUMN push.ref IS 'As in occurrence.';
COMMENT ON COLUMN push.planned_at IS 'When it was planned for.';
COMMENT ON COLUMN push.expires_at IS 'From when on the job was no longer worth sending; null without a job.';
COMMENT ON COLUMN push.outcome IS 'How it ended; null while pending.';
COMMENT ON COLUMN push.reason IS
    'Why it ended so; unreadable_row where a row that it needs holds what no rule allows.';
COMMENT ON COLUMN push.finished_at IS 'When it ended, by the engine''s now.';

----------------------------------------------------------------------------------------------------- the schema garden

-- Row-level security by account: each table that holds rows of accounts has a view of the same name, limited to the one
-- account that the setting cherish.account names. The role cherish_account (cherish database roles) may use these views and
-- none of the tables; docs/decisions/0024 says why they are views. Without the setting there are no rows, and none can be
-- written. A view does not show columns that its table gets later: a migration that adds a column replaces the view, and one
-- that drops a column drops the view first.
CREATE SCHEMA garden;
COMMENT ON SCHEMA garden IS
    'The rows of one account, named by the setting cherish.account: what a session sees and changes that acts for it.';

CREATE FUNCTION garden.account_id() RETURNS uuid STABLE PARALLEL SAFE
RETURN nullif(current_setting('cherish.account', true), '')::uuid;
COMMENT ON FUNCTION garden.account_id() IS 'The account that the setting cherish.account names; null without one.';

CREATE FUNCTION garden.account_lane() RETURNS smallint STABLE PARALLEL SAFE
RETURN get_byte(uuid_send(garden.account_id()), 15)::smallint;
COMMENT ON FUNCTION garden.account_lane() IS 'The lane of that account; null without one.';

-- MARK: Views

-- The barrier keeps functions of the session from seeing rows before they are filtered. The check option keeps the session
-- from writing rows that it would not see.
CREATE VIEW garden.account WITH (security_barrier) AS
SELECT * FROM account
WHERE lane = (SELECT garden.account_lane()) AND id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.account_email WITH (security_barrier) AS
SELECT * FROM account_email
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.device WITH (security_barrier) AS
SELECT * FROM device
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.device_token WITH (security_barrier) AS
SELECT * FROM device_token
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.plant WITH (security_barrier) AS
SELECT * FROM plant
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.watering WITH (security_barrier) AS
SELECT * FROM watering
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = watering.lane AND plant.id = watering.plant_id)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.postponement WITH (security_barrier) AS
SELECT * FROM postponement
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = postponement.lane AND plant.id = postponement.plant_id)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.cycle_change WITH (security_barrier) AS
SELECT * FROM cycle_change
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = cycle_change.lane AND plant.id = cycle_change.plant_id)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.affection_entry WITH (security_barrier) AS
SELECT * FROM affection_entry AS entry
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = entry.lane AND plant.id = entry.plant_id)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.tag WITH (security_barrier) AS
SELECT * FROM tag
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.plant_tag WITH (security_barrier) AS
SELECT * FROM plant_tag AS tagging
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = tagging.lane AND plant.id = tagging.plant_id)
    AND EXISTS (SELECT FROM garden.tag AS tag WHERE tag.lane = tagging.lane AND tag.id = tagging.tag_id)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.import_batch WITH (security_barrier) AS
SELECT * FROM import_batch
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.import_change WITH (security_barrier) AS
SELECT * FROM import_change AS change
WHERE lane = (SELECT garden.account_lane())
    AND EXISTS (SELECT FROM garden.import_batch AS batch WHERE batch.lane = change.lane AND batch.id = change.batch_id)
WITH CASCADED CHECK OPTION;

-- A session may plan only for subjects of its account: the row of another account's subject would take the place of its own.
CREATE VIEW garden.occurrence WITH (security_barrier) AS
SELECT * FROM occurrence AS planned
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
    AND EXISTS (SELECT FROM garden.plant AS plant WHERE plant.lane = planned.lane AND plant.id = planned.subject_id)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.occurrence_outcome WITH (security_barrier) AS
SELECT * FROM occurrence_outcome
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.push_job WITH (security_barrier) AS
SELECT * FROM push_job
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.push_outcome WITH (security_barrier) AS
SELECT * FROM push_outcome AS ended
WHERE lane = (SELECT garden.account_lane()) AND EXISTS (
    SELECT FROM garden.push_job AS job
    WHERE job.lane = ended.lane AND job.recorded_at = ended.recorded_at AND job.seq = ended.seq)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.push_device_outcome WITH (security_barrier) AS
SELECT * FROM push_device_outcome AS told
WHERE lane = (SELECT garden.account_lane()) AND EXISTS (
    SELECT FROM garden.push_job AS job
    WHERE job.lane = told.lane AND job.recorded_at = told.recorded_at AND job.seq = told.seq)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.push_retry WITH (security_barrier) AS
SELECT * FROM push_retry AS retry
WHERE lane = (SELECT garden.account_lane()) AND EXISTS (
    SELECT FROM garden.push_job AS job
    WHERE job.lane = retry.lane AND job.recorded_at = retry.recorded_at AND job.seq = retry.seq)
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.sent_push WITH (security_barrier) AS
SELECT * FROM sent_push
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

CREATE VIEW garden.push WITH (security_barrier) AS
SELECT * FROM push
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id());

-- A lane belongs to no account, but a command locks its row and sees how far the calendar is scheduled.
CREATE VIEW garden.lane WITH (security_barrier) AS
SELECT * FROM lane WHERE lane = (SELECT garden.account_lane())
WITH CASCADED CHECK OPTION;

-- Every view and column has the comment of the table or view of the same name.
DO $$
DECLARE
    shown record;
BEGIN
    FOR shown IN
        SELECT view.relname, quote_literal('The account''s part of ' || view.relname || '.') AS comment
        FROM pg_class AS view WHERE view.relnamespace = 'garden'::regnamespace AND view.relkind = 'v'
    LOOP
        EXECUTE format('COMMENT ON VIEW garden.%I IS %s', shown.relname, shown.comment);
    END LOOP;
    FOR shown IN
        SELECT view.relname, field.attname, col_description(source.oid, field.attnum) AS comment
        FROM pg_class AS view
        JOIN pg_class AS source ON source.relname = view.relname AND source.relnamespace = current_schema()::regnamespace
        JOIN pg_attribute AS field ON field.attrelid = source.oid AND field.attnum > 0 AND NOT field.attisdropped
        WHERE view.relnamespace = 'garden'::regnamespace AND view.relkind = 'v'
    LOOP
        EXECUTE format('COMMENT ON COLUMN garden.%I.%I IS %L', shown.relname, shown.attname, shown.comment);
    END LOOP;
END
$$;

-- MARK: Functions with the rights of the owner

-- A session for one account makes only the months that rules can plan. If it could make any month, it could make so many that
-- all others wait.
CREATE FUNCTION garden.make_calendar_partition(instant timestamptz) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    marks text := format('%I.database_mark', current_schema());
    is_test boolean := false;
BEGIN
    -- Databases for tests live in other years than their server.
    IF to_regclass(marks) IS NOT NULL THEN
        EXECUTE format('SELECT EXISTS (SELECT FROM %s WHERE purpose = ''test'')', marks) INTO is_test;
    END IF;
    IF NOT is_test AND NOT (instant >= now() - interval '1 month' AND instant < now() + interval '14 months') THEN
        RAISE EXCEPTION 'a session for one account plans from a month ago to 14 months ahead, which % is not', instant
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM make_partition('occurrence', 'month', instant);
END
$$;
COMMENT ON FUNCTION garden.make_calendar_partition(timestamptz) IS
    'Makes the partition of the calendar for the month of an instant that a rule can plan, if it is missing.';

-- A takeover changes rows of the former account, which the session does not see. These functions therefore work on the tables,
-- and serve only the account for which the session acts. Commands find them by their names, as they find the views.
CREATE FUNCTION garden.take_device_token(owner uuid, wanted_platform device_platform, wanted_token text, new_device uuid)
    RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF owner IS DISTINCT FROM garden.account_id() THEN
        RAISE EXCEPTION 'the session does not act for account %', owner USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN take_device_token(owner, wanted_platform, wanted_token, new_device);
END
$$;
COMMENT ON FUNCTION garden.take_device_token(uuid, device_platform, text, uuid) IS
    'take_device_token for the account that the setting cherish.account names, and for no other.';

CREATE FUNCTION garden.remove_devices(owner uuid, gone uuid[]) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF owner IS DISTINCT FROM garden.account_id() THEN
        RAISE EXCEPTION 'the session does not act for account %', owner USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN remove_devices(owner, gone);
END
$$;
COMMENT ON FUNCTION garden.remove_devices(uuid, uuid[]) IS
    'remove_devices for the account that the setting cherish.account names, and for no other.';

-- The functions of the same names that such a session finds first. They see only the views of the garden, and so the rows of
-- one account. Their bodies are bound to the functions above, whatever the search path.
CREATE FUNCTION garden.delete_plants(lane smallint, account_id uuid, ids uuid[]) RETURNS void SECURITY DEFINER
RETURN delete_plants(lane, account_id, ids);
CREATE FUNCTION garden.delete_tags(lane smallint, account_id uuid, ids uuid[], unless_used boolean) RETURNS void
    SECURITY DEFINER
RETURN delete_tags(lane, account_id, ids, unless_used);
CREATE FUNCTION garden.delete_plant_tags(lane smallint, plant_ids uuid[], tag_ids uuid[]) RETURNS void SECURITY DEFINER
RETURN delete_plant_tags(lane, plant_ids, tag_ids);
CREATE FUNCTION garden.delete_cycle_changes(lane smallint, plant_ids uuid[], changed_at timestamptz) RETURNS void
    SECURITY DEFINER
RETURN delete_cycle_changes(lane, plant_ids, changed_at);
CREATE FUNCTION garden.change_account_email(lane smallint, account_id uuid, email text) RETURNS boolean SECURITY DEFINER
RETURN change_account_email(lane, account_id, email);

------------------------------------------------------------------------------------------- privileges and search paths

-- Nobody calls these functions but the roles that cherish database roles lets.
REVOKE EXECUTE ON FUNCTION
    is_known_time_zone(text), make_partition(text, text, timestamptz), make_log_partitions(timestamptz),
    make_calendar_partition(timestamptz), drop_partition(text), analyze_gardens(), count_pushes(timestamptz, timestamptz),
    take_device_token(uuid, device_platform, text, uuid), remove_devices(uuid, uuid[]),
    delete_plants(smallint, uuid, uuid[]), delete_tags(smallint, uuid, uuid[], boolean),
    delete_plant_tags(smallint, uuid[], uuid[]), delete_cycle_changes(smallint, uuid[], timestamptz),
    change_account_email(smallint, uuid, text),
    garden.make_calendar_partition(timestamptz), garden.take_device_token(uuid, device_platform, text, uuid),
    garden.remove_devices(uuid, uuid[]), garden.delete_plants(smallint, uuid, uuid[]),
    garden.delete_tags(smallint, uuid, uuid[], boolean), garden.delete_plant_tags(smallint, uuid[], uuid[]),
    garden.delete_cycle_changes(smallint, uuid[], timestamptz), garden.change_account_email(smallint, uuid, text)
FROM PUBLIC;

-- Names are looked up where the tables are, or first in the garden, and never among the temporary tables of the caller.
DO $$
DECLARE
    signature text;
BEGIN
    FOREACH signature IN ARRAY ARRAY[
        'make_partition(text, text, timestamptz)', 'make_calendar_partition(timestamptz)', 'drop_partition(text)',
        'analyze_gardens()', 'count_pushes(timestamptz, timestamptz)',
        'take_device_token(uuid, device_platform, text, uuid)', 'remove_devices(uuid, uuid[])',
        'garden.make_calendar_partition(timestamptz)', 'garden.take_device_token(uuid, device_platform, text, uuid)',
        'garden.remove_devices(uuid, uuid[])'
    ] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', signature, current_schema());
    END LOOP;
    FOREACH signature IN ARRAY ARRAY[
        'garden.delete_plants(smallint, uuid, uuid[])', 'garden.delete_tags(smallint, uuid, uuid[], boolean)',
        'garden.delete_plant_tags(smallint, uuid[], uuid[])',
        'garden.delete_cycle_changes(smallint, uuid[], timestamptz)', 'garden.change_account_email(smallint, uuid, text)'
    ] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = garden, %I, pg_temp', signature, current_schema());
        EXECUTE format('COMMENT ON FUNCTION %s IS %L', signature, 'The same for the account that the session acts for.');
    END LOOP;
END
$$;
