package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/desk"
	"flightdesk/api/server/store"
)

// served is a server on a loopback port with its data in a folder.
func served(b *testing.B) (s *server.Server, origin, key string, c *http.Client) {
	b.Helper()
	s = start(b, &server.Server{Dir: b.TempDir()})
	addr, err := s.Listen(context.Background(), "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	b.Cleanup(transport.CloseIdleConnections)
	client(b, s) // makes the account
	accounts, err := server.DeskOf(s).Store.Accounts(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	key, err = s.IssueKey(context.Background(), accounts[0].UUID, api.Scopes())
	if err != nil {
		b.Fatal(err)
	}
	return s, "http://" + addr.String() + public, key, &http.Client{Transport: transport}
}

// fill adds an account with n orders of two missions.
func fill(b *testing.B, s *server.Server, n int) {
	b.Helper()
	ctx := context.Background()
	d := server.DeskOf(s)
	account := store.Account{UUID: "full", CompanyName: "Full", Created: time.Now()}
	at := time.Now().Add(-time.Duration(n) * time.Second)
	w := desk.World{Accounts: []store.Account{account}}
	for i := range n {
		at = at.Add(time.Second)
		past := desk.PastOrder{
			AccountUUID: account.UUID, UUID: fmt.Sprintf("o%d", i), Request: survey(), Status: api.OrderCompleted,
			Created: at, Updated: at,
		}
		for m := range past.Request.Missions {
			past.Missions = append(past.Missions, desk.PastMission{UUID: fmt.Sprintf("m%d-%d", i, m), Updated: at})
		}
		w.Orders = append(w.Orders, past)
	}
	if err := d.TakeOver(ctx, w); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkCreateOrder(b *testing.B) {
	_, base, key, c := served(b)
	body := mustJSON(b, survey())
	b.SetParallelism(16) // 32 connections on 2 cores
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			ask(b, c, http.MethodPost, base+"/orders", key, body, http.StatusCreated)
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "orders/s")
}

func BenchmarkListOrders(b *testing.B) {
	const orders = 50_000
	s, base, _, c := served(b)
	fill(b, s, orders)
	key, err := s.IssueKey(context.Background(), "full", api.Scopes())
	if err != nil {
		b.Fatal(err)
	}
	deep, err := server.CursorBefore(s, "full", "ORD-100250") // 50 orders from the end
	if err != nil {
		b.Fatal(err)
	}
	for name, query := range map[string]string{"first": "", "deep": "?cursor=" + deep} {
		b.Run(name, func(b *testing.B) {
			b.SetParallelism(8) // 16 connections on 2 cores
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					ask(b, c, http.MethodGet, base+"/orders"+query, key, nil, http.StatusOK)
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pages/s")
		})
	}
}

func BenchmarkReadCreateOrder(b *testing.B) {
	body := mustJSON(b, survey())
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := server.ReadCreateOrder(body); err != nil {
			b.Fatal(err)
		}
	}
}

func ask(b *testing.B, c *http.Client, method, url, key string, body []byte, want int) {
	r, err := http.NewRequestWithContext(context.Background(), method, url, bytes.NewReader(body))
	if err != nil {
		b.Error(err)
		return
	}
	r.Header.Set("X-Api-Key", key)
	resp, err := c.Do(r)
	if err != nil {
		b.Error(err)
		return
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != want {
		b.Errorf("%d, %v", resp.StatusCode, err)
	}
}
