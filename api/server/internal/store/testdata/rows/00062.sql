INSERT INTO notices VALUES (1, 'notice-1', 1, 'email', 'ada@example.com', '{}', 1, 0, 1, NULL, 1773480413590);
