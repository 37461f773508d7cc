package store_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"flightdesk/api/server/internal/store"
)

// What a killed process left is removed by the next one; what somebody uses,
// has just made or named alike stays.
func TestAbandonedTemporaryFoldersAreRemoved(t *testing.T) {
	root := t.TempDir()
	t.Setenv("TMPDIR", root)
	t.Setenv("TMP", root)
	folder := func(name string, age time.Duration) string {
		dir := filepath.Join(root, name)
		lock := filepath.Join(dir, "lock")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(lock, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(lock, at, at); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	abandoned := folder("flightdesk-123", time.Hour)
	kept := []string{folder("flightdesk-456", 0), folder("flightdesk-mine", time.Hour), folder("other-1", time.Hour)}
	used, err := store.NewTempFolder(store.TempPrefix)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(used.Path, "lock"), at, at); err != nil {
		t.Fatal(err)
	}
	if n := store.RemoveAbandoned(store.TempPrefix); n != 1 {
		t.Errorf("%d folders were removed", n)
	}
	for _, dir := range append(kept, used.Path) {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("a folder is gone: %v", err)
		}
	}
	if _, err := os.Stat(abandoned); !os.IsNotExist(err) {
		t.Errorf("the abandoned folder: %v", err)
	}
	s, err := store.Open(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	locks, err := filepath.Glob(filepath.Join(root, "flightdesk-*", "lock"))
	if err != nil || len(locks) != 4 {
		t.Errorf("the store's folder is not locked: %q, %v", locks, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := used.Remove(); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(root, "*")); err != nil || len(left) != 3 {
		t.Errorf("%q stay, %v", left, err)
	}
}
