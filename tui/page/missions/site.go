package missions

import (
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/layout"
	"flightdesk/tui/page/sitemap"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/geomap"
)

// leastMap is how many lines the map of a site takes at least.
const leastMap = 9

// siteMap is where a mission is, on a map that only shows it.
type siteMap struct {
	smap  *sitemap.SiteMap
	whole bool // its shape is known, not only its middle
	shown bool // any of it is
}

func newSiteMap(m *cache.Mission) siteMap {
	s := siteMap{smap: sitemap.New()}
	points := m.LocationMap
	if s.whole = len(points) > 0; !s.whole && m.Placed {
		points = []api.Point{m.Centre}
	}
	s.drawPoints(m, points)
	return s
}

// drawPoints puts points on the map.
func (s *siteMap) drawPoints(m *cache.Mission, points []api.Point) {
	if s.shown = len(points) > 0; !s.shown {
		return
	}
	st := labels.MissionStatus(m.Status)
	s.smap.SetFeatures([]geomap.Feature{{
		ID: m.UUID, Label: m.MissionName, Geometry: sitemap.MissionGeometry(m.MissionType, points),
		Mark: []rune(st.Glyph)[0], Role: sitemap.FeatureRole(st.Role),
	}})
	s.smap.FitAll()
}

// renderBelow puts the map below lines in a column of w cells and h lines, where
// there is room for it.
func (s *siteMap) renderBelow(th *theme.Theme, lines []string, w, h int) []string {
	room := h - len(lines) - 1
	if !s.shown || room < leastMap {
		return lines
	}
	return append(append(lines, th.Rule.Render(strings.Repeat("─", w))), layout.SplitLines(s.smap.View(th, w, room))...)
}

// locateMission draws the mission's shape once it is known: its order alone has it.
func (p *MissionPage) locateMission() {
	o, state := p.Cache.Details.Get(p.mission.Order.OrderCode)
	if p.site.whole || o == nil || state.ReadAt.IsZero() {
		return
	}
	p.site.whole = true // or what there is of it
	for i := range o.Missions {
		if m := &o.Missions[i]; m.UUID == p.mission.UUID && len(m.LocationMap) > 0 {
			p.site.drawPoints(p.mission, m.LocationMap)
		}
	}
}
