package orders

import (
	"cmp"
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

// moves maps actions to the changes of a placed order.
var moves = map[action.ID]api.OrderMove{
	action.CancelOrder:  api.MoveCancel,
	action.ArchiveOrder: api.MoveArchive,
	action.RejectOrder:  api.MoveReject,
}

// moveRefusal returns why a change of an order is not possible, "" if it is.
func moveRefusal(env *page.Env, o *api.Order, move api.OrderMove) string {
	if env.Cache.IsOnlyRecord(cache.OrderIdentity(o)) {
		return onlyRecord
	}
	return cmp.Or(env.PendingReason(o.UUID), commands.RefuseOrderMove(o, move))
}

// confirmMove opens the dialog that confirms a change of an order. No change can be
// undone once sent, so the user types the order's code, and a reason if the service
// requires one.
func confirmMove(env *page.Env, o *api.Order, move api.OrderMove) tea.Cmd {
	lines := []string{
		strings.TrimSpace(o.OrderCode + "  " + o.OrderName),
		labels.OrderState(o.Status, env.QuotesOf(o.UUID)).Label,
		"",
		commands.DescribeOrderMove(move)[0],
	}
	end := env.UndoNote("then it is final")
	if move != api.MoveArchive {
		lines = append(lines, describeEffects(env, o)...)
		end = env.UndoNote("after that you would have to place a new order")
	}
	fields := []*form.Field{dialog.WordField("Order code", "type "+o.OrderCode+" to confirm", o.OrderCode)}
	reason := &form.Field{ID: "reason", Label: "Reason", Kind: form.Long, Help: "stored with the order"}
	if move.NeedsReason() {
		fields = []*form.Field{reason, fields[0]}
		reason.Check = func() string {
			if reason.Value() == "" {
				return "enter a reason"
			}
			return ""
		}
	}
	env.Overlay(&dialog.FormDialog{
		Title: format.CapitalizeFirst(string(move)) + " order", Lines: append(lines, end),
		Yes: string(move) + " order", Form: form.New(api.MaxTextLength, env.Now, fields...),
		OnSave: func() tea.Cmd { return deferMove(env, o, move, reason.Value()) },
	})
	return nil
}

// describeEffects returns a line on the missions and flights that a change affects,
// none if the missions are unknown.
func describeEffects(env *page.Env, o *api.Order) []string {
	missions, flights, now := 0, 0, env.Now()
	var next *api.Mission
	for _, m := range withKnownMissions(env, o).Missions {
		if m.Status != api.MissionCancelled {
			missions++
		}
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
	text := "Affects " + format.Count(missions, "mission")
	if next != nil {
		text += " and " + format.Count(flights, "planned flight") +
			", the next on " + env.Units.MomentAt(next.FlightDate.Time, now, cache.ZoneOf(next))
	}
	return []string{text + "."}
}

// deferMove sends a change after the time in which it can be undone.
func deferMove(env *page.Env, o *api.Order, move api.OrderMove, reason string) tea.Cmd {
	sender, code := env.ChangeSender(), o.OrderCode
	return env.Defer(page.HeldChange{
		Text: string(
			move,
		) + " " + code,
		Done: format.CapitalizeFirst(move.PastTense()) + " " + code,
		Of:   o.UUID,
		Send: func(ctx context.Context) error { return sender.MoveOrder(ctx, o, move, reason) },
	})
}
