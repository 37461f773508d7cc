-- +goose Up

-- What the list of the v2 API shows of an order and its first mission from its beginning
-- to its end; NULL where that has to be made of their columns. Processes of the version
-- before write none.
ALTER TABLE orders ADD COLUMN recorded TEXT;

-- What it shows of an order stays as it was placed; where it does not, it is not true
-- any more.
-- +goose StatementBegin
CREATE TRIGGER orders_recorded AFTER UPDATE OF uuid, code, name, company_name, area_size, deadline, deliverables ON orders
WHEN NEW.recorded IS NOT NULL
    AND (OLD.uuid, OLD.code, OLD.name, OLD.company_name, OLD.area_size, OLD.deadline, OLD.deliverables)
    IS NOT (NEW.uuid, NEW.code, NEW.name, NEW.company_name, NEW.area_size, NEW.deadline, NEW.deliverables)
BEGIN
    UPDATE orders SET recorded = NULL WHERE id = NEW.id;
END;
-- +goose StatementEnd

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
