package page_test

import (
	"context"
	"errors"
	"testing"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
)

// run runs a question's command and returns the answer in it.
func run(t *testing.T, base page.Base, cmd tea.Cmd) page.QuestionAnswer[int] {
	t.Helper()
	msg, ok := cmd().(page.ToPage)
	if !ok || msg.Life != base.PageLifetime() {
		t.Fatalf("the answer is not for the page: %#v", msg)
	}
	return msg.Msg.(page.QuestionAnswer[int])
}

func TestALateAnswerIsDropped(t *testing.T) {
	base := page.NewBase(&page.Env{})
	var q page.Question
	ask := func(n int) tea.Cmd {
		return page.AskInBackground(base, &q, func(context.Context) (int, error) { return n, nil })
	}
	first, second := ask(1), ask(2)
	if !q.IsOpen() {
		t.Error("the question is not open")
	}
	if run(t, base, first).TakeAnswer() {
		t.Error("the answer to the first asking is taken after the second")
	}
	if !q.IsOpen() {
		t.Error("a late answer closes the question")
	}
	answer := run(t, base, second)
	if !answer.Answers(&q) || !answer.TakeAnswer() || answer.Value != 2 || q.IsOpen() {
		t.Errorf("the second answer is %+v, open %v", answer, q.IsOpen())
	}
	third := ask(3)
	q.DropAnswer()
	if q.IsOpen() || run(t, base, third).TakeAnswer() {
		t.Error("a dropped answer is taken")
	}
}

func TestALifesEndCancelsItsQuestions(t *testing.T) {
	base := page.NewBase(&page.Env{})
	var q page.Question
	cmd := page.AskInBackground(base, &q, func(ctx context.Context) (int, error) { return 0, ctx.Err() })
	base.PageLifetime().End()
	if answer := run(t, base, cmd); !errors.Is(answer.Err, context.Canceled) {
		t.Errorf("the answer's error is %v", answer.Err)
	}
}
