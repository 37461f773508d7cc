package desk

import (
	"context"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/store"
)

// World is what a store is filled with before it serves anybody.
type World struct {
	Accounts []store.Account // with their UUIDs
	Orders   []PastOrder     // oldest first
}

// PastOrder is an order with a history, taken over as it stands.
type PastOrder struct {
	AccountUUID     string
	UUID            string
	Request         api.CreateOrderRequest
	Status          api.OrderStatus
	RejectionReason *string
	ArchiveReason   *string
	StatusBefore    *api.OrderStatus // of an archived order
	Created         time.Time
	Updated         time.Time
	Missions        []PastMission // one for each of the request
}

// PastMission is what has become of a mission.
type PastMission struct {
	UUID         string
	Status       api.MissionStatus
	City         *string
	OperatorName *string
	FlightDate   time.Time // zero: none
	Updated      time.Time
}

// TakeOver keeps a world, all of it or nothing. It is for a store that serves
// nobody yet, since what it adds has its place among older things in a list.
func (d *Desk) TakeOver(ctx context.Context, w World) error {
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		ids := map[string]int64{}
		for _, a := range w.Accounts {
			if err := tx.InsertAccount(&a); err != nil {
				return err
			}
			ids[a.UUID] = a.ID
		}
		for _, past := range w.Orders {
			if err := takeOver(tx, ids[past.AccountUUID], past); err != nil {
				return err
			}
		}
		return nil
	})
	return kept(err, "take over accounts and orders")
}

func takeOver(tx *store.Tx, accountID int64, past PastOrder) error {
	o := draftOrder(accountID, past.Request, past.Created)
	o.UUID, o.Status, o.Created, o.Updated = past.UUID, past.Status, past.Created, past.Updated
	o.RejectionReason, o.ArchiveReason = past.RejectionReason, past.ArchiveReason
	o.StatusBefore = past.StatusBefore
	missions := (&Desk{}).draftMissions(past.Request.Missions, past.Created)
	for i, m := range past.Missions {
		to := &missions[i]
		to.UUID, to.Status, to.City = m.UUID, m.Status, m.City
		to.OperatorName, to.FlightDate = m.OperatorName, m.FlightDate
		to.Created, to.Updated = past.Created, m.Updated
	}
	return insertOrder(tx, &o, missions)
}
