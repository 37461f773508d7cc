package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
)

// countingStep returns a step whose Undo subtracts one from n, and whose Redo adds one.
func countingStep(n *int, weight int) page.UndoMsg {
	return page.UndoMsg{
		Text:   "added",
		Weight: weight,
		Undo:   func() (tea.Cmd, bool) { *n--; return nil, true },
		Redo:   func() (tea.Cmd, bool) { *n++; return nil, true },
	}
}

func TestUndoneStepsCanBeRedoneUntilTheNextChange(t *testing.T) {
	var h undoHistory
	n := 2
	h.add(countingStep(&n, 1))
	h.add(countingStep(&n, 1))
	h.undo()
	h.undo()
	h.undo()
	if n != 0 {
		t.Errorf("after undoing everything n is %d", n)
	}
	h.redo()
	if n != 1 {
		t.Errorf("after one redo n is %d", n)
	}
	h.add(countingStep(&n, 1))
	h.redo()
	if n != 1 {
		t.Error("a step was redone after something new")
	}
}

func TestUndoHistoryDropsOldestSteps(t *testing.T) {
	var h undoHistory
	n := 0
	for range 10 {
		h.add(countingStep(&n, maxUndoSites/4))
	}
	if len(h.done) == 0 || len(h.done) > 4 {
		t.Errorf("%d large steps are kept", len(h.done))
	}
	h.add(countingStep(&n, 2*maxUndoSites))
	if len(h.done) != 1 {
		t.Errorf("%d steps are kept; the newest one always is", len(h.done))
	}
}

func TestSentChangeBlocksTheUndoHistory(t *testing.T) {
	var h undoHistory
	n := 1
	h.add(countingStep(&n, 1))
	h.block("already sent")
	h.undo()
	if n != 1 {
		t.Error("a step before a sent change was undone")
	}
}
