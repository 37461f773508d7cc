package domain

import (
	"context"
	"errors"
	"fmt"
)

// straysAtOnce is how many files are looked at together.
const straysAtOnce = 512

// ErrManyStrays is that most of the files are in no record: more likely is that the
// database is not theirs.
var ErrManyStrays = errors.New("most files are not in the database, so none was deleted")

// DropStrays removes the files that an earlier run kept, but that no move has
// taken: it ended between the two. It returns those that it has removed.
func (d Upkeep) DropStrays(ctx context.Context) (dropped []string, err error) {
	strays, err := d.findStrays(ctx)
	if err != nil {
		return nil, err
	}
	for i, place := range strays {
		if err := d.Files.Remove(ctx, place); err != nil {
			return strays[:i], fmt.Errorf("drop stray files: %w", err)
		}
	}
	return strays, nil
}

// findStrays returns the files that no record names, if they are not the most.
func (d Upkeep) findStrays(ctx context.Context) (strays []string, err error) {
	var places []string
	seen := 0
	look := func() error {
		some, err := d.Store.UnnamedFiles(ctx, places)
		strays = append(strays, some...)
		seen += len(places)
		places = places[:0]
		return err
	}
	for place, err := range d.Files.Older(ctx) {
		if err != nil {
			return nil, fmt.Errorf("list files: %w", err)
		}
		if places = append(places, place); len(places) < straysAtOnce {
			continue
		}
		if err := look(); err != nil {
			return nil, fmt.Errorf("look for stray files: %w", err)
		}
	}
	if err := look(); err != nil {
		return nil, fmt.Errorf("look for stray files: %w", err)
	}
	if 2*len(strays) > seen {
		return nil, fmt.Errorf("%w: %d of %d", ErrManyStrays, len(strays), seen)
	}
	return strays, nil
}
