-- +goose NO TRANSACTION
-- +goose Up

-- For finding who changed an order, by the subject of a change and by its parent.
DROP INDEX CONCURRENTLY IF EXISTS audit_of_subject;
CREATE INDEX CONCURRENTLY audit_of_subject ON audit (subject, id);
DROP INDEX CONCURRENTLY IF EXISTS audit_of_parent;
CREATE INDEX CONCURRENTLY audit_of_parent ON audit (parent, id) WHERE parent <> '';

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
