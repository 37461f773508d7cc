INSERT INTO planning VALUES (1, 1, 1, 'confirmed', 1777615200000, 'Ada', NULL, 1773480413590);
INSERT INTO packages VALUES (1, 'package-1', 1, 1, 'MSN-300501 v1', 'delivered', 1, 17, 1773480413590);
INSERT INTO files VALUES (1, 'file-1', 1, 0, 'a.jpg', 'image/jpeg', 'jpg', 17,
    'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9', 'place-1', 1773480413590);
INSERT INTO files VALUES (2, 'file-2', NULL, 0, 'permit.pdf', 'application/pdf', '', 3,
    'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9', 'place-2', 1773480413590);
INSERT INTO flight_permissions VALUES (1, 'granted', 'LBA', NULL, 1777615200000, NULL, 2, 1773480413590);
