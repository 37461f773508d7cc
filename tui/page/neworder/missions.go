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

// missions is step 2: the sites as a table beside the map, one selection.
type missions struct {
	p     *NewOrder
	list  *listpage.List
	shown []*ordering.Site // rows of the list
	smap  *sitemap.Map
	marks marks
	sum   sum
	stale bool // sum and map are not of the sites as they are; see settle
	dated bool // nor is the table

	comparing page.Question // with what the service reads of a file
}

// sum is what is said of all sites. It is counted when one changes, so that a
// frame costs what is visible.
type sum struct {
	in, known, doubled, troubled, warned, fixable int
	shapes                                        int // areas and lines
	measures                                      []string
	remarks                                       []remark // of the draft as a whole
}

// count goes through all sites.
func (m *missions) count() {
	d := m.p.draft
	m.sum = sum{in: len(d.Included()), measures: measures(d), remarks: draftRemarks(d, m.p.Now())}
	m.sum.known, m.sum.doubled = d.Duplicates()
	for _, s := range d.Sites {
		troubled := troubled(s)
		if troubled {
			m.sum.troubled++
		}
		if troubled || duplicated(s) {
			m.sum.warned++
		}
		if fixable(s) {
			m.sum.fixable++
		}
		if s.Type != api.MissionAsset {
			m.sum.shapes++
		}
	}
}

func newMissions(p *NewOrder) *missions {
	m := &missions{p: p, smap: sitemap.New()}
	m.marks.clear()
	m.list = listpage.New(p.Base, "sites", "country:Germany, size:>2 or problem:duplicate", columns.Specs(columns.Sites())...)
	m.list.Empty = "No matching sites; "
	i := slices.IndexFunc(p.draft.Sites, func(s *ordering.Site) bool { return s.ID == p.draft.Row })
	if i < 0 {
		m.reload(nil)
	} else {
		m.reload(p.draft.Sites[i])
	}
	return m
}

// reload shows the draft's sites; one of them is selected, where given.
func (m *missions) reload(selected *ordering.Site) {
	m.draw()
	m.settle()
	if selected != nil && !m.list.Grid.Select(strconv.Itoa(selected.ID)) && m.list.Clear() {
		m.list.Grid.Select(strconv.Itoa(selected.ID)) // the filter had hidden it
	}
	m.follow()
	m.smap.FitAll()
}

// arrived shows sites that were added, with the first of them at the top.
func (m *missions) arrived(first *ordering.Site) {
	m.reload(first)
	if first != nil {
		m.list.Grid.Lead()
	}
}

// changed notes that sites are other than they were, and not which there are.
// They are listed anew with the next frame, unless which row follows depends on
// what they are.
func (m *missions) changed() {
	m.stale, m.dated = true, true
	if m.list.Grid.IsArranged() {
		m.draw()
	}
}

// draw lists the sites as they are.
func (m *missions) draw() {
	m.stale, m.dated = true, false
	m.p.compare()
	all := slices.Clone(m.p.draft.Sites)
	m.shown = all
	m.list.Grid.Set(table.Source{
		Len:  len(all),
		ID:   func(i int) string { return strconv.Itoa(all[i].ID) },
		Cell: columns.Cells(columns.Sites(), func(i int) *ordering.Site { return all[i] }),
		Look: func(i int) (table.Cell, bool) { return m.markOf(all[i]), !all[i].In || all[i].Placed },
	})
	m.follow()
}

// settle lists and counts the sites and puts them on the map, where they have
// changed since. It is done for a frame, not for each key: there may be thousands.
func (m *missions) settle() {
	if !m.stale {
		return
	}
	if m.dated {
		m.draw()
	}
	m.stale = false
	m.count()
	features := make([]geomap.Feature, 0, len(m.p.draft.Sites))
	for _, s := range m.p.draft.Sites {
		f := feature(s)
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
	m.follow()
}

// counted is what is said of all sites as they are.
func (m *missions) counted() *sum {
	m.settle()
	return &m.sum
}

// feature is a site on a map.
func feature(s *ordering.Site) geomap.Feature {
	f := geomap.Feature{ID: strconv.Itoa(s.ID), Label: s.Name, Geometry: s.Shape()}
	if _, isPoint := f.Geometry.(orb.Point); isPoint {
		f.Mark = '◦'
	}
	return f
}

// follow shows on the map what is selected, and lets a range grow to it.
func (m *missions) follow() {
	if s := m.current(); s != nil {
		m.smap.SetSelected(strconv.Itoa(s.ID))
		if m.p.draft.Row != s.ID { // it is written with the next change, or at the end
			m.p.draft.Row = s.ID
			m.p.drafts.Version++
		}
		if m.marks.from != 0 {
			m.marks.extend(m.listed(), s)
		}
	}
}

// current is the selected site, nil where none is listed.
func (m *missions) current() *ordering.Site {
	if i, ok := m.list.Grid.Current(); ok && i < len(m.shown) {
		return m.shown[i]
	}
	return nil
}

// markOf is what stands before a site's row.
func (m *missions) markOf(s *ordering.Site) table.Cell {
	switch {
	case m.marks.ids[s.ID]:
		return table.Cell{Text: "•", Role: theme.Accent}
	case s.In && !s.Placed && len(s.Faults()) > 0, s.Geometry == nil:
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

func (m *missions) enter() tea.Cmd {
	m.draw()
	m.settle()
	return nil
}

// update takes the filter as it is typed, and what is dropped or pasted: files,
// or a place.
func (m *missions) update(msg tea.Msg) tea.Cmd {
	if cmd, taken := m.list.Update(msg); taken {
		m.follow()
		return cmd
	}
	if paste, ok := msg.(tea.PasteMsg); ok {
		return m.files().dropped(paste.Content)
	}
	return nil
}

// cursor stands in the filter, below the summary.
func (m *missions) cursor() *tea.Cursor {
	c := m.list.Cursor()
	if c != nil {
		c.Y++
	}
	return c
}

func (m *missions) typing() bool { return m.list.Typing() }

func (m *missions) scopes() []action.Scope {
	if m.typing() {
		return m.list.Scopes()
	}
	return m.smap.Scopes(m.p.Width >= besideMap, m.list.Scopes(action.Missions, action.Steps)...)
}

// off lists when an action cannot be done with the selected site, and why.
var off = []struct {
	id   action.ID
	when func(m *missions, s *ordering.Site) bool
	why  string
}{
	{action.Toggle, func(_ *missions, s *ordering.Site) bool { return s.Geometry == nil }, "no usable coordinates; press e"},
	{action.Toggle, func(_ *missions, s *ordering.Site) bool { return s.Placed }, "already placed"},
	{action.EditSite, func(_ *missions, s *ordering.Site) bool { return s.Placed }, "already placed"},
	{action.Clear, func(_ *missions, s *ordering.Site) bool { return s.Placed }, "already placed"},
	{action.CycleType, func(_ *missions, s *ordering.Site) bool { return s.Placed }, "already placed"},
	{action.CycleType, func(_ *missions, s *ordering.Site) bool { return len(s.AllowedTypes()) < 2 }, "the points allow only this type"},
	{action.FixSite, func(_ *missions, s *ordering.Site) bool { return !fixable(s) }, "no suggested fix for this site"},
	{action.FixAll, func(m *missions, _ *ordering.Site) bool { return m.counted().fixable == 0 }, "no suggested fixes"},
	{action.NextFault, func(m *missions, _ *ordering.Site) bool { return m.counted().warned == 0 }, "no warnings"},
	{action.NextStep, func(m *missions, _ *ordering.Site) bool { return m.counted().in == 0 }, "no site included; press space to include one"},
	{action.SwapFile, func(m *missions, s *ordering.Site) bool { return m.p.draft.FileOf(s) == nil }, "this site is not from a file"},
	{action.RemoveFile, func(m *missions, s *ordering.Site) bool { return m.p.draft.FileOf(s) == nil }, "this site is not from a file"},
	{action.RemoveFile, func(m *missions, s *ordering.Site) bool {
		return slices.ContainsFunc(m.p.draft.SitesFrom(m.p.draft.FileOf(s)), func(s *ordering.Site) bool { return s.Placed })
	}, "some of its sites are already placed"},
	{action.ReadByService, func(m *missions, s *ordering.Site) bool { return m.p.draft.FileOf(s) == nil }, "this site is not from a file"},
	{action.ReadByService, func(m *missions, _ *ordering.Site) bool { return m.comparing.Open() }, "the service is reading the file"},
	{action.ChooseColumns, func(m *missions, s *ordering.Site) bool {
		f := m.p.draft.FileOf(s)
		return f == nil || f.Columns == nil
	}, "this site is not from a CSV file"},
}

func (m *missions) disabled(id action.ID) string {
	s := m.current()
	if s == nil {
		return m.disabledEmpty(id)
	}
	switch id {
	case action.ReadByService:
		if refused := m.p.Permissions.Refuses(api.ScopeOrdersWrite); refused != "" {
			return refused
		}
	case action.Merge:
		return mergeRefusal(m.group())
	case action.Split:
		return splitRefusal(s)
	}
	for _, o := range off {
		if o.id == id && o.when(m, s) {
			return o.why
		}
	}
	return m.list.Disabled(id)
}

// disabledEmpty says why an action is off while no site is selected.
func (m *missions) disabledEmpty(id action.ID) string {
	switch id {
	case action.AddFile, action.PrevStep, action.ByHand, action.Filter:
		return ""
	case action.NextStep:
		if m.counted().in > 0 {
			return ""
		}
	}
	if len(m.shown) > 0 {
		return "no site matches the filter"
	}
	return "no sites yet; press a to add a file, i to add a site"
}

func fixable(s *ordering.Site) bool { return s.Fixed != nil }

// warned reports whether there is something to say of a site.
func warned(s *ordering.Site) bool { return troubled(s) || duplicated(s) }

// duplicated reports whether the place of a site that is in is somewhere else,
// too.
func duplicated(s *ordering.Site) bool { return s.Duplicate != "" && s.In }

// troubled reports whether something may be wrong with a site.
func troubled(s *ordering.Site) bool {
	return len(s.Warnings) > 0 || s.Geometry == nil || s.In && !s.Placed && len(s.Faults()) > 0
}

func (m *missions) do(id action.ID) tea.Cmd {
	if m.smap.Do(id) {
		if m.list.Grid.Select(m.smap.Selected()) {
			m.follow()
		}
		return nil
	}
	s := m.current()
	switch id {
	case action.AddFile:
		cmd := m.p.goTo(ordering.StepSites)
		m.files().adding = true
		return cmd
	case action.ChooseColumns:
		m.p.Overlay(m.files().columns(m.p.draft.FileOf(s)))
		return nil
	case action.SwapFile:
		file := m.p.draft.FileOf(s)
		return m.files().reread(file.Path, kmlcsv.Options{Columns: file.Columns, SwapLatLng: !file.Swapped})
	case action.ReadByService:
		return m.askReading(m.p.draft.FileOf(s))
	case action.EditSite:
		m.p.Overlay(m.edit(s))
		return nil
	case action.ByHand:
		m.p.Overlay(m.editor(nil, m.pointed()))
		return nil
	case action.MarkSite:
		m.mark(s)
		m.follow()
		return nil
	case action.MarkRange:
		m.markRange(s)
		m.follow()
		return nil
	case action.Merge:
		return m.merge(m.group())
	case action.Split:
		return m.split(s)
	case action.NextFault:
		m.nextFault()
		return nil
	}
	if cmd, done := m.list.Do(id); done {
		m.follow()
		return cmd
	}
	return m.change(id, s)
}

// edit is the dialog of the selected site, or of what those marked share.
func (m *missions) edit(s *ordering.Site) page.Dialog {
	if sites := m.chosen(); len(sites) > 1 {
		return m.several("Edit "+format.Count(len(sites), "site", "sites"), sites, func() tea.Cmd { return nil })
	}
	return m.editor(s, "")
}

// pointed is the middle of the map as it is typed, where the map is in focus.
func (m *missions) pointed() string {
	if !m.smap.Focused {
		return ""
	}
	return asTyped(m.smap.Centre())
}

// asTyped is a point as one types it.
func asTyped(p orb.Point) string { return fmt.Sprintf("%.6f, %.6f", p.Lat(), p.Lon()) }

func (m *missions) files() *sites { return m.p.steps[ordering.StepSites].(*sites) }

// goOn goes on to the form, once every site that is in has a country: an order
// needs one, and where none is near it is asked for.
func (m *missions) goOn() tea.Cmd {
	next := func() tea.Cmd {
		cmd := m.p.goTo(ordering.StepOrder)
		if note := m.p.draft.SplitNote(m.p.Now()); note != "" {
			cmd = tea.Batch(cmd, page.Toast(theme.Attention, note))
		}
		return cmd
	}
	lacking := slices.DeleteFunc(m.p.draft.Included(), func(s *ordering.Site) bool { return s.Country != "" })
	if len(lacking) == 0 {
		return next()
	}
	m.reload(lacking[0])
	m.p.Overlay(m.several("Set country: "+siteNames(lacking), lacking, next))
	return nil
}

func (m *missions) nextFault() {
	listed := m.listed()
	n := len(listed)
	for i := 1; i <= n; i++ {
		s := listed[(m.list.Grid.Cursor()+i)%n]
		if warned(s) {
			m.list.Grid.Select(strconv.Itoa(s.ID))
			break
		}
	}
	m.follow()
}

// mouse selects a site in the table or on the map, takes it in or out with a
// second click, marks up to it with shift, makes a new one with two clicks where the map is empty, and
// zooms the map with the wheel.
func (m *missions) mouse(at page.Mouse) tea.Cmd {
	left, shown := m.mapAt()
	if shown && at.X >= left {
		id, ok := m.smap.Mouse(at, left, 0)
		if ok {
			m.list.Grid.Select(id)
		} else if place, on := m.smap.CoordinateAt(at.X-left, at.Y); on && at.Double {
			m.p.Overlay(m.editor(nil, asTyped(place)))
		}
		m.follow()
		return nil
	}
	before := m.current()
	if at.Y--; at.Y < 0 && at.Wheel == 0 || !m.list.Mouse(at) {
		return nil
	}
	switch {
	case at.Shift:
		m.markTo(before)
	case at.Double && m.disabled(action.Toggle) == "":
		sites := []*ordering.Site{m.current()}
		return m.apply(page.UndoMsg{Text: toggling(sites), Quiet: true}, sites, func() { toggle(sites) })
	}
	m.follow()
	return nil
}

// mapAt is the column where the map begins, and whether it is shown.
func (m *missions) mapAt() (left int, shown bool) {
	if m.p.Width >= besideMap {
		return besideColumn(m.p.Width), true
	}
	return 0, m.smap.Focused
}

// besideColumn is where the map begins beside the table.
func besideColumn(w int) int { return w*55/100 + 2 }
