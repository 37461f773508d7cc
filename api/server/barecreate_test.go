package server_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
)

// bareOrder is an order that the bare server stores.
type bareOrder struct {
	id   string
	req  api.CreateOrderRequest
	done chan error
}

// bareCreate is the simplest server that stores orders as safely as the service does: net/http and one
// SQLite connection, with one transaction and one sync of the disk for all waiting requests. It has no
// keys, rules or log, and only the indexes of the lists.
func bareCreate(b *testing.B) string {
	b.Helper()
	q := url.Values{"_pragma": {"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)"}}
	path := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(filepath.Join(b.TempDir(), "bare.db")), RawQuery: q.Encode()}
	db, err := sql.Open("sqlite", path.String())
	if err != nil {
		b.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`CREATE TABLE orders (id INTEGER PRIMARY KEY, uuid TEXT UNIQUE, code TEXT UNIQUE, status TEXT, created INTEGER, body TEXT);
		CREATE INDEX orders_created ON orders (created); CREATE INDEX orders_status ON orders (status, created);
		CREATE TABLE missions (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders, uuid TEXT UNIQUE, code TEXT UNIQUE, body TEXT);
		CREATE INDEX missions_order ON missions (order_id)`)
	if err != nil {
		b.Fatal(err)
	}
	orders := make(chan bareOrder)
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		keepBare(ctx, db, orders)
	}()
	b.Cleanup(func() {
		end()
		<-ended
		_ = db.Close()
	})
	return bareAnswer(b, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		o := bareOrder{id: rand.Text(), done: make(chan error, 1)}
		if err == nil {
			err = json.Unmarshal(body, &o.req)
		}
		if err == nil {
			orders <- o
			err = <-o.done
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusCreated)
		_ = json.MarshalWrite(w, api.Order{UUID: o.id, OrderName: o.req.Order.OrderName, CompanyName: o.req.Order.CompanyName})
	})
}

// keepBare stores orders until ctx ends, all waiting orders in one transaction.
func keepBare(ctx context.Context, db *sql.DB, orders <-chan bareOrder) {
	for n := 0; ; {
		var group []bareOrder
		select {
		case o := <-orders:
			group = append(group, o)
		case <-ctx.Done():
			return
		}
		for more := true; more && len(group) < 64; {
			select {
			case o := <-orders:
				group = append(group, o)
			default:
				more = false
			}
		}
		err := keepGroup(ctx, db, n, group)
		n += len(group)
		for _, o := range group {
			o.done <- err
		}
	}
}

func keepGroup(ctx context.Context, db *sql.DB, n int, group []bareOrder) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for i, o := range group {
		body, err := json.Marshal(o.req.Order)
		if err != nil {
			return err
		}
		at := n + i
		got, err := tx.ExecContext(ctx, `INSERT INTO orders (uuid, code, status, created, body) VALUES (?, ?, 'new', ?, ?)`, o.id, fmt.Sprint("ORD-", at), at, string(body))
		if err != nil {
			return err
		}
		id, err := got.LastInsertId()
		if err != nil {
			return err
		}
		for j, m := range o.req.Missions {
			body, err = json.Marshal(m)
			if err != nil {
				return err
			}
			_, err = tx.ExecContext(ctx, `INSERT INTO missions (order_id, uuid, code, body) VALUES (?, ?, ?, ?)`, id, rand.Text(), fmt.Sprintf("MSN-%d-%d", at, j), string(body))
			if err != nil {
				return err
			}
		}
	}
	return tx.Commit()
}
