-- +goose Up

-- One index for the lists of an account's orders, for its deleted ones, and for
-- pages by number, which are found in it alone: two that did the same were
-- written for each order that was placed.
CREATE INDEX orders_of_account ON orders (account_id, created, id, status);
DROP INDEX orders_page;
DROP INDEX orders_alive;
