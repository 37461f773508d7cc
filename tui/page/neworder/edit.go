package neworder

import (
	"cmp"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/kmlcsv/places"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// siteForm is the form of one site: new by hand, or there already.
type siteForm struct {
	m       *sitesStep
	site    *ordering.Site // nil for a new one
	before  string
	typed   kmlcsv.TypedPlace
	country string // that was suggested
	name    string // likewise
}

// askSite asks for what a site is, or a new one at a place.
func (m *sitesStep) askSite(s *ordering.Site, at string) tea.Cmd {
	e := &siteForm{m: m, site: s}
	title := "New site"
	f := form.New(0, m.p.Now,
		&form.Field{ID: "place", Label: "Place", Help: "Coordinates, a map link or WKT"},
		&form.Field{ID: "means", Kind: form.Note},
		&form.Field{ID: "name", Label: "Site", Help: "Name of the site, and of its mission"},
		&form.Field{ID: "label", Label: "Label", Help: "Place name; defaults to the name of the site"},
		&form.Field{ID: "country", Label: "Country", Help: "English name; suggested from the coordinates"},
	)
	f.Field("place").Set(at)
	if s != nil {
		title, e.before = "Edit site", s.PlaceText()
		f.Field("place").Set(e.before)
		if n := len(s.Points()); n > 1 && e.before == "" {
			f.Field("means").Note = format.Count(n, "point", "points") + "; a new place replaces them"
		}
		f.Field("name").Set(s.Name)
		f.Field("label").Set(s.Label)
		f.Field("country").Set(s.Country)
		switch {
		case s.Geometry == nil:
		case s.Country == "":
			f.FocusField("country")
		default:
			f.FocusField("name")
		}
	} else if at != "" {
		e.explainPlace(f)
		f.FocusField("name")
	}
	m.p.Overlay(
		&dialog.FormDialog{
			Theme:    m.p.Theme,
			Title:    title,
			Form:     f,
			OnSave:   e.saveSite,
			OnChange: e.explainPlace,
		},
	)
	return nil
}

// explainPlace says what the place means as it is typed, suggests what belongs to
// it, and what is too long.
func (e *siteForm) explainPlace(f *form.Form) {
	if f.Field("place").Value() != e.before && f.Focused().ID != "country" {
		e.readPlace(f)
	}
	for _, fl := range f.Fields[2:] {
		fl.Error = ordering.TooLong(fl.Value())
	}
}

// readPlace reads the place, and fills in name and country where nothing else
// was typed for them.
func (e *siteForm) readPlace(f *form.Form) bool {
	place := f.Field("place")
	typed, err := kmlcsv.ReadTyped(place.Value())
	if err != nil {
		f.Field("means").Note = err.Error()
		return false
	}
	e.typed = typed
	there := places.SuggestPlace(typed.Geometries[0])
	f.Field("means").Note = "→ " + describePlace(typed, there)
	if country := f.Field("country"); country.Value() == e.country {
		country.Set(there.Country)
		e.country = there.Country
	}
	if name := f.Field("name"); e.site == nil && name.Value() == e.name {
		e.name = e.m.p.draft.FreeName(cmp.Or(there.City, "Site"))
		name.Set(e.name)
	}
	return true
}

// describePlace returns a place as it was understood.
func describePlace(typed kmlcsv.TypedPlace, there places.Place) string {
	p := kmlcsv.Placemark{Geometry: typed.Geometries[0]}
	text := format.Count(len(p.Points()), "point", "points")
	if at, ok := typed.Geometries[0].(orb.Point); ok {
		text = format.Coordinate(at.Lat(), at.Lon())
	}
	if n := len(typed.Geometries); n > 1 {
		text = siteCount(n)
	}
	if typed.Note != "" {
		text = typed.Note + ": " + text
	}
	return text + inBrackets(there.City, there.Country)
}

// saveSite takes the form into the draft.
func (e *siteForm) saveSite(f *form.Form) (tea.Cmd, bool) {
	name, label := f.Field("name").Value(), f.Field("label").Value()
	moved := f.Field("place").Value() != e.before || e.site == nil
	country, hint := ordering.CountryName(f.Field("country").Value())
	rejected := moved && !e.readPlace(f) && f.Rejects("place", f.Field("means").Note) ||
		f.Rejects("name", textIf(name == "", "name required")) || f.Rejects("country", hint)
	for _, fl := range f.Fields[2:] {
		rejected = rejected || f.Rejects(fl.ID, ordering.TooLong(fl.Value()))
	}
	m := e.m
	switch {
	case rejected:
		return nil, false
	case e.site == nil:
		cmd := m.arrangeSites(page.UndoMsg{Text: "added " + name, Quiet: true}, func() *ordering.Site {
			return m.p.draft.AddTyped(e.typed, name, label, country)
		})
		if m.p.draft.Step != ordering.StepSites {
			cmd = tea.Batch(cmd, m.p.goTo(ordering.StepSites))
		}
		return cmd, true
	}
	done := page.UndoMsg{Text: "edited " + name, Quiet: true}
	return m.editSites(done, []*ordering.Site{e.site}, func(s *ordering.Site) {
		s.Edited.Text = s.Edited.Text || name != s.Name || label != s.Label
		s.Edited.Country = s.Edited.Country || country != s.Country
		s.Name, s.Label, s.Country = name, label, country
		if moved {
			s.MoveTo(e.typed.Geometries[0])
		}
	}), true
}

// askCountry asks for the country of several sites.
func (m *sitesStep) askCountry(title string, sites []*ordering.Site, next func() tea.Cmd) tea.Cmd {
	field := &form.Field{
		ID:    "country",
		Label: "Country",
		Help:  "English name or code, applied to all selected sites",
	}
	return m.p.askValue(title, field, sites[0].Country, func() (tea.Cmd, string) {
		country, hint := ordering.CountryName(field.Value())
		if hint = cmp.Or(textIf(country == "", "country required"), hint); hint != "" {
			return nil, hint
		}
		done := page.UndoMsg{Text: "set country to " + country + " for " + siteCount(len(sites))}
		cmd := m.editSites(done, sites, func(s *ordering.Site) { s.Country, s.Edited.Country = country, true })
		return tea.Batch(cmd, next()), ""
	})
}

// askValue asks for one value; save says what is wrong with it.
func (p *NewOrder) askValue(
	title string,
	field *form.Field,
	value string,
	save func() (cmd tea.Cmd, fault string),
) tea.Cmd {
	f := form.New(api.MaxNameLength, p.Now, field)
	field.Set(value)
	p.Overlay(
		&dialog.FormDialog{Theme: p.Theme, Title: title, Form: f, OnSave: func(*form.Form) (tea.Cmd, bool) {
			cmd, fault := save()
			field.Error = fault
			return cmd, fault == ""
		}},
	)
	return nil
}
