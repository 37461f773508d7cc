package store

import "context"

const orderOfUUID = `SELECT ` + orderColumns + ` FROM orders WHERE uuid = $1`

// OrderByUUID returns an order of any account.
func (r *storeReader) OrderByUUID(ctx context.Context, uuid string) (Order, error) {
	return singleRow(ctx, r, scanOrder, orderOfUUID, uuid)
}

// OrderByUUID returns an order of any account and its missions.
func (tx *Tx) OrderByUUID(uuid string) (o Order, missions []Mission, err error) {
	if o, err = singleRow(tx.ctx, tx, scanOrder, orderOfUUID, uuid); err != nil {
		return o, nil, err
	}
	missions, err = collectRows(tx.ctx, tx, scanMission, allMissions, o.ID)
	return o, missions, err
}

const (
	orderOfMission = `SELECT ` + orderColumns + ` FROM orders WHERE id = (SELECT order_id FROM missions WHERE uuid = $1)`
	missionOfUUID  = `SELECT ` + missionColumns + ` FROM missions WHERE uuid = $1`
)

// MissionByUUID returns a mission of any account and its order.
func (r *storeReader) MissionByUUID(ctx context.Context, uuid string) (o Order, m Mission, err error) {
	err = r.viewSnapshot(ctx, func(q querier) (err error) {
		if m, err = singleRow(ctx, q, scanMission, missionOfUUID, uuid); err != nil {
			return err
		}
		o, err = singleRow(ctx, q, scanOrder, orderOfMission, uuid)
		return err
	})
	return o, m, err
}

// OrderOfMission returns the order of a mission and all its missions.
func (tx *Tx) OrderOfMission(uuid string) (o Order, missions []Mission, err error) {
	if o, err = singleRow(tx.ctx, tx, scanOrder, orderOfMission, uuid); err != nil {
		return o, nil, err
	}
	missions, err = collectRows(tx.ctx, tx, scanMission, allMissions, o.ID)
	return o, missions, err
}

// UpdateOrder keeps what a move changes of an order: the statuses, the reasons
// and the time of the change.
func (tx *Tx) UpdateOrder(o *Order) error {
	listed, err := tx.listedText(o)
	if err != nil {
		return err
	}
	return tx.execute(`UPDATE orders SET status = $1, status_before = $2, rejection_reason = $3, archive_reason = $4,
		updated = $5, listed = $6 WHERE id = $7`,
		o.Status, o.StatusBefore, o.RejectionReason, o.ArchiveReason, toMillis(o.Updated), listed, o.ID)
}

// UpdateMission keeps what a move changes of a mission: status, operator,
// flight date and the time of the change.
func (tx *Tx) UpdateMission(m *Mission) error {
	return tx.execute(`UPDATE missions SET status = $1, operator_name = $2, flight_date = $3, updated = $4 WHERE id = $5`,
		m.Status, m.OperatorName, toMillis(m.FlightDate), toMillis(m.Updated), m.ID)
}
