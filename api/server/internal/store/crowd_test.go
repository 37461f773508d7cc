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
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
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
