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

// Resender sends callbacks and completion notices again by the operations API
// where their failure is read.
type Resender struct {
	base  Base
	asked Question
	what  [2]string // of what is sent there is one, there are several
}

type resentAnswer = Answer[int]

// NewResender returns one for a page.
func NewResender(b Base) *Resender { return &Resender{base: b} }

// Disabled says why what is selected, or failures beside it, cannot be sent again; ""
// where they can.
func (r *Resender) Disabled(selected *timeline.Sending, failures int) string {
	switch {
	case r.base.Ops == nil:
		return "no operations key in this profile; set ops_credential"
	case r.asked.Open():
		return "already resending"
	case selected == nil && failures == 0:
		return "no failed callbacks"
	case selected != nil && selected.Pending && failures == 0:
		return "already being sent"
	}
	return ""
}

// Ask asks before it sends again what is selected, nil for nothing, or all
// failures of what is named.
func (r *Resender) Ask(selected *timeline.Sending, failures []timeline.Sending, of string) {
	if selected != nil && selected.Pending {
		selected = nil
	}
	alone := len(failures) == 1 && selected != nil && failures[0].UUID == selected.UUID
	switch {
	case selected != nil && (alone || len(failures) == 0):
		r.confirm(selected.Describe(), []timeline.Sending{*selected})
	case selected == nil:
		r.confirm(timeline.CountFailed(failures)+" of "+of, failures)
	default:
		what := "this callback"
		if selected.Notice != "" {
			what = "this notice"
		}
		f := form.New(api.MaxNameLength, r.base.Now, &form.Field{ID: "which", Label: "Resend", Kind: form.Choice, Options: []form.Option{
			{Value: "one", Label: what, Help: selected.Describe(), Quiet: true},
			{Value: "all", Label: timeline.CountFailed(failures), Help: "all of " + of, Quiet: true},
		}})
		f.Field("which").Set("one")
		r.base.Overlay(&dialog.Edit{Theme: r.base.Theme, Title: titled(failures), Lines: effects(append(failures, *selected)), Form: f, Yes: "resend", OnSave: func(f *form.Form) (tea.Cmd, bool) {
			if f.Field("which").Value() == "all" {
				return r.send(failures), true
			}
			return r.send([]timeline.Sending{*selected}), true
		}})
	}
}

func (r *Resender) confirm(what string, list []timeline.Sending) {
	r.base.Overlay(&dialog.Question{
		Theme: r.base.Theme, Title: titled(list), Lines: append([]string{format.Sentence(what), ""}, effects(list)...), Yes: "resend", No: "cancel",
		OnYes: func() tea.Cmd { return r.send(list) },
	})
}

// titled is the title of the dialog that asks.
func titled(list []timeline.Sending) string {
	if slices.ContainsFunc(list, func(s timeline.Sending) bool { return s.Notice == "" }) {
		return "Resend callback"
	}
	return "Resend completion notice"
}

// effects are what follows, each said once.
func effects(list []timeline.Sending) (lines []string) {
	for i := range list {
		if e := list[i].Effects(); !slices.Contains(lines, e) {
			lines = append(lines, e)
		}
	}
	return lines
}

// send sends one after the other until one is refused. A callback that is under
// way already, somebody else has sent again.
func (r *Resender) send(list []timeline.Sending) tea.Cmd {
	ops := r.base.Ops
	r.what = [2]string{"callback", "callbacks"}
	if slices.ContainsFunc(list, func(s timeline.Sending) bool { return s.Notice != "" }) {
		r.what = [2]string{"notice", "callbacks and notices"}
	}
	return Ask(r.base, &r.asked, func(ctx context.Context) (n int, err error) {
		for i := range list {
			s := &list[i]
			if err := s.Resend(context.WithoutCancel(ctx), ops); err != nil && (s.Notice != "" || !api.IsStatus(err, http.StatusConflict)) {
				return n, err
			}
			n++
		}
		return n, nil
	})
}

// Update takes the answer, and reports whether it was that.
func (r *Resender) Update(msg tea.Msg) (tea.Cmd, bool) {
	got, ok := msg.(resentAnswer)
	if !ok || !got.Of(&r.asked) {
		return nil, false
	}
	if !got.Take() {
		return nil, true
	}
	r.base.Cache.Changed()
	if got.Err != nil {
		what, _ := labels.Explain(got.Err)
		if got.Value > 0 {
			what = fmt.Sprintf("%d resent, then: %s", got.Value, what)
		}
		return Toast(theme.Bad, what), true
	}
	return Toast(theme.Good, format.Count(got.Value, r.what[0]+" is", r.what[1]+" are")+" being sent again"), true
}
