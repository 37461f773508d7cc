package widget

import (
	"slices"

	"flightdesk/tui/format"
	"flightdesk/tui/theme"
)

// Scroll shows a part of some lines and how many lines are above and below it. The zero
// value shows the first lines.
//
// The viewport bubble does the same, but it measures, wraps and pads every line again,
// which takes longer than the rest of a frame.
type Scroll struct {
	Pinned int // number of first lines of [Scroll.View] that are not scrolled

	n, top, height int  // number of lines, first visible line, number of visible lines
	marks          bool // an extra row counts the lines above and below
}

// View shows lines in h rows, at the same position as before if possible.
func (s *Scroll) View(lines []string, h int, muted theme.Style) []string {
	pinned := min(s.Pinned, len(lines))
	s.FitLines(len(lines)-pinned, h-pinned)
	return append(slices.Clone(lines[:pinned]), s.ShownLines(lines[pinned:], muted)...)
}

// DrawRows draws as many of n rows as fit into h lines. It scrolls to keep the selected row visible.
func (s *Scroll) DrawRows(n, selected, h int, muted theme.Style, draw func(i int) string) []string {
	s.FitLines(n, h)
	s.KeepInView(selected, selected+1)
	return s.drawShown(muted, draw)
}

// FitLines sets the number of all lines to n, and the number of rows for them to h. If not all lines fit, the last row
// says how many lines are above and below.
func (s *Scroll) FitLines(n, h int) {
	s.marks = n > h && h > 2
	if s.marks {
		h--
	}
	s.n = n
	s.height = max(0, h)
	s.Move(0)
}

// ShownLines returns the visible lines. If not all lines fit, one more line says how many lines are above and below. If
// there are fewer lines than rows, ShownLines does not add blank lines.
func (s *Scroll) ShownLines(lines []string, muted theme.Style) []string {
	return s.drawShown(muted, func(i int) string { return lines[i] })
}

func (s *Scroll) drawShown(muted theme.Style, draw func(i int) string) []string {
	var shown []string
	below := max(0, s.n-s.top-s.height)
	for i := s.top; i < s.n-below; i++ {
		shown = append(shown, draw(i))
	}
	if s.marks {
		shown = append(shown, format.CleanText(muted, " "+format.BeyondView(s.top, below, false)))
	}
	return shown
}

// KeepInView scrolls to make the lines from index start to index end-1 visible. If not all of these lines fit, the
// first of them are visible.
func (s *Scroll) KeepInView(start, end int) {
	s.Move(max(0, end-s.height-s.top))
	s.Move(min(0, start-s.top))
}

// LineAt returns the line in a row of the last view; ok is false if there is none.
func (s *Scroll) LineAt(row int) (line int, ok bool) {
	line = s.top + row
	return line, row >= 0 && row < s.height && line < s.n
}

// Offset returns the index of the first visible line.
func (s *Scroll) Offset() int { return s.top }

// Len returns the number of lines.
func (s *Scroll) Len() int { return s.n }

// Height returns how many lines fit.
func (s *Scroll) Height() int { return s.height }

// HalfPage returns half of the height, at least 1.
func (s *Scroll) HalfPage() int { return max(1, s.height/2) }

// Move scrolls down by n lines, or up if n is negative.
func (s *Scroll) Move(n int) { s.top = max(0, min(s.top+n, s.n-s.height)) }

func (s *Scroll) ScrollToTop() { s.top = 0 }

// HandleKey scrolls if name is the name of a scroll key, and reports whether it is. While the user is typing,
// letters and editing keys are not scroll keys.
func (s *Scroll) HandleKey(name string, typing bool) bool {
	switch name {
	case "down":
		s.Move(1)
	case "up":
		s.Move(-1)
	case "pgdown":
		s.Move(s.height)
	case "pgup":
		s.Move(-s.height)
	case "home":
		s.Move(-s.n)
	case "end":
		s.Move(s.n)
	default:
		return !typing && s.handleTextKey(name)
	}
	return true
}

// handleTextKey handles the scroll keys that would type or edit text if the user were typing: letters, space,
// ctrl+d and ctrl+u.
func (s *Scroll) handleTextKey(name string) bool {
	switch name {
	case "j":
		s.Move(1)
	case "k":
		s.Move(-1)
	case "space", "ctrl+d":
		s.Move(s.height)
	case "ctrl+u":
		s.Move(-s.height)
	case "g":
		s.Move(-s.n)
	case "G":
		s.Move(s.n)
	default:
		return false
	}
	return true
}
