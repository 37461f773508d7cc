-- +goose Up

-- The v2 API shows an order that was archived before a quote was accepted as cancelled,
-- because its quotes can no longer be decided.
UPDATE orders SET status_before = 'cancelled' WHERE status_before = 'biddingWithQuote';

INSERT INTO settings (name, value) VALUES ('schema.oldest', '102')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;
