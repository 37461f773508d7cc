package server_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/domain"
)

func TestClockIsAdvanced(t *testing.T) {
	b := newBench(t)
	o := desks(t, b.s)
	ctx := context.Background()
	started := b.clock.now().Truncate(time.Millisecond)
	c, err := o.World.Clock(ctx)
	if err != nil || !c.Now.Equal(started) || c.Ahead.Duration != 0 || !c.Adjustable {
		t.Fatalf("%+v, %v", c, err)
	}
	c, err = o.World.AdvanceClock(ctx, 36*time.Hour)
	if err != nil || !c.Now.Equal(started.Add(36*time.Hour)) || c.Ahead.Duration != 36*time.Hour {
		t.Errorf("%+v, %v", c, err)
	}
	at := time.Date(2026, 4, 1, 12, 0, 0, 0, time.FixedZone("", 7200))
	c, err = o.World.SetClock(ctx, at)
	if err != nil || !c.Now.Equal(at) {
		t.Errorf("%+v, %v", c, err)
	}
	b.clock.advance(time.Minute) // the clock continues
	r := b.ops("GET", "/clock", nil)
	if c := into[ops.ServiceClock](t, r); !c.Now.Equal(at.Add(time.Minute)) || r.header.Get("Date") != "Wed, 01 Apr 2026 10:01:00 GMT" {
		t.Errorf("%s at %s", r.raw, r.header.Get("Date"))
	}
	if placed := b.place(b.alice); !placed.CreatedAt.Equal(at.Add(time.Minute)) {
		t.Errorf("an order of %v", placed.CreatedAt)
	}
	_, err = o.World.SetClock(ctx, at)
	if !api.IsStatus(err, 409) || !strings.Contains(err.Error(), "2026-04-01T10:01:00Z") {
		t.Errorf("back: %v", err)
	}
}

func TestClockInputs(t *testing.T) {
	b := newBench(t)
	for body, field := range map[string]string{
		`{}`: "body", `{"advance":"1h","at":"2027-01-01T00:00:00Z"}`: "body", `{"advance":"0s"}`: "advance", `{"advance":"-1h"}`: "advance",
		`{"advance":"soon"}`: "advance", `{"advance":36}`: "advance", `{"advance":"40000d"}`: "advance", `{"at":"tomorrow"}`: "at",
		`{"at":"2526-01-01T00:00:00Z"}`: "at", `{"advance":null}`: "body", `{"by":"1h"}`: "by",
	} {
		r := b.ops("POST", "/clock", body)
		wantFault(t, body, r, 400, api.CodeValidationFailed)
		if !slices.Contains(r.fields(), field) {
			t.Errorf("%s: faults at %v", body, r.fields())
		}
	}
	if r := b.ops("POST", "/clock", `{"advance":"36000d"}`); r.status != 200 {
		t.Errorf("%d %s", r.status, r.raw)
	}
	wantFault(t, "over 100 years in all", b.ops("POST", "/clock", `{"advance":"36000d"}`), 400, api.CodeValidationFailed)
	wantFault(t, "no body", b.ops("POST", "/clock", ""), 400, api.CodeMalformedBody)
}

func TestLinksAndKeysExpireAtTheirSecond(t *testing.T) {
	b := newBench(t)
	p, files := b.delivered(content{"a.jpg", "jpg", "aa"})
	short := b.issue(p.account, domain.KeySpec{Scopes: api.Scopes(), Expires: b.clock.now().Add(30 * time.Hour)})
	if r := b.fetch("GET", files[0].DownloadURL); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	advance := func(by string) {
		t.Helper()
		if r := b.ops("POST", "/clock", `{"advance":"`+by+`"}`); r.status != 200 {
			t.Fatalf("%d %s", r.status, r.raw)
		}
	}
	advance("23h59m59s")
	if r := b.fetch("GET", files[0].DownloadURL); r.status != 200 {
		t.Errorf("a second before its end: %d %s", r.status, r.raw)
	}
	advance("1s")
	wantFault(t, "a link of yesterday", b.fetch("GET", files[0].DownloadURL), 403, api.CodeLinkExpired)
	if r := b.fetch("GET", b.filesOf(p)[0].DownloadURL); r.status != 200 {
		t.Errorf("a fresh link: %d %s", r.status, r.raw)
	}
	if r := b.call("GET", publicHandlers+"/orders", short.key, nil); r.status != 200 {
		t.Errorf("a key before its end: %d %s", r.status, r.raw)
	}
	advance("6h")
	wantFault(t, "a key after its end", b.call("GET", publicHandlers+"/orders", short.key, nil), 401, api.CodeKeyExpired)
}

func TestIdempotencyKeysExpireByTheServiceClock(t *testing.T) {
	b := newBench(t)
	place := func() string {
		t.Helper()
		return into[api.Order](t, b.call("POST", publicHandlers+"/orders", b.alice, survey(), "Idempotency-Key", "k")).OrderCode
	}
	first := place()
	if again := place(); again != first {
		t.Errorf("%s, then %s", first, again)
	}
	if r := b.ops("POST", "/clock", `{"advance":"1d1s"}`); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	if later := place(); later == first {
		t.Error("the key is known after a day")
	}
}

func TestClockIsRestoredAfterARestart(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	at := newClock(time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC))
	first := &server.Server{Dir: dir, Demo: true, Now: at.now}
	if err := first.Start(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := desks(t, first).World.AdvanceClock(ctx, 72*time.Hour+time.Nanosecond); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	at.advance(time.Hour)
	second := &server.Server{Dir: dir, Now: at.now} // without the demo, so the data is as old
	if err := second.Start(ctx); err != nil {
		t.Fatal(err)
	}
	c, err := desks(t, second).World.Clock(ctx)
	if err != nil || c.Adjustable || !c.Now.Equal(at.now().Add(72*time.Hour+time.Millisecond)) {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := desks(t, second).World.AdvanceClock(ctx, time.Hour); !api.IsStatus(err, http.StatusConflict) {
		t.Errorf("without the demo: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}

func TestConcurrentClockAdvancesAddUp(t *testing.T) {
	b := newBench(t)
	o := desks(t, b.s)
	ctx := context.Background()
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			if _, err := o.World.AdvanceClock(ctx, time.Hour); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if c, err := o.World.Clock(ctx); err != nil || c.Ahead.Duration != 40*time.Hour {
		t.Errorf("%+v, %v", c, err)
	}
}

// Each start of a data folder has the keys of the previous start, and no others.
func TestKeysRemainValidAfterRestarts(t *testing.T) {
	dir := t.TempDir()
	ctx := t.Context()
	var before *server.Server
	var kept int
	for range 3 {
		s := &server.Server{Dir: dir, Demo: true}
		if err := s.Start(ctx); err != nil {
			t.Fatal(err)
		}
		account := s.Accounts()[0]
		keys, err := desks(t, s).Keys.List(ctx, account.UUID, api.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if before != nil && (s.OpsKey != before.OpsKey || account.Key != before.Accounts()[0].Key || len(keys.Items) != kept) {
			t.Errorf("after a restart the keys are %s and %s of %d", s.OpsKey, account.Key, len(keys.Items))
		}
		before = s
		kept = len(keys.Items)
	}
}
