package api_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

const (
	hookSecret = "whsec_ with spaces, and ü"
	hookBody   = `{"id":"d1","event":"mission.completed","timestamp":"2026-03-14T12:00:00.5Z","data":{"mission":` +
		`{"uuid":"m","missionCode":"MSN-1","status":"completed","orderUid":"o","orderCode":"ORD-1"}}}`
)

// The last two vectors are from RFC 4231.
func TestSignatureVectors(t *testing.T) {
	for _, c := range []struct{ secret, body, want string }{
		{"key", "The quick brown fox jumps over the lazy dog", "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8"},
		{"Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
		{strings.Repeat("\x0b", 20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
	} {
		if got := api.Sign(c.secret, []byte(c.body)); got != "sha256="+c.want {
			t.Errorf("%q is signed %s", c.body, got)
		}
		if err := api.VerifySignature(c.secret, "sha256="+c.want, []byte(c.body)); err != nil {
			t.Error(err)
		}
	}
}

func TestInvalidSignaturesAreRejected(t *testing.T) {
	body := []byte(hookBody)
	good := api.Sign(hookSecret, body)
	digits := strings.TrimPrefix(good, "sha256=")
	bad := []string{
		"", "sha256=", digits, "sha1=" + digits, "SHA256=" + digits, "sha256=" + strings.ToUpper(digits), " " + good, good + " ",
		good + "\n", good + "00", good[:len(good)-1], good[:len(good)-2], "sha256=" + strings.Repeat("g", 64), good + "," + good,
		api.Sign(hookSecret+" ", body), api.Sign(strings.TrimPrefix(hookSecret, "whsec_"), body), api.Sign("", body),
	}
	mac, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	for i := range mac {
		mac[i] ^= 1
		bad = append(bad, "sha256="+hex.EncodeToString(mac))
		mac[i] ^= 1
	}
	for _, s := range bad {
		if err := api.VerifySignature(hookSecret, s, body); !errors.Is(err, api.ErrSignature) {
			t.Errorf("%q is taken: %v", s, err)
		}
	}
	for i := range body {
		body[i] ^= 0x20
		if api.VerifySignature(hookSecret, good, body) == nil {
			t.Errorf("byte %d may differ", i)
		}
		body[i] ^= 0x20
	}
	if api.VerifySignature(hookSecret, good, append(body, '\n')) == nil {
		t.Error("a line break may follow")
	}
	if api.VerifySignature("", api.Sign("", body), body) == nil {
		t.Error("an empty secret verifies")
	}
}

// inbox is a receiver that records the events it handled and the reasons for rejections.
type inbox struct {
	api.Receiver
	mu      sync.Mutex
	events  []*api.Event
	refused []error
	fail    error
}

func newInbox(at time.Time) *inbox {
	in := &inbox{}
	in.Receiver = api.Receiver{
		Secret: hookSecret, Now: func() time.Time { return at },
		Handle: func(_ context.Context, e *api.Event) error {
			in.mu.Lock()
			defer in.mu.Unlock()
			in.events = append(in.events, e)
			return in.fail
		},
		Refused: func(err error) { in.refused = append(in.refused, err) },
	}
	return in
}

func callbackOf(t testing.TB, secret, body string) *http.Request {
	t.Helper()
	r, err := api.NewCallback(context.Background(), "https://a.example/hook", secret, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (in *inbox) take(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	in.ServeHTTP(w, r)
	return w
}

func TestARejectedCallbackHasNoEvent(t *testing.T) {
	in := newInbox(noon)
	for name, value := range map[string]string{
		api.HeaderSignature: "sha256=",
		api.HeaderDelivery:  "another",
		api.HeaderTimestamp: "2020-01-01T00:00:00Z",
	} {
		h := callbackOf(t, hookSecret, hookBody).Header
		h.Set(name, value)
		if e, err := in.VerifyCallback(h, []byte(hookBody)); e != nil || err == nil {
			t.Errorf("%s %q: %+v, %v", name, value, e, err)
		}
	}
}

func TestReceiverHandlesEachEventOnce(t *testing.T) {
	in := newInbox(noon)
	for range 3 {
		if w := in.take(callbackOf(t, hookSecret, hookBody)); w.Code != 204 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if w := in.take(callbackOf(t, hookSecret, strings.Replace(hookBody, "d1", "d2", 1))); w.Code != 204 {
		t.Errorf("another: %d", w.Code)
	}
	if len(in.events) != 2 || in.events[0].Data.Mission.MissionCode != "MSN-1" || in.events[1].ID != "d2" || len(in.refused) != 0 {
		t.Errorf("handed over %+v, refused %v", in.events, in.refused)
	}
}

func TestReceiverHandlesAnEventAgainAfterAnError(t *testing.T) {
	in := newInbox(noon)
	in.fail = errors.New("no room")
	if w := in.take(callbackOf(t, hookSecret, hookBody)); w.Code != 500 || strings.Contains(w.Body.String(), "room") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	in.fail = nil
	if w := in.take(callbackOf(t, hookSecret, hookBody)); w.Code != 204 || len(in.events) != 2 {
		t.Errorf("%d, %v", w.Code, in.events)
	}
	if len(in.refused) != 1 || !errors.Is(in.refused[0], errors.Unwrap(in.refused[0])) {
		t.Errorf("told %v", in.refused)
	}

	in.Handle = func(context.Context, *api.Event) error { panic("a bug") }
	body := strings.Replace(hookBody, "d1", "d3", 1)
	func() {
		defer func() { _ = recover() }()
		in.take(callbackOf(t, hookSecret, body))
	}()
	in.Handle = func(context.Context, *api.Event) error { return nil }
	if w := in.take(callbackOf(t, hookSecret, body)); w.Code != 204 {
		t.Errorf("after a panic: %d", w.Code)
	}
}

func TestReceiverPostponesAnEventThatIsBeingHandled(t *testing.T) {
	in := newInbox(noon)
	started, finish := make(chan bool), make(chan bool)
	in.Handle = func(context.Context, *api.Event) error {
		started <- true
		<-finish
		return nil
	}
	first := make(chan int)
	go func() { first <- in.take(callbackOf(t, hookSecret, hookBody)).Code }()
	<-started
	if w := in.take(callbackOf(t, hookSecret, hookBody)); w.Code != 503 || w.Header().Get("Retry-After") == "" {
		t.Errorf("meanwhile: %d", w.Code)
	}
	close(finish)
	if code := <-first; code != 204 {
		t.Errorf("the first: %d", code)
	}
}

func TestInvalidCallbacksAreRejected(t *testing.T) {
	with := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	body := func(s string) func(*http.Request) {
		return func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader(s))
			r.Header.Set(api.HeaderSignature, api.Sign(hookSecret, []byte(s)))
		}
	}
	for name, c := range map[string]struct {
		spoil func(*http.Request)
		code  int
		why   error
	}{
		"a GET":               {func(r *http.Request) { r.Method = http.MethodGet }, 405, api.ErrCallback},
		"no signature":        {func(r *http.Request) { r.Header.Del(api.HeaderSignature) }, 401, api.ErrSignature},
		"another body":        {func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(hookBody + " ")) }, 401, api.ErrSignature},
		"another id":          {with(api.HeaderDelivery, "d2"), 400, api.ErrCallback},
		"another event":       {with(api.HeaderEvent, "mission.data_delivered"), 400, api.ErrCallback},
		"no time of sending":  {with(api.HeaderTimestamp, ""), 401, api.ErrTimestamp},
		"an old sending":      {with(api.HeaderTimestamp, "2026-03-14T11:54:59Z"), 401, api.ErrTimestamp},
		"a future sending":    {with(api.HeaderTimestamp, "2026-03-14T12:05:01Z"), 401, api.ErrTimestamp},
		"no JSON":             {body("hello"), 400, api.ErrCallback},
		"null":                {body("null"), 400, api.ErrCallback},
		"a list":              {body("[]"), 400, api.ErrCallback},
		"an empty object":     {body("{}"), 400, api.ErrCallback},
		"something after":     {body(hookBody + "{}"), 400, api.ErrCallback},
		"no time in the body": {body(`{"id":"d1","event":"mission.completed"}`), 401, api.ErrTimestamp},
		"an old body":         {body(strings.Replace(hookBody, "T12:00:00.5Z", "T11:54:59Z", 1)), 401, api.ErrTimestamp},
		"a future body":       {body(strings.Replace(hookBody, "T12:00:00.5Z", "T14:05:01+02:00", 1)), 401, api.ErrTimestamp},
		"a large body":        {body(hookBody + strings.Repeat(" ", 1<<20)), 413, api.ErrCallback},
		"a body that breaks":  {func(r *http.Request) { r.Body = io.NopCloser(io.MultiReader(strings.NewReader("{"), broken{})) }, 400, api.ErrCallback},
	} {
		in := newInbox(noon)
		r := callbackOf(t, hookSecret, hookBody)
		c.spoil(r)
		w := in.take(r)
		if w.Code != c.code || len(in.events) != 0 || len(in.refused) != 1 || !errors.Is(in.refused[0], c.why) {
			t.Errorf("%s: %d, handed over %v, refused %v", name, w.Code, in.events, in.refused)
		}
		if w.Code == 405 && w.Header().Get("Allow") != "POST" {
			t.Errorf("%s: %v", name, w.Header())
		}
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestToleranceAppliesToPastAndFuture(t *testing.T) {
	for _, c := range []struct {
		off  time.Duration
		code int
	}{{-time.Minute, 204}, {time.Minute, 204}, {-61 * time.Second, 401}, {61 * time.Second, 401}} {
		in := newInbox(noon.Add(500*time.Millisecond + c.off))
		in.Tolerance = time.Minute
		if w := in.take(callbackOf(t, hookSecret, hookBody)); w.Code != c.code {
			t.Errorf("%v away: %d", c.off, w.Code)
		}
	}
}

func TestEventsAreRememberedForADay(t *testing.T) {
	var m api.SeenInMemory
	ctx := context.Background()
	for i := range 1000 {
		id := fmt.Sprint(i)
		if s, err := m.Begin(ctx, id, noon); s != api.SeenNew || err != nil {
			t.Fatal(s, err)
		}
		if err := m.End(ctx, id, true); err != nil {
			t.Fatal(err)
		}
	}
	if s, _ := m.Begin(ctx, "7", noon.Add(24*time.Hour)); s != api.SeenHandled {
		t.Errorf("after a day: %v", s)
	}
	if s, _ := m.Begin(ctx, "7", noon.Add(24*time.Hour+1)); s != api.SeenNew {
		t.Errorf("after more than a day: %v", s)
	}
	if s, _ := m.Begin(ctx, "8", noon.Add(24*time.Hour+2)); s != api.SeenNew {
		t.Errorf("another after more than a day: %v", s)
	}
	if err := m.End(ctx, "9", true); err != nil { // begun, then expired
		t.Error(err)
	}
}

func TestEventsAreReadLeniently(t *testing.T) {
	e, err := api.DecodeEvent([]byte(`{"id":7,"event":"order.painted","timestamp":"soon","more":[1],"data":{"mission":"none","x":1}}`))
	if err != nil || e.ID != "7" || e.Event != "order.painted" || e.Timestamp.Raw != "soon" || len(e.Extra) != 1 || len(e.Data.Extra) != 1 {
		t.Errorf("%+v, %v", e, err)
	}
	e, err = api.DecodeEvent([]byte(`{"id":"1","event":"e","data":[],"timestamp":null}`))
	if err != nil || e.Data.Mission.UUID != "" {
		t.Errorf("%+v, %v", e, err)
	}
}

func FuzzDecodeEvent(f *testing.F) {
	for _, s := range []string{hookBody, "{}", "null", `{"id":"1","event":"e","data":{"mission":{"status":null}}}`, `{"id":1e9,"event":[]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		e, err := api.DecodeEvent(body)
		if err != nil {
			if !errors.Is(err, api.ErrCallback) {
				t.Errorf("refused with %v", err)
			}
			return
		}
		if e.ID == "" || e.Event == "" {
			t.Errorf("taken %+v", e)
		}
	})
}

// Whatever is sent, the receiver only handles signed events.
func FuzzVerify(f *testing.F) {
	f.Add([]byte(hookBody), api.Sign(hookSecret, []byte(hookBody)), "d1", "mission.completed", "2026-03-14T12:00:00Z")
	f.Add([]byte("{}"), "sha256=", "", "", "")
	f.Fuzz(func(t *testing.T, body []byte, signature, id, event, at string) {
		in := newInbox(noon)
		h := http.Header{
			api.HeaderSignature: {signature}, api.HeaderDelivery: {id}, api.HeaderEvent: {event}, api.HeaderTimestamp: {at},
		}
		if _, err := in.VerifyCallback(h, body); err == nil && signature != api.Sign(hookSecret, body) {
			t.Errorf("%q is taken with %q", body, signature)
		}
		h.Set(api.HeaderSignature, api.Sign(hookSecret, body))
		e, err := in.VerifyCallback(h, body)
		known := errors.Is(err, api.ErrCallback) || errors.Is(err, api.ErrTimestamp)
		if err != nil && !known || err == nil && (e.ID != id || string(e.Event) != event) {
			t.Errorf("%+v, %v", e, err)
		}
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
		r.Header = h
		if w := in.take(r); (w.Code == 204) != (err == nil) {
			t.Errorf("%d after %v", w.Code, err)
		}
	})
}
