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
	what  [2]string // of what is sent there is one, there are several
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
	alone := len(failures) == 1 && selected != nil && failures[0].UUID == selected.UUID
	switch {
	case selected != nil && (alone || len(failures) == 0):
		r.confirmResend(selected.DescribeItem(), []timeline.UndeliveredItem{*selected})
	case selected == nil:
		r.confirmResend(timeline.CountFailed(failures)+" of "+of, failures)
	default:
		what := "this callback"
		if selected.Notice != "" {
			what = "this notice"
		}
		f := form.New(
			api.MaxNameLength,
			r.base.Now,
			&form.Field{ID: "which", Label: "Resend", Kind: form.Choice, Options: []form.Option{
				{Value: "one", Label: what, Help: selected.DescribeItem(), Quiet: true},
				{Value: "all", Label: timeline.CountFailed(failures), Help: "all of " + of, Quiet: true},
			}},
		)
		f.Field("which").Set("one")
		r.base.Overlay(
			&dialog.FormDialog{
				Theme: r.base.Theme,
				Title: resendTitle(failures),
				Lines: resendEffects(append(failures, *selected)),
				Form:  f,
				Yes:   "resend",
				OnSave: func(f *form.Form) (tea.Cmd, bool) {
					if f.Field("which").Value() == "all" {
						return r.sendAll(failures), true
					}
					return r.sendAll([]timeline.UndeliveredItem{*selected}), true
				},
			},
		)
	}
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
	r.what = [2]string{"callback", "callbacks"}
	if slices.ContainsFunc(list, func(s timeline.UndeliveredItem) bool { return s.Notice != "" }) {
		r.what = [2]string{"notice", "callbacks and notices"}
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
	}, r.reportResent)
}

// reportResent tells how many were sent.
func (r *UndeliveredResender) reportResent(n int, err error) tea.Cmd {
	r.base.Cache.MarkChanged()
	if err != nil {
		what, _ := labels.ExplainError(err)
		if n > 0 {
			what = fmt.Sprintf("%d resent, then: %s", n, what)
		}
		return ShowToast(theme.Bad, what)
	}
	return ShowToast(theme.Good, format.Count(n, r.what[0]+" is", r.what[1]+" are")+" being sent again")
}
