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

// DeliveryRef names a delivery and the endpoint that it goes to.
type DeliveryRef struct{ Delivery, Endpoint int64 }

// Message is a delivery as it is sent.
type Message struct {
	Delivery int64
	ID       string // the delivery id
	Event    api.EventName
	URL      string
	Secret   string
	Body     []byte
	Attempts int       // made before, in an earlier sending
	Resent   time.Time // when this sending was asked for; zero for the first

	// Post sends it in another way than by a request to URL; nil: it does not.
	Post func(context.Context) error
}

// Outcome is what has become of a delivery after a try.
type Outcome struct {
	DeliveryRef
	Attempts int
	Code     int      // HTTP status; 0 where no answer came
	Error    string   // "" for success
	Again    bool     // there will be another try
	Try      *Attempt // nil where nothing was sent
}

// Attempt is what was sent in a try, and what came of it.
type Attempt struct {
	At      time.Time // by the service's clock: when it was due, plus its wait for a turn
	Took    time.Duration
	Headers http.Header
	Answer  []byte    // how it begins
	Resent  time.Time // of the message
	Next    time.Time // when there will be another try, by the service's clock; zero for never
}

// ErrUnreadable is in the error of a [DeliveryBook] that can never read a delivery.
var ErrUnreadable = errors.New("the callback cannot be read")

// DeliveryBook is where deliveries are kept.
type DeliveryBook interface {
	// Load reads deliveries to one endpoint, those that there still are. It is asked
	// again after an error, unless that is [ErrUnreadable].
	Load(ctx context.Context, deliveries []int64) ([]Message, error)
	// Record keeps outcomes, all of them or none.
	Record(ctx context.Context, outcomes []Outcome) error
}

// SenderConfig says how a [Sender] works.
type SenderConfig struct {
	Book      DeliveryBook
	Transport http.RoundTripper // see [Transport]
	Now       func() time.Time  // the service's clock, for what is sent; not for waiting
	Log       *slog.Logger
	Timing    SenderTiming
	Faults    InjectedFaults // what goes wrong on purpose
}

// InjectedFaults has callbacks go wrong on purpose.
type InjectedFaults interface {
	Hold() time.Duration   // how much later the next one is sent, so that others overtake it
	Drop(id string) bool   // whether a delivery never leaves
	Repeat(id string) bool // whether a delivery arrives twice
}

// SenderTiming holds the times of a [Sender], for tests that shorten them.
type SenderTiming struct {
	Try   time.Duration   // the longest try: 5 s
	Waits []time.Duration // before each further try: 0.5 s, 2 s, 5 s, each with up to a fifth more
	Stop  time.Duration   // the longest that Close waits: 10 s
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
	ready     []*endpointQueue // those with work and a place for it, in turn
	busy      int              // tries under way

	log outcomeRecorder
}

// queuedItem is a delivery on its way.
type queuedItem struct {
	ref     DeliveryRef
	tries   int           // made in this sending
	earlier int           // attempts of earlier sendings
	message *Message      // nil: to be loaded
	pause   time.Duration // before the next try
	due     dueMoment     // when the next try is
}

// dueMoment is when something was due: by how many nanoseconds the service's time,
// since 1970, was ahead of the machine's, since the start. A jump of the service's
// clock moves only what comes after it; an attempt that was due earlier is as late
// as by the machine's clock.
type dueMoment int64

var started = time.Now()

func momentOf(service time.Time) dueMoment {
	return dueMoment(service.UnixNano() - int64(time.Since(started)))
}

// serviceTime returns the time by the service's clock, without its jumps since the moment.
func (m dueMoment) serviceTime() time.Time {
	return time.Unix(0, int64(m)+int64(time.Since(started))).UTC()
}

// New returns a sender that works until it is closed.
func New(c SenderConfig) *Sender {
	c.Timing = c.Timing.withDefaults()
	s := &Sender{SenderConfig: c, endpoints: map[int64]*endpointQueue{}}
	s.base, s.cancel = context.WithCancel(context.Background())
	s.log.startRecording(s)
	return s
}

// Send takes deliveries on. It does not wait.
func (s *Sender) Send(refs ...DeliveryRef) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	due := momentOf(s.Now())
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

// Forget drops everything to an endpoint, and cuts off what is under way.
func (s *Sender) Forget(endpoint int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.endpoints[endpoint]; e != nil {
		e.dropAll()
		delete(s.endpoints, endpoint)
	}
}

// Close ends sending. Tries under way are waited for; what waits for its turn
// is dropped, and stays pending in the book. It returns once all outcomes are
// in the book.
func (s *Sender) Close() { s.closing.Do(s.closeSender) }

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
	s.log.closeRecorder()
	s.cancel()
	if t, ok := s.Transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// tryItems makes one try of the first of the items that were taken, and decides
// what follows.
func (s *Sender) tryItems(e *endpointQueue, taken []queuedItem) {
	defer s.tries.Done()
	it := taken[0]
	out, gone := s.attemptItem(e, taken, &it)
	gone = gone || e.ctx.Err() != nil
	if !gone {
		s.log.addOutcome(out)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
	e.running--
	if !gone {
		s.countResult(e, out.Error == "")
	}
	if out.Again && !gone && !s.closed {
		s.retryLater(e, it)
	}
	s.enqueueEndpoint(e)
	s.forgetIdle(e)
	s.startAttempts()
}

// attemptItem posts an item, the first of those taken, once they are loaded.
func (s *Sender) attemptItem(e *endpointQueue, taken []queuedItem, it *queuedItem) (out Outcome, gone bool) {
	out = Outcome{DeliveryRef: it.ref, Attempts: it.earlier + it.tries}
	if it.message == nil {
		if err := s.loadMessages(e, taken); err != nil {
			s.Log.Error("callbacks cannot be read", "error", err)
			out.Error = "the service could not read the callback"
			return out, !errors.Is(err, ErrUnreadable)
		}
		it.message = taken[0].message
	}
	if it.message == nil || e.ctx.Err() != nil {
		return out, true
	}
	m := *it.message
	it.message = nil // what waits takes no room
	if it.tries == 0 {
		it.earlier = m.Attempts
	}
	it.tries++
	out.Attempts = it.earlier + it.tries
	out.Try = &Attempt{At: it.due.serviceTime(), Resent: m.Resent}
	began := time.Now()
	out.Code, out.Error = s.postOnce(e.ctx, m, out.Try)
	out.Try.Took = time.Since(began)
	out.Again = out.Error != "" && it.tries <= len(s.Timing.Waits)
	if out.Again {
		it.pause = s.Timing.Waits[it.tries-1]
		it.pause += time.Duration(rand.Float64() * float64(it.pause) / 5)
		out.Try.Next = s.Now().Add(it.pause)
	}
	return out, false
}

// loadMessages reads what was taken. All but the first goes back to the endpoint, and
// that too where nothing could be read: it is no attempt, and is repeated after a pause.
func (s *Sender) loadMessages(e *endpointQueue, taken []queuedItem) error {
	ids := make([]int64, len(taken))
	for i, it := range taken {
		ids[i] = it.ref.Delivery
	}
	messages, err := s.Book.Load(e.ctx, ids)
	for i := range messages {
		if at := slices.Index(ids, messages[i].Delivery); at >= 0 {
			taken[at].message = &messages[i]
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e.loading = false
	if s.closed || e.ctx.Err() != nil {
		return err
	}
	if errors.Is(err, ErrUnreadable) {
		e.again = slices.Concat(taken[1:], e.again)
	} else if err != nil {
		e.again = slices.Concat(taken, e.again)
		s.restEndpoint(e, recordPause)
	} else {
		e.loaded = slices.DeleteFunc(taken[1:], func(it queuedItem) bool { return it.message == nil })
	}
	s.enqueueEndpoint(e)
	s.startAttempts()
	return err
}

// retryLater has an item tried again after a pause.
func (s *Sender) retryLater(e *endpointQueue, it queuedItem) {
	due := s.Now().Add(it.pause)
	var timer *time.Timer
	timer = time.AfterFunc(it.pause, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if _, waits := e.waiting[timer]; !waits {
			return // dropped at the same moment
		}
		delete(e.waiting, timer)
		it.due = momentOf(due)
		e.again = append(e.again, it)
		s.enqueueEndpoint(e)
		s.startAttempts()
	})
	e.waiting[timer] = time.Now().Add(it.pause)
}

// Advance makes what waits for a further try due so much earlier, for a
// service's clock that has jumped.
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
