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

// Placer places orders of an account. Every order is in the log of changes before it is sent.
type Placer struct {
	Client  *api.Client
	Changes *changes.Log
	Account string
}

// PlaceOptions are the options for placing an order.
type PlaceOptions struct {
	Key        string         // idempotency key; "" derives one from the request
	Again      bool           // place the order even if a similar one exists, or it was sent and is unconfirmed
	Own        []string       // IDs and codes of orders that may be similar
	Draft      string         // ID of the draft of the order, or ""
	DraftSites map[int]uint64 // fingerprints of the draft's sites in the order, by site ID
}

// PlacedOrder is an order that is on the service.
type PlacedOrder struct {
	*api.Order
	Found       bool      // the order was looked up: its response was lost, or an earlier run placed it
	SentAt      time.Time // when an earlier run sent it; zero if this run did
	Differences []string  // compared to the order that the user confirmed
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

// PlaceOnce places an order unless the same request was placed before. It returns an
// [*AlikeError] if it sent nothing because of a similar order, a [*KeyUsedError] if the
// key belongs to another request, and a [*changes.UnconfirmedError] if the order was sent but is
// not on the service yet.
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
	if sent != nil {
		sendsAgain := options.Again || options.Key != "" // without asking the user, so look repeatedly first
		found, err := p.findOutcome(ctx, sent, sendsAgain)
		if err != nil {
			return nil, err
		}
		if found != nil {
			return found, nil
		}
	}
	earlier, err := p.resolveOthers(ctx, entry, options.Again)
	if err != nil {
		return nil, err
	}
	if options.Again {
		earlier.sentences = append(earlier.sentences, p.describeConfirmed(entry)...)
	}
	existing := p.listOrders(ctx)
	if err := p.checkAlike(ctx, req, options, sent, earlier, existing); err != nil {
		return nil, err
	}
	entry.Known = existing.uuids()
	entry.Key = options.Key
	if entry.Key == "" {
		entry.Key = p.AttemptKey(req.Order.OrderName, EncodeRequest(req), options.Again)
	}
	placed, err := p.sendOrder(ctx, req, entry)
	if err != nil {
		return nil, err
	}
	placed.Earlier = earlier.sentences
	return placed, nil
}

// describeConfirmed returns a sentence about the last confirmed order with the same request, if
// there is one.
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

// checkAlike returns an [*AlikeError] if the user has to decide whether the order is sent. The user
// has decided if Again is set, or with a key, unless the order was sent with another key and is
// unconfirmed.
func (p *Placer) checkAlike(
	ctx context.Context,
	req *api.CreateOrderRequest,
	options PlaceOptions,
	sent *changes.Change,
	earlier earlierOrders,
	existing existingOrders,
) error {
	isOpen := sent != nil && sent.IsOpen()
	isOwnKey := options.Key != "" && (!isOpen || sent.Key == options.Key)
	if options.Again || isOwnKey {
		return nil
	}
	alike := &AlikeError{Orders: earlier.sentences, Sent: isOpen, Err: existing.err}
	if existing.err == nil && options.Key == "" {
		own := slices.Concat(options.Own, earlier.found)
		similar, err := p.findAlike(ctx, existing.orders, req, own)
		alike.Orders = append(alike.Orders, similar...)
		alike.Err = err
	}
	if isOpen {
		ago := format.Ago(sent.At, p.Client.Now())
		alike.Orders = append(alike.Orders, sent.OrderName+", sent "+ago+", is not confirmed.")
	}
	if alike.Err == nil && len(alike.Orders) == 0 {
		return nil
	}
	return alike
}

// FindOrder looks for the order of a recorded change, whose entry other programs may have updated.
// It returns nil if the order is not on the service.
func (p *Placer) FindOrder(ctx context.Context, e *changes.Change) (*PlacedOrder, error) {
	if err := p.Changes.Refresh(); err != nil {
		return nil, err
	}
	isSame := func(other *changes.Change) bool { return p.isPlaced(other) && other.Key == e.Key }
	current := p.Changes.FindLast(isSame)
	if current == nil {
		return nil, nil
	}
	return p.findOutcome(ctx, current, true)
}

// AttemptKey returns the idempotency key for an encoded request. The key is derived from
// the request and the account. It stays the same, also after a restart, until the outcome
// of the request is known. A later order with the same request has a new key.
func (p *Placer) AttemptKey(orderName string, request []byte, again bool) string {
	digest := digestOf(request)
	isSameOpen := func(e *changes.Change) bool { return p.isPlaced(e) && e.IsOpen() && e.Digest == digest }
	if open := p.Changes.FindLast(isSameOpen); open != nil {
		return open.Key
	}
	if again {
		return api.NewIdempotencyKey()
	}
	hasSameName := func(e *changes.Change) bool { return p.isPlaced(e) && e.OrderName == orderName }
	since := ""
	if last := p.Changes.FindLast(hasSameName); last != nil {
		since = last.At.UTC().Format(time.RFC3339Nano)
	}
	parts := []string{p.Client.Host(), p.Account, digest, since}
	return digestOf([]byte(strings.Join(parts, "\n")))[:32]
}

// isPlaced reports whether an entry is an order of this account on this service.
func (p *Placer) isPlaced(e *changes.Change) bool {
	isOurs := e.Host == p.Client.Host() && e.Account == p.Account
	return e.Kind == changes.OrderPlaced && isOurs && e.Order != nil
}

// checkKey returns a [*KeyUsedError] if another request was sent with the key, unless that request
// failed.
func (p *Placer) checkKey(ctx context.Context, entry *changes.Change, key string) error {
	if key == "" {
		return nil
	}
	isOther := func(e *changes.Change) bool {
		hasFailed := !e.IsOpen() && !e.IsConfirmed()
		isKeyOfOther := e.Key == key && e.Digest != entry.Digest
		return p.isPlaced(e) && isKeyOfOther && !hasFailed
	}
	used := p.Changes.FindLast(isOther)
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

// findSent returns the recorded change of the same request that is open, or that was
// confirmed with the given key, or nil.
func (p *Placer) findSent(entry *changes.Change, key string) *changes.Change {
	return p.Changes.FindLast(func(e *changes.Change) bool {
		if !p.isPlaced(e) || e.Digest != entry.Digest {
			return false
		}
		return e.IsOpen() || key != "" && e.Key == key && e.IsConfirmed()
	})
}

// findConfirmed returns the last confirmed entry of the same request, or nil.
func (p *Placer) findConfirmed(entry *changes.Change) *changes.Change {
	return p.Changes.FindLast(func(e *changes.Change) bool {
		return p.isPlaced(e) && e.IsConfirmed() && e.Digest == entry.Digest
	})
}

// earlierOrders are similar orders that were sent with another request and were not confirmed
// at that time.
type earlierOrders struct {
	sentences []string // about each order
	found     []string // codes and IDs of the orders on the service
}

// resolveOthers looks for the outcome of recent unconfirmed orders with the name or the
// sites of an entry but another request.
func (p *Placer) resolveOthers(ctx context.Context, entry *changes.Change, repeat bool) (earlierOrders, error) {
	var earlier earlierOrders
	for _, e := range p.Changes.OpenEntries(p.Account, p.Client.Host()) {
		if !p.isRelated(&e, entry) {
			continue
		}
		found, err := p.findOutcome(ctx, &e, repeat)
		if err != nil {
			return earlierOrders{}, fmt.Errorf("%s: %w", p.describeEarlier(&e, "", entry), err)
		}
		code := ""
		if found != nil {
			code = cmp.Or(found.OrderCode, found.UUID)
			earlier.found = append(earlier.found, found.OrderCode, found.UUID)
		}
		earlier.sentences = append(earlier.sentences, p.describeEarlier(&e, code, entry))
	}
	return earlier, nil
}

// isRelated reports whether an earlier order was sent recently with another request than a new
// entry, but with its name or its sites.
func (p *Placer) isRelated(earlier, entry *changes.Change) bool {
	if !p.isPlaced(earlier) || earlier.Digest == entry.Digest {
		return false
	}
	if entry.At.Sub(earlier.At) > recent {
		return false
	}
	hasSameSites := earlier.Sites == entry.Sites && earlier.Shape == entry.Shape
	return earlier.OrderName == entry.OrderName || hasSameSites
}

// describeEarlier describes the outcome of an earlier order and how the new order differs
// from it. The code is "" if the earlier order is not on the service.
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
		format.Count(e.Sites, "mission"), SentTime(e.At, p.Client.Now()), outcome, strings.Join(differences, ", "))
}

// SentTime formats the time of an earlier request, such as "at 17:45". Other days include
// the date.
func SentTime(at, now time.Time) string {
	if own := at.In(now.Location()); own.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return "at " + own.Format("15:04")
	}
	return format.Moment(at, now)
}

// findOutcome returns the order of an entry, or nil if it is not on the service. If repeat is true,
// it looks for an unconfirmed order several times, with pauses.
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

// AttemptOf returns the change of a sent order, to look for its outcome.
func (p *Placer) AttemptOf(sent *changes.Change) *changes.Attempt {
	return p.newAttempt(sent, &PlacedOrder{})
}

// newAttempt returns the change of an entry without its Send function. Its Look function stores the
// order in result when it finds the order.
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

// sendOrder sends an order that is not in the log of changes yet.
func (p *Placer) sendOrder(
	ctx context.Context,
	req *api.CreateOrderRequest,
	entry *changes.Change,
) (*PlacedOrder, error) {
	placed := &PlacedOrder{Found: true}
	attempt := p.newAttempt(entry, placed)
	attempt.Send = func(ctx context.Context) error {
		order, err := p.Client.Orders.Create(ctx, *req, entry.Key)
		if err != nil {
			return err
		}
		return useResponse(attempt, p.readMissions(ctx, order), placed)
	}
	if err := p.Changes.SendOnce(ctx, attempt); err != nil {
		return nil, err
	}
	return placed, nil
}

// useResponse stores the order with which the service answered in placed. It returns a
// [*KeyUsedError] if the order existed before the request and differs from it.
func useResponse(attempt *changes.Attempt, order *api.Order, placed *PlacedOrder) error {
	differences := differencesOf(&attempt.Change, order)
	isOld := slices.Contains(attempt.Known, order.UUID)
	if isOld && len(differences) > 0 {
		used := fmt.Sprintf("the service answered with %s, which has %s", order.OrderCode, strings.Join(differences, ", "))
		attempt.Fail("not placed: " + used)
		return &KeyUsedError{Key: attempt.Key, Used: used}
	}
	attempt.OrderID = cmp.Or(order.OrderCode, order.UUID)
	*placed = PlacedOrder{Order: order, Found: isOld, Differences: differences}
	if isOld {
		placed.SentAt = order.CreatedAt.Time
	}
	return nil
}

// readMissions reloads an order if the response to its creation has neither missions nor
// their number. It returns the order unchanged if that fails.
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

// newEntry returns the recorded change of a new order, without its key.
func (p *Placer) newEntry(req *api.CreateOrderRequest, options PlaceOptions) *changes.Change {
	e := &changes.Change{
		Kind:       changes.OrderPlaced,
		At:         p.Client.Now(),
		Host:       p.Client.Host(),
		Account:    p.Account,
		Digest:     digestOf(EncodeRequest(req)),
		OrderName:  req.Order.OrderName,
		Order:      &req.Order,
		Sites:      len(req.Missions),
		Draft:      options.Draft,
		DraftSites: options.DraftSites,
	}
	for i := range req.Missions {
		e.Shape += cache.ShapeHash(req.Missions[i].LocationMap)
	}
	return e
}

// clockGap is the tolerance for differences between the clocks of this machine and the
// service.
const clockGap = time.Minute

// findOwn returns the order of an entry on the service, or nil. The order has the same name,
// sites, dates and deliverables as the entry, was created after the entry was sent, and does not
// belong to another entry.
func (p *Placer) findOwn(ctx context.Context, e *changes.Change) (*api.Order, error) {
	if e.Order == nil {
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

// isCandidate reports whether an order of a list can be the order of an entry: a new order with its
// name that no other entry has.
func (p *Placer) isCandidate(o *api.Order, e *changes.Change) bool {
	isOlder := o.CreatedAt.IsRead() && o.CreatedAt.Before(e.At.Add(-clockGap))
	if isOlder || slices.Contains(e.Known, o.UUID) {
		return false
	}
	return o.OrderName == e.OrderName && !p.isOfOther(o, e)
}

// isOfOther reports whether an order belongs to a confirmed entry other than e.
func (p *Placer) isOfOther(o *api.Order, e *changes.Change) bool {
	owner := p.Changes.FindLast(func(other *changes.Change) bool {
		if !p.isPlaced(other) || !other.IsConfirmed() || other.Key == e.Key {
			return false
		}
		return other.OrderID != "" && (other.OrderID == o.OrderCode || other.OrderID == o.UUID)
	})
	return owner != nil
}

// entryDifferences describes how a new order differs from an earlier one.
func entryDifferences(earlier, now *changes.Change) []string {
	c := comparison{}
	c.compareText("name", now.OrderName, earlier.OrderName)
	c.compareOrders(now.Order.StartDate, now.Order.Deadline, now.Order.Deliverables, earlier)
	c.compareSites(now.Sites, now.Shape, earlier)
	return c.differences
}

// differencesOf describes how an order on the service differs from the confirmed order.
// Values that the service does not return count as equal.
func differencesOf(e *changes.Change, o *api.Order) []string {
	c := comparison{}
	if o.OrderName != "" {
		c.compareText("name", o.OrderName, e.OrderName)
	}
	c.compareOrders(o.StartDate, o.Deadline, o.Deliverables, e)
	if len(o.Missions) > 0 {
		shape := uint64(0)
		for i := range o.Missions {
			shape += cache.ShapeHash(o.Missions[i].LocationMap)
		}
		c.compareSites(len(o.Missions), shape, e)
	} else if o.MissionCount != nil {
		c.compareSites(*o.MissionCount, e.Shape, e)
	}
	return c.differences
}

// comparison collects the differences between an order and a recorded change.
type comparison struct{ differences []string }

func (c *comparison) compareText(what, got, want string) {
	if got != want {
		c.differences = append(c.differences, what+" "+got+", not "+want)
	}
}

// compareOrders compares the dates and deliverables that are known.
func (c *comparison) compareOrders(start, deadline api.Time, deliverables []api.Deliverable, e *changes.Change) {
	c.compareDay("start date", start, e.Order.StartDate)
	c.compareDay("deadline", deadline, e.Order.Deadline)
	if len(deliverables) > 0 {
		c.compareText("products", joinDeliverables(deliverables), joinDeliverables(e.Order.Deliverables))
	}
}

// compareDay compares only the days, because some services store nothing else.
func (c *comparison) compareDay(what string, got, want api.Time) {
	if got.IsRead() && !isSameDate(got, want) {
		c.compareText(what, got.Format(time.DateOnly), want.Format(time.DateOnly))
	}
}

func (c *comparison) compareSites(sites int, shape uint64, e *changes.Change) {
	c.compareText("sites", fmt.Sprint(sites), fmt.Sprint(e.Sites))
	if sites == e.Sites && shape != e.Shape {
		c.differences = append(c.differences, "other sites")
	}
}

// joinDeliverables lists deliverables in alphabetical order, without the photos that are
// always included.
func joinDeliverables(deliverables []api.Deliverable) string {
	isJPG := func(name string) bool { return name == string(api.DeliverableJPG) }
	names := slices.DeleteFunc(format.PlainTexts(deliverables), isJPG)
	slices.Sort(names)
	return strings.Join(names, ", ")
}
