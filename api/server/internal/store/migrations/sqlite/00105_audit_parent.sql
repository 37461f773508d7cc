-- +goose Up

-- What something was created in: the order of a quote, the account of a key; "" for other
-- changes. Processes of the version before leave it empty.
ALTER TABLE audit ADD COLUMN parent TEXT NOT NULL DEFAULT '';

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
