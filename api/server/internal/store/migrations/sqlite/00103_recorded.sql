-- +goose Up

-- JSON of what never changes about an order and its first mission, for the list of the v2
-- API. NULL: not formatted yet. Processes of the previous version leave it NULL.
ALTER TABLE orders ADD COLUMN recorded TEXT;

-- Removes the text if a statement changes what it contains.
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
