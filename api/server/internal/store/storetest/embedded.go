//go:build !postgres

package storetest

import (
	"context"
	"testing"

	"flightdesk/api/server/internal/store"
)

// Open opens an empty store and closes it after the test.
func Open(t testing.TB) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func stopShared() {}

// Address returns "": these tests use the embedded database, which has no address.
func Address(testing.TB) string { return "" }
