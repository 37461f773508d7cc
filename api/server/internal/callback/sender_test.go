package callback_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"flightdesk/api"
	"flightdesk/api/server/internal/callback"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "whsec_test"

// book is a store of deliveries whose endpoints are hosts: delivery 3007 is the seventh delivery to
// endpoint 3, https://e3.example.
type book struct {
	mu       sync.Mutex
	gone     map[int64]bool // endpoints and deliveries
	earlier  int
	fail     error // of Record
	unread   error // of Load
	outcomes map[int64]callback.Outcome
	tries    []callback.Attempt
	writes   int
	loads    int
}

func (b *book) Load(_ context.Context, ids []int64) ([]callback.Message, error) {
	var all []callback.Message
	b.mu.Lock()
	defer b.mu.Unlock()
	b.loads++
	if b.unread != nil {
		return nil, b.unread
	}
	for _, id := range ids {
		if id/1000 != ids[0]/1000 {
			return nil, errors.New("deliveries to several endpoints were loaded together")
		}
		if !b.gone[id/1000] && !b.gone[id] {
			all = append(all, callback.Message{
				Delivery: id, ID: fmt.Sprint(id), Event: api.EventMissionCompleted, Secret: secret, Attempts: b.earlier,
				URL: fmt.Sprintf("https://e%d.example/hook", id/1000), Body: fmt.Appendf(nil, `{"id":"%d"}`, id),
			})
		}
	}
	return all, nil
}

func (b *book) Record(_ context.Context, outcomes []callback.Outcome) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.writes++
	if b.fail != nil {
		return b.fail
	}
	for _, o := range outcomes {
		if o.Try != nil {
			b.tries = append(b.tries, *o.Try)
			o.Try = nil
		}
		b.outcomes[o.Delivery] = o
	}
	return nil
}

func (b *book) outcome(id int64) callback.Outcome {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.outcomes[id]
}

// receivers responds for each host, and records the requests.
type receivers struct {
	mu     sync.Mutex
	answer func(r *http.Request, try int) (*http.Response, error)
	got    map[string][]request // by delivery
	now    map[string]int       // running attempts, by host
	most   map[string]int
	open   atomic.Int32 // response bodies that are not closed
	idle   atomic.Int32 // calls to close idle connections
}

func (v *receivers) CloseIdleConnections() { v.idle.Add(1) }

// openBody counts a body until it is closed.
type openBody struct {
	io.Reader
	open *atomic.Int32
}

func (b *openBody) Close() error {
	b.open.Add(-1)
	return nil
}

type request struct {
	at     time.Duration
	header http.Header
	body   string
}

func (v *receivers) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	id := r.Header.Get(api.HeaderDelivery)
	v.mu.Lock()
	v.got[id] = append(v.got[id], request{time.Since(began), r.Header, string(body)})
	try := len(v.got[id])
	v.now[r.Host]++
	v.most[r.Host] = max(v.most[r.Host], v.now[r.Host])
	v.mu.Unlock()
	defer func() {
		v.mu.Lock()
		v.now[r.Host]--
		v.mu.Unlock()
	}()
	answer, err := v.answer(r, try)
	if answer != nil {
		v.open.Add(1)
		answer.Body = &openBody{answer.Body, &v.open}
	}
	return answer, err
}

func (v *receivers) of(id string) []request {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.got[id]
}

// began is the time at which the fake clock of synctest starts.
var began = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func status(code int) (*http.Response, error) {
	return &http.Response{StatusCode: code, Body: io.NopCloser(strings.NewReader("ok")), Header: http.Header{}}, nil
}

func hang(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// newSender returns a sender without injected faults and with the real clock, unless the
// test sets others.
func newSender(c callback.SenderConfig) *callback.Sender {
	c.Log = slog.New(slog.DiscardHandler)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Faults == nil {
		c.Faults = nothing{}
	}
	return callback.New(c)
}

// nothing goes wrong.
type nothing struct{}

func (nothing) Hold() time.Duration { return 0 }
func (nothing) Drop(string) bool    { return false }
func (nothing) Repeat(string) bool  { return false }

// sending runs a test with a sender and a fake clock.
func sending(t *testing.T, answer func(*http.Request, int) (*http.Response, error), test func(*callback.Sender, *book, *receivers)) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		b := &book{gone: map[int64]bool{}, outcomes: map[int64]callback.Outcome{}}
		v := &receivers{answer: answer, got: map[string][]request{}, now: map[string]int{}, most: map[string]int{}}
		s := newSender(callback.SenderConfig{Deliveries: b, Transport: v})
		defer func() {
			s.Close()
			if v.open.Load() != 0 || v.idle.Load() == 0 {
				t.Errorf("%d answers are open, idle connections are closed %d times", v.open.Load(), v.idle.Load())
			}
		}()
		test(s, b, v)
	})
}

func after(d time.Duration) {
	time.Sleep(d) // of the fake clock, so it needs no real time
	synctest.Wait()
}

func ref(id int64) callback.DeliveryRef {
	return callback.DeliveryRef{Delivery: id, Endpoint: id / 1000}
}

func TestFailedAttemptsAreRetriedThreeTimes(t *testing.T) {
	fail := func(*http.Request, int) (*http.Response, error) { return status(500) }
	sending(t, fail, func(s *callback.Sender, b *book, v *receivers) {
		s.Send(ref(1001))
		synctest.Wait()
		if o := b.outcome(1001); !o.Again || o.Attempts != 1 || o.Code != 500 {
			t.Errorf("after the first try: %+v", o)
		}
		after(time.Minute)
		got := v.of("1001")
		if len(got) != 4 {
			t.Fatalf("%d tries", len(got))
		}
		for i, wait := range []time.Duration{500 * time.Millisecond, 2 * time.Second, 5 * time.Second} {
			if pause := got[i+1].at - got[i].at; pause < wait || pause > wait*6/5 {
				t.Errorf("pause %d is %v", i, pause)
			}
		}
		stamps := map[string]bool{}
		for _, r := range got {
			if r.body != `{"id":"1001"}` || r.header.Get(api.HeaderDelivery) != "1001" ||
				r.header.Get(api.HeaderEvent) != "mission.completed" || r.header.Get("Content-Type") != "application/json" {
				t.Errorf("a try: %+v", r)
			}
			if err := api.VerifySignature(secret, r.header.Get(api.HeaderSignature), []byte(r.body)); err != nil {
				t.Error(err)
			}
			at, err := time.Parse(time.RFC3339Nano, r.header.Get(api.HeaderTimestamp))
			if err != nil || at.Sub(began) != r.at.Truncate(time.Millisecond) {
				t.Errorf("the timestamp is %v, %v, at %v", at, err, r.at)
			}
			stamps[r.header.Get(api.HeaderTimestamp)] = true
		}
		if len(stamps) != 4 {
			t.Errorf("the timestamps are %v", stamps)
		}
		if o := b.outcome(1001); o.Again || o.Attempts != 4 || o.Code != 500 || o.Error != "HTTP 500" {
			t.Errorf("in the end: %+v", o)
		}
	})
}

// Each outcome has what was sent, the beginning of the response, and the time of the next
// attempt.
func TestOutcomesDescribeTheAttempt(t *testing.T) {
	fail := func(r *http.Request, _ int) (*http.Response, error) {
		if r.Host == "e2.example" {
			return hang(r)
		}
		return &http.Response{StatusCode: http.StatusInternalServerError, Body: io.NopCloser(strings.NewReader(strings.Repeat("busy", 2000))), Header: http.Header{}}, nil
	}
	sending(t, fail, func(s *callback.Sender, b *book, v *receivers) {
		s.Send(ref(1001))
		after(time.Minute)
		if len(b.tries) != 4 {
			t.Fatalf("%d tries", len(b.tries))
		}
		for i, r := range v.of("1001") {
			try := b.tries[i]
			if try.Headers.Get(api.HeaderSignature) != r.header.Get(api.HeaderSignature) || try.At.Sub(began) != r.at || len(try.Answer) != 4<<10 {
				t.Errorf("try %d: %+v", i, try)
			}
			if i == 3 && !try.Next.IsZero() || i < 3 && !try.Next.Equal(b.tries[i+1].At) {
				t.Errorf("after try %d the next is at %v", i, try.Next)
			}
		}
		s.Send(ref(2001))
		after(time.Minute)
		if try := b.tries[4]; try.Took != 5*time.Second || try.Answer != nil {
			t.Errorf("without an answer: %+v", try)
		}
	})
}

func TestOutcomes(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(*http.Request, int) (*http.Response, error)
		want   callback.Outcome
	}{
		"success":  {func(*http.Request, int) (*http.Response, error) { return status(204) }, callback.Outcome{Attempts: 1, Code: 204}},
		"299":      {func(*http.Request, int) (*http.Response, error) { return status(299) }, callback.Outcome{Attempts: 1, Code: 299}},
		"redirect": {func(*http.Request, int) (*http.Response, error) { return status(302) }, callback.Outcome{Attempts: 4, Code: 302, Error: "HTTP 302; redirects are not followed"}},
		"late":     {func(r *http.Request, _ int) (*http.Response, error) { return hang(r) }, callback.Outcome{Attempts: 4, Error: "no response within 5 s"}},
		"recovered": {func(_ *http.Request, try int) (*http.Response, error) {
			return status(map[bool]int{true: 503, false: 200}[try < 3])
		}, callback.Outcome{Attempts: 3, Code: 200}},
		"cut off": {func(*http.Request, int) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }, callback.Outcome{Attempts: 4, Error: "the connection was closed without a response"}},
	} {
		t.Run(name, func(t *testing.T) {
			sending(t, c.answer, func(s *callback.Sender, b *book, _ *receivers) {
				s.Send(ref(1001))
				after(time.Minute)
				c.want.DeliveryRef = ref(1001)
				if got := b.outcome(1001); got != c.want {
					t.Errorf("%+v, want %+v", got, c.want)
				}
			})
		})
	}
}

func TestEarlierAttemptsAreCounted(t *testing.T) {
	ok := func(*http.Request, int) (*http.Response, error) { return status(200) }
	sending(t, ok, func(s *callback.Sender, b *book, _ *receivers) {
		b.earlier = 4
		s.Send(ref(1001))
		synctest.Wait()
		if o := b.outcome(1001); o.Attempts != 5 {
			t.Errorf("%+v", o)
		}
	})
}

func TestNothingIsSentToADeletedEndpoint(t *testing.T) {
	answer := func(r *http.Request, _ int) (*http.Response, error) {
		if r.Host == "e1.example" {
			return status(500)
		}
		return hang(r)
	}
	sending(t, answer, func(s *callback.Sender, b *book, v *receivers) {
		s.Send(ref(1001))
		for i := range int64(6) {
			s.Send(ref(2000 + i))
		}
		after(100 * time.Millisecond)
		s.CancelEndpoint(1)
		s.CancelEndpoint(2)
		b.mu.Lock()
		b.gone[1] = true
		b.gone[2] = true
		b.mu.Unlock()
		s.Send(ref(1001)) // committed at the same moment as the deletion
		after(time.Minute)
		if n := len(v.of("1001")); n != 1 {
			t.Errorf("%d tries to an endpoint that is gone", n)
		}
		if len(v.of("2000")) != 1 || len(v.of("2005")) != 0 || v.now["e2.example"] != 0 {
			t.Errorf("what was under way: %v, %v", v.got, v.now)
		}
		if o := b.outcome(2000); o.Attempts != 0 {
			t.Errorf("an outcome of a deleted endpoint: %+v", o)
		}
	})
}

func TestQueuedDeliveriesToADeletedEndpointAreDropped(t *testing.T) {
	answer := func(r *http.Request, _ int) (*http.Response, error) { return hang(r) }
	sending(t, answer, func(s *callback.Sender, _ *book, v *receivers) {
		for i := range int64(6) {
			s.Send(ref(2000 + i))
		}
		after(100 * time.Millisecond)
		s.CancelEndpoint(2)
		after(time.Minute)
		if len(v.of("2003")) != 1 || len(v.of("2004")) != 0 || len(v.of("2005")) != 0 {
			t.Errorf("sent %v", v.got)
		}
	})
}

func TestCloseWaitsForRunningAttempts(t *testing.T) {
	slow := func(*http.Request, int) (*http.Response, error) {
		time.Sleep(4 * time.Second)
		return status(500)
	}
	sending(t, slow, func(s *callback.Sender, b *book, v *receivers) {
		for i := range int64(6) {
			s.Send(ref(1000 + i))
		}
		after(time.Second)
		s.Close()
		if at := time.Since(began); at != 4*time.Second {
			t.Errorf("closed after %v", at)
		}
		s.Send(ref(1009))
		after(time.Minute)
		if len(v.got) != 4 || b.outcome(1000).Attempts != 1 || !b.outcome(1000).Again || b.outcome(1005).Attempts != 0 {
			t.Errorf("sent %v, kept %v", v.got, b.outcomes)
		}
	})
}

// Deliveries to an endpoint are loaded in batches and keep their order.
func TestDeliveriesAreLoadedInBatches(t *testing.T) {
	var order []string
	var mu sync.Mutex
	answer := func(r *http.Request, _ int) (*http.Response, error) {
		mu.Lock()
		order = append(order, r.Header.Get(api.HeaderDelivery))
		wait := time.Duration(len(order)%3) * time.Millisecond
		mu.Unlock()
		time.Sleep(wait)
		return status(200)
	}
	sending(t, answer, func(s *callback.Sender, b *book, _ *receivers) {
		b.gone[1000] = true
		b.gone[1007] = true
		b.gone[1099] = true
		for i := range int64(100) {
			s.Send(ref(1000 + i))
		}
		after(time.Minute)
		if len(order) != 97 || len(b.outcomes) != 97 || b.loads > 10 {
			t.Errorf("%d sent, %d kept, %d loads", len(order), len(b.outcomes), b.loads)
		}
		// As many attempts are running as one delivery may overtake.
		for i, id := range order {
			if at := slices.Index(slices.Sorted(slices.Values(order)), id); at < i-4 || at > i+4 {
				t.Errorf("%s was sent as number %d", id, i)
			}
		}
	})
}

func TestUnreadableDeliveriesFail(t *testing.T) {
	ok := func(*http.Request, int) (*http.Response, error) { return status(200) }
	sending(t, ok, func(s *callback.Sender, b *book, v *receivers) {
		b.unread = fmt.Errorf("%w: its secret is damaged", callback.ErrUnreadable)
		for i := range int64(40) {
			s.Send(ref(1000 + i))
		}
		after(time.Minute)
		for i := range int64(40) {
			if o := b.outcome(1000 + i); o.Error != "the service could not read the callback" || o.Again {
				t.Errorf("%d: %+v", i, o)
			}
		}
		if len(v.got) > 0 {
			t.Errorf("sent %v", v.got)
		}
	})
}

// While the database cannot be reached nothing is given up: a failed load is no attempt.
func TestLoadingIsRepeatedAfterErrors(t *testing.T) {
	failing := func(*http.Request, int) (*http.Response, error) { return status(500) }
	sending(t, failing, func(s *callback.Sender, b *book, v *receivers) {
		s.Send(ref(1000))
		synctest.Wait() // the sender waits for its second attempt
		b.mu.Lock()
		b.unread = errors.New("the database is away")
		b.mu.Unlock()
		for i := range int64(40) {
			s.Send(ref(1001 + i))
		}
		after(time.Minute)
		if n := b.loads; n > 70 {
			t.Errorf("it was asked %d times in a minute", n)
		}
		b.mu.Lock()
		b.unread = nil
		b.mu.Unlock()
		after(time.Minute)
		for i := range int64(41) {
			if o := b.outcome(1000 + i); o.Error != "HTTP 500" || o.Again || o.Attempts != 4 {
				t.Errorf("%d: %+v", i, o)
			}
		}
	})
}

func TestCloseWaitsAtMostTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &receivers{got: map[string][]request{}, now: map[string]int{}, most: map[string]int{}}
		v.answer = func(r *http.Request, _ int) (*http.Response, error) { return hang(r) }
		b := &book{outcomes: map[int64]callback.Outcome{}}
		s := newSender(callback.SenderConfig{Deliveries: b, Transport: v, Timing: callback.SenderTiming{Try: time.Minute}})
		s.Send(ref(1001))
		synctest.Wait()
		s.Close()
		if at := time.Since(began); at != 10*time.Second {
			t.Errorf("closed after %v", at)
		}
		if len(v.of("1001")) != 1 || len(b.outcomes) != 0 {
			t.Errorf("sent %v, kept %v", v.got, b.outcomes)
		}
	})
}

// Hundreds of receivers that hang delay others only slightly.
func TestHangingReceiversDoNotDelayOthers(t *testing.T) {
	answer := func(r *http.Request, _ int) (*http.Response, error) {
		if strings.HasPrefix(r.Host, "e9") {
			return hang(r)
		}
		time.Sleep(time.Millisecond)
		return status(200)
	}
	sending(t, answer, func(s *callback.Sender, b *book, v *receivers) {
		for i := range int64(100) {
			for e := range int64(100) {
				s.Send(ref(900_000 + 1000*e + i))
			}
			s.Send(ref(1000+i), ref(2000+i))
		}
		after(2 * time.Second)
		for i := range int64(100) {
			for _, id := range []int64{1000 + i, 2000 + i} {
				if o := b.outcome(id); o.Code != 200 {
					t.Fatalf("delivery %d has %+v", id, o)
				}
			}
		}
		if late := v.of("1099"); late[0].at > 1500*time.Millisecond {
			t.Errorf("the last was sent after %v", late[0].at)
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		all := 0
		for host, most := range v.most {
			all += v.now[host]
			if most > 4 {
				t.Errorf("%d tries under way to %s", most, host)
			}
		}
		if all > 1024 {
			t.Errorf("%d tries under way", all)
		}
	})
}

func TestASlowEndpointCanRecover(t *testing.T) {
	answer := func(r *http.Request, _ int) (*http.Response, error) {
		if time.Since(began) < time.Minute {
			return hang(r)
		}
		return status(200)
	}
	sending(t, answer, func(s *callback.Sender, b *book, _ *receivers) {
		s.Send(ref(1001))
		after(2 * time.Minute)
		s.Send(ref(1002), ref(1003))
		after(time.Second)
		if b.outcome(1002).Code != 200 || b.outcome(1003).Code != 200 {
			t.Errorf("%v", b.outcomes)
		}
	})
}

func TestUnsavedOutcomesAreSavedLater(t *testing.T) {
	ok := func(*http.Request, int) (*http.Response, error) { return status(200) }
	sending(t, ok, func(s *callback.Sender, b *book, v *receivers) {
		b.fail = errors.New("the disk is full")
		for i := range int64(900) {
			for e := range int64(6) {
				s.Send(ref(1000*(e+1) + i))
			}
		}
		after(10 * time.Second)
		if n := len(v.got); n < 4096 || n > 4096+128 {
			t.Errorf("%d were sent with nothing kept", n)
		}
		if len(b.outcomes) != 0 || b.writes < 9 || b.writes > 12 {
			t.Errorf("%d outcomes, %d writes", len(b.outcomes), b.writes)
		}
		b.mu.Lock()
		b.fail = nil
		b.mu.Unlock()
		after(2 * time.Second)
		if len(b.outcomes) != 5400 {
			t.Errorf("%d outcomes in the end", len(b.outcomes))
		}
	})
}

func TestAdvancingTheClockMakesRetriesDue(t *testing.T) {
	fail := func(*http.Request, int) (*http.Response, error) { return status(500) }
	sending(t, fail, func(s *callback.Sender, _ *book, v *receivers) {
		s.Send(ref(1001), ref(1002))
		after(time.Second) // each has made a second attempt; the third is due in 2 s or more
		s.Advance(100 * time.Millisecond)
		after(time.Millisecond)
		if n := len(v.of("1001")); n != 2 {
			t.Errorf("%d tries after a short jump", n)
		}
		s.Advance(time.Hour)
		synctest.Wait()
		for _, id := range []string{"1001", "1002"} {
			if n := len(v.of(id)); n != 3 {
				t.Errorf("%d tries of %s after an hour's jump", n, id)
			}
		}
		s.CancelEndpoint(1)
		s.Advance(time.Hour) // nothing is waiting
		after(time.Minute)
		if n := len(v.of("1001")); n != 3 {
			t.Errorf("%d tries to an endpoint that is gone", n)
		}
	})
}

// An attempt that was due before a jump of the service's clock has a time before the
// jump.
func TestAttemptTimesDoNotJumpWithTheClock(t *testing.T) {
	fail := func(r *http.Request, _ int) (*http.Response, error) {
		time.Sleep(100 * time.Millisecond) // of the fake clock
		return status(500)
	}
	synctest.Test(t, func(*testing.T) {
		var ahead atomic.Int64
		b := &book{gone: map[int64]bool{}, outcomes: map[int64]callback.Outcome{}}
		s := newSender(callback.SenderConfig{
			Deliveries: b, Transport: &receivers{answer: fail, got: map[string][]request{}, now: map[string]int{}, most: map[string]int{}},
			Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) },
		})
		defer s.Close()
		jump := func() {
			ahead.Add(int64(time.Hour))
			s.Advance(time.Hour)
		}
		s.Send(ref(1001))
		jump() // before any attempt
		after(200 * time.Millisecond)
		jump() // while the second attempt waits
		after(time.Minute)
		if len(b.tries) != 4 {
			t.Fatalf("%d tries", len(b.tries))
		}
		first := b.tries[0]
		second := b.tries[1]
		third := b.tries[2]
		if !first.At.Equal(began) || first.Headers.Get(api.HeaderTimestamp) != "2000-01-01T00:00:00.000Z" {
			t.Errorf("the first try was at %v, with %v", first.At, first.Headers)
		}
		if !second.At.Equal(first.Next) || second.At.Sub(began) > time.Hour+time.Second {
			t.Errorf("the second try was at %v, and due at %v", second.At, first.Next)
		}
		if !third.At.Equal(second.Next) || third.At.Sub(began) < 2*time.Hour {
			t.Errorf("the third try was at %v, and due at %v", third.At, second.Next)
		}
		for i, try := range b.tries {
			if try.Took != 100*time.Millisecond {
				t.Errorf("try %d took %v", i+1, try.Took)
			}
		}
	})
}

func TestAnEndpointThatKeepsFailingRests(t *testing.T) {
	var well atomic.Bool
	answer := func(r *http.Request, _ int) (*http.Response, error) {
		if r.Host == "e1.example" && !well.Load() {
			return status(500)
		}
		return status(200)
	}
	sending(t, answer, func(s *callback.Sender, b *book, v *receivers) {
		for i := range int64(300) {
			s.Send(ref(1000+i), ref(2000+i))
		}
		synctest.Wait()
		if len(v.of("2299")) != 1 {
			t.Error("another endpoint waits")
		}
		after(400 * time.Millisecond) // before the first attempt
		v.mu.Lock()
		tried := 0
		for id := range v.got {
			if id < "2" {
				tried++
			}
		}
		v.mu.Unlock()
		if tried < 60 || tried > 80 {
			t.Errorf("%d tries in 400 ms", tried)
		}
		well.Store(true)
		after(100 * time.Millisecond)
		if o := b.outcome(1299); o.Error != "" || o.Attempts != 1 {
			t.Errorf("once it answers: %+v", o)
		}
		after(time.Minute)
		for i := range int64(300) {
			if o := b.outcome(1000 + i); o.Error != "" || o.Attempts < 1 || o.Attempts > 2 {
				t.Fatalf("in the end: %+v", o)
			}
		}
	})
}

// wrongs injects three faults: one delivery is lost, one is sent twice, one is late.
type wrongs struct{ held atomic.Bool }

func (w *wrongs) Hold() time.Duration {
	if w.held.CompareAndSwap(false, true) {
		return 3 * time.Second
	}
	return 0
}
func (w *wrongs) Drop(id string) bool   { return id == "1002" }
func (w *wrongs) Repeat(id string) bool { return id == "1003" || id == "1004" }

func TestInjectedFaults(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		b := &book{gone: map[int64]bool{}, outcomes: map[int64]callback.Outcome{}}
		v := &receivers{got: map[string][]request{}, now: map[string]int{}, most: map[string]int{}}
		v.answer = func(r *http.Request, _ int) (*http.Response, error) {
			if r.Header.Get(api.HeaderDelivery) == "1004" {
				return nil, io.EOF
			}
			return status(200)
		}
		s := newSender(callback.SenderConfig{Deliveries: b, Transport: v, Faults: &wrongs{}})
		defer s.Close()
		s.Send(ref(1001), ref(1002), ref(1003), ref(1004))
		after(2999 * time.Millisecond)
		if late := v.of("1001"); len(late) != 0 || b.outcome(1003).Code != 200 {
			t.Errorf("what is held was sent as %+v", late)
		}
		after(time.Minute)
		if late := v.of("1001"); len(late) != 1 || late[0].at != 3*time.Second || b.outcome(1001).Attempts != 1 {
			t.Errorf("what was held was sent as %+v, kept as %+v", late, b.outcome(1001))
		}
		if o := b.outcome(1002); len(v.of("1002")) != 0 || o.Attempts != 4 || o.Error != "dropped by an injected fault" {
			t.Errorf("what is lost was sent as %+v, kept as %+v", v.of("1002"), o)
		}
		if twice := v.of("1003"); len(twice) != 2 || twice[0].body != twice[1].body || twice[0].at != twice[1].at || b.outcome(1003).Attempts != 1 {
			t.Errorf("what comes twice was sent as %+v, kept as %+v", twice, b.outcome(1003))
		}
		if n := len(v.of("1004")); n != 4 {
			t.Errorf("what has no answer was sent %d times", n)
		}
	})
}

// letterBook has messages that are not sent over HTTP.
type letterBook struct {
	*book
	post func(context.Context) error
}

func (b *letterBook) Load(_ context.Context, ids []int64) ([]callback.Message, error) {
	return []callback.Message{{Delivery: ids[0], ID: "letter", Post: b.post}}, nil
}

func TestMessagesCanBeSentInOtherWays(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		tries := 0
		b := &letterBook{book: &book{outcomes: map[int64]callback.Outcome{}}}
		b.post = func(context.Context) error {
			tries++
			if tries == 1 {
				return errors.New("the mail server is busy")
			}
			return nil
		}
		s := newSender(callback.SenderConfig{Deliveries: b})
		defer s.Close()
		s.Send(ref(1001))
		synctest.Wait()
		if o := b.outcome(1001); o.Error != "the mail server is busy" || !o.Again || o.Code != 0 {
			t.Errorf("at first %+v", o)
		}
		after(time.Minute)
		if o := b.outcome(1001); o.Error != "" || o.Again || o.Attempts != 2 || tries != 2 {
			t.Errorf("in the end %+v after %d tries", o, tries)
		}
	})
}
