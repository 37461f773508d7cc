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
	"flightdesk/kmlcsv/places"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// siteForm is the form of one site: new by hand, or there already.
type siteForm struct {
	m       *missions
	site    *Site // nil for a new one
	before  string
	typed   kmlcsv.Typed
	country string // that was suggested
	mission string // likewise
}

// editor is the dialog for a site, or for a new one at a place.
func (m *missions) editor(s *Site, at string) page.Dialog {
	e := &siteForm{m: m, site: s, before: at}
	title := "New site"
	f := form.New(0, m.p.Now,
		&form.Field{ID: "place", Label: "Place", Help: "47.3769, 8.5417, degrees and minutes, a map's link, WKT"},
		&form.Field{ID: "means", Kind: form.Note},
		&form.Field{ID: "name", Label: "Mission", Help: "the mission's name"},
		&form.Field{ID: "label", Label: "Label", Help: "what the place is called; the name where empty"},
		&form.Field{ID: "country", Label: "Country", Help: "English name; suggested from the place"},
	)
	f.Field("place").Set(at)
	if s != nil {
		title, e.before = "Edit site", s.placeText()
		f.Field("place").Set(e.before)
		if n := len(s.Points()); n > 1 && e.before == "" {
			f.Field("means").Note = format.Count(n, "point", "points") + "; a place typed or pasted above replaces them"
		}
		f.Field("name").Set(s.Name)
		f.Field("label").Set(s.Label)
		f.Field("country").Set(s.Country)
		switch {
		case s.Geometry == nil:
		case s.Country == "":
			f.Focus("country")
		default:
			f.Focus("name")
		}
	} else if at != "" {
		e.before = ""
		e.changed(f)
		f.Focus("name")
	}
	return &dialog.Edit{Snug: true, Theme: m.p.Theme, Title: title, Form: f, OnSave: e.save, OnChange: e.changed}
}

// placeText is a point as it is typed, "" for anything else.
func (s *Site) placeText() string {
	p, ok := s.Geometry.(orb.Point)
	if !ok {
		return ""
	}
	return strconv.FormatFloat(p.Lat(), 'f', -1, 64) + ", " + strconv.FormatFloat(p.Lon(), 'f', -1, 64)
}

// changed says what the place means as it is typed, suggests what belongs to
// it, and what is too long.
func (e *siteForm) changed(f *form.Form) {
	if f.Field("place").Value() != e.before && f.Focused().ID != "country" {
		e.understand(f)
	}
	for _, fl := range f.Fields[2:] {
		fl.Error = tooLong(fl.Value())
	}
}

func tooLong(text string) string {
	if n := len([]rune(text)); n > api.MaxNameLength {
		return fmt.Sprintf("%d characters, %d fit", n, api.MaxNameLength)
	}
	return ""
}

// understand reads the place, and fills in name and country where nothing else
// was typed for them.
func (e *siteForm) understand(f *form.Form) bool {
	place := f.Field("place")
	typed, err := kmlcsv.ReadTyped(place.Value())
	if err != nil {
		f.Field("means").Note = err.Error()
		return false
	}
	e.typed = typed
	there := places.Suggest(typed.Geometries[0])
	f.Field("means").Note = "→ " + said(typed, there)
	if country := f.Field("country"); country.Value() == e.country {
		country.Set(there.Country)
		e.country = there.Country
	}
	if name := f.Field("name"); e.site == nil && name.Value() == e.mission {
		e.mission = e.m.p.draft.freeName(cmp.Or(there.City, "Site"))
		name.Set(e.mission)
	}
	return true
}

// said is a place as it was understood.
func said(typed kmlcsv.Typed, there places.Place) string {
	p := kmlcsv.Placemark{Geometry: typed.Geometries[0]}
	text := format.Count(len(p.Points()), "point", "points")
	if at, ok := typed.Geometries[0].(orb.Point); ok {
		text = format.Coordinate(at.Lat(), at.Lon())
	}
	if n := len(typed.Geometries); n > 1 {
		text = format.Count(n, "site", "sites")
	}
	if typed.Note != "" {
		text = typed.Note + ": " + text
	}
	return text + inBrackets(there.City, there.Country)
}

// freeName is a name that no site of the draft has: Stade, Stade 2.
func (d *Draft) freeName(name string) string {
	taken := map[string]bool{}
	for _, s := range d.Sites {
		taken[s.Name] = true
	}
	free := name
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s %d", name, n)
	}
	return free
}

// save takes the form into the draft.
func (e *siteForm) save(f *form.Form) (tea.Cmd, bool) {
	place, name, country := f.Field("place"), f.Field("name"), f.Field("country")
	moved := place.Value() != e.before || e.site == nil
	if moved && !e.understand(f) {
		place.Error = f.Field("means").Note
		f.Focus("place")
		return nil, false
	}
	if name.Value() == "" {
		name.Error = "a mission needs a name"
		f.Focus("name")
		return nil, false
	}
	full, hint := countryName(country.Value())
	if hint != "" {
		country.Error = hint
		f.Focus("country")
		return nil, false
	}
	for _, fl := range f.Fields[2:] {
		if fl.Error = tooLong(fl.Value()); fl.Error != "" {
			f.Focus(fl.ID)
			return nil, false
		}
	}
	m := e.m
	if e.site != nil {
		e.change(name.Value(), f.Field("label").Value(), full, moved)
		m.draw()
		return m.p.touched(), true
	}
	first := m.p.draft.addTyped(e.typed, name.Value(), f.Field("label").Value(), full)
	m.reload(first)
	if m.p.draft.Step != stepMissions {
		return m.p.goTo(stepMissions), true
	}
	return m.p.touched(), true
}

// change takes the form into the site.
func (e *siteForm) change(name, label, country string, moved bool) {
	s := e.site
	s.Edited.Text = s.Edited.Text || name != s.Name || label != s.Label
	s.Edited.Country = s.Edited.Country || country != s.Country
	s.Name, s.Label, s.Country = name, label, country
	if moved {
		s.move(e.typed.Geometries[0])
	}
}

// move gives the site another place, by hand.
func (s *Site) move(g orb.Geometry) {
	was := kmlcsv.Placemark{Geometry: s.Geometry}.Kind()
	p := kmlcsv.New(s.Name, g)
	if s.Geometry == nil || p.Kind() != was || !slices.Contains(s.types(), s.Type) {
		s.Type = api.MissionType(p.Kind())
	}
	s.Geometry, s.City = p.Geometry, places.Suggest(g).City
	if !slices.Contains(s.types(), s.Type) {
		s.Type = api.MissionType(p.Kind())
	}
	s.In, s.Fixed, s.Warnings, s.Edited.Place = true, nil, nil, true
	s.measure()
}

// addTyped adds what was typed as sites of their own, and returns the first.
func (d *Draft) addTyped(typed kmlcsv.Typed, name, label, country string) *Site {
	var first *Site
	for i, g := range typed.Geometries {
		s := &Site{ID: d.id(), Name: name, Label: label, Country: country}
		if len(typed.Geometries) > 1 {
			s.Name = fmt.Sprintf("%s (%d)", name, i+1)
		}
		s.move(g)
		d.Sites = append(d.Sites, s)
		first = cmp.Or(first, s)
	}
	return first
}

// several is the dialog for what sites have in common.
func (m *missions) several(title string, sites []*Site, next func() tea.Cmd) page.Dialog {
	f := form.New(0, m.p.Now, &form.Field{ID: "country", Label: "Country", Help: "English name or code, for all of them"})
	if s := sites[0]; s.Country != "" {
		f.Field("country").Set(s.Country)
	}
	change := func(f *form.Form) { f.Field("country").Error = tooLong(f.Field("country").Value()) }
	save := func(f *form.Form) (tea.Cmd, bool) {
		field := f.Field("country")
		country, hint := countryName(field.Value())
		if country == "" {
			hint = "a mission needs a country"
		}
		if field.Error = cmp.Or(hint, tooLong(country)); field.Error != "" {
			return nil, false
		}
		undo := m.undone("gave "+format.Count(len(sites), "site", "sites")+" the country "+country, m.current())
		for _, s := range sites {
			s.Country, s.Edited.Country = country, true
		}
		m.draw()
		return tea.Batch(m.p.touched(), undo, next()), true
	}
	return &dialog.Edit{Snug: true, Theme: m.p.Theme, Title: title, Form: f, OnSave: save, OnChange: change}
}
