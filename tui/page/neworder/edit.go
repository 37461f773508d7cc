package neworder

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/kmlcsv/places"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// siteForm is the form of one site: new by hand, or there already.
type siteForm struct {
	m    *sitesStep
	site *ordering.Site // nil for a new one

	place, means, name, label, country *widget.Field // means says what the place is

	before           string // place of the site
	typed            kmlcsv.TypedPlace
	suggested, named string // country and name
}

// askSite asks for what a site is, or a new one at a place.
func (m *sitesStep) askSite(s *ordering.Site, at string) tea.Cmd {
	e := &siteForm{
		m:     m,
		site:  s,
		place: &widget.Field{Label: "Place", Help: "Coordinates, a map link or WKT"},
		means: &widget.Field{ID: "means", Kind: widget.NoteField},
		name: &widget.Field{
			Label: "Site",
			Help:  "Name of the site, and of its mission",
			Check: checkName,
		},
		label:   &widget.Field{Label: "Label", Help: "Place name; defaults to the name of the site"},
		country: &widget.Field{Label: "Country", Help: "English name; suggested from the coordinates"},
	}
	e.place.Check = func(string) string { return page.TextIf(e.isMoved() && !e.readPlace(), e.means.Note) }
	e.label.Check, e.country.Check = ordering.TooLong, checkCountry
	d := &widget.FormDialog{
		Title:    "Edit site",
		OnSave:   e.saveSite,
		OnChange: e.explainPlace,
	}
	d.Form = widget.NewForm(0, m.Env.Clock.Now, e.place, e.means, e.name, e.label, e.country)
	if s == nil {
		d.Title, s = "New site", &ordering.Site{}
	}
	e.before = s.PlaceText()
	for i, value := range []string{cmp.Or(at, e.before), "", s.Name, s.Label, s.Country} {
		d.Form.Fields[i].Set(value)
	}
	if at != "" {
		e.readPlace()
	} else if n := len(s.Points()); n > 1 {
		e.means.Note = format.Count(n, "point") + "; a new place replaces them"
	}
	switch {
	case s.Geometry == nil && at == "":
	case s.Geometry != nil && s.Country == "":
		d.Form.FocusField("country")
	default:
		d.Form.FocusField("site")
	}
	m.Env.Nav.Overlay(d)
	return nil
}

func checkName(name string) string {
	return cmp.Or(page.TextIf(name == "", "name required"), ordering.TooLong(name))
}

func checkCountry(typed string) string {
	_, hint := ordering.CountryName(typed)
	return cmp.Or(hint, ordering.TooLong(typed))
}

// isMoved reports whether the user typed another place.
func (e *siteForm) isMoved() bool { return e.site == nil || e.place.Value() != e.before }

// explainPlace shows how the typed place is understood, and suggests a name and a country.
func (e *siteForm) explainPlace(f *widget.Form) tea.Cmd {
	focused := f.Focused()
	if e.place.Value() != e.before && focused != e.country {
		e.readPlace()
	}
	focused.Error = page.TextIf(focused != e.place, ordering.TooLong(focused.Value()))
	return nil
}

// readPlace parses the typed place, and fills in the name and the country unless the user typed
// them.
func (e *siteForm) readPlace() bool {
	typed, err := kmlcsv.ReadTyped(e.place.Value())
	if err != nil {
		e.means.Note = err.Error()
		return false
	}
	e.typed = typed
	there := places.SuggestPlace(typed.Geometries[0])
	e.means.Note = "→ " + describePlace(typed, there)
	if e.country.Value() == e.suggested {
		e.suggested = there.Country
		e.country.Set(e.suggested)
	}
	if e.site == nil && e.name.Value() == e.named {
		e.named = e.m.draft.FreeName(cmp.Or(there.City, "Site"))
		e.name.Set(e.named)
	}
	return true
}

// describePlace returns a place as it was understood.
func describePlace(typed kmlcsv.TypedPlace, there places.Place) string {
	p := kmlcsv.Placemark{Geometry: typed.Geometries[0]}
	text := format.Count(len(p.Points()), "point")
	if at, ok := typed.Geometries[0].(orb.Point); ok {
		text = coordinateOf(at)
	}
	if n := len(typed.Geometries); n > 1 {
		text = siteCount(n)
	}
	if typed.Note != "" {
		text = typed.Note + ": " + text
	}
	return text + inBrackets(there.City, there.Country)
}

// saveSite adds the site of the form to the draft, or changes it there.
func (e *siteForm) saveSite() tea.Cmd {
	m, name, label, moved := e.m, e.name.Value(), e.label.Value(), e.isMoved()
	country, _ := ordering.CountryName(e.country.Value())
	if e.site == nil {
		add := func() *ordering.Site { return m.draft.AddTyped(e.typed, name, label, country) }
		return tea.Batch(m.arrangeSites("added "+name, add), m.p.goTo(ordering.StepSites))
	}
	return m.editSites("edited "+name, []*ordering.Site{e.site}, func(s *ordering.Site) {
		s.Edited.Text = s.Edited.Text || name != s.Name || label != s.Label
		s.Edited.Country = s.Edited.Country || country != s.Country
		s.Name, s.Label, s.Country = name, label, country
		if moved {
			s.MoveTo(e.typed.Geometries[0])
		}
	})
}

// askCountry asks for the country of several sites.
func (m *sitesStep) askCountry(title string, sites []*ordering.Site, next func() tea.Cmd) tea.Cmd {
	field := &widget.Field{
		Label: "Country",
		Help:  "English name or code, applied to all marked sites",
		Check: func(typed string) string {
			return cmp.Or(page.TextIf(typed == "", "country required"), checkCountry(typed))
		},
	}
	return m.Env.AskValue(title, "", api.MaxNameLength, field, sites[0].Country, func(typed string) tea.Cmd {
		country, _ := ordering.CountryName(typed)
		done := "set country to " + country + " for " + siteCount(len(sites))
		cmd := m.editSites(
			done,
			sites,
			func(s *ordering.Site) { s.Country, s.Edited.Country = country, true },
		)
		return tea.Batch(cmd, next())
	})
}

// textLines are lines of text in a pane, written one after another.
type textLines struct {
	*theme.Theme
	w     int
	lines []string
}

func (t *textLines) add(lines ...string) { t.lines = append(t.lines, lines...) }

// say adds text, which continues below itself.
func (t *textLines) say(role theme.Role, s string) { t.note(role, " ", s) }

// note adds text behind a mark, nothing for "".
func (t *textLines) note(role theme.Role, mark, s string) {
	if s == "" {
		return
	}
	for _, part := range format.Wrap(s, t.w-format.Width(mark)-1) {
		t.add(t.PaintRole(role, mark+part))
		mark = strings.Repeat(" ", format.Width(mark))
	}
}

// title adds a title with an optional text behind it.
func (t *textLines) title(s, with string) {
	t.add(t.PaintTitle(" "+s) + t.PaintMuted("  "+with))
}

func (t *textLines) rule() { t.add(t.Rule.Render(strings.Repeat("─", t.w))) }

// key adds a key and the text of its action.
func (t *textLines) key(key, does string) { t.add("   " + t.PaintHint(key, does)) }
