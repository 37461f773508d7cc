-- +goose Up

-- The processes that serve from this database beside each other, as each says
-- of itself. With the embedded database there is none to tell from another.
CREATE TABLE processes (
    id   BIGINT PRIMARY KEY,
    name TEXT NOT NULL,
    seen BIGINT NOT NULL -- milliseconds since 1970 by the database's clock
);

-- Who sends what is pending: the id of a process, 0 with the embedded database.
ALTER TABLE webhook_deliveries ADD COLUMN sender BIGINT NOT NULL DEFAULT 0;
ALTER TABLE notices ADD COLUMN sender BIGINT NOT NULL DEFAULT 0;
