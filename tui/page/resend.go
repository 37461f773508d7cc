package page

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// UndeliveredResender sends callbacks and completion notices again by the operations API
// where their failure is read.
type UndeliveredResender struct {
	base  Base
	asked Question
}

// NewResender returns one for a page.
func NewResender(b Base) *UndeliveredResender { return &UndeliveredResender{base: b} }

// DisabledReason says why what is selected, or failures beside it, cannot be sent again; ""
// where they can.
func (r *UndeliveredResender) DisabledReason(selected *timeline.UndeliveredItem, failures int) string {
	switch {
	case r.base.Ops == nil:
		return "no operations key in this profile; set ops_credential"
	case r.asked.IsOpen():
		return "already resending"
	case selected == nil && failures == 0:
		return "no failed callbacks"
	case selected != nil && selected.Pending && failures == 0:
		return "already being sent"
	}
	return ""
}

// AskToResend asks before it sends again what is selected, nil for nothing, or all
// failures of what is named.
func (r *UndeliveredResender) AskToResend(
	selected *timeline.UndeliveredItem,
	failures []timeline.UndeliveredItem,
	of string,
) {
	if selected != nil && selected.Pending {
		selected = nil
	}
	if selected == nil {
		r.confirmResend(timeline.CountFailed(failures)+" of "+of, failures)
		return
	}
	alone := []timeline.UndeliveredItem{*selected}
	if len(failures) == 0 || len(failures) == 1 && failures[0].UUID == selected.UUID {
		r.confirmResend(selected.DescribeItem(), alone)
		return
	}
	what := "this callback"
	if selected.Notice != "" {
		what = "this notice"
	}
	which := &form.Field{ID: "which", Label: "Resend", Kind: form.Choice, Options: []form.Option{
		{Value: "one", Label: what, Help: selected.DescribeItem(), Quiet: true},
		{Value: "all", Label: timeline.CountFailed(failures), Help: "all of " + of, Quiet: true},
	}}
	d := &dialog.FormDialog{
		Theme: r.base.Theme, Title: resendTitle(failures), Lines: resendEffects(append(failures, *selected)),
		Form: form.New(0, r.base.Now, which), Yes: "resend",
	}
	which.Set("one")
	d.OnSave = func() tea.Cmd {
		if which.Value() == "all" {
			return r.sendAll(failures)
		}
		return r.sendAll(alone)
	}
	r.base.Overlay(d)
}

func (r *UndeliveredResender) confirmResend(what string, list []timeline.UndeliveredItem) {
	r.base.Overlay(&dialog.Question{
		Theme: r.base.Theme,
		Title: resendTitle(list),
		Lines: append([]string{format.CapitalizeFirst(what), ""}, resendEffects(list)...),
		Yes:   "resend",
		No:    "cancel",
		OnYes: func() tea.Cmd { return r.sendAll(list) },
	})
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
func (r *UndeliveredResender) sendAll(list []timeline.UndeliveredItem) tea.Cmd {
	ops := r.base.Ops
	one, several := "callback is", "callbacks are"
	if slices.ContainsFunc(list, func(s timeline.UndeliveredItem) bool { return s.Notice != "" }) {
		one, several = "notice is", "callbacks and notices are"
	}
	return AskInBackground(r.base, &r.asked, func(ctx context.Context) (n int, err error) {
		for i := range list {
			s := &list[i]
			if err := s.ResendItem(
				context.WithoutCancel(ctx),
				ops,
			); err != nil &&
				(s.Notice != "" || !api.IsStatus(err, http.StatusConflict)) {
				return n, err
			}
			n++
		}
		return n, nil
	}, func(n int, err error) tea.Cmd {
		r.base.Cache.MarkChanged()
		if err == nil {
			return ShowToast(theme.Good, format.Count(n, one, several)+" being sent again")
		}
		what, _ := labels.ExplainError(err)
		if n > 0 {
			what = fmt.Sprintf("%d resent, then: %s", n, what)
		}
		return ShowToast(theme.Bad, what)
	})
}
