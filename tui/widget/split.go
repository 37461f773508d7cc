package widget

import (
	"strings"

	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// Size is how many cells a pane gets.
type Size struct {
	kind sizeKind
	n    int
}

type sizeKind int

const (
	fill sizeKind = iota // the zero Size fills
	fixed
	mille
)

// FixedSize returns a size of n cells.
func FixedSize(n int) Size { return Size{fixed, max(0, n)} }

// PercentSize returns a share of the whole.
func PercentSize(n int) Size { return Size{mille, 10 * max(0, min(100, n))} }

// FillSize shares what is left, by weights.
func FillSize(weight int) Size { return Size{fill, max(1, weight)} }

// Pane is one part of the rectangle.
type Pane struct {
	Size  Size
	Least int    // cells that it needs
	Drop  int    // leaves where there is no room for all, the highest first; 0 stays
	Title string // in the line over it, where panes are one below the other
	// View draws the pane into exactly h lines of w cells.
	View func(w, h int) string
	// Of names what the pane shows, where that is chosen in another one; nil
	// where it is not.
	Of func() string
}

// Split shares a rectangle among its panes, beside each other or, with Down,
// one below the other.
type Split struct {
	Panes []Pane
	Down  bool
	// Passing tells whether things are chosen and left again in quick
	// succession. Meanwhile panes that follow a choice stay as they were drawn:
	// they would be drawn for nobody to read. Nil is never.
	Passing func() bool
	set     map[int]int // thousandths of the panes whose border was moved
	spans   []Span      // of the last layout
	n       int         // its cells
	held    int         // pane before the border that is held, plus one
	drawn   []drawnPane // by panes
}

// drawnPane is how a pane was drawn last.
type drawnPane struct {
	of, theme, view string
	w, h            int
}

// Span is where a pane lies along the split; of one left out Len is 0.
type Span struct{ At, Len int }

// LayoutPanes shares n cells among the panes, with one cell between two.
func (s *Split) LayoutPanes(n int) []Span {
	s.n = max(0, n)
	shown := s.shownPanes()
	sizes := s.shareCells(shown)
	s.spans = make([]Span, len(s.Panes))
	at := 0
	for k, i := range shown {
		s.spans[i] = Span{at, sizes[k]}
		at += sizes[k] + 1
	}
	return s.spans
}

// shownPanes returns the panes that there is room for; at least one.
func (s *Split) shownPanes() []int {
	shown := make([]int, len(s.Panes))
	for i := range shown {
		shown[i] = i
	}
	for len(shown) > 1 {
		need, drop := len(shown)-1, -1
		for k, i := range shown {
			need += max(1, s.Panes[i].Least)
			if s.Panes[i].Drop > 0 && (drop < 0 || s.Panes[i].Drop > s.Panes[shown[drop]].Drop) {
				drop = k
			}
		}
		if need <= s.n {
			break
		}
		if drop < 0 {
			if drop = len(shown) - 1; s.n >= 2*len(shown)-1 {
				break // all stay, below their least
			}
		}
		shown = append(shown[:drop], shown[drop+1:]...)
	}
	return shown
}

func (s *Split) paneSize(i int) Size {
	if n, ok := s.set[i]; ok {
		return Size{mille, n}
	}
	return s.Panes[i].Size
}

// shareCells shares the cells between the borders among the panes shown; together
// they are all of them.
func (s *Split) shareCells(shown []int) []int {
	if len(shown) == 0 {
		return nil
	}
	room := max(0, s.n-len(shown)+1)
	sizes := make([]int, len(shown))
	left, weights := room, 0
	for k, i := range shown {
		switch size := s.paneSize(i); size.kind {
		case fixed:
			sizes[k] = size.n
		case mille:
			sizes[k] = (s.n*size.n + 500) / 1000
		default:
			weights += max(1, size.n)
			continue
		}
		sizes[k] = max(sizes[k], s.Panes[i].Least, 1)
		left -= sizes[k]
	}
	for k, i := range shown {
		if size := s.paneSize(i); size.kind == fill {
			share := max(0, left) * max(1, size.n) / weights
			sizes[k] = max(share, s.Panes[i].Least, 1)
			left, weights = left-share, weights-max(1, size.n)
		}
	}
	s.settleSizes(sizes, shown, room)
	return sizes
}

// settleSizes makes the sizes add up to room: what is over goes to a pane that
// fills, else to the last one; what is too much is taken first from those that
// have more than their least, from the last to the first, and then from any.
func (s *Split) settleSizes(sizes, shown []int, room int) {
	over := room
	for _, n := range sizes {
		over -= n
	}
	if over > 0 {
		to := len(sizes) - 1
		for k, i := range shown {
			if s.paneSize(i).kind == fill {
				to = k
			}
		}
		sizes[to] += over
		return
	}
	for _, respect := range []bool{true, false} {
		for k := len(sizes) - 1; k >= 0 && over < 0; k-- {
			least := min(1, room)
			if respect {
				least = max(least, s.Panes[shown[k]].Least)
			}
			take := min(-over, max(0, sizes[k]-least))
			sizes[k] -= take
			over += take
		}
	}
	if over < 0 { // no cell for each: the first has them
		clear(sizes)
		sizes[0] = room
	}
}

// View draws the panes into exactly h lines of w cells. A border that is held
// is lit.
func (s *Split) View(th *theme.Theme, w, h int) string {
	if w <= 0 || h <= 0 || len(s.Panes) == 0 {
		s.LayoutPanes(0)
		return layout.FitBox(nil, w, h)
	}
	if s.Down {
		return s.stackPanes(th, w, h)
	}
	var boxes []string
	for i, span := range s.LayoutPanes(w) {
		if span.Len == 0 {
			continue
		}
		if len(boxes) > 0 {
			border := strings.TrimSuffix(strings.Repeat(s.styleLine(th, i, "│")+"\n", h), "\n")
			boxes = append(boxes, border)
		}
		boxes = append(boxes, s.drawPane(th, i, span.Len, h))
	}
	return layout.Beside("", boxes...)
}

func (s *Split) stackPanes(th *theme.Theme, w, h int) string {
	var lines []string
	for i, span := range s.LayoutPanes(h) {
		if span.Len == 0 {
			continue
		}
		if len(lines) > 0 {
			lines = append(lines, s.ruleLine(th, i, w))
		}
		lines = append(lines, layout.SplitLines(s.drawPane(th, i, w, span.Len))...)
	}
	return layout.FitBox(lines, w, h)
}

// ruleLine returns the line over a pane, with its title.
func (s *Split) ruleLine(th *theme.Theme, i, w int) string {
	title := layout.Clean(s.Panes[i].Title)
	if title == "" || w < 8 {
		return s.styleLine(th, i, strings.Repeat("─", w))
	}
	title = " " + layout.CutLine(title, w-4) + " "
	return s.styleLine(
		th,
		i,
		"─",
	) + th.PaintTitle(
		title,
	) + s.styleLine(
		th,
		i,
		strings.Repeat("─", max(0, w-1-layout.Width(title))),
	)
}

func (s *Split) styleLine(th *theme.Theme, i int, text string) string {
	if s.held > 0 && s.paneBefore(i) == s.held-1 {
		return th.PaintRole(theme.Accent, text)
	}
	return layout.CleanText(th.Rule, text)
}

// drawPane draws a pane, or leaves it as it is while what it shows is passed by.
func (s *Split) drawPane(th *theme.Theme, i, w, h int) string {
	p := s.Panes[i]
	if p.View == nil {
		return layout.FitBox(nil, w, h)
	}
	if p.Of == nil || s.Passing == nil {
		return layout.FitBox(layout.SplitLines(p.View(w, h)), w, h)
	}
	if len(s.drawn) != len(s.Panes) {
		s.drawn = make([]drawnPane, len(s.Panes))
	}
	was, now := s.drawn[i], drawnPane{of: p.Of(), theme: th.Name, w: w, h: h}
	if was.of != now.of && was.theme == now.theme && was.w == w && was.h == h && s.Passing() {
		return was.view
	}
	now.view = layout.FitBox(layout.SplitLines(p.View(w, h)), w, h)
	s.drawn[i] = now
	return now.view
}
