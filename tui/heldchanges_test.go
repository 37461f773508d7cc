package tui

import (
	"context"
	"errors"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/page"
	"flightdesk/tui/tuitest"
)

// holder is an app with a page that holds back changes of the test.
type holder struct {
	*tuitest.Driver
	app  *App
	sent []string
	told []page.SentMsg
}

// listener is a page that records the results of changes.
type listener struct {
	leaf
	h *holder
}

func (l *listener) Update(msg tea.Msg) tea.Cmd {
	if sent, ok := msg.(page.SentMsg); ok {
		l.h.told = append(l.h.told, sent)
	}
	return nil
}

func newHolder(t *testing.T) *holder {
	t.Helper()
	client, err := api.NewClient(
		"http://127.0.0.1:1", api.WithTimeout(time.Millisecond), api.WithBackoff(time.Millisecond),
	)
	if err != nil {
		t.Fatal(err)
	}
	h := &holder{Driver: tuitest.New(t)}
	h.app = New(Options{
		ProfileOptions: ProfileOptions{Client: client},
		Theme:          "dark",
		Now:            h.Now,
		After:          h.After,
		Folder:         t.TempDir(),
	})
	h.Start(h.app, 100, 30)
	h.app.ws.pages.open(&listener{leaf{Base: page.NewBase(h.app.ws.env), title: "Quay"}, h})
	return h
}

func (h *holder) hold(code string, err error) {
	h.Send(doMsg{do: func() tea.Cmd {
		return h.app.ws.holdChange(page.HeldChange{
			Text: "cancel " + code, Done: "Cancelled " + code,
			Send: func(context.Context) error { h.sent = append(h.sent, code); return err },
		})
	}})
}

func TestHeldChangeIsSentAfterItsCountdown(t *testing.T) {
	h := newHolder(t)
	h.hold("ORD-1", nil)
	h.RequireText("Cancelling ORD-1 in 8 s · u to undo")
	h.Advance(3 * time.Second)
	h.hold("ORD-2", errors.New("out of paper"))
	h.Advance(4 * time.Second)
	h.RequireText("Cancelling ORD-1 in 1 s · 1 more · u to undo the last")
	if len(h.sent) > 0 {
		t.Fatalf("%v left too early", h.sent)
	}
	h.Advance(time.Second)
	h.RequireText("Cancelled ORD-1")
	h.Advance(3 * time.Second)
	h.RequireText("Cancel ORD-2: Out of paper.")
	if len(h.told) != 2 || h.told[0].Err != nil || h.told[1].Err == nil {
		t.Errorf("the pages were told %+v", h.told)
	}
}

func TestHeldChangeCanBeCancelled(t *testing.T) {
	h := newHolder(t)
	h.hold("ORD-1", nil)
	h.hold("ORD-2", nil)
	h.Press("u")
	h.RequireText("Not sent: cancel ORD-2")
	h.app.ws.pages.closeDownTo(len(h.app.ws.pages.pages()) - 1) // the page that asked is gone
	h.Advance(20 * time.Second)
	if len(h.sent) != 1 || h.sent[0] != "ORD-1" {
		t.Errorf("sent %v, want ORD-1 alone", h.sent)
	}
	h.Press("u")
	h.RequireText("Cannot undo: already sent")
	h.Press("u")
	h.RequireText("Nothing to undo")
}

func TestPendingChangeIsShown(t *testing.T) {
	h := newHolder(t)
	h.Send(doMsg{do: func() tea.Cmd {
		return h.app.ws.holdChange(page.HeldChange{
			Text: "cancel ORD-1",
			Of:   "o-1",
			Send: func(context.Context) error { return nil },
		})
	}})
	if got := h.app.ws.env.Changes.PendingFor("o-1") + h.app.ws.env.Changes.PendingFor("o-2") + h.app.ws.env.Changes.PendingFor(""); got != "cancel ORD-1" {
		t.Errorf("%q waits", got)
	}
	h.Hold()
	h.Advance(page.HoldTime)
	h.RequireText("Cancelling ORD-1")
	if toast, ok := h.app.ws.undoLast()().(page.ToastMsg); !ok || toast.Text != "Cannot undo: already sent" {
		t.Errorf("undo says %q", toast.Text)
	}
	if h.app.ws.env.Changes.PendingFor("o-1") == "" {
		t.Error("it is forgotten before the answer")
	}
	h.Release()
	if got := h.app.ws.env.Changes.PendingFor("o-1"); got != "" {
		t.Errorf("%q still waits", got)
	}
}

func TestQuitAsksAboutHeldChanges(t *testing.T) {
	h := newHolder(t)
	h.hold("ORD-1", nil)
	h.Press("q")
	h.RequireText("Pending: cancel ORD-1", "enter send and quit", "esc back")
	h.Press("esc")
	if h.Quit {
		t.Fatal("esc leaves")
	}
	h.Press("q", "enter")
	if !h.Quit || len(h.sent) != 1 {
		t.Errorf("quit %v, sent %v", h.Quit, h.sent)
	}

	h = newHolder(t)
	h.hold("ORD-1", nil)
	h.Press("ctrl+c", "ctrl+c")
	if !h.Quit || len(h.sent) > 0 {
		t.Errorf("asked twice: quit %v, sent %v", h.Quit, h.sent)
	}
}

func TestQuitSendsHeldChangesUntilOneFails(t *testing.T) {
	h := newHolder(t)
	h.hold("ORD-1", nil)
	h.hold("ORD-2", errors.New("out of paper"))
	h.hold("ORD-3", nil)
	h.Press("q", "enter")
	h.RequireText("Cancel ORD-2: Out of paper.")
	if h.Quit || len(h.sent) != 2 || len(h.app.ws.held.waiting) != 1 {
		t.Fatalf("quit %v after sending %v", h.Quit, h.sent)
	}
	h.Press("q", "enter")
	if !h.Quit || len(h.sent) != 3 {
		t.Errorf("quit %v after sending %v", h.Quit, h.sent)
	}
}

func TestUndoRevertsTheLastChangeOnce(t *testing.T) {
	h := newHolder(t)
	undone := 0
	h.Send(page.UndoMsg{Text: "removed Pond", Undo: func() (tea.Cmd, bool) { undone++; return nil, true }})
	h.RequireText("Removed Pond · u to undo")
	h.Press("u")
	h.RequireText("Undone: removed Pond")
	h.Press("u")
	h.RequireText("Nothing to undo")
	if undone != 1 {
		t.Errorf("undone %d times", undone)
	}
	h.Send(page.UndoMsg{Text: "removed Pond", Undo: func() (tea.Cmd, bool) { return nil, false }})
	h.Press("u")
	h.RequireText("Cannot undo: removed Pond")
}

func TestHeldChangeBlocksProfileSwitch(t *testing.T) {
	h := newHolder(t)
	h.hold("ORD-1", nil)
	h.Send(h.app.connect("other")())
	h.RequireText("Cannot switch profile: wait for the pending action, or press u to undo it")
}

// A change that is confirmed while another profile connects is sent before the switch.
func TestChangeHeldWhileConnectingBlocksProfileSwitch(t *testing.T) {
	h := newHolder(t)
	next := h.app.ws.opts.ProfileOptions
	next.Profile = "other"
	h.app.ws.opts.Switch = func(context.Context, string) (ProfileOptions, error) { return next, nil }
	connected := h.app.connect("other")()
	h.hold("ORD-1", nil)
	h.Send(connected)
	h.RequireText("Cannot switch profile: wait for the pending action, or press u to undo it")
	h.Advance(page.HoldTime)
	if len(h.sent) != 1 || h.app.ws.opts.Profile == "other" {
		t.Errorf("sent is %v with the profile %q", h.sent, h.app.ws.opts.Profile)
	}
	h.Send(h.app.connect("other")())
	h.RequireText("Switched to profile other")
}

// The user must see that a decision is about to be sent, so the countdown has its own row next to any
// other message.
func TestCountdownIsVisibleAtEverySize(t *testing.T) {
	for _, size := range []tuitest.Size{{W: 60, H: 18}, {W: 80, H: 24}, {W: 140, H: 40}} {
		h := newHolder(t)
		h.Resize(size.W, size.H)
		h.hold("ORD-1", nil)
		h.Send(page.WorkMsg{ID: "w", Text: "reading a file", Done: -1})
		h.Send(page.ToastMsg{Text: "Copied the order's code"})
		h.RequireText("Cancelling ORD-1 in 8 s · u to undo", "Copied the order's code")
		h.Press("?")
		h.Advance(2 * time.Second)
		h.RequireText("Cancelling ORD-1 in 6 s · u to undo", "esc back")
		h.Press("esc")
		tuitest.RequireExact(t, "the screen", h.View().Content, size.W, size.H)
		h.Advance(page.HoldTime)
		h.SeesNot("leaves in")
	}
}

// After a suspension of the program or the machine, the user has the full time to undo again.
func TestCountdownRestartsAfterSuspension(t *testing.T) {
	h := newHolder(t)
	var stopped time.Duration
	h.app.ws.env.Clock.Now = func() time.Time { return h.Now().Add(stopped) }
	h.hold("ORD-1", nil)
	h.Advance(2500 * time.Millisecond)
	stopped = 15 * time.Second
	h.Advance(7 * time.Second)
	if len(h.sent) > 0 {
		t.Fatalf("sent are %v, with nobody there to undo", h.sent)
	}
	h.Advance(2 * time.Second)
	if len(h.sent) != 1 {
		t.Errorf("sent are %v", h.sent)
	}
}

// Nothing on the page moves while a change is pending.
func TestPageKeepsItsRowsWhileAChangeIsPending(t *testing.T) {
	for _, size := range []tuitest.Size{{W: 60, H: 18}, {W: 80, H: 24}, {W: 140, H: 40}} {
		h := newHolder(t)
		h.Resize(size.W, size.H)
		top, height := h.app.PageRows()
		h.hold("ORD-1", nil)
		if heldTop, heldHeight := h.app.PageRows(); heldTop != top || heldHeight != height {
			t.Errorf("at %v the page has %d rows from %d, while a change is pending %d from %d",
				size, height, top, heldHeight, heldTop)
		}
		h.RequireText("Cancelling ORD-1 in 8 s · u to undo")
	}
}

// A message that does not fit beside the countdown has a row of its own until it ends.
func TestLongMessageAndCountdownAreBothWhole(t *testing.T) {
	long := "Cannot switch profile: wait for the pending action"
	for _, size := range []tuitest.Size{{W: 60, H: 18}, {W: 80, H: 24}} {
		h := newHolder(t)
		h.Resize(size.W, size.H)
		h.hold("ORD-1", nil)
		h.Send(page.ToastMsg{Text: long})
		h.RequireText("Cancelling ORD-1 in 8 s · u to undo", long)
		tuitest.RequireExact(t, "the screen", h.View().Content, size.W, size.H)
		h.Advance(7 * time.Second)
		h.RequireText("Cancelling ORD-1 in 1 s · u to undo")
		h.SeesNot(long)
	}
}
