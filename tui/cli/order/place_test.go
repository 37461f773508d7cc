package order

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"flightdesk/api"
)

// desk is a service that loses answers.
type desk struct {
	orders []string // names, the newest first
	keys   []string // that came with orders
	lose   int      // so many answers to placing
	drop   int      // so many orders before they are placed
	blind  bool     // the list cannot be read
}

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		if d.blind {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		var items []string
		for i, name := range d.orders {
			items = append(items, fmt.Sprintf(`{"uuid":"u%d","orderCode":"ORD-%d","orderName":%q}`, len(d.orders)-i, len(d.orders)-i, name))
		}
		fmt.Fprintf(w, `{"success":true,"message":"","data":{"data":[%s],"nextCursor":null,"hasNextPage":false}}`, strings.Join(items, ","))
		return
	}
	d.keys = append(d.keys, r.Header.Get("Idempotency-Key"))
	if d.drop > 0 {
		d.drop--
		panic(http.ErrAbortHandler)
	}
	d.orders = append([]string{"levee"}, d.orders...)
	if d.lose > 0 {
		d.lose--
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, `{"success":true,"message":"","data":{"uuid":"u%d","orderCode":"ORD-%d","orderName":"levee"}}`, len(d.orders), len(d.orders))
}

func TestAnOrderIsPlacedOnceWhateverIsLost(t *testing.T) {
	for _, tt := range []struct {
		name     string
		desk     desk
		want     string // code of the order, or a part of the error
		orders   int
		sendings int
	}{
		{"answered", desk{}, "ORD-1", 1, 1},
		{"the answer is lost", desk{lose: 1}, "ORD-1", 1, 1},
		{"the answer is lost, and one of the name was there before", desk{orders: []string{"levee"}, lose: 1}, "ORD-2", 2, 1},
		{"the request is lost", desk{drop: 1}, "ORD-1", 1, 2},
		{"the request is lost, and one of the name was there before", desk{orders: []string{"levee"}, drop: 1}, "ORD-2", 2, 2},
		{"nothing arrives", desk{drop: 5}, "the order was not placed", 0, 2},
		{"the list cannot be read", desk{lose: 1, blind: true}, "retry with --idempotency-key my-key", 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var one sync.Mutex // requests whose answer is lost may still be at work
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				one.Lock()
				defer one.Unlock()
				tt.desk.ServeHTTP(w, r)
			}))
			defer service.Close()
			client, err := api.NewClient(service.URL, api.WithKey("k"))
			if err != nil {
				t.Fatal(err)
			}
			placed, err := sendOrder(t.Context(), client, api.CreateOrderRequest{Order: api.OrderInput{OrderName: "levee"}}, "my-key")
			if placed != nil && placed.OrderCode != tt.want || placed == nil && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%v, %v", placed, err)
			}
			service.Close()
			one.Lock()
			defer one.Unlock()
			if len(tt.desk.orders) != tt.orders || len(tt.desk.keys) != tt.sendings {
				t.Errorf("%d orders, sent %d times", len(tt.desk.orders), len(tt.desk.keys))
			}
			for _, key := range tt.desk.keys {
				if key != "my-key" {
					t.Errorf("sent with key %q", key)
				}
			}
		})
	}
}
