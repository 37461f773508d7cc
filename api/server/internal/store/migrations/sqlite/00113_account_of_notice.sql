-- +goose Up

-- The account of the notice's order, for the list of an account's notices. A trigger sets it,
-- also for processes of the previous version.
ALTER TABLE notices ADD COLUMN account_id BIGINT NOT NULL DEFAULT 0;

-- +goose StatementBegin
CREATE TRIGGER notices_account AFTER INSERT ON notices WHEN NEW.account_id = 0
BEGIN
    UPDATE notices SET account_id = (SELECT account_id FROM orders WHERE id = NEW.order_id) WHERE id = NEW.id;
END;
-- +goose StatementEnd

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
