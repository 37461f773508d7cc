package widget

import (
	"strings"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// Pane is one part of a split.
type Pane struct {
	Cells int // preferred width; 0 for the pane that fills the rest
	Least int // minimum width
	// View draws the pane into exactly h lines of w cells.
	View func(w, h int) string
	// Of is set for a pane that shows an object that the user selects in another pane. For example, a pane with details
	// shows the row that is selected in a list. Of returns the name of the object. It is nil if the content of the pane
	// does not depend on a selection.
	Of func() string
}

// Split draws panes next to each other, with a border between two panes. The user can drag the
// borders.
type Split struct {
	Panes []Pane
	// Passing reports whether the user is moving through a list quickly, so that objects are selected too briefly to
	// be read about. While it returns true, panes with an Of function keep their last drawing. If Passing is nil, all
	// panes are always drawn.
	Passing func() bool
	// Shares has the widths of panes next to borders that the user has moved, by the index of the pane. They are in
	// thousandths of the split's width. Values outside 1 to 999 are ignored.
	Shares map[int]int

	spans []Span      // positions of the panes in the last layout
	n     int         // width of the last layout
	held  int         // index of the pane to the right of the dragged border; 0 if none is dragged
	drawn []drawnPane // last drawings, by the index of the pane
}

// drawnPane is the last drawing of a pane, and what the drawing depends on.
type drawnPane struct {
	of, theme, view string
	w, h            int
}

// Span is the position and length of a pane or column; Len is 0 if it is left out.
type Span struct{ At, Len int }

// LayoutPanes divides n cells among the panes, with one cell between two panes. If there are fewer cells than
// panes, the last panes are left out. Cells that no pane needs go to the last pane without a preferred width, or to
// the last pane if all have one.
func (s *Split) LayoutPanes(n int) []Span {
	s.n = max(0, n)
	s.spans = make([]Span, len(s.Panes))
	shown := s.countFitting()
	borders := shown - 1
	free := max(0, s.n-borders)
	for i := range shown {
		s.spans[i].Len = max(s.preferredWidth(i), s.Panes[i].Least, 1)
		free -= s.spans[i].Len
	}
	if free > 0 && shown > 0 {
		s.spans[s.findFiller(shown)].Len += free
	}
	if free < 0 {
		s.shrinkPanes(shown, -free)
	}
	for i := 1; i < shown; i++ {
		s.spans[i].At = s.spans[i-1].At + s.spans[i-1].Len + 1
	}
	return s.spans
}

// countFitting returns how many panes fit into the width. Each pane needs at least one cell, and the
// border before each further pane needs another.
func (s *Split) countFitting() int {
	fitting := max(1, (s.n+1)/2)
	return min(len(s.Panes), fitting)
}

// findFiller returns the index of the pane that gets the free cells. It is the last of the shown panes without a
// preferred width, or the last shown pane if all have one.
func (s *Split) findFiller(shown int) int {
	for i := shown - 1; i >= 0; i-- {
		if s.preferredWidth(i) == 0 {
			return i
		}
	}
	return shown - 1
}

// preferredWidth returns the width that the user gave a pane by dragging a border, or otherwise its default width.
func (s *Split) preferredWidth(i int) int {
	share := s.Shares[i]
	if share > 0 && share < 1000 {
		return (s.n*share + 500) / 1000
	}
	return s.Panes[i].Cells
}

// shrinkPanes takes the excess cells from the shown panes, beginning with the last pane. It first shrinks all panes
// to their minimum widths. If that is not enough, it shrinks them further, down to one cell.
func (s *Split) shrinkPanes(shown, excess int) {
	for i := shown - 1; i >= 0; i-- {
		least := max(min(1, s.n), s.Panes[i].Least)
		excess -= s.shrinkPane(i, least, excess)
	}
	for i := shown - 1; i >= 0; i-- {
		excess -= s.shrinkPane(i, min(1, s.n), excess)
	}
}

// shrinkPane takes up to n cells from a pane and returns how many it took.
func (s *Split) shrinkPane(i, least, n int) int {
	cells := min(n, max(0, s.spans[i].Len-least))
	s.spans[i].Len -= cells
	return cells
}

// View draws the panes into exactly h lines of w cells. A border that is being dragged is
// highlighted.
func (s *Split) View(th *theme.Theme, w, h int) string {
	if w <= 0 || h <= 0 || len(s.Panes) == 0 {
		s.LayoutPanes(0)
		return format.FitBox(nil, w, h)
	}
	var boxes []string
	for i, span := range s.LayoutPanes(w) {
		if span.Len == 0 {
			continue
		}
		if i > 0 {
			boxes = append(boxes, drawBorder(th, h, s.held == i))
		}
		boxes = append(boxes, s.drawPane(th, i, span.Len, h))
	}
	return format.Beside(boxes...)
}

func drawBorder(th *theme.Theme, h int, highlighted bool) string {
	line := format.CleanText(th.Rule, "│")
	if highlighted {
		line = th.PaintRole(theme.Accent, "│")
	}
	return strings.TrimSuffix(strings.Repeat(line+"\n", h), "\n")
}

// drawPane draws a pane. A pane that shows the selected row of a list is not drawn while the user is moving through
// the list quickly. drawPane then returns the last drawing, of an earlier row.
func (s *Split) drawPane(th *theme.Theme, i, w, h int) string {
	pane := s.Panes[i]
	if pane.Of == nil || s.Passing == nil {
		return pane.draw(w, h)
	}
	if len(s.drawn) != len(s.Panes) {
		s.drawn = make([]drawnPane, len(s.Panes))
	}
	last := s.drawn[i]
	row := pane.Of()
	fits := last.theme == th.Name && last.w == w && last.h == h
	if fits && last.of != row && s.Passing() {
		return last.view
	}
	s.drawn[i] = drawnPane{of: row, theme: th.Name, view: pane.draw(w, h), w: w, h: h}
	return s.drawn[i].view
}

// draw draws the pane into exactly h lines of w cells.
func (p *Pane) draw(w, h int) string { return format.FitBox(format.SplitLines(p.View(w, h)), w, h) }

// PaneAt returns the pane at column x of the last view, and the column within the pane. i is -1 if there is no
// pane.
func (s *Split) PaneAt(x int) (i, px int) {
	for i, span := range s.spans {
		if x >= span.At && x < span.At+span.Len {
			return i, x - span.At
		}
	}
	return -1, x
}

// GrabBorder starts dragging the border at column x of the last view. It reports whether
// there is a border.
func (s *Split) GrabBorder(x int) bool {
	for i, span := range s.spans {
		if i > 0 && span.Len > 0 && x == span.At-1 {
			s.held = i
			return true
		}
	}
	return false
}

// Drag moves the grabbed border to column x, within the limits of the minimum widths of both panes. It reports
// whether a border was grabbed. Set over when the user releases the mouse button; the border is then released, too.
func (s *Split) Drag(x int, over bool) bool {
	if s.held == 0 {
		return false
	}
	s.moveBorder(s.held-1, s.held, x)
	if over {
		s.held = 0
	}
	return true
}

// moveBorder moves the border between two panes to column x, within the limits of their minimum
// widths.
func (s *Split) moveBorder(left, right, x int) {
	leftSpan := s.spans[left]
	border := leftSpan.At + leftSpan.Len
	step := x - border // to the right, or to the left if negative
	step = min(step, s.spareCells(right))
	step = max(step, -s.spareCells(left))
	if step == 0 {
		return
	}
	if s.Shares == nil {
		s.Shares = map[int]int{}
	}
	s.Shares[left] = s.shareOf(leftSpan.Len + step)
	hasPreferred := s.Shares[right] > 0 || s.Panes[right].Cells > 0
	if hasPreferred {
		s.Shares[right] = s.shareOf(s.spans[right].Len - step)
	}
	s.LayoutPanes(s.n)
}

// spareCells returns how many cells a pane has above its minimum width.
func (s *Split) spareCells(i int) int {
	return max(0, s.spans[i].Len-max(1, s.Panes[i].Least))
}

// shareOf returns a width in thousandths of the split.
func (s *Split) shareOf(cells int) int { return (cells*1000 + s.n/2) / s.n }
