package neworder

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/shape"
	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/geomap"
)

// besideMap is the width of a window, in cells, from which the map is beside the table.
const besideMap = 100

// sitesStep is step 2: the sites as a list page, beside the map.
type sitesStep struct {
	*page.List[*ordering.Site]
	p     *NewOrder
	draft *ordering.Draft
	state page.ListState[*ordering.Site] // as it was settled last
	marks siteMarks
	sum   siteSum

	lastShape   shape.Kind        // kind of the shapes that were made last
	shapeValues map[string]string // of the fields of shapes, as applied last
	stale       bool              // sites are other than they were then
}

// siteSum is what the sites add up to. It is counted when one changes, so that a
// frame costs what is visible.
type siteSum struct {
	in, known, doubled, troubled, warned, fixable int

	measures  []string // area, length and points
	countries []string
	split     string       // that they make several orders, "" where they do not
	remarks   []siteRemark // of the draft as a whole
}

func newSitesStep(p *NewOrder) *sitesStep {
	m := &sitesStep{p: p, draft: p.draft, shapeValues: maps.Clone(shapeValues)}
	m.marks.clearMarks()
	source := page.ListSource[*ordering.Site]{State: func() page.ListState[*ordering.Site] { return m.state }}
	m.List = page.NewList(p.base, source, page.ListOptions[*ordering.Site]{
		Title:   "New order",
		Example: "country:Germany, size:>2 or problem:duplicate",
		One:     "site",

		Scope:   action.NewOrderSites,
		Also:    []action.Scope{action.NewOrderSteps},
		Columns: columns.Sites(),
		ID:      siteID,
		Mark:    m.markOf,
		Muted:   func(s *ordering.Site) bool { return !s.In || s.Placed },
		Feature: siteFeature,
		From:    besideMap,
		Head:    m.renderSummary,
		Foot:    m.renderFoot,
		Lines:   func(*ordering.Site, int, int) ([]string, bool) { return nil, false }, // the map has their place
		Open: func(s *ordering.Site) tea.Cmd {
			if toggleReason(s) != "" {
				return nil
			}
			return m.toggleSites([]*ordering.Site{s})
		},
		Acts:  m.siteActs(),
		Empty: "No sites yet.",
		Keys:  []page.RowKey{{Key: "a", Text: "add file"}, {Key: "i", Text: "add site"}},
	})
	m.Panes.Split.Panes[1].View = m.renderMap // also of no selection
	row := p.draft.Row
	m.reloadSites(nil)
	m.Grid.Select(strconv.Itoa(row))
	m.followSelection()
	return m
}

func siteID(s *ordering.Site) string { return strconv.Itoa(s.ID) }

// siteFeature returns a site on a map: where its fix would put it if it has no place.
func siteFeature(s *ordering.Site) geomap.Feature {
	f := geomap.Feature{ID: siteID(s), Label: s.Name, Geometry: s.ShapeOf()}
	if _, isPoint := f.Geometry.(orb.Point); isPoint {
		f.Mark = '◦'
	}
	switch {
	case s.Geometry == nil && s.Fixed != nil:
		f.Geometry, f.Role = s.Fixed.Geometry, theme.Bad
	case !s.In:
		f.Role = theme.Muted
	}
	return f
}

// OnShow lists the sites as they are.
func (m *sitesStep) OnShow() tea.Cmd {
	m.stale = true
	m.settleSites()
	return nil
}

// reloadSites lists the draft's sites again. Unless selected is nil, it selects that site.
func (m *sitesStep) reloadSites(selected *ordering.Site) {
	m.OnShow()
	if grid := m.Grid; selected != nil && !grid.Select(siteID(selected)) && m.ClearFilter() {
		grid.Select(siteID(selected)) // the filter had hidden it
	}
	m.followSelection()
	m.Map.Model.FitAll()
}

// noteChanged records that sites changed. Because there may be thousands of sites, they are listed
// again with the next frame, or at once if the order of the rows depends on their content.
func (m *sitesStep) noteChanged() {
	m.stale = true
	if m.Grid.IsArranged() {
		m.settleSites()
	}
}

// settleSites lists and counts the sites again if they changed.
func (m *sitesStep) settleSites() {
	if !m.stale {
		return
	}
	d := m.draft
	d.MarkKnown(m.Env.Profile.Cache.Now().Missions, m.p.others)
	m.countSites()
	m.stale = false
	m.state.Rows, m.state.Version, m.state.At = slices.Clone(d.Sites), m.state.Version+1, m.Env.Clock.Now()
	m.Sync()
	m.followSelection()
}

// countSites counts all sites and sums up their sizes.
func (m *sitesStep) countSites() {
	d, in := m.draft, m.draft.IncludedSites()
	sum := siteSum{
		in:       len(in),
		measures: d.SizeTexts(m.Env.Look.Units),
		split:    d.SplitNote(m.Env.Clock.Now()),
	}
	sum.remarks = draftRemarks(d, sum.split)
	for _, s := range in {
		if !slices.Contains(sum.countries, s.Country) {
			sum.countries = append(sum.countries, s.Country)
		}
	}
	count := func(n *int, applies bool) {
		if applies {
			*n++
		}
	}
	for _, s := range d.Sites {
		count(&sum.troubled, isTroubled(s))
		count(&sum.warned, isTroubled(s) || s.Duplicate != "")
		count(&sum.fixable, s.Fixed != nil)
		count(&sum.doubled, s.Doubled)
		count(&sum.known, s.Duplicate != "" && !s.Doubled)
	}
	m.sum = sum
}

// countedSum returns the counts and sizes of the current sites.
func (m *sitesStep) countedSum() *siteSum {
	m.settleSites()
	return &m.sum
}

// followSelection shows the selected site on the map, and extends an open range to it.
func (m *sitesStep) followSelection() {
	s := m.Current()
	if s == nil {
		return
	}
	m.Map.Model.SetSelected(siteID(s))
	if m.draft.Row != s.ID { // it is written with the next change, or at the end
		m.draft.Row = s.ID
		m.p.drafts.Version++
	}
	if m.marks.from != 0 {
		m.marks.extendRange(m.listedSites(), s)
	}
}

// isTroubled reports whether something may be wrong with a site.
func isTroubled(s *ordering.Site) bool { return len(s.Warnings) > 0 || s.IsFaulty() }

// Update takes the filter as it is typed, and what is dropped or pasted: files, or a
// place.
func (m *sitesStep) Update(msg tea.Msg) tea.Cmd {
	if paste, ok := msg.(tea.PasteMsg); ok && !m.IsTyping() {
		cmd, _ := m.p.files.readPaste(paste.Content, false)
		return cmd
	}
	cmd := m.List.Update(msg)
	m.followSelection()
	return cmd
}

// HandleAction performs an action on the sites.
func (m *sitesStep) HandleAction(id action.ID) tea.Cmd {
	cmd := m.List.HandleAction(id)
	m.followSelection()
	return cmd
}

// HandleBack leaves the map, removes the marks, or clears the filter: the first of them that
// applies.
func (m *sitesStep) HandleBack() bool {
	return !m.Map.Focused && !m.IsTyping() && m.marks.clearMarks() || m.List.HandleBack()
}

// HandleMouse selects a site in the table or on the map, takes it in or out with a second
// click, marks up to it with shift, and makes a new one with two clicks where the map is
// empty.
func (m *sitesStep) HandleMouse(at page.MouseInput) tea.Cmd {
	before := m.Current()
	cmd := m.List.HandleMouse(at)
	pane, x := m.PaneUnder(at)
	y := at.Y - 1 // below the summary
	onMap := pane == 1 || m.Map.Focused && !m.IsSplit()
	if place, on := m.Map.Model.CoordinateAt(x, y); onMap && on && at.Double {
		if _, hit := m.Map.Model.FeatureAt(x, y); !hit {
			m.askSite(nil, asTyped(place))
		}
	}
	if !onMap && at.Shift && before != nil && m.marks.from == 0 {
		m.marks.beginRange(before)
		defer func() { m.marks.from = 0 }()
	}
	m.followSelection()
	return cmd
}

// asTyped returns a point as text that the user could type.
func asTyped(p orb.Point) string { return fmt.Sprintf("%.6f, %.6f", p.Lat(), p.Lon()) }

// siteMarks are the sites that the next action is for.
type siteMarks struct {
	ids    map[int]bool
	before map[int]bool // those that were marked when the range began
	from   int          // site at which it begins, 0 for no range
}

// clearMarks removes all marks, and returns false if no site was marked.
func (m *siteMarks) clearMarks() bool {
	was := len(m.ids) > 0
	*m = siteMarks{ids: map[int]bool{}}
	return was
}

// beginRange begins a range.
func (m *siteMarks) beginRange(s *ordering.Site) { m.from, m.before = s.ID, maps.Clone(m.ids) }

// extendRange marks the listed sites between the first site of the range and the given site.
func (m *siteMarks) extendRange(listed []*ordering.Site, to *ordering.Site) {
	a := slices.IndexFunc(listed, func(s *ordering.Site) bool { return s.ID == m.from })
	b := slices.Index(listed, to)
	if a < 0 || b < 0 {
		return
	}
	m.ids = maps.Clone(m.before)
	for _, s := range listed[min(a, b) : max(a, b)+1] {
		m.ids[s.ID] = true
	}
}

// markSite marks or unmarks a site, and selects the next site.
func (m *sitesStep) markSite(s *ordering.Site) tea.Cmd {
	m.marks.from = 0
	if m.marks.ids[s.ID] {
		delete(m.marks.ids, s.ID)
	} else {
		m.marks.ids[s.ID] = true
	}
	m.Grid.Move(1)
	return nil
}

// markRange begins a range at a site, which grows with the selection. If a range is open, it ends
// the range.
func (m *sitesStep) markRange(s *ordering.Site) tea.Cmd {
	if m.marks.from != 0 {
		m.marks.from = 0
	} else {
		m.marks.beginRange(s)
	}
	return nil
}

// listedSites returns the sites that match the filter, in the order of the table.
func (m *sitesStep) listedSites() []*ordering.Site {
	rows := m.Grid.FilteredRows()
	sites := make([]*ordering.Site, len(rows))
	for i, row := range rows {
		sites[i] = m.state.Rows[row]
	}
	return sites
}

// markedSites returns the listed sites that are marked and not placed.
func (m *sitesStep) markedSites() []*ordering.Site {
	if len(m.marks.ids) == 0 {
		return nil
	}
	return slices.DeleteFunc(
		m.listedSites(),
		func(s *ordering.Site) bool { return !m.marks.ids[s.ID] || s.Placed },
	)
}

// chosenSites returns the sites that an action applies to: the marked sites, or the selected site
// if no site is marked.
func (m *sitesStep) chosenSites() []*ordering.Site {
	if marked := m.markedSites(); len(marked) > 0 {
		return marked
	}
	return []*ordering.Site{m.Current()}
}

// markOf returns what is before a site's row.
func (m *sitesStep) markOf(s *ordering.Site) widget.Cell {
	switch {
	case m.marks.ids[s.ID]:
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

// What is before a site whose place is ordered or drafted already, and before one that
// is in this draft twice.
const (
	knownMark   = "="
	doubledMark = "\""
)

func duplicateMark(s *ordering.Site) string {
	if s.Doubled {
		return doubledMark
	}
	return knownMark
}

func siteCount(n int) string { return format.Count(n, "site") }
