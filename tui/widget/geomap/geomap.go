package geomap

import (
	"math"

	"github.com/paulmach/orb"

	"flightdesk/tui/theme"
)

// Glyphs is the set of characters a map is drawn with.
type Glyphs string

// The sets of characters.
const (
	Braille Glyphs = "braille" // 2 by 4 dots a cell; the default
	Blocks  Glyphs = "blocks"  // 2 by 2 quadrants a cell
	ASCII   Glyphs = "ascii"   // nothing beyond 7 bits
)

// Next returns the set after g, going round.
func (g Glyphs) Next() Glyphs {
	switch g {
	case Blocks:
		return ASCII
	case ASCII:
		return Braille
	default:
		return Blocks
	}
}

// Feature is one thing on the map.
type Feature struct {
	ID       string       // unique among the features; what selection and hits speak of
	Label    string       // drawn beside it; any text, made harmless and cut
	Geometry orb.Geometry // points, a line or a polygon, longitude and latitude in degrees; nil draws nothing
	Mark     rune         // of one cell; drawn where the geometry is a point or too small, else before the label; 0 is ●, or none
	Role     theme.Role   // which style it is drawn in; Text is the accent
}

// Model is a map: features, a view of them and what was drawn last.
type Model struct {
	mapView
	items  []mapItem
	index  map[string]int // feature ID to position in items
	order  []int          // items from the largest extent to the smallest
	bound  orb.Bound      // of all items, unwrapped
	styles inkPalette

	frame  cellFrame
	marks  []mapMark // of the frame
	spots  []labelSpot
	drawn  mapView // that the last drawing is of
	cached string
}

// mapView is all that a drawing depends on.
type mapView struct {
	Glyphs    Glyphs // one that is not known is drawn as [Braille]
	Graticule bool   // lines of latitude and longitude; else crosses where they meet, with no base map to be seen
	Cross     bool   // in the middle, whose coordinates are shown while the mouse is elsewhere

	features int // counts the changes of items and styles
	selected int // position in items, -1 for none
	cam      camera
	fit      fitMode
	hover    [2]int // cell whose coordinates are shown, {-1, -1} for the centre

	width, height int  // in cells
	named         bool // names of places are there to be drawn
}

// fitMode is what the view follows until it is moved by hand.
type fitMode uint8

const (
	fitNone fitMode = iota
	fitAll
	fitSelected
)

// New returns a map of nothing, fitted to whatever it will be given.
func New() *Model {
	m := &Model{mapView: mapView{
		selected: -1,
		fit:      fitAll,
		Glyphs:   Braille,
		hover:    [2]int{-1, -1},
	}}
	m.SetTheme(nil)
	m.SetFeatures(nil)
	return m
}

// SetFeatures replaces what is on the map. The selection stays where its ID is
// still among them; the view stays unless it is a fit, which is made anew.
// The geometries are copied; one that is set again under its ID must not have
// been changed in place.
func (m *Model) SetFeatures(features []Feature) {
	id, old := m.Selected(), m.items
	m.items = make([]mapItem, len(features))
	m.index = make(map[string]int, len(features))
	for i, f := range features {
		m.index[f.ID] = i
		if i < len(old) && old[i].Label == f.Label && orb.Equal(old[i].Geometry, f.Geometry) {
			m.items[i] = old[i]
			m.items[i].Feature = f
		} else {
			m.items[i] = newMapItem(f)
		}
	}
	m.order = bySize(m.items)
	m.frame.reset(0, 0) // what was drawn is no more
	m.bound = boundAll(m.items)
	m.features++
	m.SetSelected(id)
}

// SetSelected selects a feature by its ID; an unknown ID selects none.
func (m *Model) SetSelected(id string) {
	if at, ok := m.index[id]; ok {
		m.selected = at
	} else {
		m.selected = -1
	}
}

// Selected returns the ID of the selected feature, "" for none.
func (m *Model) Selected() string {
	if m.selected < 0 {
		return ""
	}
	return m.items[m.selected].ID
}

// SelectNext selects the feature step places further, going round, and returns
// its ID; "" if there is none. With nothing selected it starts at the end that
// step comes from.
func (m *Model) SelectNext(step int) string {
	n := len(m.items)
	if n == 0 {
		return ""
	}
	at := m.selected
	if at < 0 && step < 0 {
		at = 0
	}
	m.selected = ((at+step)%n + n) % n
	return m.Selected()
}

// SetTheme sets the colours; nil draws without any.
func (m *Model) SetTheme(th *theme.Theme) {
	m.styles = newInkPalette(th)
	m.features++
}

// Centre returns where the middle of the map is.
func (m *Model) Centre() orb.Point { return unproject(m.cam.at) }

// Hover shows the coordinates of a cell in place of the centre's, of a cell
// outside the map again the centre's.
func (m *Model) Hover(x, y int) {
	if !m.isInside(x, y) {
		x, y = -1, -1
	}
	m.hover = [2]int{x, y}
}

// isInside reports whether a cell is one of the map's.
func (m *Model) isInside(x, y int) bool { return x >= 0 && y >= 0 && x < m.width && y < m.height }

// FitAll shows all features, without any the whole world, and keeps doing so
// as features and size change until the view is moved.
func (m *Model) FitAll() { m.fit = fitAll }

// FitSelected shows the selected feature, and keeps doing so as the selection
// and size change until the view is moved. With nothing selected it is FitAll.
func (m *Model) FitSelected() { m.fit = fitSelected }

// Pan moves the view by a share of its width to the east and of its height to
// the south: Pan(0.25, 0) is a quarter of the pane to the right.
func (m *Model) Pan(dx, dy float64) {
	m.PanCells(dx*float64(m.width), dy*float64(m.height))
}

// PanCells moves the view by cells to the east and to the south.
func (m *Model) PanCells(dx, dy float64) {
	if m.applyPendingFit() {
		m.cam.panBy(dx*dotsX, dy*dotsY)
		m.fit = fitNone
	}
}

// Zoom magnifies by the factor, keeping the centre: 1.5 nears, 1/1.5 recedes.
func (m *Model) Zoom(factor float64) { m.zoomAround(0, 0, factor) }

// ZoomAt magnifies by the factor, keeping what is at the cell where it is.
func (m *Model) ZoomAt(x, y int, factor float64) {
	m.zoomAround((float64(x)+0.5)*dotsX-m.cam.w/2, (float64(y)+0.5)*dotsY-m.cam.h/2, factor)
}

// zoomAround magnifies by the factor, keeping what is at an offset from the centre in dots.
func (m *Model) zoomAround(dx, dy, factor float64) {
	if !m.applyPendingFit() {
		return
	}
	before := m.cam.k
	m.cam.k *= factor
	m.cam.clampView()
	grown := m.cam.k / before
	m.cam.panBy(dx*(grown-1), dy*(grown-1))
	m.fit = fitNone
}

// CoordinateAt returns the longitude and latitude of a cell's middle as last
// drawn; false outside the rectangle or beyond the edge of the world.
func (m *Model) CoordinateAt(x, y int) (orb.Point, bool) {
	if !m.isInside(x, y) {
		return orb.Point{}, false
	}
	return m.cam.coordinateAt((float64(x)+0.5)*dotsX, (float64(y)+0.5)*dotsY)
}

// FeatureAt returns the feature drawn at a cell, or beside it where nothing is
// in the cell itself. Of a cluster it is the first.
func (m *Model) FeatureAt(x, y int) (id string, ok bool) {
	for _, d := range [...][2]int{{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
		if at := m.frame.hitAt(x+d[0], y+d[1]); at >= 0 {
			return m.items[at].ID, true
		}
	}
	return "", false
}

// View draws the map: height lines of width cells each, joined by newlines;
// nothing where one of them is zero or less. An unchanged map costs nothing.
func (m *Model) View(width, height int) string {
	m.width, m.height = min(max(width, 0), maxSide), min(max(height, 0), maxSide)
	m.named = m.hasLabels() && namesRead.Load()
	if !m.applyPendingFit() {
		m.frame.reset(0, 0)
		m.drawn = mapView{}
		return ""
	}
	if m.drawn == m.mapView {
		return m.cached
	}
	m.drawn = m.mapView
	m.drawFrame()
	if m.cached = m.frame.String(&m.styles); m.Glyphs == ASCII {
		m.cached = drawASCII(m.cached)
	}
	return m.cached
}

// maxSide bounds a pane that somebody miscalculated.
const maxSide = 4096

// applyPendingFit carries out a pending fit for the present size, so that a move starts
// from what is seen. It reports whether there is a size yet.
func (m *Model) applyPendingFit() bool {
	if m.width <= 0 || m.height <= 0 {
		return false
	}
	m.cam.resizePane(m.width, m.height)
	switch {
	case m.fit == fitSelected && m.selected >= 0:
		m.cam.fitBound(m.items[m.selected].bound)
	case m.fit != fitNone:
		m.cam.fitBound(m.bound)
	}
	return true
}

// hasLabels reports whether the pane is large enough for labels.
func (m *Model) hasLabels() bool { return m.width >= leastLabelWidth && m.height >= leastLabelHeight }

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
