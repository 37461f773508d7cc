package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// takeSnapshot takes a snapshot and dates it back by an age.
func takeSnapshot(t *testing.T, s *store.Store, dir, name string, age time.Duration) {
	t.Helper()
	taken, err := s.TakeSnapshot(t.Context(), name)
	if err != nil || taken.Name != name || taken.Bytes == 0 {
		t.Fatalf("%+v, %v", taken, err)
	}
	path := filepath.Join(dir, "snapshots", name+".db")
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
		t.Fatal(err)
	}
}

func snapshotNames(t *testing.T, s *store.Store) []string {
	var names []string
	t.Helper()
	all, err := s.Snapshots()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		names = append(names, one.Name)
	}
	return names
}

func TestASnapshotRestoresEverything(t *testing.T) {
	dir, a := filledFolder(t)
	s := open(t, dir)
	if names := snapshotNames(t, s); names != nil {
		t.Errorf("before there is one: %q", names)
	}
	takeSnapshot(t, s, dir, "before", time.Hour)
	late := order(a, 1000)
	write(t, s, func(tx *store.Tx) error {
		return errors.Join(store.Insert(tx, late), store.Insert(tx, &store.File{
			UUID: uuidOf(302), Name: "b.jpg", MediaType: "image/jpeg", Kind: "jpg", SHA256: "01", Place: "place-2", Created: a.Created,
		}))
	})
	takeSnapshot(t, s, dir, "after", 0)
	if names := snapshotNames(t, s); !slices.Equal(names, []string{"after", "before"}) {
		t.Errorf("there are %q", names)
	}
	if got, err := s.RestoreSnapshot(t.Context(), "before"); err != nil || got.Name != "before" {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, err := s.OrderByCode(t.Context(), late.Code); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("what came after it: %v", err)
	}
	for _, n := range []int{1, 100, 101, 300} { // rows are copied in batches of a hundred
		if _, err := s.OrderByCode(t.Context(), order(a, n).Code); err != nil {
			t.Errorf("order %d: %v", n, err)
		}
	}
	if _, err := s.RestoreSnapshot(t.Context(), "after"); err != nil {
		t.Fatal(err)
	}
	got, err := s.OrderByCode(t.Context(), late.Code)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, *late)
}

func TestAFailedSnapshotLeavesNothing(t *testing.T) {
	dir, a := filledFolder(t)
	s := open(t, dir)
	if _, err := s.RestoreSnapshot(t.Context(), "none"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("one that is not there: %v", err)
	}
	if _, err := s.OrderByCode(t.Context(), order(a, 300).Code); err != nil {
		t.Errorf("after it was asked for: %v", err)
	}
	takeSnapshot(t, s, dir, "x", 0)
	left, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.TakeSnapshot(left, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	write(t, s, func(tx *store.Tx) error { return store.Insert(tx, order(a, 1000)) })
	takeSnapshot(t, s, dir, "x", 0) // replaces the first snapshot
	files, err := os.ReadDir(filepath.Join(dir, "snapshots"))
	if err != nil || len(files) != 1 {
		t.Errorf("there are %v, %v", files, err)
	}
	if _, err := s.RestoreSnapshot(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.OrderByCode(t.Context(), order(a, 1000).Code); err != nil {
		t.Errorf("of the second one: %v", err)
	}
}

func TestFilesInRowsAndSnapshotsAreReferenced(t *testing.T) {
	dir, a := filledFolder(t)
	s := open(t, dir)
	takeSnapshot(t, s, dir, "empty of place-2", 0)
	places := []string{"place-1", "place-2"}
	want := []string{"place-2"}
	for i := range 100 { // more than one query returns
		places = append(places, fmt.Sprint("nothing-", i))
		want = append(want, fmt.Sprint("nothing-", i))
	}
	check := func(when string, want []string) {
		t.Helper()
		if got, err := s.UnreferencedFiles(t.Context(), places); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", when, got, err)
		}
	}
	check("before it is there", want)
	write(t, s, func(tx *store.Tx) error {
		return store.Insert(tx, &store.File{
			UUID: uuidOf(302), Name: "b.jpg", MediaType: "image/jpeg", Kind: "jpg", SHA256: "01", Place: "place-2", Created: a.Created,
		})
	})
	check("in a row", want[1:])
	takeSnapshot(t, s, dir, "with place-2", 0)
	if _, err := s.RestoreSnapshot(t.Context(), "empty of place-2"); err != nil {
		t.Fatal(err)
	}
	check("in a snapshot", want[1:])
}

func TestOrderDetailsContainEverything(t *testing.T) {
	s := open(t, "")
	a := account("a")
	b := account("b")
	var o, other *store.Order
	var missions []store.Mission
	var quotes []*store.Quote
	write(t, s, func(tx *store.Tx) error {
		err := errors.Join(store.Insert(tx, a), store.Insert(tx, b))
		o = order(b, 1)
		other = order(a, 1)
		err = errors.Join(err, store.Insert(tx, o), store.Insert(tx, other))
		for i, of := range []*store.Order{o, o, other} {
			m := store.Mission{UUID: fmt.Sprint("m-", i), Code: fmt.Sprint("MSN-", i), OrderID: of.ID, Position: i, Status: api.MissionPilotAssigned, Name: "n", Type: api.MissionLinear, Created: noon, Updated: noon}
			err = errors.Join(err, store.Insert(tx, &m))
			if of == o {
				missions = append(missions, m)
			}
		}
		quotes = []*store.Quote{quote(o, "1"), quote(o, "2"), quote(other, "3")}
		for _, q := range quotes {
			err = errors.Join(err, tx.InsertQuote(q))
		}
		return err
	})
	d, err := s.OrderDetail(t.Context(), o.UUID)
	if err != nil {
		t.Fatal(err)
	}
	same(t, d.Order, *o)
	same(t, d.Account, *b)
	same(t, d.Missions, missions)
	same(t, d.Extras.Quotes, []store.Quote{*quotes[0], *quotes[1]})
	if d.Extras.OpenQuotes != 2 {
		t.Errorf("%d quotes are open", d.Extras.OpenQuotes)
	}
	if _, err := s.OrderDetail(t.Context(), "x"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("what is not there: %v", err)
	}
}

func TestABackupThatIsInterruptedLeavesNothing(t *testing.T) {
	dir, _ := filledFolder(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	to := filepath.Join(t.TempDir(), "backups", "monday")
	if err := store.BackupFolder(ctx, dir, to); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if left, err := os.ReadDir(filepath.Dir(to)); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}
