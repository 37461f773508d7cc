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
