//go:build postgres

package storetest

import (
	"context"
	"testing"

	"flightdesk/api/server/internal/store"
)

// Open opens an empty store and closes it after the test.
func Open(t testing.TB) *store.Store {
	t.Helper()
	return OpenShared(t, store.SharedDatabase{URL: SharedCluster(t).Database(t)})
}

// OpenShared opens a store on a shared database.
func OpenShared(t testing.TB, shared store.SharedDatabase) *store.Store {
	t.Helper()
	s, err := store.OpenShared(context.Background(), shared)
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

// Address returns the address of an empty shared database.
func Address(t testing.TB) string {
	t.Helper()
	return SharedCluster(t).Database(t)
}
