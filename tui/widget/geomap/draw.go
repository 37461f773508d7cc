package geomap

import (
	"slices"
	"strconv"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/clip"

	"flightdesk/tui/format"
)

// smallest is the extent in dots below which a feature is drawn as a mark.
const smallest = 6

// Smaller panes have no labels.
const (
	leastLabelWidth  = 30
	leastLabelHeight = 10
)

// drawFrame draws the current view into the frame.
func (m *Model) drawFrame() {
	t := m.cam.paneMap()
	m.frame.reset(m.width, m.height)
	m.frame.glyphs = m.Glyphs
	hasBase := m.drawBase(t)
	m.marks, m.spots = m.marks[:0], m.spots[:0]
	for _, at := range m.order {
		m.drawItem(at, t, false)
	}
	if m.selected >= 0 {
		m.drawItem(m.selected, t, true)
	}
	lines := m.newGraticule(t)
	if m.Graticule {
		lines.drawLines()
	}
	m.drawChrome()
	m.drawMarks()
	if m.hasLabels() {
		m.drawLabels()
		if m.Graticule {
			lines.drawLabels()
		}
		if m.named {
			m.drawCities(t)
		}
	}
	if !hasBase && !m.Graticule {
		lines.drawCrosses()
	}
}

func (m *Model) inkOf(at int) cellInk {
	if at == m.selected {
		return inkSelected
	}
	return roleInks[m.items[at].Role]
}

// drawItem draws the areas and lines of an item, and adds marks for points and small parts
// and a position for its label. The selected item is drawn a second time, above all
// others, without marks.
func (m *Model) drawItem(at int, t *paneMap, selected bool) {
	it, f := &m.items[at], &m.frame
	ink, back := roleInks[it.Role], tintFill
	if selected {
		ink, back = inkSelected, tintSelected
	}
	shifted := t.shiftEast(turnsBetween(it.bound.Center()[0], m.cam.at[0]))
	hit, labelled := int32(at+1), selected
	for k := range it.parts {
		part := &it.parts[k]
		seen, size := shifted.isSeen(part.bound)
		if !seen {
			continue
		}
		if part.kind == partPoint || size < smallest {
			if selected {
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
			f.drawPath(line, shifted, ink, hit)
			if part.kind == partArea {
				f.addCrossings(line)
			}
		}
		f.fillRings(t.pane, back, hit)
		if !labelled {
			m.addLabelSpot(at, part, shifted)
			labelled = true
		}
	}
}

// mapMark is a character for one item or a cluster of items.
type mapMark struct {
	x, y     int // cell
	at       int // the item whose mark is drawn: the first, or the selected one
	items    []int
	mixed    bool // the items differ in mark or role
	label    bool // draws the item's label here; only the first mark of an item has it
	selected bool // the selected item is among the items
}

// labelSpot is a possible position for the label of an area or line.
type labelSpot struct {
	at   int
	x, y int       // cell of the anchor
	box  orb.Bound // of the item, in dots
	area bool
}

// Marks within this distance, in cells, of an earlier mark join its cluster.
const (
	nearX = 3
	nearY = 1
)

// addMark adds a mark at a projected point, or adds the item to an existing cluster. It
// reports whether it added a mark.
func (m *Model) addMark(at int, p orb.Point, t *paneMap, label bool) bool {
	x, y, ok := t.cellOf(p)
	if !ok {
		return false
	}
	f, it := &m.frame, &m.items[at]
	if head := f.cells[y*f.w+x].mark; head > 0 {
		h := &m.marks[head-1]
		if h.items[len(h.items)-1] == at {
			return false // another part of the same item
		}
		first := &m.items[h.at]
		h.items = append(h.items, at)
		h.mixed = h.mixed || first.Mark != it.Mark || first.Role != it.Role
		return false
	}
	m.marks = append(m.marks, mapMark{
		x:     x,
		y:     y,
		at:    at,
		items: []int{at},
		label: label,
	})
	for cy := max(y-nearY, 0); cy <= min(y+nearY, f.h-1); cy++ {
		for cx := max(x-nearX, 0); cx <= min(x+nearX, f.w-1); cx++ {
			if c := &f.cells[cy*f.w+cx]; c.mark == 0 {
				c.mark = int32(len(m.marks))
			}
		}
	}
	return true
}

// addLabelSpot adds a position for the label of a part that is drawn as an area or line.
func (m *Model) addLabelSpot(at int, p *itemPart, t *paneMap) {
	box, dot := clip.Bound(t.pane, t.boundOf(p.bound)), t.applyTo(m.items[at].spot)
	if !t.pane.Contains(dot) {
		dot = box.Center()
	}
	x, y := dotCell(dot)
	m.spots = append(m.spots, labelSpot{at, x, y, box, p.kind == partArea})
}

// drawMarks writes marks, the sizes of clusters and a cursor before the selected mark.
func (m *Model) drawMarks() {
	f := &m.frame
	for k := range m.marks {
		h := &m.marks[k]
		if slices.Contains(h.items, m.selected) {
			h.label = h.label || h.at != m.selected
			h.at, h.selected = m.selected, true
		}
		char, i := m.markOf(h.at), m.inkOf(h.at)
		if h.mixed && !h.selected {
			char, i = defaultMark, inkFeature
		}
		f.writeMark(h.x, h.y, char, i, int32(h.at+1))
	}
	for k := range m.marks {
		h := &m.marks[k]
		if c := f.cells[h.y*f.w+h.x]; len(h.items) > 1 {
			f.writeMark(h.x+1, h.y, strconv.Itoa(len(h.items)), c.ink, c.hit)
		}
		if h.selected {
			f.writeMark(h.x-1, h.y, "▸", inkSelected, int32(m.selected+1))
		}
	}
}

// markOf returns the mark of an item.
func (m *Model) markOf(at int) string {
	if mark := m.items[at].Mark; mark != 0 {
		return string(mark)
	}
	return defaultMark
}

// drawLabels writes labels: first of the selected item, then of marks with a single item,
// then of areas and lines.
func (m *Model) drawLabels() {
	for _, selected := range [...]bool{true, false} {
		for k := range m.marks {
			if h := &m.marks[k]; h.label && h.selected == selected && (selected || len(h.items) == 1) {
				m.labelMark(h)
			}
		}
		for k := range m.spots {
			if l := &m.spots[k]; (l.at == m.selected) == selected {
				m.labelSpot(l)
			}
		}
	}
}

// clearCells is the number of candidate positions of a label that are used only if they
// have no lines. Later positions are for selected areas and lines, which always get a
// label.
const clearCells = 8

// placeLabel writes a label at the first free position.
func (m *Model) placeLabel(at int, text string, cells ...[2]int) (cell [2]int, ok bool) {
	ink, w := inkLabel, format.Width(text)
	if at == m.selected {
		ink = inkBoxed
	}
	for i, cell := range cells {
		if w > 0 && m.frame.isFree(cell[0], cell[1], w, 1, i < clearCells) {
			m.frame.writeLabel(cell[0], cell[1], text, ink, int32(at+1))
			return cell, true
		}
	}
	return cell, false
}

// labelMark writes a label to the right or left of a mark, below or above it.
func (m *Model) labelMark(h *mapMark) {
	label := m.items[h.at].label
	w := format.Width(label)
	right, left := h.x+2, h.x-1-w
	if len(h.items) > 1 {
		right += len(strconv.Itoa(len(h.items)))
	}
	if h.selected {
		left--
	}
	m.placeLabel(
		h.at,
		label,
		[2]int{right, h.y},
		[2]int{left, h.y},
		[2]int{h.x - w/2, h.y + 1},
		[2]int{h.x - w/2, h.y - 1},
	)
}

// labelSpot writes a label inside an area if there is room, otherwise below, above, right
// or left of it.
func (m *Model) labelSpot(l *labelSpot) {
	label := m.spotLabel(l)
	w := format.Width(label)
	midX, midY := dotCell(l.box.Center())
	left, top := dotCell(l.box.Min)
	right, bottom := dotCell(l.box.Max)
	inX, midX := l.x-w/2, midX-w/2
	first, fourth := l.x+2, l.x-1-w
	if l.area {
		first, fourth = inX, inX
	}
	cells := [][2]int{
		{first, l.y},
		{inX, l.y + 1},
		{inX, l.y - 1},
		{fourth, l.y},
		{midX, bottom + 1},
		{midX, top - 1},
		{right + 2, midY},
		{left - 1 - w, midY},
		{inX, l.y},
		{midX, midY},
	}
	if l.at != m.selected {
		cells = cells[:clearCells]
	}
	cell, ok := m.placeLabel(l.at, label, cells...)
	if ok && m.items[l.at].Mark != 0 {
		m.frame.cells[cell[1]*m.frame.w+cell[0]].ink = m.inkOf(l.at) // the mark is in the colour of the outline
	}
}

// spotLabel returns the label of an area or line, preceded by its mark if it has one. A
// selected line also has a cursor, because it has no fill that would show the selection.
func (m *Model) spotLabel(l *labelSpot) string {
	label := m.items[l.at].label
	if m.items[l.at].Mark != 0 {
		label = m.markOf(l.at) + " " + label
	}
	if !l.area && l.at == m.selected {
		label = "▸ " + label
	}
	return label
}
