package neworder

import (
	"path/filepath"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// View draws the current sites.
func (p *sitesStep) View(w, h int) string {
	p.updateRows()
	p.list.Map.Model.Cross = p.list.Map.Focused
	p.list.Map.Model.Focused = p.list.Map.Focused
	return p.list.View(w, h)
}

// renderSummary returns the line above the list: the files of the sites, the numbers of sites, and
// the size of the included sites. Parts that do not fit into the line are left out.
func (p *sitesStep) renderSummary(w int) []string {
	const minFilesWidth = 20
	th := p.env.Look.Theme
	totals := &p.counted
	files := format.Clean(p.draft.SiteOrigins(" · "))
	filesWidth := min(format.Width(files), minFilesWidth)
	parts := []string{
		page.TextIf(totals.troubled > 0, format.Count(totals.troubled, "warning")),
		page.TextIf(totals.duplicates > 0, format.Count(totals.duplicates, "duplicate")+" "+twiceMark),
		page.TextIf(totals.known > 0, groupDigits(totals.known)+" known "+knownMark),
	}
	parts = append(parts, totals.measures...)
	counts := siteCount(len(p.draft.Sites)) + ", " + groupDigits(totals.included) + " included"
	for _, part := range parts {
		hasRoom := format.Width(counts)+format.Width(part)+filesWidth+6 <= w
		if part != "" && hasRoom {
			counts += " · " + part
		}
	}
	return []string{format.FitEnds(" "+th.PaintMuted(files), th.PaintText(counts)+" ", w)}
}

// maxFoot is the maximum number of lines below the list.
const maxFoot = 6

// renderFoot returns the lines below the list: the number of marked sites, the remarks on the selected site or, if
// there are none, on the draft, and the key for the next step. If there is room, a description of the selected site
// comes first.
func (p *sitesStep) renderFoot(w int) []string {
	t := textLines{Theme: p.env.Look.Theme, w: w}
	if len(p.marks.ids) > 0 {
		text := p.describeMarks()
		backKey := action.KeyOf(action.Back, action.Everywhere)
		t.add(" " + t.PaintRole(theme.Accent, text) + t.PaintMuted(" · ") + t.PaintHint(backKey, "unmark"))
	}
	for _, remark := range p.currentRemarks() {
		t.addNote(remark.role, "   "+remark.mark+" ", remark.text)
	}
	t.lines = t.lines[:min(len(t.lines), maxFoot)]
	if p.env.Look.Height >= minStepWindow {
		p.addNextStep(&t)
	}
	about := p.renderSite(w)
	room := p.env.Look.Height - chromeHeight - len(p.draft.Sites) - len(t.lines)
	if room > len(about) {
		return append(about, t.lines...)
	}
	return t.lines
}

const (
	minStepWindow = 24 // least height of a window, in lines, that shows the key for the next step below the list
	chromeHeight  = 10 // lines of the window without the rows and the foot of the list, plus a blank line
)

// addNextStep adds the key for the next step, and the number of included sites. It adds nothing if no site is included.
func (p *sitesStep) addNextStep(t *textLines) {
	if p.counted.included == 0 {
		return
	}
	nextKey := action.KeyOf(action.NextStep, action.NewOrderSites)
	step := t.renderStep(nextKey, "Next: "+stepTitles[ordering.StepDetails])
	t.add(step + t.PaintMuted("  with "+siteCount(p.counted.included)))
}

// renderSite returns a description of the selected site for the free space below a short list: its label, its place,
// its position, the number of its points, and its file.
func (p *sitesStep) renderSite(w int) []string {
	s := p.list.Current()
	th := p.env.Look.Theme
	if s == nil || th.Linear {
		return nil
	}
	var facts []widget.Fact
	addFact := func(label, value string) {
		if value != "" {
			facts = append(facts, widget.Text(label, value))
		}
	}
	addFact("Label", s.Label)
	addFact("Place", strings.Trim(s.City+", "+s.Country, ", "))
	if s.Geometry != nil {
		addFact("Position", coordinateOf(s.Geometry.Bound().Center()))
	}
	if points := len(s.Points()); points > 1 {
		addFact("Points", groupDigits(points))
	}
	if s.File != "" {
		addFact("File", filepath.Base(s.File))
	}
	title := " " + th.PaintTitle(format.CutLine(format.Clean(s.Name), w-2))
	lines := []string{th.Rule.Render(strings.Repeat("─", w)), title}
	lines = append(lines, widget.WrapFacts(th, summaryLabel, w, facts...)...)
	return append(lines, "")
}

// describeMarks returns the number of marked sites. If some of them are hidden by the filter or placed, it also says
// how many, because actions do not change these sites. While a range is open, it adds the key that ends the range.
func (p *sitesStep) describeMarks() string {
	marked := len(p.marks.ids)
	text := "• " + groupDigits(marked) + " marked"
	unaffected := marked - len(p.markedSites())
	if unaffected > 0 {
		text += ", " + groupDigits(unaffected) + " of them not affected (hidden or placed)"
	}
	if p.marks.isRangeOpen() {
		text += " · move to extend, " + action.KeyOf(action.MarkRange, action.NewOrderSites) + " to end"
	}
	return text
}

// currentRemarks returns the remarks on the selected site. If there are none, it returns the remarks
// on the draft.
func (p *sitesStep) currentRemarks() []siteRemark {
	if s := p.list.Current(); s != nil {
		if remarks := siteRemarks(s); len(remarks) > 0 {
			return remarks
		}
	}
	return p.counted.remarks
}

// minLegendHeight is the least height, in lines, of a map that has a legend below it.
const minLegendHeight = 12

// The marks of areas and lines in the legend of the map. Areas and lines are drawn as outlines, or as dots if they
// are too small on the map.
const (
	shapeDot     = "●"
	shapeOutline = "⠒⠢"
)

// mapLegend returns the marks on the map of the draft, and their meanings. cluster is a mark of several sites on the
// map, or "". shape is the mark of areas and lines.
func mapLegend(d *ordering.Draft, cluster, shape string) []siteRemark {
	hasShape := false
	hasAsset := false
	hasExcluded := false
	for _, s := range d.Sites {
		if s.ShapeOf() == nil {
			continue
		}
		if s.Type == api.MissionAsset {
			hasAsset = true
		} else {
			hasShape = true
		}
		hasExcluded = hasExcluded || !s.In
	}
	var legend []siteRemark
	if hasShape {
		legend = append(legend, siteRemark{theme.Accent, shape, "area or line"})
	}
	if hasAsset {
		legend = append(legend, siteRemark{theme.Accent, "◦", "asset"})
	}
	if cluster != "" {
		legend = append(legend, siteRemark{theme.Accent, cluster, "several sites"})
	}
	if hasExcluded {
		legend = append(legend, siteRemark{theme.Muted, shape, "excluded"})
	}
	return legend
}

// renderMap draws the map of the sites, with a legend if there is room for it.
func (p *sitesStep) renderMap(w, h int) string {
	if h < minLegendHeight {
		return p.list.DrawMap(1, 0, w, h)
	}
	th := p.env.Look.Theme
	drawn := p.list.DrawMap(1, 0, w, h-1) // also decides which sites share a mark
	shape := shapeOutline
	if strings.Contains(drawn, shapeDot) {
		shape = shapeDot
	}
	legend := ""
	for _, entry := range mapLegend(p.draft, p.list.Map.Model.Cluster(), shape) {
		text := " " + th.PaintRole(entry.role, entry.mark) + th.PaintMuted(" "+entry.text+" ")
		if format.Width(legend+text) <= w {
			legend += text
		}
	}
	return drawn + "\n" + format.FitLeft(legend, w)
}

// siteRemark is a line with a mark, about a site, the draft or the map.
type siteRemark struct {
	role       theme.Role // color of the mark
	mark, text string
}

// siteRemarks returns remarks on a site: the order that it was placed in, duplicates, warnings,
// faults, and the suggested fix.
func siteRemarks(s *ordering.Site) []siteRemark {
	var remarks []siteRemark
	if s.Placed {
		remarks = append(remarks, siteRemark{theme.Good, "●", "placed in " + s.Order})
	}
	if s.Duplicate != "" {
		remarks = append(remarks, siteRemark{theme.Attention, duplicateMark(s), s.Duplicate})
	}
	for _, warning := range s.Warnings {
		remarks = append(remarks, siteRemark{theme.Attention, "!", warning})
	}
	if s.In && !s.Placed {
		for _, fault := range s.FindFaults() {
			hint := page.TextIf(fault.ByText, editAdvice())
			remarks = append(remarks, siteRemark{theme.Bad, "!", "Site " + fault.Message + hint})
		}
	}
	if s.Fixed != nil {
		fixKey := action.KeyOf(action.FixSite, action.NewOrderSites)
		remarks = append(remarks, siteRemark{theme.Accent, fixKey, describeFix(s)})
	}
	return remarks
}

// describeFix returns what the suggested fix of a site does. If the fix moves the site, the text also
// has the new coordinate, with its city and country.
func describeFix(s *ordering.Site) string {
	text := s.Fix
	if text == "" {
		text = "swaps latitude and longitude"
	}
	points := s.Fixed.Points()
	// A fix either moves the site, or removes points from a shape that has too many. A shape with removed points
	// still has about as many points as a mission may have.
	hasFewerPoints := len(points) >= api.MaxPoints/2
	if hasFewerPoints {
		return text
	}
	return text + ", to " + coordinateOf(points[0]) + inBrackets(s.Fixed.City, s.Fixed.Country)
}

// draftRemarks returns remarks about the whole draft: the text in split, which says into which orders the draft is
// split, and the warnings about the draft's files. split is "" for a single order.
func draftRemarks(d *ordering.Draft, split string) []siteRemark {
	var remarks []siteRemark
	if split != "" {
		remarks = append(remarks, siteRemark{theme.Attention, "·", split})
	}
	for _, file := range d.Files {
		for _, note := range file.Notes {
			remarks = append(remarks, siteRemark{theme.Muted, "·", file.Name() + ": " + note})
		}
	}
	return remarks
}

func coordinateOf(p orb.Point) string { return format.Coordinate(p.Lat(), p.Lon()) }

// inBrackets returns a city and a country as " (Stade, Germany)". Either can be ""; if both are, it
// returns "".
func inBrackets(city, country string) string {
	place := strings.Trim(city+", "+country, ", ")
	if place == "" {
		return ""
	}
	return " (" + place + ")"
}
