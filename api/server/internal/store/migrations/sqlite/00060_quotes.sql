-- +goose Up

CREATE TABLE quotes (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid            TEXT NOT NULL UNIQUE,
    order_id        BIGINT NOT NULL REFERENCES orders (id),
    name            TEXT NOT NULL,
    description     TEXT NOT NULL,
    days            BIGINT NOT NULL,           -- to deliver in
    price           DOUBLE PRECISION NOT NULL, -- before discount, in whole smallest units of the currency
    discount        DOUBLE PRECISION NOT NULL, -- percent
    discount_reason TEXT,
    final_price     DOUBLE PRECISION NOT NULL,
    currency        TEXT NOT NULL,
    expires         TEXT NOT NULL,             -- date-time with its offset
    status          TEXT NOT NULL,
    created         BIGINT NOT NULL,
    decided         BIGINT
);

CREATE INDEX quotes_of_order ON quotes (order_id, id);
CREATE UNIQUE INDEX quotes_accepted ON quotes (order_id) WHERE status = 'accepted';

-- How many quotes of an order are open.
ALTER TABLE orders ADD COLUMN open_quotes BIGINT NOT NULL DEFAULT 0;

-- The second generation pages through an account's orders by numbers, and by
-- the status that it shows.
CREATE INDEX orders_alive ON orders (account_id, created, id) WHERE status <> 'deleted';
CREATE INDEX orders_record ON orders (account_id, (CASE
    WHEN COALESCE(status_before, status) <> 'biddingWithQuote' THEN COALESCE(status_before, status)
    WHEN open_quotes > 0 THEN 'quoteReceived' ELSE 'reviewing' END), created, id);

-- What no public request sets of an order.
CREATE TABLE order_details (
    order_id BIGINT PRIMARY KEY REFERENCES orders (id),
    details  TEXT NOT NULL -- JSON
);

-- How a client hears that an order is complete.
CREATE TABLE order_notifications (
    order_id BIGINT PRIMARY KEY REFERENCES orders (id),
    owner    TEXT NOT NULL,   -- whom the secret is encrypted for
    webhook  TEXT NOT NULL,   -- '': none
    email    BIGINT NOT NULL, -- 0 or 1
    secret   TEXT NOT NULL    -- encrypted, base64; '' without a webhook
);
