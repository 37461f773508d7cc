package page_test

import (
	"fmt"
	"testing"
	"time"

	"flightdesk/tui/action"
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
	list := newNameList(source)
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

func TestRefreshReadsAllNeedsOfAList(t *testing.T) {
	data := cache.New(nil, time.Now)
	var needs []cache.Need
	list := newNameList(page.ListSource[*namedRow]{
		State: func() page.ListState[*namedRow] { return page.ListState[*namedRow]{} },
		Needs: func(int) []cache.Need { return needs },
	})
	list.Env.Profile.Cache = data
	list.HandleAction(action.Refresh) // without needs, nothing is read
	needs = []cache.Need{data.Orders.NeedOf(cache.Account), data.Endpoints.NeedOf(cache.Account)}
	list.HandleAction(action.Refresh)
	_, orders := data.Orders.Get(cache.Account)
	_, endpoints := data.Endpoints.Get(cache.Account)
	if !orders.Loading || !endpoints.Loading {
		t.Errorf("orders are read again: %t, endpoints: %t", orders.Loading, endpoints.Loading)
	}
}

func TestTheSelectionStaysAtTheTopUntilAllRowsWereRead(t *testing.T) {
	first, second, third := &namedRow{"A"}, &namedRow{"B"}, &namedRow{"C"}
	state := page.ListState[*namedRow]{Rows: []*namedRow{third}, Version: 1}
	list := newNameList(page.ListSource[*namedRow]{State: func() page.ListState[*namedRow] { return state }})
	requireSelected := func(want string) {
		t.Helper()
		list.Sync()
		if got := list.Grid.Selected(); got != want {
			t.Errorf("%s is selected, want %s", got, want)
		}
	}
	requireSelected("C")
	state.Rows = []*namedRow{second, third}
	state.Version++
	requireSelected("B")
	state.At = time.Now()
	state.Version++
	requireSelected("B")
	state.Rows = []*namedRow{first, second, third}
	state.Version++
	requireSelected("B")
}

// newNameList returns a list with the column Name.
func newNameList(source page.ListSource[*namedRow]) *page.List[*namedRow] {
	env := &page.Env{Clock: page.AppClock{Now: time.Now}}
	name := columns.Column[*namedRow]{
		ColumnSpec: columns.ColumnSpec{Title: "Name", Width: 12},
		Value:      func(row *namedRow) columns.Cell { return columns.TextCell(row.name) },
	}
	return page.NewList(page.NewBase(env), source, page.ListOptions[*namedRow]{
		Singular:     "row",
		ID:           func(row *namedRow) string { return row.name },
		Columns:      []columns.Column[*namedRow]{name},
		LoadsInParts: true,
	})
}
