//go:build postgres

package storetest

import (
	"context"
	"testing"

	"flightdesk/api/server/internal/store"
)

// Open opens an empty store that ends with the test.
func Open(t testing.TB) *store.Store {
	t.Helper()
	return OpenShared(t, store.SharedDatabase{URL: SharedCluster(t).Database(t)})
}

// OpenShared opens a store on a database that others may use.
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

// Address returns the address of an empty shared database to run on.
func Address(t testing.TB) string {
	t.Helper()
	return SharedCluster(t).Database(t)
}
