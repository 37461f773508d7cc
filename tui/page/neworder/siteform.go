package neworder

import (
	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/kmlcsv/places"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/widget"
)

// siteForm is the form of a new site, or of a site in the draft.
type siteForm struct {
	editor *siteEditor
	site   *ordering.Site // nil for a new site

	place   *widget.Field
	meaning *widget.Field // a note below the place, which describes the typed place
	name    *widget.Field
	label   *widget.Field // place name in the order; if empty, the name of the site is used
	country *widget.Field

	oldPlace         string            // text of the site's place when the form was opened
	typed            kmlcsv.TypedPlace // the typed place, once it is valid
	suggestedName    string
	suggestedCountry string
}

// openSiteForm opens the form of a site, or of a new site if s is nil. typedPlace is the initial text of the
// field Place; if it is "", the field shows the place of the site.
func (e *siteEditor) openSiteForm(s *ordering.Site, typedPlace string) tea.Cmd {
	form := e.newSiteForm(s)
	dialog := &widget.FormDialog{
		Title:    "Edit site",
		OnSave:   form.save,
		OnChange: form.update,
		Form: widget.NewForm(
			0, e.step.env.Clock.Now,
			form.place, form.meaning, form.name, form.label, form.country,
		),
	}
	if s == nil {
		dialog.Title = "New site"
		form.fillIn(&ordering.Site{}, typedPlace)
	} else {
		form.fillIn(s, typedPlace)
	}
	if id := form.firstFocus(typedPlace); id != "" {
		dialog.Form.FocusField(id)
	}
	e.step.env.Nav.Overlay(dialog)
	return nil
}

// newSiteForm returns the empty fields of a site, or of a new site if s is nil.
func (e *siteEditor) newSiteForm(s *ordering.Site) *siteForm {
	form := &siteForm{
		editor:  e,
		site:    s,
		place:   &widget.Field{Label: "Place", Help: "Coordinates, a map link or WKT"},
		meaning: &widget.Field{ID: "meaning", Kind: widget.NoteField},
		name:    &widget.Field{Label: "Site", Help: "Name of the site, and of its mission"},
		label:   &widget.Field{Label: "Label", Help: "Place name; defaults to the name of the site"},
		country: &widget.Field{Label: "Country", Help: "English name; suggested from the coordinates"},
	}
	form.place.Check = form.checkPlace
	form.name.Check = checkName
	form.label.Check = ordering.TooLong
	form.country.Check = checkCountry
	return form
}

// fillIn sets the fields to the values of a site. If typedPlace is not "", the field of the place contains typedPlace
// instead of the site's own place.
func (f *siteForm) fillIn(s *ordering.Site, typedPlace string) {
	f.oldPlace = s.PlaceText()
	f.place.Set(f.oldPlace)
	f.name.Set(s.Name)
	f.label.Set(s.Label)
	f.country.Set(s.Country)
	if typedPlace != "" {
		f.place.Set(typedPlace)
		f.readPlace()
		return
	}
	if points := len(s.Points()); points > 1 {
		f.meaning.Note = format.Count(points, "point") + "; a new place replaces them"
	}
}

// firstFocus returns the ID of the field that has the focus when the form is opened. If no place is known yet, it
// returns "", which focuses the field of the place.
func (f *siteForm) firstFocus(typedPlace string) string {
	hasPlace := f.site != nil && f.site.Geometry != nil
	if !hasPlace && typedPlace == "" {
		return ""
	}
	if hasPlace && f.site.Country == "" {
		return "country"
	}
	return "site"
}

// checkName returns why a name is not valid, or "".
func checkName(name string) string {
	if name == "" {
		return "name required"
	}
	return ordering.TooLong(name)
}

// checkCountry returns why a country is not valid, or "".
func checkCountry(typed string) string {
	if _, hint := ordering.CountryName(typed); hint != "" {
		return hint
	}
	return ordering.TooLong(typed)
}

// checkPlace returns why the typed place is not valid, or "". The text that the field had when the form was opened
// is always valid.
func (f *siteForm) checkPlace(string) string {
	if !f.hasNewPlace() || f.readPlace() {
		return ""
	}
	reason := f.meaning.Note
	f.meaning.Note = "" // the error of the field says the same
	return reason
}

// hasNewPlace reports whether the site is new, or the user typed another place for it.
func (f *siteForm) hasNewPlace() bool { return f.site == nil || f.place.Value() != f.oldPlace }

// update reads the typed place after a value has changed. It does not read the place while the user is typing the
// country, because reading the place can change the country.
func (f *siteForm) update(form *widget.Form) tea.Cmd {
	focused := form.Focused()
	if f.place.Value() != f.oldPlace && focused != f.country {
		f.readPlace()
	}
	focused.Error = ""
	if focused != f.place {
		focused.Error = ordering.TooLong(focused.Value())
	}
	return nil
}

// readPlace reads the typed place and describes it in the note below the field. It suggests a country, and for a
// new site a name, unless the user has typed them. It returns false if the place is not valid.
func (f *siteForm) readPlace() bool {
	typed, err := kmlcsv.ReadTyped(f.place.Value())
	if err != nil {
		f.meaning.Note = err.Error()
		return false
	}
	f.typed = typed
	suggested := places.SuggestPlace(typed.Geometries[0])
	f.meaning.Note = "→ " + describePlace(typed, suggested)
	if f.country.Value() == f.suggestedCountry {
		f.suggestedCountry = suggested.Country
		f.country.Set(f.suggestedCountry)
	}
	if f.site == nil && f.name.Value() == f.suggestedName {
		name := "Site"
		if suggested.City != "" {
			name = suggested.City
		}
		f.suggestedName = f.editor.step.draft.FreeName(name)
		f.name.Set(f.suggestedName)
	}
	return true
}

// describePlace describes a typed place: the coordinates of a point, or the number of points or sites, with the
// city and the country.
func describePlace(typed kmlcsv.TypedPlace, suggested places.Place) string {
	first := typed.Geometries[0]
	placemark := kmlcsv.Placemark{Geometry: first}
	text := format.Count(len(placemark.Points()), "point")
	if point, isPoint := first.(orb.Point); isPoint {
		text = coordinateOf(point)
	}
	if sites := len(typed.Geometries); sites > 1 {
		text = siteCount(sites)
	}
	if typed.Note != "" {
		text = typed.Note + ": " + text
	}
	return text + inBrackets(suggested.City, suggested.Country)
}

// save adds the new site to the draft, or changes the site in the draft.
func (f *siteForm) save() tea.Cmd {
	e := f.editor
	name := f.name.Value()
	label := f.label.Value()
	country, _ := ordering.CountryName(f.country.Value()) // checkCountry has shown the hint
	if f.site == nil {
		add := func() *ordering.Site { return e.step.draft.AddTyped(f.typed, name, label, country) }
		return tea.Batch(e.arrangeSites("added "+name, add), e.step.parent.goTo(ordering.StepSites))
	}
	return e.editSites("edited "+name, []*ordering.Site{f.site}, func(s *ordering.Site) {
		if name != s.Name || label != s.Label {
			s.Edited.Text = true
		}
		if country != s.Country {
			s.Edited.Country = true
		}
		s.Name = name
		s.Label = label
		s.Country = country
		if f.hasNewPlace() {
			s.MoveTo(f.typed.Geometries[0])
		}
	})
}

// openCountryForm asks for the country of several sites, and then calls next.
func (e *siteEditor) openCountryForm(title string, sites []*ordering.Site, next func() tea.Cmd) tea.Cmd {
	field := &widget.Field{
		Label: "Country",
		Help:  "English name or code, applied to " + siteCount(len(sites)),
		Check: func(typed string) string {
			if typed == "" {
				return "country required"
			}
			return checkCountry(typed)
		},
	}
	save := func(typed string) tea.Cmd {
		country, _ := ordering.CountryName(typed)
		done := "set country to " + country + " for " + siteCount(len(sites))
		cmd := e.editSites(done, sites, func(s *ordering.Site) {
			s.Country = country
			s.Edited.Country = true
		})
		return tea.Batch(cmd, next())
	}
	return e.step.env.PromptValue(title, "", api.MaxNameLength, field, sites[0].Country, save)
}
