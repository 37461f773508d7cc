package widget

import (
	"strings"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// Pane is one part of the rectangle.
type Pane struct {
	Cells int // that it gets; 0 is what the others leave, for one of them
	Least int // that it needs
	// View draws the pane into exactly h lines of w cells.
	View func(w, h int) string
	// Of names what the pane shows, where that is chosen in another one; nil
	// where it is not.
	Of func() string
}

// Split shares a rectangle among its panes, beside each other.
type Split struct {
	Panes []Pane
	// Passing tells whether things are chosen and left again in quick
	// succession. Meanwhile panes that follow a choice stay as they were drawn:
	// they would be drawn for nobody to read. Nil is never.
	Passing func() bool
	// Shares are the thousandths of the panes whose border was moved, by their index;
	// those that fit no pane do not count.
	Shares map[int]int
	spans  []Span      // of the last layout
	n      int         // its cells
	held   int         // pane before the border that is held, plus one
	drawn  []drawnPane // by panes
}

// drawnPane is how a pane was drawn last.
type drawnPane struct {
	of, theme, view string
	w, h            int
}

// Span is where a pane lies along the split; of one left out Len is 0.
type Span struct{ At, Len int }

// LayoutPanes shares n cells among the panes, with one cell between two. The last
// ones are left out where there is no cell for each.
func (s *Split) LayoutPanes(n int) []Span {
	s.n = max(0, n)
	s.spans = make([]Span, len(s.Panes))
	panes := min(len(s.Panes), max(1, (s.n+1)/2))
	left, fills := max(0, s.n-panes+1), panes-1
	for i := range panes {
		size := s.Panes[i].Cells
		if share := s.Shares[i]; share > 0 && share < 1000 {
			size = (s.n*share + 500) / 1000
		}
		if size == 0 {
			fills = i
		}
		s.spans[i].Len = max(size, s.Panes[i].Least, 1)
		left -= s.spans[i].Len
	}
	if left > 0 && panes > 0 {
		s.spans[fills].Len += left
	}
	// What is too much is taken first from those that have more than their least, from
	// the last to the first, and then from any.
	for _, respect := range []bool{true, false} {
		for i := panes - 1; i >= 0 && left < 0; i-- {
			least := min(1, s.n)
			if respect {
				least = max(least, s.Panes[i].Least)
			}
			take := min(-left, max(0, s.spans[i].Len-least))
			s.spans[i].Len -= take
			left += take
		}
	}
	for i := 1; i < panes; i++ {
		s.spans[i].At = s.spans[i-1].At + s.spans[i-1].Len + 1
	}
	return s.spans
}

// View draws the panes into exactly h lines of w cells. A border that is held
// is lit.
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
			border := format.CleanText(th.Rule, "│")
			if s.held == i {
				border = th.PaintRole(theme.Accent, "│")
			}
			boxes = append(boxes, strings.TrimSuffix(strings.Repeat(border+"\n", h), "\n"))
		}
		boxes = append(boxes, s.drawPane(th, i, span.Len, h))
	}
	return format.Beside(boxes...)
}

// drawPane draws a pane, or leaves it as it is while what it shows is passed by.
func (s *Split) drawPane(th *theme.Theme, i, w, h int) string {
	p := s.Panes[i]
	if p.Of == nil || s.Passing == nil {
		return format.FitBox(format.SplitLines(p.View(w, h)), w, h)
	}
	if len(s.drawn) != len(s.Panes) {
		s.drawn = make([]drawnPane, len(s.Panes))
	}
	was, now := s.drawn[i], drawnPane{of: p.Of(), theme: th.Name, w: w, h: h}
	if was.of != now.of && was.theme == now.theme && was.w == w && was.h == h && s.Passing() {
		return was.view
	}
	now.view = format.FitBox(format.SplitLines(p.View(w, h)), w, h)
	s.drawn[i] = now
	return now.view
}

// PaneAt returns the pane at column x of the last view and the column within it; i is
// -1 on a border and outside.
func (s *Split) PaneAt(x int) (i, px int) {
	for i, span := range s.spans {
		if x >= span.At && x < span.At+span.Len {
			return i, x - span.At
		}
	}
	return -1, x
}

// GrabBorder takes hold of the border at column x of the last view and reports whether
// there is one.
func (s *Split) GrabBorder(x int) bool {
	for i, span := range s.spans {
		if i > 0 && span.Len > 0 && x == span.At-1 {
			s.held = i
			return true
		}
	}
	return false
}

// Drag moves the border that is held to a column, as far as both panes keep what they
// need, lets go of it where that is over, and reports whether one was held.
func (s *Split) Drag(x int, over bool) bool {
	i, next := s.held-1, s.held
	if i < 0 {
		return false
	}
	a, b := s.spans[i], s.spans[next]
	n := min(x-a.At-a.Len, max(0, b.Len-max(1, s.Panes[next].Least)))
	if n = max(n, -max(0, a.Len-max(1, s.Panes[i].Least))); n != 0 {
		if s.Shares == nil {
			s.Shares = map[int]int{}
		}
		s.Shares[i] = ((a.Len+n)*1000 + s.n/2) / s.n
		if s.Shares[next] > 0 || s.Panes[next].Cells > 0 {
			s.Shares[next] = ((b.Len-n)*1000 + s.n/2) / s.n
		}
		s.LayoutPanes(s.n)
	}
	if over {
		s.held = 0
	}
	return true
}

// Scroll shows those of some lines that there is room for, and says how many
// stand above and below them. The zero value begins at the first line.
//
// The viewport bubble does so, too, and measures, wraps and pads each line once more,
// which takes longer than the rest of a frame.
type Scroll struct {
	n, top, height int  // lines, the first one in view, and rows for them
	marks          bool // the row behind those says what stands above and below
}

// View shows lines in h rows. What was in view stays there as far as it can.
func (s *Scroll) View(lines []string, h int, muted theme.Style) []string {
	s.FitLines(len(lines), h)
	return s.ShownLines(lines, muted)
}

// DrawRows shows n rows, of which one is to be in view, in at most h. Only those in
// view are drawn.
func (s *Scroll) DrawRows(n, at, h int, muted theme.Style, draw func(i int) string) []string {
	s.FitLines(n, h)
	s.KeepInView(at, at+1)
	return s.drawShown(muted, draw)
}

// FitLines gives n lines h rows, of which the last one says what is out of view where
// there are more.
func (s *Scroll) FitLines(n, h int) {
	if s.marks = n > h && h > 2; s.marks {
		h--
	}
	s.n, s.height = n, max(0, h)
	s.Move(0)
}

// ShownLines returns the lines in view, which may be fewer than there are rows.
func (s *Scroll) ShownLines(lines []string, muted theme.Style) []string {
	return s.drawShown(muted, func(i int) string { return lines[i] })
}

func (s *Scroll) drawShown(muted theme.Style, draw func(i int) string) (shown []string) {
	below := max(0, s.n-s.top-s.height)
	for i := s.top; i < s.n-below; i++ {
		shown = append(shown, draw(i))
	}
	if s.marks {
		shown = append(shown, format.CleanText(muted, " "+format.BeyondView(s.top, below, false)))
	}
	return shown
}

// KeepInView brings the lines from one up to, and without, another into view; where
// they are too many, the first of them.
func (s *Scroll) KeepInView(from, to int) {
	s.Move(max(0, to-s.height-s.top))
	s.Move(min(0, from-s.top))
}

// LineAt returns the line that stands in a row of the last view, false for none.
func (s *Scroll) LineAt(row int) (line int, ok bool) {
	line = s.top + row
	return line, row >= 0 && row < s.height && line < s.n
}

// Offset returns the first line in view.
func (s *Scroll) Offset() int { return s.top }

// Len returns how many lines there are.
func (s *Scroll) Len() int { return s.n }

// Height returns how many of them there is room for.
func (s *Scroll) Height() int { return s.height }

// HalfPage returns half of that.
func (s *Scroll) HalfPage() int { return max(1, s.height/2) }

// Move scrolls by n lines, up where negative.
func (s *Scroll) Move(n int) { s.top = max(0, min(s.top+n, s.n-s.height)) }

// ScrollToTop goes to the first line.
func (s *Scroll) ScrollToTop() { s.top = 0 }

// HandleKey scrolls by a key that moves and reports whether it was one. While
// somebody is typing, letters and what edits text are none.
func (s *Scroll) HandleKey(name string, typing bool) bool {
	by, moves := map[string]int{
		"down": 1, "up": -1, "pgdown": s.height, "pgup": -s.height, "home": -s.n, "end": s.n,
	}[name]
	if !moves && !typing {
		by, moves = map[string]int{
			"j": 1, "k": -1, "space": s.height, "ctrl+d": s.height, "ctrl+u": -s.height, "g": -s.n, "G": s.n,
		}[name]
	}
	if moves {
		s.Move(by)
	}
	return moves
}
