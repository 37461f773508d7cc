package deliveries

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
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
	Go: action.GoDeliveries, Name: "Deliveries", Short: "Del",
	First: NewDeliveries,
}

// row is a package, a run of photos, or a file.
type row = deliveries.DeliveryRow

// Page is a list of packages and their files, which it downloads, opens, previews and checks.
type Page struct {
	*page.List[*row]
	packages  *deliveries.PackageList
	listing   listing
	selection *rowSelection
	news      *newFiles
	fetching  *fetchActions
	opener    *fileOpener
	checking  *checkActions
	glance    glance       // the picture of the selected file
	looking   page.Request // reads the files on disk
	isSection bool         // the number of packages with files to download is shown in the section's badge
}

// listing has the rows of the list, made of the packages.
type listing struct {
	tree       deliveries.RowTree
	state      page.ListState[*row]
	totals     []deliveries.OrderTotals // totals of the files of each order
	isStale    bool                     // the rows must be built again
	isSearched bool                     // the rows were built for a filter, with all packages expanded
}

// NewDeliveries returns the page of the deliveries of all orders.
func NewDeliveries(env *page.Env) page.Page {
	packages := deliveries.NewPackageList(env.Profile.Cache, env.Profile.Client, env.Profile.Downloads).OfAccount()
	empty := func() string { return noneYet }
	p := newDeliveries(env, packages, empty, page.RowKey{Action: action.GoOrders, Text: "orders, and their status"})
	p.isSection = true
	return p
}

// NewDeliveriesOf returns the page of an order's deliveries. If mission is not "", the page has only the deliveries
// of the mission with that ID.
func NewDeliveriesOf(env *page.Env, orderCode, mission string) *Page {
	packages := deliveries.NewPackageList(env.Profile.Cache, env.Profile.Client, env.Profile.Downloads)
	empty := func() string { return noneOfOrder(env, orderCode) }
	return newDeliveries(env, packages.OfOrder(orderCode, mission), empty)
}

// noneYet is shown while nothing was delivered.
const noneYet = "No deliveries yet. Data appears here once released."

// noneOfOrder returns the text that is shown while an order has no deliveries.
func noneOfOrder(env *page.Env, orderCode string) string {
	orders := env.Profile.Cache.Now().Orders
	for i := range orders {
		if orders[i].OrderCode == orderCode && !orders[i].Status.IsLive() {
			return "No deliveries. The order is over: " + format.Status(orders[i].Status).Label
		}
	}
	return noneYet
}

// pageTexts has the texts that differ between the pages that list packages.
type pageTexts struct {
	title string
	name  string        // name of the list in settings and file names
	noun  string        // noun for the listed data, such as "deliveries"
	empty func() string // returns the text that is shown while there are no packages
}

func newDeliveries(env *page.Env, packages *deliveries.PackageList, empty func() string, keys ...page.RowKey) *Page {
	texts := pageTexts{title: "Deliveries", name: "deliveries", noun: "deliveries", empty: empty}
	return newPage(env, packages, texts, keys...)
}

// NewDataset returns the page of a purchased dataset's files.
func NewDataset(env *page.Env, set *api.Dataset) *Page {
	packages := deliveries.NewPackageList(env.Profile.Cache, env.Profile.Client, env.Profile.Downloads).OfDataset(set)
	return newPage(env, packages, pageTexts{
		title: format.CutLine(format.Clean(set.DatasetName), 40),
		name:  "files of datasets",
		noun:  "files",
		empty: func() string { return "The dataset has no files." },
	})
}

// newPage returns a page that lists packages. If there are no packages, the page shows the given
// keys, such as the key that opens the orders.
func newPage(env *page.Env, packages *deliveries.PackageList, texts pageTexts, keys ...page.RowKey) *Page {
	base := page.NewBase(env)
	p := &Page{
		packages: packages,
		news:     &newFiles{},
		opener:   &fileOpener{base: base},
	}
	p.selection = &rowSelection{
		packages: packages,
		current:  func() *row { return p.Current() },
		marked:   map[string]bool{},
	}
	p.fetching = &fetchActions{
		env:           env,
		packages:      packages,
		selection:     p.selection,
		news:          p.news,
		noun:          texts.noun,
		folderChanged: p.lookAgain,
	}
	p.checking = &checkActions{
		base:         base,
		packages:     packages,
		selection:    p.selection,
		fetching:     p.fetching,
		filesChanged: p.rebuildRows,
	}
	// The list is created last, because its options need the other parts of the page.
	source := page.ListSource[*row]{State: p.listState, Refresh: p.refreshAll}
	p.List = page.NewList(base, source, p.listOptions(env, texts, keys))
	p.Map.ZoomToSelected()
	return p
}

// listOptions returns the options of the list. env is an argument because p.Env is set only after the list was
// created.
func (p *Page) listOptions(env *page.Env, texts pageTexts, keys []page.RowKey) page.ListOptions[*row] {
	downloads := env.Profile.Downloads
	return page.ListOptions[*row]{
		Title:        texts.title,
		Name:         texts.name,
		Example:      "product:2D or local:new",
		Singular:     "file",
		Scope:        action.Deliveries,
		Columns:      deliveries.FileColumns(downloads, env.Clock.Now),
		ID:           (*row).ID,
		Mark:         p.selection.markCell,
		Details:      p.describe,
		RenderFoot:   p.renderFoot,
		LoadsInParts: true,
		RenderSpare:  p.renderTotals,
		RenderError:  p.renderError,
		Feature:      packageFeature,
		FeatureParts: func(r *row) []geomap.Feature { return checkFeatures(downloads.Checks, r) },
		Open:         p.openRow,
		Actions:      p.actions(),
		EmptyNow:     texts.empty,
		Keys:         keys,
	}
}

// renderError renders why the deliveries could not be loaded. If older packages are still shown, it also renders
// their number and their age.
func (p *Page) renderError(err error, _ string, w int) []string {
	kept := ""
	if packages := len(p.packages.Packages); packages > 0 {
		kept = p.KeptText(format.Count(packages, "package"), p.packages.ReadAt)
	}
	return p.Env.Look.RenderProblem(err, kept, w, action.Deliveries)
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

// linesAround is the number of lines of the window that cannot show rows: the lines above and below the list, and the
// lines of the totals table at its smallest.
const linesAround = 15

// listState returns the state of the list. It builds the rows again if the packages, the
// tree, the filter or the height of the window changed.
func (p *Page) listState() page.ListState[*row] {
	isSearched := false
	room := 0
	if p.List != nil { // otherwise the list is being created
		isSearched = p.Grid.Query() != ""
		room = p.Env.Look.Height - linesAround
	}
	isOther := isSearched != p.listing.isSearched || room != p.listing.tree.Room
	if p.packages.Sync() || p.listing.isStale || isOther {
		p.listing.tree.Room = room
		p.listing.build(p.packages, isSearched)
		p.news.find(p.packages)
	}
	p.listing.state.Reading = p.packages.Partial
	return p.listing.state
}

// build builds the rows from the packages.
func (l *listing) build(packages *deliveries.PackageList, isSearched bool) {
	l.isStale = false
	l.isSearched = isSearched
	l.state = page.ListState[*row]{
		Rows:    l.tree.TreeRows(packages.Packages, isSearched),
		Version: l.state.Version + 1,
		At:      packages.ReadAt,
		Err:     packages.Err,
		More:    packages.More,
		Offline: packages.Offline,
	}
	l.totals = packages.TotalsByOrder()
	if isUnfinished(packages) {
		l.state.At = time.Time{}
	}
}

// toggleFlat switches between a flat list of files and a tree of packages. The column of
// package names is only visible in the flat list.
func (l *listing) toggleFlat(grid *widget.Grid) tea.Cmd {
	l.tree.Flat = !l.tree.Flat
	l.isStale = true
	places := grid.ColumnPlaces()
	for i := range places {
		if places[i].Name == deliveries.PackageColumn {
			places[i].Off = !l.tree.Flat
		}
	}
	grid.ArrangeColumns(places)
	return nil
}

// CornerText returns the text in the page's upper right corner: the number of new or queued files, and
// how long ago the deliveries were loaded.
func (p *Page) CornerText() string {
	p.Sync()
	state := p.packages.PackageListState
	now := p.Env.Clock.Now()
	if state.Offline {
		return page.AsOf(state.ReadAt, now, state.Err == nil)
	}
	isReading := state.Partial || isUnfinished(p.packages)
	if isReading && state.Err == nil {
		if p.news.awaited == 0 {
			return "reading…"
		}
		return p.news.describe(&state, p.fetching.noun) + " · reading…"
	}
	if state.ReadAt.IsZero() {
		return ""
	}
	return p.news.describe(&state, p.fetching.noun) + " · refreshed " + format.Ago(state.ReadAt, now)
}

// isUnfinished reports whether the list is empty only because older orders are not loaded yet: they may have
// packages.
func isUnfinished(packages *deliveries.PackageList) bool {
	return len(packages.Packages) == 0 && packages.More
}

// DataNeeds returns the data that the cache should read: the data of the packages and, unless the user is scrolling,
// the location of the selected package. If the selection is near the last row, older orders are loaded, too.
func (p *Page) DataNeeds() []cache.Need {
	p.Sync()
	if isNearEnd(p.Grid) {
		p.packages.Deepen()
	}
	if isUnfinished(p.packages) { // no key would load the older orders
		p.Sync()
	}
	needs := p.packages.Needs
	r := p.Current()
	if r != nil && !p.Env.Clock.ScrollsPast() {
		needs = slices.Concat(needs, r.Package.Where)
	}
	return needs
}

// isNearEnd reports whether the selection is near the last row of an unfiltered list. An empty list
// is at its end.
func isNearEnd(grid *widget.Grid) bool {
	if grid.Query() != "" {
		return false
	}
	return grid.Cursor() >= grid.Len()-nearEnd
}

// OnShow reads the files on disk again, because they may have been changed or deleted while another page was shown.
func (p *Page) OnShow() tea.Cmd {
	p.Env.Profile.Downloads.Checks.Reload()
	p.packages.RecheckDisk()
	return p.rebuildRows()
}

// refreshAll loads the deliveries again, reads the files on disk again, and resumes the unfinished downloads of the
// last run.
func (p *Page) refreshAll() tea.Cmd {
	p.packages.Reread()
	return tea.Batch(p.lookAgain(), page.BackgroundCommand(p.Env.Profile.Downloads.ComeBack(p.Env.Profile.Client)))
}

// Update handles changes of downloads and of the window's size, and passes any other message to
// the list.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case page.DownloadsChangedMsg:
		p.listing.isStale = true
		if msg.Ended {
			cmd = p.lookAgain()
		}
	case tea.WindowSizeMsg:
		cmd = p.opener.redrawPreview(msg.Width, msg.Height)
	default:
		cmd = p.List.Update(msg)
	}
	return tea.Batch(cmd, p.refreshRows())
}

// rebuildRows builds the rows again after the state of files has changed.
func (p *Page) rebuildRows() tea.Cmd {
	p.listing.isStale = true
	return p.refreshRows()
}

// refreshRows updates the rows, the section's badge and the selected picture after a change. It also looks for the
// files of new packages on disk, unless the disk is being read already.
func (p *Page) refreshRows() tea.Cmd {
	p.Sync()
	if p.isSection {
		packages := p.news.awaited
		count := page.TextIf(packages > 0, fmt.Sprint(packages))
		p.Env.SetBadge(action.GoDeliveries, page.SectionBadge{Text: count, Role: theme.Attention})
	}
	follow := p.glance.follow(p.Base, p.Current())
	if p.looking.IsRunning() {
		return follow
	}
	return tea.Batch(p.lookOnDisk(), follow)
}

// lookOnDisk reads the files on disk for the packages whose files were not read yet. It returns nil if there are no
// such packages.
func (p *Page) lookOnDisk() tea.Cmd {
	look := p.packages.LookOnDisk()
	if look == nil {
		return nil
	}
	return page.RunInBackground(p.Base, &p.looking, look, p.handleLook)
}

// lookAgain reads the files on disk of all packages.
func (p *Page) lookAgain() tea.Cmd {
	p.packages.ResetDisk()
	return p.lookOnDisk()
}

// handleLook updates the rows with the files found on disk, and shows err as a toast.
func (p *Page) handleLook(look *deliveries.DiskLook, err error) tea.Cmd {
	p.packages.ApplyLook(look)
	if err != nil {
		return tea.Batch(page.ShowToast(theme.Bad, format.Clean(err.Error())), p.rebuildRows())
	}
	return p.rebuildRows()
}

// HandleBack leaves the map, leaves the details, removes the filter, or removes the marks: it does the first of
// these that is possible. It returns false if none of them is possible.
func (p *Page) HandleBack() (tea.Cmd, bool) {
	if cmd, handled := p.List.HandleBack(); handled {
		return cmd, true
	}
	return nil, p.selection.clear()
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
