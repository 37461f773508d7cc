package domain

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// Notifier tells clients that orders are complete. Its method does not wait.
type Notifier interface {
	Notify(notices ...store.Notice)
}

// NoticeLetter is what a message to a client is about.
type NoticeLetter struct {
	To          string    `json:"to"`
	ClientName  string    `json:"clientName"`
	OrderCode   string    `json:"orderCode"`
	OrderName   string    `json:"orderName"`
	CompletedAt time.Time `json:"completedAt"`
}

// announceCompletion writes down what the client of an order that is complete is told,
// by the ways that were set for it.
func (m *domainMove) announceCompletion(o store.Order) error {
	set, err := m.Notify(o.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if set.Webhook != "" {
		err := m.writeNotice(o, store.NoticeWebhook, set.Webhook, api.OrderCompletion{
			ID: o.UUID, OrderStatus: api.RecordCompleted, CompletedAt: api.TimeOf(o.Updated),
		})
		if err != nil {
			return err
		}
	}
	if !set.Email {
		return nil
	}
	a, err := m.AccountOfOrder(o.ID)
	if err != nil || a.ClientEmail == "" { // there is nobody to write to
		return err
	}
	return m.writeNotice(o, store.NoticeEmail, a.ClientEmail, NoticeLetter{
		To:          a.ClientEmail,
		ClientName:  a.ClientName,
		OrderCode:   o.Code,
		OrderName:   o.Name,
		CompletedAt: o.Updated,
	})
}

func (m *domainMove) writeNotice(o store.Order, kind, address string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	now := m.parts.Now().UTC().Truncate(time.Millisecond)
	n := store.Notice{
		UUID:    newUUID(now),
		OrderID: o.ID,
		Kind:    kind,
		Address: address,
		Body:    string(text),
		Created: now,
	}
	if err := m.InsertNotice(&n); err != nil {
		return err
	}
	m.notices = append(m.notices, n)
	return nil
}

// ResendNotice tells a client once more: the same notice with the same id, to
// the address that it had.
func (d Callbacks) ResendNotice(ctx context.Context, uuid string) (o store.Order, n store.Notice, err error) {
	err = d.runMove(ctx, func(m *domainMove) error {
		o, n, err = m.NoticeByUUID(uuid)
		if err != nil {
			return refuseMissing(err, "notification not found")
		}
		if n.Error != nil && *n.Error == store.DeliveryPending {
			return refuseRequest(api.CodeConflict, "the notification is still being sent")
		}
		if n.Kind == store.NoticeWebhook {
			set, err := m.Notify(o.ID)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			if set.Webhook != n.Address {
				return refuseRequest(api.CodeConflict,
					"notifications of %s no longer go to that address", o.Code)
			}
		}
		if err := m.RenewNotice(&n); err != nil {
			return err
		}
		m.notices = append(m.notices, n)
		return nil
	})
	return o, n, wrapStoreError(err, "resend notification")
}
