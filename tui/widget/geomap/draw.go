package geomap

import (
	"slices"
	"strconv"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/clip"
)

// smallest is the extent in dots below which a feature is drawn as a mark.
const smallest = 6

// Panes narrower or lower than these have no labels.
const (
	leastLabelWidth  = 30
	leastLabelHeight = 10
)

// drawFrame fills the frame for the present size, view, features and selection.
func (m *Model) drawFrame() {
	t := m.cam.paneMap()
	m.frame.reset(m.width, m.height)
	m.frame.ascii = m.Glyphs == ASCII
	hasBase := m.drawBase(t)
	m.marks, m.spots = m.marks[:0], m.spots[:0]
	for _, at := range m.order {
		m.drawItem(at, t, roleInks[m.items[at].role], tintFill, true)
	}
	if m.selected >= 0 && m.selected < len(m.items) {
		m.drawItem(m.selected, t, inkSelected, tintSelected, false)
	}
	lines, few := m.newGraticule(t)
	if m.Graticule && few {
		lines.drawLines()
	}
	m.drawChrome()
	m.drawMarks()
	if m.hasLabels() {
		m.drawLabels()
		if m.Graticule && few {
			lines.drawLabels()
		}
		if m.named {
			m.drawCities(t)
		}
	}
	if !hasBase && !m.Graticule && few {
		lines.drawCrosses()
	}
}

// inkOf returns the ink of an item.
func (m *Model) inkOf(at int) cellInk {
	if at == m.selected {
		return inkSelected
	}
	return roleInks[m.items[at].role]
}

// drawItem draws the areas and lines of an item that are large enough and, to collect
// them, notes marks for the others, and where its label may stand.
func (m *Model) drawItem(at int, t *paneMap, i cellInk, back cellTint, collect bool) {
	it, f := &m.items[at], &m.frame
	shifted := t.shiftEast(turnsBetween((it.bound.Min[0]+it.bound.Max[0])/2, m.cam.lon))
	hit := int32(at + 1)
	labelled := !collect
	for k := range it.parts {
		part := &it.parts[k]
		v, size := shifted.visibilityOf(part.bound)
		if v == outside {
			continue
		}
		if part.kind == partPoint || size < smallest {
			if !collect {
				continue
			}
			spot := it.spot
			if k > 0 {
				spot = part.rings[0][0]
			}
			labelled = m.addMark(at, spot, shifted, !labelled) || labelled
			continue
		}
		for _, ring := range part.rings {
			line := f.dotsOf(ring, shifted)
			f.drawPath(line, shifted, v, i, hit)
			if part.kind == partArea {
				f.noteCrossings(line)
			}
		}
		f.fillRings(t.pane, back, hit)
		if !labelled {
			m.noteLabelSpot(at, part, shifted)
			labelled = true
		}
	}
}

// mapMark is a character that stands for one item or several near each other.
type mapMark struct {
	x, y  int // cell
	at    int // first item
	items []int
	mixed bool // the items differ in mark or role
	label bool // whether it is to be labelled: of several marks of an item the first
}

// labelSpot is where the label of an area or line may stand.
type labelSpot struct {
	at   int
	x, y int       // cell of the anchor
	box  orb.Bound // of the item, in dots
	area bool
}

// isSelected reports whether a mark stands for the selected item, among others.
func (m *Model) isSelected(h *mapMark) bool { return slices.Contains(h.items, m.selected) }

// Marks within so many cells of the first of them make a cluster.
const (
	nearX = 3
	nearY = 1
)

// addMark adds a mark at a point of the plane, to a cluster if there is one. It
// reports whether there is a new one.
func (m *Model) addMark(at int, p orb.Point, t *paneMap, label bool) bool {
	x, y, ok := t.cellOf(p)
	if !ok {
		return false
	}
	f, it := &m.frame, &m.items[at]
	if head := f.markers[y*f.w+x]; head > 0 {
		h := &m.marks[head-1]
		if h.items[len(h.items)-1] == at {
			return false // another part of the same
		}
		first := &m.items[h.at]
		h.items = append(h.items, at)
		h.mixed = h.mixed || first.mark != it.mark || first.role != it.role
		return false
	}
	m.marks = append(m.marks, mapMark{x: x, y: y, at: at, items: []int{at}, label: label})
	for cy := max(y-nearY, 0); cy <= min(y+nearY, f.h-1); cy++ {
		for cx := max(x-nearX, 0); cx <= min(x+nearX, f.w-1); cx++ {
			if f.markers[cy*f.w+cx] == 0 {
				f.markers[cy*f.w+cx] = int32(len(m.marks))
			}
		}
	}
	return true
}

// noteLabelSpot notes where the label of a part that is drawn at its size may stand.
func (m *Model) noteLabelSpot(at int, p *itemPart, t *paneMap) {
	box, dot := clip.Bound(t.pane, t.boundOf(p.bound)), t.applyTo(m.items[at].spot)
	if !t.pane.Contains(dot) {
		dot = box.Center()
	}
	x, y := dotCell(dot)
	m.spots = append(m.spots, labelSpot{at, x, y, box, p.kind == partArea})
}

// drawMarks writes marks and the counts of clusters.
func (m *Model) drawMarks() {
	for k := range m.marks {
		h := &m.marks[k]
		at, selected := h.at, m.isSelected(h)
		if selected {
			at = m.selected
		}
		i := m.inkOf(at)
		char := m.items[at].mark
		if h.mixed && !selected {
			char, i = defaultMark, inkFeature
		}
		if !m.frame.isFree(h.x, h.y, 1, 0, false) {
			continue
		}
		m.frame.writeClusters(h.x, h.y, []textCluster{markText(char)}, i, int32(at+1))
	}
	for k := range m.marks {
		h := &m.marks[k]
		i := m.frame.ink[h.y*m.frame.w+h.x]
		if len(h.items) > 1 {
			m.writeCount(h, i)
		}
		if m.isSelected(h) {
			m.drawPointer(h)
		}
	}
}

// writeCount writes how many a cluster is, if there is room for it.
func (m *Model) writeCount(h *mapMark, i cellInk) {
	digits := splitClusters(strconv.Itoa(len(h.items)))
	if m.frame.isFree(h.x+1, h.y, len(digits), 0, false) {
		m.frame.writeClusters(h.x+1, h.y, digits, i, m.frame.hit[h.y*m.frame.w+h.x])
	}
}

// drawPointer draws a cursor before the selected mark: shape beside colour.
func (m *Model) drawPointer(h *mapMark) {
	if m.frame.isFree(h.x-1, h.y, 1, 0, false) {
		m.frame.writeClusters(
			h.x-1,
			h.y,
			[]textCluster{markText('▸')},
			inkSelected,
			int32(m.selected+1),
		)
	}
}

// drawLabels writes the names of what is drawn: the selected first, then marks
// of a single item, then areas and lines.
func (m *Model) drawLabels() {
	for pass := range 2 {
		for k := range m.marks {
			h := &m.marks[k]
			at, selected := h.at, m.isSelected(h)
			if selected != (pass == 0) || len(h.items) > 1 && !selected {
				continue
			}
			if selected {
				at = m.selected
			}
			if at == h.at && !h.label {
				continue
			}
			m.labelMark(h, at)
		}
		for k := range m.spots {
			if l := &m.spots[k]; (l.at == m.selected) == (pass == 0) {
				m.labelSpot(l)
			}
		}
	}
}

// placeLabel writes the label of an item at the first of some cells where it is free.
func (m *Model) placeLabel(at int, cs []textCluster, isClear bool, cells ...[2]int) (cell [2]int, ok bool) {
	ink := inkLabel
	if at == m.selected {
		ink = inkBoxed
	}
	for _, cell := range cells {
		if w := widthOf(cs); w > 0 && m.frame.isFree(cell[0], cell[1], w, 1, isClear) {
			m.frame.writeLabel(cell[0], cell[1], cs, ink, int32(at+1))
			return cell, true
		}
	}
	return cell, false
}

// labelMark writes a label right, left, below or above a mark, with a space
// between.
func (m *Model) labelMark(h *mapMark, at int) {
	cs := m.items[at].label
	w := widthOf(cs)
	right := h.x + 2
	if len(h.items) > 1 {
		right += len(strconv.Itoa(len(h.items)))
	}
	left := h.x - 1 - w
	if m.isSelected(h) {
		left--
	}
	m.placeLabel(
		at,
		cs,
		true,
		[2]int{right, h.y},
		[2]int{left, h.y},
		[2]int{h.x - w/2, h.y + 1},
		[2]int{h.x - w/2, h.y - 1},
	)
}

// labelSpot writes a label inside an area where it has room there, else below,
// above, right or left of it.
func (m *Model) labelSpot(l *labelSpot) {
	cs := m.spotLabel(l)
	w := widthOf(cs)
	midX, midY := dotCell(l.box.Center())
	left, top := dotCell(l.box.Min)
	right, bottom := dotCell(l.box.Max)
	first, fourth := l.x+2, l.x-1-w
	if l.area {
		first, fourth = l.x-w/2, l.x-w/2
	}
	cell, ok := m.placeLabel(l.at, cs, true, [][2]int{
		{first, l.y},
		{l.x - w/2, l.y + 1},
		{l.x - w/2, l.y - 1},
		{fourth, l.y},
		{midX - w/2, bottom + 1},
		{midX - w/2, top - 1},
		{right + 2, midY},
		{left - 1 - w, midY},
	}...)
	if !ok && l.at == m.selected {
		cell, ok = m.placeLabel(
			l.at,
			cs,
			false,
			[2]int{l.x - w/2, l.y},
			[2]int{midX - w/2, midY},
		)
	}
	if ok && m.items[l.at].mark != 0 {
		m.frame.ink[cell[1]*m.frame.w+cell[0]] = m.inkOf(l.at) // the mark is in the colour of the outline
	}
}

// spotLabel returns the label of an area or line with its mark before it, if it has
// one. A selected line, which has no fill to tell it from the others, has a
// cursor.
func (m *Model) spotLabel(l *labelSpot) []textCluster {
	it := &m.items[l.at]
	cs := it.label
	if it.mark != 0 {
		cs = slices.Concat([]textCluster{markText(it.mark), {" ", 1}}, cs)
	}
	if !l.area && l.at == m.selected {
		cs = slices.Concat([]textCluster{markText('▸'), {" ", 1}}, cs)
	}
	return cs
}
