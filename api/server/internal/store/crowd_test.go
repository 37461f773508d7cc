package store_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"flightdesk/api/server/internal/store"
)

// More readers than connections run new queries in a new process.
func TestMoreFirstReadersThanConnectionsDoNotBlock(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	write(t, s, func(tx *store.Tx) error {
		a := account("a")
		err := store.Insert(tx, a)
		return errors.Join(err, store.Insert(tx, order(a, 1)))
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		s := open(t, dir)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		var readers sync.WaitGroup
		for range 16 * runtime.GOMAXPROCS(0) {
			readers.Go(func() {
				if _, _, err := s.OrderWithMissions(ctx, "ORD-1001"); err != nil {
					t.Error(err)
				}
			})
			readers.Go(func() {
				if _, err := s.KeyByHash(ctx, "h"); !errors.Is(err, store.ErrNotFound) {
					t.Error(err)
				}
			})
		}
		readers.Wait()
		cancel()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Only one goroutine runs at a time, so the writer would otherwise begin with the first job before the other
// callers have sent theirs.
func TestCallersThatAreReadyShareATransaction(t *testing.T) {
	s := open(t, "")
	previous := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(previous) })
	const callers = 16
	const writes = 50
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for range writes {
				if err := s.Write(t.Context(), func(*store.Tx) error { return nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	transactions := s.Stats().Transactions
	if transactions > 2*writes {
		t.Errorf("%d writes took %d transactions, want about %d", callers*writes, transactions, writes)
	}
}
