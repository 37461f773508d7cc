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
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/geomap"
	"flightdesk/tui/widget/picture"
)

const nearEnd = 10 // rows from the last one at which older orders are read

// DeliveriesSection is what was delivered.
var DeliveriesSection = page.Section{
	Go: action.GoDeliveries, Name: "Deliveries", Short: "Data",
	First: NewDeliveries,
}

// row is a package, one of its files, or a run of them.
type row = deliveries.DeliveryRow

// Page is a list of packages and their files, with all that can be done with
// them.
type Page struct {
	*page.List[*row]
	shelf    *deliveries.PackageShelf
	tree     deliveries.RowTree
	rows     page.ListState[*row]
	changed  bool            // the rows are to be made again
	searched bool            // they are those for a filter
	news     []fetch.Package // with the files that no fetch has brought
	section  bool            // the news are shown behind the section's name
	marked   map[string]bool // rows, by id
	looking  page.Question
	previews page.Question

	check  check
	viewer *pictureView // that was looked at last

	// The picture of the selected file, in the detail beside the table.
	glance     *picture.Picture // nil where it is not read, or cannot be drawn
	glancePath string           // of the file
	glancing   page.Question
}

// NewDeliveries returns the page of the packages of all orders.
func NewDeliveries(env *page.Env) page.Page {
	shelf := deliveries.NewShelf(env.Profile.Cache, env.Profile.Client, env.Profile.Downloads).OfAccount()
	p := newDeliveries(env, shelf, page.RowKey{Key: "2", Text: "orders, and their status"})
	p.section = true
	return p
}

// NewDeliveriesOf returns the page of an order's deliveries, or with a mission's id of
// that one's.
func NewDeliveriesOf(env *page.Env, orderCode, mission string) *Page {
	shelf := deliveries.NewShelf(env.Profile.Cache, env.Profile.Client, env.Profile.Downloads)
	return newDeliveries(env, shelf.OfOrder(orderCode, mission))
}

func newDeliveries(env *page.Env, shelf *deliveries.PackageShelf, keys ...page.RowKey) *Page {
	const empty = "No deliveries yet. Data appears here once released."
	return newPage(env, shelf, "Deliveries", "deliveries", empty, keys...)
}

// NewDataset returns the page of a dataset that is known from the library.
func NewDataset(env *page.Env, set *api.Dataset) *Page {
	shelf := deliveries.NewShelf(env.Profile.Cache, env.Profile.Client, env.Profile.Downloads).OfDataset(set)
	title := format.CutLine(format.Clean(set.DatasetName), 40)
	return newPage(env, shelf, title, "files of datasets", "The dataset has no files.")
}

func newPage(
	env *page.Env, shelf *deliveries.PackageShelf, title, name, empty string, keys ...page.RowKey,
) *Page {
	p := &Page{
		shelf:  shelf,
		tree:   deliveries.RowTree{Turned: map[string]bool{}},
		marked: map[string]bool{},
	}
	source := page.ListSource[*row]{State: p.shelfState, Refresh: p.refreshAll}
	p.List = page.NewList(page.NewBase(env), source, page.ListOptions[*row]{
		Title:   title,
		Name:    name,
		Example: "product:2D or local:new",
		One:     "file",
		Scope:   action.Deliveries,
		Columns: deliveries.FileColumns(env.Profile.Downloads, env.Clock.Now),
		ID:      (*row).ID,
		Mark: func(r *row) (mark widget.Cell) {
			if p.marked[r.ID()] {
				mark = widget.Cell{Text: "✓", Role: theme.Accent}
			}
			return mark
		},
		About: p.describe,
		Foot:  p.renderFoot,
		Feature: func(r *row) geomap.Feature {
			return geomap.Feature{
				ID:       r.Package.ID,
				Label:    format.Clean(r.Package.Title),
				Geometry: r.Package.Location,
				Mark:     '◕',
				Role:     theme.Good,
			}
		},
		FeatureParts: func(r *row) []geomap.Feature { return missingParts(env.Profile.Downloads.Checks, r) },
		Open:         p.openRow,
		Acts:         p.acts(),
		Empty:        empty,
		Keys:         keys,
		Problem: func(err error, _ string, w int) []string {
			return p.Env.Look.RenderProblem(err, p.keptText(), w)
		},
	})
	p.Map.ZoomToSelected()
	return p
}

// shelfState returns what the shelf has, as it is shown.
func (p *Page) shelfState() page.ListState[*row] {
	searched := p.List != nil && p.Grid.Query() != ""
	if p.shelf.Sync() || p.changed || searched != p.searched {
		p.changed, p.searched = false, searched
		s, version := p.shelf.ShelfState, p.rows.Version+1
		p.rows = page.ListState[*row]{
			Rows: p.tree.TreeRows(
				p.shelf.Packages,
				searched,
			),
			Version: version,
			At:      s.ReadAt,
			Err:     s.Err,
			More:    s.More,
			Offline: s.Offline,
		}
		p.news = nil
		for _, pkg := range p.shelf.Packages {
			if fresh := pkg.NewFiles(p.shelf.Files); len(fresh.Files) > 0 {
				p.news = append(p.news, fresh)
			}
		}
	}
	p.rows.Reading = p.shelf.Partial
	return p.rows
}

// keptText says what is shown although it could not be read again.
func (p *Page) keptText() string {
	if len(p.shelf.Packages) == 0 {
		return ""
	}
	return p.KeptText(format.Count(len(p.shelf.Packages), "package"), p.shelf.ReadAt)
}

// newsText counts what no fetch has brought.
func (p *Page) newsText() string {
	var all fetch.Package
	for _, pkg := range p.news {
		all.Files = append(all.Files, pkg.Files...)
	}
	text := format.Count(len(all.Files), "new file")
	if len(p.news) > 1 {
		text = format.Count(len(p.news), "new package") + ", " + format.Count(len(all.Files), "file")
	}
	switch size, exact := all.TotalSize(); {
	case len(p.news) == 0:
		return "nothing new"
	case exact:
		return text + " · " + format.Bytes(size)
	case size > 0:
		return text + " · " + format.Bytes(size) + " or more"
	}
	return text
}

// CornerText counts what is new and tells how old it is.
func (p *Page) CornerText() string {
	p.Sync()
	switch s := p.shelf.ShelfState; {
	case s.Offline:
		return page.AsOf(s.ReadAt, p.Env.Clock.Now(), s.Err == nil)
	case s.Partial && s.Err == nil && len(p.shelf.Packages) == 0:
		return "reading…"
	case s.Partial && s.Err == nil:
		return p.newsText() + " · reading…"
	case s.ReadAt.IsZero():
		return ""
	default:
		return p.newsText() + " · refreshed " + format.Ago(s.ReadAt, p.Env.Clock.Now())
	}
}

// DataNeeds returns the packages, more of them where the selection comes near the last,
// and where the selected one was captured.
func (p *Page) DataNeeds() []cache.Need {
	p.Sync()
	grid, needs := p.Grid, p.shelf.Needs
	if grid.Query() == "" && len(p.rows.Rows) > 0 && grid.Cursor() >= grid.Len()-nearEnd {
		p.shelf.Deepen()
	}
	if r := p.Current(); r != nil && (p.Env.Clock.IsScrolling == nil || !p.Env.Clock.IsScrolling()) {
		needs = append(needs[:len(needs):len(needs)], r.Package.Where...)
	}
	return needs
}

// OnShow looks at the files on disk again: they may have been changed or deleted meanwhile.
func (p *Page) OnShow() tea.Cmd {
	p.shelf.RecheckDisk()
	return p.settleRows()
}

// refreshAll has all read again, and the files on disk looked at.
func (p *Page) refreshAll() tea.Cmd {
	p.shelf.Reread()
	return tea.Batch(p.lookAgain(), page.BackgroundCommand(p.Env.Profile.Downloads.ComeBack(p.Env.Profile.Client)))
}

// Update takes what is known of files, and how large the window is.
func (p *Page) Update(msg tea.Msg) tea.Cmd { return tea.Batch(p.handleMessage(msg), p.settleRows()) }

func (p *Page) handleMessage(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.DownloadsChangedMsg:
		p.changed = true
		if msg.Ended {
			return p.lookAgain()
		}
	case tea.WindowSizeMsg:
		if p.viewer != nil {
			return p.viewer.drawGraphics("", msg.Width, msg.Height)
		}
	default:
		return p.List.Update(msg)
	}
	return nil
}

// settleRows shows what is known by now, and looks at the disk where there is
// something else.
func (p *Page) settleRows() tea.Cmd {
	p.Sync()
	if p.section {
		count := page.TextIf(len(p.news) > 0, fmt.Sprint(len(p.news)))
		p.Env.SetBadge(action.GoDeliveries, page.SectionBadge{Text: count, Role: theme.Attention})
	}
	if p.looking.IsOpen() {
		return p.watchSelection()
	}
	return tea.Batch(p.lookOnDisk(), p.watchSelection())
}

// lookOnDisk looks what is on disk of packages of which that is not known.
func (p *Page) lookOnDisk() tea.Cmd {
	if look := p.shelf.LookOnDisk(); look != nil {
		return page.AskInBackground(p.Base, &p.looking, look, p.takeLook)
	}
	return nil
}

// lookAgain looks what is on disk of all packages.
func (p *Page) lookAgain() tea.Cmd {
	p.shelf.ForgetDisk()
	return p.lookOnDisk()
}

// takeLook takes what is on disk.
func (p *Page) takeLook(look *deliveries.DiskLook, err error) tea.Cmd {
	p.shelf.TakeLook(look)
	p.changed = true
	if err != nil {
		return tea.Batch(page.ShowToast(theme.Bad, format.Clean(err.Error())), p.settleRows())
	}
	return p.settleRows()
}

// HandleBack leaves the map and the detail, and takes away the filter and the marks,
// one after the other.
func (p *Page) HandleBack() bool {
	if p.List.HandleBack() {
		return true
	}
	marked := len(p.marked) > 0
	clear(p.marked)
	return marked
}

// HandleAction performs an action.
func (p *Page) HandleAction(id action.ID) tea.Cmd {
	return tea.Batch(p.List.HandleAction(id), p.settleRows())
}

// HandleMouse selects a row, opens it with a second click, moves with the wheel.
func (p *Page) HandleMouse(m page.MouseInput) tea.Cmd {
	return tea.Batch(p.List.HandleMouse(m), p.settleRows())
}

// chosenFiles returns the files that an action is for, by their package: those of the rows
// that are marked, or else of the selected one.
func (p *Page) chosenFiles() map[*deliveries.DeliveredPackage][]int {
	files := map[*deliveries.DeliveredPackage][]int{}
	add := func(r *row) {
		from, to := r.FileSpan()
		for k := from; k < to; k++ {
			// What a package or a run has taken comes again in the rows below it.
			if all := files[r.Package]; len(all) == 0 || k > all[len(all)-1] {
				files[r.Package] = append(all, k)
			}
		}
	}
	if r := p.Current(); r != nil && len(p.marked) == 0 {
		add(r)
		return files
	}
	all := deliveries.RowTree{Open: true}
	for _, r := range all.TreeRows(p.shelf.Packages, false) {
		if p.marked[r.ID()] {
			add(r)
		}
	}
	return files
}

// chosenItems returns those of the chosen files that the queue is not done with.
func (p *Page) chosenItems() (items []fetch.Item) {
	for pkg, files := range p.chosenFiles() {
		for _, k := range files {
			if it, ok := p.Env.Profile.Downloads.Of(pkg.ID, pkg.Files[k].ID); ok && !it.State.IsFinal() {
				items = append(items, it)
			}
		}
	}
	return items
}
