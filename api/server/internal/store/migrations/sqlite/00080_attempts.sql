-- +goose Up

-- Each try of a callback, as far as they are kept.
CREATE TABLE callback_attempts (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    delivery_id   BIGINT NOT NULL REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
    number        BIGINT NOT NULL, -- from 1, over all sendings
    sent          BIGINT NOT NULL, -- by the service's clock
    took          BIGINT NOT NULL, -- milliseconds
    response_code BIGINT NOT NULL,
    error         TEXT NOT NULL,   -- '' for success
    headers       TEXT NOT NULL,   -- JSON
    body          TEXT,            -- NULL while it is that of the delivery
    answer        TEXT NOT NULL,   -- how it begins
    resent        BIGINT,          -- when its sending was asked for; NULL for the first
    next          BIGINT           -- when another try follows; NULL for none
);

CREATE INDEX callback_attempts_of_delivery ON callback_attempts (delivery_id, number);

-- When sending it again was asked for last.
ALTER TABLE webhook_deliveries ADD COLUMN resent BIGINT;
