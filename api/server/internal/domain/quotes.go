package domain

import (
	"context"
	"errors"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/store"
)

// Issue issues a quote for an order that is open for bids. It closes expired quotes of
// the order.
func (d Quotes) Issue(ctx context.Context, orderUUID string, in ops.QuoteInput) (q store.Quote, err error) {
	err = d.Store.Write(ctx, func(tx *store.Tx) error {
		o, _, err := tx.OrderByUUID(orderUUID)
		if err != nil {
			return refuseMissing(err, noOrder)
		}
		if o.Status != api.OrderBiddingWithQuote {
			return refuseRequest(api.CodeConflict, "%s is %s and accepts no more quotes", o.Code, o.Status)
		}
		account, err := tx.AccountOfOrder(o.ID)
		if err != nil {
			return err
		}
		now := d.Now()
		issued := laterOf(now, o.Created) // a quote is not older than its order
		if err := closeExpired(ctx, tx, o.ID, now, issued); err != nil {
			return err
		}
		q = DraftQuote(in, account.Currency)
		q.UUID = newUUID(issued)
		q.OrderID = o.ID
		q.Status = api.QuoteOpen
		q.Created = issued
		store.SetAuditSubject(ctx, q.UUID)
		if err := tx.InsertQuote(&q); err != nil {
			return err
		}
		return updateOrder(tx, &o, issued)
	})
	return q, wrapStoreError(err, "issue quote")
}

// DraftQuote returns the quote for an offer: it computes the final price, and uses the
// currency of the account unless the offer has one.
func DraftQuote(in ops.QuoteInput, currency string) store.Quote {
	if in.Currency != "" {
		currency = in.Currency
	}
	price := api.RoundAmount(in.PriceBeforeDiscount, currency)
	return store.Quote{
		Name:           in.QuoteName,
		Description:    in.Description,
		Days:           in.DeliveryBy,
		Price:          price,
		Currency:       currency,
		Discount:       in.DiscountPercent,
		DiscountReason: optionalText(in.ReasonForDiscount),
		FinalPrice:     api.DiscountedAmount(price, in.DiscountPercent, currency),
		Expires:        in.ExpiryDate.Time,
	}
}

// optionalText returns nil for an empty text.
func optionalText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// closeExpired closes the quotes of an order that have expired at the time now. It saves closed as
// the time at which they were closed.
func closeExpired(ctx context.Context, tx *store.Tx, orderID int64, now, closed time.Time) error {
	quotes, err := store.QuotesOfOrder(ctx, tx, orderID)
	if err != nil {
		return err
	}
	expired := slices.DeleteFunc(quotes, func(q store.Quote) bool { return now.Before(q.Expires) })
	return closeOpen(tx, expired, closed)
}

// closeOpen closes the open quotes in a list. It saves closed as the time at which they were
// closed.
func closeOpen(tx *store.Tx, quotes []store.Quote, closed time.Time) error {
	for i := range quotes {
		q := &quotes[i]
		if q.Status != api.QuoteOpen {
			continue
		}
		q.Status = api.QuoteClosed
		q.Decided = closed
		if err := tx.UpdateQuote(q); err != nil {
			return err
		}
	}
	return nil
}

// updateOrder sets the time of the last change of an order and saves the order.
func updateOrder(tx *store.Tx, o *store.Order, now time.Time) error {
	o.Updated = laterOf(now, o.Updated)
	return store.Update(tx, o)
}

// Find returns a quote of one of the caller's orders.
func (d Quotes) Find(ctx context.Context, c *Caller, order, quoteUUID string) (store.Quote, error) {
	const doing = "read quote"
	o, err := d.findOrder(ctx, order)
	if err != nil {
		return store.Quote{}, wrapStoreError(refuseMissing(err, noOrder), doing)
	}
	if err := authorizeAccess(c, o); err != nil {
		return store.Quote{}, err
	}
	quotes, err := store.QuotesOfOrder(ctx, d.Store, o.ID)
	if err != nil {
		return store.Quote{}, wrapStoreError(err, doing)
	}
	for _, q := range quotes {
		if q.UUID == quoteUUID {
			return q, nil
		}
	}
	return store.Quote{}, errNoQuote
}

var errNoQuote = refuseRequest(api.CodeNotFound, "quote not found in this order")

// Decide accepts or rejects a quote of one of the caller's orders. The first decision is
// final: repeating it changes nothing, and the error for a different decision describes the
// first one.
func (d Quotes) Decide(
	ctx context.Context, c *Caller, quoteUUID string, want api.QuoteStatus,
) (decided store.Quote, err error) {
	err = d.Store.Write(ctx, func(tx *store.Tx) error {
		o, err := tx.OrderOfQuote(quoteUUID)
		if errors.Is(err, store.ErrNotFound) {
			return errNoQuote
		}
		if err != nil {
			return err
		}
		if err := authorizeAccess(c, o); err != nil {
			return err
		}
		quotes, err := store.QuotesOfOrder(ctx, tx, o.ID)
		if err != nil {
			return err
		}
		q := findQuote(quotes, quoteUUID)
		if q.Status == want { // the decision is repeated
			decided = *q
			return nil
		}
		if err := checkDecidable(o, *q, quotes, d.Now()); err != nil {
			return err
		}
		if err := decideQuote(tx, o, q, quotes, want, laterOf(d.Now(), q.Created)); err != nil {
			return err
		}
		decided = *q
		return nil
	})
	return decided, wrapStoreError(err, "decide quote")
}

// decideQuote saves the decision on the quote q of an order. all contains all quotes of the
// order. If q is accepted, decideQuote closes the other quotes and updates the status of the
// order.
func decideQuote(
	tx *store.Tx, o store.Order, q *store.Quote, all []store.Quote, status api.QuoteStatus, now time.Time,
) error {
	q.Status = status
	q.Decided = now
	if err := tx.UpdateQuote(q); err != nil {
		return err
	}
	if status == api.QuoteAccepted {
		o.Status = api.OrderPendingOperator
		if err := closeOpen(tx, all, now); err != nil {
			return err
		}
	}
	return updateOrder(tx, &o, now)
}

// findQuote returns the quote with a UUID in a list that contains it.
func findQuote(quotes []store.Quote, uuid string) *store.Quote {
	i := slices.IndexFunc(quotes, func(q store.Quote) bool { return q.UUID == uuid })
	return &quotes[i]
}

// checkDecidable returns an error that says why a quote can no longer be decided, or nil if it can.
func checkDecidable(o store.Order, q store.Quote, all []store.Quote, now time.Time) error {
	const layout = time.RFC3339
	if q.Status == api.QuoteAccepted || q.Status == api.QuoteRejected {
		return refuseRequest(api.CodeConflict, "quote %q (%s) was %s at %s", q.Name, q.UUID,
			q.Status, q.Decided.Format(layout))
	}
	for _, other := range all {
		if other.Status == api.QuoteAccepted {
			return refuseRequest(api.CodeConflict,
				"quote %q (%s) of this order was accepted at %s, which closed quote %q (%s)",
				other.Name, other.UUID, other.Decided.Format(layout), q.Name, q.UUID)
		}
	}
	if o.Status != api.OrderBiddingWithQuote {
		return refuseRequest(api.CodeConflict, "%s is %s; its quotes can no longer be decided",
			o.Code, o.Status)
	}
	if q.Status != api.QuoteOpen || !now.Before(q.Expires) {
		return refuseRequest(api.CodeQuoteExpired,
			"quote %q (%s) expired at %s; request a new one", q.Name, q.UUID, q.Expires.Format(layout))
	}
	return nil
}

// SetDetails sets the details of an order. Only the v2 API shows them.
func (d Orders) SetDetails(ctx context.Context, orderUUID string, details api.RecordDetails) error {
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		o, err := changeableOrder(tx, orderUUID)
		if err != nil {
			return err
		}
		return tx.SetDetails(o.ID, details)
	})
	return wrapStoreError(err, "set order details")
}

// changeableOrder returns the order with a UUID, or an error if the order does not exist, or
// is archived or deleted.
func changeableOrder(tx *store.Tx, uuid string) (store.Order, error) {
	o, _, err := tx.OrderByUUID(uuid)
	if err != nil {
		return store.Order{}, refuseMissing(err, noOrder)
	}
	return o, checkChangeable(o)
}

// checkChangeable returns an error if an order is archived or deleted.
func checkChangeable(o store.Order) error {
	if o.Status == api.OrderArchived || o.Status == api.OrderDeleted {
		return refuseRequest(api.CodeConflict, "%s is %s and can no longer be changed", o.Code, o.Status)
	}
	return nil
}

// SetNotifications sets how the client is notified when an order is complete, and returns
// the secret that signs the webhook. The secret stays the same as long as the URL does.
func (d Orders) SetNotifications(
	ctx context.Context, orderUUID, webhook string, email bool,
) (secret string, err error) {
	err = d.Store.Write(ctx, func(tx *store.Tx) error {
		o, err := changeableOrder(tx, orderUUID)
		if err != nil {
			return err
		}
		before, err := tx.Notify(o.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		settings := store.Notify{OrderID: o.ID, Webhook: webhook, Email: email}
		if webhook != "" {
			secret, err = d.setNotifySecret(&settings, before)
			if err != nil {
				return err
			}
		}
		return store.Replace(tx, &settings)
	})
	return secret, wrapStoreError(err, "set notifications")
}

// setNotifySecret sets the encrypted webhook secret of notification settings, and returns the
// secret. If the webhook is the same as before, it keeps the previous secret.
func (d Orders) setNotifySecret(settings *store.Notify, before store.Notify) (secret string, err error) {
	if settings.Webhook == before.Webhook {
		settings.Owner = before.Owner
		settings.Secret = before.Secret
		return d.Vault.Open(before.Owner, before.Secret)
	}
	secret = newSecret()
	settings.Owner = newUUID(d.Now())
	settings.Secret = d.Vault.Seal(settings.Owner, secret)
	return secret, nil
}

// NotFeasible ends an order in progress that cannot be flown.
func (d Orders) NotFeasible(ctx context.Context, orderUUID, reason string) (store.Order, []store.Mission, error) {
	return d.moveOrder(ctx, nil, orderUUID, orderMove{
		OrderMove: api.MoveNotFeasible,
		cancels:   true,
		change:    func(o *store.Order) { o.RejectionReason = &reason },
	})
}

// Delete deletes an order, so that the public API no longer shows it.
func (d Orders) Delete(ctx context.Context, orderUUID string) (store.Order, []store.Mission, error) {
	return d.moveOrder(ctx, nil, orderUUID, orderMove{
		OrderMove: api.MoveDelete,
		cancels:   true,
		change:    func(o *store.Order) { o.StatusBefore = nil },
	})
}
