package webhooks

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sort"
	"sync"
	"time"

	"flightdesk/api"
)

// FeedOptions are the options of an [EventFeed].
type FeedOptions struct {
	ReceivingAccount
	Log *EventLog // stores the received events
	// Wake is called after every change, from any goroutine; may be nil.
	Wake func()
}

// ListenPlace says where callbacks are received.
type ListenPlace struct {
	Addr  string               // host:port to listen on; with port 0, a free port; "" lets a feed pick host and port
	URL   string               // https URL to which the service sends callbacks; "" if it can reach Addr directly
	Known *api.WebhookEndpoint // existing endpoint with its secret; nil to register an endpoint and remove it at the end
}

// FeedPhase says whether a feed is off, starting, listening or stopping.
type FeedPhase int

// The phases.
const (
	Off FeedPhase = iota
	Starting
	Listening
	Stopping
)

// FeedState is the state of an [EventFeed] at a point in time.
type FeedState struct {
	Phase    FeedPhase
	URL      string // URL to which the service sends callbacks
	Addr     string // host:port that the feed listens on
	Endpoint string // ID of the endpoint
	Own      bool   // the feed registered the endpoint and removes it when it stops
	Refused  int    // number of rejected callbacks
	Refusal  error  // why the last callback was rejected
	Left     []LeftEndpoint
	Err      error // why the feed does not listen or did not stop cleanly
}

// EventFeed receives callbacks of the service in the background and stores their events in a log.
type EventFeed struct {
	options FeedOptions

	mu     sync.Mutex
	state  FeedState
	closed bool
	stop   context.CancelFunc // stops listening; nil if the feed is off
	ended  chan struct{}      // closed when the feed has stopped
}

// NewFeed returns a feed that does not listen yet.
func NewFeed(options FeedOptions) *EventFeed { return &EventFeed{options: options} }

// EventLog returns the log of received events.
func (f *EventFeed) EventLog() *EventLog { return f.options.Log }

// ByItself reports whether the service can send callbacks directly to the feed, without a tunnel or proxy.
// For that it must be possible to make the service trust the certificate of the feed.
func (f *EventFeed) ByItself() bool { return f.options.Trust != nil }

// CurrentState returns a snapshot of the feed.
func (f *EventFeed) CurrentState() FeedState {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state
}

// changeState changes the state of the feed and then calls Wake.
func (f *EventFeed) changeState(change func(s *FeedState)) {
	f.mu.Lock()
	change(&f.state)
	f.mu.Unlock()
	f.wakeWaiting()
}

func (f *EventFeed) wakeWaiting() {
	if f.options.Wake != nil {
		f.options.Wake()
	}
}

// StartListening starts to listen and registers an endpoint. It returns when the service can send
// callbacks; the feed then listens in the background.
func (f *EventFeed) StartListening(ctx context.Context, p ListenPlace) error {
	// Listening continues after the page that started it is closed.
	listenCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	if err := f.setStarting(stop, ended); err != nil {
		stop()
		return err
	}
	f.wakeWaiting() // the state has changed to Starting
	// When listening ends, ended is closed last: StopListening waits for it, and then reads the state.
	l, err := f.openListener(listenCtx, p)
	if err != nil {
		stop()
		f.setOff(FeedState{Err: err})
		close(ended)
		return err
	}
	f.setListening(l)
	api.Go(func() error {
		defer close(ended)
		defer stop() // runs before close
		f.serve(listenCtx, l)
		return nil
	})
	return nil
}

// serve receives events until ctx ends, and then records that the feed has stopped.
func (f *EventFeed) serve(ctx context.Context, l *EndpointListener) {
	ended := api.Go(func() error { return l.Serve(ctx) }) // turns a panic into an error
	f.setOff(FeedState{Err: <-ended, Left: l.Left})
}

// setStarting records that the feed is starting. It returns an error if the feed was closed, or is already
// starting, listening or still stopping.
func (f *EventFeed) setStarting(stop context.CancelFunc, ended chan struct{}) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return errors.New("profile switched; start listening again")
	}
	if f.state.Phase != Off {
		if f.state.Phase == Stopping {
			return errors.New("still stopping; start again in a moment")
		}
		return errors.New("already listening")
	}
	f.state = FeedState{Phase: Starting}
	f.stop = stop
	f.ended = ended
	return nil
}

// setListening records the address and the endpoint of the listener. The phase becomes Listening, unless
// the feed is already being stopped.
func (f *EventFeed) setListening(l *EndpointListener) {
	f.changeState(func(s *FeedState) {
		phase := s.Phase
		if phase == Starting {
			phase = Listening
		}
		*s = FeedState{
			Phase:    phase,
			URL:      l.URL,
			Addr:     l.Addr,
			Endpoint: l.Endpoint.UUID,
			Own:      l.Known == nil,
			Left:     l.Left,
		}
	})
}

// setOff records that the feed has stopped. s is the final state.
func (f *EventFeed) setOff(s FeedState) {
	f.changeState(func(current *FeedState) {
		*current = s
		f.stop = nil
	})
}

func (f *EventFeed) openListener(ctx context.Context, p ListenPlace) (*EndpointListener, error) {
	if p.URL == "" && f.options.Trust == nil {
		return nil, errors.New("the service sends only to trusted https addresses; enter the address of a tunnel")
	}
	if err := f.options.Log.LoadNew(); err != nil {
		return nil, err
	}
	p.Addr = cmp.Or(p.Addr, "127.0.0.1:0")
	var l *EndpointListener
	options := ListenOptions{
		ListenPlace:      p,
		ReceivingAccount: f.options.ReceivingAccount,
		Seen:             f.options.Log,
		Refused:          f.recordRefusal,
		Handle:           func(_ context.Context, e *api.Event) error { return f.addEvent(l.Endpoint.UUID, e) },
	}
	var err error
	l, err = OpenListener(ctx, options) // events are handled once it serves
	return l, err
}

// recordRefusal counts a rejected callback.
func (f *EventFeed) recordRefusal(reason error) {
	f.changeState(func(s *FeedState) {
		s.Refused++
		s.Refusal = reason
	})
}

// addEvent adds an event that an endpoint received to the log.
func (f *EventFeed) addEvent(endpoint string, e *api.Event) error {
	received := ReceivedEvent{At: f.options.Client.Now(), Endpoint: endpoint, Event: *e}
	if err := f.options.Log.AddEvent(received); err != nil {
		return err
	}
	f.wakeWaiting()
	return nil
}

// StopListening stops the feed, even while it is starting, and removes the endpoint if the feed registered
// it. It returns when both are done.
func (f *EventFeed) StopListening() error {
	f.mu.Lock()
	stop := f.stop
	ended := f.ended
	if stop == nil {
		f.mu.Unlock()
		return nil
	}
	f.state.Phase = Stopping
	f.mu.Unlock()
	f.wakeWaiting()
	stop()
	<-ended
	err := f.CurrentState().Err
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// Close stops the feed permanently: later calls of StartListening fail.
func (f *EventFeed) Close() error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	return f.StopListening()
}

// FeedRow is an event in a list of received events.
type FeedRow struct {
	ReceivedEvent
	Late bool // the mission already had a later status when the event arrived
}

// SortFeed sorts events by mission: the mission with the newest event comes first. The events of a mission are sorted
// by status, the latest status first, in whatever order they arrived. received must be in the order of arrival. The
// rows say which events arrived late.
func SortFeed(received []ReceivedEvent) []FeedRow {
	rows := markLate(received)
	newest := map[string]time.Time{} // arrival of the newest event, by mission
	for i := range received {
		mission := received[i].Event.Data.Mission.UUID
		if received[i].At.After(newest[mission]) {
			newest[mission] = received[i].At
		}
	}
	sort.SliceStable(rows, func(i, j int) bool {
		a := &rows[i].Event.Data.Mission
		b := &rows[j].Event.Data.Mission
		if !newest[a.UUID].Equal(newest[b.UUID]) {
			return newest[a.UUID].After(newest[b.UUID])
		}
		if a.UUID != b.UUID {
			return a.UUID < b.UUID
		}
		if statusRank(a.Status) != statusRank(b.Status) {
			return statusRank(a.Status) > statusRank(b.Status)
		}
		return rows[i].Event.Timestamp.After(rows[j].Event.Timestamp.Time)
	})
	return rows
}

// markLate returns a row for each event and marks the events that arrived after an event with a later status
// of the same mission.
func markLate(received []ReceivedEvent) []FeedRow {
	rows := make([]FeedRow, len(received))
	latestRank := map[string]int{} // of the statuses so far, by mission
	for i, event := range received {
		mission := &event.Event.Data.Mission
		rank := statusRank(mission.Status)
		latest, hasEarlier := latestRank[mission.UUID]
		isLate := hasEarlier && rank >= 0 && rank < latest
		rows[i] = FeedRow{ReceivedEvent: event, Late: isLate}
		if !hasEarlier || rank > latest {
			latestRank[mission.UUID] = rank
		}
	}
	return rows
}

// statusRank returns the position of a status in the usual sequence of a mission's statuses, or -1 if it
// is unknown.
func statusRank(s api.MissionStatus) int { return slices.Index(api.MissionStatuses(), s) }

// rawCallback has the header and the body of a callback as they were received.
type rawCallback struct {
	header http.Header
	body   []byte
}

type rawKey struct{}

// maxRaw is the maximum size of a callback in bytes that is read to be forwarded. A receiver accepts only
// smaller callbacks.
const maxRaw = 2 << 20

// withRawCallback returns a handler that makes the unmodified callback available to next in the context of
// the request.
func withRawCallback(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRaw))
		if err != nil {
			http.Error(w, http.StatusText(http.StatusBadRequest), http.StatusBadRequest)
			return
		}
		r = r.WithContext(context.WithValue(r.Context(), rawKey{}, rawCallback{r.Header, body}))
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// forwardTimeout limits how long forwarding a callback may take. The service waits 5 seconds for the
// response to its callback, so forwarding must be shorter.
const forwardTimeout = 4 * time.Second

// forwarder does not follow redirects, which would turn the callback into a GET request
// without a body or send it to another host.
var forwarder = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// CallbackBody returns the unmodified body of the callback that is being handled. ctx is the context of
// its handler.
func CallbackBody(ctx context.Context) []byte {
	sent, _ := ctx.Value(rawKey{}).(rawCallback)
	return sent.body
}

// Forwarded is the result of forwarding a callback.
type Forwarded struct {
	Status int // HTTP status of the response; 0 without one
	Took   time.Duration
}

// ForwardCallback forwards the callback that is being handled, without a change of its body or its
// signature. It returns an error unless the response is 2xx.
func ForwardCallback(ctx context.Context, to string) (Forwarded, error) {
	sent, _ := ctx.Value(rawKey{}).(rawCallback)
	return PostCallback(ctx, to, sent.header, sent.body)
}

// PostCallback sends a callback with its headers and its body to an address. It returns an
// error unless the response is 2xx.
func PostCallback(ctx context.Context, to string, header http.Header, body []byte) (Forwarded, error) {
	ctx, cancel := context.WithTimeout(ctx, forwardTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return Forwarded{}, err
	}
	for _, name := range callbackHeaders {
		values := header.Values(name)
		if len(values) > 0 {
			req.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	began := time.Now()
	res, err := forwarder.Do(req)
	took := time.Since(began)
	if err != nil {
		return Forwarded{Took: took}, fmt.Errorf("forward target not answering: %w", err)
	}
	_ = res.Body.Close()
	forwarded := Forwarded{Status: res.StatusCode, Took: took}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return forwarded, fmt.Errorf("forward target answered %d", res.StatusCode)
	}
	return forwarded, nil
}

// callbackHeaders are the headers of a callback that are forwarded.
var callbackHeaders = []string{
	"Content-Type",
	api.HeaderSignature,
	api.HeaderEvent,
	api.HeaderDelivery,
	api.HeaderTimestamp,
}
