-- +goose Up

CREATE TABLE key_requests (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid         TEXT NOT NULL UNIQUE,
    account_id   BIGINT NOT NULL REFERENCES accounts (id),
    intended_use TEXT NOT NULL,
    scopes       TEXT NOT NULL, -- separated by spaces
    status       TEXT NOT NULL,
    reason       TEXT,                             -- of declining
    key_id       BIGINT REFERENCES api_keys (id),  -- what approving made
    created      BIGINT NOT NULL,
    decided      BIGINT
);

-- The operations desk lists the orders of all accounts.
CREATE INDEX orders_newest ON orders (created, id);
