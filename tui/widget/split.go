package widget

import (
	"strings"

	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// Size is how many cells a pane gets.
type Size struct {
	kind kind
	n    int
}

type kind int

const (
	fill kind = iota // the zero Size fills
	fixed
	mille
)

// Fixed is a size of n cells.
func Fixed(n int) Size { return Size{fixed, max(0, n)} }

// Percent is a share of the whole.
func Percent(n int) Size { return Size{mille, 10 * max(0, min(100, n))} }

// Fill shares what is left, by weights.
func Fill(weight int) Size { return Size{fill, max(1, weight)} }

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
	drawn   []drawn     // by panes
}

// drawn is how a pane was drawn last.
type drawn struct {
	of, theme, view string
	w, h            int
}

// Span is where a pane lies along the split; of one left out Len is 0.
type Span struct{ At, Len int }

// Layout shares n cells among the panes, with one cell between two.
func (s *Split) Layout(n int) []Span {
	s.n = max(0, n)
	shown := s.shown()
	sizes := s.sizes(shown)
	s.spans = make([]Span, len(s.Panes))
	at := 0
	for k, i := range shown {
		s.spans[i] = Span{at, sizes[k]}
		at += sizes[k] + 1
	}
	return s.spans
}

// shown are the panes that there is room for; at least one.
func (s *Split) shown() []int {
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

func (s *Split) size(i int) Size {
	if n, ok := s.set[i]; ok {
		return Size{mille, n}
	}
	return s.Panes[i].Size
}

// sizes shares the cells between the borders among the panes shown; together
// they are all of them.
func (s *Split) sizes(shown []int) []int {
	if len(shown) == 0 {
		return nil
	}
	room := max(0, s.n-len(shown)+1)
	sizes := make([]int, len(shown))
	left, weights := room, 0
	for k, i := range shown {
		switch size := s.size(i); size.kind {
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
		if size := s.size(i); size.kind == fill {
			share := max(0, left) * max(1, size.n) / weights
			sizes[k] = max(share, s.Panes[i].Least, 1)
			left, weights = left-share, weights-max(1, size.n)
		}
	}
	s.settle(sizes, shown, room)
	return sizes
}

// settle makes the sizes add up to room: what is over goes to a pane that
// fills, else to the last one; what is too much is taken first from those that
// have more than their least, from the last to the first, and then from any.
func (s *Split) settle(sizes, shown []int, room int) {
	over := room
	for _, n := range sizes {
		over -= n
	}
	if over > 0 {
		to := len(sizes) - 1
		for k, i := range shown {
			if s.size(i).kind == fill {
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
		s.Layout(0)
		return layout.Box(nil, w, h)
	}
	if s.Down {
		return s.stack(th, w, h)
	}
	var boxes []string
	for i, span := range s.Layout(w) {
		if span.Len == 0 {
			continue
		}
		if len(boxes) > 0 {
			border := strings.TrimSuffix(strings.Repeat(s.line(th, i, "│")+"\n", h), "\n")
			boxes = append(boxes, border)
		}
		boxes = append(boxes, s.box(th, i, span.Len, h))
	}
	return layout.Beside("", boxes...)
}

func (s *Split) stack(th *theme.Theme, w, h int) string {
	var lines []string
	for i, span := range s.Layout(h) {
		if span.Len == 0 {
			continue
		}
		if len(lines) > 0 {
			lines = append(lines, s.rule(th, i, w))
		}
		lines = append(lines, layout.Lines(s.box(th, i, w, span.Len))...)
	}
	return layout.Box(lines, w, h)
}

// rule is the line over a pane, with its title.
func (s *Split) rule(th *theme.Theme, i, w int) string {
	title := layout.Clean(s.Panes[i].Title)
	if title == "" || w < 8 {
		return s.line(th, i, strings.Repeat("─", w))
	}
	title = " " + layout.Cut(title, w-4) + " "
	return s.line(th, i, "─") + layout.Text(th.Title, title) + s.line(th, i, strings.Repeat("─", max(0, w-1-layout.Width(title))))
}

func (s *Split) line(th *theme.Theme, i int, text string) string {
	if s.held > 0 && s.before(i) == s.held-1 {
		return layout.Text(th.Style(theme.Accent), text)
	}
	return layout.Text(th.Rule, text)
}

// box draws a pane, or leaves it as it is while what it shows is passed by.
func (s *Split) box(th *theme.Theme, i, w, h int) string {
	p := s.Panes[i]
	if p.View == nil {
		return layout.Box(nil, w, h)
	}
	if p.Of == nil || s.Passing == nil {
		return layout.Box(layout.Lines(p.View(w, h)), w, h)
	}
	if len(s.drawn) != len(s.Panes) {
		s.drawn = make([]drawn, len(s.Panes))
	}
	was, now := s.drawn[i], drawn{of: p.Of(), theme: th.Name, w: w, h: h}
	if was.of != now.of && was.theme == now.theme && was.w == w && was.h == h && s.Passing() {
		return was.view
	}
	now.view = layout.Box(layout.Lines(p.View(w, h)), w, h)
	s.drawn[i] = now
	return now.view
}
