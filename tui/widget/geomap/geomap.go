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
	Geometry orb.Geometry // any orb geometry, longitude and latitude in degrees; nil draws nothing
	Mark     rune         // drawn where the geometry is a point or too small to draw, else before the label; 0 is ●, or none
	Role     theme.Role   // which style it is drawn in; Text is the accent
}

// Model is a map: features, a view of them and what was drawn last.
type Model struct {
	items    []mapItem
	index    map[string]int // feature ID to position in items
	order    []int          // items from the largest extent to the smallest
	bound    orb.Bound      // of all items, unwrapped
	selected int            // position in items, -1 for none
	styles   inkPalette
	glyphs   Glyphs

	cam       camera
	fit       fitMode
	graticule bool
	cross     bool
	hover     [2]int // cell whose coordinates are shown, {-1, -1} for the centre

	width, height int  // of the last View, in cells
	named         bool // names of places were there to be drawn
	frame         cellFrame
	marks         []mapMark // of the frame
	spots         []labelSpot
	cached        string
	fresh         bool // cached is what View would draw
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
	m := &Model{selected: -1, fit: fitAll, glyphs: Braille, hover: [2]int{-1, -1}}
	m.SetTheme(nil)
	m.SetFeatures(nil)
	return m
}

// SetFeatures replaces what is on the map. The selection stays where its ID is
// still among them; the view stays unless it is a fit, which is made anew.
// The geometries are copied; one that is set again under its ID must not have
// been changed in place.
func (m *Model) SetFeatures(features []Feature) {
	if m.updateRoles(features) {
		return
	}
	id := m.Selected()
	m.items = make([]mapItem, 0, len(features))
	m.index = make(map[string]int, len(features))
	for _, f := range features {
		m.index[f.ID] = len(m.items)
		m.items = append(m.items, newMapItem(f))
	}
	m.order = bySize(m.items)
	m.frame.reset(0, 0) // what was drawn is no more
	m.marks = nil
	m.bound = boundAll(m.items)
	m.selected = m.indexOf(id)
	m.markChanged()
}

// updateRoles gives the features that are there other marks and roles, where nothing
// else is new, and reports whether that is so.
func (m *Model) updateRoles(features []Feature) bool {
	if len(features) == 0 || len(features) != len(m.items) {
		return false
	}
	for i, f := range features {
		if it := &m.items[i]; it.id != f.ID || it.name != f.Label || !orb.Equal(it.source, f.Geometry) {
			return false
		}
	}
	for i, f := range features {
		if it := &m.items[i]; it.mark != f.Mark || it.role != f.Role {
			it.mark, it.role = f.Mark, f.Role
			m.markChanged()
		}
	}
	return true
}

// SetSelected selects a feature by its ID; an unknown ID selects none.
func (m *Model) SetSelected(id string) {
	set(m, &m.selected, m.indexOf(id))
}

// Selected returns the ID of the selected feature, "" for none.
func (m *Model) Selected() string {
	if m.selected < 0 || m.selected >= len(m.items) {
		return ""
	}
	return m.items[m.selected].id
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
	m.markChanged()
	return m.Selected()
}

func (m *Model) indexOf(id string) int {
	if at, ok := m.index[id]; ok {
		return at
	}
	return -1
}

// SetTheme sets the colours; nil draws without any.
func (m *Model) SetTheme(th *theme.Theme) {
	set(m, &m.styles, newInkPalette(th))
}

// SetGlyphs sets the characters; an unknown set is drawn as [Braille].
func (m *Model) SetGlyphs(g Glyphs) { set(m, &m.glyphs, g) }

// Glyphs returns the characters in use.
func (m *Model) Glyphs() Glyphs { return m.glyphs }

// SetGraticule turns lines of latitude and longitude on or off. Off, crosses
// still show where they meet if there is no base map to be seen.
func (m *Model) SetGraticule(on bool) {
	set(m, &m.graticule, on)
}

// Graticule reports whether lines of latitude and longitude are on.
func (m *Model) Graticule() bool { return m.graticule }

// SetCross shows a cross in the middle of the map, or none: the cell whose
// coordinates are shown while the mouse is elsewhere.
func (m *Model) SetCross(on bool) {
	set(m, &m.cross, on)
}

// Centre returns where the middle of the map is.
func (m *Model) Centre() orb.Point { return orb.Point{m.cam.lon, m.cam.lat} }

// Hover shows the coordinates of a cell in place of the centre's, of a cell
// outside the map again the centre's.
func (m *Model) Hover(x, y int) {
	if x < 0 || y < 0 || x >= m.width || y >= m.height {
		x, y = -1, -1
	}
	set(m, &m.hover, [2]int{x, y})
}

// FitAll shows all features, without any the whole world, and keeps doing so
// as features and size change until the view is moved.
func (m *Model) FitAll() {
	m.fit = fitAll
	m.markChanged()
}

// FitSelected shows the selected feature, and keeps doing so as the selection
// and size change until the view is moved. With nothing selected it is FitAll.
func (m *Model) FitSelected() {
	m.fit = fitSelected
	m.markChanged()
}

// Pan moves the view by a share of its width to the east and of its height to
// the south: Pan(0.25, 0) is a quarter of the pane to the right.
func (m *Model) Pan(dx, dy float64) {
	m.PanCells(dx*float64(m.width), dy*float64(m.height))
}

// PanCells moves the view by cells to the east and to the south.
func (m *Model) PanCells(dx, dy float64) {
	if !m.applyPendingFit() || !isFinite(dx) || !isFinite(dy) {
		return
	}
	m.cam.panBy(dx*dotsX, dy*dotsY)
	m.fit = fitNone
	m.markChanged()
}

// Zoom magnifies by the factor, keeping the centre: 1.5 nears, 1/1.5 recedes.
func (m *Model) Zoom(factor float64) {
	if !m.applyPendingFit() || !(factor > 0) || math.IsInf(factor, 0) {
		return
	}
	m.cam.zoomBy(factor)
	m.fit = fitNone
	m.markChanged()
}

// ZoomAt magnifies by the factor, keeping what is at the cell where it is.
func (m *Model) ZoomAt(x, y int, factor float64) {
	if !m.applyPendingFit() || !(factor > 0) || math.IsInf(factor, 0) {
		return
	}
	dx := (float64(x)+0.5)*dotsX - m.cam.w/2
	dy := (float64(y)+0.5)*dotsY - m.cam.h/2
	before := m.cam.scale
	m.cam.zoomBy(factor)
	if grown := m.cam.scale / before; grown != 1 {
		m.cam.panBy(dx*(grown-1), dy*(grown-1))
	}
	m.fit = fitNone
	m.markChanged()
}

// CoordinateAt returns the longitude and latitude of a cell's middle as last
// drawn; false outside the rectangle or beyond the edge of the world.
func (m *Model) CoordinateAt(x, y int) (orb.Point, bool) {
	if x < 0 || y < 0 || x >= m.width || y >= m.height {
		return orb.Point{}, false
	}
	return m.cam.coordinateAt((float64(x)+0.5)*dotsX, (float64(y)+0.5)*dotsY)
}

// FeatureAt returns the feature drawn at a cell, or beside it where nothing is
// in the cell itself. Of a cluster it is the first.
func (m *Model) FeatureAt(x, y int) (id string, ok bool) {
	for _, d := range [...][2]int{{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
		if at := m.frame.hitAt(x+d[0], y+d[1]); at >= 0 && at < len(m.items) {
			return m.items[at].id, true
		}
	}
	return "", false
}

// View draws the map: height lines of width cells each, joined by newlines;
// nothing where one of them is zero or less. An unchanged map costs nothing.
func (m *Model) View(width, height int) string {
	width, height = min(max(width, 0), maxSide), min(max(height, 0), maxSide)
	named := width >= leastLabelWidth && height >= leastLabelHeight && namesRead.Load()
	if m.fresh && width == m.width && height == m.height && named == m.named {
		return m.cached
	}
	m.width, m.height, m.named = width, height, named
	m.fresh = true
	m.cached = ""
	if width == 0 || height == 0 {
		m.frame.reset(0, 0)
		return m.cached
	}
	m.applyPendingFit()
	m.drawFrame()
	switch m.glyphs {
	case Blocks:
		m.cached = m.frame.String(&m.styles, blocksTable())
	case ASCII:
		m.cached = drawASCII(m.frame.String(&m.styles, brailleTable()))
	default:
		m.cached = m.frame.String(&m.styles, brailleTable())
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

func (m *Model) markChanged() { m.fresh = false }

// set changes a value that the map is drawn by.
func set[T comparable](m *Model, at *T, value T) {
	if *at != value {
		*at = value
		m.markChanged()
	}
}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
