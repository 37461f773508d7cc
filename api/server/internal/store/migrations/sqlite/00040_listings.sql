-- +goose Up

-- An order as the list of its account shows it, so that listing it takes one
-- column; NULL where that has to be made of the others.
ALTER TABLE orders ADD COLUMN listed TEXT;

-- A text that was not written anew with what it shows is not true any more.
-- +goose StatementBegin
CREATE TRIGGER orders_listed AFTER UPDATE OF uuid, code, status, name, company_name, order_type, sensors, deliverables,
    mission_objective, industry_asset_type, start_date, deadline, area_size, mission_count, rejection_reason,
    archive_reason, created, updated ON orders
WHEN OLD.listed IS NEW.listed AND NEW.listed IS NOT NULL
BEGIN
    UPDATE orders SET listed = NULL WHERE id = NEW.id;
END;
-- +goose StatementEnd
