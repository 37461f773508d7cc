package neworder

import (
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/page"
	"flightdesk/tui/page/detail"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/geomap"
	"flightdesk/tui/widget/table"
)

// besideMap are the columns from which the map stands beside the table.
const besideMap = 100

// sitesStep is step 2: the sites as a table beside the map, one selection.
type sitesStep struct {
	detail.Panes
	p     *NewOrder
	list  *listpage.List
	shown []*ordering.Site // rows of the list
	marks siteMarks
	sum   siteSum
	acts  []siteAct
	stale bool // sum and map are not of the sites as they are; see settle
	dated bool // nor is the table
}

// siteSum is what is said of all sites. It is counted when one changes, so that a
// frame costs what is visible.
type siteSum struct {
	in, known, doubled, troubled, warned, fixable int
	shapes                                        int // areas and lines
	measures                                      []string
	remarks                                       []siteRemark // of the draft as a whole
}

// countSites goes through all sites.
func (m *sitesStep) countSites() {
	d := m.p.draft
	m.sum = siteSum{in: len(d.IncludedSites()), measures: sizeTexts(d), remarks: draftRemarks(d, m.p.Now())}
	m.sum.known, m.sum.doubled = d.CountDuplicates()
	for _, s := range d.Sites {
		troubled := isTroubled(s)
		if troubled {
			m.sum.troubled++
		}
		if troubled || isDuplicate(s) {
			m.sum.warned++
		}
		if s.Fixed != nil {
			m.sum.fixable++
		}
		if s.Type != api.MissionAsset {
			m.sum.shapes++
		}
	}
}

func newSitesStep(p *NewOrder) *sitesStep {
	m := &sitesStep{p: p}
	m.Panes = detail.NewPanes(p.Base, "new sites",
		widget.Pane{Least: 40, View: m.renderTable}, widget.Pane{Least: 30, View: m.renderMap})
	m.Map = sitemap.New()
	m.acts = m.siteActs()
	m.marks.clearMarks()
	m.list = listpage.New(p.Base, "sites", "country:Germany, size:>2 or problem:duplicate",
		columns.ColumnSpecs(columns.Sites())...)
	m.list.Empty = "No matching sites; "
	i := slices.IndexFunc(p.draft.Sites, func(s *ordering.Site) bool { return s.ID == p.draft.Row })
	if i < 0 {
		m.reloadSites(nil)
	} else {
		m.reloadSites(p.draft.Sites[i])
	}
	return m
}

// reloadSites shows the draft's sites; one of them is selected, where given.
func (m *sitesStep) reloadSites(selected *ordering.Site) {
	m.drawSites()
	m.settleSites()
	if selected != nil && !m.list.Grid.Select(strconv.Itoa(selected.ID)) && m.list.ClearFilter() {
		m.list.Grid.Select(strconv.Itoa(selected.ID)) // the filter had hidden it
	}
	m.followSelection()
	m.Map.FitAll()
}

// noteChanged notes that sites are other than they were, and not which there are.
// They are listed anew with the next frame, unless which row follows depends on
// what they are.
func (m *sitesStep) noteChanged() {
	m.stale, m.dated = true, true
	if m.list.Grid.IsArranged() {
		m.drawSites()
	}
}

// drawSites lists the sites as they are.
func (m *sitesStep) drawSites() {
	m.stale, m.dated = true, false
	m.p.markTwins()
	all := slices.Clone(m.p.draft.Sites)
	m.shown = all
	m.list.Grid.SetSource(table.Source{
		Len:  len(all),
		ID:   func(i int) string { return strconv.Itoa(all[i].ID) },
		Cell: columns.CellsOf(columns.Sites(), func(i int) *ordering.Site { return all[i] }),
		Look: func(i int) (table.Cell, bool) { return m.markOf(all[i]), !all[i].In || all[i].Placed },
	})
	m.followSelection()
}

// settleSites lists and counts the sites and puts them on the map, where they have
// changed since. It is done for a frame, not for each key: there may be thousands.
func (m *sitesStep) settleSites() {
	if !m.stale {
		return
	}
	if m.dated {
		m.drawSites()
	}
	m.stale = false
	m.countSites()
	features := make([]geomap.Feature, 0, len(m.p.draft.Sites))
	for _, s := range m.p.draft.Sites {
		f := siteFeature(s)
		switch {
		case s.Geometry == nil && s.Fixed != nil:
			f.Geometry, f.Role = s.Fixed.Geometry, geomap.Bad
		case !s.In:
			f.Role = geomap.Muted
		}
		if f.Geometry != nil {
			features = append(features, f)
		}
	}
	m.Map.SetFeatures(features)
	m.followSelection()
}

// countedSum returns what is said of all sites as they are.
func (m *sitesStep) countedSum() *siteSum {
	m.settleSites()
	return &m.sum
}

// siteFeature returns a site on a map.
func siteFeature(s *ordering.Site) geomap.Feature {
	f := geomap.Feature{ID: strconv.Itoa(s.ID), Label: s.Name, Geometry: s.ShapeOf()}
	if _, isPoint := f.Geometry.(orb.Point); isPoint {
		f.Mark = '◦'
	}
	return f
}

// followSelection shows on the map what is selected, and lets a range grow to it.
func (m *sitesStep) followSelection() {
	if s := m.currentSite(); s != nil {
		m.Map.SetSelected(strconv.Itoa(s.ID))
		if m.p.draft.Row != s.ID { // it is written with the next change, or at the end
			m.p.draft.Row = s.ID
			m.p.drafts.Version++
		}
		if m.marks.from != 0 {
			m.marks.extendRange(m.listedSites(), s)
		}
	}
}

// currentSite returns the selected site, nil where none is listed.
func (m *sitesStep) currentSite() *ordering.Site {
	if i, ok := m.list.Grid.Current(); ok && i < len(m.shown) {
		return m.shown[i]
	}
	return nil
}

// markOf returns what stands before a site's row.
func (m *sitesStep) markOf(s *ordering.Site) table.Cell {
	switch {
	case m.marks.ids[s.ID]:
		return table.Cell{Text: "•", Role: theme.Accent}
	case s.In && !s.Placed && len(s.FindFaults()) > 0, s.Geometry == nil:
		return table.Cell{Text: "!", Role: theme.Bad}
	case len(s.Warnings) > 0:
		return table.Cell{Text: "!", Role: theme.Attention}
	case s.Doubled:
		return table.Cell{Text: doubledMark, Role: theme.Attention}
	case s.Duplicate != "":
		return table.Cell{Text: knownMark, Role: theme.Attention}
	}
	return table.Cell{}
}

// What stands before a site whose place is ordered or drafted already, and
// before one that is in this draft twice.
const (
	knownMark   = "="
	doubledMark = "\""
)

func (m *sitesStep) enterStep() tea.Cmd {
	m.drawSites()
	m.settleSites()
	return nil
}

// updateStep takes the filter as it is typed, and what is dropped or pasted: files,
// or a place.
func (m *sitesStep) updateStep(msg tea.Msg) tea.Cmd {
	if cmd, taken := m.list.Update(msg); taken {
		m.followSelection()
		return cmd
	}
	if paste, ok := msg.(tea.PasteMsg); ok {
		return m.p.files.takeDropped(paste.Content)
	}
	return nil
}

// stepCursor stands in the filter, below the summary.
func (m *sitesStep) stepCursor() *tea.Cursor {
	c := m.list.Cursor()
	if c != nil {
		c.Y++
	}
	return c
}

func (m *sitesStep) isTyping() bool { return m.list.IsTyping() }

func (m *sitesStep) stepScopes() []action.Scope {
	if m.isTyping() {
		return m.list.ListScopes()
	}
	return m.Map.MapScopes(m.p.Width >= besideMap, m.list.ListScopes(action.NewOrderSites, action.NewOrderSteps)...)
}

func (m *sitesStep) disabledReason(id action.ID) string {
	s := m.currentSite()
	for _, a := range m.acts {
		switch {
		case a.id != id:
		case a.any:
			return ""
		case s == nil:
			return m.noSiteReason()
		case a.off != nil:
			return a.off(s)
		default:
			return ""
		}
	}
	switch {
	case id == action.PrevStep || id == action.Filter:
		return ""
	case id == action.NextStep && m.countedSum().in > 0:
		return ""
	case s == nil:
		return m.noSiteReason()
	case id == action.NextStep:
		return "no site included; press space to include one"
	}
	return m.list.DisabledReason(id)
}

// noSiteReason says why no site is selected.
func (m *sitesStep) noSiteReason() string {
	if len(m.shown) > 0 {
		return "no site matches the filter"
	}
	return "no sites yet; press a to add a file, i to add a site"
}

// isDuplicate reports whether the place of a site that is in is somewhere else,
// too.
func isDuplicate(s *ordering.Site) bool { return s.Duplicate != "" && s.In }

// isTroubled reports whether something may be wrong with a site.
func isTroubled(s *ordering.Site) bool {
	return len(s.Warnings) > 0 || s.Geometry == nil || s.In && !s.Placed && len(s.FindFaults()) > 0
}

func (m *sitesStep) handleAction(id action.ID) tea.Cmd {
	if m.Map.HandleAction(id) {
		if m.list.Grid.Select(m.Map.Selected()) {
			m.followSelection()
		}
		return nil
	}
	for _, a := range m.acts {
		if a.id == id {
			return a.do(m.currentSite())
		}
	}
	cmd, _ := m.list.HandleAction(id)
	m.followSelection()
	return cmd
}

// asTyped returns a point as one types it.
func asTyped(p orb.Point) string { return fmt.Sprintf("%.6f, %.6f", p.Lat(), p.Lon()) }

// continueStep goes on to the form, once every site that is in has a country: an order
// needs one, and where none is near it is asked for.
func (m *sitesStep) continueStep() tea.Cmd {
	next := func() tea.Cmd {
		cmd := m.p.goTo(ordering.StepOrder)
		if note := m.p.draft.SplitNote(m.p.Now()); note != "" {
			cmd = tea.Batch(cmd, page.ShowToast(theme.Attention, note))
		}
		return cmd
	}
	lacking := slices.DeleteFunc(m.p.draft.IncludedSites(), func(s *ordering.Site) bool { return s.Country != "" })
	if len(lacking) == 0 {
		return next()
	}
	m.reloadSites(lacking[0])
	m.p.Overlay(m.severalDialog("Set country: "+siteNames(lacking), lacking, next))
	return nil
}

// handleMouse selects a site in the table or on the map, takes it in or out with a
// second click, marks up to it with shift, makes a new one with two clicks where the map is empty, and
// zooms the map with the wheel.
func (m *sitesStep) handleMouse(at page.MouseInput) tea.Cmd {
	if id, taken := m.TakeMouse(at); taken {
		pane, x, y := m.PaneUnder(at)
		if id != "" {
			m.list.Grid.Select(id)
		} else if place, on := m.Map.CoordinateAt(x, y); on && at.Double && pane >= 0 {
			m.p.Overlay(m.siteDialog(nil, asTyped(place)))
		}
		m.followSelection()
		return nil
	}
	before := m.currentSite()
	if at.Y--; at.Y < 0 && at.Wheel == 0 || !m.list.HandleMouse(at) {
		return nil
	}
	switch {
	case at.Shift:
		m.markTo(before)
	case at.Double && toggleReason(m.currentSite()) == "":
		return m.toggleSites([]*ordering.Site{m.currentSite()}, true)
	}
	m.followSelection()
	return nil
}
