package server_test

import (
	"context"
	"crypto/rand"
	"encoding/pem"
	"errors"
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
	"flightdesk/api/server/internal/callback"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// receivers are the receivers of a crowd: the path says whether a receiver hangs, fails or accepts.
type receivers struct {
	taken atomic.Int64
	want  int64
	all   chan struct{} // closed when want is reached
}

func newReceivers(want int64) *receivers { return &receivers{want: want, all: make(chan struct{})} }

// ServeHTTP receives a callback.
func (v *receivers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	if strings.HasPrefix(r.URL.Path, "/hang/") {
		<-r.Context().Done()
	} else if strings.HasPrefix(r.URL.Path, "/fail/") {
		w.WriteHeader(http.StatusInternalServerError)
	} else if v.taken.Add(1) == v.want {
		close(v.all)
	}
}

// serve starts the receivers and returns their address and certificate.
func (v *receivers) serve() (s *httptest.Server, certificate []byte) {
	s = httptest.NewUnstartedServer(v)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	return s, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

// crowd is twenty endpoints of one account: five hang, five fail and ten accept.
type crowd struct {
	t         testing.TB
	s         *server.Server
	account   store.Account
	endpoints map[string][]api.WebhookEndpoint // by kind: hang, fail, take
}

func newCrowd(t testing.TB, s *server.Server, url string, certificate []byte) *crowd {
	t.Helper()
	c := &crowd{t: t, s: s, endpoints: map[string][]api.WebhookEndpoint{}}
	s.WebhookAllow = loopback
	s.WebhookCA = certificate
	start(t, s)
	wire := client(t, s)
	accounts, err := server.DomainOf(s).Store.Accounts(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	c.account = accounts[0]
	for kind, n := range map[string]int{"hang": 5, "fail": 5, "take": 10} {
		for i := range n {
			w, err := wire.Webhooks.Create(context.Background(), api.CreateWebhookRequest{URL: fmt.Sprintf("%s/%s/%d", url, kind, i)})
			if err != nil {
				t.Fatal(err)
			}
			c.endpoints[kind] = append(c.endpoints[kind], *w)
		}
	}
	return c
}

// announce stores an event for every endpoint and sends it, as a move of a mission does.
func (c *crowd) announce() {
	c.t.Helper()
	d := server.DomainOf(c.s)
	var sent []store.Delivery
	err := d.Store.Write(context.Background(), func(tx *store.Tx) error {
		ids, err := tx.SubscribedEndpoints(c.account.ID, api.EventMissionCompleted)
		sent = make([]store.Delivery, len(ids))
		rows := make([]*store.Delivery, len(ids))
		for i, id := range ids {
			var random [16]byte
			_, _ = rand.Read(random[:])
			uuid := domain.FormUUID(time.Now(), random)
			sent[i] = store.Delivery{
				WebhookID: id, UUID: uuid, Event: api.EventMissionCompleted, MissionUUID: "m", OrderCode: "ORD-1", Created: time.Now(),
				Body: `{"id":"` + uuid + `","event":"mission.completed","timestamp":"2026-03-14T12:00:00Z","data":{"mission":{"uuid":` +
					`"01958f3a-7b1e-7c55-9d3e-0f1a2b3c4d5e","missionCode":"MSN-300501","status":"completed","orderUid":` +
					`"01958f3a-7b1e-7c55-9d3e-0f1a2b3c4d5f","orderCode":"ORD-100201"}}}`,
			}
			rows[i] = &sent[i]
		}
		return errors.Join(err, tx.InsertDeliveries(rows...))
	})
	if err != nil {
		c.t.Fatal(err)
	}
	d.Sender.Send(sent...)
}

func TestHealthyEndpointsDoNotWaitForOthers(t *testing.T) {
	const events = 60
	s := &server.Server{}
	// A hanging endpoint needs 60 events * 4 attempts / 4 in parallel * 1 s.
	server.SetTiming(s, callback.SenderTiming{Try: time.Second, Waits: quick.Waits, Stop: time.Second})
	v := newReceivers(10 * events)
	receiving, certificate := v.serve()
	defer receiving.Close()
	c := newCrowd(t, s, receiving.URL, certificate)
	for range events {
		c.announce()
	}
	began := time.Now()
	select {
	case <-v.all:
	case <-time.After(50 * time.Second): // the hanging endpoints need a minute
		t.Fatalf("%d of %d after %v", v.taken.Load(), v.want, time.Since(began))
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

// announceAll stores the events with 32 goroutines at a time.
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
