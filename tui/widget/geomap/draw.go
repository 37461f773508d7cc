package geomap

import (
	"math"
	"slices"
	"strconv"

	"github.com/paulmach/orb"
)

// smallest is the extent in dots below which a feature is drawn as a mark.
const smallest = 6

// Panes narrower or lower than these have no labels.
const (
	leastLabelWidth  = 30
	leastLabelHeight = 10
)

// ground is what is drawn of the base map and of all items, as if none were
// selected. It is drawn anew for another view or other items; while the
// selection moves, a frame costs what is to be seen.
type ground struct {
	drawn bool
	cam   camera // that it was drawn for
	base  bool   // some of the base map is to be seen
	frame frame
	marks marks
}

// draw fills the frame for the present size, view, features and selection.
func (m *Model) draw() {
	t := m.cam.transform()
	clip := m.clip(&t)
	if !m.ground.drawn || m.ground.cam != m.cam {
		m.drawGround(t, clip)
	}
	m.frame.become(&m.ground.frame)
	marks := &m.ground.marks
	marks.choose(m.selected)
	if m.selected >= 0 && m.selected < len(m.items) {
		m.drawItem(&m.frame, m.selected, t, clip, inkSelected, tintSelected, nil)
	}
	lines, few := m.newGraticule(t, clip)
	if m.graticule && few {
		lines.lines()
	}
	m.drawChrome()
	m.drawMarks(marks)
	if m.labelled() {
		m.drawLabels(marks)
		if m.graticule && few {
			lines.labels()
		}
		if m.named {
			m.drawCities(&t, clip)
		}
	}
	if !m.ground.base && !m.graticule && few {
		lines.crosses()
	}
}

// drawGround draws what does not depend on the selection.
func (m *Model) drawGround(t affine, clip rect) {
	g := &m.ground
	g.drawn, g.cam = true, m.cam
	g.frame.reset(m.width, m.height)
	g.base = m.drawBase(&g.frame, t, clip)
	g.marks = marks{m: m, heads: g.marks.heads[:0], labels: g.marks.labels[:0]}
	for _, at := range m.order {
		i := m.items[at].role.ink()
		m.drawItem(&g.frame, at, t, clip, i, tintFill, &g.marks)
	}
}

// labelled reports whether the pane has room for labels.
func (m *Model) labelled() bool { return m.width >= leastLabelWidth && m.height >= leastLabelHeight }

// clip is the pane, less what lies beyond half the way round the world from
// the centre: everything is to be seen once.
func (m *Model) clip(t *affine) rect {
	r := rect{0, 0, m.cam.w - 1e-6, m.cam.h - 1e-6}
	if m.cam.projection() == mercator {
		half := 180 * t.a
		r.x0, r.x1 = max(r.x0, m.cam.w/2-half), min(r.x1, m.cam.w/2+half-1e-6)
	}
	return r
}

// inkOf returns the ink of an item.
func (m *Model) inkOf(at int) ink {
	if at == m.selected {
		return inkSelected
	}
	return m.items[at].role.ink()
}

// nearTurn returns the shift that brings longitude lon nearest to the centre.
func (m *Model) nearTurn(p projection, lon float64) float64 {
	if p != mercator {
		return 0
	}
	return math.Round((m.cam.lon-lon)/360) * 360
}

// drawItem draws the areas and lines of an item that are large enough and, where
// marks are given, collects those for the others.
func (m *Model) drawItem(f *frame, at int, t affine, clip rect, i ink, back tint, marks *marks) {
	it := &m.items[at]
	if len(it.parts) == 0 {
		return
	}
	p := m.cam.projection()
	it.project(p)
	shifted := t.shifted(m.nearTurn(p, (it.bound.Min[0]+it.bound.Max[0])/2))
	if v, _ := clip.meets(it.plane, &shifted); v == outside {
		return
	}
	hit := int32(at + 1)
	labelled := marks == nil
	for k := range it.parts {
		part := &it.parts[k]
		v, size := clip.meets(part.bound, &shifted)
		if v == outside {
			continue
		}
		if part.kind == partPoint || size < smallest {
			if marks == nil {
				continue
			}
			spot := it.planeMark
			if k > 0 {
				spot = part.plane[0][0]
			}
			labelled = marks.add(at, spot, &shifted, clip, !labelled) || labelled
			continue
		}
		for _, ring := range part.plane {
			line := f.dotted(ring, &shifted)
			f.path(line, clip, v, i, hit)
			if part.kind == partArea {
				f.cross(line)
			}
		}
		f.fill(clip, back, hit)
		if !labelled {
			marks.label(at, part, it.planeMark, &shifted, clip)
			labelled = true
		}
	}
}

// marks are the items of a frame that are drawn as a character, in clusters,
// and the labels of those that are drawn at their size.
type marks struct {
	m      *Model
	heads  []mark
	labels []spot
}

// mark is a character that stands for one item or several near each other.
type mark struct {
	x, y     int // cell
	at       int // first item
	items    []int
	mixed    bool // the items differ in mark or role
	label    bool // whether it is to be labelled: of several marks of an item the first
	selected bool
}

// spot is where the label of an area or line may stand.
type spot struct {
	at   int
	x, y int  // cell of the anchor
	box  rect // of the item, in cells
	area bool
}

// choose notes which marks stand for the selected item, among others.
func (s *marks) choose(selected int) {
	for k := range s.heads {
		s.heads[k].selected = slices.Contains(s.heads[k].items, selected)
	}
}

// Marks within so many cells of the first of them make a cluster.
const (
	nearX = 3
	nearY = 1
)

// add adds a mark at a point of the plane, to a cluster if there is one. It
// reports whether there is a new one.
func (s *marks) add(at int, p orb.Point, t *affine, clip rect, label bool) bool {
	px, py := t.apply(p)
	if px < clip.x0 || px > clip.x1 || py < clip.y0 || py > clip.y1 {
		return false
	}
	f := &s.m.ground.frame
	x, y := int(px)/dotsX, int(py)/dotsY
	it := &s.m.items[at]
	if head := f.markers[y*f.w+x]; head > 0 {
		h := &s.heads[head-1]
		if h.items[len(h.items)-1] == at {
			return false // another part of the same
		}
		first := &s.m.items[h.at]
		h.items = append(h.items, at)
		h.mixed = h.mixed || first.mark != it.mark || first.role != it.role
		return false
	}
	s.heads = append(s.heads, mark{x: x, y: y, at: at, items: []int{at}, label: label})
	for cy := max(y-nearY, 0); cy <= min(y+nearY, f.h-1); cy++ {
		for cx := max(x-nearX, 0); cx <= min(x+nearX, f.w-1); cx++ {
			if f.markers[cy*f.w+cx] == 0 {
				f.markers[cy*f.w+cx] = int32(len(s.heads))
			}
		}
	}
	return true
}

// label notes where the label of a part that is drawn at its size may stand.
func (s *marks) label(at int, p *part, anchor orb.Point, t *affine, clip rect) {
	x, y := t.apply(anchor)
	ax, ay := t.apply(p.bound.Min)
	bx, by := t.apply(p.bound.Max)
	box := rect{
		max(min(ax, bx), clip.x0) / dotsX, max(min(ay, by), clip.y0) / dotsY,
		min(max(ax, bx), clip.x1) / dotsX, min(max(ay, by), clip.y1) / dotsY,
	}
	if x < clip.x0 || x > clip.x1 || y < clip.y0 || y > clip.y1 {
		x, y = (box.x0+box.x1)/2*dotsX, (box.y0+box.y1)/2*dotsY
	}
	s.labels = append(s.labels, spot{at: at, x: int(x) / dotsX, y: int(y) / dotsY, box: box, area: p.kind == partArea})
}

// drawMarks writes marks and the counts of clusters.
func (m *Model) drawMarks(s *marks) {
	for k := range s.heads {
		h := &s.heads[k]
		at := h.at
		if h.selected {
			at = m.selected
		}
		i := m.inkOf(at)
		char := m.items[at].mark
		if h.mixed && !h.selected {
			char, i = defaultMark, inkFeature
		}
		if m.frame.text[h.y*m.frame.w+h.x] != 0 {
			continue
		}
		m.frame.write(h.x, h.y, []cluster{{markText(char, m.glyphs), 1}}, i, int32(at+1))
	}
	for k := range s.heads {
		h := &s.heads[k]
		i := m.frame.ink[h.y*m.frame.w+h.x]
		if len(h.items) > 1 {
			m.writeCount(h, i)
		}
		if h.selected {
			m.point(h)
		}
	}
}

// writeCount writes how many a cluster is, if there is room for it.
func (m *Model) writeCount(h *mark, i ink) {
	digits := split(strconv.Itoa(len(h.items)))
	if h.x+1+len(digits) > m.frame.w {
		return
	}
	row := h.y*m.frame.w + h.x + 1
	for k := range digits {
		if m.frame.text[row+k] != 0 {
			return
		}
	}
	m.frame.write(h.x+1, h.y, digits, i, m.frame.hit[h.y*m.frame.w+h.x])
}

// point draws a cursor before the selected mark: shape beside colour.
func (m *Model) point(h *mark) {
	if h.x == 0 || m.frame.text[h.y*m.frame.w+h.x-1] != 0 {
		return
	}
	m.frame.write(h.x-1, h.y, []cluster{{markText('▸', m.glyphs), 1}}, inkSelected, int32(m.selected+1))
}

// drawLabels writes the names of what is drawn: the selected first, then marks
// of a single item, then areas and lines.
func (m *Model) drawLabels(s *marks) {
	for pass := range 2 {
		for k := range s.heads {
			h := &s.heads[k]
			if h.selected != (pass == 0) || len(h.items) > 1 && !h.selected {
				continue
			}
			at := h.at
			if h.selected {
				at = m.selected
			}
			if at == h.at && !h.label {
				continue
			}
			m.labelMark(h, at)
		}
		for k := range s.labels {
			if l := &s.labels[k]; (l.at == m.selected) == (pass == 0) {
				m.labelSpot(l)
			}
		}
	}
}

func (m *Model) labelInk(at int) ink {
	if at == m.selected {
		return inkSelected
	}
	return inkLabel
}

// labelMark writes a label right, left, below or above a mark, with a space
// between.
func (m *Model) labelMark(h *mark, at int) {
	cs := m.clusters(m.items[at].label)
	w := widthOf(cs)
	if w == 0 {
		return
	}
	right := h.x + 2
	if len(h.items) > 1 {
		right += len(strconv.Itoa(len(h.items)))
	}
	left := h.x - 1 - w
	if h.selected {
		left--
	}
	for _, c := range [...][2]int{{right, h.y}, {left, h.y}, {h.x - w/2, h.y + 1}, {h.x - w/2, h.y - 1}} {
		if m.frame.fits(c[0], c[1], w, 1, true) {
			m.frame.label(c[0], c[1], cs, m.labelInk(at), int32(at+1))
			return
		}
	}
}

// labelSpot writes a label inside an area where it has room there, else below,
// above, right or left of it.
func (m *Model) labelSpot(l *spot) {
	cs := m.spotLabel(l)
	w := widthOf(cs)
	if w == 0 {
		return
	}
	midX := int(l.box.x0+l.box.x1) / 2
	midY := int(l.box.y0+l.box.y1) / 2
	at := [][2]int{
		{l.x - w/2, l.y},
		{midX - w/2, int(l.box.y1) + 1},
		{midX - w/2, int(l.box.y0) - 1},
		{int(l.box.x1) + 2, midY},
		{int(l.box.x0) - 1 - w, midY},
	}
	if l.area {
		at = slices.Insert(at, 1, [2]int{l.x - w/2, l.y + 1}, [2]int{l.x - w/2, l.y - 1})
	} else {
		at[0] = [2]int{l.x + 2, l.y}
		at = slices.Insert(at, 1, [2]int{l.x - w/2, l.y + 1}, [2]int{l.x - w/2, l.y - 1}, [2]int{l.x - 1 - w, l.y})
	}
	for _, c := range at {
		if m.frame.fits(c[0], c[1], w, 1, true) {
			m.writeSpot(l, c[0], c[1], cs)
			return
		}
	}
	if l.at == m.selected && m.frame.fits(l.x-w/2, l.y, w, 1, false) {
		m.writeSpot(l, l.x-w/2, l.y, cs)
	}
}

// spotLabel is the label of an area or line with its mark before it, if it has
// one. A selected line, which has no fill to tell it from the others, has a
// cursor.
func (m *Model) spotLabel(l *spot) []cluster {
	it := &m.items[l.at]
	cs := m.clusters(it.label)
	if it.mark != 0 {
		cs = slices.Concat([]cluster{{markText(it.mark, m.glyphs), 1}, {" ", 1}}, cs)
	}
	if !l.area && l.at == m.selected {
		cs = slices.Concat([]cluster{{markText('▸', m.glyphs), 1}, {" ", 1}}, cs)
	}
	return cs
}

// writeSpot writes the label of an area or line, its mark in the colour of the
// outline.
func (m *Model) writeSpot(l *spot, x, y int, cs []cluster) {
	m.frame.label(x, y, cs, m.labelInk(l.at), int32(l.at+1))
	if m.items[l.at].mark != 0 {
		m.frame.ink[y*m.frame.w+x] = m.inkOf(l.at)
	}
}
