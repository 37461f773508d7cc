-- +goose Up

-- JSON of what never changes about an order and its first mission, for the list of the v2
-- API. NULL: not formatted yet. Processes of the previous version leave it NULL.
ALTER TABLE orders ADD COLUMN recorded TEXT;

-- Removes the text if a statement changes what it contains.
-- +goose StatementBegin
CREATE FUNCTION forget_recorded() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.recorded := NULL;
    RETURN NEW;
END;
$$;
-- +goose StatementEnd
CREATE TRIGGER orders_recorded BEFORE UPDATE OF uuid, code, name, company_name, area_size, deadline, deliverables ON orders
FOR EACH ROW WHEN (NEW.recorded IS NOT NULL
    AND (OLD.uuid, OLD.code, OLD.name, OLD.company_name, OLD.area_size, OLD.deadline, OLD.deliverables)
    IS DISTINCT FROM (NEW.uuid, NEW.code, NEW.name, NEW.company_name, NEW.area_size, NEW.deadline, NEW.deliverables))
EXECUTE FUNCTION forget_recorded();

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
