package server_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
)

// A file that was stored just before the process was killed, and to which nothing refers, is deleted
// after the next start. Other files remain.
func TestUnreferencedFilesAreDeleted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx := context.Background()
	first := &server.Server{Dir: dir}
	if err := first.Start(ctx); err != nil {
		t.Fatal(err)
	}
	d := server.DomainOf(first)
	p := (&bench{t: t, s: first, clock: newClock(time.Now())}).takenOver(api.OrderFlyingDateSet, api.MissionFlightScheduled)
	keep := func(name string) store.File {
		f, err := d.Missions.StoreFile(ctx, name, "image/jpeg", strings.NewReader(name))
		if err != nil {
			t.Fatal(err)
		}
		f.Kind = api.DeliverableJPG
		return f
	}
	named := keep("named.jpg")
	delivered := []store.File{named}
	for range 600 { // more than are checked at once
		delivered = append(delivered, keep("named, too.jpg"))
	}
	if _, _, err := d.Missions.Deliver(ctx, p.mission[0], delivered); err != nil {
		t.Fatal(err)
	}
	permit := keep("permit.pdf")
	if _, _, err := d.Missions.SetPermission(ctx, p.mission[0], ops.PermissionInput{Status: api.PermissionGranted}, &permit); err != nil {
		t.Fatal(err)
	}
	var stray store.File
	for range 600 {
		stray = keep("stray.jpg")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	age(t, filepath.Join(dir, "files"))

	var log lockedBuffer
	second := start(t, &server.Server{Dir: dir, Log: slog.New(slog.NewTextHandler(&log, nil))})
	fresh, err := server.DomainOf(second).Missions.StoreFile(ctx, "fresh.jpg", "image/jpeg", strings.NewReader("fresh")) // still in progress during the sweep
	if err != nil {
		t.Fatal(err)
	}
	server.WaitForSweep(second)
	left, err := os.ReadDir(filepath.Join(dir, "files"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{permit.Place: true, fresh.Place: true}
	for _, f := range delivered {
		want[f.Place] = true
	}
	for _, f := range left {
		if !want[f.Name()] {
			t.Errorf("%s is left", f.Name())
		}
		delete(want, f.Name())
	}
	if len(want) > 0 || !strings.Contains(log.String(), "files=600") || !strings.Contains(log.String(), "file="+stray.Place) {
		t.Errorf("%v are gone; the log says %s", want, &log)
	}
}

// A database that refers to few of the files, or to none, may belong to another file store.
func TestUnreferencedFilesAreKeptIfTheyAreTheMajority(t *testing.T) {
	dir := t.TempDir()
	first := &server.Server{Dir: dir}
	if err := first.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, err := server.DomainOf(first).Missions.StoreFile(t.Context(), "a.jpg", "image/jpeg", strings.NewReader("a"))
	if err := errors.Join(err, first.Close()); err != nil {
		t.Fatal(err)
	}
	age(t, filepath.Join(dir, "files"))
	var log lockedBuffer
	second := start(t, &server.Server{Dir: dir, Log: slog.New(slog.NewTextHandler(&log, nil))})
	server.WaitForSweep(second)
	if _, err := os.Stat(filepath.Join(dir, "files", f.Place)); err != nil || !strings.Contains(log.String(), "1 of 1") {
		t.Errorf("%v; the log says %s", err, &log)
	}
}

// age sets the times of the files in a folder back by an hour.
func age(t *testing.T, dir string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-time.Hour)
	for _, f := range all {
		if err := os.Chtimes(filepath.Join(dir, f.Name()), at, at); err != nil {
			t.Fatal(err)
		}
	}
}
