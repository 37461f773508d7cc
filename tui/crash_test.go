package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/page"
)

// bomb is a page that panics where it is told to.
type bomb struct {
	page.Base
	where string
}

func (b *bomb) Title() string { return "bomb" }

func (b *bomb) Scopes() []action.Scope { return nil }

func (b *bomb) Do(action.ID) tea.Cmd { return nil }

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

func TestPanicsBecomeTheAppsEnd(t *testing.T) {
	client, err := api.NewClient("http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{"update", "view"} {
		a := New(Options{Client: client, Theme: "dark"})
		a.w, a.h, a.limiter.dirty = 80, 24, true
		a.setPages(append(a.pages(), &bomb{page.NewBase(a.env), where}))
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
	var q page.Question
	base := page.NewBase(&page.Env{})
	msg := page.Ask(base, &q, func(context.Context) (int, error) { panic("in a question") })()
	if crash, ok := msg.(page.CrashMsg); !ok || crash.Reason != "in a question" {
		t.Errorf("a question's panic is %#v", msg)
	}
}
