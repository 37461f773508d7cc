package domain

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// Sender sends callbacks that have been kept. Its methods do not wait.
type Sender interface {
	Send(deliveries ...store.Delivery)
	Forget(webhookID int64) // stops what is under way to a deleted endpoint
}

// domainMove is a transaction that may announce events.
type domainMove struct {
	*store.Tx
	parts     *ServiceParts
	announced []store.Delivery
	notices   []store.Notice
}

// runMove runs a job in a transaction, and has the events that it announced sent
// once they are kept. An error undoes the job and its events.
func (d *ServiceParts) runMove(ctx context.Context, run func(*domainMove) error) error {
	m := &domainMove{parts: d}
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		m.Tx, m.announced, m.notices = tx, nil, nil // the store may run a job again
		return run(m)
	})
	if err == nil && d.Sender != nil && len(m.announced) > 0 {
		d.Sender.Send(m.announced...)
	}
	if err == nil && d.Notifier != nil && len(m.notices) > 0 {
		d.Notifier.Notify(m.notices...)
	}
	return err
}

// announceEvent writes an event of a mission, as it stands after the move, into the
// logs of the endpoints that are subscribed to it.
func (m *domainMove) announceEvent(event api.EventName, order store.Order, mission store.Mission) error {
	endpoints, err := m.SubscribedEndpoints(order.AccountID, event)
	if err != nil {
		return err
	}
	about := api.EventMission{
		UUID:        mission.UUID,
		MissionCode: mission.Code,
		Status:      mission.Status,
		OrderUID:    order.UUID,
		OrderCode:   order.Code,
	}
	return m.deliverEvent(endpoints, event, about)
}

// deliverEvent writes one event to endpoints.
func (m *domainMove) deliverEvent(endpoints []int64, event api.EventName, about api.EventMission) error {
	now := m.parts.Now().Truncate(time.Millisecond)
	deliveries := make([]store.Delivery, len(endpoints))
	rows := make([]*store.Delivery, len(endpoints))
	for i, endpoint := range endpoints {
		d := store.Delivery{
			WebhookID:   endpoint,
			UUID:        newUUID(now),
			Event:       event,
			MissionUUID: about.UUID,
			OrderCode:   about.OrderCode,
			Created:     now,
		}
		body, err := json.Marshal(api.Event{
			ID: d.UUID, Event: event, Timestamp: api.TimeOf(now.UTC()), Data: api.EventData{Mission: about},
		})
		if err != nil {
			return err
		}
		d.Body = string(body)
		deliveries[i], rows[i] = d, &deliveries[i]
	}
	if err := m.InsertDeliveries(rows...); err != nil {
		return err
	}
	m.announced = append(m.announced, deliveries...)
	return nil
}
