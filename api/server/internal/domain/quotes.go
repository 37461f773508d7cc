package domain

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/store"
)

// Issue makes a quote for an order that bids. Open quotes of the order
// that have expired are replaced by it: they are closed.
func (d Quotes) Issue(ctx context.Context, orderUUID string, in ops.QuoteInput) (q store.Quote, err error) {
	err = d.Store.Write(ctx, func(tx *store.Tx) error {
		o, _, err := tx.OrderByUUID(orderUUID)
		if err = authorizeAccess(nil, o, err); err != nil {
			return err
		}
		if o.Status != api.OrderBiddingWithQuote {
			return refuseRequest(api.CodeConflict, "%s is %s and accepts no more quotes", o.Code, o.Status)
		}
		account, err := tx.AccountOfOrder(o.ID)
		if err != nil {
			return err
		}
		now := laterOf(d.Now(), o.Created)
		if err := closeExpired(ctx, tx, o.ID, now, d.Now()); err != nil {
			return err
		}
		q = DraftQuote(in, account.Currency)
		q.UUID = newUUID(now)
		q.OrderID = o.ID
		q.Status = api.QuoteOpen
		q.Created = now
		store.NoteCreated(ctx, q.UUID)
		if err := tx.InsertQuote(&q); err != nil {
			return err
		}
		return touchOrder(tx, &o, now)
	})
	return q, wrapStoreError(err, "issue quote")
}

// DraftQuote returns what the service works out of an offer; an account has its currency.
func DraftQuote(in ops.QuoteInput, currency string) store.Quote {
	currency = cmp.Or(in.Currency, currency)
	price := api.RoundAmount(in.PriceBeforeDiscount, currency)
	return store.Quote{
		Name: in.QuoteName, Description: in.Description, Days: in.DeliveryBy, Price: price, Currency: currency,
		Discount: in.DiscountPercent, DiscountReason: optionalText(in.ReasonForDiscount),
		FinalPrice: api.DiscountedAmount(price, in.DiscountPercent, currency), Expires: in.ExpiryDate.Time,
	}
}

// optionalText returns nil for a text that is empty.
func optionalText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// closeExpired closes, as of now, the quotes that have expired by the clock.
func closeExpired(ctx context.Context, tx *store.Tx, orderID int64, now, clock time.Time) error {
	quotes, err := store.QuotesOfOrder(ctx, tx, orderID)
	if err != nil {
		return err
	}
	return closeQuotes(tx, quotes, now, func(q store.Quote) bool { return !clock.Before(q.Expires) })
}

// closeQuotes closes those of the open quotes that which chooses.
func closeQuotes(tx *store.Tx, quotes []store.Quote, now time.Time, which func(store.Quote) bool) error {
	for i := range quotes {
		q := &quotes[i]
		if q.Status != api.QuoteOpen || !which(*q) {
			continue
		}
		q.Status = api.QuoteClosed
		q.Decided = now
		if err := tx.UpdateQuote(q); err != nil {
			return err
		}
	}
	return nil
}

// touchOrder notes that an order has changed.
func touchOrder(tx *store.Tx, o *store.Order, now time.Time) error {
	o.Updated = laterOf(now, o.Updated)
	return store.Update(tx, o)
}

// Find returns a quote of one of the caller's orders.
func (d Quotes) Find(ctx context.Context, c *Caller, order, quoteUUID string) (store.Quote, error) {
	o, err := d.findOrder(ctx, order)
	var quotes []store.Quote
	err = authorizeAccess(c, o, err)
	if err == nil {
		quotes, err = store.QuotesOfOrder(ctx, d.Store, o.ID)
	}
	if err != nil {
		return store.Quote{}, wrapStoreError(err, "read quote")
	}
	i := slices.IndexFunc(quotes, func(q store.Quote) bool { return q.UUID == quoteUUID })
	if i < 0 {
		return store.Quote{}, errNoQuote
	}
	return quotes[i], nil
}

var errNoQuote = refuseRequest(api.CodeNotFound, "quote not found in this order")

// Decide accepts or rejects a quote of one of the caller's orders. All
// decisions pass through one writer: the first one holds, and whoever comes
// second learns what it was. A decision made before in the same way changes
// nothing.
func (d Quotes) Decide(
	ctx context.Context, c *Caller, quoteUUID string, want api.QuoteStatus,
) (decided store.Quote, err error) {
	err = d.Store.Write(ctx, func(tx *store.Tx) error {
		o, err := tx.OrderOfQuote(quoteUUID)
		if errors.Is(err, store.ErrNotFound) {
			return errNoQuote
		}
		if err = authorizeAccess(c, o, err); err != nil {
			return err
		}
		quotes, err := store.QuotesOfOrder(ctx, tx, o.ID)
		if err != nil {
			return err
		}
		q := &quotes[slices.IndexFunc(quotes, func(q store.Quote) bool { return q.UUID == quoteUUID })]
		decided = *q
		if q.Status == want {
			return nil
		}
		if err := checkDecidable(o, *q, quotes, d.Now()); err != nil {
			return err
		}
		now := laterOf(d.Now(), q.Created)
		q.Status = want
		q.Decided = now
		if err := tx.UpdateQuote(q); err != nil {
			return err
		}
		decided = *q
		if want == api.QuoteAccepted {
			o.Status = api.OrderPendingOperator
			if err := closeQuotes(tx, quotes, now, func(store.Quote) bool { return true }); err != nil {
				return err
			}
		}
		return touchOrder(tx, &o, now)
	})
	return decided, wrapStoreError(err, "decide quote")
}

// checkDecidable refuses decisions that come too late, and says what came first.
func checkDecidable(o store.Order, q store.Quote, all []store.Quote, now time.Time) error {
	const at = time.RFC3339
	if q.Status == api.QuoteAccepted || q.Status == api.QuoteRejected {
		return refuseRequest(api.CodeConflict, "quote %q (%s) was %s at %s", q.Name, q.UUID,
			q.Status, q.Decided.Format(at))
	}
	won := slices.IndexFunc(all, func(other store.Quote) bool { return other.Status == api.QuoteAccepted })
	if won >= 0 {
		other := all[won]
		return refuseRequest(
			api.CodeConflict,
			"quote %q (%s) of this order was accepted at %s, which closed quote %q (%s)",
			other.Name,
			other.UUID,
			other.Decided.Format(at),
			q.Name,
			q.UUID,
		)
	}
	if o.Status != api.OrderBiddingWithQuote {
		return refuseRequest(api.CodeConflict, "%s is %s; its quotes can no longer be decided",
			o.Code, o.Status)
	}
	if q.Status != api.QuoteOpen || !now.Before(q.Expires) {
		return refuseRequest(api.CodeQuoteExpired,
			"quote %q (%s) expired at %s; request a new one", q.Name, q.UUID, q.Expires.Format(at))
	}
	return nil
}

// SetDetails sets the members of an order's record that no public request
// sets.
func (d Orders) SetDetails(ctx context.Context, orderUUID string, details api.RecordDetails) error {
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		o, _, err := tx.OrderByUUID(orderUUID)
		if err = checkRecordable(o, err); err != nil {
			return err
		}
		return tx.SetDetails(o.ID, details)
	})
	return wrapStoreError(err, "set order details")
}

// checkRecordable refuses to record anything more of orders that are put away.
func checkRecordable(o store.Order, err error) error {
	if err = authorizeAccess(nil, o, err); err != nil {
		return err
	}
	if o.Status == api.OrderArchived || o.Status == api.OrderDeleted {
		return refuseRequest(api.CodeConflict, "%s is %s and can no longer be changed", o.Code, o.Status)
	}
	return nil
}

// SetNotifications sets how the client hears that an order is complete, and
// returns the secret that the webhook is signed with. It stays the same as
// long as the address does.
func (d Orders) SetNotifications(
	ctx context.Context, orderUUID, webhook string, email bool,
) (secret string, err error) {
	err = d.Store.Write(ctx, func(tx *store.Tx) error {
		o, _, err := tx.OrderByUUID(orderUUID)
		if err = checkRecordable(o, err); err != nil {
			return err
		}
		before, err := tx.Notify(o.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		now := store.Notify{OrderID: o.ID, Webhook: webhook, Email: email}
		switch webhook {
		case "":
		case before.Webhook:
			now.Owner = before.Owner
			now.Secret = before.Secret
			secret, err = d.Vault.Open(before.Owner, before.Secret)
			if err != nil {
				return err
			}
		default:
			secret = newSecret()
			now.Owner = newUUID(d.Now())
			now.Secret = d.Vault.Seal(now.Owner, secret)
		}
		return store.Replace(tx, &now)
	})
	return secret, wrapStoreError(err, "set notifications")
}

// NotFeasible ends an order that is being carried out, since it cannot be
// flown.
func (d Orders) NotFeasible(ctx context.Context, orderUUID, reason string) (store.Order, []store.Mission, error) {
	return d.moveOrder(ctx, nil, orderUUID, orderMove{
		OrderMove: api.MoveNotFeasible,
		cancels:   true,
		change:    func(o *store.Order) { o.RejectionReason = &reason },
	})
}

// Delete takes an order away from its account.
func (d Orders) Delete(ctx context.Context, orderUUID string) (store.Order, []store.Mission, error) {
	return d.moveOrder(ctx, nil, orderUUID, orderMove{
		OrderMove: api.MoveDelete, cancels: true,
		change: func(o *store.Order) { o.StatusBefore = nil },
	})
}
