package ordering

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/format"
)

// Placer places orders of an account. The log of changes records every order before it is sent.
type Placer struct {
	Client  *api.Client
	Changes *changes.Log
	Account string
}

// PlaceOptions are the options for [Placer.PlaceOnce].
type PlaceOptions struct {
	Key        string         // idempotency key; "" derives one from the request
	Again      bool           // place the order even if a similar order exists or the same order is unconfirmed
	Own        []string       // IDs and codes of orders that are not reported as similar
	Draft      string         // ID of the draft of the order, or ""
	DraftSites map[int]uint64 // fingerprints of the draft's sites in the order, by site ID
}

// PlacedOrder is an order that is on the service.
type PlacedOrder struct {
	*api.Order
	Found       bool      // the order was found on the service instead of in the response to its creation
	SentAt      time.Time // when an earlier run sent it; zero if this run did
	Differences []string  // values that differ from the order that the user sent
	Earlier     []string  // a sentence about each earlier order with the same name or request
}

// MissionCount returns the number of missions of the order on the service, or -1 if
// unknown.
func (o *PlacedOrder) MissionCount() int {
	if len(o.Missions) > 0 {
		return len(o.Missions)
	}
	if o.Order.MissionCount != nil {
		return *o.Order.MissionCount
	}
	return -1
}

// KeyUsedError is returned if nothing was placed because the idempotency key belongs to
// another request.
type KeyUsedError struct {
	Key  string
	Used string // a sentence about the order that was sent with the key
}

func (e *KeyUsedError) Error() string {
	return fmt.Sprintf("idempotency key %s belongs to another order: %s", e.Key, e.Used)
}

// PlaceOnce places an order. If the same request was placed before, it sends nothing and returns
// that earlier order. It returns a [*SimilarError] if it sent nothing because of a similar order,
// and a [*KeyUsedError] if the idempotency key belongs to another request. If the order was sent
// but is not on the service yet, it returns a [*changes.UnconfirmedError].
func (p *Placer) PlaceOnce(
	ctx context.Context,
	req *api.CreateOrderRequest,
	options PlaceOptions,
) (*PlacedOrder, error) {
	if err := p.Changes.Refresh(); err != nil {
		return nil, err
	}
	entry := p.newEntry(req, options)
	if err := p.checkKey(ctx, entry, options.Key); err != nil {
		return nil, err
	}
	sent := p.findSent(entry, options.Key)
	found, err := p.findPlaced(ctx, sent, options)
	if err != nil {
		return nil, err
	}
	if found != nil {
		return found, nil
	}
	related, err := p.resolveRelated(ctx, entry, options.Again)
	if err != nil {
		return nil, err
	}
	existing := p.listOrders(ctx)
	if err := p.checkSimilar(ctx, req, options, sent, related, existing); err != nil {
		return nil, err
	}
	earlier := related.sentences
	// This precedes sendOrder. Afterwards, the last confirmed order would be the new order itself.
	if options.Again {
		earlier = append(earlier, p.describeConfirmed(entry)...)
	}
	entry.Known = existing.uuids() // an order that is not among these can be the new one
	entry.Request.Key = options.Key
	if entry.Request.Key == "" {
		entry.Request.Key = p.AttemptKey(req.Order.OrderName, EncodeRequest(req), options.Again)
	}
	placed, err := p.sendOrder(ctx, req, entry)
	if err != nil {
		return nil, err
	}
	placed.Earlier = earlier
	return placed, nil
}

// findPlaced looks on the service for the order that was sent with the change sent. It returns nil if sent
// is nil or the service does not have the order.
func (p *Placer) findPlaced(ctx context.Context, sent *changes.Change, options PlaceOptions) (*PlacedOrder, error) {
	if sent == nil {
		return nil, nil
	}
	// With Again or a key, the user is not asked before the order is sent a second time. So look for
	// the first order several times.
	repeat := options.Again || options.Key != ""
	return p.findOutcome(ctx, sent, repeat)
}

// describeConfirmed returns a sentence about the last confirmed order with the same request as entry, or
// nil if there is none.
func (p *Placer) describeConfirmed(entry *changes.Change) []string {
	confirmed := p.findConfirmed(entry)
	if confirmed == nil {
		return nil
	}
	sentTime := SentTime(confirmed.At, p.Client.Now())
	return []string{confirmed.OrderID + " was placed " + sentTime + " with the same request"}
}

// existingOrders are the newest orders on the service, or the reason why they could not be listed.
type existingOrders struct {
	orders []api.Order
	err    error
}

func (p *Placer) listOrders(ctx context.Context) existingOrders {
	list, err := p.Client.Orders.List(ctx, api.ListOptions{Limit: api.MaxPageLimit})
	if err != nil {
		return existingOrders{err: err}
	}
	return existingOrders{orders: list.Items}
}

func (e existingOrders) uuids() (uuids []string) {
	for i := range e.orders {
		uuids = append(uuids, e.orders[i].UUID)
	}
	return uuids
}

// FindOrder looks on the service for the order that was sent with the change e. It reads the log of
// changes again first, because another program may have updated the change. It returns nil if the service
// does not have the order.
func (p *Placer) FindOrder(ctx context.Context, e *changes.Change) (*PlacedOrder, error) {
	if err := p.Changes.Refresh(); err != nil {
		return nil, err
	}
	isSame := func(other *changes.Change) bool { return p.isOwnEntry(other) && other.Request.Key == e.Request.Key }
	current := p.Changes.FindLast(isSame)
	if current == nil {
		return nil, nil
	}
	return p.findOutcome(ctx, current, true)
}

// AttemptKey returns the idempotency key for a request. While the outcome of the request is unknown, the
// key is the same in every call, also after a restart, so that the service creates only one order.
// Afterwards the same request gets a new key, because it is a new order. If again is true, the key is
// random, unless an order with the same request is unconfirmed.
func (p *Placer) AttemptKey(orderName string, request []byte, again bool) string {
	digest := digestOf(request)
	isSameOpen := func(e *changes.Change) bool { return p.isOwnEntry(e) && e.IsOpen() && e.Request.Digest == digest }
	if open := p.Changes.FindLast(isSameOpen); open != nil {
		return open.Request.Key
	}
	if again {
		return api.NewIdempotencyKey()
	}
	hasSameName := func(e *changes.Change) bool { return p.isOwnEntry(e) && e.OrderName == orderName }
	since := ""
	if last := p.Changes.FindLast(hasSameName); last != nil {
		since = last.At.UTC().Format(time.RFC3339Nano)
	}
	parts := []string{p.Client.Host(), p.Account, digest, since}
	return digestOf([]byte(strings.Join(parts, "\n")))[:32]
}

// isOwnEntry reports whether a log entry is about an order of this account on this service.
func (p *Placer) isOwnEntry(e *changes.Change) bool {
	isOurs := e.Host == p.Client.Host() && e.Account == p.Account
	return e.Kind == changes.OrderPlaced && isOurs && e.Request.Order != nil
}

// checkKey returns a [*KeyUsedError] if the key was used for another request and that request did not
// fail.
func (p *Placer) checkKey(ctx context.Context, entry *changes.Change, key string) error {
	if key == "" {
		return nil
	}
	used := p.Changes.FindLast(func(e *changes.Change) bool {
		hasKey := p.isOwnEntry(e) && e.Request.Key == key
		isOtherRequest := e.Request.Digest != entry.Request.Digest
		mayExist := e.IsOpen() || e.IsConfirmed()
		return hasKey && isOtherRequest && mayExist
	})
	if used == nil {
		return nil
	}
	code := used.OrderID
	if used.IsOpen() {
		found, err := p.findOutcome(ctx, used, false)
		if err != nil {
			return err
		}
		if found != nil {
			code = cmp.Or(found.OrderCode, found.UUID)
		}
	}
	return &KeyUsedError{Key: key, Used: p.describeEarlier(used, code, entry)}
}

// findSent returns the last change with the same request as entry that may have placed the order already:
// an unconfirmed change or, if key is not "", a confirmed change with that key. It returns nil if there is
// none.
func (p *Placer) findSent(entry *changes.Change, key string) *changes.Change {
	return p.Changes.FindLast(func(e *changes.Change) bool {
		if !p.isOwnEntry(e) || e.Request.Digest != entry.Request.Digest {
			return false
		}
		return e.IsOpen() || key != "" && e.Request.Key == key && e.IsConfirmed()
	})
}

// findConfirmed returns the last confirmed change with the same request as entry, or nil.
func (p *Placer) findConfirmed(entry *changes.Change) *changes.Change {
	return p.Changes.FindLast(func(e *changes.Change) bool {
		return p.isOwnEntry(e) && e.IsConfirmed() && e.Request.Digest == entry.Request.Digest
	})
}

// relatedOrders describes the unconfirmed earlier orders that have the same name or sites as a new order.
type relatedOrders struct {
	sentences []string // about each order
	found     []string // codes and IDs of the orders that were found on the service
}

// resolveRelated looks on the service for each unconfirmed order that has the same name or sites as the
// new order. If repeat is true, it looks several times, with pauses.
func (p *Placer) resolveRelated(ctx context.Context, entry *changes.Change, repeat bool) (relatedOrders, error) {
	var related relatedOrders
	for _, e := range p.Changes.OpenEntries(p.Account, p.Client.Host()) {
		if !p.isRelated(&e, entry) {
			continue
		}
		found, err := p.findOutcome(ctx, &e, repeat)
		if err != nil {
			return relatedOrders{}, fmt.Errorf("%s: %w", p.describeEarlier(&e, "", entry), err)
		}
		code := ""
		if found != nil {
			code = cmp.Or(found.OrderCode, found.UUID)
			related.found = append(related.found, found.OrderCode, found.UUID)
		}
		related.sentences = append(related.sentences, p.describeEarlier(&e, code, entry))
	}
	return related, nil
}

// isRelated reports whether an earlier order was sent recently and has the same name or sites as the new
// order. It is false if both have exactly the same request: findSent finds that order.
func (p *Placer) isRelated(earlier, entry *changes.Change) bool {
	if !p.isOwnEntry(earlier) || earlier.Request.Digest == entry.Request.Digest {
		return false
	}
	if entry.At.Sub(earlier.At) > maxSimilarAge {
		return false
	}
	hasSameSites := earlier.Request.Sites == entry.Request.Sites && earlier.Request.Shape == entry.Request.Shape
	return earlier.OrderName == entry.OrderName || hasSameSites
}

// describeEarlier returns a sentence about an earlier order, its outcome and how the new order differs
// from it. code is the code of the earlier order, or "" if the service does not have that order.
func (p *Placer) describeEarlier(e *changes.Change, code string, entry *changes.Change) string {
	outcome := "was placed"
	if code == "" {
		code = e.OrderName
		outcome = "is not confirmed"
	}
	differences := entryDifferences(e, entry)
	if len(differences) == 0 {
		differences = []string{"other details"}
	}
	return fmt.Sprintf("%s (%s), sent %s, %s; this request differs: %s", code,
		format.Count(e.Request.Sites, "mission"), SentTime(e.At, p.Client.Now()), outcome, strings.Join(differences, ", "))
}

// SentTime formats the time of an earlier request, such as "at 17:45". Other days include
// the date.
func SentTime(at, now time.Time) string {
	if own := at.In(now.Location()); own.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return "at " + own.Format("15:04")
	}
	return format.Moment(at, now)
}

// findOutcome returns the order that was sent with a change, or nil if the service does not have it. If
// the change is unconfirmed and repeat is true, it looks for the order several times, with pauses.
func (p *Placer) findOutcome(ctx context.Context, sent *changes.Change, repeat bool) (*PlacedOrder, error) {
	if sent.IsConfirmed() {
		order, err := p.Client.Orders.Get(ctx, sent.OrderID)
		if err != nil {
			return nil, err
		}
		return &PlacedOrder{Order: order, Found: true, SentAt: sent.At}, nil
	}
	if !sent.IsOpen() {
		return nil, nil
	}
	found := &PlacedOrder{Found: true, SentAt: sent.At}
	settled, err := p.Changes.LookForChange(ctx, p.newAttempt(sent, found), repeat)
	if !settled {
		return nil, err
	}
	return found, nil
}

// AttemptOf returns an attempt for an order that was already sent. It can only look for the order, and not
// send it.
func (p *Placer) AttemptOf(sent *changes.Change) *changes.Attempt {
	return p.newAttempt(sent, &PlacedOrder{})
}

// newAttempt returns an attempt for the change sent. Its Look function looks for the order on the service
// and stores it in result. The caller sets Send if the order must still be sent.
func (p *Placer) newAttempt(sent *changes.Change, result *PlacedOrder) *changes.Attempt {
	attempt := &changes.Attempt{Change: *sent}
	attempt.Look = func(ctx context.Context) (bool, error) {
		order, err := p.findOwn(ctx, sent)
		if err != nil {
			return false, err
		}
		if order == nil {
			return false, nil
		}
		result.Order = order
		attempt.OrderID = cmp.Or(order.OrderCode, order.UUID)
		return true, nil
	}
	return attempt
}

// sendOrder sends a new order. The log of changes records the order first.
func (p *Placer) sendOrder(
	ctx context.Context,
	req *api.CreateOrderRequest,
	entry *changes.Change,
) (*PlacedOrder, error) {
	placed := &PlacedOrder{Found: true}
	attempt := p.newAttempt(entry, placed)
	attempt.Send = func(ctx context.Context) (changes.Outcome, error) {
		order, err := p.Client.Orders.Create(ctx, *req, entry.Request.Key)
		if err != nil {
			return changes.Outcome{}, err
		}
		return useResponse(attempt, p.readMissions(ctx, order), placed)
	}
	if err := p.Changes.SendOnce(ctx, attempt); err != nil {
		return nil, err
	}
	return placed, nil
}

// useResponse reads the order from the response to a request and stores it in placed. The service may
// answer with an order that existed before the request. If that order also differs from the request,
// useResponse returns a [*KeyUsedError].
func useResponse(attempt *changes.Attempt, order *api.Order, placed *PlacedOrder) (changes.Outcome, error) {
	differences := differencesOf(&attempt.Change, order)
	isOld := slices.Contains(attempt.Known, order.UUID)
	if isOld && len(differences) > 0 {
		used := fmt.Sprintf("the service answered with %s, which has %s", order.OrderCode, strings.Join(differences, ", "))
		return changes.NewFailed("not placed: " + used), &KeyUsedError{Key: attempt.Request.Key, Used: used}
	}
	attempt.OrderID = cmp.Or(order.OrderCode, order.UUID)
	*placed = PlacedOrder{Order: order, Found: isOld, Differences: differences}
	if isOld {
		placed.SentAt = order.CreatedAt.Time
	}
	return changes.NewConfirmed(""), nil
}

// readMissions returns the order with its missions. It loads them if the response to the creation of the
// order had neither missions nor their number. If that fails, it returns the order unchanged.
func (p *Placer) readMissions(ctx context.Context, order *api.Order) *api.Order {
	if len(order.Missions) > 0 || order.MissionCount != nil {
		return order
	}
	reloaded, err := p.Client.Orders.Get(ctx, cmp.Or(order.OrderCode, order.UUID))
	if err != nil {
		return order
	}
	order.Missions = reloaded.Missions
	order.MissionCount = reloaded.MissionCount
	return order
}

// newEntry returns the log entry for a new order. The caller sets the idempotency key.
func (p *Placer) newEntry(req *api.CreateOrderRequest, options PlaceOptions) *changes.Change {
	e := &changes.Change{
		Kind:      changes.OrderPlaced,
		At:        p.Client.Now(),
		Host:      p.Client.Host(),
		Account:   p.Account,
		OrderName: req.Order.OrderName,
		Request: changes.OrderRequest{
			Digest:     digestOf(EncodeRequest(req)),
			Order:      &req.Order,
			Sites:      len(req.Missions),
			Draft:      options.Draft,
			DraftSites: options.DraftSites,
		},
	}
	for i := range req.Missions {
		e.Request.Shape += cache.ShapeHash(req.Missions[i].LocationMap)
	}
	return e
}

// clockGap is the largest difference that is expected between the clocks of this machine and of the
// service.
const clockGap = time.Minute

// findOwn looks on the service for the order that was sent with the change e. The order has the name,
// sites, dates and deliverables of the change, is not older, and does not belong to another change.
// findOwn returns nil if there is no such order.
func (p *Placer) findOwn(ctx context.Context, e *changes.Change) (*api.Order, error) {
	if e.Request.Order == nil {
		return nil, nil // a damaged entry
	}
	list, err := p.Client.Orders.List(ctx, api.ListOptions{Limit: api.MaxPageLimit})
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		if !p.isCandidate(&list.Items[i], e) {
			continue
		}
		code := cmp.Or(list.Items[i].OrderCode, list.Items[i].UUID)
		order, err := p.Client.Orders.Get(ctx, code)
		if err != nil {
			return nil, err
		}
		if len(order.Missions) > 0 && len(differencesOf(e, order)) == 0 {
			return order, nil
		}
	}
	return nil, nil
}

// isCandidate reports whether a listed order may be the order of the change e. The caller still has to
// compare sites, dates and deliverables.
func (p *Placer) isCandidate(o *api.Order, e *changes.Change) bool {
	isOlder := o.CreatedAt.IsRead() && o.CreatedAt.Before(e.At.Add(-clockGap))
	if isOlder || slices.Contains(e.Known, o.UUID) {
		return false
	}
	return o.OrderName == e.OrderName && !p.isOfOther(o, e)
}

// isOfOther reports whether an order is already known to be the order of another change than e.
func (p *Placer) isOfOther(o *api.Order, e *changes.Change) bool {
	owner := p.Changes.FindLast(func(other *changes.Change) bool {
		if !p.isOwnEntry(other) || !other.IsConfirmed() || other.Request.Key == e.Request.Key {
			return false
		}
		return other.OrderID != "" && (other.OrderID == o.OrderCode || other.OrderID == o.UUID)
	})
	return owner != nil
}
