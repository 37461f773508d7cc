package neworder

import (
	"cmp"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// View draws the list page, with the sites as they are.
func (m *sitesStep) View(w, h int) string {
	m.settleSites()
	m.Map.Model.Cross = m.Map.Focused
	return m.List.View(w, h)
}

// renderSummary counts what was found and what is in, and sums it up.
func (m *sitesStep) renderSummary(w int) []string {
	d, th, sum := m.draft, m.Env.Look.Theme, &m.sum
	files := format.Clean(d.SiteOrigins(" · "))
	counts := siteCount(len(d.Sites)) + ", " + groupDigits(sum.in) + " included"
	parts := append([]string{
		page.TextIf(sum.troubled > 0, format.Count(sum.troubled, "warning")),
		page.TextIf(sum.doubled > 0, format.Count(sum.doubled, "duplicate")+" "+doubledMark),
		page.TextIf(sum.known > 0, groupDigits(sum.known)+" known "+knownMark),
	}, sum.measures...)
	for _, part := range parts {
		if part != "" && format.Width(counts)+format.Width(part)+min(format.Width(files), 20)+6 <= w {
			counts += " · " + part
		}
	}
	return []string{format.FitEnds(" "+th.PaintMuted(files), th.PaintText(counts)+" ", w)}
}

// renderFoot says how many sites are marked, and what is the matter with the selected
// one, or else with the draft.
func (m *sitesStep) renderFoot(w int) []string {
	t := textLines{Theme: m.Env.Look.Theme, w: w}
	if n := len(m.marks.ids); n > 0 {
		text := "• " + groupDigits(n) + " marked"
		if hidden := n - len(m.markedSites()); hidden > 0 {
			text += ", " + groupDigits(hidden) + " of them not affected (hidden or placed)"
		}
		if m.marks.from != 0 {
			text += " · move to extend, V to end"
		}
		t.add(" " + t.PaintRole(theme.Accent, text) + t.PaintMuted(" · ") + t.PaintHint("esc", "unmark"))
	}
	all := m.sum.remarks
	if s := m.Current(); s != nil {
		if of := siteRemarks(s); len(of) > 0 {
			all = of
		}
	}
	for _, r := range all {
		t.note(r.role, "   "+r.mark+" ", r.text)
	}
	return t.lines[:min(len(t.lines), 6)]
}

// leastLegend is the height from which on a line of the map says what is on it.
const leastLegend = 12

// renderMap draws the map, with what its marks stand for below it.
func (m *sitesStep) renderMap(w, h int) string {
	if h < leastLegend {
		return m.DrawMap(1, 0, w, h)
	}
	legend := ""
	for _, part := range []siteRemark{
		{theme.Accent, "●", "area or line"},
		{theme.Accent, "◦", "asset"},
		{theme.Accent, "■2", "several sites"},
		{theme.Muted, "●", "excluded"},
	} {
		legend += " " + m.Env.Look.Theme.PaintRole(part.role, part.mark) + m.Env.Look.Theme.PaintMuted(" "+part.text+" ")
	}
	return m.DrawMap(1, 0, w, h-1) + "\n" + format.FitLeft(legend, w)
}

// siteRemark is something to know of a site, or of the draft.
type siteRemark struct {
	role       theme.Role
	mark, text string
}

// siteRemarks returns what there is to know of a site, and what its fix does.
func siteRemarks(s *ordering.Site) (all []siteRemark) {
	add := func(role theme.Role, mark, text string) { all = append(all, siteRemark{role, mark, text}) }
	if s.Placed {
		add(theme.Good, "●", "placed in "+s.Order)
	}
	if s.Duplicate != "" {
		add(theme.Attention, duplicateMark(s), s.Duplicate)
	}
	for _, warning := range s.Warnings {
		add(theme.Attention, "!", warning)
	}
	if s.In && !s.Placed {
		for _, fault := range s.FindFaults() {
			add(theme.Bad, "!", "Site "+fault.Message+remedyOf(fault))
		}
	}
	if s.Fixed != nil {
		points := s.Fixed.Points()
		does := cmp.Or(s.Fix, "swaps latitude and longitude")
		if len(points) < api.MaxPoints/2 { // it is where it was, else
			does += ", to " + coordinateOf(points[0]) + inBrackets(s.Fixed.City, s.Fixed.Country)
		}
		add(theme.Accent, "f", does)
	}
	return all
}

// draftRemarks returns what there is to know of the draft as a whole.
func draftRemarks(d *ordering.Draft, split string) (all []siteRemark) {
	if split != "" {
		all = append(all, siteRemark{theme.Attention, "·", split})
	}
	for _, file := range d.Files {
		for _, note := range file.Notes {
			all = append(all, siteRemark{theme.Muted, "·", file.Name() + ": " + note})
		}
	}
	return all
}

func coordinateOf(p orb.Point) string { return format.Coordinate(p.Lat(), p.Lon()) }

// inBrackets writes city and country in brackets, as far as they are known.
func inBrackets(city, country string) string {
	if both := strings.Trim(city+", "+country, ", "); both != "" {
		return " (" + both + ")"
	}
	return ""
}
