package neworder

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/kmlcsv/shape"
	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// mergeGroup returns the sites to merge: the marked sites, or the selected site and the next site of
// the list.
func (e *siteEditor) mergeGroup() []*ordering.Site {
	if marked := e.step.markedSites(); len(marked) > 1 {
		return marked
	}
	listed := e.step.listedSites()
	selected := e.step.list.Grid.Cursor()
	return listed[selected:min(selected+2, len(listed))]
}

// farApart is the distance between sites, in metres, above which merging asks for confirmation.
const farApart = 2000

// mergeSites merges the sites of [siteEditor.mergeGroup] into one site. It asks for confirmation if
// areas do not touch or if the sites are more than [farApart] apart.
func (e *siteEditor) mergeSites(*ordering.Site) tea.Cmd {
	sites := e.mergeGroup()
	merged := ordering.MergeShapes(sites)
	if merged.Geometry == nil {
		return e.confirmHull(sites, merged.Hull)
	}
	done := "merged"
	if merged.Gap > 1 {
		done = "bridged " + format.Length(merged.Gap) + " and merged"
	}
	merge := func() tea.Cmd { return e.joinSites(sites, merged.Geometry, done) }
	gap := ordering.LargestGap(sites)
	if gap <= farApart {
		return merge()
	}
	return e.step.env.Confirm(
		"Merge "+siteNames(sites),
		"merge anyway",
		merge,
		gapText(sites, gap),
		"A mission is flown as one site.",
	)
}

// gapText returns a sentence that tells the user how far sites are apart. gap is the result of [ordering.LargestGap]
// for the sites, in metres.
func gapText(sites []*ordering.Site, gap float64) string {
	if len(sites) == 2 && sites[0].Type == api.MissionAsset {
		return "They are " + format.Length(gap) + " apart."
	}
	if len(sites) == 2 {
		return "Their nearest corners are " + format.Length(gap) + " apart."
	}
	return "One of them is " + format.Length(gap) + " from the others."
}

// confirmHull asks for confirmation to replace areas that do not touch by their hull. If hull is nil,
// it shows that the areas cannot be merged.
func (e *siteEditor) confirmHull(sites []*ordering.Site, hull orb.Polygon) tea.Cmd {
	if hull == nil {
		return page.ShowToast(theme.Attention, "these areas do not join into one and cannot be merged")
	}
	sum := 0.0
	for _, s := range sites {
		sum += s.Area
	}
	units := e.step.env.Look.Units
	merge := func() tea.Cmd { return e.joinSites(sites, hull, "merged") }
	return e.step.env.Confirm(
		"Merge "+siteNames(sites),
		"merge anyway",
		merge,
		gapText(sites, ordering.LargestGap(sites)),
		"These areas do not join into one, and a mission has only one boundary.",
		"One boundary around all encloses "+units.Area(kmlcsv.AreaOf(hull))+
			"; separately they cover "+units.Area(sum)+".",
	)
}

// joinSites replaces the sites by one site with the shape g. done describes the change in the message to the user,
// such as "merged".
func (e *siteEditor) joinSites(sites []*ordering.Site, g orb.Geometry, done string) tea.Cmd {
	joined := e.step.draft.NewSiteFrom(sites, ordering.CommonName(sites), g)
	return e.replaceSites(sites, []*ordering.Site{joined}, done)
}

// splitSite splits a site. The parts depend on the type of the site's mission:
//   - An asset becomes one site per point.
//   - A line becomes parts of similar length. A dialog asks for their number.
//   - An area becomes parts of limited size. A dialog asks for the largest area of a part.
func (e *siteEditor) splitSite(s *ordering.Site) tea.Cmd {
	switch s.Type {
	case api.MissionLinear:
		return e.openPartsForm(s)
	case api.MissionArea:
		return e.openShapeDialog(shape.SplitKind)
	}
	return replaceByParts(e, s, s.Points())
}

// replaceByParts replaces a site by a site for each of the geometries in parts.
func replaceByParts[G orb.Geometry](e *siteEditor, s *ordering.Site, parts []G) tea.Cmd {
	old := []*ordering.Site{s}
	sites := make([]*ordering.Site, len(parts))
	for i, g := range parts {
		sites[i] = e.step.draft.NewSiteFrom(old, fmt.Sprintf("%s (%d)", s.Name, i+1), g)
		sites[i].In = s.In
	}
	return e.replaceSites(old, sites, "split")
}

// openPartsForm opens the dialog for the number of parts that a line is split into. It proposes a number at which
// no part has too many points for a mission, if the points are evenly spaced.
func (e *siteEditor) openPartsForm(s *ordering.Site) tea.Cmd {
	points := s.Points()
	field := &widget.Field{
		Label: "Parts",
		Kind:  widget.NumberField,
		Least: 2,
		Most:  float64(len(points) - 1),
		Help:  fmt.Sprintf("Parts of similar length, split at the line's %s points", groupDigits(len(points))),
	}
	split := func(string) tea.Cmd {
		parts, err := field.Number()
		if err != nil {
			field.Error = err.Error()
			return nil
		}
		return replaceByParts(e, s, ordering.CutLine(points, int(parts)))
	}
	sides := len(points) - 1
	const maxSides = api.MaxPoints - 1 // of a mission
	proposed := max(2, sides/maxSides+1)
	return e.step.env.PromptValue("Split "+s.Name, "", 20, field, fmt.Sprint(proposed), split)
}

// typeNames has the type of a mission with its article, for use in a sentence.
var typeNames = map[api.MissionType]string{
	api.MissionArea: "an area", api.MissionLinear: "a line", api.MissionAsset: "an asset",
}

// mergeReason returns why the sites of [siteEditor.mergeGroup] cannot be merged. It returns "" if they can.
func (e *siteEditor) mergeReason(*ordering.Site) string {
	sites := e.mergeGroup()
	if len(sites) < 2 {
		return "no next row; press " + action.KeyOf(action.MarkRange, action.NewOrderSites) + " to mark the sites to merge"
	}
	first := sites[0]
	for _, s := range sites {
		if s.Geometry == nil {
			return s.Name + " has no usable coordinates"
		}
		if s.Placed {
			return s.Name + " is already placed"
		}
		if s.Type != first.Type {
			return fmt.Sprintf("%s is %s, %s is %s; press %s to change the type",
				first.Name, typeNames[first.Type], s.Name, typeNames[s.Type],
				action.KeyOf(action.CycleType, action.NewOrderSites))
		}
	}
	return ""
}

// splitReason returns why a site cannot be split, or "".
func splitReason(s *ordering.Site) string {
	if s.Geometry == nil {
		return "no usable coordinates"
	}
	if s.Placed {
		return placedReason(s)
	}
	points := len(s.Points())
	if s.Type == api.MissionAsset && points < 2 {
		return "it has only one point"
	}
	if s.Type == api.MissionLinear && points < 3 {
		return "a line needs a point between its ends to split"
	}
	return ""
}
