-- +goose Up

-- What a client is told when an order is complete. Where error is 'pending' it
-- is still to be sent.
CREATE TABLE notices (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid          TEXT NOT NULL UNIQUE,
    order_id      BIGINT NOT NULL REFERENCES orders (id),
    kind          TEXT NOT NULL, -- 'webhook' or 'email'
    address       TEXT NOT NULL, -- of the receiver
    body          TEXT NOT NULL, -- JSON: as it is signed and sent, or what the message is about
    success       BIGINT NOT NULL,
    response_code BIGINT NOT NULL,
    attempts      BIGINT NOT NULL,
    error         TEXT,
    created       BIGINT NOT NULL
);

CREATE INDEX notices_of_order ON notices (order_id, id);
CREATE INDEX notices_pending ON notices (id) WHERE error = 'pending';
