package domain

import (
	"context"
	"fmt"
)

// straysAtOnce is how many files are looked at together.
const straysAtOnce = 512

// DropStrays removes the files that an earlier run kept, but that no move has
// taken: it ended between the two. It returns how many there were.
func (d Upkeep) DropStrays(ctx context.Context) (dropped int, err error) {
	var places []string
	drop := func() error {
		strays, err := d.Store.UnnamedFiles(ctx, places)
		if err != nil {
			return err
		}
		for _, place := range strays {
			if err := d.Files.Remove(ctx, place); err != nil {
				return err
			}
			dropped++
		}
		places = places[:0]
		return nil
	}
	for place, err := range d.Files.Older(ctx) {
		if err != nil {
			return dropped, fmt.Errorf("list files: %w", err)
		}
		if places = append(places, place); len(places) < straysAtOnce {
			continue
		}
		if err := drop(); err != nil {
			return dropped, fmt.Errorf("drop stray files: %w", err)
		}
	}
	if err := drop(); err != nil {
		return dropped, fmt.Errorf("drop stray files: %w", err)
	}
	return dropped, nil
}
