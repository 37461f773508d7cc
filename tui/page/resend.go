package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// ResendAct returns the action that sends callbacks and completion notices again by the
// operations API where their failure is read. The function find returns what can be sent
// for a row, none says that nothing can.
func ResendAct[T any](b Base, id action.ID, none string, find func(T) timeline.Undelivered) Act[T] {
	asked := new(Question)
	off := func(t T) string {
		u := find(t)
		switch {
		case b.Env.Profile.Ops == nil:
			return "no operations key in this profile; set ops_credential"
		case asked.IsOpen():
			return "already resending"
		case u.Selected == nil && len(u.Failures) == 0:
			return none
		case u.Selected != nil && u.Selected.IsPending() && len(u.Failures) == 0:
			return "already being sent"
		}
		return ""
	}
	return Act[T]{ID: id, Any: true, Off: off, Do: func(t T) tea.Cmd {
		return askToResend(b, asked, find(t))
	}}
}

// askToResend asks before it sends again what is selected, nil for nothing, or all
// failures of what is named.
func askToResend(b Base, asked *Question, u timeline.Undelivered) tea.Cmd {
	confirm := func(what string, list []timeline.UndeliveredItem) tea.Cmd {
		lines := append([]string{format.CapitalizeFirst(what), ""}, resendEffects(list)...)
		send := func() tea.Cmd { return sendAll(b, asked, list) }
		return b.Env.AskFirst(resendTitle(list), "resend", send, lines...)
	}
	selected, all := u.Selected, timeline.CountFailed(u.Failures)
	if selected == nil || selected.IsPending() {
		return confirm(all+" of "+u.Of, u.Failures)
	}
	alone := []timeline.UndeliveredItem{*selected}
	if len(u.Failures) == 0 || len(u.Failures) == 1 && u.Failures[0].UUID == selected.UUID {
		return confirm(selected.DescribeItem(), alone)
	}
	what := "this callback"
	if selected.Notice != "" {
		what = "this notice"
	}
	which := &widget.Field{Label: "Resend", Kind: widget.ChoiceField, Options: []widget.Option{
		{Value: "one", Label: what, Help: selected.DescribeItem(), Quiet: true},
		{Value: "all", Label: all, Help: "all of " + u.Of, Quiet: true},
	}}
	d := &widget.FormDialog{
		Title: resendTitle(u.Failures), Lines: resendEffects(append(u.Failures, alone...)),
		Form: widget.NewForm(0, b.Env.Clock.Now, which), Yes: "resend",
	}
	which.Set("one")
	d.OnSave = func() tea.Cmd {
		if which.Value() == "all" {
			return sendAll(b, asked, u.Failures)
		}
		return sendAll(b, asked, alone)
	}
	b.Env.Nav.Overlay(d)
	return nil
}

// resendTitle returns the title of the dialog that asks.
func resendTitle(list []timeline.UndeliveredItem) string {
	if slices.ContainsFunc(list, func(s timeline.UndeliveredItem) bool { return s.Notice == "" }) {
		return "Resend callback"
	}
	return "Resend completion notice"
}

// resendEffects returns what follows, each said once.
func resendEffects(list []timeline.UndeliveredItem) (lines []string) {
	for i := range list {
		if e := list[i].ResendEffects(); !slices.Contains(lines, e) {
			lines = append(lines, e)
		}
	}
	return lines
}

// sendAll sends one after the other until one is refused. A callback that is under
// way already, somebody else has sent again.
func sendAll(b Base, asked *Question, list []timeline.UndeliveredItem) tea.Cmd {
	one, several := "callback is", "callbacks are"
	if slices.ContainsFunc(list, func(s timeline.UndeliveredItem) bool { return s.Notice != "" }) {
		one, several = "notice is", "callbacks and notices are"
	}
	return AskInBackground(b, asked, func(ctx context.Context) (n int, err error) {
		for i := range list {
			s := list[i]
			err := s.ResendItem(context.WithoutCancel(ctx), b.Env.Profile.Ops)
			if err != nil && (s.Notice != "" || !api.IsStatus(err, http.StatusConflict)) {
				return n, err
			}
			n++
		}
		return n, nil
	}, func(n int, err error) tea.Cmd {
		b.Env.Profile.Cache.MarkChanged()
		if err == nil {
			return ShowToast(theme.Good, format.Count(n, one, several)+" being sent again")
		}
		what, _ := format.ExplainError(err)
		if errors.As(err, new(*ordering.UnconfirmedError)) {
			what = "Not confirmed: " + strings.TrimSuffix(what, ".") + "; check the log before retrying"
		}
		if n > 0 {
			what = fmt.Sprintf("%d resent, then: %s", n, what)
		}
		return ShowToast(theme.Bad, what)
	})
}
