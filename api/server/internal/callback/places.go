package callback

import (
	"context"
	"time"
)

const (
	perEndpoint = 4    // tries under way to one endpoint
	maxUnderWay = 1024 // tries under way in all
	loadAtOnce  = 16   // deliveries to one endpoint that are read together

	// An endpoint that has failed so often in a row rests after each further
	// failure, so that a long queue to it, with three more tries each, does not
	// take the service's time from those that answer.
	failuresToRest = 32
	rest           = 40 * time.Millisecond
)

// unsentDelivery is a delivery that was not taken yet. Where an endpoint fails,
// hundreds of thousands may wait.
type unsentDelivery struct {
	delivery int64
	due      dueMoment
}

// endpointQueue is one that has something to be sent.
type endpointQueue struct {
	id     int64
	ctx    context.Context // ends when the endpoint is deleted
	cancel context.CancelFunc

	loaded  []queuedItem // read together with one that was sent; they go first
	again   []queuedItem // due once more
	fresh   []unsentDelivery
	loading bool                      // one load at a time keeps their order
	waiting map[*time.Timer]time.Time // when each is due, by the machine's clock
	running int
	lined   bool // among the sender's ready ones
	failed  int  // tries in a row
	rests   bool // starts nothing for a moment
}

// endpointFor returns the endpoint with the number, which it makes.
func (s *Sender) endpointFor(id int64) *endpointQueue {
	e := s.endpoints[id]
	if e == nil {
		e = &endpointQueue{id: id, waiting: map[*time.Timer]time.Time{}}
		e.ctx, e.cancel = context.WithCancel(s.base)
		s.endpoints[id] = e
	}
	return e
}

// dropWaiting forgets what waits.
func (e *endpointQueue) dropWaiting() {
	e.again = nil
	e.loaded = nil
	e.fresh = nil
	for timer := range e.waiting {
		timer.Stop()
	}
	clear(e.waiting)
}

// dropAll drops what waits and cuts off what is under way.
func (e *endpointQueue) dropAll() {
	e.dropWaiting()
	e.cancel()
}

func (e *endpointQueue) hasWork() bool {
	return len(e.loaded) > 0 || len(e.again)+len(e.fresh) > 0 && !e.loading
}

// takeItems takes the next item, with those after it where they are to be loaded.
func (e *endpointQueue) takeItems() []queuedItem {
	if len(e.loaded) > 0 {
		return cutOff(&e.loaded, 1)
	}
	e.loading = true
	if len(e.again) > 0 {
		return cutOff(&e.again, loadAtOnce)
	}
	fresh := cutOff(&e.fresh, loadAtOnce)
	items := make([]queuedItem, len(fresh))
	for i, u := range fresh {
		items[i] = queuedItem{ref: DeliveryRef{Delivery: u.delivery, Endpoint: e.id}, due: u.due}
	}
	return items
}

// cutOff takes up to n off a list.
func cutOff[T any](list *[]T, n int) []T {
	n = min(n, len(*list))
	taken := (*list)[:n:n]
	*list = (*list)[n:]
	if len(*list) == 0 {
		*list = nil
	}
	return taken
}

// enqueueEndpoint puts an endpoint in line for a place, if it can use one.
func (s *Sender) enqueueEndpoint(e *endpointQueue) {
	if !e.lined && !e.rests && e.hasWork() && e.running < perEndpoint {
		s.ready = append(s.ready, e)
		e.lined = true
	}
}

// startAttempts starts tries while there are places. Endpoints take turns.
func (s *Sender) startAttempts() {
	for len(s.ready) > 0 && s.busy < maxUnderWay && !s.closed && !s.log.isBehind() {
		e := s.ready[0]
		s.ready = s.ready[1:]
		e.lined = false
		if e.rests || !e.hasWork() {
			continue
		}
		s.busy++
		e.running++
		s.tries.Add(1)
		go s.tryItems(e, e.takeItems())
		s.enqueueEndpoint(e)
	}
}

// countResult counts an endpoint's failures, and has it rest.
func (s *Sender) countResult(e *endpointQueue, success bool) {
	if success {
		e.failed = 0
		return
	}
	e.failed++
	if e.failed >= failuresToRest {
		s.restEndpoint(e, rest)
	}
}

// restEndpoint has an endpoint start nothing for a while.
func (s *Sender) restEndpoint(e *endpointQueue, pause time.Duration) {
	if e.rests || s.closed {
		return
	}
	e.rests = true
	time.AfterFunc(pause, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		e.rests = false
		s.enqueueEndpoint(e)
		s.forgetIdle(e)
		s.startAttempts()
	})
}

// forgetIdle forgets an endpoint that nothing is known of.
func (s *Sender) forgetIdle(e *endpointQueue) {
	idle := e.running == 0 && len(e.waiting) == 0 && !e.hasWork() && !e.rests
	if idle && s.endpoints[e.id] == e {
		e.cancel()
		delete(s.endpoints, e.id)
	}
}
