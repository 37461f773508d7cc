-- +goose Up

CREATE TABLE planning (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    mission_id        BIGINT NOT NULL REFERENCES missions (id),
    version           BIGINT NOT NULL,
    scheduling_status TEXT NOT NULL,
    flight_date       BIGINT NOT NULL,
    scheduled_by      TEXT,
    note              TEXT,
    created           BIGINT NOT NULL,
    UNIQUE (mission_id, version)
);

CREATE TABLE packages (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid       TEXT NOT NULL UNIQUE,
    mission_id BIGINT NOT NULL REFERENCES missions (id),
    version    BIGINT NOT NULL,
    name       TEXT NOT NULL,
    status     TEXT NOT NULL,
    file_count BIGINT NOT NULL,
    total_size BIGINT NOT NULL, -- bytes
    created    BIGINT NOT NULL,
    UNIQUE (mission_id, version)
);

-- What is known of a file; the file itself is in the file store.
CREATE TABLE files (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid       TEXT NOT NULL UNIQUE,
    package_id BIGINT REFERENCES packages (id), -- NULL: a permit
    position   BIGINT NOT NULL,
    name       TEXT NOT NULL,
    media_type TEXT NOT NULL,
    kind       TEXT NOT NULL,
    size       BIGINT NOT NULL, -- bytes
    sha256     TEXT NOT NULL,   -- hexadecimal
    place      TEXT NOT NULL,   -- its key in the file store
    created    BIGINT NOT NULL,
    UNIQUE (package_id, position)
);

CREATE TABLE flight_permissions (
    mission_id BIGINT PRIMARY KEY REFERENCES missions (id),
    status     TEXT NOT NULL,
    authority  TEXT,
    reference  TEXT,
    valid_from BIGINT,
    valid_to   BIGINT,
    permit_id  BIGINT REFERENCES files (id),
    updated    BIGINT NOT NULL
);
