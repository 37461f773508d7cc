package widget

import (
	"slices"

	"charm.land/bubbles/v2/viewport"

	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// Scroll shows those of some lines that there is room for, and says how many
// stand above and below them. The zero value begins at the first line.
//
// Where it stands is the viewport bubble's to know. What it draws is not: the
// bubble measures, wraps and pads each line once more, which takes longer than
// the rest of a frame.
type Scroll struct {
	port  viewport.Model
	lines []string
	marks bool // the last row says what stands above and below
}

// View shows lines in h rows. What was in view stays there as far as it can.
func (s *Scroll) View(lines []string, h int, muted theme.Style) []string {
	s.SetLines(lines, h)
	return s.ShownLines(muted)
}

// DrawRows shows n rows, of which one is to be in view, in at most h. Only those in
// view are drawn.
func (s *Scroll) DrawRows(n, at, h int, muted theme.Style, draw func(i int) string) []string {
	if n != len(s.lines) {
		s.lines = make([]string, n)
		s.port.SetContentLines(s.lines)
	}
	s.fitRows(h)
	s.KeepInView(at, at+1)
	rows := s.ShownLines(muted)
	for i := range min(len(rows), n, s.port.Height()) {
		rows[i] = draw(s.port.YOffset() + i)
	}
	return rows
}

// SetLines gives it its lines and h rows for them, of which the last one says what is out
// of view where there are more.
func (s *Scroll) SetLines(lines []string, h int) {
	if !slices.Equal(s.lines, lines) { // setting them measures each
		s.lines = slices.Clone(lines)
		s.port.SetContentLines(s.lines)
	}
	s.fitRows(h)
}

func (s *Scroll) fitRows(h int) {
	if s.marks = len(s.lines) > h && h > 2; s.marks {
		h--
	}
	s.port.SetHeight(max(0, h))
	s.Move(0)
}

// ShownLines returns the lines in view, which may be fewer than there are rows.
func (s *Scroll) ShownLines(muted theme.Style) []string {
	from := s.port.YOffset()
	shown := slices.Clone(s.lines[from:min(len(s.lines), from+s.port.Height())])
	if s.marks {
		shown = append(
			shown,
			layout.CleanText(muted, " "+format.BeyondView(from, len(s.lines)-from-s.port.Height(), false)),
		)
	}
	return shown
}

// KeepInView brings the lines from one up to, and without, another into view; where
// they are too many, the first of them.
func (s *Scroll) KeepInView(from, to int) {
	if to > s.port.YOffset()+s.port.Height() {
		s.port.SetYOffset(to - s.port.Height())
	}
	if from < s.port.YOffset() {
		s.port.SetYOffset(from)
	}
}

// LineAt returns the line that stands in a row of the last view, false for none.
func (s *Scroll) LineAt(row int) (line int, ok bool) {
	line = s.port.YOffset() + row
	return line, row >= 0 && row < s.port.Height() && line < len(s.lines)
}

// Offset returns the first line in view.
func (s *Scroll) Offset() int { return s.port.YOffset() }

// Len returns how many lines there are.
func (s *Scroll) Len() int { return len(s.lines) }

// Height returns how many of them there is room for.
func (s *Scroll) Height() int { return s.port.Height() }

// HalfPage returns half of that.
func (s *Scroll) HalfPage() int { return max(1, s.port.Height()/2) }

// Move scrolls by n lines, up where negative.
func (s *Scroll) Move(n int) { s.port.SetYOffset(s.port.YOffset() + n) }

// ScrollToTop goes to the first line.
func (s *Scroll) ScrollToTop() { s.port.GotoTop() }

// HandleKey scrolls by a key that moves and reports whether it was one. While
// somebody is typing, letters are none.
func (s *Scroll) HandleKey(name string, typing bool) bool {
	if by := map[string]string{"j": "down", "k": "up", "space": "pgdown", "g": "home", "G": "end"}[name]; by != "" &&
		!typing {
		name = by
	}
	switch name {
	case "down":
		s.Move(1)
	case "up":
		s.Move(-1)
	case "pgdown", "ctrl+d":
		s.port.PageDown()
	case "pgup", "ctrl+u":
		s.port.PageUp()
	case "home":
		s.port.GotoTop()
	case "end":
		s.port.GotoBottom()
	default:
		return false
	}
	return true
}
