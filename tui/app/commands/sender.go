package commands

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/format"
)

// Sender sends changes with the API key of an account. It writes each change to the log before sending it.
type Sender struct {
	Client  *api.Client
	Changes *changes.Log
	Account string
}

// newAttempt returns a change of the given kind. The caller adds the details and the function that sends it.
func (s *Sender) newAttempt(kind changes.Kind) *changes.Attempt {
	e := changes.Change{
		At:      s.Client.Now(),
		Kind:    kind,
		Host:    s.Client.Host(),
		Account: s.Account,
	}
	c := &changes.Attempt{Change: e}
	c.Look = s.LookFor(&c.Change)
	return c
}

// MoveOrder cancels, archives or rejects an order, and returns the order afterwards. It succeeds if
// the order then has the wanted status, even if the response was lost.
func (s *Sender) MoveOrder(
	ctx context.Context, before *api.Order, move api.OrderMove, reason string,
) (*api.Order, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	attempt := s.newAttempt(kindOfMove(move))
	attempt.OrderID = before.OrderCode
	attempt.OrderName = before.OrderName
	var moved *api.Order
	attempt.Look = func(ctx context.Context) (settled bool, err error) {
		moved, settled, err = s.lookForMoved(ctx, &attempt.Change)
		return settled, err
	}
	attempt.Send = func(ctx context.Context) (_ changes.Outcome, err error) {
		moved, err = s.sendMove(ctx, before, move, reason)
		return changes.Outcome{}, err
	}
	if err := s.Changes.SendOnce(ctx, attempt); err != nil {
		return nil, err
	}
	return moved, nil
}

// recordedMoves has the move of an order for each kind of logged change.
var recordedMoves = map[changes.Kind]api.OrderMove{
	changes.OrderCancelled: api.MoveCancel,
	changes.OrderArchived:  api.MoveArchive,
	changes.OrderRejected:  api.MoveReject,
}

// kindOfMove returns the kind of change that is logged for a move.
func kindOfMove(move api.OrderMove) changes.Kind {
	for kind, recorded := range recordedMoves {
		if recorded == move {
			return kind
		}
	}
	return changes.Kind(move) // requestMove refuses to send it
}

// sendMove sends a move and returns the order afterwards. If the service refuses the move, sendMove
// reads the order, which can already have the wanted status.
func (s *Sender) sendMove(
	ctx context.Context, before *api.Order, move api.OrderMove, reason string,
) (*api.Order, error) {
	moved, err := requestMove(ctx, s.Client, move, before.UUID, reason)
	if err != nil {
		mayBeMoved := api.MaybeApplied(err) || ctx.Err() != nil
		if mayBeMoved {
			return nil, err
		}
		return checkAfterRefusal(ctx, s.Client, move, before.OrderCode, err)
	}
	if moved.Status == before.Status {
		return nil, &api.Error{
			Op:      string(move) + " order",
			Status:  http.StatusOK,
			Message: "the service answered that the order still has the status " + format.Clean(format.Status(moved.Status).Label),
			Foreign: true,
		}
	}
	return moved, nil
}

// lookForMoved reads the order of a logged change. moved reports whether the order has the status
// that the change leads to.
func (s *Sender) lookForMoved(ctx context.Context, e *changes.Change) (o *api.Order, moved bool, err error) {
	o, err = s.Client.Orders.Get(ctx, e.OrderID)
	if err != nil && !api.IsPartial(err) {
		return nil, false, err
	}
	move, isMove := recordedMoves[e.Kind]
	if isMove {
		return o, o.Status.Means(move.ResultingStatus()), nil
	}
	return o, o.Status.Means(api.OrderStatus(e.Kind)), nil // other versions log the status that a move leads to
}

// RegisterEndpoint registers a webhook endpoint. If the response is lost but the endpoint was
// registered, it returns an error: only the response has the endpoint's secret.
func (s *Sender) RegisterEndpoint(
	ctx context.Context, req api.CreateWebhookRequest,
) (endpoint *api.WebhookEndpoint, err error) {
	attempt := s.newAttempt(changes.EndpointRegistered)
	attempt.Endpoint.Address = req.URL
	for e, err := range s.Client.Webhooks.All(ctx) {
		if err != nil { // the endpoint is registered in any case
			attempt.KnownUnread = true
			attempt.At = s.Client.Now() // the client knows the service's time from the failed response
			break
		}
		attempt.Known = append(attempt.Known, e.UUID)
	}
	attempt.Send = func(ctx context.Context) (_ changes.Outcome, err error) {
		endpoint, err = s.Client.Webhooks.Create(ctx, req)
		return changes.Outcome{}, err
	}
	err = s.Changes.SendOnce(ctx, attempt)
	return endpoint, err
}

// RemoveEndpoint removes an endpoint. It succeeds if the endpoint does not exist.
func (s *Sender) RemoveEndpoint(ctx context.Context, uuid, address string) error {
	c := s.newAttempt(changes.EndpointRemoved)
	c.Endpoint.ID = uuid
	c.Endpoint.Address = address
	c.Send = func(ctx context.Context) (changes.Outcome, error) {
		return changes.Outcome{}, s.deleteEndpoint(ctx, &c.Change)
	}
	return s.Changes.SendOnce(ctx, c)
}

// deleteEndpoint deletes the endpoint of a change. It succeeds if the endpoint does not exist.
func (s *Sender) deleteEndpoint(ctx context.Context, e *changes.Change) error {
	err := s.Client.Webhooks.Delete(ctx, e.Endpoint.ID)
	if !api.IsStatus(err, http.StatusNotFound, http.StatusGone) {
		return err
	}
	if isGone, _ := s.lookForRemoved(ctx, e); isGone {
		return nil
	}
	return err // the service does not know the path, but the endpoint exists
}

// LookFor returns the function that finds out whether a logged change was made. It returns nil for
// decisions on quotes and for placed orders, which other packages send.
func (s *Sender) LookFor(e *changes.Change) changes.LookFunc {
	if e.IsQuote() || e.Kind == changes.OrderPlaced {
		return nil
	}
	switch e.Kind {
	case changes.EndpointRegistered:
		return func(ctx context.Context) (bool, error) { return s.lookForRegistered(ctx, e) }
	case changes.EndpointRemoved:
		return func(ctx context.Context) (bool, error) { return s.lookForRemoved(ctx, e) }
	}
	return func(ctx context.Context) (bool, error) {
		_, moved, err := s.lookForMoved(ctx, e)
		return moved, err
	}
}

// lookForRemoved reports whether the endpoint of a logged change no longer exists.
func (s *Sender) lookForRemoved(ctx context.Context, e *changes.Change) (bool, error) {
	_, err := s.Client.Webhooks.Get(ctx, e.Endpoint.ID)
	if api.IsStatus(err, http.StatusNotFound, http.StatusGone) {
		return true, nil
	}
	return false, err
}

// sentMargin is the tolerance for comparing the creation time of an endpoint with the time of a
// logged change. The service's clock is known only to the second.
const sentMargin = 2 * time.Second

// isOlder reports whether an endpoint existed, or may have existed, before a logged change.
func isOlder(found *api.WebhookEndpoint, e *changes.Change) bool {
	if slices.Contains(e.Known, found.UUID) {
		return true
	}
	return e.KnownUnread && found.CreatedAt.Before(e.At.Add(-sentMargin))
}

// lookForRegistered reports whether the endpoint of a logged change was registered: there is an endpoint with the
// same URL that did not exist before. It then also returns an error, because the secret of the endpoint is lost.
func (s *Sender) lookForRegistered(ctx context.Context, e *changes.Change) (bool, error) {
	for found, err := range s.Client.Webhooks.All(ctx) {
		if err != nil {
			return false, err
		}
		if found.URL == e.Endpoint.Address && !isOlder(found, e) {
			return true, fmt.Errorf("endpoint %s was registered, but its secret is lost; remove it", found.UUID)
		}
	}
	return false, nil
}
