package deliveries

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/geomap"
	"flightdesk/tui/widget/table"
)

const nearEnd = 10 // rows from the last one at which older orders are read

// Section is what was delivered.
var Section = page.Section{
	Go: action.GoDeliveries, Name: "Deliveries", Short: "Data",
	First: func(env *page.Env) page.Page { return NewList(env) },
}

// Page is a list of packages and their files, with all that can be done with
// them.
type Page struct {
	*listpage.Page[deliveries.Row]
	shelf    *deliveries.Shelf
	tree     deliveries.Tree
	rows     listpage.State[deliveries.Row]
	changed  bool // the rows are to be made again
	searched bool // they are those for a filter
	news     news
	section  bool            // the news are shown behind the section's name
	marked   map[string]bool // rows, by id
	looking  page.Question
	opened   page.Question
	viewer   *viewer // of the file that was looked at last
	glance   glance
}

// NewList returns the page of the packages of all orders.
func NewList(env *page.Env) *Page {
	shelf := deliveries.Account(env.Cache, env.Client, env.Downloads)
	p := newPage(env, shelf, "Deliveries", "deliveries", "No deliveries yet. Data appears here once released.",
		listpage.Key{Key: "2", Text: "orders, and their status"})
	p.section = true
	return p
}

// NewOf returns the page of an order's deliveries, or with a mission's id of
// that one's.
func NewOf(env *page.Env, orderCode, mission string) *Page {
	shelf := deliveries.Order(env.Cache, env.Client, env.Downloads, orderCode, mission)
	return newPage(env, shelf, "Deliveries", "deliveries", "No deliveries yet. Data appears here once released.")
}

// NewDataset returns the page of a dataset that is known from the library.
func NewDataset(env *page.Env, set *api.Dataset) *Page {
	shelf := deliveries.Dataset(env.Cache, env.Client, env.Downloads, set)
	return newPage(env, shelf, layout.Cut(layout.Clean(set.DatasetName), 40), "files of datasets", "The dataset has no files.")
}

func newPage(env *page.Env, shelf *deliveries.Shelf, title, name, empty string, keys ...listpage.Key) *Page {
	p := &Page{shelf: shelf, tree: deliveries.Tree{Turned: map[string]bool{}}, marked: map[string]bool{}}
	base := page.NewBase(env)
	p.Page = listpage.NewPage(base, listpage.Source[deliveries.Row]{State: p.state, Refresh: p.refresh}, listpage.Options[deliveries.Row]{
		Title: title, Name: name, Example: "product:2D or local:new", One: "file", Many: "files", Scope: action.Deliveries,
		Columns: deliveries.Columns(env.Downloads, env.Now),
		ID:      (*deliveries.Row).ID,
		Look: func(r *deliveries.Row) (mark table.Cell, muted bool) {
			if p.marked[r.ID()] {
				mark = table.Cell{Text: "✓", Role: theme.Accent}
			}
			return mark, false
		},
		Lines: p.lines, Foot: p.foot,
		Feature: func(r *deliveries.Row) geomap.Feature {
			return geomap.Feature{ID: r.Package.ID, Label: layout.Clean(r.Package.Title), Geometry: r.Package.Location, Mark: '◕', Role: geomap.Good}
		},
		Zoom:  true,
		Open:  p.open,
		Empty: [2]string{empty}, Keys: keys,
		Problem: func(err error, _ string, w int) []string { return page.Problem(p.Theme, err, p.kept(), "r", w) },
	})
	return p
}

// state is what the shelf has, as it is shown.
func (p *Page) state() listpage.State[deliveries.Row] {
	searched := p.Page != nil && p.List.Grid.Query() != ""
	if p.shelf.Sync() || p.changed || searched != p.searched || p.Page == nil {
		p.changed, p.searched = false, searched
		s, version := p.shelf.State, p.rows.Version+1
		p.rows = listpage.State[deliveries.Row]{
			Rows: p.tree.Rows(p.shelf.Packages, searched), Version: version, At: s.ReadAt, Err: s.Err, More: s.More, Offline: s.Offline,
		}
		p.news = newsOf(p.shelf)
	}
	p.rows.Reading = p.shelf.Partial
	return p.rows
}

// kept says what is shown although it could not be read again.
func (p *Page) kept() string {
	if len(p.shelf.Packages) == 0 {
		return ""
	}
	text := "Showing " + format.Count(len(p.shelf.Packages), "package", "packages")
	if at := p.shelf.ReadAt; !at.IsZero() {
		text += ", loaded " + format.Ago(at, p.Now())
	}
	return text
}

// news are what no fetch has brought.
type news struct {
	packages, files int
	size            int64
	unknown         bool // the size of some
}

func newsOf(s *deliveries.Shelf) (n news) {
	for _, pkg := range s.Packages {
		fresh := pkg.Fresh(s.Files)
		if len(fresh) > 0 {
			n.packages++
		}
		n.files += len(fresh)
		size, exact := fetch.Package{Files: fresh}.Size()
		n.size, n.unknown = n.size+size, n.unknown || !exact
	}
	return n
}

func (n news) String() string {
	text := format.Count(n.files, "new file", "new files")
	switch {
	case n.files == 0:
		return "nothing new"
	case !n.unknown:
		return text + " · " + format.Bytes(n.size)
	case n.size > 0:
		return text + " · " + format.Bytes(n.size) + " or more"
	}
	return text
}

// Corner counts what is new and tells how old it is.
func (p *Page) Corner() string {
	p.Sync()
	switch s := p.shelf.State; {
	case s.Offline:
		return page.AsOf(s.ReadAt, p.Now(), s.Err == nil)
	case s.Partial && s.Err == nil && len(p.shelf.Packages) == 0:
		return "reading…"
	case s.Partial && s.Err == nil:
		return p.news.String() + " · reading…"
	case s.ReadAt.IsZero():
		return ""
	default:
		return p.news.String() + " · refreshed " + format.Ago(s.ReadAt, p.Now())
	}
}

// Needs are the packages, more of them where the selection comes near the last,
// and where the selected one was captured.
func (p *Page) Needs() []cache.Need {
	p.Sync()
	grid, needs := p.List.Grid, p.shelf.Needs
	if grid.Query() == "" && len(p.rows.Rows) > 0 && grid.Cursor() >= grid.Len()-nearEnd {
		p.shelf.Deepen()
	}
	if r := p.Current(); r != nil && r.Package.Where != nil && (p.IsScrolling == nil || !p.IsScrolling()) {
		needs = append(needs[:len(needs):len(needs)], r.Package.Where)
	}
	return needs
}

// Start shows what is known, which the cache keeps up to date.
func (p *Page) Start() tea.Cmd { return p.settle() }

// refresh has all read again, and the files on disk looked at.
func (p *Page) refresh() tea.Cmd {
	p.shelf.Reread()
	return tea.Batch(p.lookAgain(), page.Command(p.Downloads.ComeBack(p.Client)))
}

// Update takes answers.
func (p *Page) Update(msg tea.Msg) tea.Cmd { return tea.Batch(p.hear(msg), p.settle()) }

func (p *Page) hear(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.DownloadsChangedMsg:
		p.changed = true
		if msg.Ended {
			return p.lookAgain()
		}
	case tea.WindowSizeMsg:
		if p.viewer != nil {
			return p.viewer.fit(msg.Width, msg.Height)
		}
	case page.Answer[*deliveries.Look]:
		return p.take(msg)
	case glanceMsg:
		return p.glanceAt(msg.path)
	case glanceAnswer:
		p.glanced(msg)
	case lookAnswer:
		return p.seen(msg)
	case openedMsg:
		switch {
		case !msg.Take():
			return nil
		case msg.Err != nil:
			return page.Toast(theme.Bad, layout.Clean(msg.Err.Error()))
		}
		return page.Toast(theme.Good, "opened "+page.Short(&p.Files, msg.Value))
	default:
		return p.Page.Update(msg)
	}
	return nil
}

// settle shows what is known by now, and looks at the disk where there is
// something else.
func (p *Page) settle() tea.Cmd {
	p.Sync()
	if p.section {
		badge := page.Badge{Role: theme.Attention}
		if p.news.packages > 0 {
			badge.Text = fmt.Sprint(p.news.packages)
		}
		p.SetBadge(action.GoDeliveries, badge)
	}
	if p.looking.Open() {
		return p.watch()
	}
	return tea.Batch(p.look(), p.watch())
}

// look looks what is on disk of packages of which that is not known.
func (p *Page) look() tea.Cmd {
	if look := p.shelf.Look(); look != nil {
		return page.Ask(p.Base, &p.looking, look)
	}
	return nil
}

// lookAgain looks what is on disk of all packages.
func (p *Page) lookAgain() tea.Cmd {
	p.shelf.Forget()
	return p.look()
}

// take takes what is on disk.
func (p *Page) take(msg page.Answer[*deliveries.Look]) tea.Cmd {
	if !msg.Take() {
		return nil
	}
	p.shelf.Take(msg.Value)
	p.changed = true
	if msg.Err != nil {
		return page.Toast(theme.Bad, layout.Clean(msg.Err.Error()))
	}
	return nil
}

// Back leaves the map and the detail, and takes away the filter and the marks,
// one after the other.
func (p *Page) Back() bool {
	switch {
	case p.Page.Back():
	case len(p.marked) > 0:
		clear(p.marked)
	default:
		return false
	}
	return true
}

// Do performs an action.
func (p *Page) Do(id action.ID) tea.Cmd { return tea.Batch(p.perform(id), p.settle()) }

// Mouse selects a row, opens it with a second click, moves with the wheel.
func (p *Page) Mouse(m page.Mouse) tea.Cmd { return tea.Batch(p.Page.Mouse(m), p.settle()) }

// chosen are the rows that an action is for: those that are marked, or else the
// selected one.
func (p *Page) chosen() (rows []*deliveries.Row) {
	if r := p.Current(); r != nil && len(p.marked) == 0 {
		return []*deliveries.Row{r}
	}
	for _, r := range deliveries.All(p.shelf.Packages) {
		if p.marked[r.ID()] {
			rows = append(rows, r)
		}
	}
	return rows
}

// files are those of the rows, each once, by package.
func files(rows []*deliveries.Row) map[*deliveries.Package][]int {
	all, taken := map[*deliveries.Package][]int{}, map[string]bool{}
	for _, r := range rows {
		from, to := r.Span()
		for k := from; k < to; k++ {
			if id := fmt.Sprint(r.Package.ID, "/", k); !taken[id] {
				taken[id] = true
				all[r.Package] = append(all[r.Package], k)
			}
		}
	}
	return all
}

// items are those of the chosen files that the queue has.
func (p *Page) items() (items []fetch.Item) {
	for pkg, all := range files(p.chosen()) {
		for _, k := range all {
			if it, ok := p.Downloads.Of(pkg.ID, pkg.Files[k].ID); ok {
				items = append(items, it)
			}
		}
	}
	return items
}
