package deliveries

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api/fetch"
	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/geomap"
	"flightdesk/tui/widget/table"
)

const shutFrom = 13 // rows from which on a package is shut until it is opened

// browser is a table of packages and files, with one of them beside it, and
// all that can be done with them. The pages say where the packages come from.
type browser struct {
	page.Base
	list     *listpage.List
	beside   *listpage.SplitDetail
	packages []*Package
	rows     []row
	flat     bool            // files alone, without their packages
	searched bool            // the rows are those for a filter
	turned   map[string]bool // packages and runs that were opened or shut, by id
	marked   map[string]bool // rows, by identity
	detail   bool            // the detail stands in the table's place, in a narrow window
	dimmed   bool            // what is shown is old
	looked   page.Question
	opened   page.Question
	viewer   *viewer // of the file that was looked at last
	glance   glance
}

func (b *browser) begin(env *page.Env, name string) {
	b.Base = page.NewBase(env)
	b.turned, b.marked = map[string]bool{}, map[string]bool{}
	b.list = listpage.New(b.Base, name, "kind:_2dMap or here:new", columns.Specs(b.columns())...)
	b.list.Empty = "No matching files; "
	b.beside = listpage.NewSplitDetail(b.list, b.tableView, b.detailLines)
	b.fill()
}

// set shows packages, those with something new first and then the newest.
func (b *browser) set(packages []*Package) {
	b.packages = packages
	slices.SortStableFunc(b.packages, func(x, y *Package) int {
		return cmp.Or(b.newness(y)-b.newness(x), y.Created.Compare(x.Created))
	})
	features := make([]geomap.Feature, 0, len(packages))
	for _, p := range b.packages {
		features = append(features, geomap.Feature{ID: p.ID, Label: layout.Clean(p.Title), Geometry: p.Location, Mark: '◕', Role: geomap.Good})
	}
	b.beside.Map.SetFeatures(features)
	b.fill()
}

func (b *browser) newness(p *Package) int {
	if len(p.fresh(b.Downloads)) > 0 {
		return 1
	}
	return 0
}

// fill gives the table its rows. While one searches, all files are rows.
func (b *browser) fill() {
	b.rows, b.searched = nil, b.list.Grid.Query() != ""
	for i, p := range b.packages {
		files := p.runs(i)
		if !b.flat {
			b.rows = append(b.rows, packageRow(i))
		}
		if !b.flat && !b.searched && !b.isOpen(p, files) {
			continue
		}
		for _, r := range files {
			b.fillRun(p, r)
		}
	}
	b.list.Grid.Set(b.source())
	b.follow()
}

// fillRun gives the table a file, or a run of them with its files where it is
// open.
func (b *browser) fillRun(p *Package, r row) {
	whole := r.isRun() && !b.flat && !b.searched
	if whole {
		b.rows = append(b.rows, r)
	}
	if whole && !b.turned[r.id(p)] {
		return
	}
	for k := r.file; k < r.end; k++ {
		b.rows = append(b.rows, row{pkg: r.pkg, file: k, end: k + 1, deep: whole})
	}
}

func (b *browser) isOpen(p *Package, files []row) bool {
	return (len(files) < shutFrom) != b.turned[p.ID]
}

// id is what a row is known by.
func (b *browser) id(r row) string { return r.id(b.packages[r.pkg]) }

// source is where the table's rows come from.
func (b *browser) source() table.Source {
	rows, packages := b.rows, b.packages
	shown := make([]shownRow, len(rows))
	for i, r := range rows { // what is open has its files behind it
		below := i+1 < len(rows) && rows[i+1].pkg == r.pkg
		shown[i] = shownRow{row: r, pkg: packages[r.pkg], open: r.isPackage() && below || r.isRun() && below && rows[i+1].deep, flat: b.flat}
	}
	return table.Source{
		Len:  len(rows),
		ID:   func(i int) string { return rows[i].id(packages[rows[i].pkg]) },
		Cell: columns.Cells(b.columns(), func(i int) *shownRow { return &shown[i] }),
		Look: func(i int) (table.Cell, bool) {
			if b.marked[rows[i].id(packages[rows[i].pkg])] {
				return table.Cell{Text: "✓", Role: theme.Accent}, b.dimmed
			}
			return table.Cell{}, b.dimmed
		},
	}
}

// current is the selected row with its package; ok is false where there is
// none.
func (b *browser) current() (p *Package, r row, ok bool) {
	i, ok := b.list.Grid.Current()
	if !ok || i >= len(b.rows) {
		return nil, row{}, false
	}
	return b.packages[b.rows[i].pkg], b.rows[i], true
}

// follow selects on the map what is selected in the table, which has other
// rows while one searches.
func (b *browser) follow() {
	if b.searched != (b.list.Grid.Query() != "") {
		b.fill()
		return
	}
	if p, _, ok := b.current(); ok {
		b.beside.Map.SetSelected(p.ID)
		b.beside.Map.FitSelected()
	}
}

// chosen are the rows that an action is for: those that are marked, or else the
// selected one.
func (b *browser) chosen() (rows []row) {
	for i, p := range b.packages {
		if len(b.marked) == 0 {
			break
		}
		all := append([]row{packageRow(i)}, p.runs(i)...)
		for k := range p.Files {
			all = append(all, row{pkg: i, file: k, end: k + 1})
		}
		for _, r := range all {
			if b.marked[r.id(p)] {
				rows = append(rows, r)
			}
		}
	}
	if _, r, ok := b.current(); ok && len(rows) == 0 {
		rows = []row{r}
	}
	return rows
}

// files are those of the rows, each once, by package.
func (b *browser) files(rows []row) map[int][]int {
	all, taken := map[int][]int{}, map[[2]int]bool{}
	for _, r := range rows {
		from, to := r.span(b.packages[r.pkg])
		for k := from; k < to; k++ {
			if at := [2]int{r.pkg, k}; !taken[at] {
				taken[at] = true
				all[r.pkg] = append(all[r.pkg], k)
			}
		}
	}
	return all
}

// items are those of the chosen files that the queue has.
func (b *browser) items() (items []fetch.Item) {
	for i, files := range b.files(b.chosen()) {
		for _, k := range files {
			p := b.packages[i]
			if it, ok := b.Downloads.Of(p.ID, p.Files[k].ID); ok {
				items = append(items, it)
			}
		}
	}
	return items
}

// scopes are those of the table, with the map's while that is drawn.
func (b *browser) scopes() []action.Scope {
	if b.list.Typing() {
		return b.list.Scopes()
	}
	drawn := b.Width >= listpage.Wide || b.detail
	return b.beside.Map.Scopes(drawn, b.list.Scopes(action.Deliveries)...)
}

// back clears marks, the filter, and leaves the detail, one after the other.
func (b *browser) back() bool {
	switch {
	case b.beside.Map.Focused:
		b.beside.Map.Focused = false
	case b.detail && b.Width < listpage.Wide:
		b.detail = false
	case b.list.Clear():
		b.follow()
	case len(b.marked) > 0:
		clear(b.marked)
	default:
		return false
	}
	return true
}

// mouse selects a row, opens it with a second click, moves with the wheel.
func (b *browser) mouse(m page.Mouse) tea.Cmd { return tea.Batch(b.click(m), b.watch()) }

func (b *browser) click(m page.Mouse) tea.Cmd {
	if b.beside.Mouse(m, b.Width) || b.detail && b.Width < listpage.Wide {
		return nil
	}
	if b.list.Mouse(m) {
		b.follow()
		if m.Double {
			return b.do(action.Open)
		}
	}
	return nil
}

// view draws the table, and from 120 columns on what is selected beside it.
func (b *browser) view(w, h int) string {
	switch {
	case w >= listpage.Wide:
		return b.beside.View(b.Theme, w, h)
	case b.beside.Map.Focused:
		return b.beside.Map.View(b.Theme, w, h)
	case b.detail:
		return b.beside.Detail(w, h)
	}
	return b.tableView(w, h)
}

func (b *browser) tableView(w, h int) string { return b.beside.Rows(w, h, b.Width) }

// freshness counts what is new.
func (b *browser) freshness() string {
	packages, files, size, unknown := 0, 0, int64(0), false
	for _, p := range b.packages {
		fresh := p.fresh(b.Downloads)
		if len(fresh) == 0 {
			continue
		}
		packages++
		files += len(fresh)
		for _, f := range fresh {
			size += max(0, f.Size)
			unknown = unknown || f.Size < 0
		}
	}
	if packages == 0 {
		return "nothing new"
	}
	text := format.Count(files, "new file", "new files")
	switch {
	case !unknown:
		return text + " · " + format.Bytes(size)
	case size > 0:
		return text + " · " + format.Bytes(size) + " or more"
	default:
		return text
	}
}
