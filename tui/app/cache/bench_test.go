package cache_test

import (
	"context"
	"testing"
	"time"
)

// BenchmarkReadAccount reads an account of 10,000 orders until no more is read: what the client and the cache take of it.
func BenchmarkReadAccount(b *testing.B) {
	s := &service{n: 10_000}
	for b.Loop() {
		f := s.start(b, func() time.Time { return noon })
		f.WantNeeds(f.AllMissions())
		readAll(context.Background(), f)
		if f.Now().Read == 0 {
			b.Fatal("nothing was read")
		}
	}
}

// BenchmarkReadStart reads of an account of 100,000 orders, 16 of them under way,
// what the app reads when it starts.
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

// BenchmarkFirstPage reads of the same account what is shown first: the newest
// hundred orders.
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

// BenchmarkNow is what a page pays for each look at what was read last.
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
