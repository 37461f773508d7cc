package neworder

import (
	"cmp"
	"strings"
	"time"

	"flightdesk/tui/app/ordering"

	"flightdesk/api"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

func (m *sitesStep) renderStep(w, h int) string {
	m.settleSites()
	m.Map.SetCross(m.Map.Focused)
	return m.DrawApart(besideMap, w*55/100+1, w, h)
}

// renderTable draws the sites below what is counted of them, over what is the matter
// with the selected one.
func (m *sitesStep) renderTable(w, h int) string {
	m.list.Grid.Margin = 0
	if m.Apart {
		m.list.Grid.Margin = 1
	}
	var foot []string
	if line := m.marksLine(); line != "" {
		foot = []string{line}
	}
	panel := m.renderPanel(w)
	panel = panel[:min(len(panel), max(0, h-4))]
	box := layout.FitBox([]string{m.renderSummary(w)}, w, 1) + "\n" +
		m.list.View(w, max(0, h-1-len(panel)), !m.Map.Focused, foot...)
	if len(panel) > 0 {
		box += "\n" + layout.FitBox(panel, w, len(panel))
	}
	return box
}

// leastLegend is the height from which on a line of the map says what is on it.
const leastLegend = 12

// renderMap draws the map, with what its marks stand for below it.
func (m *sitesStep) renderMap(w, h int) string {
	legend := m.renderLegend(w)
	if h < leastLegend || legend == "" {
		return m.DrawMap(1, 0, w, h)
	}
	return m.DrawMap(1, 0, w, h-1) + "\n" + layout.FitLeft(legend, w)
}

// renderLegend says what the marks of the sites stand for, of those that there are, as
// far as w cells have room.
func (m *sitesStep) renderLegend(w int) string {
	th := m.p.Theme
	parts := ""
	add := func(role theme.Role, mark, text string) {
		part := " " + th.PaintRole(role, mark) + th.PaintMuted(" "+text+" ")
		if layout.Width(parts)+layout.Width(part) <= w {
			parts += part
		}
	}
	if m.sum.shapes > 0 {
		add(theme.Accent, "●", "area or line")
	}
	if m.sum.shapes < len(m.p.draft.Sites) {
		add(theme.Accent, "◦", "asset")
	}
	if len(m.p.draft.Sites) > 1 {
		add(theme.Accent, "●2", "several sites")
	}
	if m.sum.in < len(m.p.draft.Sites) {
		add(theme.Muted, "●", "excluded")
	}
	return parts
}

// renderSummary counts what was found and what is in, and sums it up as far as there
// is room.
func (m *sitesStep) renderSummary(w int) string {
	d, th := m.p.draft, m.p.Theme
	counts := format.Count(len(d.Sites), "site", "sites") + ", " + groupDigits(m.sum.in) + " included"
	var parts []string
	add := func(n int, text string) {
		if n > 0 {
			parts = append(parts, text)
		}
	}
	add(m.sum.troubled, format.Count(m.sum.troubled, "warning", "warnings"))
	add(m.sum.doubled, groupDigits(m.sum.doubled)+" double "+doubledMark)
	add(m.sum.known, groupDigits(m.sum.known)+" known "+knownMark)
	parts = append(parts, m.sum.measures...)
	files := layout.Clean(d.SiteOrigins(" · "))
	for _, part := range parts {
		if layout.Width(counts)+layout.Width(part)+min(layout.Width(files), 20)+6 <= w {
			counts += " · " + part
		}
	}
	return layout.FitEnds(" "+th.PaintMuted(files), th.PaintText(counts)+" ", w)
}

// sizeTexts returns the draft's area, length and points, as far as it has any.
func sizeTexts(d *ordering.Draft) []string {
	area, length, points := d.SumSizes()
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

// siteRemark is something to know of a site, or of the draft.
type siteRemark struct {
	role theme.Role
	mark string
	text string
}

// siteRemarks returns what there is to know of a site, and what its fix does.
func siteRemarks(s *ordering.Site) []siteRemark {
	var all []siteRemark
	if s.Placed {
		all = append(all, siteRemark{theme.Good, "●", "placed in " + s.Order})
	}
	if s.Duplicate != "" {
		mark := knownMark
		if s.Doubled {
			mark = doubledMark
		}
		all = append(all, siteRemark{theme.Attention, mark, s.Duplicate})
	}
	for _, warning := range s.Warnings {
		all = append(all, siteRemark{theme.Attention, "!", warning})
	}
	if s.In && !s.Placed {
		for _, fault := range s.FindFaults() {
			all = append(all, siteRemark{theme.Bad, "!", "Site " + fault.Message + remedies[fault.Remedy]})
		}
	}
	if s.Fixed != nil {
		p := s.Fixed.Points()[0]
		does := cmp.Or(s.Fix, "swaps latitude and longitude")
		if len(s.Fixed.Points()) < api.MaxPoints/2 { // it is where it was, else
			does += ", to " + format.Coordinate(p.Lat(), p.Lon()) + inBrackets(s.Fixed.City, s.Fixed.Country)
		}
		all = append(all, siteRemark{theme.Accent, "f", does})
	}
	return all
}

// draftRemarks returns what there is to know of the draft as a whole.
func draftRemarks(d *ordering.Draft, now time.Time) []siteRemark {
	var all []siteRemark
	if note := d.SplitNote(now); note != "" {
		all = append(all, siteRemark{theme.Attention, "·", note})
	}
	for _, file := range d.Files {
		for _, note := range file.Notes {
			all = append(all, siteRemark{theme.Muted, "·", file.Name() + ": " + note})
		}
	}
	return all
}

// renderPanel says what is the matter with the selected site, or else with the draft.
func (m *sitesStep) renderPanel(w int) []string {
	var all []siteRemark
	if s := m.currentSite(); s != nil {
		all = siteRemarks(s)
	}
	if len(all) == 0 {
		all = m.sum.remarks
	}
	t := textLines{Theme: m.p.Theme, w: w}
	for _, r := range all {
		t.note(r.role, "   "+r.mark+" ", r.text)
	}
	return t.lines[:min(len(t.lines), 6)]
}

// inBrackets writes city and country in brackets, as far as they are known.
func inBrackets(city, country string) string {
	both := strings.Trim(city+", "+country, ", ")
	if both == "" {
		return ""
	}
	return " (" + both + ")"
}
