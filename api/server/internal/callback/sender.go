package callback

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"flightdesk/api"
)

// DeliveryRef identifies a delivery and its endpoint.
type DeliveryRef struct{ Delivery, Endpoint int64 }

// Message is a delivery with everything that is needed to send it.
type Message struct {
	Delivery int64
	ID       string // UUID of the delivery
	Event    api.EventName
	URL      string
	Secret   string
	Body     []byte
	Attempts int       // attempts before the callback was sent again; 0 if it was not sent again
	Resent   time.Time // when the client asked to send it again; zero if the client did not

	// Post sends the message instead of an HTTP request to URL, if it is not nil.
	Post func(context.Context) error
}

// Outcome is the state of a delivery after an attempt.
type Outcome struct {
	DeliveryRef
	Attempts int      // total number so far
	Code     int      // HTTP status; 0 without a response
	Error    string   // "" for success
	Again    bool     // another attempt follows
	Try      *Attempt // nil if nothing was sent
}

// Attempt describes what an attempt sent and received.
type Attempt struct {
	At      time.Time // start by the service's clock, see clockOffset
	Took    time.Duration
	Headers http.Header
	Answer  []byte    // beginning of the response body
	Resent  time.Time // copy of Message.Resent
	Next    time.Time // when the next attempt follows, by the service's clock; zero if none follows
}

// ErrUnreadable is the error of a [DeliveryStore] for a delivery that it can never load.
var ErrUnreadable = errors.New("the callback cannot be read")

// DeliveryStore stores deliveries.
type DeliveryStore interface {
	// Load returns deliveries to an endpoint. Deliveries that were deleted are left out.
	// After an error other than [ErrUnreadable] it is called again.
	Load(ctx context.Context, deliveries []int64) ([]Message, error)
	// Record saves outcomes: all of them, or none if it fails.
	Record(ctx context.Context, outcomes []Outcome) error
}

// SenderConfig configures a [Sender].
type SenderConfig struct {
	Deliveries DeliveryStore
	Transport  http.RoundTripper // see [Transport]
	Now        func() time.Time  // the service's clock, for times in messages; waiting uses the machine's clock
	Log        *slog.Logger
	Timing     SenderTiming
	Faults     InjectedFaults // for tests of clients
}

// InjectedFaults makes sending fail on purpose.
type InjectedFaults interface {
	Hold() time.Duration   // how long to delay the next delivery, so that later ones are sent first
	Drop(id string) bool   // whether to drop a delivery without sending it
	Repeat(id string) bool // whether to send a delivery twice
}

// SenderTiming overrides the times of a [Sender] in tests. Zero values select the
// defaults.
type SenderTiming struct {
	Try   time.Duration   // timeout of an attempt: 5 s
	Waits []time.Duration // pause before each retry, which a random part extends by up to 20 %: 0.5 s, 2 s, 5 s
	Stop  time.Duration   // how long Close waits for attempts: 10 s
}

func (t SenderTiming) withDefaults() SenderTiming {
	if t.Try == 0 {
		t.Try = 5 * time.Second
	}
	if t.Waits == nil {
		t.Waits = []time.Duration{500 * time.Millisecond, 2 * time.Second, 5 * time.Second}
	}
	if t.Stop == 0 {
		t.Stop = 10 * time.Second
	}
	return t
}

// Sender sends deliveries. It is safe for concurrent use.
type Sender struct {
	SenderConfig
	base   context.Context
	cancel context.CancelFunc
	tries  sync.WaitGroup

	closing sync.Once

	mu        sync.Mutex
	closed    bool
	endpoints map[int64]*endpointQueue
	ready     []*endpointQueue // endpoints to which an attempt can start; the first one is next
	busy      int              // running attempts

	log outcomeRecorder
}

// queuedItem is a delivery that is waiting or being sent.
type queuedItem struct {
	ref     DeliveryRef
	tries   int           // attempts since the callback was queued
	earlier int           // attempts before the callback was sent again, see Message.Attempts
	message *Message      // nil if it is not loaded
	pause   time.Duration // before the next attempt
	due     clockOffset   // difference between the clocks when the next attempt was due
}

// clockOffset is the time on the service's clock minus the time since the start of the program, in
// nanoseconds. The difference changes if the service's clock is advanced. A delivery stores the
// difference when its attempt becomes due, and the time of the attempt is calculated from it, see
// serviceTime. So the time is right even if the service's clock was advanced before the attempt was
// made.
type clockOffset int64

var started = time.Now()

// offsetAt returns the current offset. now is the current time of the service's clock.
func offsetAt(now time.Time) clockOffset {
	sinceStart := time.Since(started)
	return clockOffset(now.UnixNano() - int64(sinceStart))
}

// serviceTime returns the time that the service's clock would show now if nobody had advanced it
// since the offset was stored.
func (o clockOffset) serviceTime() time.Time {
	sinceStart := time.Since(started)
	return time.Unix(0, int64(o)+int64(sinceStart)).UTC()
}

// New returns a running sender. Close stops it.
func New(c SenderConfig) *Sender {
	c.Timing = c.Timing.withDefaults()
	s := &Sender{SenderConfig: c, endpoints: map[int64]*endpointQueue{}}
	s.base, s.cancel = context.WithCancel(context.Background())
	s.log.start(s)
	return s
}

// Send queues deliveries. It does not wait.
func (s *Sender) Send(refs ...DeliveryRef) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	due := offsetAt(s.Now())
	for _, r := range refs {
		e := s.endpointFor(r.Endpoint)
		if hold := s.Faults.Hold(); hold > 0 {
			s.retryLater(e, queuedItem{ref: r, pause: hold})
			continue
		}
		e.fresh = append(e.fresh, unsentDelivery{r.Delivery, due})
		s.enqueueEndpoint(e)
	}
	s.startAttempts()
}

// CancelEndpoint drops all deliveries to an endpoint and aborts running attempts.
func (s *Sender) CancelEndpoint(endpoint int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.endpoints[endpoint]; e != nil {
		e.dropAll()
		delete(s.endpoints, endpoint)
	}
}

// Close stops sending. It waits for running attempts and until all outcomes are saved.
// Deliveries that were not sent yet stay pending in the store.
func (s *Sender) Close() { s.closing.Do(s.closeSender) }

// closeSender waits for the running attempts. Attempts that take longer than Timing.Stop are cancelled.
func (s *Sender) closeSender() {
	s.mu.Lock()
	s.closed = true
	for _, e := range s.endpoints {
		e.dropWaiting()
	}
	s.mu.Unlock()
	late := time.AfterFunc(s.Timing.Stop, s.cancel)
	s.tries.Wait()
	late.Stop()
	s.log.close()
	s.cancel()
	if t, ok := s.Transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// tryItems makes an attempt to send the first item of a batch, saves the outcome, and schedules a
// retry if one is needed. The other items of the batch are only loaded, and go back to the queue.
func (s *Sender) tryItems(e *endpointQueue, batch []queuedItem) {
	defer s.tries.Done()
	item := batch[0]
	outcome, hasOutcome := s.attemptItem(e, batch, &item)
	isDeleted := e.ctx.Err() != nil // the endpoint was deleted meanwhile
	isRecorded := hasOutcome && !isDeleted
	if isRecorded {
		s.log.addOutcome(outcome)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
	e.running--
	if isRecorded {
		s.handleOutcome(e, item, outcome)
	}
	s.enqueueEndpoint(e)
	s.removeIdle(e)
	s.startAttempts()
}

// handleOutcome counts the result of an attempt, and schedules a retry if another attempt
// follows. The caller holds the lock.
func (s *Sender) handleOutcome(e *endpointQueue, item queuedItem, outcome Outcome) {
	s.countResult(e, outcome.Error == "")
	if outcome.Again && !s.closed {
		s.retryLater(e, item)
	}
}

// attemptItem loads the batch if necessary, and makes an attempt to send its first item. ok is false if there is no
// outcome, because the delivery or its endpoint was deleted or the delivery will be loaded again.
func (s *Sender) attemptItem(e *endpointQueue, batch []queuedItem, item *queuedItem) (outcome Outcome, ok bool) {
	if item.message == nil {
		err := s.loadMessages(e, batch)
		if err != nil {
			s.Log.Error("callbacks cannot be read", "error", err)
		}
		if errors.Is(err, ErrUnreadable) {
			return item.unreadableOutcome(), true
		}
		if err != nil {
			return Outcome{}, false
		}
		item.message = batch[0].message
	}
	isDeleted := item.message == nil || e.ctx.Err() != nil
	if isDeleted {
		return Outcome{}, false
	}
	return s.sendItem(e, item), true
}

// unreadableOutcome returns the outcome of an item that the service cannot read. No attempt was made to send it.
func (item *queuedItem) unreadableOutcome() Outcome {
	return Outcome{
		DeliveryRef: item.ref,
		Attempts:    item.earlier + item.tries,
		Error:       "the service could not read the callback",
	}
}

// sendItem makes an attempt to send an item whose message is loaded. If the attempt must be
// repeated, sendItem sets item.pause, the pause before the next attempt.
func (s *Sender) sendItem(e *endpointQueue, item *queuedItem) Outcome {
	message := *item.message
	item.message = nil // a waiting item does not keep its message in memory
	if item.tries == 0 {
		item.earlier = message.Attempts
	}
	item.tries++
	attempt := &Attempt{At: item.due.serviceTime(), Resent: message.Resent}
	began := time.Now()
	code, failure := s.sendMessage(e.ctx, message, attempt)
	attempt.Took = time.Since(began)
	isRetried := failure != "" && item.tries <= len(s.Timing.Waits)
	if isRetried {
		item.pause = s.pauseBefore(item.tries + 1)
		attempt.Next = s.Now().Add(item.pause)
	}
	return Outcome{
		DeliveryRef: item.ref,
		Attempts:    item.earlier + item.tries,
		Try:         attempt,
		Code:        code,
		Error:       failure,
		Again:       isRetried,
	}
}

// sendMessage sends a message once: to its URL, or with its own function. code is the status of the response, or 0
// if there was none. failure says why the attempt failed. It is "" if the attempt succeeded.
func (s *Sender) sendMessage(ctx context.Context, m Message, attempt *Attempt) (code int, failure string) {
	if m.Post == nil {
		return s.postOnce(ctx, m, attempt)
	}
	if err := m.Post(ctx); err != nil {
		return 0, err.Error()
	}
	return 0, ""
}

// pauseBefore returns the pause before a retry. attempt is 2 for the first retry. The pause has a
// random part, so that the retries of many deliveries are not due at the same time.
func (s *Sender) pauseBefore(attempt int) time.Duration {
	pause := s.Timing.Waits[attempt-2]
	return pause + time.Duration(rand.Float64()*float64(pause)/5)
}

// loadMessages loads the messages of a batch. All items but the first go back to the queue.
// If loading fails temporarily, the first item also goes back to the queue and is loaded
// again after a pause. Loading does not count as an attempt.
func (s *Sender) loadMessages(e *endpointQueue, batch []queuedItem) error {
	ids := make([]int64, len(batch))
	for i, it := range batch {
		ids[i] = it.ref.Delivery
	}
	messages, err := s.Deliveries.Load(e.ctx, ids)
	for i := range messages {
		index := slices.Index(ids, messages[i].Delivery)
		if index >= 0 {
			batch[index].message = &messages[i]
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e.loading = false
	if s.closed || e.ctx.Err() != nil {
		return err
	}
	s.requeueLoaded(e, batch, err)
	s.enqueueEndpoint(e)
	s.startAttempts()
	return err
}

// requeueLoaded returns items to the queue after an attempt to load the messages of a batch. err is
// the result of loading. If err is nil, the first item is sent now, and the other items return to
// the queue. If err is [ErrUnreadable], the first item can never be sent, so only the other items
// return. After another error, all items return and the endpoint is paused.
func (s *Sender) requeueLoaded(e *endpointQueue, batch []queuedItem, err error) {
	if err == nil {
		isDeleted := func(it queuedItem) bool { return it.message == nil }
		e.loaded = slices.DeleteFunc(batch[1:], isDeleted)
		return
	}
	if errors.Is(err, ErrUnreadable) {
		e.again = slices.Concat(batch[1:], e.again)
		return
	}
	e.again = slices.Concat(batch, e.again)
	s.restEndpoint(e, retryPause)
}

// retryLater queues an item again after a pause.
func (s *Sender) retryLater(e *endpointQueue, it queuedItem) {
	due := s.Now().Add(it.pause)
	var timer *time.Timer
	timer = time.AfterFunc(it.pause, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if _, isWaiting := e.waiting[timer]; !isWaiting {
			return // the delivery was dropped just before the timer fired
		}
		delete(e.waiting, timer)
		it.due = offsetAt(due)
		e.again = append(e.again, it)
		s.enqueueEndpoint(e)
		s.startAttempts()
	})
	e.waiting[timer] = time.Now().Add(it.pause)
}

// Advance makes waiting retries due earlier by a duration. It is called after the service's clock
// was advanced by that duration.
func (s *Sender) Advance(by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.endpoints {
		for timer, due := range e.waiting {
			e.waiting[timer] = due.Add(-by)
			timer.Reset(max(0, time.Until(due)-by))
		}
	}
}
