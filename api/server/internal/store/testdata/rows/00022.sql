INSERT INTO key_requests VALUES (1, 'request-1', 1, 'CI', 'orders:read', 'approved', NULL, 1, 1773480413589, 1773480413590);
