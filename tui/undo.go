package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// undoHistory has the undo and redo steps of local changes, newest last.
type undoHistory struct {
	done   []page.UndoMsg
	undone []page.UndoMsg
}

// The oldest steps are dropped beyond this many sites; each step counts as some.
const (
	maxUndoSites = 200_000
	sitesPerStep = 1000
)

// add adds a step.
func (h *undoHistory) add(step page.UndoMsg) {
	h.done, h.undone = append(h.done, step), nil
	sites := 0
	for i, step := range slices.Backward(h.done) {
		sites += step.Weight + sitesPerStep
		if sites > maxUndoSites && i < len(h.done)-1 {
			h.done = slices.Delete(h.done, 0, i+1)
			return
		}
	}
}

// block replaces the history by a step that cannot be undone.
func (h *undoHistory) block(why string) {
	h.done = []page.UndoMsg{{Text: why, Undo: func() (tea.Cmd, bool) { return nil, false }}}
	h.undone = nil
}

func (h *undoHistory) undo() tea.Cmd { return moveStep(&h.done, &h.undone, "undo") }

func (h *undoHistory) redo() tea.Cmd { return moveStep(&h.undone, &h.done, "redo") }

// moveStep performs the last step of one stack and puts its reversal on the other.
func moveStep(from, to *[]page.UndoMsg, verb string) tea.Cmd {
	n := len(*from) - 1
	if n < 0 {
		return page.ShowToast(theme.Attention, "Nothing to "+verb)
	}
	step := (*from)[n]
	*from = (*from)[:n]
	cmd, ok := step.Undo()
	if !ok {
		return page.ShowToast(theme.Attention, "Cannot "+verb+": "+step.Text)
	}
	if step.Redo != nil {
		step.Undo, step.Redo = step.Redo, step.Undo
		*to = append(*to, step)
	}
	return tea.Batch(cmd, page.ShowToast(theme.Good, format.CapitalizeFirst(verb)+"ne: "+step.Text))
}
