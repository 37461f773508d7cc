package webhooks

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/guard"
)

// FeedOptions say what a feed works on.
type FeedOptions struct {
	Client  *api.Client
	Account string // tells the accounts of a service apart
	Runs    Runs   // where endpoints are noted that are to be removed
	Log     *Log
	// Trust has the service trust a receiver's certificate: with it the feed can
	// receive by itself. Nil where the service cannot be told.
	Trust func(ctx context.Context, pem []byte) error
	// Wake is called after every change, from any goroutine; nil for nobody.
	Wake func()
}

// Place is where callbacks are received.
type Place struct {
	Addr  string               // to listen on; "" is a free port of this machine
	URL   string               // https address that the service reaches it at; "" is Addr itself, with a certificate of the feed's own
	Known *api.WebhookEndpoint // that is registered for it, with its secret; nil registers one
}

// Phase is what the feed is doing.
type Phase int

// The phases.
const (
	Off Phase = iota
	Starting
	Listening
	Stopping
)

// FeedState is how the feed is at one moment.
type FeedState struct {
	Phase    Phase
	URL      string // where the service sends to
	Addr     string // what is listened on
	Endpoint string // its id
	Own      bool   // the endpoint is removed at the end
	Since    time.Time
	Refused  int   // callbacks that did not verify
	Refusal  error // why the last one did not
	Left     []Leftover
	Err      error // why it does not listen, or did not end well
}

// Feed receives events.
type Feed struct {
	o FeedOptions

	mu     sync.Mutex
	state  FeedState
	closed bool
	end    context.CancelFunc // ends the listening; nil while there is none
	ended  chan struct{}
}

// NewFeed returns a feed that does not listen yet.
func NewFeed(o FeedOptions) *Feed { return &Feed{o: o} }

// Log is what was received.
func (f *Feed) Log() *Log { return f.o.Log }

// ByItself reports whether the feed can receive without anything to be said:
// the service can be told to trust its certificate.
func (f *Feed) ByItself() bool { return f.o.Trust != nil }

// State is how the feed is.
func (f *Feed) State() FeedState {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state
}

// change changes the state and tells of it.
func (f *Feed) change(do func(s *FeedState)) {
	f.mu.Lock()
	do(&f.state)
	f.mu.Unlock()
	f.wake()
}

func (f *Feed) wake() {
	if f.o.Wake != nil {
		f.o.Wake()
	}
}

// Listen begins to listen, and returns once the endpoint is registered.
func (f *Feed) Listen(ctx context.Context, p Place) error {
	f.mu.Lock()
	switch {
	case f.closed:
		f.mu.Unlock()
		return errors.New("profile switched; start listening again")
	case f.state.Phase != Off:
		f.mu.Unlock()
		return errors.New("already listening")
	}
	// It goes on when what asked for it, a page perhaps, is gone.
	lasting, end := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	f.state, f.end, f.ended = FeedState{Phase: Starting}, end, ended
	f.mu.Unlock()
	f.wake()
	l, err := f.open(lasting, p)
	if err != nil {
		end()
		f.over(FeedState{Err: err})
		close(ended)
		return err
	}
	f.change(func(s *FeedState) {
		*s = FeedState{
			Phase: s.Phase, URL: l.URL(), Addr: l.Addr().String(), Endpoint: l.Endpoint(), Own: p.Known == nil,
			Since: f.o.Client.Now(), Left: l.Left(),
		}
		if s.Phase == Starting {
			s.Phase = Listening
		}
	})
	guard.Go(func() error {
		defer close(ended)
		defer end()
		f.over(FeedState{Err: <-guard.Go(func() error { return l.Serve(lasting) }), Left: l.Left()})
		return nil
	})
	return nil
}

// over notes that there is no listening any more.
func (f *Feed) over(s FeedState) {
	f.mu.Lock()
	f.state, f.end = s, nil
	f.mu.Unlock()
	f.wake()
}

func (f *Feed) open(ctx context.Context, p Place) (*Listener, error) {
	o := ListenOptions{
		Client: f.o.Client, Runs: f.o.Runs, Account: f.o.Account, Addr: p.Addr, URL: p.URL, Known: p.Known,
		Seen: f.o.Log, Refused: f.refused,
	}
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if err := f.o.Log.Load(); err != nil {
		return nil, err
	}
	if p.URL == "" {
		certificate, err := f.certificate(o.Addr)
		if err != nil {
			return nil, err
		}
		o.Certificate, o.Trust = certificate, f.o.Trust
	}
	id := "" // nothing is handled before the listener serves
	o.Handle = func(_ context.Context, e *api.Event) error {
		if err := f.o.Log.Add(Heard{At: f.o.Client.Now(), Endpoint: id, Event: *e}); err != nil {
			return err
		}
		f.wake()
		return nil
	}
	l, err := Listen(ctx, o)
	if err == nil {
		id = l.Endpoint()
	}
	return l, err
}

// certificate is one of the feed's own.
func (f *Feed) certificate(addr string) (*tls.Certificate, error) {
	if f.o.Trust == nil {
		return nil, errors.New("the service sends only to trusted https addresses; enter the address of a tunnel")
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	return SelfSigned(host)
}

func (f *Feed) refused(err error) {
	f.change(func(s *FeedState) { s.Refused, s.Refusal = s.Refused+1, err })
}

// Stop ends the listening, also while it is beginning, and removes the endpoint
// where the feed has registered it. It takes as long as that does.
func (f *Feed) Stop() error {
	f.mu.Lock()
	end, ended := f.end, f.ended
	if end == nil {
		f.mu.Unlock()
		return nil
	}
	f.state.Phase = Stopping
	f.mu.Unlock()
	f.wake()
	end()
	<-ended
	if err := f.State().Err; !errors.Is(err, context.Canceled) { // which was just asked for
		return err
	}
	return nil
}

// Close ends the listening for good, as [Feed.Stop] does: Listen refuses then,
// also when it was asked before and comes late.
func (f *Feed) Close() error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	return f.Stop()
}

// Over reports whether the feed is closed and has nothing left to end.
func (f *Feed) Over() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed && f.state.Phase == Off
}
