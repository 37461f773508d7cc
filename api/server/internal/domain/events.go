package domain

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// Sender sends callbacks that are stored. Its methods do not wait.
type Sender interface {
	Send(deliveries ...store.Delivery)
	CancelEndpoint(webhookID int64) // stops sending to a deleted endpoint
}

// domainMove is a transaction of the domain. It collects the callbacks and notices that are sent
// after the commit.
type domainMove struct {
	tx        *store.Tx
	parts     *ServiceParts
	announced []store.Delivery // callbacks to send after the commit
	notices   []store.Notice   // notices to send after the commit
}

// runMove runs a job in a transaction. After the commit, it sends the callbacks and notices that
// the job has announced. If the job fails, nothing is sent.
func (d *ServiceParts) runMove(ctx context.Context, run func(*domainMove) error) error {
	m := new(domainMove)
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		*m = domainMove{tx: tx, parts: d} // the store may run the job several times
		return run(m)
	})
	if err != nil {
		return err
	}
	if d.Sender != nil && len(m.announced) > 0 {
		d.Sender.Send(m.announced...)
	}
	if d.Notifier != nil && len(m.notices) > 0 {
		d.Notifier.Notify(m.notices...)
	}
	return nil
}

// announceEvent announces an event of a mission to the endpoints that subscribe to the event. It
// adds a callback to the log of each of these endpoints; the callbacks are sent after the commit.
// mission must be the mission as it is after the change.
func (m *domainMove) announceEvent(event api.EventName, order store.Order, mission store.Mission) error {
	endpoints, err := m.tx.SubscribedEndpoints(order.AccountID, event)
	if err != nil {
		return err
	}
	return m.deliverEvent(endpoints, event, api.EventMission{
		UUID:        mission.UUID,
		MissionCode: mission.Code,
		Status:      mission.Status,
		OrderUID:    order.UUID,
		OrderCode:   order.Code,
	})
}

// deliverEvent adds a callback for an event of a mission to the log of each of the given endpoints.
func (m *domainMove) deliverEvent(endpoints []int64, event api.EventName, mission api.EventMission) error {
	now := m.parts.Now().Truncate(time.Millisecond)
	deliveries := make([]store.Delivery, len(endpoints))
	rows := make([]*store.Delivery, len(endpoints))
	for i, endpoint := range endpoints {
		d, err := newDelivery(newUUID(now), event, mission, now)
		if err != nil {
			return err
		}
		d.WebhookID = endpoint
		deliveries[i] = d
		rows[i] = &deliveries[i]
	}
	if err := m.tx.InsertDeliveries(rows...); err != nil {
		return err
	}
	m.announced = append(m.announced, deliveries...)
	return nil
}

// newDelivery returns the callback for an event. The caller sets the endpoint.
func newDelivery(
	uuid string, event api.EventName, mission api.EventMission, created time.Time,
) (store.Delivery, error) {
	body, err := json.Marshal(api.Event{
		ID:        uuid,
		Event:     event,
		Timestamp: api.TimeOf(created.UTC()),
		Data:      api.EventData{Mission: mission},
	})
	if err != nil {
		return store.Delivery{}, err
	}
	return store.Delivery{
		UUID:        uuid,
		Event:       event,
		MissionUUID: mission.UUID,
		OrderCode:   mission.OrderCode,
		Body:        string(body),
		Created:     created,
	}, nil
}
