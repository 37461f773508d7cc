-- +goose NO TRANSACTION
-- +goose Up

-- For the list of an account's notices, and of those that did not arrive.
UPDATE notices SET account_id = (SELECT account_id FROM orders WHERE orders.id = order_id) WHERE account_id = 0;
DROP INDEX CONCURRENTLY IF EXISTS notices_of_account;
CREATE INDEX CONCURRENTLY notices_of_account ON notices (account_id, id);
DROP INDEX CONCURRENTLY IF EXISTS notices_failed;
CREATE INDEX CONCURRENTLY notices_failed ON notices (account_id, id) WHERE success = 0;

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
