-- +goose NO TRANSACTION
-- +goose Up

-- Who changed an order is found by what was changed and by what it is part of.
DROP INDEX CONCURRENTLY IF EXISTS audit_of_subject;
CREATE INDEX CONCURRENTLY audit_of_subject ON audit (subject, id);
DROP INDEX CONCURRENTLY IF EXISTS audit_of_parent;
CREATE INDEX CONCURRENTLY audit_of_parent ON audit (parent, id) WHERE parent <> '';

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
