-- +goose Up

CREATE TABLE datasets (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid           TEXT NOT NULL UNIQUE,
    account_id     BIGINT NOT NULL REFERENCES accounts (id),
    name           TEXT NOT NULL,
    categories     TEXT NOT NULL, -- JSON, as sdg_goals
    description    TEXT NOT NULL,
    sdg_goals      TEXT NOT NULL,
    location_label TEXT NOT NULL,
    location_map   TEXT NOT NULL, -- JSON
    date_completed TEXT NOT NULL, -- a day, or ''
    created        BIGINT NOT NULL
);

CREATE INDEX datasets_of_account ON datasets (account_id, id);

CREATE TABLE dataset_files (
    dataset_id BIGINT NOT NULL REFERENCES datasets (id),
    position   BIGINT NOT NULL,
    file_id    BIGINT NOT NULL REFERENCES files (id),
    PRIMARY KEY (dataset_id, position)
);
