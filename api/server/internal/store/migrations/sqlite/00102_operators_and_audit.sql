-- +goose Up

-- Persons with a key of the operations API. The operations key itself is not in a table.
CREATE TABLE operators (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid      TEXT NOT NULL UNIQUE,
    name      TEXT NOT NULL,
    role      TEXT NOT NULL,
    hash      TEXT NOT NULL UNIQUE, -- SHA-256, hexadecimal; the key itself is not stored
    hint      TEXT NOT NULL,        -- its last four characters
    old_hash  TEXT NOT NULL,        -- of the previous key; "" for none
    old_until BIGINT,
    created   BIGINT NOT NULL,
    revoked   BIGINT
);

CREATE UNIQUE INDEX operators_name ON operators (name) WHERE revoked IS NULL;

-- The audit trail of the operations API. The transaction of a change writes its row. Rows
-- have no foreign keys, so they remain when anything else is deleted.
CREATE TABLE audit (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    created      BIGINT NOT NULL,
    kind         TEXT NOT NULL,
    operator     TEXT NOT NULL, -- name at that time
    operator_uid TEXT NOT NULL, -- "" for the operations key
    address      TEXT NOT NULL,
    operation    TEXT NOT NULL, -- method and route
    subject      TEXT NOT NULL, -- what was created, or what the route names
    request      TEXT NOT NULL, -- request body, if it is JSON
    request_id   TEXT NOT NULL
);

CREATE INDEX audit_of_operator ON audit (operator_uid, created);

INSERT INTO settings (name, value) VALUES ('schema.oldest', '101')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
