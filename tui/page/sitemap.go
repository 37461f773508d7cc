package page

import (
	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/geomap"
)

// SiteMap is a map of sites or missions on a page. While it has the focus, keys move the map.
type SiteMap struct {
	Model   *geomap.Model
	Focused bool
	theme   string // name of the theme of the model
	zooms   bool   // the map shows only the selected site
	isHeld  bool   // the user is dragging the map
	x, y    int    // last position of the mouse during the drag
}

// NewSiteMap returns an empty map.
func NewSiteMap() *SiteMap { return &SiteMap{Model: geomap.New()} }

// Select selects the site with the given ID.
func (m *SiteMap) Select(id string) {
	m.Model.SetSelected(id)
	if m.zooms {
		m.Model.FitSelected()
	}
}

// ZoomToSelected shows only the selected site, now and after each [SiteMap.Select].
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

// MissionFeature returns the feature of a mission, with the shape from its order and the mark of its status.
func MissionFeature(m *api.Mission, state format.StatusLabel) geomap.Feature {
	return geomap.Feature{
		ID:       m.UUID,
		Label:    m.MissionName,
		Geometry: ordering.MissionShape(m.MissionType, m.LocationMap),
		Mark:     []rune(state.Glyph)[0],
		Role:     state.Role,
	}
}

// MissionFeatures returns the features of the missions of an order whose quotes have the given state.
func MissionFeatures(o *api.Order, quotes format.QuoteState) []geomap.Feature {
	features := make([]geomap.Feature, len(o.Missions))
	for i := range features {
		m := &o.Missions[i]
		features[i] = MissionFeature(m, format.MissionState(m.Status, o.Status, quotes))
	}
	return features
}

// HandleAction performs an action of the map. It returns false if the action does not belong to the map.
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

// HandleMouse handles a click or a turn of the wheel on the map. The map begins at column left and line top of
// the page. The wheel zooms in or out at the position of the mouse. A click returns the ID of the feature under
// the mouse, or "" if there is none; it also begins a drag, see [SiteMap.HandleDrag].
func (m *SiteMap) HandleMouse(input MouseInput, left, top int) string {
	x := input.X - left
	y := input.Y - top
	if input.Wheel < 0 {
		m.Model.ZoomAt(x, y, 1.25)
		return ""
	}
	if input.Wheel > 0 {
		m.Model.ZoomAt(x, y, 1/1.25)
		return ""
	}
	m.isHeld = true
	m.x = input.X
	m.y = input.Y
	id, _ := m.Model.FeatureAt(x, y)
	return id
}

// HandleDrag moves the map with the mouse during a drag. If over is true, the button was released.
func (m *SiteMap) HandleDrag(input MouseInput, over bool) {
	if m.isHeld {
		m.Model.PanCells(float64(m.x-input.X), float64(m.y-input.Y))
	}
	m.isHeld = m.isHeld && !over
	m.x = input.X
	m.y = input.Y
}

// MapScopes adds the scopes of the map to the scopes of its page, if the map is drawn. If the map has the focus,
// its scopes are before the page's, so that its keys take precedence.
func (m *SiteMap) MapScopes(isDrawn bool, pageScopes ...action.Scope) []action.Scope {
	var scopes []action.Scope
	if m.Focused {
		scopes = append(scopes, action.Map)
	}
	scopes = append(scopes, pageScopes...)
	if isDrawn || m.Focused {
		scopes = append(scopes, action.MapView)
	}
	return scopes
}
