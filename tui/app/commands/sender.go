package commands

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"flightdesk/api"
	"flightdesk/tui/app/ledger"
)

// Sender sends changes of an account. What it sends is in the ledger first.
type Sender struct {
	Client  *api.Client
	Ledger  *ledger.Ledger
	Account string
}

// The kinds of entry for endpoints; that of an order's move is its resulting status.
const (
	registered ledger.EntryKind = "registered"
	removed    ledger.EntryKind = "removed"
)

// newChange returns a change that is not sent yet.
func (s *Sender) newChange(kind ledger.EntryKind) *ledger.Change {
	e := ledger.Entry{At: s.Client.Now(), Kind: kind, Host: s.Client.Host(), Account: s.Account}
	return &ledger.Change{Entry: e}
}

// MoveOrder cancels, archives or rejects an order. The outcome is what the order says of
// itself: nil also where the response was lost, and the move was made.
func (s *Sender) MoveOrder(ctx context.Context, o *api.Order, move api.OrderMove, reason string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c := s.newChange(ledger.EntryKind(move.ResultingStatus()))
	c.OrderID, c.OrderName = o.OrderCode, o.OrderName
	c.Look = s.LookFor(&c.Entry)
	c.Send = func(ctx context.Context) error {
		err := requestMove(ctx, s.Client, move, o.UUID, reason)
		if api.MaybeApplied(err) || ctx.Err() != nil {
			return err
		}
		return moveOutcome(ctx, s.Client, move, o.OrderCode, err)
	}
	return s.Ledger.SendOnce(ctx, c)
}

// RegisterEndpoint registers an endpoint. One that is found after a lost response is an
// error: nobody has its secret.
func (s *Sender) RegisterEndpoint(
	ctx context.Context,
	req api.CreateWebhookRequest,
) (made *api.WebhookEndpoint, err error) {
	c := s.newChange(registered)
	c.Address = req.URL
	for e, err := range s.Client.Webhooks.All(ctx) {
		if err != nil {
			break // the endpoint is registered all the same
		}
		c.Known = append(c.Known, e.UUID)
	}
	c.Look = s.LookFor(&c.Entry)
	c.Send = func(ctx context.Context) (err error) {
		made, err = s.Client.Webhooks.Create(ctx, req)
		return err
	}
	err = s.Ledger.SendOnce(ctx, c)
	return made, err
}

// RemoveEndpoint removes an endpoint. One that is gone already is removed.
func (s *Sender) RemoveEndpoint(ctx context.Context, uuid, address string) error {
	c := s.newChange(removed)
	c.EndpointID, c.Address = uuid, address
	c.Look = s.LookFor(&c.Entry)
	c.Send = func(ctx context.Context) error {
		err := s.Client.Webhooks.Delete(ctx, uuid)
		if api.IsStatus(err, http.StatusNotFound) {
			return nil
		}
		return err
	}
	return s.Ledger.SendOnce(ctx, c)
}

// LookFor returns the function that looks for the change of an entry, nil where it is
// of a kind that others send.
func (s *Sender) LookFor(e *ledger.Entry) ledger.LookFunc {
	switch {
	case e.Kind == registered:
		return func(ctx context.Context) (bool, error) { return s.lookForRegistered(ctx, e) }
	case e.Kind == removed:
		return func(ctx context.Context) (bool, error) {
			_, err := s.Client.Webhooks.Get(ctx, e.EndpointID)
			if api.IsStatus(err, http.StatusNotFound) {
				return true, nil
			}
			return false, err
		}
	case e.Kind == ledger.Placed || e.IsQuote():
		return nil
	}
	return func(ctx context.Context) (bool, error) {
		o, err := s.Client.Orders.Get(ctx, e.OrderID)
		return err == nil && string(o.Status) == string(e.Kind), err
	}
}

// lookForRegistered looks for an endpoint of an address that was not there before.
func (s *Sender) lookForRegistered(ctx context.Context, e *ledger.Entry) (bool, error) {
	for found, err := range s.Client.Webhooks.All(ctx) {
		switch {
		case err != nil:
			return false, err
		case found.URL == e.Address && !slices.Contains(e.Known, found.UUID):
			return true, fmt.Errorf("endpoint %s was registered, but its secret is lost; remove it", found.UUID)
		}
	}
	return false, nil
}
