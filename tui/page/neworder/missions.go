package neworder

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/action"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
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
	table table.Table
	smap  *sitemap.Map

	marked map[int]bool // sites, by id
	sum    sum

	comparing page.Question // with what the service reads of a file
}

// sum is what is said of all sites. It is counted when one changes, so that a
// frame costs what is visible.
type sum struct {
	in, known, troubled, warned, fixable int
	measures                             []string
	remarks                              []remark // of the draft as a whole
}

// count goes through all sites.
func (m *missions) count() {
	d := m.p.draft
	m.sum = sum{in: len(d.Included()), known: d.Duplicates(), measures: measures(d), remarks: draftRemarks(d, m.p.Now())}
	for _, s := range d.Sites {
		troubled := troubled(s)
		if troubled {
			m.sum.troubled++
		}
		if troubled || doubled(s) {
			m.sum.warned++
		}
		if fixable(s) {
			m.sum.fixable++
		}
	}
}

func newMissions(p *NewOrder) *missions {
	m := &missions{p: p, smap: sitemap.New(), marked: map[int]bool{}}
	m.table.Columns = []table.Column{
		{Title: "In", Width: 2},
		{Title: "Site", Width: 14, Fill: 3},
		{Title: "Type", Width: 6},
		{Title: "Country", Width: 9, Fill: 1},
		{Title: "City", Width: 9, Fill: 1, Drop: 2},
		{Title: "Size", Width: 10, Right: true, Drop: 1},
	}
	m.reload(nil)
	return m
}

// reload shows the draft's sites; one of them is selected, where given.
func (m *missions) reload(selected *ordering.Site) {
	all := m.p.draft.Sites
	m.table.SetRows(len(all), func(i int) string { return strconv.Itoa(all[i].ID) }, m.row)
	if selected != nil {
		m.table.Select(strconv.Itoa(selected.ID))
	}
	m.draw()
	m.smap.FitAll()
}

// draw puts the sites on the map, and the selection.
func (m *missions) draw() {
	m.p.compare()
	m.count()
	widest := 10
	for _, s := range m.p.draft.Sites {
		widest = max(widest, layout.Width(s.SizeText()))
	}
	m.table.Columns[5].Width = widest // numbers are never cut
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

// feature is a site on a map.
func feature(s *ordering.Site) geomap.Feature {
	f := geomap.Feature{ID: strconv.Itoa(s.ID), Label: s.Name, Geometry: s.Shape()}
	if _, isPoint := f.Geometry.(orb.Point); isPoint {
		f.Mark = '◦'
	}
	return f
}

func (m *missions) follow() {
	if s := m.current(); s != nil {
		m.smap.SetSelected(strconv.Itoa(s.ID))
	}
}

func (m *missions) current() *ordering.Site {
	if len(m.p.draft.Sites) == 0 {
		return nil
	}
	return m.p.draft.Sites[m.table.Cursor()]
}

func (m *missions) row(i int) table.Row {
	s := m.p.draft.Sites[i]
	row := table.Row{Muted: !s.In || s.Placed}
	in := table.Cell{Text: "✓", Role: theme.Good}
	switch {
	case s.Placed:
		in = table.Cell{Text: "●", Role: theme.Good}
	case !s.In:
		in = table.Cell{Text: format.None, Role: theme.Muted}
	}
	switch {
	case s.In && !s.Placed && len(s.Faults()) > 0, s.Geometry == nil:
		row.Mark = table.Cell{Text: "!", Role: theme.Bad}
	case len(s.Warnings) > 0:
		row.Mark = table.Cell{Text: "!", Role: theme.Attention}
	}
	if s.Duplicate != "" && row.Mark.Text == "" {
		row.Mark = table.Cell{Text: "=", Role: theme.Attention}
	}
	if m.marked[s.ID] {
		row.Mark = table.Cell{Text: "•", Role: theme.Accent}
	}
	row.Cells = []table.Cell{
		in,
		{Text: s.Name},
		{Text: labels.MissionType(s.Type).Label},
		{Text: cmp.Or(s.Country, format.None)},
		{Text: cmp.Or(s.City, format.None)},
		{Text: s.SizeText()},
	}
	return row
}

func (m *missions) enter() tea.Cmd {
	m.draw()
	return nil
}

// update takes what is dropped or pasted: files, or a place.
func (m *missions) update(msg tea.Msg) tea.Cmd {
	if paste, ok := msg.(tea.PasteMsg); ok {
		return m.files().dropped(paste.Content)
	}
	return nil
}

func (m *missions) cursor() *tea.Cursor { return nil }
func (m *missions) typing() bool        { return false }

func (m *missions) scopes() []action.Scope {
	return m.smap.Scopes(m.p.Width >= besideMap, action.Missions, action.Steps, action.List)
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
	{action.CycleType, func(_ *missions, s *ordering.Site) bool { return len(s.AllowedTypes()) < 2 }, "its geometry allows only this type"},
	{action.FixSite, func(_ *missions, s *ordering.Site) bool { return !fixable(s) }, "no suggested fix for this site"},
	{action.FixAll, func(m *missions, _ *ordering.Site) bool { return m.sum.fixable == 0 }, "no suggested fixes"},
	{action.NextFault, func(m *missions, _ *ordering.Site) bool { return m.sum.warned == 0 }, "no warnings"},
	{action.NextStep, func(m *missions, _ *ordering.Site) bool { return m.sum.in == 0 }, "no site included; press space to include one"},
	{action.SwapFile, func(m *missions, s *ordering.Site) bool { return m.p.draft.FileOf(s) == nil }, "this site is not from a file"},
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
		if id == action.AddFile || id == action.PrevStep || id == action.ByHand {
			return ""
		}
		return "no sites yet; press a to add a file, i to add a site"
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
	return ""
}

func fixable(s *ordering.Site) bool { return s.Fixed != nil }

// warned reports whether there is something to say of a site.
func warned(s *ordering.Site) bool { return troubled(s) || doubled(s) }

// doubled reports whether a site that is in is somewhere else, too.
func doubled(s *ordering.Site) bool { return s.Duplicate != "" && s.In }

// troubled reports whether something may be wrong with a site.
func troubled(s *ordering.Site) bool {
	return len(s.Warnings) > 0 || s.Geometry == nil || s.In && !s.Placed && len(s.Faults()) > 0
}

func (m *missions) do(id action.ID) tea.Cmd {
	if m.smap.Do(id) {
		if m.table.Select(m.smap.Selected()) {
			m.follow()
		}
		return nil
	}
	if page.Move(&m.table, id) {
		m.follow()
		return nil
	}
	s := m.current()
	switch id {
	case action.AddFile:
		return m.p.goTo(ordering.StepSites)
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
		return nil
	case action.Merge:
		return m.merge(m.group())
	case action.Split:
		return m.split(s)
	case action.NextFault:
		m.nextFault()
		return nil
	}
	return m.change(id, s)
}

// mark marks a site, or takes the mark off, and goes on to the next.
func (m *missions) mark(s *ordering.Site) {
	if m.marked[s.ID] {
		delete(m.marked, s.ID)
	} else {
		m.marked[s.ID] = true
	}
	m.table.Move(1)
	m.follow()
}

// markedSites are those that are marked and not placed, in their order.
func (m *missions) markedSites() []*ordering.Site {
	return slices.DeleteFunc(slices.Clone(m.p.draft.Sites), func(s *ordering.Site) bool { return !m.marked[s.ID] || s.Placed })
}

// chosen are the sites that an action is for: those marked, or else the
// selected one.
func (m *missions) chosen() []*ordering.Site {
	if marked := m.markedSites(); len(marked) > 0 {
		return marked
	}
	return []*ordering.Site{m.current()}
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

// change performs what changes the sites that are chosen, and says how it is
// undone where a second key does not do that.
func (m *missions) change(id action.ID, s *ordering.Site) tea.Cmd {
	sites := m.chosen()
	done := map[action.ID]string{
		action.ToggleAll: "included or excluded all sites", action.FixSite: "fixed " + s.Name,
		action.FixAll: "applied all fixes", action.Clear: "removed " + siteNames(sites),
	}[id]
	if len(sites) > 1 && done == "" {
		done = "changed " + siteNames(sites)
	}
	var undo tea.Cmd
	if done != "" {
		undo = m.undone(done, s)
	}
	switch id {
	case action.Toggle:
		toggle(sites)
		if len(m.marked) == 0 { // one alone is gone on from
			m.table.Move(1)
		}
	case action.ToggleAll:
		toggle(slices.DeleteFunc(slices.Clone(m.p.draft.Sites), func(s *ordering.Site) bool { return s.Placed }))
	case action.CycleType:
		cycle(sites)
	case action.FixSite:
		s.ApplyFix()
	case action.FixAll:
		for _, s := range m.p.draft.Sites {
			s.ApplyFix()
		}
	case action.Clear:
		m.drop(sites)
	}
	m.draw()
	return tea.Batch(m.p.touched(), undo)
}

// undone says what is being done to the sites, and keeps how they are now.
func (m *missions) undone(done string, selected *ordering.Site) tea.Cmd {
	return page.Send(page.UndoMsg{Text: done, Undo: m.undo(m.p.draft.Snapshot(), selected)})
}

// toggle takes sites in that can be, or where all are in leaves them out.
func toggle(sites []*ordering.Site) {
	out := !slices.ContainsFunc(sites, func(s *ordering.Site) bool { return !s.In && s.Geometry != nil })
	for _, s := range sites {
		s.In, s.Edited.In = !out && s.Geometry != nil, true
	}
}

// cycle gives sites the type after that of the first, as far as their points
// allow it.
func cycle(sites []*ordering.Site) {
	types := sites[0].AllowedTypes()
	next := types[(slices.Index(types, sites[0].Type)+1)%len(types)]
	for _, s := range sites {
		if slices.Contains(s.AllowedTypes(), next) {
			s.Type, s.Edited.Type = next, true
			s.Measure()
		}
	}
}

// undo takes back a change of the sites, as long as the draft and its files are
// those it was made in.
func (m *missions) undo(restore func() bool, selected *ordering.Site) func() (tea.Cmd, bool) {
	d, placed := m.p.draft, len(m.p.draft.Placed)
	return func() (tea.Cmd, bool) {
		if m.p.draft != d || d.Pending || len(d.Placed) != placed || !restore() {
			return nil, false
		}
		m.reload(selected)
		if d.Step != ordering.StepMissions {
			return tea.Batch(m.p.touched(), m.p.step().enter()), true
		}
		return m.p.touched(), true
	}
}

func (m *missions) files() *sites { return m.p.steps[ordering.StepSites].(*sites) }

func (m *missions) drop(sites []*ordering.Site) {
	for _, s := range sites {
		m.p.draft.Remove(s)
	}
	clear(m.marked)
	m.reload(nil)
}

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
	n := len(m.p.draft.Sites)
	for i := 1; i <= n; i++ {
		s := m.p.draft.Sites[(m.table.Cursor()+i)%n]
		if warned(s) {
			m.table.Select(strconv.Itoa(s.ID))
			break
		}
	}
	m.follow()
}

// mouse selects a site in the table or on the map, takes it in or out with a
// second click, makes a new one with two clicks where the map is empty, and
// zooms the map with the wheel.
func (m *missions) mouse(at page.Mouse) tea.Cmd {
	left, shown := m.mapAt()
	switch {
	case shown && at.X >= left:
		id, ok := m.smap.Mouse(at, left, 0)
		if ok {
			m.table.Select(id)
		} else if place, on := m.smap.CoordinateAt(at.X-left, at.Y); on && at.Double {
			m.p.Overlay(m.editor(nil, asTyped(place)))
		}
	case at.Wheel != 0:
		m.table.Move(at.Wheel)
	case !m.table.Click(at.Y - 1):
		return nil
	case at.Double && m.disabled(action.Toggle) == "":
		toggle([]*ordering.Site{m.current()})
		m.draw()
		return m.p.touched()
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
