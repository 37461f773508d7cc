package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/page"
)

// bomb is a page that panics in Update or View.
type bomb struct {
	page.Base
	where string
}

func (b *bomb) Title() string { return "bomb" }

func (b *bomb) ActionScopes() []action.Scope { return nil }

func (b *bomb) HandleAction(action.ID) tea.Cmd { return nil }

func (b *bomb) Update(tea.Msg) tea.Cmd {
	if b.where == "update" {
		panic("in update")
	}
	return nil
}

func (b *bomb) View(int, int) string {
	if b.where == "view" {
		panic(errors.New("in view"))
	}
	return ""
}

func TestPanicInUpdateOrViewEndsTheApp(t *testing.T) {
	client, err := api.NewClient("http://127.0.0.1:1", api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{"update", "view"} {
		a := New(Options{ProfileOptions: ProfileOptions{Client: client}, Theme: "dark"})
		a.ws.env.Look.Width = 80
		a.ws.env.Look.Height = 24
		a.limiter.isStale = true
		a.ws.pages.open(&bomb{page.NewBase(a.ws.env), where})
		a.View()
		_, cmd := a.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
		if cmd == nil {
			t.Fatalf("%s: the app goes on", where)
		}
		if _, ok := cmd().(tea.QuitMsg); !ok {
			t.Errorf("%s: the app goes on", where)
		}
		if a.crash == nil || !strings.Contains(a.crash.Error(), "in "+where) || !strings.Contains(string(a.crash.Stack), "bomb") {
			t.Errorf("%s: the crash is %+v", where, a.crash)
		}
	}
	var q page.Request
	base := page.NewBase(&page.Env{})
	msg := guardCommand(page.RunInBackground(
		base, &q, func(context.Context) (int, error) { panic("in a question") }, nil,
	))()
	if crash, ok := msg.(page.CrashMsg); !ok || fmt.Sprint(crash.Reason) != "internal error: in a question" {
		t.Errorf("a question's panic is %#v", msg)
	}
}

func TestPanicInCommandEndsTheAppInOrder(t *testing.T) {
	group := func() tea.Msg {
		var g api.Group
		g.Go(func() { panic("no such row") })
		g.Wait()
		return nil
	}
	for name, cmd := range map[string]tea.Cmd{
		"a command":                  func() tea.Msg { panic("no such row") },
		"one of a batch":             tea.Batch(func() tea.Msg { return nil }, func() tea.Msg { panic("no such row") }),
		"a goroutine that it starts": group,
	} {
		msg := guardCommand(cmd)()
		if batch, ok := msg.(tea.BatchMsg); ok {
			msg = batch[1]()
		}
		crash, ok := msg.(page.CrashMsg)
		if !ok {
			t.Fatalf("%s brings %v", name, msg)
		}
		a, _ := withSection(t, true)
		a.recordCrash(crash)
		if a.Crashed() == nil || a.Crashed().Error() != "internal error: no such row" || len(a.Crashed().Stack) == 0 {
			t.Errorf("%s: %+v", name, a.Crashed())
		}
	}
}

func TestCloseAfterPanicDoesNotHang(t *testing.T) {
	held := make(chan struct{})
	defer close(held)
	withinTime(time.Millisecond, func() { <-held })()
}
