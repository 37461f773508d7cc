-- +goose Up

-- The request log of accounts. A row is written shortly after the response was sent, and
-- deleted after 30 days. Rows have no foreign keys.
CREATE TABLE requests (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    created    BIGINT NOT NULL,
    account_id BIGINT NOT NULL, -- 0: unknown, because the key or link is unknown
    key_uid    TEXT NOT NULL,   -- "" without a known key
    key_hint   TEXT NOT NULL,   -- the key's last four characters
    method     TEXT NOT NULL,
    path       TEXT NOT NULL,   -- without query, and without the token of a link
    subject    TEXT NOT NULL,   -- UUID or code of what was created or what the route names; "" for neither
    status     BIGINT NOT NULL, -- HTTP status
    code       TEXT NOT NULL,   -- error code; "" for none
    address    TEXT NOT NULL,   -- of the client
    took       BIGINT NOT NULL, -- milliseconds
    request_id TEXT NOT NULL
);

CREATE INDEX requests_of_account ON requests (account_id, id);
CREATE INDEX requests_of_subject ON requests (subject, id) WHERE subject <> '';
CREATE INDEX requests_by_id ON requests (request_id);

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
