package tui

import (
	"testing"
	"time"

	"flightdesk/tui/page"
)

var heldAt = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func heldTexts(changes []*heldChange) (texts []string) {
	for _, c := range changes {
		texts = append(texts, c.Text)
	}
	return texts
}

func TestHeldChangeIsDueAfterItsCountdown(t *testing.T) {
	var q heldQueue
	q.add(page.HeldChange{Text: "accept A", Of: "a"}, heldAt)
	if due := q.popDue(heldAt.Add(time.Second)); len(due) != 0 {
		t.Fatalf("after a second %v are due", heldTexts(due))
	}
	for at := heldAt.Add(time.Second); at.Before(heldAt.Add(page.HoldTime)); at = at.Add(time.Second) {
		if due := q.popDue(at); len(due) != 0 {
			t.Fatalf("%v are due %v early", heldTexts(due), heldAt.Add(page.HoldTime).Sub(at))
		}
	}
	due := q.popDue(heldAt.Add(page.HoldTime))
	if len(due) != 1 || due[0].Text != "accept A" {
		t.Fatalf("due are %v", heldTexts(due))
	}
	if q.pendingFor("a") != "accept A" {
		t.Error("a change that is being sent is not pending")
	}
	q.finish(due[0])
	if q.pendingFor("a") != "" {
		t.Error("an answered change is still pending")
	}
}

func TestSuspensionRestartsCountdowns(t *testing.T) {
	var q heldQueue
	q.add(page.HeldChange{Text: "accept A"}, heldAt)
	resumed := heldAt.Add(time.Hour)
	if due := q.popDue(resumed); len(due) != 0 {
		t.Fatalf("%v were sent at once after a suspension", heldTexts(due))
	}
	for at := resumed; at.Before(resumed.Add(page.HoldTime)); at = at.Add(time.Second) {
		if due := q.popDue(at); len(due) != 0 {
			t.Fatalf("%v were sent %v after a suspension", heldTexts(due), at.Sub(resumed))
		}
	}
	if due := q.popDue(resumed.Add(page.HoldTime)); len(due) != 1 {
		t.Error("the change is not due after its countdown")
	}
}

func TestUndoCancelsTheNewestHeldChange(t *testing.T) {
	var q heldQueue
	q.add(page.HeldChange{Text: "accept A"}, heldAt)
	q.add(page.HeldChange{Text: "cancel B"}, heldAt.Add(time.Second))
	if c := q.cancelNewest(); c == nil || c.Text != "cancel B" {
		t.Fatalf("cancelled %v", c)
	}
	if got := q.countdown(heldAt, 80); got != "Accepting A in 8 s · u to undo" {
		t.Errorf("the countdown reads %q", got)
	}
	q.cancelNewest()
	if q.cancelNewest() != nil || len(q.waiting) != 0 {
		t.Error("an empty queue has something to cancel")
	}
}
