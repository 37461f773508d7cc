-- +goose NO TRANSACTION
-- +goose Up

-- For searches by support: file names, last characters of keys, and companies of orders.
DROP INDEX CONCURRENTLY IF EXISTS files_name;
CREATE INDEX CONCURRENTLY files_name ON files (lower(name), id);
DROP INDEX CONCURRENTLY IF EXISTS api_keys_hint;
CREATE INDEX CONCURRENTLY api_keys_hint ON api_keys (hint);
DROP INDEX CONCURRENTLY IF EXISTS orders_company;
CREATE INDEX CONCURRENTLY orders_company ON orders (company_name, created, id);

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
