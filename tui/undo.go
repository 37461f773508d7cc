package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// undoHistory has the local changes that can be undone and redone.
type undoHistory struct {
	done   []page.UndoMsg // newest last
	undone []page.UndoMsg // in the order in which they were undone
}

// The history keeps the steps of at most maxUndoSites sites, which limits its memory. A step
// counts as sitesPerStep sites more than it changed.
const (
	maxUndoSites = 200_000
	sitesPerStep = 1000
)

// add adds a step. Steps that were undone before can no longer be redone. If the history has become too large, add
// drops the oldest steps, but never the new step.
func (h *undoHistory) add(step page.UndoMsg) {
	h.done = append(h.done, step)
	h.undone = nil
	sites := 0
	for i, step := range slices.Backward(h.done) {
		sites += step.Weight + sitesPerStep
		if sites > maxUndoSites && i < len(h.done)-1 {
			h.done = slices.Delete(h.done, 0, i+1)
			return
		}
	}
}

// block clears the history, so that no step can be undone or redone. The next attempt to undo shows
// the reason.
func (h *undoHistory) block(reason string) {
	refuse := func() (tea.Cmd, bool) { return nil, false }
	h.done = []page.UndoMsg{{Text: reason, Undo: refuse}}
	h.undone = nil
}

func (h *undoHistory) undo() tea.Cmd { return moveStep(&h.done, &h.undone, "undo") }

func (h *undoHistory) redo() tea.Cmd { return moveStep(&h.undone, &h.done, "redo") }

// moveStep undoes the last step of from and moves it to the stack to. It exchanges Undo and Redo of the step,
// so the next moveStep in the other direction makes the change again. Redoing is therefore a moveStep from
// the undone steps to the done steps. verb is "undo" or "redo", for the message.
func moveStep(from, to *[]page.UndoMsg, verb string) tea.Cmd {
	last := len(*from) - 1
	if last < 0 {
		return page.ShowToast(theme.Attention, "Nothing to "+verb)
	}
	step := (*from)[last]
	*from = (*from)[:last]
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

// undoLast cancels the newest held change. If no change is held, it undoes the last local change, unless a
// change is being sent.
func (ws *workspace) undoLast() tea.Cmd {
	if c := ws.held.cancelNewest(); c != nil {
		return page.ShowToast(theme.Good, "Not sent: "+c.Text)
	}
	if len(ws.held.sending) > 0 {
		return page.ShowToast(theme.Attention, "Cannot undo: already sent")
	}
	return ws.history.undo()
}

// addUndo adds a step that can be undone. It shows the step's text, unless the step is marked as
// Quiet because the user can see the change.
func (ws *workspace) addUndo(step page.UndoMsg) tea.Cmd {
	ws.history.add(step)
	if step.Quiet {
		return nil
	}
	text := format.CapitalizeFirst(step.Text)
	isNext := len(ws.held.waiting) == 0 && len(ws.held.sending) == 0 // otherwise undo is about the held change
	if isNext && ws.dialogs.top() == nil && !ws.pages.top().IsTyping() {
		text += " · " + keyOf(action.Undo) + " to undo"
	}
	return page.ShowToast(theme.Text, text)
}
