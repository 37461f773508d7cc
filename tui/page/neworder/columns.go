package neworder

import (
	"strconv"

	"flightdesk/tui/app/ordering"

	tea "charm.land/bubbletea/v2"

	"flightdesk/kmlcsv"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// chosenColumn is a column that can be chosen by hand.
type chosenColumn struct {
	id, label, help string
	of              func(*kmlcsv.Columns) *int
}

var csvColumns = []chosenColumn{
	{"latitude", "Latitude", "Degrees north", func(c *kmlcsv.Columns) *int { return &c.Latitude }},
	{"longitude", "Longitude", "Degrees east", func(c *kmlcsv.Columns) *int { return &c.Longitude }},
	{"geometry", "Boundary", "WKT, GeoJSON or coordinate pairs; replaces latitude and longitude", func(c *kmlcsv.Columns) *int { return &c.Geometry }},
	{"label", "Name", "Name of the site", func(c *kmlcsv.Columns) *int { return &c.Label }},
	{"country", "Country", "Suggested if empty", func(c *kmlcsv.Columns) *int { return &c.Country }},
	{"city", "City", "Suggested if empty", func(c *kmlcsv.Columns) *int { return &c.City }},
}

// columnDialog returns the dialog that chooses a CSV's columns and reads it anew.
func (s *filesStep) columnDialog(file *ordering.File) page.Dialog {
	current := kmlcsv.EmptyColumns()
	if file.Columns != nil {
		current = *file.Columns
	}
	fields := make([]*form.Field, len(csvColumns))
	for i, c := range csvColumns {
		fields[i] = &form.Field{ID: c.id, Label: c.label, Kind: form.Choice, Options: headerOptions(file.Header, c.help)}
	}
	f := form.New(0, s.p.Now, fields...)
	for _, c := range csvColumns {
		f.Field(c.id).Set(strconv.Itoa(*c.of(&current)))
	}
	read := func(f *form.Form) (tea.Cmd, bool) {
		chosen := current
		for _, c := range csvColumns {
			n, err := strconv.Atoi(f.Field(c.id).Value())
			if err != nil {
				n = -1
			}
			*c.of(&chosen) = n
		}
		if chosen.Geometry < 0 && (chosen.Latitude < 0 || chosen.Longitude < 0) {
			return rejectField(f, f.Focused().ID, "select latitude and longitude, or a boundary")
		}
		opts := kmlcsv.Options{Format: kmlcsv.FormatCSV, Columns: &chosen, SwapLatLng: file.Swapped}
		return s.readFiles(true, opts, file.Path), true
	}
	return &dialog.FormDialog{Theme: s.p.Theme, Title: "CSV columns: " + file.Name(), Form: f, OnSave: read}
}

func headerOptions(header []string, help string) []form.Option {
	options := []form.Option{{Value: "-1", Label: "–", Help: "Not used", Quiet: true}}
	for i, name := range header {
		label := layout.CutLine(layout.Clean(name), 20)
		options = append(options, form.Option{Value: strconv.Itoa(i), Label: label, Help: help, Quiet: true})
	}
	return options
}
