package neworder

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// group are the sites that merge is about: those marked, or else the one
// selected and the next one of its type.
func (m *missions) group() []*Site {
	if marked := m.markedSites(); len(marked) > 1 {
		return marked
	}
	s := m.current()
	if s == nil {
		return nil
	}
	for _, next := range m.p.draft.Sites[m.table.Cursor()+1:] {
		if next.Type == s.Type && next.Geometry != nil && !next.Placed {
			return []*Site{s, next}
		}
	}
	return []*Site{s}
}

// apart says why sites do not merge, "" where they do.
func apart(sites []*Site) string {
	if len(sites) < 2 {
		return "no site of its type follows; V marks those to merge"
	}
	for _, s := range sites {
		switch {
		case s.Geometry == nil:
			return s.Name + " has no place"
		case s.Placed:
			return s.Name + " is placed already"
		case s.Type != sites[0].Type:
			return fmt.Sprintf("%s is of the type %s, %s of %s; t makes them one", sites[0].Name, sites[0].Type, s.Name, s.Type)
		}
	}
	return ""
}

// merge makes one site of several: points are one asset, lines go on at their
// nearest ends, areas that share edges have one boundary. Areas that do not are
// asked about.
func (m *missions) merge(sites []*Site) tea.Cmd {
	switch sites[0].Type {
	case api.MissionArea:
		areas := make([]orb.Polygon, 0, len(sites))
		var points []orb.Point
		for _, s := range sites {
			area, ok := s.shape().(orb.Polygon)
			if !ok {
				return page.Toast(theme.Attention, s.Name+" has no boundary")
			}
			areas, points = append(areas, area), append(points, area[0]...)
		}
		if one, ok := joinAreas(areas); ok {
			return m.replace(sites, []*Site{m.p.draft.made(sites, commonName(sites), one)}, "merged")
		}
		return m.askHull(sites, hull(points))
	case api.MissionLinear:
		lines := make([]orb.LineString, 0, len(sites))
		for _, s := range sites {
			lines = append(lines, orb.LineString(s.Points()))
		}
		line, gap := joinLines(lines)
		said := "merged"
		if gap > 1 {
			said = fmt.Sprintf("bridged %s and merged", format.Length(gap))
		}
		return m.replace(sites, []*Site{m.p.draft.made(sites, commonName(sites), line)}, said)
	default:
		var points orb.MultiPoint
		for _, s := range sites {
			points = append(points, s.Points()...)
		}
		return m.replace(sites, []*Site{m.p.draft.made(sites, commonName(sites), points)}, "merged")
	}
}

// askHull asks whether areas that do not touch shall have one boundary round
// them.
func (m *missions) askHull(sites []*Site, round orb.Polygon) tea.Cmd {
	if round == nil {
		return page.Toast(theme.Attention, "these areas share no edge, and enclose nothing together")
	}
	sum := 0.0
	for _, s := range sites {
		sum += s.area
	}
	m.p.Overlay(&dialog.Question{
		Theme: m.p.Theme, Title: "Merge " + format.Count(len(sites), "area", "areas"),
		Lines: []string{
			"They share no edge from corner to corner, and a mission has one boundary.",
			fmt.Sprintf("One boundary round them all encloses %s; alone they are %s.", format.Area(kmlcsv.AreaOf(round)), format.Area(sum)),
		},
		Yes: "one boundary round all", No: "leave them",
		OnYes: func() tea.Cmd {
			return m.replace(sites, []*Site{m.p.draft.made(sites, commonName(sites), round)}, "merged")
		},
	})
	return nil
}

// made is a site made of others, with what they have in common.
func (d *Draft) made(of []*Site, name string, g orb.Geometry) *Site {
	s := &Site{ID: d.id(), Name: name, Country: of[0].Country, City: of[0].City, Type: of[0].Type, Geometry: g, In: true}
	for _, other := range of {
		if s.Country == "" {
			s.Country = other.Country
		}
		if len(of) == 1 {
			s.Label = other.Label
		}
	}
	s.measure()
	return s
}

// commonName is what names have in common at their beginning, as long as that
// is whole words; else the first one.
func commonName(sites []*Site) string {
	common := sites[0].Name
	for _, s := range sites[1:] {
		n := 0
		for n < len(common) && n < len(s.Name) && common[n] == s.Name[n] {
			n++
		}
		common = common[:n]
	}
	cut := strings.LastIndexAny(common, " (-,")
	if common == sites[0].Name {
		cut = len(common)
	}
	if cut < 3 {
		return sites[0].Name
	}
	return strings.TrimRight(common[:cut], " (-,")
}

// replace puts sites in the place of others.
func (m *missions) replace(old, with []*Site, done string) tea.Cmd {
	d := m.p.draft
	undo := m.undone(fmt.Sprintf("%s %s", done, names(old)), old[0])
	at := 0
	for i, s := range d.Sites {
		if s == old[0] {
			at = i
		}
	}
	d.Sites = append(d.Sites[:at:at], append(append([]*Site(nil), with...), d.Sites[at:]...)...)
	for _, s := range old {
		d.drop(s)
	}
	clear(m.marked)
	m.reload(with[0])
	return tea.Batch(m.p.touched(), undo)
}

// names lists sites, the first of many.
func names(sites []*Site) string {
	switch len(sites) {
	case 1:
		return sites[0].Name
	case 2:
		return sites[0].Name + " and " + sites[1].Name
	default:
		return fmt.Sprintf("%s and %d more", sites[0].Name, len(sites)-1)
	}
}

// whole says why a site is not split, "" where it is.
func whole(s *Site) string {
	switch n := len(s.Points()); {
	case s.Geometry == nil:
		return "it has no place"
	case s.Placed:
		return "it is placed already"
	case s.Type == api.MissionArea:
		return "an area has one boundary; t makes a line of it, which can be cut"
	case s.Type == api.MissionAsset && n < 2:
		return "it is one point"
	case s.Type == api.MissionLinear && n < 3:
		return "it has two ends and nothing between"
	}
	return ""
}

// split makes a site of each point of an asset, and asks into how many parts a
// line is cut.
func (m *missions) split(s *Site) tea.Cmd {
	if s.Type == api.MissionLinear {
		m.p.Overlay(m.cutter(s))
		return nil
	}
	var parts []orb.Geometry
	for _, p := range s.Points() {
		parts = append(parts, p)
	}
	return m.parts(s, parts)
}

// parts puts parts in the place of a site.
func (m *missions) parts(s *Site, geometries []orb.Geometry) tea.Cmd {
	sites := make([]*Site, len(geometries))
	for i, g := range geometries {
		sites[i] = m.p.draft.made([]*Site{s}, fmt.Sprintf("%s (%d)", s.Name, i+1), g)
		sites[i].In = s.In
	}
	return m.replace([]*Site{s}, sites, "split")
}

// cutter asks into how many parts a line is cut.
func (m *missions) cutter(s *Site) page.Dialog {
	points := s.Points()
	n := max(2, (len(points)+api.MaxPoints-2)/(api.MaxPoints-1))
	f := form.New(4, m.p.Now, &form.Field{
		ID: "parts", Label: "Parts", Kind: form.Number, Least: 2, Most: float64(len(points) - 1),
		Help: fmt.Sprintf("of about the same length, cut at its %s points", group(len(points))),
	})
	f.Field("parts").Set(fmt.Sprint(n))
	cut := func(f *form.Form) (tea.Cmd, bool) {
		n, err := f.Field("parts").Num()
		if err != nil {
			f.Field("parts").Error = err.Error()
			return nil, false
		}
		var parts []orb.Geometry
		for _, part := range cutLine(points, int(n)) {
			parts = append(parts, part)
		}
		return m.parts(s, parts), true
	}
	return &dialog.Edit{Snug: true, Theme: m.p.Theme, Title: "Split " + s.Name, Form: f, OnSave: cut}
}
