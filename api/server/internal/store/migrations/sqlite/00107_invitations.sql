-- +goose Up

-- Users who may log in to the app over SSH. Codes are derived from the UUID and a secret.
CREATE TABLE invitations (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid      TEXT NOT NULL UNIQUE,
    user_name TEXT NOT NULL,
    created   BIGINT NOT NULL,
    withdrawn BIGINT
);

CREATE UNIQUE INDEX invitations_user ON invitations (user_name) WHERE withdrawn IS NULL;

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
