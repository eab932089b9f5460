-- Browsers that subscribe to Web Push: devices with keys of their own, with which their pushes are encrypted (RFC 8291).

ALTER TYPE device_platform ADD VALUE 'web';

ALTER TABLE device ADD COLUMN p256dh bytea;
ALTER TABLE device ADD COLUMN auth bytea;
-- By the label, because no value can be used in the transaction that adds it.
ALTER TABLE device ADD CONSTRAINT device_keys_are_for_browsers CHECK (
    (p256dh IS NOT NULL) = (platform::text = 'web') AND (auth IS NOT NULL) = (platform::text = 'web'));
ALTER TABLE device ADD CONSTRAINT device_p256dh_form CHECK (octet_length(p256dh) = 65 AND get_byte(p256dh, 0) = 4);
ALTER TABLE device ADD CONSTRAINT device_auth_length CHECK (octet_length(auth) = 16);
COMMENT ON COLUMN device.token IS
    'The provider''s token, the URL of a webhook, or the endpoint of a browser''s subscription.';
COMMENT ON COLUMN device.p256dh IS 'A browser''s public key, an uncompressed point on P-256; null for other platforms.';
COMMENT ON COLUMN device.auth IS 'A browser''s secret, 16 bytes; null for other platforms.';

COMMENT ON TABLE device_token IS
    'Which account a phone or a browser belongs to: one at a time, outside the lanes. A webhook may belong to several accounts.';
COMMENT ON COLUMN device_token.platform IS 'ios, android or web.';
COMMENT ON COLUMN device_token.token IS 'The provider''s token, or the endpoint of a browser''s subscription.';

-- MARK: What a session for one account sees

-- The columns of a view are those of its table when it was made.
CREATE OR REPLACE VIEW garden.device WITH (security_barrier) AS
SELECT * FROM device
WHERE lane = (SELECT garden.account_lane()) AND account_id = (SELECT garden.account_id())
WITH CASCADED CHECK OPTION;

DO $$
DECLARE
    shown record;
BEGIN
    FOR shown IN
        SELECT view.relname, field.attname, col_description(base.oid, field.attnum) AS comment
        FROM pg_class AS base
        JOIN pg_class AS view ON view.relname = base.relname AND view.relnamespace = 'garden'::regnamespace
        JOIN pg_attribute AS field ON field.attrelid = base.oid AND field.attnum > 0 AND NOT field.attisdropped
        WHERE base.oid IN ('device'::regclass, 'device_token'::regclass)
    LOOP
        EXECUTE format('COMMENT ON COLUMN garden.%I.%I IS %L', shown.relname, shown.attname, shown.comment);
    END LOOP;
END
$$;
