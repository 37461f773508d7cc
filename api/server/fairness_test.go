package server_test

import (
	"context"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/callback"
	"flightdesk/api/server/desk"
	"flightdesk/api/server/store"
)

// crowd is twenty endpoints of one account: five that hang, five that fail
// and ten that take what they are sent.
type crowd struct {
	*httptest.Server
	t         testing.TB
	s         *server.Server
	account   store.Account
	endpoints map[string][]api.WebhookEndpoint // by kind: hang, fail, take
	taken     atomic.Int64
	want      int64
	all       chan struct{} // closed when want is reached
}

func newCrowd(t testing.TB, s *server.Server, events int) *crowd {
	t.Helper()
	c := &crowd{t: t, s: s, endpoints: map[string][]api.WebhookEndpoint{}, want: int64(10 * events), all: make(chan struct{})}
	c.Server = httptest.NewUnstartedServer(c)
	c.Config.ErrorLog = log.New(io.Discard, "", 0)
	c.StartTLS()
	t.Cleanup(c.Close)
	s.WebhookAllow = loopback
	s.WebhookCA = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate().Raw})
	start(t, s)
	wire := client(t, s)
	accounts, err := server.DeskOf(s).Store.Accounts(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	c.account = accounts[0]
	for kind, n := range map[string]int{"hang": 5, "fail": 5, "take": 10} {
		for i := range n {
			w, err := wire.Webhooks.Create(context.Background(), api.CreateWebhookRequest{URL: fmt.Sprintf("%s/%s/%d", c.URL, kind, i)})
			if err != nil {
				t.Fatal(err)
			}
			c.endpoints[kind] = append(c.endpoints[kind], *w)
		}
	}
	return c
}

// ServeHTTP receives a callback.
func (c *crowd) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	switch {
	case strings.HasPrefix(r.URL.Path, "/hang/"):
		<-r.Context().Done()
	case strings.HasPrefix(r.URL.Path, "/fail/"):
		w.WriteHeader(http.StatusInternalServerError)
	default:
		if c.taken.Add(1) == c.want {
			close(c.all)
		}
	}
}

// announce keeps an event for every endpoint and has it sent, as a move does.
func (c *crowd) announce() {
	c.t.Helper()
	d := server.DeskOf(c.s)
	var sent []store.Delivery
	err := d.Store.Write(context.Background(), func(tx *store.Tx) error {
		ids, err := tx.Subscribed(c.account.ID, api.EventMissionCompleted)
		for _, id := range ids {
			var random [16]byte
			_, _ = rand.Read(random[:])
			uuid := desk.FormUUID(time.Now(), random)
			row := store.Delivery{
				WebhookID: id, UUID: uuid, Event: api.EventMissionCompleted, MissionUUID: "m", OrderCode: "ORD-1", Created: time.Now(),
				Body: `{"id":"` + uuid + `","event":"mission.completed","timestamp":"2026-03-14T12:00:00Z","data":{"mission":{"uuid":` +
					`"01958f3a-7b1e-7c55-9d3e-0f1a2b3c4d5e","missionCode":"MSN-300501","status":"completed","orderUid":` +
					`"01958f3a-7b1e-7c55-9d3e-0f1a2b3c4d5f","orderCode":"ORD-100201"}}}`,
			}
			if err := tx.InsertDelivery(&row); err != nil {
				return err
			}
			sent = append(sent, row)
		}
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	d.Sender.Send(sent...)
}

func TestHealthyEndpointsDoNotWaitForOthers(t *testing.T) {
	const events = 60
	s := &server.Server{}
	// A hanging endpoint needs 60 events * 4 tries / 4 side by side * 1 s.
	server.SetTiming(s, callback.Timing{Try: time.Second, Slow: 100 * time.Millisecond, Waits: quick.Waits, Stop: time.Second})
	c := newCrowd(t, s, events)
	for range events {
		c.announce()
	}
	began := time.Now()
	select {
	case <-c.all:
	case <-time.After(50 * time.Second): // the hanging ones take a minute
		t.Fatalf("%d of %d after %v", c.taken.Load(), c.want, time.Since(began))
	}
	wire := client(t, s)
	waiting := 0
	for d, err := range wire.Webhooks.AllDeliveries(context.Background(), c.endpoints["hang"][0].UUID) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Error != nil && *d.Error == store.DeliveryPending {
			waiting++
		}
	}
	if waiting == 0 {
		t.Error("the healthy endpoints had theirs only when the hanging ones had ended")
	}
}

// announceAll has the events kept by 32 movers at a time.
func (c *crowd) announceAll(events int64) {
	var movers sync.WaitGroup
	var n atomic.Int64
	for range 32 {
		movers.Go(func() {
			for n.Add(1) <= events {
				c.announce()
			}
		})
	}
	movers.Wait()
}

// BenchmarkCallbacks tells how long healthy endpoints wait for 1,000 events
// beside ten that hang or fail: since the first was announced, and since the
// last was kept.
func BenchmarkCallbacks(b *testing.B) {
	var all, late time.Duration
	for b.Loop() {
		const events = 1000
		c := newCrowd(b, &server.Server{Dir: b.TempDir()}, events)
		began := time.Now()
		c.announceAll(events)
		kept := time.Now()
		<-c.all
		all += time.Since(began)
		late += time.Since(kept)
	}
	b.ReportMetric(all.Seconds()/float64(b.N), "s/received")
	b.ReportMetric(late.Seconds()/float64(b.N), "s/after-the-last")
}

// BenchmarkCreateBesideCallbacks tells what 1,000 events take from those who
// place orders meanwhile: the rates of ten seconds without and with them.
func BenchmarkCreateBesideCallbacks(b *testing.B) {
	for b.Loop() {
		for name, events := range map[string]int64{"quiet/s": 0, "busy/s": 1000} {
			c := newCrowd(b, &server.Server{Dir: b.TempDir()}, 1000)
			d := server.DeskOf(c.s)
			caller := &desk.Caller{Account: c.account}
			end := time.Now().Add(10 * time.Second)
			var placed atomic.Int64
			var clients sync.WaitGroup
			for range 32 {
				clients.Go(func() {
					for time.Now().Before(end) {
						if _, err := d.PlaceOrder(context.Background(), caller, desk.Placement{Request: survey()}); err != nil {
							b.Error(err)
							return
						}
						placed.Add(1)
					}
				})
			}
			clients.Go(func() { c.announceAll(events) })
			clients.Wait()
			b.ReportMetric(float64(placed.Load())/10, name)
		}
	}
}
