package listpage

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/app/cache"
)

// Source is where the rows of a page come from.
type Source[T any] struct {
	// State says what is known by now. It is asked for every frame.
	State func() State[T]
	// Needs names what the cache is to read while the page is shown, for as many
	// rows at least, where there are so many; nil for nothing.
	Needs func(rows int) []cache.Need
	// Refresh has all of it read again; nil where nothing is read.
	Refresh func() tea.Cmd
}

// State is what a source knows.
type State[T any] struct {
	Rows    []*T      // replaced, never written to
	Version int       // changes when anything of it does
	At      time.Time // when they were read to the end; zero is never
	Err     error     // of the last reading
	More    bool      // there are older ones
	Reading bool
	Offline bool // an earlier run has read them; this one has no answer yet
}

// Cached returns a source that shows the list of a key of the cache.
func Cached[T any](c *cache.Cache, of *cache.Collection[string, cache.ListRows[T]], key string) Source[T] {
	var state State[T]
	return Source[T]{
		State: func() State[T] {
			list, now := of.Get(key)
			if now.Version != state.Version {
				state = State[T]{Rows: Pointers(list.Items), Version: now.Version, At: now.ReadAt, Err: now.Err, More: list.More, Offline: now.Offline}
			}
			state.Reading = now.Loading
			return state
		},
		Needs: func(rows int) []cache.Need { return []cache.Need{of.NeedRows(key, rows)} },
		Refresh: func() tea.Cmd {
			c.RereadNeeds(of.NeedOf(key))
			return nil
		},
	}
}

// Pointers points at each of the items.
func Pointers[T any](items []T) []*T {
	all := make([]*T, len(items))
	for i := range items {
		all[i] = &items[i]
	}
	return all
}
