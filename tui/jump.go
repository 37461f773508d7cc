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

// jumpLabels shows a label on every clickable part of the screen. The label is a key that has the same effect
// as a click.
type jumpLabels struct {
	isShown bool
	targets []page.JumpTarget // parts of the last frame; jumpKeys has their keys in the same order
}

// labelParts assigns keys to the parts of a page and to the clickable areas of the frame. The page
// begins at row pageRow of the window.
func (j *jumpLabels) labelParts(p page.Page, pageRow int, areas []clickArea) {
	j.targets = nil
	if jumper, ok := p.(page.Jumper); ok {
		for _, target := range jumper.JumpTargets() {
			target.Y += pageRow
			j.targets = append(j.targets, target)
		}
	}
	for _, area := range areas {
		x := area.x
		if area.y != navRow { // only section names have room for a label inside
			x = max(0, x-1)
		}
		j.targets = append(j.targets, page.JumpTarget{X: x, Y: area.y, Do: area.do})
	}
	j.targets = j.targets[:min(len(j.targets), len(jumpKeys))]
}

// showLabels shows the labels with the next frame.
func (j *jumpLabels) showLabels() tea.Cmd {
	j.isShown = true
	return nil
}

// jumpTo removes the labels and clicks the part whose label is key, if there is one.
func (j *jumpLabels) jumpTo(key string) tea.Cmd {
	targets := j.targets
	j.targets = nil
	j.isShown = false
	i := strings.Index(jumpKeys, key)
	if i < 0 || i >= len(targets) {
		return nil
	}
	return targets[i].Do()
}

// drawLabels draws the labels over the screen.
func (j *jumpLabels) drawLabels(content string, style theme.Style) string {
	for i, target := range j.targets {
		label := style.Render(jumpKeys[i : i+1])
		content = format.LayOver(content, label, target.X, target.Y)
	}
	return content
}
