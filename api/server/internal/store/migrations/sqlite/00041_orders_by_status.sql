-- +goose Up

-- The operations desk lists the orders of a status: of all accounts, or of one.
CREATE INDEX orders_of_status ON orders (status, created, id);
CREATE INDEX orders_of_account_status ON orders (account_id, status, created, id);
