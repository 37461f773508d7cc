INSERT INTO webhooks VALUES (1, 1, 'webhook-1', 'https://a.example/hook', 'mission.completed', 'ü', 'sealed', 'success',
    1773480413589, 1773480413589);
INSERT INTO webhook_deliveries VALUES (1, 1, 'delivery-1', 'mission.completed', 'mission-1', 'ORD-100201', '{"id":"delivery-1"}',
    0, 503, 4, 'HTTP 503', 1773480413589);
INSERT INTO webhook_deliveries VALUES (2, 1, 'delivery-2', 'mission.completed', 'mission-1', 'ORD-100201', '{"id":"delivery-2"}',
    0, 0, 0, 'pending', 1773480413590);
