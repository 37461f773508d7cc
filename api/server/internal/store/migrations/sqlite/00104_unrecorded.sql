-- +goose Up

-- Finds the orders whose text must still be saved.
CREATE INDEX orders_unrecorded ON orders (id) WHERE recorded IS NULL;

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
