package geomap

import (
	"math"

	"github.com/paulmach/orb"

	"flightdesk/tui/theme"
)

// Glyphs is the set of characters that a map is drawn with.
type Glyphs string

// The sets of characters.
const (
	Braille Glyphs = "braille" // 2 by 4 dots per cell; the default
	Blocks  Glyphs = "blocks"  // 2 by 2 quadrants per cell
	ASCII   Glyphs = "ascii"   // 7-bit characters only
)

// Next returns the next set, wrapping around.
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

// Feature is an object on the map.
type Feature struct {
	ID       string       // unique; used for selection and clicks
	Label    string       // drawn next to the feature; cleaned and cut as necessary
	Geometry orb.Geometry // points, a line or a polygon in degrees; nil draws nothing
	// Mark is the character, one cell wide, that is drawn for a point or a small geometry; 0 draws ●. For other
	// geometries it is drawn before the label; 0 draws nothing there.
	Mark rune
	Role theme.Role // colour; the zero role is drawn as [theme.Accent]
}

// Model is a map: features, the view and the last drawing.
type Model struct {
	mapView
	items  []mapItem
	index  map[string]int // feature ID to index in items
	order  []int          // items from the largest to the smallest extent
	bound  orb.Bound      // of all items, unwrapped
	styles inkPalette

	frame  cellFrame
	marks  []mapMark // of the frame
	spots  []labelSpot
	cached string  // the last drawing
	drawn  mapView // the view that cached shows
}

// mapView has everything that a drawing depends on.
type mapView struct {
	Glyphs    Glyphs // unknown values are drawn as [Braille]
	Graticule bool   // draws lines of latitude and longitude; otherwise crosses are drawn if no base map is visible
	Cross     bool   // draws a cross at the centre
	Focused   bool   // draws the corners of a frame, to show that keys move the map

	features int // version of the items and styles, incremented when they change
	selected int // index in items, or -1
	cam      camera
	fit      fitMode
	hover    [2]int // cell whose coordinates are shown, {-1, -1} for the centre

	width, height int  // in cells
	named         bool // place names are loaded and have room
}

// fitMode says which items the view is adapted to: all items, the selected item, or none. It is none as soon as the
// user moves the view.
type fitMode uint8

const (
	fitNone fitMode = iota
	fitAll
	fitSelected
)

// New returns an empty map. Its view is fitted to the features that are set later.
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

// SetFeatures replaces the features. The selection is kept if a feature with its ID still exists. The view is kept
// unless it is fitted to the features. SetFeatures copies geometries. A geometry must not be modified in place and
// set again.
func (m *Model) SetFeatures(features []Feature) {
	selected := m.Selected()
	old := m.items
	m.items = make([]mapItem, len(features))
	m.index = make(map[string]int, len(features))
	for i, feature := range features {
		m.index[feature.ID] = i
		if i < len(old) && looksSame(old[i].Feature, feature) {
			m.items[i] = old[i]
			m.items[i].Feature = feature
		} else {
			m.items[i] = newMapItem(feature)
		}
	}
	m.order = bySize(m.items)
	m.frame.reset(0, 0) // the frame shows the old features
	m.bound = boundAll(m.items)
	m.features++
	m.SetSelected(selected)
}

// looksSame reports whether two features have the same label and geometry.
func looksSame(a, b Feature) bool {
	return a.Label == b.Label && orb.Equal(a.Geometry, b.Geometry)
}

// SetSelected selects the feature with the given ID; an unknown ID clears the selection.
func (m *Model) SetSelected(id string) {
	index, ok := m.index[id]
	if !ok {
		index = -1
	}
	m.selected = index
}

// Selected returns the ID of the selected feature, or "".
func (m *Model) Selected() string {
	if m.selected < 0 {
		return ""
	}
	return m.items[m.selected].ID
}

// SelectNext moves the selection by a number of features, backwards if step is negative. It wraps
// around at the ends. If nothing is selected, it begins with the first feature, or with the last one
// if step is negative. It returns the ID of the selected feature, or "" if there are no features.
func (m *Model) SelectNext(step int) string {
	n := len(m.items)
	if n == 0 {
		return ""
	}
	start := m.selected
	if start < 0 && step < 0 {
		start = 0
	}
	m.selected = ((start+step)%n + n) % n
	return m.Selected()
}

// SetTheme sets the colours; nil means no colours.
func (m *Model) SetTheme(th *theme.Theme) {
	m.styles = newInkPalette(th)
	m.features++
}

// Centre returns the position at the centre of the map.
func (m *Model) Centre() orb.Point { return unproject(m.cam.centre) }

// Hover makes the map show the coordinates of a cell, such as the cell under the mouse. For a cell outside the map it
// shows the coordinates of the centre again.
func (m *Model) Hover(x, y int) {
	if m.isInside(x, y) {
		m.hover = [2]int{x, y}
	} else {
		m.hover = [2]int{-1, -1}
	}
}

func (m *Model) isInside(x, y int) bool { return x >= 0 && y >= 0 && x < m.width && y < m.height }

// FitAll shows all features, or the world if there are none. Until the user moves the view, it adapts to new
// features and sizes.
func (m *Model) FitAll() { m.fit = fitAll }

// FitSelected shows the selected feature, or all features if none is selected. Until the user moves the view, it
// adapts to the selection and to new sizes.
func (m *Model) FitSelected() { m.fit = fitSelected }

// Pan moves the view to the east by a fraction of its width, and to the south by a fraction of its height:
// Pan(0.25, 0) moves it by a quarter of the pane to the right.
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

// Zoom multiplies the scale by the factor. The centre stays where it is.
func (m *Model) Zoom(factor float64) { m.zoomAround(0, 0, factor) }

// ZoomAt multiplies the scale by the factor. The position at the given cell stays there.
func (m *Model) ZoomAt(x, y int, factor float64) {
	m.zoomAround((float64(x)+0.5)*dotsX-m.cam.w/2, (float64(y)+0.5)*dotsY-m.cam.h/2, factor)
}

// zoomAround multiplies the scale by the factor. The position that is dx dots to the right of the centre and dy dots
// below it stays where it is.
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

// CoordinateAt returns the longitude and latitude of the middle of a cell in the last view. It returns false
// outside the map or the world.
func (m *Model) CoordinateAt(x, y int) (orb.Point, bool) {
	if !m.isInside(x, y) {
		return orb.Point{}, false
	}
	return m.cam.coordinateAt((float64(x)+0.5)*dotsX, (float64(y)+0.5)*dotsY)
}

// FeatureAt returns the feature drawn at a cell, or next to the cell if nothing is in it.
// For a cluster it returns the first feature.
func (m *Model) FeatureAt(x, y int) (id string, ok bool) {
	for _, d := range [...][2]int{{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
		if item := m.frame.hitAt(x+d[0], y+d[1]); item >= 0 {
			return m.items[item].ID, true
		}
	}
	return "", false
}

// View draws the map as height lines of width cells, or "" if one of them is not positive. An
// unchanged map is not drawn again.
func (m *Model) View(width, height int) string {
	m.width = min(max(width, 0), maxSide)
	m.height = min(max(height, 0), maxSide)
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
	m.cached = m.frame.String(&m.styles)
	if m.Glyphs == ASCII {
		m.cached = drawASCII(m.cached)
	}
	return m.cached
}

// maxSide limits the memory for a pane if its size was computed wrongly.
const maxSide = 4096

// applyPendingFit adapts the camera to the size of the pane and, according to the fit mode, to the selected feature
// or to all features. Call it before the camera is used or moved. It returns false if the map has no size yet.
func (m *Model) applyPendingFit() bool {
	if m.width <= 0 || m.height <= 0 {
		return false
	}
	m.cam.resizePane(m.width, m.height)
	if m.fit == fitSelected && m.selected >= 0 {
		m.cam.fitBound(m.items[m.selected].bound)
	} else if m.fit != fitNone {
		m.cam.fitBound(m.bound)
	}
	return true
}

func (m *Model) hasLabels() bool { return m.width >= leastLabelWidth && m.height >= leastLabelHeight }

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
