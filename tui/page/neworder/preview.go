package neworder

import (
	"path/filepath"
	"strconv"
	"strings"

	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// renderPreview draws the first rows of the file below what their columns mean, or else the
// first sites, and counts the sites.
func (d *importDialog) renderPreview(w, h int) []string {
	state := d.renderState(w)
	state = state[:min(len(state), max(1, h-3))]
	d.fillTable(h - len(state))
	if d.table.Len() == 0 {
		return state
	}
	return append(format.SplitLines(d.table.View(d.s.Env.Look.Theme, w, d.table.Len()+1, false)), state...)
}

// renderState says which question is open, how many sites there are, or why there are none.
func (d *importDialog) renderState(w int) (lines []string) {
	add := func(role theme.Role, text string) {
		lines = append(lines, d.s.Env.Look.Theme.RaiseLines(role, w, text)...)
	}
	res, columns := d.read.Result, d.columns()
	question := d.openQuestion()
	switch {
	case d.asked.IsOpen():
		add(theme.Muted, "Reading…")
	case question != nil:
		add(theme.Attention, "? "+page.TextIf(question.Line > 0, "Row "+strconv.Itoa(question.Line)+": ")+format.Clean(question.Text))
	case d.err != nil && d.isTable() && !columns.HasLocation():
		add(theme.Bad, "! Select latitude and longitude, or a boundary")
	case d.err != nil:
		add(theme.Bad, "! "+strings.TrimPrefix(d.err.Error(), filepath.Base(d.read.Path)+": "))
	default:
		role, text := theme.Good, siteCount(len(res.Placemarks))
		if d.read.Pasted != "" {
			text += " pasted"
		}
		count, reason := d.read.LeftOut()
		if count != "" {
			role = theme.Attention
			text += "; " + count
		}
		if reason != "" {
			text += ": " + reason
		}
		add(role, text)
		p := &res.Placemarks[0]
		add(theme.Muted, "First: "+p.Name+", "+coordinateOf(p.Points()[0])+inBrackets(p.City, p.Country))
	}
	return lines
}
