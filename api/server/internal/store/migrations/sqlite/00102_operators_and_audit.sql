-- +goose Up

-- Who may use the operations API, beside the holder of the operations key.
CREATE TABLE operators (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid      TEXT NOT NULL UNIQUE,
    name      TEXT NOT NULL,
    role      TEXT NOT NULL,
    hash      TEXT NOT NULL UNIQUE, -- SHA-256, hexadecimal; the key itself is never kept
    hint      TEXT NOT NULL,        -- its last four characters
    old_hash  TEXT NOT NULL,        -- of the key before it, "" for none
    old_until BIGINT,
    created   BIGINT NOT NULL,
    revoked   BIGINT
);

CREATE UNIQUE INDEX operators_name ON operators (name) WHERE revoked IS NULL;

-- What was done through the operations API. A row is written by the transaction of the
-- change. Nothing refers to it, so that it outlives everything.
CREATE TABLE audit (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    created      BIGINT NOT NULL,
    kind         TEXT NOT NULL,
    operator     TEXT NOT NULL, -- the name at that time
    operator_uid TEXT NOT NULL, -- "" for the operations key
    address      TEXT NOT NULL,
    operation    TEXT NOT NULL, -- method and route
    subject      TEXT NOT NULL, -- what the route names
    request      TEXT NOT NULL, -- its body, if that is JSON
    request_id   TEXT NOT NULL
);

CREATE INDEX audit_of_operator ON audit (operator_uid, created);

INSERT INTO settings (name, value) VALUES ('schema.oldest', '101')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
