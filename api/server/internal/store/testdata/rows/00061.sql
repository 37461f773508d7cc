INSERT INTO datasets VALUES (1, 'dataset-1', 1, 'Coast', '["coast"]', '', '[]', 'Sylt', '[{"lat":54.9,"lng":8.3}]', '2025-11-02', 1773480413590);
INSERT INTO dataset_files VALUES (1, 0, 1);
