-- +goose Up

-- The offsets in which times were sent, in seconds east of UTC: they are answered in
-- them. Processes of the version before write and read UTC.

ALTER TABLE api_keys ADD COLUMN expires_zone BIGINT NOT NULL DEFAULT 0;
ALTER TABLE planning ADD COLUMN flight_zone BIGINT NOT NULL DEFAULT 0;
ALTER TABLE flight_permissions ADD COLUMN from_zone BIGINT NOT NULL DEFAULT 0;
ALTER TABLE flight_permissions ADD COLUMN to_zone BIGINT NOT NULL DEFAULT 0;

INSERT INTO settings (name, value) VALUES ('schema.oldest', '100')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
