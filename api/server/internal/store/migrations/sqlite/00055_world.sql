-- +goose Up

-- A reset has sequences begin anew.
ALTER TABLE sequences ADD COLUMN first BIGINT NOT NULL DEFAULT 0;
UPDATE sequences SET first = 100200 WHERE name = 'order';
UPDATE sequences SET first = 300500 WHERE name = 'mission';

-- What has been placed or moved since a moment.
CREATE INDEX orders_moved ON orders (updated);
