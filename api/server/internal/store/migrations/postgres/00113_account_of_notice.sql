-- +goose Up

-- The account of the notice's order, for the list of an account's notices. A trigger sets it,
-- also for processes of the previous version.
ALTER TABLE notices ADD COLUMN account_id BIGINT NOT NULL DEFAULT 0;

-- +goose StatementBegin
CREATE FUNCTION set_account_of_notice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.account_id := (SELECT account_id FROM orders WHERE id = NEW.order_id);
    RETURN NEW;
END;
$$;
-- +goose StatementEnd
CREATE TRIGGER notices_account BEFORE INSERT ON notices
FOR EACH ROW WHEN (NEW.account_id = 0) EXECUTE FUNCTION set_account_of_notice();

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
