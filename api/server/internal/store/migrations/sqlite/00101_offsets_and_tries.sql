-- +goose Up

-- UTC offsets of times as sent, in seconds. Responses use the same offset. Processes of the
-- previous version write and read UTC.

ALTER TABLE api_keys ADD COLUMN expires_zone BIGINT NOT NULL DEFAULT 0;
ALTER TABLE planning ADD COLUMN flight_zone BIGINT NOT NULL DEFAULT 0;
ALTER TABLE flight_permissions ADD COLUMN from_zone BIGINT NOT NULL DEFAULT 0;
ALTER TABLE flight_permissions ADD COLUMN to_zone BIGINT NOT NULL DEFAULT 0;

-- The latest attempts to send a notice, as JSON.
ALTER TABLE notices ADD COLUMN tries TEXT NOT NULL DEFAULT '[]';

INSERT INTO settings (name, value) VALUES ('schema.oldest', '100')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
