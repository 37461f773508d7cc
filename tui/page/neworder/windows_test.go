package neworder_test

import (
	"testing"
	"time"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
)

func TestTwoWindowsOnOneProfilePlaceTwoOrdersOnlyOnPurpose(t *testing.T) {
	drafts := t.TempDir()
	keep := func(o *tui.Options) { o.Drafts = drafts }
	first := apptest.Open(t, 120, 36, keep)
	second := apptest.Open(t, 120, 36, keep, func(o *tui.Options) { o.Client = first.Client })
	for _, d := range []*apptest.Session{first, second} {
		d.ToReview("elbe")
	}
	first.Advance(time.Second) // its draft is written
	second.Press("ctrl+l")
	second.RequireText("▸ elbe levee", "5 sites", "open in another window ")
	second.Press("enter")
	second.RequireText("The draft is open in another window (process ")
	second.Press("esc")

	first.Press("S", "enter")
	code := first.NewestOrder().OrderCode
	first.RequireText(code + " placed")
	second.Press("S", "enter")
	second.RequireText("Place another order?", code+", placed", "has the same name and has 4 of these")
	second.Press("enter")
	second.Press("esc")
	second.RequireText("[4 Review]")
	if got := first.NewestOrder().OrderCode; got != code {
		t.Fatalf("%s was placed without an answer", got)
	}
	second.Press("S", "enter")
	second.Type("place")
	second.Press("enter")
	if got := first.NewestOrder().OrderCode; got == code {
		t.Error("it is not placed on purpose")
	}
	second.RequireText(first.NewestOrder().OrderCode + " placed")
}

func TestASecondWindowSaysWhoHasTheDraft(t *testing.T) {
	drafts := t.TempDir()
	keep := func(o *tui.Options) { o.Drafts = drafts }
	first := apptest.Open(t, 120, 36, keep)
	first.Press("n")
	first.Type("elbe")
	first.Press("enter", "esc")
	second := apptest.Open(t, 120, 36, keep)
	second.Press("n")
	second.RequireText("The draft is open in another window (process ", "[1 Files]")
	second.Type("masts")
	second.Press("enter")
	second.Close()
	first.Close()

	next := apptest.Open(t, 120, 36, keep)
	next.Press("n")
	next.RequireText(" resumed, 5 sites")
	next.Press("ctrl+l")
	next.RequireText("masts", "3 sites")
}
