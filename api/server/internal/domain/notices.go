package domain

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// Notifier notifies clients of complete orders. Its method does not wait.
type Notifier interface {
	Notify(notices ...store.Notice)
}

// NoticeLetter is the data of an email to a client.
type NoticeLetter struct {
	To          string    `json:"to"`
	ClientName  string    `json:"clientName"`
	OrderCode   string    `json:"orderCode"`
	OrderName   string    `json:"orderName"`
	CompletedAt time.Time `json:"completedAt"`
}

// announceCompletion notifies the client that an order is complete. It adds a notice for each
// channel in the notification settings of the order: a callback, an email, both or none.
func (m *domainMove) announceCompletion(o store.Order) error {
	settings, err := m.tx.Notify(o.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if settings.Webhook != "" {
		if err := m.announceToWebhook(o, settings.Webhook); err != nil {
			return err
		}
	}
	if settings.Email {
		return m.announceByEmail(o)
	}
	return nil
}

// announceToWebhook adds a notice to the webhook of an order that is complete.
func (m *domainMove) announceToWebhook(o store.Order, address string) error {
	return m.writeNotice(o, store.NoticeWebhook, address, api.OrderCompletion{
		ID:          o.UUID,
		OrderStatus: api.RecordCompleted,
		CompletedAt: api.TimeOf(o.Updated),
	})
}

// announceByEmail adds an email to the client of an order that is complete, if the client has an email address.
func (m *domainMove) announceByEmail(o store.Order) error {
	a, err := m.tx.AccountOfOrder(o.ID)
	if err != nil {
		return err
	}
	if a.ClientEmail == "" {
		return nil
	}
	return m.writeNotice(o, store.NoticeEmail, a.ClientEmail, NoticeLetter{
		To:          a.ClientEmail,
		ClientName:  a.ClientName,
		OrderCode:   o.Code,
		OrderName:   o.Name,
		CompletedAt: o.Updated,
	})
}

// writeNotice stores a notice. The notice is sent after the transaction is committed.
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
	if err := m.tx.InsertNotice(&n); err != nil {
		return err
	}
	m.notices = append(m.notices, n)
	return nil
}

// Notices returns a page of the notices of an account's orders, newest first. If onlyFailed
// is true, it leaves out the notices that did not fail.
func (d Callbacks) Notices(
	ctx context.Context, accountID int64, onlyFailed bool, w store.ListWindow,
) (Page[store.NoticeOfOrder], error) {
	read := func(w store.ListWindow) ([]store.NoticeOfOrder, error) {
		return d.Store.NoticesOfAccount(ctx, accountID, onlyFailed, w)
	}
	page, err := readPage(w, store.PlaceOf[store.NoticeOfOrder], read)
	return page, wrapStoreError(err, "list notifications")
}

// ResendNotice sends a notice again, with the same ID and to the same address.
func (d Callbacks) ResendNotice(ctx context.Context, uuid string) (store.Order, store.Notice, error) {
	var order store.Order
	var notice store.Notice
	err := d.runMove(ctx, func(m *domainMove) error {
		var err error
		order, notice, err = m.tx.NoticeByUUID(uuid)
		if err != nil {
			return refuseMissing(err, "notification not found")
		}
		if notice.Error != nil && *notice.Error == store.DeliveryPending {
			return refuseRequest(api.CodeConflict, "the notification is still being sent")
		}
		if err := m.checkAddress(order, notice); err != nil {
			return err
		}
		if err := m.tx.RenewNotice(&notice); err != nil {
			return err
		}
		m.notices = append(m.notices, notice)
		return nil
	})
	return order, notice, wrapStoreError(err, "resend notification")
}

// checkAddress returns an error if a notice is a callback to a URL that was removed from the
// notification settings of the order.
func (m *domainMove) checkAddress(o store.Order, n store.Notice) error {
	if n.Kind != store.NoticeWebhook {
		return nil
	}
	settings, err := m.tx.Notify(o.ID)
	isMissing := errors.Is(err, store.ErrNotFound)
	if err != nil && !isMissing {
		return err
	}
	if isMissing || settings.Webhook != n.Address {
		return refuseRequest(api.CodeConflict, "notifications of %s no longer go to that address", o.Code)
	}
	return nil
}
