-- +goose Up

-- Files in the file store that nothing names are looked for by their places.
CREATE INDEX files_place ON files (place);
