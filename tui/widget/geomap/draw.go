package geomap

import (
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/clip"

	"flightdesk/tui/format"
)

// smallest is the smallest extent, in dots, of a feature that is drawn with its shape. Smaller features are drawn
// as marks.
const smallest = 6

// Smaller panes have no labels.
const (
	leastLabelWidth  = 30
	leastLabelHeight = 10
)

// drawFrame draws the current view into the frame: first the base map, the shapes of the items and the lines of the
// graticule, then the texts. No text covers an earlier text, so more important texts are drawn first.
func (m *Model) drawFrame() {
	t := m.cam.paneMap()
	m.frame.reset(m.width, m.height)
	m.frame.glyphs = m.Glyphs
	m.marks = m.marks[:0]
	m.spots = m.spots[:0]

	hasBase := m.drawBase(t)
	m.drawItems(t)
	graticule := m.newGraticule(t)
	if m.Graticule {
		graticule.drawLines()
	}

	m.drawChrome() // the scale bar and the coordinates
	m.drawMarks()
	if m.hasLabels() {
		m.drawTexts(graticule, t)
	}
	isWithoutLines := !hasBase && !m.Graticule
	if isWithoutLines {
		graticule.drawCrosses()
	}
}

// drawItems draws the items, the selected item above all others.
func (m *Model) drawItems(t *paneMap) {
	for _, index := range m.order {
		m.drawItem(index, t)
	}
	if m.selected >= 0 {
		m.drawSelected(t)
	}
}

// drawTexts draws the labels of the items, then the degrees of the graticule, and finally the names of towns.
func (m *Model) drawTexts(graticule *graticulePane, t *paneMap) {
	m.drawLabels()
	if m.Graticule {
		graticule.drawLabels()
	}
	if m.named {
		m.drawCities(t)
	}
}

func (m *Model) inkOf(item int) cellInk {
	if item == m.selected {
		return inkSelected
	}
	return roleInks[m.items[item].Role]
}

// drawItem draws the visible parts of an item: large areas and lines with their shape, other parts as marks. The
// first part that is drawn gets the label of the item.
func (m *Model) drawItem(index int, t *paneMap) {
	item := &m.items[index]
	shifted := m.shiftToItem(item, t)
	hasLabel := false
	for i := range item.parts {
		part := &item.parts[i]
		isVisible, size := shifted.isSeen(part.bound)
		if !isVisible {
			continue
		}
		isDrawn := true
		if part.hasShape(size) {
			m.drawPart(part, shifted, roleInks[item.Role], tintFill, hitOf(index))
			if !hasLabel {
				m.addLabelSpot(index, part, shifted)
			}
		} else {
			isDrawn = m.addMark(index, item.markPosition(i), shifted, !hasLabel)
		}
		hasLabel = hasLabel || isDrawn
	}
}

// markPosition returns the projected position of the mark for the part with the given index. The mark of the first
// part is on its line or inside its area. The marks of other parts are at their first points, because no better
// position was computed for them.
func (it *mapItem) markPosition(part int) orb.Point {
	if part == 0 {
		return it.spot
	}
	return it.parts[part].rings[0][0]
}

// hitOf returns the value of mapCell.hit for the cells of an item: the index of the item plus 1. A cell with 0
// belongs to no item.
func hitOf(index int) int32 { return int32(index + 1) }

// drawSelected draws the areas and lines of the selected item above all others.
func (m *Model) drawSelected(t *paneMap) {
	item := &m.items[m.selected]
	shifted := m.shiftToItem(item, t)
	for i := range item.parts {
		part := &item.parts[i]
		isVisible, size := shifted.isSeen(part.bound)
		if isVisible && part.hasShape(size) {
			m.drawPart(part, shifted, inkSelected, tintSelected, hitOf(m.selected))
		}
	}
}

// shiftToItem returns t, shifted by full turns around the world so that the item is drawn near the centre.
func (m *Model) shiftToItem(item *mapItem, t *paneMap) *paneMap {
	turns := turnsBetween(item.bound.Center()[0], m.cam.centre[0])
	if turns == 0 {
		return t
	}
	return t.shiftEast(turns)
}

// hasShape reports whether a part whose longer side is size dots is large enough to be drawn as a line or an area.
// Other parts are drawn as marks.
func (p *itemPart) hasShape(size float64) bool { return p.kind != partPoint && size >= smallest }

// drawPart draws the outline of a part, and fills it if it is an area.
func (m *Model) drawPart(part *itemPart, t *paneMap, ink cellInk, back cellTint, hit int32) {
	for _, ring := range part.rings {
		line := m.frame.dotsOf(ring, t)
		m.frame.drawPath(line, t, ink, hit)
		if part.kind == partArea {
			m.frame.addCrossings(line)
		}
	}
	m.frame.fillRings(t.pane, back, hit)
}

// mapMark is a character for one item or a cluster of items.
type mapMark struct {
	x, y     int // cell
	item     int // the item whose mark is drawn: the first, or the selected item
	items    []int
	mixed    bool // the items differ in mark or role
	label    bool // draws the item's label here; only the first mark of an item has it
	selected bool // it is the first mark of the selected item, which has the cursor
	related  bool // it is another mark of the selected item
}

// labelSpot describes an area or a line that is to be labelled, and where on it the label can be.
type labelSpot struct {
	item int       // index of the item
	x, y int       // cell of the anchor, a point on the line or inside the area
	box  orb.Bound // of the item, in dots
	area bool
}

// A mark joins the cluster of an earlier mark if it is within this distance, in cells.
const (
	nearX = 3
	nearY = 1
)

// addMark adds a mark for an item at a projected point. If another mark is near, it adds the item to the cluster of
// that mark instead, and returns false. If label is true, the new mark has the item's label.
func (m *Model) addMark(item int, p orb.Point, t *paneMap, label bool) bool {
	x, y, ok := t.cellOf(p)
	if !ok {
		return false
	}
	if cluster := m.frame.cells[y*m.frame.w+x].mark; cluster > 0 {
		m.addToCluster(&m.marks[cluster-1], item)
		return false
	}
	m.marks = append(m.marks, mapMark{x: x, y: y, item: item, items: []int{item}, label: label})
	m.claimCells(x, y, int32(len(m.marks)))
	return true
}

// addToCluster adds an item to the items of a mark, unless the item was already added for another of its parts. All
// parts of an item are added one after another, so it compares only the last item.
func (m *Model) addToCluster(mark *mapMark, item int) {
	last := mark.items[len(mark.items)-1]
	if last == item {
		return
	}
	mark.items = append(mark.items, item)
	drawn := &m.items[mark.item]
	added := &m.items[item]
	if drawn.Mark != added.Mark || drawn.Role != added.Role {
		mark.mixed = true
	}
}

// claimCells reserves the cells around the cell (x, y) for a mark, except cells that an earlier mark has reserved.
// addMark adds items in reserved cells to the cluster of the mark. mark is the index of the mark plus 1.
func (m *Model) claimCells(x, y int, mark int32) {
	f := &m.frame
	for cy := max(y-nearY, 0); cy <= min(y+nearY, f.h-1); cy++ {
		for cx := max(x-nearX, 0); cx <= min(x+nearX, f.w-1); cx++ {
			c := &f.cells[cy*f.w+cx]
			if c.mark == 0 {
				c.mark = mark
			}
		}
	}
}

// addLabelSpot adds a position for the label of a part that is drawn as an area or line.
func (m *Model) addLabelSpot(item int, p *itemPart, t *paneMap) {
	box := clip.Bound(t.pane, t.boundOf(p.bound))
	anchor := t.applyTo(m.items[item].spot)
	if !t.pane.Contains(anchor) {
		anchor = box.Center()
	}
	x, y := dotCell(anchor)
	m.spots = append(m.spots, labelSpot{item: item, x: x, y: y, box: box, area: p.kind == partArea})
}

// drawMarks writes the marks, the sizes of clusters, and the cursor before the first mark of the selected item.
func (m *Model) drawMarks() {
	m.selectMarks()
	for k := range m.marks {
		m.drawMark(&m.marks[k])
	}
	for k := range m.marks {
		m.drawMarkSides(&m.marks[k])
	}
}

// selectMarks makes the first mark that includes the selected item the selected mark. This mark shows the character and
// the label of the selected item, even if it is the mark of a cluster of several items. Other marks of the selected
// item are marked as related.
func (m *Model) selectMarks() {
	isFound := false
	for k := range m.marks {
		mark := &m.marks[k]
		if !slices.Contains(mark.items, m.selected) {
			continue
		}
		if isFound {
			mark.related = true
			mark.label = mark.label && mark.item != m.selected
			continue
		}
		isFound = true
		mark.selected = true
		mark.label = true
		mark.item = m.selected
	}
}

// Cluster returns an example of a cluster in the last view, such as "■2" for a cluster of two features, to be
// explained in a legend. It returns "" if there is no cluster. A cluster that includes the selected feature does not
// count, because it is drawn as that feature.
func (m *Model) Cluster() string {
	for k := range m.marks {
		mark := &m.marks[k]
		if mark.isCluster() {
			return m.charOf(mark) + strconv.Itoa(len(mark.items))
		}
	}
	return ""
}

// isCluster reports whether a mark shows several items, none of which is selected.
func (mark *mapMark) isCluster() bool { return len(mark.items) > 1 && !mark.selected }

// charOf returns the character of a mark: the mark of its item, or [clusterMark] for a cluster whose items differ or
// have no mark.
func (m *Model) charOf(mark *mapMark) string {
	hasNoMark := m.items[mark.item].Mark == 0
	if mark.isCluster() && (mark.mixed || hasNoMark) {
		return clusterMark
	}
	return m.markOf(mark.item)
}

// drawMark writes the character of a mark. If the selected item has several marks, only the first is drawn as
// selected; the others keep their colour and get the background of a selected area.
func (m *Model) drawMark(mark *mapMark) {
	ink := roleInks[m.items[mark.item].Role]
	if mark.isCluster() && mark.mixed {
		ink = inkFeature
	}
	if mark.selected {
		ink = inkBoxed
	}
	if mark.related {
		m.frame.cells[mark.y*m.frame.w+mark.x].back = tintSelected
	}
	m.frame.writeMark(mark.x, mark.y, m.charOf(mark), ink, hitOf(mark.item))
}

// drawMarkSides writes the size of a cluster to the right of its mark, and the cursor to the left of the selected
// mark. If the map has labels, it writes no size next to the selected mark, because the label of that mark has the
// number of the other items.
func (m *Model) drawMarkSides(mark *mapMark) {
	if mark.selected {
		m.frame.writeMark(mark.x-1, mark.y, "▸", inkBoxed, hitOf(m.selected))
		if !m.hasLabels() {
			m.writeCount(mark, mark.otherItems())
		}
		return
	}
	if len(mark.items) > 1 {
		m.writeCount(mark, strconv.Itoa(len(mark.items)))
	}
}

// writeCount writes a number of items right of a mark.
func (m *Model) writeCount(mark *mapMark, count string) {
	cell := m.frame.cells[mark.y*m.frame.w+mark.x]
	m.frame.writeMark(mark.x+1, mark.y, count, cell.ink, cell.hit)
}

// otherItems returns how many items a cluster has besides the selected one, such as "+7", or "".
func (mark *mapMark) otherItems() string {
	others := len(mark.items) - 1
	if others == 0 {
		return ""
	}
	return "+" + strconv.Itoa(others)
}

// markOf returns the mark of an item, or [defaultMark] if it has none.
func (m *Model) markOf(item int) string {
	if mark := m.items[item].Mark; mark != 0 {
		return string(mark)
	}
	return defaultMark
}

// drawLabels writes the label of the selected item first, then the labels of marks with a single item, and finally the
// labels of areas and lines. A label is left out if an earlier label takes its room.
func (m *Model) drawLabels() {
	m.drawLabelsOf(true)
	m.drawLabelsOf(false)
}

// drawLabelsOf writes the label of the selected item if selected is true, otherwise the labels of the other items.
func (m *Model) drawLabelsOf(selected bool) {
	for k := range m.marks {
		mark := &m.marks[k]
		if !mark.label || mark.selected != selected {
			continue
		}
		if selected || len(mark.items) == 1 {
			m.labelMark(mark)
		}
	}
	for k := range m.spots {
		spot := &m.spots[k]
		if (spot.item == m.selected) == selected {
			m.labelShape(spot)
		}
	}
}

// labelCell is the cell at which a label begins.
type labelCell struct{ x, y int }

// placeLabel writes the label of an item at one of the given cells and returns this cell. It
// returns false if the label has room at none of them, because of other texts or lines. It takes
// the first cell at which the label touches neither a line nor the frame of the pane. If there is
// none, it takes the first cell at which the label covers no line. If coversLines is true, the
// label may touch and cover lines, and the first cell without other text is taken.
func (m *Model) placeLabel(
	item int, text string, coversLines bool, cells ...labelCell,
) (start labelCell, isPlaced bool) {
	w := format.Width(text)
	if w == 0 {
		return labelCell{}, false
	}
	ink := inkLabel
	if item == m.selected {
		ink = inkBoxed
	}
	// The cells are tried once for each of these conditions, the strictest first.
	avoided := []lineSpace{noLineNear, noLineUnder}
	if coversLines {
		avoided = []lineSpace{anyLines}
	}
	for _, space := range avoided {
		for _, cell := range cells {
			touchesFrame := cell.x == 0 || cell.x+w == m.width
			if space == noLineNear && touchesFrame { // only the strictest condition also avoids the frame
				continue
			}
			if m.frame.isFree(cell.x, cell.y, w, labelMargin, space) {
				m.frame.writeLabel(cell.x, cell.y, text, ink, hitOf(item))
				return cell, true
			}
		}
	}
	return labelCell{}, false
}

// labelMargin is the number of cells before and after a label that must not have other text.
const labelMargin = 1

// labelMark writes the label of a mark at the first position with room: right, left, below or above. If there is no
// room for the full label, it writes the short one. The label of the selected mark ends with the number of the
// other items of the cluster. If there is no room for a label, only this number is written, to the right of the
// mark.
func (m *Model) labelMark(mark *mapMark) {
	others := mark.otherItems() // only the selected mark of a cluster has a label
	for _, label := range m.items[mark.item].label {
		text := strings.TrimSpace(label + " " + others)
		cells := mark.labelCells(format.Width(text), m.width)
		_, isPlaced := m.placeLabel(mark.item, text, false, cells...)
		if isPlaced {
			return
		}
	}
	m.writeCount(mark, others)
}

// labelCells returns the cells at which a label of w cells may begin in a pane, the best cell first: right of the
// mark, left of it, below it and above it. A label below or above the mark is moved so that it does not reach the
// edges of the pane.
func (mark *mapMark) labelCells(w, paneWidth int) []labelCell {
	right := mark.x + 2
	left := mark.x - 1 - w
	if mark.selected {
		left-- // the cursor is to the left of the mark
	}
	middle := min(mark.x-w/2, paneWidth-w-1)
	middle = max(min(1, paneWidth-w), middle) // if there is room, the text does not touch the frame of the pane
	return []labelCell{
		{right, mark.y},
		{left, mark.y},
		{middle, mark.y + 1},
		{middle, mark.y - 1},
	}
}

// labelShape writes a label inside an area if there is room, otherwise below, above, right or left of it. If there
// is no room for the full label, it writes the short one. If there is no other room, the label of the selected
// shape covers lines.
func (m *Model) labelShape(spot *labelSpot) {
	cell, isPlaced := m.placeSpotLabel(spot)
	hasMark := m.items[spot.item].Mark != 0
	if isPlaced && hasMark { // the mark before the label gets the colour of the outline
		m.frame.cells[cell.y*m.frame.w+cell.x].ink = m.inkOf(spot.item)
	}
}

// placeSpotLabel writes the label of a shape and returns the cell at which it begins, or false if there is no room.
func (m *Model) placeSpotLabel(spot *labelSpot) (cell labelCell, isPlaced bool) {
	labels := m.items[spot.item].label
	for _, label := range labels {
		text := m.spotText(spot, label)
		cell, isPlaced = m.placeLabel(spot.item, text, false, spot.clearCells(format.Width(text))...)
		if isPlaced {
			return cell, true
		}
	}
	if spot.item != m.selected {
		return labelCell{}, false
	}
	text := m.spotText(spot, labels[len(labels)-1])
	return m.placeLabel(spot.item, text, true, spot.coveringCells(format.Width(text))...)
}

// clearCells returns the cells at which a label of w cells may begin if it must not cover lines, the best cell
// first: at the anchor, then around the box of the shape.
func (s *labelSpot) clearCells(w int) []labelCell {
	cells := make([]labelCell, 0, 8)
	if s.area {
		cells = s.appendInside(cells, w)
	} else {
		cells = s.appendBesideAnchor(cells, w)
	}
	return s.appendAroundBox(cells, w)
}

// appendInside appends the cells for a label in an area: at the anchor, below it and above it.
func (s *labelSpot) appendInside(cells []labelCell, w int) []labelCell {
	x := s.x - w/2
	return append(cells, labelCell{x, s.y}, labelCell{x, s.y + 1}, labelCell{x, s.y - 1})
}

// appendBesideAnchor appends the cells for a label of a line: right of the anchor, below, above and left of it.
func (s *labelSpot) appendBesideAnchor(cells []labelCell, w int) []labelCell {
	x := s.x - w/2
	return append(cells,
		labelCell{s.x + 2, s.y},
		labelCell{x, s.y + 1},
		labelCell{x, s.y - 1},
		labelCell{s.x - 1 - w, s.y},
	)
}

// appendAroundBox appends the cells for a label outside the box of a shape: below, above, right and left of it.
func (s *labelSpot) appendAroundBox(cells []labelCell, w int) []labelCell {
	left, top := dotCell(s.box.Min)
	right, bottom := dotCell(s.box.Max)
	centreX, centreY := dotCell(s.box.Center())
	return append(cells,
		labelCell{centreX - w/2, bottom + 1},
		labelCell{centreX - w/2, top - 1},
		labelCell{right + 2, centreY},
		labelCell{left - 1 - w, centreY},
	)
}

// coveringCells returns the cells at which a label of w cells may begin if it may cover lines: at the anchor, then
// at the centre of the shape's box.
func (s *labelSpot) coveringCells(w int) []labelCell {
	centreX, centreY := dotCell(s.box.Center())
	return []labelCell{{s.x - w/2, s.y}, {centreX - w/2, centreY}}
}

// spotText returns the text for the label of an area or line. The character of the item's mark, such as ●, is
// before the label. The label of a selected line has the cursor ▸ before it, because a line has no fill that shows
// the selection.
func (m *Model) spotText(l *labelSpot, label string) string {
	if m.items[l.item].Mark != 0 {
		label = m.markOf(l.item) + " " + label
	}
	if !l.area && l.item == m.selected {
		label = "▸ " + label
	}
	return label
}
