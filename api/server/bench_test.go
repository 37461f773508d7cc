package server_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
)

// served is a server on a loopback port with its data in a folder, and an API key.
func served(b *testing.B) (addr, key string) {
	b.Helper()
	return serveOn(b, &server.Server{Dir: b.TempDir()})
}

// serveOn starts a server on a loopback port and returns it with an API key.
func serveOn(b *testing.B, set *server.Server) (addr, key string) {
	b.Helper()
	s := start(b, set)
	at, err := s.Listen(context.Background(), "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	client(b, s) // creates the account
	accounts, err := server.DomainOf(s).Store.Accounts(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	key, err = s.IssueKey(context.Background(), accounts[0].UUID, api.Scopes())
	if err != nil {
		b.Fatal(err)
	}
	return at.String(), key
}

// BenchmarkCreateOrder places orders of two missions over 64 connections. Each order is on disk before
// the response. It compares the service with bareCreate.
func BenchmarkCreateOrder(b *testing.B) {
	addr, key := served(b)
	least := bareCreate(b)
	sent := request(http.MethodPost, publicHandlers+"/orders", key, mustJSON(b, survey()))
	var ours, theirs float64
	for b.Loop() {
		orders := load(b, addr, 64, sent, "201")
		bare := load(b, least, 64, sent, "201")
		orders.report(b, "orders") // of the last round
		bare.report(b, "bare")
		ours += orders.rate
		theirs += bare.rate
	}
	b.ReportMetric(ours/theirs, "of-bare") // of all rounds
}

// BenchmarkCreateOrderWithKey is BenchmarkCreateOrder with the idempotency key that the app and the
// command line send. The bare server stores no keys.
func BenchmarkCreateOrderWithKey(b *testing.B) {
	for _, connections := range []int{16, 64} {
		b.Run(fmt.Sprintf("connections=%d", connections), func(b *testing.B) {
			addr, key := served(b)
			least := bareCreate(b)
			sent := request(http.MethodPost, publicHandlers+"/orders", key, mustJSON(b, survey()))
			head, body, _ := bytes.Cut(sent, []byte("\r\n\r\n"))
			var n atomic.Int64
			withKey := func() []byte {
				return fmt.Appendf(nil, "%s\r\nIdempotency-Key: bench-%d\r\n\r\n%s", head, n.Add(1), body)
			}
			var ours, theirs float64
			for b.Loop() {
				orders := loadEach(b, addr, connections, withKey, "201")
				bare := load(b, least, connections, sent, "201")
				orders.report(b, "orders") // of the last round
				bare.report(b, "bare")
				ours += orders.rate
				theirs += bare.rate
			}
			b.ReportMetric(ours/theirs, "of-bare") // of all rounds
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
