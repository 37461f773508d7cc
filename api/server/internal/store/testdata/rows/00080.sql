INSERT INTO callback_attempts VALUES (1, 1, 4, 1773480413589, 12, 503, 'HTTP 503', '{"Content-Type":"application/json"}', NULL, 'busy',
    NULL, NULL);
