-- +goose Up

-- The offset in which a mission's flight date was sent, in seconds east of UTC: it is
-- answered in it. Processes of the version before leave it as it is.
ALTER TABLE missions ADD COLUMN flight_zone BIGINT NOT NULL DEFAULT 0;

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
