-- +goose Up

-- For searches by support: file names, last characters of keys, and companies of orders.
CREATE INDEX files_name ON files (lower(name), id);
CREATE INDEX api_keys_hint ON api_keys (hint);
CREATE INDEX orders_company ON orders (company_name, created, id);

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
