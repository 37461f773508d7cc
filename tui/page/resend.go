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
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// ResendAction returns the action that resends failed callbacks and completion notices with the operations API.
// find returns the failures for a row. If there are none, the action is disabled with the reason noFailures.
func ResendAction[T any](
	b Base, id action.ID, noFailures string, find func(T) timeline.Undelivered,
) Action[T] {
	r := &resender{Base: b}
	return Action[T]{
		ID:          id,
		NeedsNoRow:  true,
		WhyDisabled: func(row T) string { return r.disabledReason(find(row), noFailures) },
		Do:          func(row T) tea.Cmd { return r.confirmResend(find(row)) },
	}
}

// resender implements [ResendAction] for one page.
type resender struct {
	Base
	request Request
}

// disabledReason returns why nothing can be resent, or "".
func (r *resender) disabledReason(u timeline.Undelivered, noFailures string) string {
	if err := r.Env.Profile.NoOps; r.Env.Profile.Ops == nil && err != nil {
		return "could not read the key for the operations API: " + format.Clean(err.Error())
	}
	if r.Env.Profile.Ops == nil {
		return "no operations key in this profile; set ops_credential"
	}
	if r.request.IsRunning() {
		return "already resending"
	}
	if len(u.Failures) > 0 {
		return ""
	}
	if u.Selected == nil && u.Unknown != "" {
		return u.Unknown
	}
	if u.Selected == nil {
		return noFailures
	}
	if u.Selected.IsPending() {
		return "already being sent"
	}
	return ""
}

// confirmResend asks the user to confirm that items are resent: the selected item if there is one, otherwise
// all failures. If other items have failed, too, it lets the user choose between the selected item and all
// failures.
func (r *resender) confirmResend(u timeline.Undelivered) tea.Cmd {
	selected := u.Selected
	if selected == nil || selected.IsPending() {
		return r.confirm(timeline.CountFailed(u.Failures)+" of "+u.Of, u.Failures)
	}
	isOnlyFailure := len(u.Failures) == 1 && u.Failures[0].UUID == selected.UUID
	if len(u.Failures) == 0 || isOnlyFailure {
		return r.confirm(selected.DescribeItem(), []timeline.UndeliveredItem{*selected})
	}
	return r.chooseItems(u)
}

// confirm asks the user to confirm that the given items are resent.
func (r *resender) confirm(description string, items []timeline.UndeliveredItem) tea.Cmd {
	lines := append([]string{format.CapitalizeFirst(description), ""}, resendEffects(items)...)
	resend := func() tea.Cmd { return r.resend(items) }
	return r.Env.Confirm(resendTitle(items), "resend", resend, lines...)
}

// chooseItems asks the user whether to resend only the selected item or all failures.
func (r *resender) chooseItems(u timeline.Undelivered) tea.Cmd {
	onlySelected := []timeline.UndeliveredItem{*u.Selected}
	label := "this callback"
	if u.Selected.Notice != "" {
		label = "this notice"
	}
	choice := &widget.Field{
		Label: "Resend",
		Kind:  widget.ChoiceField,
		Options: []widget.Option{
			{Value: "one", Label: label, Help: u.Selected.DescribeItem(), Quiet: true},
			{Value: "all", Label: timeline.CountFailed(u.Failures), Help: "all of " + u.Of, Quiet: true},
		},
	}
	// The dialog shows what both choices do; resendEffects leaves out duplicates.
	bothChoices := slices.Concat(u.Failures, onlySelected)
	dialog := &widget.FormDialog{
		Title: resendTitle(u.Failures),
		Lines: resendEffects(bothChoices),
		Form:  widget.NewForm(0, r.Env.Clock.Now, choice),
		Yes:   "resend",
		OnSave: func() tea.Cmd {
			if choice.Value() == "all" {
				return r.resend(u.Failures)
			}
			return r.resend(onlySelected)
		},
	}
	choice.Set("one")
	r.Env.Nav.Overlay(dialog)
	return nil
}

// resendTitle returns the title of the dialog that asks whether to resend items.
func resendTitle(items []timeline.UndeliveredItem) string {
	isCallback := func(item timeline.UndeliveredItem) bool { return item.Notice == "" }
	if slices.ContainsFunc(items, isCallback) {
		return "Resend callback"
	}
	return "Resend completion notice"
}

// resendEffects returns what resending the items does, without duplicates.
func resendEffects(items []timeline.UndeliveredItem) []string {
	var effects []string
	for i := range items {
		effect := items[i].ResendEffects()
		if !slices.Contains(effects, effect) {
			effects = append(effects, effect)
		}
	}
	return effects
}

// resend resends items in the background and shows the result.
func (r *resender) resend(items []timeline.UndeliveredItem) tea.Cmd {
	send := func(ctx context.Context) (int, error) {
		return resendItems(r.Env.Profile.OperationsTarget(context.WithoutCancel(ctx)), items)
	}
	return RunInBackground(r.Base, &r.request, send, func(n int, err error) tea.Cmd {
		r.Env.Profile.Cache.MarkChanged()
		if err != nil {
			return ShowToast(theme.Bad, describeResendError(n, err))
		}
		return ShowToast(theme.Good, countItems(items)+" being sent again")
	})
}

// resendItems resends items until one fails, and returns how many it has resent. If the service is already
// sending a callback, somebody else has resent it; the callback counts as resent.
func resendItems(target commands.Target, items []timeline.UndeliveredItem) (int, error) {
	for i := range items {
		err := items[i].ResendItem(target)
		isBeingSent := items[i].Notice == "" && api.IsStatus(err, http.StatusConflict)
		if err != nil && !isBeingSent {
			return i, err
		}
	}
	return len(items), nil
}

// countItems returns the number of items with a noun and the verb "is" or "are", such as "2 callbacks are".
func countItems(items []timeline.UndeliveredItem) string {
	isNotice := func(item timeline.UndeliveredItem) bool { return item.Notice != "" }
	isCallback := func(item timeline.UndeliveredItem) bool { return item.Notice == "" }
	if !slices.ContainsFunc(items, isNotice) {
		return format.Count(len(items), "callback is", "callbacks are")
	}
	if !slices.ContainsFunc(items, isCallback) {
		return format.Count(len(items), "notice is", "notices are")
	}
	return format.Count(len(items), "notice is", "callbacks and notices are")
}

// describeResendError describes the error of resending an item after n items were resent.
func describeResendError(n int, err error) string {
	text, _ := format.ExplainError(err)
	var unconfirmed *changes.UnconfirmedError
	if errors.As(err, &unconfirmed) {
		text = "Not confirmed: " + strings.TrimSuffix(text, ".") + "; check the log before retrying"
	}
	if n > 0 {
		text = fmt.Sprintf("%d resent, then: %s", n, text)
	}
	return text
}
