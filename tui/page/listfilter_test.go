package page_test

import (
	"fmt"
	"testing"
	"time"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/page"
)

// namedRow is a row of a list with only a name.
type namedRow struct{ name string }

func TestAFilterFromOutsideLoadsOlderRows(t *testing.T) {
	rows := make([]*namedRow, 100)
	for i := range rows {
		rows[i] = &namedRow{fmt.Sprintf("Canopy %d", i)}
	}
	wanted := 0
	source := page.ListSource[*namedRow]{
		State: func() page.ListState[*namedRow] { return page.ListState[*namedRow]{Rows: rows, Version: 1, More: true} },
		Needs: func(minRows int) []cache.Need {
			wanted = minRows
			return nil
		},
	}
	env := &page.Env{Clock: page.AppClock{Now: time.Now}}
	name := columns.Column[*namedRow]{
		ColumnSpec: columns.ColumnSpec{Title: "Name", Width: 12},
		Value:      func(row *namedRow) columns.Cell { return columns.TextCell(row.name) },
	}
	list := page.NewList(page.NewBase(env), source, page.ListOptions[*namedRow]{
		Singular: "row",
		ID:       func(row *namedRow) string { return row.name },
		Columns:  []columns.Column[*namedRow]{name},
	})
	list.DataNeeds()
	if wanted != 0 {
		t.Fatalf("%d rows are wanted for the first view", wanted)
	}
	list.ApplyFilter("99")
	list.DataNeeds()
	if wanted != 200 {
		t.Errorf("%d rows are wanted after the filter, want 200", wanted)
	}
}
