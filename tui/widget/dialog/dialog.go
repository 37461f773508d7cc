package dialog

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// DrawFrame draws a box with a title around lines and a hint in its lower edge.
func DrawFrame(th *theme.Theme, title, hint string, lines []string, w int) string {
	if th.Linear {
		return strings.Join(slices.Concat([]string{layout.Clean(title)}, lines, []string{hint}), "\n")
	}
	edge := th.RaisedStyle(theme.Muted)
	head := th.PaintRaised(theme.Accent, layout.CutLine(layout.Clean(title), w-4))
	foot := layout.CleanText(edge, layout.CutLine(hint, w-4))
	out := []string{edge.Render("┌ ") + head + edge.Render(" "+drawRule(w-4-layout.Width(head))+"┐")}
	for _, l := range lines {
		l = raiseLine(th, layout.CutLine(l, w-4))
		fill := th.RaisedStyle(theme.Text).Render(layout.BlankCells(w - 4 - layout.Width(l)))
		out = append(out, edge.Render("│ ")+l+fill+edge.Render(" │"))
	}
	out = append(out, edge.Render("└ ")+foot+edge.Render(" "+drawRule(w-4-layout.Width(foot))+"┘"))
	return strings.Join(out, "\n")
}

// raiseLine gives what stands in a line without a style of its own, as the blanks
// between the parts of a form, the box's background.
func raiseLine(th *theme.Theme, line string) string {
	const end = "\x1b[m"
	begin, _, _ := strings.Cut(th.RaisedStyle(theme.Text).Render(" "), " ")
	if begin == "" {
		return line
	}
	return begin + strings.ReplaceAll(line, end, end+begin) + end
}

func drawRule(n int) string { return strings.Repeat("─", max(0, n)) }

// Question asks for yes or no.
type Question struct {
	Theme *theme.Theme
	Title string
	Lines []string // what it is about: object and amount
	Yes   string   // what enter does
	No    string   // what esc does
	OnYes func() tea.Cmd
	OnNo  func() tea.Cmd // what esc does besides, nil for nothing
}

// Update takes enter and esc.
func (q *Question) Update(msg tea.Msg) (tea.Cmd, bool) {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "enter":
			return q.OnYes(), true
		case "esc":
			if q.OnNo != nil {
				return q.OnNo(), true
			}
			return nil, true
		}
	}
	return nil, false
}

// View draws the box.
func (q *Question) View(w, h int) string {
	w = q.Theme.NarrowWidth(w, 64)
	lines := q.Theme.RaiseLines(theme.Text, w-4, q.Lines...)
	return DrawFrame(q.Theme, q.Title, "enter "+q.Yes+"   esc "+q.No, lines[:min(len(lines), max(0, h-2))], w)
}

// Cursor returns nil.
func (q *Question) Cursor() *tea.Cursor { return nil }

// Reader is a text to read, longer than the screen perhaps.
type Reader struct {
	Theme  *theme.Theme
	Title  string
	Text   func(w int) []string // lines, styled, for a width
	scroll widget.Scroll
}

// Update scrolls, or closes on esc, ? and q.
func (r *Reader) Update(msg tea.Msg) (tea.Cmd, bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	switch name := key.String(); name {
	case "esc", "?", "q", "enter":
		return nil, true
	default:
		r.scroll.HandleKey(name, false)
	}
	return nil, false
}

// View draws the box.
func (r *Reader) View(w, h int) string {
	w = r.Theme.NarrowWidth(w, 76)
	lines := r.Text(w - 4)
	hint := "esc back"
	if len(lines) > h-2 {
		hint = "j k scroll   esc back"
	}
	return DrawFrame(r.Theme, r.Title, hint, r.scroll.View(lines, h-2, r.Theme.RaisedStyle(theme.Muted)), w)
}

// ScrollsWithWheel makes the wheel scroll.
func (r *Reader) ScrollsWithWheel() {}

// Cursor returns nil.
func (r *Reader) Cursor() *tea.Cursor { return nil }

// calm is how long what opens by itself ignores keys: they were meant for what
// was there before.
const calm = 400 * time.Millisecond

// Box is any dialog.
type Box interface {
	Update(msg tea.Msg) (cmd tea.Cmd, done bool)
	View(w, h int) string
	Cursor() *tea.Cursor
}

// OpenCalmly makes a dialog one that opens by itself: it takes nothing until all is
// calm.
func OpenCalmly(b Box, now func() time.Time) Box { return &calmBox{b, now, now().Add(calm)} }

type calmBox struct {
	Box
	now   func() time.Time
	until time.Time
}

// Inner returns the box that opened by itself.
func (s *calmBox) Inner() Box { return s.Box }

// Update passes on what comes late enough.
func (s *calmBox) Update(msg tea.Msg) (tea.Cmd, bool) {
	if s.now().Before(s.until) {
		return nil, false
	}
	return s.Box.Update(msg)
}

// BlocksProfileSwitch says what holds up the box's end, "" for nothing.
func (s *calmBox) BlocksProfileSwitch() string {
	if b, ok := s.Box.(interface{ BlocksProfileSwitch() string }); ok {
		return b.BlocksProfileSwitch()
	}
	return ""
}

// HandleClick returns the box's, once the keys are calm.
func (s *calmBox) HandleClick(x, y int) (tea.Cmd, bool) {
	if c, ok := s.Box.(interface {
		HandleClick(x, y int) (tea.Cmd, bool)
	}); ok && !s.now().Before(s.until) {
		return c.HandleClick(x, y)
	}
	return nil, false
}
