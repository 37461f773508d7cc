package cache_test

import (
	"context"
	"testing"
	"time"
)

// BenchmarkReadAccount measures reading all data of an account with 10,000 orders.
func BenchmarkReadAccount(b *testing.B) {
	s := &service{n: 10_000}
	for b.Loop() {
		f := s.start(b, func() time.Time { return noon })
		f.Prefetch(f.AllMissions())
		readAll(context.Background(), f)
		if f.Now().Read == 0 {
			b.Fatal("nothing was read")
		}
	}
}

// BenchmarkReadStart measures reading what the app needs at its start, of an account with 100,000
// orders of which 16 are active.
func BenchmarkReadStart(b *testing.B) {
	s := &service{n: 100_000, live: func(i int) bool { return i < 16 }}
	for b.Loop() {
		f := s.start(b, func() time.Time { return noon })
		f.RefreshOrders(false)
		readAll(context.Background(), f)
		if f.Now().Read != 116 {
			b.Fatal("something else was read")
		}
	}
}

// BenchmarkFirstPage measures reading what the same account shows first: the newest 100 orders.
func BenchmarkFirstPage(b *testing.B) {
	s := &service{n: 10_000}
	for b.Loop() {
		f := s.start(b, func() time.Time { return noon })
		f.RefreshOrders(false)
		f.NextRead()(context.Background())
		if len(f.Now().Orders) != 100 {
			b.Fatal("nothing was read")
		}
	}
}

// BenchmarkNow measures a call of Now by a page.
func BenchmarkNow(b *testing.B) {
	s := &service{n: 10_000}
	f := s.start(b, func() time.Time { return noon })
	f.RefreshOrders(false)
	readAll(context.Background(), f)
	for b.Loop() {
		f.RefreshOrders(true)
		f.NextRead()(context.Background())
		f.Now()
	}
}
