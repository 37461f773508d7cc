INSERT INTO quotes VALUES (1, 'quote-1', 1, 'Two crews', 'wide site', 12, 1000, 10, 'first order', 900, 'EUR',
    '2026-03-20T12:00:00+01:00', 'accepted', 1773480413590, 1773480500000);
INSERT INTO order_details VALUES (1, '{"description":"both banks","advancedOption":{"flightHeight":80,"gcp":true}}');
INSERT INTO order_notifications VALUES (1, 'notify-1', '', 1, '');
