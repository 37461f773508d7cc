package page

import (
	"slices"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/widget"
)

// loadedRows has the rows that a list has loaded from its source.
type loadedRows[T any] struct {
	source     ListSource[T]
	state      ListState[T] // last state of the source
	rows       []T          // the rows of the table, without a filter
	onlyFailed bool         // the table has only rows with a problem
	isFirst    bool         // the rows were not completely read before the last update
	wanted     int          // number of rows that the source should load
}

const (
	// nearEnd is the distance of the selection from the last row, in rows, at which older rows are loaded.
	nearEnd = 10
	// rowsPerLoad is the number of older rows to load at once.
	rowsPerLoad = 100
)

// update gets the current state of the source. It returns true if the table must be filled again, because the state
// has changed.
func (l *loadedRows[T]) update() bool {
	before := l.state
	l.state = l.source.State()
	l.isFirst = before.At.IsZero()
	hasChanged := l.state.Version != before.Version
	startsOrEndsLoading := l.state.Reading != before.Reading && l.state.More
	return hasChanged || startsOrEndsLoading
}

// selectRows sets the rows of the table: all rows, or only the rows with a problem.
func (l *loadedRows[T]) selectRows(hasProblem func(T) bool) {
	l.rows = l.state.Rows
	if l.onlyFailed {
		hasNone := func(row T) bool { return !hasProblem(row) }
		l.rows = slices.DeleteFunc(slices.Clone(l.state.Rows), hasNone)
	}
}

// loadNearEnd asks the source for older rows, if it has any and the selection in the table is near the last row.
func (l *loadedRows[T]) loadNearEnd(table *widget.Grid) {
	isNearEnd := table.Cursor() >= table.Len()-nearEnd
	if isNearEnd && l.state.More {
		l.wanted = len(l.state.Rows) + rowsPerLoad
	}
}

// needs returns the data that the cache should read to have the wanted rows.
func (l *loadedRows[T]) needs() []cache.Need {
	if l.source.Needs == nil {
		return nil
	}
	return l.source.Needs(l.wanted)
}

// isPartial reports whether the service may have more rows.
func (l *loadedRows[T]) isPartial() bool { return l.state.More || l.state.At.IsZero() }

// wasRead reports whether the rows were read at least once, or could not be read.
func (l *loadedRows[T]) wasRead() bool { return l.state.Err != nil || !l.state.At.IsZero() }

// isOutdated reports whether the rows could not be refreshed.
func (l *loadedRows[T]) isOutdated() bool { return l.state.Err != nil || l.state.Offline }
