package tui

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// jumpKeys are the keys of jump labels, those that are easy to reach first.
const jumpKeys = "asdfghjklqwertzuiopyxcvbnmASDFGHJKLQWERTZUIOPYXCVBNM"

// jump is a label on a part of the screen.
type jump struct {
	key  string
	x, y int
	do   func() tea.Cmd
}

// jumps are the labels of what is on the screen: of the frame's parts, and of
// those that the page knows.
func (a *App) jumps() []jump {
	var found []jump
	add := func(x, y int, do func() tea.Cmd) {
		if n := len(found); n < len(jumpKeys) {
			found = append(found, jump{jumpKeys[n : n+1], x, y, do})
		}
	}
	if p, ok := a.stacks.top().(page.Jumper); ok {
		for _, j := range p.Jumps() {
			add(j.X, j.Y+a.headHeight(), j.Do)
		}
	}
	for _, h := range a.hits {
		x := h.x
		if h.y != navRow { // a section has room for it, of the others none is to be hidden
			x = max(0, x-1)
		}
		add(x, h.y, h.do)
	}
	return found
}

// jumpTo goes to the part with a label; any other key takes the labels away.
func (a *App) jumpTo(key string) tea.Cmd {
	found := a.labels
	a.labels, a.labelling = nil, false
	for _, j := range found {
		if j.key == key {
			return j.do()
		}
	}
	return nil
}

// labelled draws the labels over the screen, on what was just drawn.
func (a *App) labelled(content string) string {
	a.labels = a.jumps()
	style := a.env.Theme.Selected(theme.Attention).Bold(true)
	for _, j := range a.labels {
		content = layout.Over(content, style.Render(j.key), j.x, j.y)
	}
	return content
}
