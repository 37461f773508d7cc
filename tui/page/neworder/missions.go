package neworder

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/kmlcsv/places"
	"flightdesk/tui/action"
	"flightdesk/tui/cells"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
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
}

func newMissions(p *NewOrder) *missions {
	m := &missions{p: p, smap: sitemap.New()}
	m.table.Columns = []table.Column{
		{Title: "In", Width: 2},
		{Title: "Mission", Width: 14, Fill: 3},
		{Title: "Type", Width: 6},
		{Title: "Country", Width: 9, Fill: 1},
		{Title: "City", Width: 9, Fill: 1, Drop: 2},
		{Title: "Size", Width: 10, Right: true, Drop: 1},
	}
	m.reload(nil)
	return m
}

// reload shows the draft's sites; one of them is selected, where given.
func (m *missions) reload(selected *Site) {
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
	features := make([]geomap.Feature, 0, len(m.p.draft.Sites))
	for _, s := range m.p.draft.Sites {
		f := geomap.Feature{ID: strconv.Itoa(s.ID), Label: s.Name, Geometry: s.Geometry}
		switch {
		case s.Geometry == nil && s.Fixed != nil:
			f.Geometry, f.Role = s.Fixed.Geometry, geomap.Bad
		case !s.In:
			f.Role = geomap.Muted
		}
		if _, isPoint := f.Geometry.(orb.Point); isPoint {
			f.Mark = '◦'
		}
		if f.Geometry != nil {
			features = append(features, f)
		}
	}
	m.smap.SetFeatures(features)
	m.follow()
}

func (m *missions) follow() {
	if s := m.current(); s != nil {
		m.smap.SetSelected(strconv.Itoa(s.ID))
	}
}

func (m *missions) current() *Site {
	if len(m.p.draft.Sites) == 0 {
		return nil
	}
	return m.p.draft.Sites[m.table.Cursor()]
}

func (m *missions) row(i int) table.Row {
	s := m.p.draft.Sites[i]
	row := table.Row{Muted: !s.In}
	in := table.Cell{Text: "✓", Role: theme.Good}
	if !s.In {
		in = table.Cell{Text: format.None, Role: theme.Muted}
	}
	switch {
	case s.In && len(s.faults()) > 0, s.Geometry == nil:
		row.Mark = table.Cell{Text: "!", Role: theme.Bad}
	case len(s.Warnings) > 0:
		row.Mark = table.Cell{Text: "!", Role: theme.You}
	}
	row.Cells = []table.Cell{
		in,
		{Text: s.Name},
		{Text: string(s.Type)},
		{Text: cmp.Or(s.Country, format.None)},
		{Text: cmp.Or(s.City, format.None)},
		{Text: s.size()},
	}
	return row
}

func (m *missions) enter() tea.Cmd {
	m.draw()
	return nil
}

func (m *missions) update(tea.Msg) tea.Cmd { return nil }
func (m *missions) cursor() *tea.Cursor    { return nil }
func (m *missions) typing() bool           { return false }

func (m *missions) scopes() []action.Scope {
	return m.smap.Scopes(m.p.Width >= besideMap, action.Missions, action.Steps, action.List)
}

// off lists when an action cannot be done with the selected site, and why.
var off = []struct {
	id   action.ID
	when func(d *Draft, s *Site) bool
	why  string
}{
	{action.Toggle, func(_ *Draft, s *Site) bool { return s.Geometry == nil }, "the file gives it no place that could be read"},
	{action.CycleType, func(_ *Draft, s *Site) bool { return len(s.types()) < 2 }, "its points allow no other type"},
	{action.FixSite, func(_ *Draft, s *Site) bool { return !fixable(s) }, "no fix is offered for this site"},
	{action.FixAll, func(d *Draft, _ *Site) bool { return !slices.ContainsFunc(d.Sites, fixable) }, "no fix is offered for any site"},
	{action.NextFault, func(d *Draft, _ *Site) bool { return !slices.ContainsFunc(d.Sites, warned) }, "no site has a warning"},
	{action.NextStep, func(d *Draft, _ *Site) bool { return len(d.in()) == 0 }, "no site is in the order; space takes one in"},
	{action.SwapFile, func(d *Draft, s *Site) bool { return d.file(s) == nil }, "the site is not from a file"},
	{action.ChooseColumns, func(d *Draft, s *Site) bool { f := d.file(s); return f == nil || f.Columns == nil }, "the site is not from a CSV file"},
}

func (m *missions) disabled(id action.ID) string {
	s := m.current()
	if s == nil {
		if id == action.AddFile || id == action.PrevStep {
			return ""
		}
		return "there is no site; a adds a file"
	}
	for _, o := range off {
		if o.id == id && o.when(m.p.draft, s) {
			return o.why
		}
	}
	return ""
}

func fixable(s *Site) bool { return s.Fixed != nil }

func warned(s *Site) bool {
	return len(s.Warnings) > 0 || s.Geometry == nil || s.In && len(s.faults()) > 0
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
		return m.p.goTo(stepSites)
	case action.ChooseColumns:
		m.p.Overlay(m.files().columns(m.p.draft.file(s)))
		return nil
	case action.SwapFile:
		file := m.p.draft.file(s)
		return m.files().reread(file.Path, kmlcsv.Options{Columns: file.Columns, SwapLatLng: !file.Swapped})
	case action.EditSite:
		m.p.Overlay(m.editor(s))
		return nil
	case action.NextFault:
		m.nextFault()
		return nil
	}
	return m.change(id, s)
}

// change performs what changes the sites, and says how it is undone where a
// second key does not do that.
func (m *missions) change(id action.ID, s *Site) tea.Cmd {
	done := map[action.ID]string{
		action.ToggleAll: "took all sites in or out", action.FixSite: "took the fix of " + s.Name,
		action.FixAll: "took every fix", action.Clear: "dropped " + s.Name,
	}[id]
	var undo tea.Cmd
	if done != "" {
		undo = page.Send(page.UndoMsg{Text: done, Undo: m.undo(m.p.draft.snapshot(), s)})
	}
	switch id {
	case action.Toggle:
		s.In, s.Edited.In = !s.In, true
		m.table.Move(1)
	case action.ToggleAll:
		m.toggleAll()
	case action.CycleType:
		types := s.types()
		s.Type = types[(slices.Index(types, s.Type)+1)%len(types)]
		s.Edited.Type = true
		s.measure()
	case action.FixSite:
		s.fix()
	case action.FixAll:
		for _, s := range m.p.draft.Sites {
			s.fix()
		}
	case action.Clear:
		m.drop(s)
	}
	m.draw()
	return tea.Batch(m.p.touched(), undo)
}

// undo takes back a change of the sites, as long as the draft and its files are
// those it was made in.
func (m *missions) undo(restore func() bool, selected *Site) func() (tea.Cmd, bool) {
	d := m.p.draft
	return func() (tea.Cmd, bool) {
		if m.p.draft != d || d.Pending || !restore() {
			return nil, false
		}
		m.reload(selected)
		return m.p.touched(), true
	}
}

func (m *missions) files() *sites { return m.p.steps[stepSites].(*sites) }

// fix takes the offered fix, where there is one.
func (s *Site) fix() {
	if s.Fixed == nil {
		return
	}
	s.take(*s.Fixed)
	s.Fixed, s.Warnings, s.In = nil, nil, true
}

// toggleAll takes every site in that can be, or leaves all out where they are.
func (m *missions) toggleAll() {
	all := true
	for _, s := range m.p.draft.Sites {
		all = all && (s.In || s.Geometry == nil)
	}
	for _, s := range m.p.draft.Sites {
		s.In, s.Edited.In = !all && s.Geometry != nil, true
	}
}

func (m *missions) drop(s *Site) {
	m.p.draft.drop(s)
	m.reload(nil)
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

// editor is the dialog for a site's texts.
func (m *missions) editor(s *Site) page.Dialog {
	f := form.New(0, m.p.Now,
		&form.Field{ID: "name", Label: "Mission", Help: "the mission's name"},
		&form.Field{ID: "label", Label: "Label", Help: "what the place is called; the name where empty"},
		&form.Field{ID: "country", Label: "Country", Help: "English name; suggested from the place"},
	)
	f.Field("name").Set(s.Name)
	f.Field("label").Set(s.Label)
	f.Field("country").Set(s.Country)
	if s.Country == "" {
		f.Focus("country")
	}
	save := func(f *form.Form) (tea.Cmd, bool) {
		name := f.Field("name")
		if name.Value() == "" {
			name.Error = "a mission needs a name"
			f.Focus("name")
			return nil, false
		}
		label, country := f.Field("label").Value(), f.Field("country").Value()
		country, hint := countryName(country)
		if hint != "" {
			f.Field("country").Error = hint
			f.Focus("country")
			return nil, false
		}
		for _, field := range f.Fields {
			if n := len([]rune(field.Value())); n > api.MaxNameLength {
				field.Error = fmt.Sprintf("%d characters, %d fit", n, api.MaxNameLength)
				f.Focus(field.ID)
				return nil, false
			}
		}
		s.Edited.Text = s.Edited.Text || name.Value() != s.Name || label != s.Label
		s.Edited.Country = s.Edited.Country || country != s.Country
		s.Name, s.Label, s.Country = name.Value(), label, country
		m.draw()
		return m.p.touched(), true
	}
	return &dialog.Edit{Theme: m.p.Theme, Title: "Edit site", Form: f, OnSave: save}
}

// mouse selects a site in the table or on the map, takes it in or out with a
// second click, and zooms the map with the wheel.
func (m *missions) mouse(at page.Mouse) tea.Cmd {
	left, shown := m.mapAt()
	switch {
	case shown && at.X >= left:
		if id, ok := m.smap.Mouse(at, left, 0); ok {
			m.table.Select(id)
		}
	case at.Wheel != 0:
		m.table.Move(at.Wheel)
	case !m.table.Click(at.Y - 1):
		return nil
	case at.Double && m.disabled(action.Toggle) == "":
		s := m.current()
		s.In, s.Edited.In = !s.In, true
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

func (m *missions) view(w, h int) string {
	if m.smap.Focused && w < besideMap {
		return m.smap.View(m.p.Theme, w, h)
	}
	left := w
	m.table.Margin = 0
	if w >= besideMap {
		left, m.table.Margin = besideColumn(w)-1, 1
	}
	panel := m.panel(left)
	panel = panel[:min(len(panel), max(0, h-4))]
	box := cells.Box([]string{m.summary(left)}, left, 1) + "\n" +
		m.table.View(m.p.Theme, left, max(0, h-1-len(panel)), !m.smap.Focused)
	if len(panel) > 0 {
		box += "\n" + cells.Box(panel, left, len(panel))
	}
	if left == w {
		return box
	}
	return cells.Beside(m.p.Theme.Rule.Render("│"), box, m.smap.View(m.p.Theme, w-left-1, h))
}

// summary counts what was found and what is in, and sums it up as far as there
// is room.
func (m *missions) summary(w int) string {
	d, th := m.p.draft, m.p.Theme
	counts := fmt.Sprintf("%s found, %s in", group(len(d.Sites)), group(len(d.in())))
	parts := measures(d)
	if n := len(slices.DeleteFunc(slices.Clone(d.Sites), func(s *Site) bool { return !warned(s) })); n > 0 {
		parts = append([]string{format.Count(n, "warning", "warnings")}, parts...)
	}
	files := cells.Clean(d.origins(" · "))
	for _, part := range parts {
		if cells.Width(counts)+cells.Width(part)+min(cells.Width(files), 20)+6 <= w {
			counts += " · " + part
		}
	}
	return cells.Ends(" "+cells.Text(th.Style(theme.Muted), files), cells.Text(th.Style(theme.Text), counts)+" ", w)
}

// measures are the draft's area, length and points, as far as it has any.
func measures(d *Draft) []string {
	area, length, points := d.totals()
	var parts []string
	if area > 0 {
		parts = append(parts, format.Area(area))
	}
	if length > 0 {
		parts = append(parts, format.Length(length))
	}
	if points > 0 {
		parts = append(parts, format.Count(points, "point", "points"))
	}
	return parts
}

// panel says what is the matter with the selected site, or else with the files.
func (m *missions) panel(w int) []string {
	th := m.p.Theme
	var lines []string
	add := func(role theme.Role, mark, text string) {
		for i, part := range cells.Wrap(text, w-6) {
			if i > 0 {
				mark = " "
			}
			lines = append(lines, "   "+cells.Text(th.Style(role), mark+" "+part))
		}
	}
	if s := m.current(); s != nil {
		for _, warning := range s.Warnings {
			add(theme.You, "!", warning)
		}
		if s.In && s.Geometry != nil {
			for _, fault := range s.faults() {
				add(theme.Bad, "!", "the site "+fault)
			}
		}
		if s.Fixed != nil {
			p := s.Fixed.Points()[0]
			at := format.Coordinate(p.Lat(), p.Lon())
			add(theme.Accent, "f", "swaps latitude and longitude, to "+at+inBrackets(s.Fixed.City, s.Fixed.Country))
		}
	}
	if len(lines) == 0 {
		for _, file := range m.p.draft.Files {
			for _, note := range file.Notes {
				add(theme.Muted, "·", file.Name()+": "+note)
			}
		}
	}
	return lines[:min(len(lines), 6)]
}

// countryName returns the English name of a country given by its name, its code
// or the beginning of one name. Where several names begin so, hint asks which.
// What is no country's is taken as it is: the service may know it.
func countryName(typed string) (name, hint string) {
	var begin []string
	for _, c := range places.Countries() {
		if strings.EqualFold(typed, c.Name) || strings.EqualFold(typed, c.Code) {
			return c.Name, ""
		}
		if len(typed) > 2 && len(c.Name) >= len(typed) && strings.EqualFold(typed, c.Name[:len(typed)]) {
			begin = append(begin, c.Name)
		}
	}
	switch len(begin) {
	case 0:
		return typed, ""
	case 1:
		return begin[0], ""
	default:
		return typed, "which one: " + strings.Join(begin[:min(len(begin), 4)], ", ") + "?"
	}
}

// inBrackets writes city and country in brackets, as far as they are known.
func inBrackets(city, country string) string {
	both := strings.Trim(city+", "+country, ", ")
	if both == "" {
		return ""
	}
	return " (" + both + ")"
}
