package orders

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/widget/dialog"
	"flightdesk/tui/widget/form"
)

// moves are what can be done to a placed order, by their actions.
var moves = map[action.ID]api.OrderMove{
	action.CancelOrder: api.MoveCancel, action.ArchiveOrder: api.MoveArchive, action.RejectOrder: api.MoveReject,
}

// moveRefusal says why an order does not take a move, "" where it does.
func moveRefusal(env *page.Env, o *api.Order, move api.OrderMove) string {
	switch {
	case o == nil:
		return "no order"
	case env.Cache != nil && env.Cache.IsOnlyRecord(cache.OrderIdentity(o)):
		return onlyRecord
	case env.PendingFor != nil && env.PendingFor(o.UUID) != "":
		return "still pending: " + env.PendingFor(o.UUID)
	default:
		return commands.RefuseOrderMove(o, move)
	}
}

// askMove asks before an order is moved: none of the moves can be taken back
// once it is sent, so the order's code is typed, and a reason where the service
// wants one.
func askMove(env *page.Env, o *api.Order, move api.OrderMove) {
	title := format.CapitalizeFirst(string(move)) + " order"
	lines := []string{
		strings.TrimSpace(o.OrderCode + "  " + o.OrderName),
		labels.OrderState(o.Status, env.QuotesOf(o.UUID)).Label,
		"",
	}
	lines = append(lines, commands.DescribeOrderMove(move)[0])
	if move != api.MoveArchive {
		lines = append(lines, describeConcerned(env, o)...)
	}
	end := "You can undo for 8 s; after that you would have to place a new order."
	if move == api.MoveArchive {
		end = "You can undo for 8 s; then it is final."
	}
	lines = append(lines, end)
	if !move.NeedsReason() {
		env.Overlay(&dialog.TypedConfirmation{
			Theme: env.Theme, Title: title, Lines: lines, Want: o.OrderCode, Yes: string(move) + " order", No: "back",
			OnYes: func() tea.Cmd { return holdMove(env, o, move, "") },
		})
		return
	}
	env.Overlay(&dialog.FormDialog{
		Theme: env.Theme, Title: title, Lines: lines, Yes: string(move) + " order",
		Form: form.New(api.MaxTextLength, env.Now,
			&form.Field{ID: "reason", Label: "Reason", Kind: form.Long, Help: "stored with the order"},
			&form.Field{ID: "code", Label: "Order code", Help: "type " + o.OrderCode + " to confirm"}),
		OnSave: func(f *form.Form) (tea.Cmd, bool) {
			if !isMeant(f, o.OrderCode) {
				return nil, false
			}
			return holdMove(env, o, move, f.Field("reason").Value()), true
		},
	})
}

// isMeant reports whether a reason and the order's code are there, and goes to
// what is missing.
func isMeant(f *form.Form, want string) bool {
	reason, code := f.Field("reason"), f.Field("code")
	reason.Error, code.Error = "", ""
	switch {
	case reason.Value() == "":
		reason.Error = "enter a reason"
		f.FocusField("reason")
	case !strings.EqualFold(code.Value(), want):
		if f.Focused() == code {
			code.Error = "does not match " + want
		}
		f.FocusField("code")
	default:
		return true
	}
	return false
}

// describeConcerned says in a line what ends with an order, as far as its missions are
// known.
func describeConcerned(env *page.Env, o *api.Order) []string {
	missions, flights, now := 0, 0, env.Now()
	var next *api.Mission
	for _, m := range keptMissions(env, o).Missions {
		if m.Status == api.MissionCancelled {
			continue
		}
		missions++
		if m.Status != api.MissionFlightScheduled || m.FlightDate.Before(now) {
			continue
		}
		if flights++; next == nil || m.FlightDate.Before(next.FlightDate.Time) {
			next = &m
		}
	}
	if missions == 0 {
		return nil
	}
	text := "Affects " + format.Count(missions, "mission", "missions")
	if next != nil {
		text += " and " + format.Count(
			flights,
			"planned flight",
			"planned flights",
		) + ", the next on " + format.MomentAt(
			next.FlightDate.Time,
			now,
			cache.ZoneOf(next),
		)
	}
	return []string{text + "."}
}

// holdMove holds a move back for a while, and then has it made. The outcome is
// what the order says of itself.
func holdMove(env *page.Env, o *api.Order, move api.OrderMove, reason string) tea.Cmd {
	sender, code := env.ChangeSender(), o.OrderCode
	return env.Defer(page.HeldChange{
		Text: string(move) + " " + code, Done: format.CapitalizeFirst(move.PastTense()) + " " + code, Of: o.UUID,
		Send: func(ctx context.Context) error { return sender.MoveOrder(ctx, o, move, reason) },
	})
}
