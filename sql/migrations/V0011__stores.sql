-- Stores: the operator's catalogue of shops, the same for all accounts, with what they grant and where they are (rule 10.9).
-- Stores are never deleted. No foreign key leads to them, because all others stay within a lane, and on Citus within a node.

CREATE TABLE store (
    id uuid NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    country text NOT NULL,
    return_policy_url text,
    return_days smallint,
    pickup_days smallint,
    CONSTRAINT store_pkey PRIMARY KEY (id),
    -- Deferrable: checked when a statement ends, for an import may give a name that another store had.
    CONSTRAINT store_by_name UNIQUE (name_key, country) DEFERRABLE,
    CONSTRAINT store_name_length CHECK (octet_length(name) BETWEEN 1 AND 6400 AND octet_length(name_key) BETWEEN 1 AND 12800),
    CONSTRAINT store_country_form CHECK (country ~ '^[A-Z]{2}$'),
    CONSTRAINT store_return_policy_url_form CHECK (
        return_policy_url ~ '^https?://' AND octet_length(return_policy_url) BETWEEN 1 AND 2000),
    CONSTRAINT store_days_range CHECK (return_days BETWEEN 0 AND 3650 AND pickup_days BETWEEN 0 AND 3650)
);
COMMENT ON CONSTRAINT store_by_name ON store IS 'A store is found by its name. Lists are sorted by it, too.';
COMMENT ON TABLE store IS 'Shops with what they grant those who bought there (rule 10.9).';
COMMENT ON COLUMN store.id IS 'A random UUID, or the one that the imported file gave.';
COMMENT ON COLUMN store.name IS 'What it is called, 1-100 characters.';
COMMENT ON COLUMN store.name_key IS 'The name in lower case, which is unique within a country.';
COMMENT ON COLUMN store.country IS 'The country whose rules it follows: ISO 3166-1 alpha-2, such as KR.';
COMMENT ON COLUMN store.return_policy_url IS 'Where it explains how to return something; null if it does not.';
COMMENT ON COLUMN store.return_days IS 'For how many days after the purchase things can be returned, 0-3650; null if it does not say.';
COMMENT ON COLUMN store.pickup_days IS 'For how many days after the purchase things wait to be picked up, 0-3650; null if it does not say.';

CREATE TABLE place (
    store_id uuid NOT NULL,
    latitude double precision NOT NULL,
    longitude double precision NOT NULL,
    address text NOT NULL,
    CONSTRAINT place_pkey PRIMARY KEY (store_id, latitude, longitude),
    CONSTRAINT place_address_length CHECK (octet_length(address) BETWEEN 1 AND 12800),
    CONSTRAINT place_position_range CHECK (latitude BETWEEN -90 AND 90 AND longitude BETWEEN -180 AND 180)
);
COMMENT ON CONSTRAINT place_pkey ON place IS 'Also the nearest places of one store.';
CREATE INDEX place_by_position ON place USING gist (point(longitude, latitude));
COMMENT ON INDEX place_by_position IS 'The nearest places of all stores.';
COMMENT ON TABLE place IS 'Where stores are (rule 10.9).';
COMMENT ON COLUMN place.store_id IS 'The store, which is there: one import writes both.';
COMMENT ON COLUMN place.latitude IS 'Degrees north of the equator (WGS 84), rounded to six decimals, which is a tenth of a metre.';
COMMENT ON COLUMN place.longitude IS 'Degrees east of Greenwich (WGS 84), rounded to six decimals.';
COMMENT ON COLUMN place.address IS 'Its address as people write it, 1-200 characters.';
