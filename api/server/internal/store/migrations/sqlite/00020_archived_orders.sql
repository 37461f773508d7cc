-- +goose Up

-- The status that an archived order had before.
ALTER TABLE orders ADD COLUMN status_before TEXT;
