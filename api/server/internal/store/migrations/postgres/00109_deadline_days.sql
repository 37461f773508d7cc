-- +goose NO TRANSACTION
-- +goose Up

-- The list of the v2 API shows the day of a deadline in the UTC offset in which the deadline
-- was sent, no longer in UTC. Texts with another day are removed and formatted again.
-- Each transaction holds the writers' lock and reads few orders, so that no writer waits for
-- long.
-- +goose StatementBegin
DO $$
DECLARE
    last BIGINT := 0;
    next BIGINT;
BEGIN
    LOOP
        PERFORM pg_advisory_xact_lock(x'00666c6967687401'::bigint);
        SELECT MAX(id) INTO next FROM (SELECT id FROM orders WHERE id > last ORDER BY id LIMIT 1000) AS part;
        EXIT WHEN next IS NULL;
        UPDATE orders SET recorded = NULL
            WHERE id > last AND id <= next AND recorded IS NOT NULL
            AND strpos(recorded, '"deliveryDeadline":"' || left(deadline, 10) || '"') = 0;
        COMMIT;
        last := next;
    END LOOP;
END;
$$;
-- +goose StatementEnd

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
