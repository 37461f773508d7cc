package dialog

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// calm is how long what opens by itself ignores keys: they were meant for what
// was there before.
const calm = 400 * time.Millisecond

// Box is any dialog.
type Box interface {
	Update(msg tea.Msg) (cmd tea.Cmd, done bool)
	View(w, h int) string
	Cursor() *tea.Cursor
}

// Sudden makes a dialog one that opens by itself: it takes nothing until all is
// calm.
func Sudden(b Box, now func() time.Time) Box { return &sudden{b, now, now().Add(calm)} }

type sudden struct {
	Box
	now   func() time.Time
	until time.Time
}

// Inner is the box that opened by itself.
func (s *sudden) Inner() Box { return s.Box }

// Update passes on what comes late enough.
func (s *sudden) Update(msg tea.Msg) (tea.Cmd, bool) {
	if s.now().Before(s.until) {
		return nil, false
	}
	return s.Box.Update(msg)
}

// BlocksProfileSwitch says what holds up the box's end, "" for nothing.
func (s *sudden) BlocksProfileSwitch() string {
	if b, ok := s.Box.(interface{ BlocksProfileSwitch() string }); ok {
		return b.BlocksProfileSwitch()
	}
	return ""
}

// Click is the box's, once the keys are calm.
func (s *sudden) Click(x, y int) (tea.Cmd, bool) {
	if c, ok := s.Box.(interface {
		Click(x, y int) (tea.Cmd, bool)
	}); ok && !s.now().Before(s.until) {
		return c.Click(x, y)
	}
	return nil, false
}
