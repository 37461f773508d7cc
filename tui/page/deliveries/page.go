package deliveries

import (
	"fmt"
	"slices"
	"time"

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
)

const nearEnd = 10 // distance from the last row, in rows, at which older orders are loaded

// DeliveriesSection is the section of the deliveries of all orders.
var DeliveriesSection = page.Section{
	Go: action.GoDeliveries, Name: "Deliveries", Short: "Data",
	First: NewDeliveries,
}

// row is a package, a run of photos, or a file.
type row = deliveries.DeliveryRow

// Page is a list of packages and their files, which it downloads, opens, previews and checks.
type Page struct {
	*page.List[*row]
	shelf    *deliveries.PackageShelf
	tree     deliveries.RowTree
	rows     page.ListState[*row]
	changed  bool            // the rows must be built again
	searched bool            // the rows were built for a filter, with all packages expanded
	news     []fetch.Package // packages with only the files that were not downloaded before
	section  bool            // the number of new packages is shown in the section's badge
	marked   map[string]bool // marked rows, by ID

	hasUnseen bool // the download folder was not read for some files, which can be new
	isDataset bool // the page has the files of a purchased dataset

	looking  page.Request // reading of the files on disk
	previews page.Request // reading of a picture to preview

	check  check
	viewer *pictureView // last preview, or nil
	glance glance       // the picture of the selected file
}

// NewDeliveries returns the page of the deliveries of all orders.
func NewDeliveries(env *page.Env) page.Page {
	shelf := deliveries.NewShelf(env.Profile.Cache, env.Profile.Client, env.Profile.Downloads).OfAccount()
	p := newDeliveries(env, shelf, page.RowKey{Action: action.GoOrders, Text: "orders, and their status"})
	p.section = true
	return p
}

// NewDeliveriesOf returns the page of an order's deliveries. Unless mission is "", it only has
// the deliveries of the mission with that ID.
func NewDeliveriesOf(env *page.Env, orderCode, mission string) *Page {
	shelf := deliveries.NewShelf(env.Profile.Cache, env.Profile.Client, env.Profile.Downloads)
	return newDeliveries(env, shelf.OfOrder(orderCode, mission))
}

func newDeliveries(env *page.Env, shelf *deliveries.PackageShelf, keys ...page.RowKey) *Page {
	const empty = "No deliveries yet. Data appears here once released."
	return newPage(env, shelf, "Deliveries", "deliveries", empty, keys...)
}

// NewDataset returns the page of a purchased dataset's files.
func NewDataset(env *page.Env, set *api.Dataset) *Page {
	shelf := deliveries.NewShelf(env.Profile.Cache, env.Profile.Client, env.Profile.Downloads).OfDataset(set)
	title := format.CutLine(format.Clean(set.DatasetName), 40)
	p := newPage(env, shelf, title, "files of datasets", "The dataset has no files.")
	p.isDataset = true
	return p
}

func newPage(
	env *page.Env, shelf *deliveries.PackageShelf, title, name, empty string, keys ...page.RowKey,
) *Page {
	p := &Page{
		shelf:  shelf,
		marked: map[string]bool{},
	}
	source := page.ListSource[*row]{State: p.shelfState, Refresh: p.refreshAll}
	p.List = page.NewList(page.NewBase(env), source, page.ListOptions[*row]{
		Title:      title,
		Name:       name,
		Example:    "product:2D or local:new",
		Singular:   "file",
		Scope:      action.Deliveries,
		Columns:    deliveries.FileColumns(env.Profile.Downloads, env.Clock.Now),
		ID:         (*row).ID,
		Mark:       p.markCell,
		Details:    p.describe,
		RenderFoot: p.renderFoot,
		Feature:    packageFeature,
		FeatureParts: func(r *row) []geomap.Feature {
			return checkFeatures(env.Profile.Downloads.Checks, r)
		},
		Open:    p.openRow,
		Actions: p.actions(),
		Empty:   empty,
		Keys:    keys,
		RenderError: func(err error, _ string, w int) []string {
			return p.Env.Look.RenderProblem(err, p.keptText(), w, action.Deliveries)
		},
	})
	p.Map.ZoomToSelected()
	return p
}

// markCell returns the cell with the mark of a row, or an empty cell if it is not marked.
func (p *Page) markCell(r *row) widget.Cell {
	if !p.marked[r.ID()] {
		return widget.Cell{}
	}
	return widget.Cell{Text: "✓", Role: theme.Accent}
}

// packageFeature returns the location of the row's package as a feature for the map.
func packageFeature(r *row) geomap.Feature {
	return geomap.Feature{
		ID:       r.Package.ID,
		Label:    format.Clean(r.Package.Title),
		Geometry: r.Package.Location,
		Mark:     '◕',
		Role:     theme.Good,
	}
}

// shelfState returns the state of the list. It builds the rows again if the packages, the
// tree or the filter changed.
func (p *Page) shelfState() page.ListState[*row] {
	searched := p.List != nil && p.Grid.Query() != ""
	if p.shelf.Sync() || p.changed || searched != p.searched {
		p.changed = false
		p.searched = searched
		p.buildRows()
		p.findNews()
	}
	p.rows.Reading = p.shelf.Partial
	return p.rows
}

// buildRows builds the rows from the packages of the shelf.
func (p *Page) buildRows() {
	state := p.shelf.ShelfState
	p.rows = page.ListState[*row]{
		Rows:    p.tree.TreeRows(p.shelf.Packages, p.searched),
		Version: p.rows.Version + 1,
		At:      state.ReadAt,
		Err:     state.Err,
		More:    state.More,
		Offline: state.Offline,
	}
	if p.isUnfinished() {
		p.rows.At = time.Time{}
	}
}

// findNews finds the files that were not downloaded before.
func (p *Page) findNews() {
	p.news = nil
	p.hasUnseen = false
	for _, pkg := range p.shelf.Packages {
		for i := range pkg.Files {
			if pkg.FileState(p.shelf.Files, i).Step == deliveries.Unseen {
				p.hasUnseen = true
			}
		}
		fresh := pkg.NewFiles(p.shelf.Files)
		if len(fresh.Files) > 0 {
			p.news = append(p.news, fresh)
		}
	}
}

// keptText returns the number and the age of the packages that are still shown after an
// error, or "" if there are none.
func (p *Page) keptText() string {
	if len(p.shelf.Packages) == 0 {
		return ""
	}
	return p.KeptText(format.Count(len(p.shelf.Packages), "package"), p.shelf.ReadAt)
}

// newsText returns the number and the total size of the new files. If there are none, it says so, or that
// not all deliveries are loaded.
func (p *Page) newsText() string {
	if len(p.news) == 0 && p.shelf.Err != nil {
		return "not all " + p.shelfNoun() + " loaded"
	}
	if len(p.news) == 0 && p.hasUnseen {
		return "download folder not read yet"
	}
	if len(p.news) == 0 && p.shelf.More {
		return "nothing new in the loaded orders"
	}
	if len(p.news) == 0 {
		return "nothing new"
	}
	var all fetch.Package
	for _, pkg := range p.news {
		all.Files = append(all.Files, pkg.Files...)
	}
	text := format.Count(len(all.Files), "new file")
	if len(p.news) > 1 {
		text = format.Count(len(p.news), "new package") + ", " + format.Count(len(all.Files), "file")
	}
	size, exact := all.TotalSize()
	if exact {
		return text + " · " + format.Bytes(size)
	}
	if size > 0 {
		return text + " · " + format.Bytes(size) + " or more"
	}
	return text
}

// CornerText returns the text in the page's upper right corner: the number of new files, and
// how long ago the deliveries were loaded.
func (p *Page) CornerText() string {
	p.Sync()
	state := p.shelf.ShelfState
	now := p.Env.Clock.Now()
	if state.Offline {
		return page.AsOf(state.ReadAt, now, state.Err == nil)
	}
	isReading := state.Partial || p.isUnfinished()
	if isReading && state.Err == nil {
		if len(p.news) == 0 {
			return "reading…"
		}
		return p.newsText() + " · reading…"
	}
	if state.ReadAt.IsZero() {
		return ""
	}
	return p.newsText() + " · refreshed " + format.Ago(state.ReadAt, now)
}

// isUnfinished reports whether no package was found yet, but older orders may have some.
func (p *Page) isUnfinished() bool { return len(p.shelf.Packages) == 0 && p.shelf.More }

// DataNeeds returns the needs of the shelf, and the needs for the location of the selected
// package unless the user is scrolling. Near the last row it makes the shelf load older orders.
func (p *Page) DataNeeds() []cache.Need {
	p.Sync()
	if p.isNearEnd() {
		p.shelf.Deepen()
	}
	if p.isUnfinished() { // no key would load the older orders
		p.Sync()
	}
	needs := p.shelf.Needs
	r := p.Current()
	if r != nil && !p.Env.Clock.ScrollsPast() {
		needs = slices.Concat(needs, r.Package.Where)
	}
	return needs
}

// isNearEnd reports whether the selection is near the last row of an unfiltered list. An empty list
// is at its end.
func (p *Page) isNearEnd() bool {
	if p.Grid.Query() != "" {
		return false
	}
	return p.Grid.Cursor() >= p.Grid.Len()-nearEnd
}

// OnShow reads the files on disk again: they may have been changed or deleted meanwhile.
func (p *Page) OnShow() tea.Cmd {
	p.Env.Profile.Downloads.Checks.Reload()
	p.changed = true
	p.shelf.RecheckDisk()
	return p.refreshRows()
}

// refreshAll loads the deliveries again, reads the files on disk again, and reconnects the
// downloads.
func (p *Page) refreshAll() tea.Cmd {
	p.shelf.Reread()
	return tea.Batch(p.lookAgain(), page.BackgroundCommand(p.Env.Profile.Downloads.ComeBack(p.Env.Profile.Client)))
}

// Update handles changes of downloads and of the window's size, and passes any other message to
// the list.
func (p *Page) Update(msg tea.Msg) tea.Cmd { return tea.Batch(p.handleMessage(msg), p.refreshRows()) }

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

// refreshRows updates the rows, the section's badge and the selected picture after a change. It
// reads the files on disk of packages that are new, unless a reading is running.
func (p *Page) refreshRows() tea.Cmd {
	p.Sync()
	if p.section {
		count := page.TextIf(len(p.news) > 0, fmt.Sprint(len(p.news)))
		p.Env.SetBadge(action.GoDeliveries, page.SectionBadge{Text: count, Role: theme.Attention})
	}
	if p.looking.IsRunning() {
		return p.glanceAtSelection()
	}
	return tea.Batch(p.lookOnDisk(), p.glanceAtSelection())
}

// lookOnDisk reads the files on disk of the packages whose files were not read yet. It returns
// nil if there are no such packages.
func (p *Page) lookOnDisk() tea.Cmd {
	look := p.shelf.LookOnDisk()
	if look == nil {
		return nil
	}
	return page.RunInBackground(p.Base, &p.looking, look, p.handleLook)
}

// lookAgain reads the files on disk of all packages.
func (p *Page) lookAgain() tea.Cmd {
	p.shelf.ResetDisk()
	return p.lookOnDisk()
}

// handleLook updates the rows with the files found on disk, and shows err as a toast.
func (p *Page) handleLook(look *deliveries.DiskLook, err error) tea.Cmd {
	p.shelf.ApplyLook(look)
	p.changed = true
	if err != nil {
		return tea.Batch(page.ShowToast(theme.Bad, format.Clean(err.Error())), p.refreshRows())
	}
	return p.refreshRows()
}

// HandleBack leaves the map or the details, or removes the filter or the marks: the first of
// them that applies. It returns false if none does.
func (p *Page) HandleBack() bool {
	if p.List.HandleBack() {
		return true
	}
	marked := len(p.marked) > 0
	clear(p.marked)
	return marked
}

// HandleAction performs the action with the given ID.
func (p *Page) HandleAction(id action.ID) tea.Cmd {
	return tea.Batch(p.List.HandleAction(id), p.refreshRows())
}

// HandleMouse selects the clicked row, opens a row on a double click, and scrolls with the
// wheel.
func (p *Page) HandleMouse(m page.MouseInput) tea.Cmd {
	return tea.Batch(p.List.HandleMouse(m), p.refreshRows())
}
