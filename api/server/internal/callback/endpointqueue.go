package callback

import (
	"context"
	"time"
)

const (
	maxPerEndpoint = 4    // running attempts to one endpoint
	maxAttempts    = 1024 // running attempts in total
	loadBatchSize  = 16   // deliveries to one endpoint that are loaded together

	// From maxFailures consecutive failures on, each failure pauses the endpoint for
	// restTime. Otherwise a long queue to a failing endpoint, with three retries for each
	// delivery, would delay the callbacks to other endpoints.
	maxFailures = 32
	restTime    = 40 * time.Millisecond
)

// unsentDelivery is a delivery without an attempt. The struct is small, because hundreds of
// thousands of deliveries can wait for an endpoint that fails.
type unsentDelivery struct {
	delivery int64
	due      clockOffset // difference between the clocks when the delivery was queued
}

// endpointQueue contains the deliveries that are waiting to be sent to an endpoint.
type endpointQueue struct {
	id     int64
	ctx    context.Context // ends when the endpoint is deleted
	cancel context.CancelFunc

	loaded    []queuedItem              // items whose messages are already loaded; sent first
	again     []queuedItem              // retries that are due
	fresh     []unsentDelivery          // deliveries without an attempt
	loading   bool                      // a batch is being loaded; only one at a time, so that deliveries keep their order
	waiting   map[*time.Timer]time.Time // when each retry is due, by the machine's clock
	running   int
	isQueued  bool // in the sender's ready list
	failed    int  // consecutive failures
	isResting bool // paused by restEndpoint: starts no attempts
}

// endpointFor returns the queue of an endpoint, and creates it if necessary.
func (s *Sender) endpointFor(id int64) *endpointQueue {
	e := s.endpoints[id]
	if e == nil {
		e = &endpointQueue{id: id, waiting: map[*time.Timer]time.Time{}}
		e.ctx, e.cancel = context.WithCancel(s.base)
		s.endpoints[id] = e
	}
	return e
}

// dropWaiting drops all deliveries that wait.
func (e *endpointQueue) dropWaiting() {
	e.again = nil
	e.loaded = nil
	e.fresh = nil
	for timer := range e.waiting {
		timer.Stop()
	}
	clear(e.waiting)
}

// dropAll drops all deliveries that wait and aborts running attempts.
func (e *endpointQueue) dropAll() {
	e.dropWaiting()
	e.cancel()
}

func (e *endpointQueue) hasWork() bool {
	canLoad := !e.loading && len(e.again)+len(e.fresh) > 0
	return len(e.loaded) > 0 || canLoad
}

// takeItems removes the next item from the queue and returns it. If the message of the item is
// not loaded yet, takeItems also removes the items that follow, up to loadBatchSize in total.
// Their messages are loaded together.
func (e *endpointQueue) takeItems() []queuedItem {
	if len(e.loaded) > 0 {
		return takeFront(&e.loaded, 1)
	}
	e.loading = true
	if len(e.again) > 0 {
		return takeFront(&e.again, loadBatchSize)
	}
	fresh := takeFront(&e.fresh, loadBatchSize)
	items := make([]queuedItem, len(fresh))
	for i, u := range fresh {
		items[i] = queuedItem{ref: DeliveryRef{Delivery: u.delivery, Endpoint: e.id}, due: u.due}
	}
	return items
}

// takeFront removes up to n elements from the front of a list and returns them.
func takeFront[T any](list *[]T, n int) []T {
	n = min(n, len(*list))
	front := (*list)[:n:n]
	*list = (*list)[n:]
	if len(*list) == 0 {
		*list = nil
	}
	return front
}

// enqueueEndpoint adds an endpoint to the ready list if it can start an attempt.
func (s *Sender) enqueueEndpoint(e *endpointQueue) {
	isBusy := e.isResting || e.running >= maxPerEndpoint
	if e.isQueued || isBusy || !e.hasWork() {
		return
	}
	s.ready = append(s.ready, e)
	e.isQueued = true
}

// startAttempts starts attempts as long as the limits allow it. Endpoints take turns.
func (s *Sender) startAttempts() {
	for len(s.ready) > 0 && s.canStart() {
		e := s.ready[0]
		s.ready = s.ready[1:]
		e.isQueued = false
		if e.isResting || !e.hasWork() {
			continue
		}
		s.busy++
		e.running++
		s.tries.Add(1)
		go s.tryItems(e, e.takeItems())
		s.enqueueEndpoint(e)
	}
}

// canStart reports whether the limits of the sender allow another attempt.
func (s *Sender) canStart() bool {
	return s.busy < maxAttempts && !s.closed && !s.log.isBehind()
}

// countResult counts the consecutive failures of an endpoint. From maxFailures on, each failure
// pauses the endpoint for restTime.
func (s *Sender) countResult(e *endpointQueue, success bool) {
	if success {
		e.failed = 0
		return
	}
	e.failed++
	if e.failed >= maxFailures {
		s.restEndpoint(e, restTime)
	}
}

// restEndpoint pauses an endpoint: no new attempts to it are made for the duration of pause.
func (s *Sender) restEndpoint(e *endpointQueue, pause time.Duration) {
	if e.isResting || s.closed {
		return
	}
	e.isResting = true
	time.AfterFunc(pause, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		e.isResting = false
		s.enqueueEndpoint(e)
		s.removeIdle(e)
		s.startAttempts()
	})
}

// removeIdle removes the queue of an endpoint that has no deliveries and no running attempts,
// unless the endpoint is paused.
func (s *Sender) removeIdle(e *endpointQueue) {
	isActive := e.running > 0 || e.isResting
	hasDeliveries := len(e.waiting) > 0 || e.hasWork()
	isCurrent := s.endpoints[e.id] == e // false if the endpoint was cancelled
	if isCurrent && !isActive && !hasDeliveries {
		e.cancel()
		delete(s.endpoints, e.id)
	}
}
