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
		f.Refresh(false)
		readAll(context.Background(), f)
		if f.Now().Read == 0 {
			b.Fatal("nothing was read")
		}
	}
}

// BenchmarkFirstPage reads of the same account what is shown first: the newest
// hundred orders.
func BenchmarkFirstPage(b *testing.B) {
	s := &service{n: 10_000}
	for b.Loop() {
		f := s.start(b, func() time.Time { return noon })
		f.Refresh(false)
		f.Next()(context.Background())
		if len(f.Now().Orders) != 100 {
			b.Fatal("nothing was read")
		}
	}
}

// BenchmarkNow is what a page pays for each look at what was read last.
func BenchmarkNow(b *testing.B) {
	s := &service{n: 10_000}
	f := s.start(b, func() time.Time { return noon })
	f.Refresh(false)
	readAll(context.Background(), f)
	for b.Loop() {
		f.Refresh(true)
		f.Next()(context.Background())
		f.Now()
	}
}
