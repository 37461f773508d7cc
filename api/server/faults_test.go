package server_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
)

// faulty is a bench with reproducible faults, which records the injected delays instead of waiting.
func faulty(t *testing.T) (b *bench, waits *[]time.Duration) {
	t.Helper()
	s := &server.Server{}
	waits = &[]time.Duration{}
	server.SetFaultChance(s, rand.New(rand.NewPCG(1, 2)).Float64, func(_ context.Context, d time.Duration) { *waits = append(*waits, d) })
	return newBenchOn(t, s), waits
}

func (b *bench) setFaults(body string) {
	b.t.Helper()
	if r := b.ops("PUT", "/faults", body); r.status != 200 {
		b.t.Fatalf("%s: %d %s", body, r.status, r.raw)
	}
}

func TestFaultsAreOffUntilAskedFor(t *testing.T) {
	b, waits := faulty(t)
	if f := into[ops.Faults](t, b.ops("GET", "/faults", nil)); f.Rate != 0 || f.Status != 0 || f.Injected != 0 {
		t.Errorf("%+v", f)
	}
	b.place(b.alice)
	b.setFaults(`{"status":503}`)
	r := b.call("GET", publicHandlers+"/orders", b.alice, nil)
	wantFault(t, "a fault", r, 503, api.CodeInternal)
	if r.header.Get("Retry-After") != "1" || r.fault.RequestID == "" {
		t.Errorf("%v %s", r.header, r.raw)
	}
	wantFault(t, "placing an order", b.call("POST", publicHandlers+"/orders", b.alice, survey()), 503, api.CodeInternal)
	wantFault(t, "without a key", b.call("GET", publicHandlers+"/orders", "", nil), 503, api.CodeInternal)
	if f := into[ops.Faults](t, b.ops("GET", "/faults", nil)); f.Status != 503 || f.Rate != 1 || f.Injected != 3 {
		t.Errorf("%+v", f)
	}
	b.setFaults(`{}`)
	if page := into[api.Page[api.Order]](t, b.call("GET", publicHandlers+"/orders", b.alice, nil)); len(page.Items) != 1 {
		t.Errorf("%d orders: a request that went wrong was carried out", len(page.Items))
	}
	if len(*waits) > 0 {
		t.Errorf("waited %v", *waits)
	}
}

func TestFaultsWithARateAndAPath(t *testing.T) {
	b, waits := faulty(t)
	b.setFaults(`{"latency":"250ms","rate":0.25,"path":"/orders"}`)
	for range 200 {
		if r := b.call("GET", publicHandlers+"/orders?limit=1", b.alice, nil); r.status != 200 {
			t.Fatalf("%d %s", r.status, r.raw)
		}
	}
	if n := len(*waits); n < 35 || n > 65 || slices.Max(*waits) != 250*time.Millisecond {
		t.Errorf("%d of 200 requests waited: %v", n, *waits)
	}
	n := len(*waits)
	b.setFaults(`{"status":500,"latency":"2s","path":"` + publicHandlers + `/webhooks"}`)
	wantFault(t, "a whole path", b.call("GET", publicHandlers+"/webhooks", b.alice, nil), 500, api.CodeInternal)
	if len(*waits) != n+1 || (*waits)[n] != 2*time.Second {
		t.Errorf("waited %v", (*waits)[n:])
	}
	for _, path := range []string{publicHandlers + "/orders", opsPath + "/accounts", "/healthz"} {
		if r := b.call("GET", path, map[bool]string{true: b.s.OpsKey, false: b.alice}[path == opsPath+"/accounts"], nil); r.status != 200 {
			t.Errorf("%s: %d %s", path, r.status, r.raw)
		}
	}
	b.setFaults(`{"status":500,"rate":0}`)
	if r := b.call("GET", publicHandlers+"/orders", b.alice, nil); r.status != 200 {
		t.Errorf("a share of 0: %d", r.status)
	}
}

func TestFaultsDoNotAffectOperationsAndLinks(t *testing.T) {
	b, _ := faulty(t)
	_, files := b.delivered(content{"a.jpg", "jpg", "aa"})
	b.setFaults(`{"status":500}`)
	if r := b.fetch("GET", files[0].DownloadURL); r.status != 200 {
		t.Errorf("a link: %d", r.status)
	}
	if r := b.ops("GET", "/orders", nil); r.status != 200 {
		t.Errorf("the desk: %d", r.status)
	}
}

func TestFaultStatuses(t *testing.T) {
	s := start(t, &server.Server{})
	c := client(t, s)
	o := desks(t, s)
	ctx := context.Background()
	for status, code := range map[int]api.ErrorCode{
		400: api.CodeValidationFailed, 401: api.CodeUnauthenticated, 403: api.CodeNotYourResource, 404: api.CodeNotFound,
		409: api.CodeConflict, 413: api.CodeTooLarge, 418: api.CodeInternal, 500: api.CodeInternal, 502: api.CodeInternal, 599: api.CodeInternal,
	} {
		if f, err := o.World.SetFaults(ctx, ops.FaultsInput{Status: status}); err != nil || f.Status != status || f.Rate != 1 {
			t.Fatalf("%+v, %v", f, err)
		}
		_, err := c.Orders.Cancel(ctx, "x")
		var fault *api.Error
		if !api.IsStatus(err, status) || !errors.As(err, &fault) || fault.Code != code || fault.Foreign {
			t.Errorf("%d: %v", status, err)
		}
	}
	none := 0.0
	if f, err := o.World.SetFaults(ctx, ops.FaultsInput{Latency: api.Duration{Duration: time.Second}, Rate: &none, Path: "/orders"}); err != nil ||
		f.Latency.Duration != 0 || f.Rate != 0 || f.Path != "" || f.Status != 0 {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := o.World.SetFaults(ctx, ops.FaultsInput{}); err != nil {
		t.Fatal(err)
	}
	if f, err := o.World.Faults(ctx); err != nil || f.Latency.Duration != 0 || f.Rate != 0 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestInvalidFaultSettings(t *testing.T) {
	b, _ := faulty(t)
	for body, field := range map[string]string{
		`{"status":399}`: "status", `{"status":600}`: "status", `{"status":500.5}`: "status", `{"status":"500"}`: "status",
		`{"status":500,"rate":1.01}`: "rate", `{"status":500,"rate":-1}`: "rate", `{"latency":"31s"}`: "latency", `{"latency":"0s"}`: "latency",
		`{"latency":5}`: "latency", `{"status":500,"path":"orders"}`: "path", `{"callbacks":"lose"}`: "callbacks",
		`{"callbacks":"drop","status":500}`: "body", `{"callbacks":"drop","path":"/orders"}`: "body", `{"rate":0.5}`: "body", `{"path":"/orders"}`: "body", `{"delay":"1s"}`: "delay",
	} {
		r := b.ops("PUT", "/faults", body)
		wantFault(t, body, r, 400, api.CodeValidationFailed)
		if !slices.Equal(r.fields(), []string{field}) {
			t.Errorf("%s: faults at %v", body, r.fields())
		}
	}
	b.place(b.alice) // nothing was changed
}

func TestStopEndsInjectedDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server.Server{}
		if err := s.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
		c := client(t, s)
		o := desks(t, s)
		ctx := context.Background()
		if _, err := o.World.SetFaults(ctx, ops.FaultsInput{Latency: api.Duration{Duration: 10 * time.Second}}); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := c.Orders.List(ctx, api.ListOptions{}); err != nil || time.Since(began) != 10*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		began = time.Now()
		done := make(chan struct{})
		go func() {
			defer close(done)
			// The request may find the service stopped, so that a client would retry.
			s.Handler().ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, publicHandlers+"/orders", nil))
		}()
		synctest.Wait()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		<-done
		if waited := time.Since(began); waited >= time.Second {
			t.Errorf("waited %v at the stop", waited)
		}
	})
}

func TestAnInjectedFaultIsRetried(t *testing.T) {
	s := &server.Server{}
	left := 1
	server.SetFaultChance(s, func() float64 { left--; return float64(-left) }, nil) // the first request only
	start(t, s)
	c := client(t, s)
	o := desks(t, s)
	ctx := context.Background()
	most := 0.5
	if _, err := o.World.SetFaults(ctx, ops.FaultsInput{Status: http.StatusBadGateway, Rate: &most}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Orders.List(ctx, api.ListOptions{}); err != nil {
		t.Errorf("a read after one fault: %v", err)
	}
	if f, err := o.World.Faults(ctx); err != nil || f.Injected != 1 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestCallbackFaultsDropAndDuplicate(t *testing.T) {
	v := newReceiver(t)
	b := newCallbackBench(t, v, quick)
	w := b.register(b.alice, v.URL)
	b.setFaults(`{"callbacks":"drop"}`)
	lost := b.sendTest(w.UUID, api.EventFlightScheduled)
	if row := b.settled(w.UUID); row.Success || *row.ResponseCode != 0 || *row.Attempts != 4 || *row.Error != "dropped by an injected fault" {
		t.Errorf("dropped: %+v", row)
	}
	if f := into[ops.Faults](t, b.ops("GET", "/faults", nil)); f.Callbacks != ops.CallbackDrop || f.Injected != 4 {
		t.Errorf("%+v", f)
	}
	if r := b.call("GET", publicHandlers+"/orders", b.alice, nil); r.status != 200 {
		t.Errorf("a request was disturbed: %d", r.status)
	}
	b.setFaults(`{"callbacks":"duplicate"}`)
	if r := b.ops("POST", "/deliveries/"+lost.UUID+"/resend", nil); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	for range 2 {
		if r := <-v.got; r.Header.Get(api.HeaderDelivery) != lost.UUID || api.VerifySignature(w.Secret, r.Header.Get(api.HeaderSignature), bodyOf(r)) != nil {
			t.Errorf("%v", r.Header)
		}
		v.answer <- 200
	}
	if row := b.settled(w.UUID); !row.Success || *row.Attempts != 5 {
		t.Errorf("twice: %+v", row)
	}
	b.setFaults(`{"callbacks":"delay","latency":"10ms"}`)
	b.sendTest(w.UUID, api.EventFlightScheduled)
	<-v.got
	v.answer <- 200
	if f := into[ops.Faults](t, b.ops("GET", "/faults", nil)); f.Injected != 1 || f.Latency.Duration != 10*time.Millisecond {
		t.Errorf("%+v", f)
	}
}

func TestCallbackFaultReorder(t *testing.T) {
	v := newReceiver(t)
	s := &server.Server{WebhookAllow: loopback, WebhookCA: v.pem()}
	server.SetTiming(s, quick)
	chances := make(chan float64, 4)
	for _, f := range []float64{0, 0.6, 0, 0} { // the first of two waits for three seconds
		chances <- f
	}
	server.SetFaultChance(s, func() float64 { return <-chances }, nil)
	b := newBenchOn(t, s)
	w := b.register(b.alice, v.URL)
	b.setFaults(`{"callbacks":"reorder"}`)
	first := b.sendTest(w.UUID, api.EventFlightScheduled)
	second := b.sendTest(w.UUID, api.EventFlightScheduled)
	for _, want := range []string{second.UUID, first.UUID} {
		if got := (<-v.got).Header.Get(api.HeaderDelivery); got != want {
			t.Errorf("%s came, want %s", got, want)
		}
		v.answer <- 200
	}
}

func TestAHeaderForcesTheAnswerToOneRequest(t *testing.T) {
	b, _ := faulty(t)
	force := func(path, status string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.origin+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+b.alice)
		r.Header.Set(server.AnswerHeader, status)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer
	}
	for status, want := range map[string]int{"503": 503, "429": 429, "404": 404, "200": 400, "soon": 400} {
		answer := force(publicHandlers+"/orders", status)
		if answer.StatusCode != want {
			t.Errorf("%s: %d", status, answer.StatusCode)
		}
		if want == 503 && answer.Header.Get("Retry-After") == "" {
			t.Error("503 without Retry-After")
		}
	}
	if got := force("/healthz", "503").StatusCode; got != 200 {
		t.Errorf("another path: %d", got)
	}
	if r := b.call("GET", publicHandlers+"/orders", b.alice, nil); r.status != 200 {
		t.Errorf("the next request: %d", r.status)
	}
	production := newBenchOn(t, &server.Server{Dir: t.TempDir()})
	b.origin = production.origin
	b.alice = production.alice
	if got := force(publicHandlers+"/orders", "503").StatusCode; got != 200 {
		t.Errorf("a service without faults: %d", got)
	}
}
