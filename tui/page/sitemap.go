package page

import (
	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/geomap"
)

// SiteMap is a map with the focus on it or not.
type SiteMap struct {
	Model   *geomap.Model
	Focused bool
	theme   string
	zooms   bool // to the selected site
	held    bool // the mouse's button is down on it
	x, y    int  // where the mouse was then, or moved it to last
}

// NewSiteMap returns an empty map.
func NewSiteMap() *SiteMap { return &SiteMap{Model: geomap.New()} }

// Select selects a site by its ID.
func (m *SiteMap) Select(id string) {
	m.Model.SetSelected(id)
	if m.zooms {
		m.Model.FitSelected()
	}
}

// ZoomToSelected shows the selected site only, now and after each [SiteMap.Select].
func (m *SiteMap) ZoomToSelected() {
	m.zooms = true
	m.Model.FitSelected()
}

// View draws the map into exactly h lines of w cells.
func (m *SiteMap) View(th *theme.Theme, w, h int) string {
	if th.Linear {
		return format.FitBox([]string{"The map is not shown in plain mode."}, w, h)
	}
	if m.theme != th.Name {
		m.theme = th.Name
		m.Model.SetTheme(th)
	}
	return m.Model.View(w, h)
}

// MissionFeature returns a mission as an order has it, with its shape.
func MissionFeature(m *api.Mission) geomap.Feature {
	st := format.Status(m.Status)
	return geomap.Feature{
		ID: m.UUID, Label: m.MissionName, Geometry: ordering.MissionShape(m.MissionType, m.LocationMap),
		Mark: []rune(st.Glyph)[0], Role: st.Role,
	}
}

// MissionFeatures returns missions as an order has them, with their shapes.
func MissionFeatures(missions []api.Mission) []geomap.Feature {
	features := make([]geomap.Feature, len(missions))
	for i := range missions {
		features[i] = MissionFeature(&missions[i])
	}
	return features
}

// HandleAction performs an action of the map's scope and reports whether it was one.
func (m *SiteMap) HandleAction(id action.ID) bool {
	switch id {
	case action.MapLeft:
		m.Model.Pan(-0.25, 0)
	case action.MapRight:
		m.Model.Pan(0.25, 0)
	case action.MapUp:
		m.Model.Pan(0, -0.25)
	case action.MapDown:
		m.Model.Pan(0, 0.25)
	case action.MapIn:
		m.Model.Zoom(1.5)
	case action.MapOut:
		m.Model.Zoom(1 / 1.5)
	case action.MapFit:
		m.Model.FitAll()
	case action.MapZoom:
		m.Model.FitSelected()
	case action.MapNext:
		m.Model.SelectNext(1)
	case action.MapPrev:
		m.Model.SelectNext(-1)
	case action.MapGrid:
		m.Model.Graticule = !m.Model.Graticule
	case action.MapGlyphs:
		m.Model.Glyphs = m.Model.Glyphs.Next()
	case action.FocusMap:
		m.Focused = !m.Focused
	default:
		return false
	}
	return true
}

// HandleMouse zooms with the wheel, at the pointer, and tells which feature a click
// is on. The map's upper left cell is at left and top of the page.
func (m *SiteMap) HandleMouse(at MouseInput, left, top int) (id string) {
	x, y := at.X-left, at.Y-top
	switch {
	case at.Wheel < 0:
		m.Model.ZoomAt(x, y, 1.25)
	case at.Wheel > 0:
		m.Model.ZoomAt(x, y, 1/1.25)
	default:
		m.held, m.x, m.y = true, at.X, at.Y
		id, _ = m.Model.FeatureAt(x, y)
	}
	return id
}

// HandleDrag moves the map with the mouse that holds it, until that is over.
func (m *SiteMap) HandleDrag(at MouseInput, over bool) {
	if m.held {
		m.Model.PanCells(float64(m.x-at.X), float64(m.y-at.Y))
	}
	m.held, m.x, m.y = m.held && !over, at.X, at.Y
}

// MapScopes returns the map's around those of its page, while it is drawn: in focus
// its keys win.
func (m *SiteMap) MapScopes(drawn bool, page ...action.Scope) []action.Scope {
	if m.Focused {
		page = append([]action.Scope{action.Map}, page...)
	}
	if drawn || m.Focused {
		page = append(page, action.MapView)
	}
	return page
}
