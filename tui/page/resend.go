package page

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// Resender sends callbacks again by the operations API where their failure is
// read.
type Resender struct {
	base  Base
	asked Question
}

type resentAnswer = Answer[int]

// NewResender returns one for a page.
func NewResender(b Base) *Resender { return &Resender{base: b} }

// Disabled says why a callback, or failures beside it, cannot be sent again; ""
// where they can.
func (r *Resender) Disabled(selected *api.WebhookDelivery, failures int) string {
	switch {
	case r.base.Ops == nil:
		return "the profile has no key of the operations API"
	case r.asked.Open():
		return "callbacks are being sent again"
	case selected == nil && failures == 0:
		return "no failed callbacks"
	case selected != nil && selected.Pending() && failures == 0:
		return "it is being sent"
	}
	return ""
}

// Ask asks before it sends the selected callback again, nil for none, or all
// failures of what is named.
func (r *Resender) Ask(selected *api.WebhookDelivery, failures []api.WebhookDelivery, of string) {
	if selected != nil && selected.Pending() {
		selected = nil
	}
	alone := len(failures) == 1 && selected != nil && failures[0].UUID == selected.UUID
	c := commands.ResendCallback()
	switch {
	case selected != nil && (alone || len(failures) == 0):
		r.confirm(described(selected), c.Effects, []string{selected.UUID})
	case selected == nil:
		r.confirm(all(failures, of), c.Effects, ids(failures))
	default:
		f := form.New(api.MaxNameLength, r.base.Now, &form.Field{ID: "which", Label: "Resend", Kind: form.Choice, Options: []form.Option{
			{Value: "one", Label: "this callback", Help: described(selected)},
			{Value: "all", Label: format.Count(len(failures), "failed callback", "failed callbacks"), Help: "all of " + of},
		}})
		f.Field("which").Set("one")
		r.base.Overlay(&dialog.Edit{Theme: r.base.Theme, Title: "Resend callback", Lines: []string{c.Effects}, Form: f, Yes: "resend", OnSave: func(f *form.Form) (tea.Cmd, bool) {
			if f.Field("which").Value() == "all" {
				return r.send(ids(failures)), true
			}
			return r.send([]string{selected.UUID}), true
		}})
	}
}

func (r *Resender) confirm(what, means string, uuids []string) {
	r.base.Overlay(&dialog.Question{
		Theme: r.base.Theme, Title: "Resend callback", Lines: []string{what, "", means}, Yes: "resend", No: "cancel",
		OnYes: func() tea.Cmd { return r.send(uuids) },
	})
}

func described(d *api.WebhookDelivery) string {
	return strings.TrimSpace(labels.Event(d.Event).Label + " of " + d.OrderCode + ", ID " + d.UUID[:min(8, len(d.UUID))])
}

func all(failures []api.WebhookDelivery, of string) string {
	return format.Count(len(failures), "failed callback", "failed callbacks") + " of " + of
}

func ids(list []api.WebhookDelivery) []string {
	uuids := make([]string, len(list))
	for i := range list {
		uuids[i] = list[i].UUID
	}
	return uuids
}

// send sends one after the other until one is refused. What is under way
// already, somebody else has sent again.
func (r *Resender) send(uuids []string) tea.Cmd {
	ops, c := r.base.Ops, commands.ResendCallback()
	return Ask(r.base, &r.asked, func(ctx context.Context) (n int, err error) {
		for _, uuid := range uuids {
			if _, err := c.Run(context.WithoutCancel(ctx), ops, uuid); err != nil && !api.IsStatus(err, 409) {
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
			what = format.Count(got.Value, "callback was", "callbacks were") + " sent again, then: " + what
		}
		return Toast(theme.Bad, what), true
	}
	return Toast(theme.Good, format.Count(got.Value, "callback is", "callbacks are")+" being sent again"), true
}
