package domain

import (
	"context"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// ByUUID returns one of the caller's orders without its missions.
func (d Orders) ByUUID(ctx context.Context, c *Caller, uuid string) (store.Order, error) {
	o, err := store.ByUUID[store.Order](ctx, d.Store, uuid)
	if err != nil {
		return o, wrapStoreError(refuseMissing(err, noOrder), "read order")
	}
	return o, authorizePublic(c, o)
}

// Cancel cancels an order and its missions, unless data was delivered.
func (d Orders) Cancel(ctx context.Context, c *Caller, uuid string) (store.Order, []store.Mission, error) {
	return d.moveOrder(ctx, c, uuid, orderMove{
		OrderMove:       api.MoveCancel,
		unlessDelivered: true,
		cancels:         true,
	})
}

// Archive archives an order that has ended or has not begun.
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

// statusShownArchived returns the status that the v2 API shows for an archived order: its status
// before it was archived. If it was open for quotes, the v2 API shows it as cancelled, because
// the quotes of an archived order cannot be decided.
func statusShownArchived(before api.OrderStatus) api.OrderStatus {
	if before == api.OrderBiddingWithQuote {
		return api.OrderCancelled
	}
	return before
}

// Reject rejects an order before a quote is accepted.
func (d Orders) Reject(ctx context.Context, c *Caller, uuid, reason string) (store.Order, []store.Mission, error) {
	return d.moveOrder(ctx, c, uuid, orderMove{
		OrderMove: api.MoveReject,
		cancels:   true,
		change:    func(o *store.Order) { o.RejectionReason = &reason },
	})
}

// orderMove is a change of an order's status.
type orderMove struct {
	api.OrderMove
	unlessDelivered bool               // the change is refused if data of a mission was delivered
	cancels         bool               // the change also cancels the missions
	change          func(*store.Order) // sets other fields of the order; nil if there are none
}

// moveOrder changes the status of an order. If the order already has the status, it
// changes nothing. A nil caller is the service itself.
func (d Orders) moveOrder(
	ctx context.Context, c *Caller, uuid string, move orderMove,
) (o store.Order, missions []store.Mission, err error) {
	err = d.Store.Write(ctx, func(tx *store.Tx) error {
		var err error
		o, missions, err = tx.OrderByUUID(uuid)
		if err != nil {
			return refuseMissing(err, noOrder)
		}
		if err := authorizePublic(c, o); err != nil {
			return err
		}
		if o.Status == move.ResultingStatus() {
			return nil
		}
		if err := move.checkAllowed(o, missions); err != nil {
			return err
		}
		return move.apply(tx, &o, missions, d.Now())
	})
	return o, missions, wrapStoreError(err, string(move.OrderMove)+" order")
}

// apply saves the changed order and, if the move requires it, cancels its missions.
func (move orderMove) apply(tx *store.Tx, o *store.Order, missions []store.Mission, now time.Time) error {
	if move.change != nil {
		move.change(o)
	}
	o.Status = move.ResultingStatus()
	o.Updated = laterOf(now, o.Updated)
	if err := store.Update(tx, o); err != nil {
		return err
	}
	if !move.cancels {
		return nil
	}
	return cancelMissions(tx, missions, o.Updated)
}

// checkAllowed returns an error if the status of the order does not permit the move, or delivered data forbids it.
func (move orderMove) checkAllowed(o store.Order, missions []store.Mission) error {
	if !move.IsAllowed(o.Status) {
		return refuseRequest(api.CodeConflict, "%s is %s and cannot be %s", o.Code, o.Status, move.PastTense())
	}
	if !move.unlessDelivered {
		return nil
	}
	for _, m := range missions {
		if m.Status.IsDelivered() {
			return refuseRequest(api.CodeConflict, "the data of %s is delivered; %s can no longer be %s",
				m.Code, o.Code, move.PastTense())
		}
	}
	return nil
}

func cancelMissions(tx *store.Tx, missions []store.Mission, now time.Time) error {
	for i := range missions {
		m := &missions[i]
		m.Status = api.MissionCancelled
		m.Updated = laterOf(now, m.Updated)
		if err := store.Update(tx, m); err != nil {
			return err
		}
	}
	return nil
}

// Find returns one of the caller's missions and its order.
func (d Missions) Find(ctx context.Context, c *Caller, uuid string) (store.Order, store.Mission, error) {
	o, m, err := d.Store.MissionByUUID(ctx, uuid)
	if err != nil {
		return o, m, wrapStoreError(refuseMissing(err, noMission), "read mission")
	}
	return o, m, authorizeAccess(c, o)
}

const (
	noMission = "mission not found"
	noOrder   = "order not found"
)

// laterOf returns now in whole milliseconds. If the clock was set back, so that now is before the
// previous change, it returns before, the time of that change.
func laterOf(now, before time.Time) time.Time {
	now = now.Truncate(time.Millisecond).UTC()
	if now.Before(before) {
		return before
	}
	return now
}
