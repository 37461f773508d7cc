package tui

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// jumpKeys are the keys of jump labels, those that are easy to reach first.
const jumpKeys = "asdfghjklqwertzuiopyxcvbnmASDFGHJKLQWERTZUIOPYXCVBNM"

// jumpLabel is a label on a part of the screen.
type jumpLabel struct {
	key  string
	x, y int
	do   func() tea.Cmd
}

// jumpLabels chooses a part of the screen by its label.
type jumpLabels struct {
	on     bool
	labels []jumpLabel // of the last view
}

// labelParts gives labels to the parts of the frame, and to those that the page
// knows, which begins below top rows.
func (j *jumpLabels) labelParts(p page.Page, top int, hits []clickArea) {
	j.labels = nil
	add := func(x, y int, do func() tea.Cmd) {
		if n := len(j.labels); n < len(jumpKeys) {
			j.labels = append(j.labels, jumpLabel{jumpKeys[n : n+1], x, y, do})
		}
	}
	if p, ok := p.(page.Jumper); ok {
		for _, part := range p.JumpTargets() {
			add(part.X, part.Y+top, part.Do)
		}
	}
	for _, h := range hits {
		x := h.x
		if h.y != navRow { // a section has room for it, of the others none is to be hidden
			x = max(0, x-1)
		}
		add(x, h.y, h.do)
	}
}

// jumpTo goes to the part with a label; any other key takes the labels away.
func (j *jumpLabels) jumpTo(key string) tea.Cmd {
	found := j.labels
	j.labels, j.on = nil, false
	for _, label := range found {
		if label.key == key {
			return label.do()
		}
	}
	return nil
}

// drawLabels draws the labels over the screen.
func (j *jumpLabels) drawLabels(content string, style theme.Style) string {
	for _, label := range j.labels {
		content = layout.LayOver(content, style.Render(label.key), label.x, label.y)
	}
	return content
}
