-- Rows as programs of this version of the schema wrote them.
INSERT INTO accounts VALUES (1, 'account-1', 'Äolus GmbH', 'Ada', 'ada@example.com', 'EUR', 1773480413589);
INSERT INTO api_keys VALUES (1, 'key-1', 1, 'hash-1', 'wxyz', 'orders:read files:read', 'CI', 1773480413589, 1805016413589, NULL);
INSERT INTO api_keys VALUES (2, 'key-2', 1, 'hash-2', 'abcd', 'orders:read', '', 1773480413589, NULL, 1773480413600);
INSERT INTO orders VALUES (1, 1, 'order-1', 'ORD-100201', 'flyingDateSet', 'Mühle', 'Äolus GmbH', 'multiLocation',
    'rgbSensor lidarSensor', 'jpg thermalMap', 'mapAndSurvey', 'other', '2026-05-01T08:00:00+02:00',
    '2026-05-11T08:00:00+02:00', 1200.5, 1, NULL, NULL, 1773480413589, 1773480413590);
INSERT INTO missions VALUES (1, 1, 0, 'mission-1', 'MSN-300501', 'flightScheduled', 'Feld', 'area', 'Germany', 'Husum', 'Feld 東',
    1200.5, '[{"lat":53,"lng":8},{"lat":53,"lng":8.1},{"lat":53.1,"lng":8.1}]', 'Jørgen', 1777615200000, 1773480413589,
    1773480413590);
INSERT INTO idempotency VALUES (1, 'k', 'body', '{"uuid":"order-1"}', 1773480413589);
UPDATE sequences SET last = 100201 WHERE name = 'order';
UPDATE sequences SET last = 300501 WHERE name = 'mission';
INSERT INTO settings VALUES ('cursor', '00112233445566778899aabbccddeeff');
