//go:build postgres

package server_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/storetest"
)

// Shared data is backed up while processes serve it, and restored elsewhere with its orders, files,
// secrets and audit trail. The check finds the differences.
func TestSharedDatabaseIsBackedUpAndRestored(t *testing.T) {
	a := sharing(t)
	placed := a.place(a.alice)
	_, list := a.delivered(content{"map.tif", "jpg", strings.Repeat("flight", 1000)}, content{"second.tif", "jpg", "x"})
	trail := a.trail()
	dir := filepath.Join(t.TempDir(), "monday")
	from := &server.Server{Database: a.s.Database, Bucket: a.s.Bucket}
	if err := from.BackupShared(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if faults, err := server.CheckFolder(t.Context(), dir); err != nil || len(faults) != 0 {
		t.Errorf("the backup: %q, %v", faults, err)
	}

	bucket := a.s.Bucket
	before, after, _ := strings.Cut(bucket.Address, "?")
	bucket.Address = before + "/restored?" + after
	to := &server.Server{Database: store.SharedDatabase{URL: storetest.SharedCluster(t).Database(t)}, Bucket: bucket}
	done, err := to.CopyFolder(t.Context(), dir)
	if err != nil || done.Files != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	wantDifferences(t, to)
	b := newBenchOn(t, &server.Server{Database: to.Database, Bucket: to.Bucket, PublicURL: a.s.PublicURL})
	if r := b.call("GET", publicHandlers+"/orders/"+placed.OrderCode, a.alice, nil); r.status != 200 {
		t.Errorf("an order that was restored: %d %s", r.status, r.raw)
	}
	link := strings.Replace(list[0].DownloadURL, a.origin, b.origin, 1)
	if got := b.fetch("GET", link); got.status != 200 || len(got.raw) != 6000 {
		t.Errorf("a file that was restored: %d, %d bytes", got.status, len(got.raw))
	}
	restored := b.trail()
	if kept := slices.IndexFunc(restored, func(e ops.AuditEntry) bool { return e.ID == trail[0].ID }); kept < 0 ||
		string(mustJSON(t, restored[kept])) != string(mustJSON(t, trail[0])) {
		t.Errorf("the audit trail: %+v, want %+v", restored, trail)
	}

	// One file is missing and one has another size.
	files := server.FilesOf(b.s)
	var places []string
	for f, err := range files.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		places = append(places, f.Key)
	}
	slices.Sort(places)
	if err := files.Remove(t.Context(), places[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Put(t.Context(), places[1], strings.NewReader("other")); err != nil {
		t.Fatal(err)
	}
	wantDifferences(t, to, places[1]+" has 5 bytes", places[0]+" is missing")
}

// wantDifferences checks the result of the check: each line has one of the parts.
func wantDifferences(t *testing.T, s *server.Server, parts ...string) {
	t.Helper()
	recorded, faults, err := s.CheckFiles(t.Context())
	if err != nil || recorded != 2 || len(faults) != len(parts) {
		t.Fatalf("%d files, %q, %v", recorded, faults, err)
	}
	for i, part := range parts {
		if !strings.Contains(faults[i], part) {
			t.Errorf("%q, want %q", faults[i], part)
		}
	}
}
