package store

import "context"

// The rests of queries that choose one record.
const (
	ofID   = `WHERE id = $1`
	ofUUID = `WHERE uuid = $1`
)

// OrderByUUID returns an order of any account.
func (r *storeReader) OrderByUUID(ctx context.Context, uuid string) (Order, error) {
	return findRow(ctx, r, orderTable, ofUUID, uuid)
}

// OrderByUUID returns an order of any account and its missions.
func (tx *Tx) OrderByUUID(uuid string) (o Order, missions []Mission, err error) {
	return tx.orderWithMissions(ofUUID, uuid)
}

func (tx *Tx) orderWithMissions(rest, uuid string) (o Order, missions []Mission, err error) {
	if o, err = findRow(tx.ctx, tx, orderTable, rest, uuid); err != nil {
		return o, nil, err
	}
	missions, err = findRows(tx.ctx, tx, missionTable, allMissions, o.ID)
	return o, missions, err
}

const orderOfMission = `WHERE id = (SELECT order_id FROM missions WHERE uuid = $1)`

// MissionByUUID returns a mission of any account and its order.
func (r *storeReader) MissionByUUID(ctx context.Context, uuid string) (o Order, m Mission, err error) {
	err = r.viewSnapshot(ctx, func(q querier) (err error) {
		if m, err = findRow(ctx, q, missionTable, ofUUID, uuid); err != nil {
			return err
		}
		o, err = findRow(ctx, q, orderTable, orderOfMission, uuid)
		return err
	})
	return o, m, err
}

// OrderOfMission returns the order of a mission and all its missions.
func (tx *Tx) OrderOfMission(uuid string) (o Order, missions []Mission, err error) {
	return tx.orderWithMissions(orderOfMission, uuid)
}

// UpdateOrder keeps what a move changes of an order: the statuses, the reasons
// and the time of the change.
func (tx *Tx) UpdateOrder(o *Order) error {
	return updateRow(tx, orderTable, o, "status", "status_before", "rejection_reason", "archive_reason", "updated", "listed")
}

// UpdateMission keeps what a move changes of a mission: status, operator,
// flight date and the time of the change.
func (tx *Tx) UpdateMission(m *Mission) error {
	return updateRow(tx, missionTable, m, "status", "operator_name", "flight_date", "updated")
}
