-- +goose Up

-- UTC offset of a mission's flight date as sent, in seconds. Responses use the same offset.
-- Processes of the previous version do not change it.
ALTER TABLE missions ADD COLUMN flight_zone BIGINT NOT NULL DEFAULT 0;

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
