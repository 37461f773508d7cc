package domain

import (
	"context"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// ByUUID returns one of the caller's orders without its missions.
func (d Orders) ByUUID(ctx context.Context, c *Caller, uuid string) (store.Order, error) {
	o, err := store.ByUUID[store.Order](ctx, d.Store, uuid)
	return o, wrapStoreError(authorizePublic(c, o, err), "read order")
}

// Cancel ends an order whose data has not been delivered, and its
// missions with it.
func (d Orders) Cancel(ctx context.Context, c *Caller, uuid string) (store.Order, []store.Mission, error) {
	return d.moveOrder(ctx, c, uuid, orderMove{
		OrderMove: api.MoveCancel, unlessDelivered: true, cancels: true,
	})
}

// Archive puts an order away that has come to an end or has not begun.
func (d Orders) Archive(ctx context.Context, c *Caller, uuid, reason string) (store.Order, []store.Mission, error) {
	return d.moveOrder(ctx, c, uuid, orderMove{
		OrderMove: api.MoveArchive,
		change: func(o *store.Order) {
			before := statusShownArchived(o.Status)
			o.StatusBefore = &before
			o.ArchiveReason = &reason
		},
	})
}

// statusShownArchived returns the status that the v2 API shows of an archived order: the
// status before, or cancelled if its quotes were still open, since nobody can decide them.
func statusShownArchived(before api.OrderStatus) api.OrderStatus {
	if before == api.OrderBiddingWithQuote {
		return api.OrderCancelled
	}
	return before
}

// Reject ends an order before a quote is accepted.
func (d Orders) Reject(ctx context.Context, c *Caller, uuid, reason string) (store.Order, []store.Mission, error) {
	return d.moveOrder(ctx, c, uuid, orderMove{
		OrderMove: api.MoveReject, cancels: true, change: func(o *store.Order) { o.RejectionReason = &reason },
	})
}

// orderMove is a move of a whole order.
type orderMove struct {
	api.OrderMove
	unlessDelivered bool // not once a mission's data is delivered
	cancels         bool // the missions become cancelled
	change          func(*store.Order)
}

// moveOrder makes a move, or nothing if it has been made before. A caller of
// nil is the service itself.
func (d Orders) moveOrder(
	ctx context.Context, c *Caller, uuid string, move orderMove,
) (o store.Order, missions []store.Mission, err error) {
	err = d.Store.Write(ctx, func(tx *store.Tx) (err error) {
		o, missions, err = tx.OrderByUUID(uuid)
		err = authorizePublic(c, o, err)
		if err != nil || o.Status == move.ResultingStatus() {
			return err
		}
		if err := move.checkAllowed(o, missions); err != nil {
			return err
		}
		if move.change != nil {
			move.change(&o)
		}
		o.Status, o.Updated = move.ResultingStatus(), laterOf(d.Now(), o.Updated)
		if err := store.Update(tx, &o); err != nil || !move.cancels {
			return err
		}
		return cancelMissions(tx, missions, o.Updated)
	})
	return o, missions, wrapStoreError(err, string(move.OrderMove)+" order")
}

func (move orderMove) checkAllowed(o store.Order, missions []store.Mission) error {
	if !move.IsAllowed(o.Status) {
		return refuseRequest(api.CodeConflict, "%s is %s and cannot be %s", o.Code, o.Status, move.PastTense())
	}
	i := slices.IndexFunc(missions, func(m store.Mission) bool { return m.Status.IsDelivered() })
	if move.unlessDelivered && i >= 0 {
		return refuseRequest(api.CodeConflict,
			"the data of %s is delivered; %s can no longer be %s", missions[i].Code, o.Code, move.PastTense())
	}
	return nil
}

func cancelMissions(tx *store.Tx, missions []store.Mission, at time.Time) error {
	for i := range missions {
		m := &missions[i]
		m.Status, m.Updated = api.MissionCancelled, laterOf(at, m.Updated)
		if err := store.Update(tx, m); err != nil {
			return err
		}
	}
	return nil
}

// Find returns one of the caller's missions and its order.
func (d Missions) Find(ctx context.Context, c *Caller, uuid string) (store.Order, store.Mission, error) {
	o, m, err := d.Store.MissionByUUID(ctx, uuid)
	return o, m, wrapStoreError(authorizeAccess(c, o, refuseMissing(err, noMission)), "read mission")
}

const (
	noMission = "mission not found"
	noOrder   = "order not found"
)

// laterOf returns now in whole milliseconds, or the earlier time of change if
// the clock has been behind it.
func laterOf(now, before time.Time) time.Time {
	now = now.Truncate(time.Millisecond).UTC()
	if now.Before(before) {
		return before
	}
	return now
}
