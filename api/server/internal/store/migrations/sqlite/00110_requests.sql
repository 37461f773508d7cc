-- +goose Up

-- Requests of accounts, with what came of them. A row is written some time after its
-- request was answered, and dropped after 30 days. Nothing refers to it.
CREATE TABLE requests (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    created    BIGINT NOT NULL,
    account_id BIGINT NOT NULL, -- 0: not known, since the key or the link is not
    key_uid    TEXT NOT NULL,   -- "" without a key that is known
    key_hint   TEXT NOT NULL,   -- the key's last four characters
    method     TEXT NOT NULL,
    path       TEXT NOT NULL,   -- without query and the tokens of links
    subject    TEXT NOT NULL,   -- the uuid or code that the route names or that was created; "" for none
    status     BIGINT NOT NULL, -- of the answer
    code       TEXT NOT NULL,   -- of the error; "" for none
    address    TEXT NOT NULL,   -- of the client
    took       BIGINT NOT NULL, -- milliseconds
    request_id TEXT NOT NULL
);

CREATE INDEX requests_of_account ON requests (account_id, id);
CREATE INDEX requests_of_subject ON requests (subject, id) WHERE subject <> '';
CREATE INDEX requests_by_id ON requests (request_id);

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
