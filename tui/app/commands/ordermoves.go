package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/layout"
)

// DescribeOrderMove says what a move does, and that it cannot be undone.
func DescribeOrderMove(move api.OrderMove) []string { return orderMoves[move] }

var orderMoves = map[api.OrderMove][]string{
	api.MoveCancel: {
		"Cancels the order and all its missions. Planned flights do not take place.",
		"Cannot be undone once sent; you would have to place a new order.",
	},
	api.MoveArchive: {
		"Archives the order. It stays in the list, read-only; open quotes can no longer be decided.",
		"Cannot be undone once sent.",
	},
	api.MoveReject: {
		"Rejects the order and its missions and closes its quotes.",
		"Cannot be undone once sent; you would have to place a new order.",
	},
}

// RefuseOrderMove says why an order does not accept a move, "" where it does. A status
// that is not known here is left to the service.
func RefuseOrderMove(o *api.Order, move api.OrderMove) string {
	switch {
	case o.Status == move.ResultingStatus():
		return o.OrderCode + " is already " + move.PastTense()
	case o.Status.IsKnown() && !move.IsAllowed(o.Status):
		return fmt.Sprintf(
			"%s is %s; only orders that are %s can be %s",
			o.OrderCode,
			inText(o.Status),
			statusList(move.AllowedFrom()),
			move.PastTense(),
		)
	case move == api.MoveCancel:
		for i := range o.Missions {
			if m := &o.Missions[i]; m.Status.IsDelivered() {
				return fmt.Sprintf(
					"cannot cancel %[2]s: data of %[1]s is already delivered",
					m.MissionCode,
					o.OrderCode,
				)
			}
		}
	}
	return ""
}

// inText returns a status as it stands within a sentence.
func inText(s api.OrderStatus) string { return strings.ToLower(labels.Status(s).Label) }

func statusList(statuses []api.OrderStatus) string {
	names := make([]string, len(statuses))
	for i, s := range statuses {
		names[i] = inText(s)
	}
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func requestMove(ctx context.Context, client *api.Client, move api.OrderMove, uuid, reason string) (err error) {
	switch move {
	case api.MoveCancel:
		_, err = client.Orders.Cancel(ctx, uuid)
	case api.MoveArchive:
		_, err = client.Orders.Archive(ctx, uuid, reason)
	case api.MoveReject:
		_, err = client.Orders.Reject(ctx, uuid, reason)
	}
	return err
}

// moveOutcome reads the order after a move that was answered; refused is the error of a
// refusal.
func moveOutcome(
	ctx context.Context,
	client *api.Client,
	move api.OrderMove,
	code string,
	refused error,
) error {
	now, err := client.Orders.Get(ctx, code)
	var refusal *api.Error
	switch {
	case err != nil: // it was confirmed or refused; only how the order stands now is not read
		return refused
	case now.Status == move.ResultingStatus():
		return nil
	}
	label := layout.Clean(labels.Status(now.Status).Label)
	switch {
	case refused == nil:
		return fmt.Errorf("accepted, but %s is now %s", code, label)
	case errors.As(refused, &refusal):
		return fmt.Errorf("not done: %s; the order is now %s", layout.Clean(refusal.Message), label)
	}
	return fmt.Errorf("could not connect; %s is still %s", code, label)
}
