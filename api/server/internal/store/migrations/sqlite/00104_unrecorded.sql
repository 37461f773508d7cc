-- +goose Up

-- The orders whose text is still to be kept.
CREATE INDEX orders_unrecorded ON orders (id) WHERE recorded IS NULL;

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
