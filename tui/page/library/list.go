package library

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/downloads"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/deliveries"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/geomap"
	"flightdesk/tui/widget/table"
)

const (
	atOnce     = 50 // datasets of one answer
	nearEnd    = 10 // rows from the last one at which older datasets are read
	staleAfter = 30 * time.Second
)

// Section is the data library.
var Section = page.Section{
	Go: action.GoLibrary, Name: "Library", Short: "Lib",
	First: func(env *page.Env) page.Page { return NewList(env) },
}

// List is the account's purchased datasets, newest first.
type List struct {
	page.Base
	sets    []api.Dataset
	more    bool
	pages   int
	read    time.Time
	err     error
	newest  page.Question
	older   page.Question
	fetched page.Question
	columns []columns.Column[api.Dataset]
	list    *listpage.List
	beside  *listpage.SplitDetail
}

// NewList returns the page.
func NewList(env *page.Env) *List {
	l := &List{Base: page.NewBase(env)}
	l.columns = columns.Screen(columns.Datasets(l.here))
	l.list = listpage.New(l.Base, "datasets", "goals:climate or name:port", columns.Specs(l.columns)...)
	l.list.Empty = "No dataset has all of that; "
	l.beside = listpage.NewSplitDetail(l.list, l.tableView, l.detailLines)
	l.fill()
	return l
}

// Title is the page's name.
func (l *List) Title() string { return "Library" }

// Corner counts the datasets and tells their age.
func (l *List) Corner() string {
	switch {
	case l.fetched.Open():
		return "asking for the files…"
	case l.newest.Open() || l.older.Open():
		return "reading…"
	case l.read.IsZero():
		return ""
	}
	count := format.Count(len(l.sets), "dataset", "datasets")
	if l.more {
		count += " read, more below"
	}
	return count + " · refreshed " + format.Ago(l.read, l.Now())
}

// Start reads the library where it was not read just now.
func (l *List) Start() tea.Cmd {
	if l.newest.Open() || l.err == nil && !l.read.IsZero() && l.Now().Sub(l.read) < staleAfter {
		return nil
	}
	return l.ask(&l.newest, 0)
}

type (
	answer        = page.Answer[[]api.Dataset]
	fetchedAnswer = page.Answer[fetch.Package]
)

func (l *List) ask(q *page.Question, n int) tea.Cmd {
	return page.Ask(l.Base, q, func(ctx context.Context) ([]api.Dataset, error) {
		return l.Client.Library.List(ctx, api.DatasetListOptions{Limit: atOnce, Page: n})
	})
}

// Update takes answers.
func (l *List) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case answer:
		if newest := msg.Of(&l.newest); msg.Take() {
			l.take(msg, newest)
		}
		return nil
	case fetchedAnswer:
		switch {
		case !msg.Take():
			return nil
		case msg.Err != nil:
			what, advice := page.Explain(msg.Err)
			return page.Toast(theme.Bad, strings.TrimSpace(what+". "+advice))
		case len(msg.Value.Files) == 0:
			return page.Toast(theme.Text, "the dataset has no files")
		}
		return l.Downloads.Fetch(msg.Value)
	case downloads.ChangedMsg:
		l.list.Grid.Refresh()
		return nil
	}
	cmd, taken := l.list.Update(msg)
	if taken {
		l.follow()
	}
	return cmd
}

func (l *List) take(msg answer, newest bool) {
	if l.err = msg.Err; msg.Err != nil {
		return
	}
	if newest {
		l.sets, l.pages, l.read = nil, 0, l.Now()
	}
	l.pages++
	l.more = len(msg.Value) == atOnce
	known := map[string]bool{}
	for i := range l.sets {
		known[l.sets[i].ID] = true
	}
	sets := l.sets[:len(l.sets):len(l.sets)]
	for _, set := range msg.Value {
		if !known[set.ID] {
			sets = append(sets, set)
		}
	}
	l.sets = sets
	l.fill()
}

// fill gives table and map their datasets.
func (l *List) fill() {
	sets := l.sets
	features := make([]geomap.Feature, 0, len(sets))
	for i := range sets {
		features = append(features, geomap.Feature{
			ID: sets[i].ID, Label: layout.Clean(sets[i].DatasetName), Geometry: deliveries.Area(sets[i].LocationMap), Mark: '●', Role: geomap.Good,
		})
	}
	l.beside.Map.SetFeatures(features)
	l.list.Grid.Set(table.Source{
		Len:  len(sets),
		ID:   func(i int) string { return sets[i].ID },
		Cell: columns.Cells(l.columns, func(i int) *api.Dataset { return &sets[i] }),
		Look: func(int) (table.Cell, bool) { return table.Cell{}, l.err != nil },
		More: l.more, Loading: l.older.Open(),
	})
	l.follow()
}

// day is when the dataset was completed, zero where that is not said.
func day(set *api.Dataset) time.Time { return set.DateCompleted.Time }

// here tells how many of the dataset's files the downloads have.
func (l *List) here(set *api.Dataset) table.Cell {
	done, all, busy := 0, 0, false
	for i := range l.Downloads.Items {
		it := &l.Downloads.Items[i]
		if it.PackageID != set.ID || it.State == fetch.Cancelled {
			continue
		}
		all++
		if it.State.Over() {
			done++
		} else {
			busy = true
		}
	}
	text, role := "", theme.Muted
	switch {
	case all == 0:
	case busy:
		text, role = fmt.Sprintf("%d of %d", done, all), theme.InProgress
	default:
		text, role = "✓", theme.Good
	}
	return table.Cell{Text: text, Code: text, Role: role, Num: float64(done), Known: all > 0}
}

// current is the selected dataset, nil for none.
func (l *List) current() *api.Dataset {
	if i, ok := l.list.Grid.Current(); ok && i < len(l.sets) {
		return &l.sets[i]
	}
	return nil
}

func (l *List) follow() {
	if set := l.current(); set != nil {
		l.beside.Map.SetSelected(set.ID)
	}
}

// Scopes are the page's.
func (l *List) Scopes() []action.Scope {
	if l.list.Typing() {
		return l.list.Scopes()
	}
	return l.beside.Map.Scopes(l.Width >= listpage.Wide, l.list.Scopes(action.Library)...)
}

// Typing is while the filter is typed.
func (l *List) Typing() bool { return l.list.Typing() }

// Cursor stands in the filter while that is typed.
func (l *List) Cursor() *tea.Cursor { return l.list.Cursor() }

// Back leaves the map and clears the filter first.
func (l *List) Back() bool {
	if l.beside.Map.Focused {
		l.beside.Map.Focused = false
		return true
	}
	return l.list.Clear()
}

// Disabled says why an action is off.
func (l *List) Disabled(id action.ID) string {
	switch id {
	case action.Open, action.Fetch:
		if l.current() == nil {
			return "there is no dataset"
		}
	case action.OpenFolder:
		if l.Opener == nil {
			return "no program is known here that opens folders"
		}
	}
	return l.list.Disabled(id)
}

// Do performs an action.
func (l *List) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Open:
		return l.Open(deliveries.NewDataset(l.Env, l.current()))
	case action.Fetch:
		return l.fetch()
	case action.OpenFolder:
		return deliveries.OpenFolder(l.Base)
	case action.Refresh:
		return l.ask(&l.newest, 0)
	}
	if l.beside.Map.Do(id) {
		return nil
	}
	cmd, done := l.list.Do(id)
	if !done {
		return nil
	}
	l.follow()
	if s := l.list.Grid; l.more && !l.older.Open() && l.err == nil && s.Query() == "" && s.Cursor() >= s.Len()-nearEnd {
		return tea.Batch(cmd, l.ask(&l.older, l.pages))
	}
	return cmd
}

// fetch asks for the dataset's links, and fetches all of them.
func (l *List) fetch() tea.Cmd {
	id := l.current().ID
	return page.Ask(l.Base, &l.fetched, func(ctx context.Context) (fetch.Package, error) {
		return fetch.Dataset(ctx, l.Client, id)
	})
}

// Mouse selects a dataset, opens it with a second click, and moves with the
// wheel.
func (l *List) Mouse(m page.Mouse) tea.Cmd {
	if !l.beside.Mouse(m, l.Width) && l.list.Mouse(m) {
		l.follow()
		if m.Double && l.current() != nil {
			return l.Do(action.Open)
		}
	}
	return nil
}

// Drag moves the map, or the border between table and detail.
func (l *List) Drag(m page.Mouse, over bool) tea.Cmd {
	l.beside.Drag(m, over)
	return nil
}

// View draws the library.
func (l *List) View(w, h int) string {
	switch {
	case len(l.sets) == 0 && l.err != nil:
		return layout.Box(page.Problem(l.Theme, l.err, "", "r", w), w, h)
	case len(l.sets) == 0 && !l.read.IsZero():
		return layout.Box(l.empty(), w, h)
	case len(l.sets) == 0:
		return l.list.Loading(w, h)
	case w >= listpage.Wide:
		return l.beside.View(l.Theme, w, h)
	case l.beside.Map.Focused:
		return l.beside.Map.View(l.Theme, w, h)
	}
	return l.tableView(w, h)
}

func (l *List) tableView(w, h int) string {
	var foot []string
	if l.err != nil {
		foot = page.Problem(l.Theme, l.err, format.Count(len(l.sets), "dataset", "datasets")+", read "+format.Ago(l.read, l.Now()), "r", w)
	}
	return l.beside.Rows(w, h, l.Width, foot...)
}

// detailLines are the facts of the selected dataset; place is whether it says
// where it is.
func (l *List) detailLines(w, h int) (lines []string, place bool) {
	set := l.current()
	if set == nil {
		return nil, false
	}
	th := l.Theme
	lines = []string{layout.Cut(" "+layout.Text(th.Title, layout.Clean(set.DatasetName)), w-1)}
	for _, part := range layout.Wrap(layout.Clean(set.Description), w-2) {
		lines = append(lines, " "+layout.Text(th.Style(theme.Text), part))
	}
	lines = append(lines[:min(len(lines), max(3, h/3))], "")
	for _, f := range [][2]string{
		{"Categories", strings.Join(set.Categories, ", ")},
		{"Goals", strings.Join(set.SDGGoals, ", ")},
		{"Place", set.LocationLabel},
		{"Completed", format.Date(day(set), l.Now())},
	} {
		lines = append(lines, layout.Cut(" "+layout.Text(th.Style(theme.Muted), layout.Left(f[0], 12))+
			layout.Text(th.Style(theme.Text), layout.Cut(layout.Clean(cmp.Or(f[1], format.None)), max(1, w-14))), w))
	}
	return lines, len(set.LocationMap) > 0
}

func (l *List) empty() []string {
	th := l.Theme
	return []string{
		"", layout.Text(th.Style(theme.Text), " No datasets yet."), "",
		layout.Text(th.Style(theme.Muted), " Datasets bought of the service stand here, with their files."),
	}
}

// Jumps are the rows on the screen.
func (l *List) Jumps() []page.Jump {
	if l.Width < listpage.Wide && l.beside.Map.Focused {
		return nil // the map has their place
	}
	return page.Rows(&l.list.Grid.Table, 0, 0, l.Mouse)
}
