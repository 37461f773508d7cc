package store

import (
	"context"
	"slices"
)

// FilePlaces returns the file-store keys of all files.
func (tx *Tx) FilePlaces() ([]string, error) {
	return collectRows(tx.ctx, tx, scanText, `SELECT place FROM files`)
}

// placeBatchSize is the number of file-store keys looked up in one query.
const placeBatchSize = 64

// namedPlaces is a query with placeBatchSize file-store keys as its parameters. It returns the
// keys that are in the table files.
var namedPlaces = `SELECT place FROM files WHERE place IN ` + placeholders(1, placeBatchSize)

// UnreferencedFiles returns the keys of the files that neither the database nor a snapshot refers
// to. places are the file-store keys to check.
func (s *Store) UnreferencedFiles(ctx context.Context, places []string) ([]string, error) {
	inSnapshots, err := s.folder.snapshotPlaces(ctx)
	if err != nil {
		return nil, err
	}
	var unreferenced []string
	for batch := range slices.Chunk(places, placeBatchSize) {
		args := make([]any, placeBatchSize)
		for i := range args {
			args[i] = batch[min(i, len(batch)-1)] // a short batch repeats its last key
		}
		named, err := collectRows(ctx, s, scanText, namedPlaces, args...)
		if err != nil {
			return nil, err
		}
		for _, place := range batch {
			if !slices.Contains(named, place) && !inSnapshots[place] {
				unreferenced = append(unreferenced, place)
			}
		}
	}
	return unreferenced, nil
}
