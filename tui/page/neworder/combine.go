package neworder

import (
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/form"
)

// mergeGroup returns the sites that merge is about: those marked, or else the one
// selected and the next one of its type.
func (m *sitesStep) mergeGroup() []*ordering.Site {
	if marked := m.markedSites(); len(marked) > 1 {
		return marked
	}
	s := m.Current()
	for _, next := range m.listedSites()[m.Grid.Cursor()+1:] {
		if next.Type == s.Type && next.Geometry != nil && !next.Placed {
			return []*ordering.Site{s, next}
		}
	}
	return []*ordering.Site{s}
}

// mergeSites makes one site of several. Areas that do not touch are asked about.
func (m *sitesStep) mergeSites(*ordering.Site) tea.Cmd {
	sites := m.mergeGroup()
	merged, err := ordering.MergeShapes(sites)
	if errors.Is(err, ordering.ErrApart) {
		return m.askHull(sites, merged.Hull)
	}
	if err != nil {
		return page.ShowToast(theme.Attention, err.Error())
	}
	said := "merged"
	if merged.Gap > 1 {
		said = "bridged " + format.Length(merged.Gap) + " and merged"
	}
	return m.joinSites(sites, merged.Geometry, said)
}

// askHull asks whether areas that do not touch shall have one boundary round
// them.
func (m *sitesStep) askHull(sites []*ordering.Site, round orb.Polygon) tea.Cmd {
	if round == nil {
		return page.ShowToast(theme.Attention, "these areas share no edge and cannot be merged")
	}
	sum := 0.0
	for _, s := range sites {
		sum += s.Area
	}
	merge := func() tea.Cmd { return m.joinSites(sites, round, "merged") }
	return page.AskFirst(
		m.p.Env,
		"Merge "+format.Count(len(sites), "area"),
		"merge anyway",
		merge,
		"These areas share no edge, and a mission has only one boundary.",
		"One boundary around all encloses "+m.p.Units.Area(
			kmlcsv.AreaOf(round),
		)+"; separately they cover "+m.p.Units.Area(
			sum,
		)+".",
	)
}

// joinSites puts one site in the place of several.
func (m *sitesStep) joinSites(sites []*ordering.Site, g orb.Geometry, done string) tea.Cmd {
	one := m.p.draft.NewSiteFrom(sites, ordering.CommonName(sites), g)
	return m.replaceSites(sites, []*ordering.Site{one}, done)
}

// replaceSites puts sites in the place of others.
func (m *sitesStep) replaceSites(old, with []*ordering.Site, done string) tea.Cmd {
	return m.arrangeSites(page.UndoMsg{Text: done + " " + siteNames(old)}, func() *ordering.Site {
		m.marks.clearMarks()
		m.p.draft.ReplaceSites(old, with)
		return with[0]
	})
}

// splitSite makes a site of each point of an asset, and asks into how many parts a
// line is cut.
func (m *sitesStep) splitSite(s *ordering.Site) tea.Cmd {
	if s.Type == api.MissionLinear {
		return m.askParts(s)
	}
	return putParts(m, s, s.Points())
}

// putParts puts parts in the place of a site.
func putParts[G orb.Geometry](m *sitesStep, s *ordering.Site, parts []G) tea.Cmd {
	sites, old := make([]*ordering.Site, len(parts)), []*ordering.Site{s}
	for i, g := range parts {
		sites[i] = m.p.draft.NewSiteFrom(old, fmt.Sprintf("%s (%d)", s.Name, i+1), g)
		sites[i].In = s.In
	}
	return m.replaceSites(old, sites, "split")
}

// askParts asks into how many parts a line is cut.
func (m *sitesStep) askParts(s *ordering.Site) tea.Cmd {
	points := s.Points()
	field := &form.Field{
		ID: "parts", Label: "Parts", Kind: form.Number, Least: 2, Most: float64(len(points) - 1),
		Help: fmt.Sprintf("Parts of similar length, split at the line's %s points", groupDigits(len(points))),
	}
	fewest := max(2, (len(points)+api.MaxPoints-2)/(api.MaxPoints-1))
	return page.AskValue(m.p.Env, "Split "+s.Name, "", 20, field, fmt.Sprint(fewest), func(string) tea.Cmd {
		n, err := field.Number()
		if err != nil {
			field.Error = err.Error()
			return nil
		}
		return putParts(m, s, ordering.CutLine(points, int(n)))
	})
}

// mergeRefusal says why sites do not merge, "" where they do.
func mergeRefusal(sites []*ordering.Site) string {
	if len(sites) < 2 {
		return "no next site of this type; press V to mark the sites to merge"
	}
	for _, s := range sites {
		switch {
		case s.Geometry == nil:
			return s.Name + " has no usable coordinates"
		case s.Placed:
			return s.Name + " is already placed"
		case s.Type != sites[0].Type:
			return fmt.Sprintf("%s is %s, %s is %s; press t to change the type",
				sites[0].Name, sites[0].Type, s.Name, s.Type)
		}
	}
	return ""
}

// splitRefusal says why a site is not split, "" where it is.
func splitRefusal(s *ordering.Site) string {
	switch n := len(s.Points()); {
	case s.Geometry == nil:
		return "no usable coordinates"
	case s.Placed:
		return "already placed"
	case s.Type == api.MissionArea:
		return "an area cannot be split; press t to make it a line first"
	case s.Type == api.MissionAsset && n < 2:
		return "it has only one point"
	case s.Type == api.MissionLinear && n < 3:
		return "a line needs a point between its ends to split"
	}
	return ""
}

// siteNames lists sites, the first of many.
func siteNames(sites []*ordering.Site) string {
	switch names := sites[0].Name; len(sites) {
	case 1:
		return names
	case 2:
		return names + " and " + sites[1].Name
	default:
		return fmt.Sprintf("%s and %d more", names, len(sites)-1)
	}
}
