-- +goose Up

-- The object in which the subject was created, such as the order of a quote or the account
-- of a key. "" for other changes. Processes of the previous version leave it empty.
ALTER TABLE audit ADD COLUMN parent TEXT NOT NULL DEFAULT '';

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
