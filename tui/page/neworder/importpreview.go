package neworder

import (
	"path/filepath"
	"strconv"
	"strings"

	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// renderPreview returns at most h lines: the table with the first rows of the file, and the state
// of reading the file below the table.
func (d *importDialog) renderPreview(w, h int) []string {
	role, text := d.describeState()
	th := d.importer.env.Look.Theme
	state := th.RaiseLines(role, w, text)
	if first := d.describeFirst(); first != "" {
		state = append(state, th.RaiseLines(theme.Muted, w, first)...)
	}
	state = state[:min(len(state), max(1, h-3))]
	d.fillTable(h - len(state))
	if d.table.Len() == 0 {
		return state
	}
	table := d.table.View(th, w, d.table.Len()+1, false)
	return append(format.SplitLines(table), state...)
}

// describeState returns the open question, the number of sites in the file, or why it has no sites.
func (d *importDialog) describeState() (theme.Role, string) {
	if d.reading.IsRunning() {
		return theme.Muted, "Reading…"
	}
	if question := d.openQuestion(); question != nil {
		row := page.TextIf(question.Line > 0, "Row "+strconv.Itoa(question.Line)+": ")
		return theme.Attention, "? " + row + format.Clean(question.Text)
	}
	columns := d.columns()
	if d.err != nil && d.isTable() && !columns.HasLocation() {
		return theme.Bad, "! Select latitude and longitude, or a boundary"
	}
	if d.err != nil {
		return theme.Bad, "! " + strings.TrimPrefix(d.err.Error(), filepath.Base(d.read.Path)+": ")
	}
	return d.describeSites()
}

// describeSites returns the number of sites in the file, and how much of the file was left out.
func (d *importDialog) describeSites() (theme.Role, string) {
	role := theme.Good
	text := siteCount(len(d.read.Result.Placemarks))
	if d.read.Pasted != "" {
		text += " pasted"
	}
	leftOut, reason := d.read.LeftOut()
	if leftOut != "" {
		role = theme.Attention
		text += "; " + leftOut
	}
	if reason != "" {
		text += ": " + reason
	}
	return role, text
}

// describeFirst returns the name and the place of the first site, or "" if no sites were read.
func (d *importDialog) describeFirst() string {
	if d.reading.IsRunning() || d.openQuestion() != nil || d.err != nil {
		return ""
	}
	site := &d.read.Result.Placemarks[0]
	return "First: " + site.Name + ", " + coordinateOf(site.Points()[0]) + inBrackets(site.City, site.Country)
}
