package neworder

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/geomap"
)

// sitesStep is step 2: a list of the sites, with their map.
type sitesStep struct {
	orderStep // is list; implements the methods of a page that sitesStep does not implement itself
	list      *page.List[*ordering.Site]
	editor    *siteEditor
	parent    *NewOrder
	env       *page.Env
	draft     *ordering.Draft
	marks     siteMarks

	state   page.ListState[*ordering.Site] // rows of the list
	counted siteTotals                     // totals of the rows
	isStale bool                           // sites have changed since the rows were updated
}

// newSitesStep returns the step with the sites of the draft. The site that was selected last is selected again.
func newSitesStep(p *NewOrder) *sitesStep {
	step := &sitesStep{parent: p, env: p.env, draft: p.draft}
	step.editor = newSiteEditor(step)
	step.marks.clear()
	step.list = step.newSiteList()
	step.orderStep = step.list // handles what sitesStep does not
	step.selectLast()
	return step
}

// newSiteList returns the list of the sites. Its second pane shows a map instead of the details of a site.
func (p *sitesStep) newSiteList() *page.List[*ordering.Site] {
	// Without RenderDetails the list would have no second pane. The pane calls View, which is set to renderMap below.
	noDetails := func(*ordering.Site, int, int) ([]string, bool) { return nil, false }
	isMuted := func(s *ordering.Site) bool { return !s.In || s.Placed } // it is not part of the next order
	source := page.ListSource[*ordering.Site]{
		State: func() page.ListState[*ordering.Site] { return p.state },
	}
	list := page.NewList(p.parent.base, source, page.ListOptions[*ordering.Site]{
		Title:         "New order",
		Example:       "country:Germany, size:>2 or problem:duplicate",
		Singular:      "site",
		Scope:         action.NewOrderSites,
		Also:          []action.Scope{action.NewOrderSteps},
		Columns:       columns.Sites(),
		ID:            siteID,
		Mark:          p.markOf,
		Muted:         isMuted,
		Feature:       siteFeature,
		Layout:        page.ListLayout{DetailsFrom: splitWidth},
		RenderHead:    p.renderSummary,
		RenderFoot:    p.renderFoot,
		RenderDetails: noDetails,
		Open:          p.editor.toggleSelected,
		Actions:       p.editor.actions(),
		Empty:         "No sites yet.",
		Keys:          []page.RowKey{{Action: action.AddFile, Text: "add file"}, {Action: action.AddSite, Text: "add site"}},
	})
	const secondPane = 1
	list.Split.Panes[secondPane].View = p.renderMap
	return list
}

// selectLast loads the sites and selects the site that was selected when the draft was last open.
func (p *sitesStep) selectLast() {
	last := strconv.Itoa(p.draft.Row) // read first, because reloadSites changes draft.Row
	p.reloadSites(nil)
	p.list.Grid.Select(last)
	p.followSelection()
}

func siteID(s *ordering.Site) string { return strconv.Itoa(s.ID) }

// siteFeature returns a site as a feature of the map. A site without usable coordinates is shown
// where its suggested fix would put it.
func siteFeature(s *ordering.Site) geomap.Feature {
	f := geomap.Feature{ID: siteID(s), Label: s.Name, Geometry: s.ShapeOf()}
	if _, isPoint := f.Geometry.(orb.Point); isPoint {
		f.Mark = '◦'
	}
	if s.Geometry == nil && s.Fixed != nil {
		f.Geometry = s.Fixed.Geometry
		f.Role = theme.Bad
	} else if !s.In {
		f.Role = theme.Muted
	}
	return f
}

// OnShow updates the list.
func (p *sitesStep) OnShow() tea.Cmd {
	p.isStale = true
	p.updateRows()
	return nil
}

// reloadSites updates the list and shows all sites on the map. If selected is not nil, it selects that site, and
// clears the filter if the filter hides the site.
func (p *sitesStep) reloadSites(selected *ordering.Site) {
	p.OnShow()
	if selected != nil {
		p.selectSite(selected)
	}
	p.followSelection()
	p.list.Map.Model.FitAll()
}

// selectSite selects a site. It clears the filter if the filter hides the site.
func (p *sitesStep) selectSite(s *ordering.Site) {
	isListed := p.list.Grid.Select(siteID(s))
	if !isListed && p.list.ClearFilter() {
		p.list.Grid.Select(siteID(s))
	}
}

// selectRow selects the site in a row of the list, counted from 0.
func (p *sitesStep) selectRow(row int) {
	p.list.Grid.Move(row - p.list.Grid.Cursor())
	p.followSelection()
}

// markChanged records that sites have changed. The list is updated when it is drawn, because
// updating thousands of sites takes time. A list that is sorted or filtered by the content of the
// sites is updated immediately.
func (p *sitesStep) markChanged() {
	p.isStale = true
	if p.list.Grid.IsArranged() {
		p.updateRows()
	}
}

// updateRows updates the rows of the list, and the totals, if sites have changed.
func (p *sitesStep) updateRows() {
	if !p.isStale {
		return
	}
	p.draft.MarkKnown(p.env.Profile.Cache.Now().Missions, p.parent.otherDrafts)
	p.counted = countSites(p.draft, p.env)
	p.isStale = false
	p.state.Rows = slices.Clone(p.draft.Sites)
	p.state.Version++
	p.state.At = p.env.Clock.Now()
	p.list.Sync()
	p.followSelection()
}

// totals returns the totals of the draft's current sites.
func (p *sitesStep) totals() *siteTotals {
	p.updateRows()
	return &p.counted
}

// siteTotals has numbers of sites in a draft, and texts about all sites.
type siteTotals struct {
	included   int
	troubled   int // sites with a warning or a fault
	known      int // sites that are in another order or draft
	duplicates int // sites that are twice in the draft
	flagged    int // troubled sites, known sites and duplicates
	fixable    int // sites with a suggested fix

	measures  []string     // total area, length and number of points of the included sites
	countries []string     // countries of the included sites
	split     string       // text about the orders that the draft becomes, or "" for one order
	remarks   []siteRemark // remarks on the whole draft
}

// countSites returns the totals of a draft.
func countSites(d *ordering.Draft, env *page.Env) siteTotals {
	included := d.IncludedSites()
	totals := siteTotals{
		included: len(included),
		measures: d.SizeTexts(env.Look.Units),
		split:    d.SplitNote(env.Clock.Now()),
	}
	totals.remarks = draftRemarks(d, totals.split)
	for _, s := range included {
		if !slices.Contains(totals.countries, s.Country) {
			totals.countries = append(totals.countries, s.Country)
		}
	}
	for _, s := range d.Sites {
		totals.addSite(s)
	}
	return totals
}

// addSite counts a site.
func (t *siteTotals) addSite(s *ordering.Site) {
	if isTroubled(s) {
		t.troubled++
	}
	if isFlagged(s) {
		t.flagged++
	}
	if s.Fixed != nil {
		t.fixable++
	}
	if s.Doubled {
		t.duplicates++
	} else if s.Duplicate != "" {
		t.known++
	}
}

// isTroubled reports whether a site has a warning or a fault.
func isTroubled(s *ordering.Site) bool { return len(s.Warnings) > 0 || s.IsFaulty() }

// isFlagged reports whether a site has a warning, a fault or a duplicate.
func isFlagged(s *ordering.Site) bool { return isTroubled(s) || s.Duplicate != "" }

// followSelection selects the selected site on the map as well. If a range of marks is open, it extends the range
// to the site.
func (p *sitesStep) followSelection() {
	s := p.list.Current()
	if s == nil {
		return
	}
	p.list.Map.Model.SetSelected(siteID(s))
	if p.draft.Row != s.ID { // the new value is saved with the next change of the draft, or when the page is left
		p.draft.Row = s.ID
		p.parent.drafts.Version++
	}
	if p.marks.isRangeOpen() {
		p.marks.extendRange(p.listedSites(), s)
	}
}

// Update handles typed text for the filter, and pasted or dropped files and places.
func (p *sitesStep) Update(msg tea.Msg) tea.Cmd {
	if paste, ok := msg.(tea.PasteMsg); ok && !p.IsTyping() {
		cmd, _ := p.parent.files.importer.readPaste(paste.Content, false)
		return cmd
	}
	cmd := p.list.Update(msg)
	p.followSelection()
	return cmd
}

// HandleAction performs an action on the sites.
func (p *sitesStep) HandleAction(id action.ID) tea.Cmd {
	cmd := p.list.HandleAction(id)
	p.followSelection()
	return cmd
}

// HandleBack leaves the map, removes the marks, or clears the filter: it does the first of these that is possible.
// It returns false if none of them is possible.
func (p *sitesStep) HandleBack() (tea.Cmd, bool) {
	if !p.list.Map.Focused && !p.IsTyping() && p.marks.clear() {
		return nil, true
	}
	return p.list.HandleBack()
}

// HandleMouse selects the clicked site in the list or on the map. A double click in the list includes or excludes
// the site. A double click on an empty place of the map adds a site. A click with shift marks all sites from the
// selected site to the clicked site.
func (p *sitesStep) HandleMouse(input page.MouseInput) tea.Cmd {
	previous := p.list.Current()
	cmd := p.list.HandleMouse(input)
	pane, x := p.list.PaneUnder(input)
	isOnMap := pane == 1 || p.list.Map.Focused && !p.list.IsSplit()
	if isOnMap && input.Double {
		cmd = tea.Batch(cmd, p.addSiteAt(x, input.Y-1)) // the summary is above the map
	}
	isRange := input.Shift && !isOnMap && previous != nil && !p.marks.isRangeOpen()
	if isRange {
		p.marks.beginRange(previous)
	}
	p.followSelection()
	if isRange {
		p.marks.endRange()
	}
	return cmd
}

// addSiteAt opens the form of a new site at a cell of the map, unless there is a site already.
func (p *sitesStep) addSiteAt(x, y int) tea.Cmd {
	place, isPlace := p.list.Map.Model.CoordinateAt(x, y)
	if !isPlace {
		return nil
	}
	if _, isSite := p.list.Map.Model.FeatureAt(x, y); isSite {
		return nil
	}
	return p.editor.openSiteForm(nil, formatTyped(place))
}

// formatTyped returns a point as text that the user could type.
func formatTyped(p orb.Point) string { return fmt.Sprintf("%.6f, %.6f", p.Lat(), p.Lon()) }

// siteMarks has the marked sites. While a range is open, all sites from the first site of the range to the selected
// site are marked.
type siteMarks struct {
	ids        map[int]bool
	before     map[int]bool // ids at the time when the range was opened
	rangeStart int          // ID of the first site of the range, or 0
}

// clear removes all marks, and returns false if no site was marked.
func (m *siteMarks) clear() bool {
	hadMarks := len(m.ids) > 0
	*m = siteMarks{ids: map[int]bool{}}
	return hadMarks
}

// toggle marks or unmarks a site.
func (m *siteMarks) toggle(s *ordering.Site) {
	if m.ids[s.ID] {
		delete(m.ids, s.ID)
	} else {
		m.ids[s.ID] = true
	}
}

func (m *siteMarks) isRangeOpen() bool { return m.rangeStart != 0 }

// beginRange opens a range that begins at a site.
func (m *siteMarks) beginRange(s *ordering.Site) {
	m.rangeStart = s.ID
	m.before = maps.Clone(m.ids)
}

// endRange closes the range. Its sites stay marked.
func (m *siteMarks) endRange() { m.rangeStart = 0 }

// extendRange marks the listed sites from the first site of the range to last. Sites that were marked before
// the range was opened stay marked.
func (m *siteMarks) extendRange(listed []*ordering.Site, last *ordering.Site) {
	isStart := func(s *ordering.Site) bool { return s.ID == m.rangeStart }
	from := slices.IndexFunc(listed, isStart)
	to := slices.Index(listed, last)
	if from < 0 || to < 0 {
		return
	}
	m.ids = maps.Clone(m.before)
	for _, s := range listed[min(from, to) : max(from, to)+1] {
		m.ids[s.ID] = true
	}
}

// listedSites returns the sites that match the filter, in the order of the list.
func (p *sitesStep) listedSites() []*ordering.Site {
	rows := p.list.Grid.FilteredRows()
	sites := make([]*ordering.Site, len(rows))
	for i, row := range rows {
		sites[i] = p.state.Rows[row]
	}
	return sites
}

// markedSites returns the listed sites that are marked and not placed.
func (p *sitesStep) markedSites() []*ordering.Site {
	if len(p.marks.ids) == 0 {
		return nil
	}
	isOther := func(s *ordering.Site) bool { return !p.marks.ids[s.ID] || s.Placed }
	return slices.DeleteFunc(p.listedSites(), isOther)
}

// chosenSites returns the sites that an action applies to: the marked sites, or the selected site
// if no site is marked.
func (p *sitesStep) chosenSites() []*ordering.Site {
	if marked := p.markedSites(); len(marked) > 0 {
		return marked
	}
	return []*ordering.Site{p.list.Current()}
}

// markOf returns the cell to the left of a site in the list.
func (p *sitesStep) markOf(s *ordering.Site) widget.Cell {
	switch {
	case p.marks.ids[s.ID]:
		return widget.Cell{Text: "•", Role: theme.Accent}
	case s.IsFaulty():
		return widget.Cell{Text: "!", Role: theme.Bad}
	case len(s.Warnings) > 0:
		return widget.Cell{Text: "!", Role: theme.Attention}
	case s.Duplicate != "":
		return widget.Cell{Text: duplicateMark(s), Role: theme.Attention}
	}
	return widget.Cell{}
}

const (
	knownMark = "="  // mark of a site that is in another order or draft
	twiceMark = "\"" // mark of a site that is twice in the draft
)

// duplicateMark returns the mark of a site that has a duplicate.
func duplicateMark(s *ordering.Site) string {
	if s.Doubled {
		return twiceMark
	}
	return knownMark
}

func siteCount(n int) string { return format.Count(n, "site") }
