-- +goose Up

-- The list of the v2 API shows the day of a deadline in the UTC offset in which the deadline
-- was sent, no longer in UTC. Texts with another day are removed and formatted again.
UPDATE orders SET recorded = NULL
    WHERE recorded IS NOT NULL AND instr(recorded, '"deliveryDeadline":"' || substr(deadline, 1, 10) || '"') = 0;

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
