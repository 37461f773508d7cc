package domain

import (
	"context"
	"errors"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/store"
)

// OrderByUUID returns one of the caller's orders without its missions.
func (d *Service) OrderByUUID(ctx context.Context, c *Caller, uuid string) (store.Order, error) {
	o, err := d.Store.OrderByUUID(ctx, uuid)
	if err = visible(c, o, err); err != nil {
		return store.Order{}, kept(err, "read order")
	}
	return o, nil
}

// CancelOrder ends an order whose data has not been delivered, and its
// missions with it.
func (d *Service) CancelOrder(ctx context.Context, c *Caller, uuid string) (store.Order, []store.Mission, error) {
	return d.moveOrder(ctx, c, uuid, orderMove{
		to: api.OrderCancelled, doing: "cancel", done: "cancelled", from: api.MoveCancel.From(), unlessDelivered: true, cancels: true,
	})
}

// ArchiveOrder puts an order away that has come to an end or has not begun.
func (d *Service) ArchiveOrder(ctx context.Context, c *Caller, uuid, reason string) (store.Order, []store.Mission, error) {
	return d.moveOrder(ctx, c, uuid, orderMove{
		to: api.OrderArchived, doing: "archive", done: "archived",
		from: api.MoveArchive.From(),
		change: func(o *store.Order) {
			before := o.Status
			o.StatusBefore, o.ArchiveReason = &before, &reason
		},
	})
}

// RejectOrder ends an order before a quote is accepted.
func (d *Service) RejectOrder(ctx context.Context, c *Caller, uuid, reason string) (store.Order, []store.Mission, error) {
	return d.moveOrder(ctx, c, uuid, orderMove{
		to: api.OrderRejected, doing: "reject", done: "rejected", from: api.MoveReject.From(),
		cancels: true, change: func(o *store.Order) { o.RejectionReason = &reason },
	})
}

// orderMove is a move of a whole order.
type orderMove struct {
	to              api.OrderStatus
	doing           string // "archive"
	done            string // "archived"
	from            []api.OrderStatus
	unlessDelivered bool // not once a mission's data is delivered
	cancels         bool // the missions become cancelled
	change          func(*store.Order)
}

// moveOrder makes a move, or nothing if it has been made before. A caller of
// nil is the service itself.
func (d *Service) moveOrder(ctx context.Context, c *Caller, uuid string, move orderMove) (o store.Order, missions []store.Mission, err error) {
	err = d.Store.Write(ctx, func(tx *store.Tx) (err error) {
		o, missions, err = tx.OrderByUUID(uuid)
		if err = visible(c, o, err); err != nil || o.Status == move.to {
			return err
		}
		if err := move.allowed(o, missions); err != nil {
			return err
		}
		if move.change != nil {
			move.change(&o)
		}
		o.Status, o.Updated = move.to, later(d.Now(), o.Updated)
		if err := tx.UpdateOrder(&o); err != nil || !move.cancels {
			return err
		}
		return cancelMissions(tx, missions, o.Updated)
	})
	if err != nil {
		return store.Order{}, nil, kept(err, move.doing+" order")
	}
	return o, missions, nil
}

func (move orderMove) allowed(o store.Order, missions []store.Mission) error {
	if !slices.Contains(move.from, o.Status) {
		return refuse(api.CodeConflict, "%s is %s and cannot be %s", o.Code, o.Status, move.done)
	}
	i := slices.IndexFunc(missions, func(m store.Mission) bool { return rank(m) >= rankOf(api.MissionDataDelivered) })
	if move.unlessDelivered && i >= 0 {
		return refuse(api.CodeConflict, "the data of %s is delivered; %s cannot be %s any more", missions[i].Code, o.Code, move.done)
	}
	return nil
}

func cancelMissions(tx *store.Tx, missions []store.Mission, at time.Time) error {
	for i := range missions {
		m := &missions[i]
		m.Status, m.Updated = api.MissionCancelled, later(at, m.Updated)
		if err := tx.UpdateMission(m); err != nil {
			return err
		}
	}
	return nil
}

// Mission returns one of the caller's missions and its order.
func (d *Service) Mission(ctx context.Context, c *Caller, uuid string) (store.Order, store.Mission, error) {
	o, m, err := d.Store.MissionByUUID(ctx, uuid)
	if errors.Is(err, store.ErrNotFound) {
		return o, m, errNoMission
	}
	if err = visible(c, o, err); err != nil {
		return store.Order{}, store.Mission{}, kept(err, "read mission")
	}
	return o, m, nil
}

var errNoMission = refuse(api.CodeNotFound, "there is no such mission")

// rank says how far a mission is.
func rank(m store.Mission) int { return rankOf(m.Status) }

func rankOf(s api.MissionStatus) int {
	switch s {
	case api.MissionAwaitingPilot:
		return 0
	case api.MissionPilotAssigned:
		return 1
	case api.MissionFlightScheduled:
		return 2
	case api.MissionDataDelivered:
		return 3
	case api.MissionCompleted:
		return 4
	default: // cancelled with its order
		return -1
	}
}

// later returns now in whole milliseconds, or the earlier time of change if
// the clock has been behind it.
func later(now, before time.Time) time.Time {
	if now = now.Truncate(time.Millisecond).UTC(); now.Before(before) {
		return before
	}
	return now
}
