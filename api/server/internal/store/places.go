package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// placesAtOnce is how many places are looked for in one query.
const placesAtOnce = 64

var namedPlaces = func() string {
	marks := make([]string, placesAtOnce)
	for i := range marks {
		marks[i] = fmt.Sprintf("$%d", i+1)
	}
	return `SELECT place FROM files WHERE place IN (` + strings.Join(marks, ", ") + `)`
}()

func scanPlace(rows *sql.Rows) (place string, err error) {
	err = rows.Scan(&place)
	return place, err
}

// UnnamedFiles returns those of the places in the file store that no file has.
func (s *Store) UnnamedFiles(ctx context.Context, places []string) (unnamed []string, err error) {
	kept, err := s.snapshotPlaces(ctx)
	if err != nil {
		return nil, err
	}
	for some := range slices.Chunk(places, placesAtOnce) {
		args := make([]any, placesAtOnce)
		for i := range args {
			args[i] = some[min(i, len(some)-1)]
		}
		named, err := collectRows(ctx, s, scanPlace, namedPlaces, args...)
		if err != nil {
			return nil, err
		}
		for _, place := range some {
			if !slices.Contains(named, place) && !kept[place] {
				unnamed = append(unnamed, place)
			}
		}
	}
	return unnamed, nil
}
