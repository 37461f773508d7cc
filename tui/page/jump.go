package page

import (
	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/widget/table"
)

// JumpTarget is a part of the page that a label goes to.
type JumpTarget struct {
	X, Y int // where the label stands, in cells of the page's rectangle
	Do   func() tea.Cmd
}

// Jumper is a page that knows its parts. The sections, the pages below and the
// keys of the footer have labels on every page.
type Jumper interface{ JumpTargets() []JumpTarget }

// RowTargets returns the rows of a table's last view, the table's first line at line y. A
// label does what a click on its row does.
func RowTargets(t *table.Table, x, y int, mouse func(MouseInput) tea.Cmd) []JumpTarget {
	jumps := make([]JumpTarget, t.ShownRows())
	for i := range jumps {
		at := MouseInput{X: x + 1, Y: y + 1 + i}
		jumps[i] = JumpTarget{X: x, Y: at.Y, Do: func() tea.Cmd { return mouse(at) }}
	}
	return jumps
}
