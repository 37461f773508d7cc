//go:build postgres

package server_test

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/storetest"
)

// BenchmarkCreateOrderShared places orders of two missions over 18 connections. Each order is on disk
// before the response. It compares one process on a database, three processes, and the simplest
// server, which has a transaction for each order.
func BenchmarkCreateOrderShared(b *testing.B) {
	c, err := storetest.Start("fsync=on")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close() })
	compareShared(b, c.Database(b), c.Database(b))
}

// compareShared measures creates with one and with three processes on a database, and with a
// transaction per order on a database without other load.
func compareShared(b *testing.B, url, bareURL string) {
	b.Helper()
	database := store.SharedDatabase{URL: url}
	var addrs []string
	var key string
	for range 3 {
		addr, first := serveOn(b, &server.Server{Database: database})
		addrs = append(addrs, addr)
		if key == "" {
			key = first
		}
	}
	least := bareShared(b, bareURL)
	sent := request(http.MethodPost, publicHandlers+"/orders", key, mustJSON(b, survey()))
	var one, three, bare float64
	for b.Loop() {
		one += load(b, addrs[0], 18, sent, "201").rate
		var all sync.WaitGroup
		var rates [3]float64
		for i, addr := range addrs {
			all.Go(func() { rates[i] = load(b, addr, 6, sent, "201").rate })
		}
		all.Wait()
		three += rates[0] + rates[1] + rates[2]
		bare += load(b, least, 18, sent, "201").rate
	}
	b.ReportMetric(one/float64(b.N), "one/s")
	b.ReportMetric(three/float64(b.N), "three/s")
	b.ReportMetric(three/one, "three-of-one")
	b.ReportMetric(one/bare, "one-of-bare")
}

// networkRoundTrip is the round-trip time of a managed database.
const networkRoundTrip = 2300 * time.Microsecond

// BenchmarkCreateOrderOverNetwork is BenchmarkCreateOrderShared with a network delay between the
// processes and the database.
func BenchmarkCreateOrderOverNetwork(b *testing.B) {
	c, err := storetest.Start("fsync=on")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close() })
	far := storetest.NewProxy(b, c.Port)
	far.SetRoundTrip(networkRoundTrip)
	compareShared(b, far.URL(c.Database(b)), far.URL(c.Database(b)))
}

// bareShared is a handler that creates orders on PostgreSQL, each in a separate transaction.
func bareShared(b *testing.B, url string) string {
	b.Helper()
	pool, err := pgxpool.New(context.Background(), url)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(pool.Close)
	_, err = pool.Exec(context.Background(), `CREATE TABLE orders (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
			uuid TEXT UNIQUE, status TEXT, created TIMESTAMPTZ DEFAULT now(), body TEXT);
		CREATE INDEX ON orders (created); CREATE INDEX ON orders (status, created);
		CREATE TABLE missions (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, order_id BIGINT REFERENCES orders, uuid TEXT UNIQUE, body TEXT);
		CREATE INDEX ON missions (order_id)`)
	if err != nil {
		b.Fatal(err)
	}
	return bareAnswer(b, func(w http.ResponseWriter, r *http.Request) {
		var req api.CreateOrderRequest
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(body, &req)
		}
		id := rand.Text()
		if err == nil {
			err = pgx.BeginFunc(r.Context(), pool, func(tx pgx.Tx) error { return insertBare(r.Context(), tx, id, req) })
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusCreated)
		_ = json.MarshalWrite(w, api.Order{UUID: id, OrderName: req.Order.OrderName, CompanyName: req.Order.CompanyName})
	})
}

func insertBare(ctx context.Context, tx pgx.Tx, id string, req api.CreateOrderRequest) error {
	body, err := json.Marshal(req.Order)
	if err != nil {
		return err
	}
	var order int64
	err = tx.QueryRow(ctx, `INSERT INTO orders (uuid, status, body) VALUES ($1, 'new', $2) RETURNING id`, id, string(body)).Scan(&order)
	for _, m := range req.Missions {
		if err == nil {
			body, err = json.Marshal(m)
		}
		if err == nil {
			_, err = tx.Exec(ctx, `INSERT INTO missions (order_id, uuid, body) VALUES ($1, $2, $3)`, order, rand.Text(), string(body))
		}
	}
	return err
}
