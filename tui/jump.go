package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// jumpKeys are the keys of jump labels, easiest to reach first.
const jumpKeys = "asdfghjklqwertzuiopyxcvbnmASDFGHJKLQWERTZUIOPYXCVBNM"

// jumpLabels lets the user activate any part of the screen by a key.
type jumpLabels struct {
	on     bool
	labels []page.JumpTarget // of the last frame, by the keys
}

// labelParts assigns labels to the parts of the page, which begins below top
// rows, and of the frame.
func (j *jumpLabels) labelParts(p page.Page, top int, hits []clickArea) {
	j.labels = nil
	if p, ok := p.(page.Jumper); ok {
		for _, part := range p.JumpTargets() {
			part.Y += top
			j.labels = append(j.labels, part)
		}
	}
	for _, h := range hits {
		x := h.x
		if h.y != navRow { // only section names have room for a label
			x = max(0, x-1)
		}
		j.labels = append(j.labels, page.JumpTarget{X: x, Y: h.y, Do: h.do})
	}
	j.labels = j.labels[:min(len(j.labels), len(jumpKeys))]
}

// showLabels shows the labels with the next frame.
func (j *jumpLabels) showLabels() tea.Cmd {
	j.on = true
	return nil
}

// jumpTo activates the part with this key; any other key removes the labels.
func (j *jumpLabels) jumpTo(key string) tea.Cmd {
	found := j.labels
	j.labels, j.on = nil, false
	if i := strings.Index(jumpKeys, key); i >= 0 && i < len(found) {
		return found[i].Do()
	}
	return nil
}

// drawLabels draws the labels over the screen.
func (j *jumpLabels) drawLabels(content string, style theme.Style) string {
	for i, label := range j.labels {
		content = format.LayOver(content, style.Render(jumpKeys[i:i+1]), label.X, label.Y)
	}
	return content
}
