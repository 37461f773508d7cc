-- +goose Up

-- Instants are milliseconds since 1970 UTC; what a caller sent as date-time is
-- kept as text with its offset.

CREATE TABLE accounts (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid         TEXT NOT NULL UNIQUE,
    company_name TEXT NOT NULL,
    client_name  TEXT NOT NULL,
    client_email TEXT NOT NULL,
    currency     TEXT NOT NULL,
    created      BIGINT NOT NULL
);

CREATE TABLE api_keys (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid        TEXT NOT NULL UNIQUE,
    account_id  BIGINT NOT NULL REFERENCES accounts (id),
    hash        TEXT NOT NULL UNIQUE, -- SHA-256, hexadecimal; the key itself is never kept
    hint        TEXT NOT NULL,        -- its last four characters
    scopes      TEXT NOT NULL,        -- separated by spaces
    description TEXT NOT NULL,
    created     BIGINT NOT NULL,
    expires     BIGINT,
    revoked     BIGINT
);

CREATE INDEX api_keys_of_account ON api_keys (account_id, id);

CREATE TABLE orders (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id          BIGINT NOT NULL REFERENCES accounts (id),
    uuid                TEXT NOT NULL UNIQUE,
    code                TEXT NOT NULL UNIQUE,
    status              TEXT NOT NULL,
    name                TEXT NOT NULL,
    company_name        TEXT NOT NULL,
    order_type          TEXT NOT NULL,
    sensors             TEXT NOT NULL, -- separated by spaces, as deliverables
    deliverables        TEXT NOT NULL,
    mission_objective   TEXT NOT NULL,
    industry_asset_type TEXT NOT NULL,
    start_date          TEXT NOT NULL,
    deadline            TEXT NOT NULL,
    area_size           DOUBLE PRECISION NOT NULL,
    mission_count       BIGINT NOT NULL,
    rejection_reason    TEXT,
    archive_reason      TEXT,
    created             BIGINT NOT NULL,
    updated             BIGINT NOT NULL
);

CREATE INDEX orders_page ON orders (account_id, created, id);

CREATE TABLE missions (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    order_id       BIGINT NOT NULL REFERENCES orders (id),
    position       BIGINT NOT NULL,
    uuid           TEXT NOT NULL UNIQUE,
    code           TEXT NOT NULL UNIQUE,
    status         TEXT NOT NULL,
    name           TEXT NOT NULL,
    mission_type   TEXT NOT NULL,
    country        TEXT NOT NULL,
    city           TEXT,
    location_label TEXT NOT NULL,
    area_size      DOUBLE PRECISION NOT NULL,
    location_map   TEXT NOT NULL, -- JSON
    operator_name  TEXT,
    flight_date    BIGINT,
    created        BIGINT NOT NULL,
    updated        BIGINT NOT NULL,
    UNIQUE (order_id, position)
);

CREATE TABLE idempotency (
    account_id BIGINT NOT NULL REFERENCES accounts (id),
    name       TEXT NOT NULL,
    body_hash  TEXT NOT NULL, -- SHA-256, hexadecimal
    result     TEXT NOT NULL, -- JSON, as first answered
    created    BIGINT NOT NULL,
    PRIMARY KEY (account_id, name)
);

CREATE INDEX idempotency_age ON idempotency (created);

CREATE TABLE sequences (
    name TEXT PRIMARY KEY,
    last BIGINT NOT NULL
);

INSERT INTO sequences (name, last) VALUES ('order', 100200), ('mission', 300500);

CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
