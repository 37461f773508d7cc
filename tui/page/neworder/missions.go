package neworder

import (
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/action"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/listpage"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/geomap"
	"flightdesk/tui/widget/table"
)

// besideMap are the columns from which the map stands beside the table.
const besideMap = 100

// sitesStep is step 2: the sites as a table beside the map, one selection.
type sitesStep struct {
	p     *NewOrder
	list  *listpage.List
	shown []*ordering.Site // rows of the list
	smap  *sitemap.SiteMap
	marks siteMarks
	sum   siteSum
	stale bool // sum and map are not of the sites as they are; see settle
	dated bool // nor is the table

	comparing page.Question // with what the service reads of a file
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
		if isFixable(s) {
			m.sum.fixable++
		}
		if s.Type != api.MissionAsset {
			m.sum.shapes++
		}
	}
}

func newSitesStep(p *NewOrder) *sitesStep {
	m := &sitesStep{p: p, smap: sitemap.New()}
	m.marks.clearMarks()
	m.list = listpage.New(p.Base, "sites", "country:Germany, size:>2 or problem:duplicate", columns.ColumnSpecs(columns.Sites())...)
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
	m.smap.FitAll()
}

// showArrived shows sites that were added, with the first of them at the top.
func (m *sitesStep) showArrived(first *ordering.Site) {
	m.reloadSites(first)
	if first != nil {
		m.list.Grid.LeadSelected()
	}
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
	m.smap.SetFeatures(features)
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
		m.smap.SetSelected(strconv.Itoa(s.ID))
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
		return m.filesStep().takeDropped(paste.Content)
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
	return m.smap.MapScopes(m.p.Width >= besideMap, m.list.ListScopes(action.NewOrderSites, action.NewOrderSteps)...)
}

// off lists when an action cannot be done with the selected site, and why.
var off = []struct {
	id   action.ID
	when func(m *sitesStep, s *ordering.Site) bool
	why  string
}{
	{action.Toggle, func(_ *sitesStep, s *ordering.Site) bool { return s.Geometry == nil }, "no usable coordinates; press e"},
	{action.Toggle, func(_ *sitesStep, s *ordering.Site) bool { return s.Placed }, "already placed"},
	{action.EditSite, func(_ *sitesStep, s *ordering.Site) bool { return s.Placed }, "already placed"},
	{action.Clear, func(_ *sitesStep, s *ordering.Site) bool { return s.Placed }, "already placed"},
	{action.CycleType, func(_ *sitesStep, s *ordering.Site) bool { return s.Placed }, "already placed"},
	{action.CycleType, func(_ *sitesStep, s *ordering.Site) bool { return len(s.AllowedTypes()) < 2 }, "the points allow only this type"},
	{action.FixSite, func(_ *sitesStep, s *ordering.Site) bool { return !isFixable(s) }, "no suggested fix for this site"},
	{action.FixAll, func(m *sitesStep, _ *ordering.Site) bool { return m.countedSum().fixable == 0 }, "no suggested fixes"},
	{action.NextFault, func(m *sitesStep, _ *ordering.Site) bool { return m.countedSum().warned == 0 }, "no warnings"},
	{action.NextStep, func(m *sitesStep, _ *ordering.Site) bool { return m.countedSum().in == 0 }, "no site included; press space to include one"},
	{action.SwapFile, func(m *sitesStep, s *ordering.Site) bool { return m.p.draft.FileOf(s) == nil }, "this site is not from a file"},
	{action.RemoveFile, func(m *sitesStep, s *ordering.Site) bool { return m.p.draft.FileOf(s) == nil }, "this site is not from a file"},
	{action.RemoveFile, func(m *sitesStep, s *ordering.Site) bool {
		return slices.ContainsFunc(m.p.draft.SitesFrom(m.p.draft.FileOf(s)), func(s *ordering.Site) bool { return s.Placed })
	}, "some of its sites are already placed"},
	{action.CompareReading, func(m *sitesStep, s *ordering.Site) bool { return m.p.draft.FileOf(s) == nil }, "this site is not from a file"},
	{action.CompareReading, func(m *sitesStep, _ *ordering.Site) bool { return m.comparing.IsOpen() }, "the service is reading the file"},
	{action.ChooseColumns, func(m *sitesStep, s *ordering.Site) bool {
		f := m.p.draft.FileOf(s)
		return f == nil || f.Columns == nil
	}, "this site is not from a CSV file"},
}

func (m *sitesStep) disabledReason(id action.ID) string {
	s := m.currentSite()
	if s == nil {
		return m.disabledEmpty(id)
	}
	switch id {
	case action.CompareReading:
		if refused := m.p.Permissions.RefusalOf(api.ScopeOrdersWrite); refused != "" {
			return refused
		}
	case action.Merge:
		return mergeRefusal(m.mergeGroup())
	case action.Split:
		return splitRefusal(s)
	}
	for _, o := range off {
		if o.id == id && o.when(m, s) {
			return o.why
		}
	}
	return m.list.DisabledReason(id)
}

// disabledEmpty says why an action is off while no site is selected.
func (m *sitesStep) disabledEmpty(id action.ID) string {
	switch id {
	case action.AddFile, action.PrevStep, action.AddSite, action.Filter:
		return ""
	case action.NextStep:
		if m.countedSum().in > 0 {
			return ""
		}
	}
	if len(m.shown) > 0 {
		return "no site matches the filter"
	}
	return "no sites yet; press a to add a file, i to add a site"
}

func isFixable(s *ordering.Site) bool { return s.Fixed != nil }

// hasRemarks reports whether there is something to say of a site.
func hasRemarks(s *ordering.Site) bool { return isTroubled(s) || isDuplicate(s) }

// isDuplicate reports whether the place of a site that is in is somewhere else,
// too.
func isDuplicate(s *ordering.Site) bool { return s.Duplicate != "" && s.In }

// isTroubled reports whether something may be wrong with a site.
func isTroubled(s *ordering.Site) bool {
	return len(s.Warnings) > 0 || s.Geometry == nil || s.In && !s.Placed && len(s.FindFaults()) > 0
}

func (m *sitesStep) handleAction(id action.ID) tea.Cmd {
	if m.smap.HandleAction(id) {
		if m.list.Grid.Select(m.smap.Selected()) {
			m.followSelection()
		}
		return nil
	}
	s := m.currentSite()
	switch id {
	case action.AddFile:
		cmd := m.p.goTo(ordering.StepSites)
		m.filesStep().adding = true
		return cmd
	case action.ChooseColumns:
		m.p.Overlay(m.filesStep().columnDialog(m.p.draft.FileOf(s)))
		return nil
	case action.SwapFile:
		file := m.p.draft.FileOf(s)
		return m.filesStep().rereadFile(file.Path, kmlcsv.Options{Columns: file.Columns, SwapLatLng: !file.Swapped})
	case action.CompareReading:
		return m.askReading(m.p.draft.FileOf(s))
	case action.EditSite:
		m.p.Overlay(m.editDialog(s))
		return nil
	case action.AddSite:
		m.p.Overlay(m.siteDialog(nil, m.pointedPlace()))
		return nil
	case action.MarkSite:
		m.markSite(s)
		m.followSelection()
		return nil
	case action.MarkRange:
		m.markRange(s)
		m.followSelection()
		return nil
	case action.Merge:
		return m.mergeSites(m.mergeGroup())
	case action.Split:
		return m.splitSite(s)
	case action.NextFault:
		m.nextFault()
		return nil
	}
	if cmd, done := m.list.HandleAction(id); done {
		m.followSelection()
		return cmd
	}
	return m.performChange(id, s)
}

// editDialog returns the dialog of the selected site, or of what those marked share.
func (m *sitesStep) editDialog(s *ordering.Site) page.Dialog {
	if sites := m.chosenSites(); len(sites) > 1 {
		return m.severalDialog("Edit "+format.Count(len(sites), "site", "sites"), sites, func() tea.Cmd { return nil })
	}
	return m.siteDialog(s, "")
}

// pointedPlace returns the middle of the map as it is typed, where the map is in focus.
func (m *sitesStep) pointedPlace() string {
	if !m.smap.Focused {
		return ""
	}
	return asTyped(m.smap.Centre())
}

// asTyped returns a point as one types it.
func asTyped(p orb.Point) string { return fmt.Sprintf("%.6f, %.6f", p.Lat(), p.Lon()) }

func (m *sitesStep) filesStep() *filesStep { return m.p.steps[ordering.StepSites].(*filesStep) }

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

func (m *sitesStep) nextFault() {
	listed := m.listedSites()
	n := len(listed)
	for i := 1; i <= n; i++ {
		s := listed[(m.list.Grid.Cursor()+i)%n]
		if hasRemarks(s) {
			m.list.Grid.Select(strconv.Itoa(s.ID))
			break
		}
	}
	m.followSelection()
}

// handleMouse selects a site in the table or on the map, takes it in or out with a
// second click, marks up to it with shift, makes a new one with two clicks where the map is empty, and
// zooms the map with the wheel.
func (m *sitesStep) handleMouse(at page.MouseInput) tea.Cmd {
	left, shown := m.mapAt()
	if shown && at.X >= left {
		id, ok := m.smap.HandleMouse(at, left, 0)
		if ok {
			m.list.Grid.Select(id)
		} else if place, on := m.smap.CoordinateAt(at.X-left, at.Y); on && at.Double {
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
	case at.Double && m.disabledReason(action.Toggle) == "":
		sites := []*ordering.Site{m.currentSite()}
		return m.applyChange(page.UndoMsg{Text: toggleTitle(sites), Quiet: true}, sites, func() { toggleSites(sites) })
	}
	m.followSelection()
	return nil
}

// mapAt returns the column where the map begins, and whether it is shown.
func (m *sitesStep) mapAt() (left int, shown bool) {
	if m.p.Width >= besideMap {
		return besideColumn(m.p.Width), true
	}
	return 0, m.smap.Focused
}

// besideColumn returns where the map begins beside the table.
func besideColumn(w int) int { return w*55/100 + 2 }
