package page_test

import (
	"context"
	"errors"
	"testing"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
)

// run runs a question's command and returns the answer in it.
func run(t *testing.T, base page.Base, cmd tea.Cmd) page.Answer[int] {
	t.Helper()
	msg, ok := cmd().(page.ToPage)
	if !ok || msg.Life != base.Life() {
		t.Fatalf("the answer is not for the page: %#v", msg)
	}
	return msg.Msg.(page.Answer[int])
}

func TestALateAnswerIsDropped(t *testing.T) {
	base := page.NewBase(&page.Env{})
	var q page.Question
	ask := func(n int) tea.Cmd {
		return page.Ask(base, &q, func(context.Context) (int, error) { return n, nil })
	}
	first, second := ask(1), ask(2)
	if !q.Open() {
		t.Error("the question is not open")
	}
	if run(t, base, first).Take() {
		t.Error("the answer to the first asking is taken after the second")
	}
	if !q.Open() {
		t.Error("a late answer closes the question")
	}
	answer := run(t, base, second)
	if !answer.Of(&q) || !answer.Take() || answer.Value != 2 || q.Open() {
		t.Errorf("the second answer is %+v, open %v", answer, q.Open())
	}
	third := ask(3)
	q.Drop()
	if q.Open() || run(t, base, third).Take() {
		t.Error("a dropped answer is taken")
	}
}

func TestALifesEndCancelsItsQuestions(t *testing.T) {
	base := page.NewBase(&page.Env{})
	var q page.Question
	cmd := page.Ask(base, &q, func(ctx context.Context) (int, error) { return 0, ctx.Err() })
	base.Life().End()
	if answer := run(t, base, cmd); !errors.Is(answer.Err, context.Canceled) {
		t.Errorf("the answer's error is %v", answer.Err)
	}
}
