-- +goose Up

CREATE TABLE webhooks (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    uuid        TEXT NOT NULL UNIQUE,
    url         TEXT NOT NULL,
    events      TEXT NOT NULL, -- separated by spaces
    description TEXT NOT NULL,
    secret      TEXT NOT NULL, -- encrypted, base64
    last_status TEXT,          -- of the last callback that came to an end
    created     BIGINT NOT NULL,
    updated     BIGINT NOT NULL
);

CREATE INDEX webhooks_of_account ON webhooks (account_id, id);

-- One event to one endpoint. Where error is 'pending' it is still to be sent.
CREATE TABLE webhook_deliveries (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook_id    BIGINT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    uuid          TEXT NOT NULL UNIQUE,
    event         TEXT NOT NULL,
    mission_uuid  TEXT NOT NULL,
    order_code    TEXT NOT NULL,
    body          TEXT NOT NULL, -- JSON, as it is signed and sent
    success       BIGINT NOT NULL,
    response_code BIGINT NOT NULL,
    attempts      BIGINT NOT NULL,
    error         TEXT,
    created       BIGINT NOT NULL
);

CREATE INDEX webhook_deliveries_page ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (id) WHERE error = 'pending';
