package tui

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/api/fetch"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/theme"
)

func TestDownloadPanelFitsAnyRectangle(t *testing.T) {
	th, err := theme.NamedTheme("dark", true)
	if err != nil {
		t.Fatal(err)
	}
	d := deliveries.NewDownloads(fetch.Options{Dir: "/data/\x1b[2J東京/" + strings.Repeat("deep/", 30)}, nil)
	d.Items = []fetch.Item{
		{ID: 1, Name: "map.tif", Size: 4_200_000_000, Done: 1_700_000_000, Speed: 38e6, Left: 66 * time.Second, State: fetch.Fetching, Connections: 4},
		{ID: 2, Name: strings.Repeat("東", 90), Size: -1, Done: 5, Left: -1, State: fetch.Fetching, Note: "retrying at 12:00:00"},
		{ID: 3, Name: "a\x1b[2J\nb", State: fetch.Failed, Err: errors.New("the line\x1b was cut")},
		{ID: 4, Name: "empty", State: fetch.Done},
		{ID: 5, Name: "later", Size: 9, State: fetch.Waiting},
	}
	d.Sum = fetch.Summary{
		Count: map[fetch.State]int{fetch.Fetching: 2, fetch.Failed: 1, fetch.Done: 1, fetch.Waiting: 1},
		Size:  4_200_000_000,
		Done:  1_700_000_000,
	}
	d.Free = 212_000_000_000
	for w := 20; w < 200; w++ {
		for h := 1; h < 9; h++ {
			lines := strings.Split(strings.Join(downloadPanel(d, th, w, h, func(s string) string { return s }), "\n"), "\n")
			if len(lines) != h {
				t.Fatalf("%dx%d has %d lines", w, h, len(lines))
			}
			for _, l := range lines {
				if plain := ansi.Strip(l); ansi.StringWidth(plain) != w || strings.ContainsRune(plain, '\x1b') {
					t.Fatalf("%dx%d: %q", w, h, plain)
				}
			}
		}
	}
	screen := ansi.Strip(strings.Join(downloadPanel(d, th, 140, 7, func(s string) string { return s }), "\n"))
	for _, want := range []string{
		"Downloads  1 of 5", "212.0 GB free", "↓ map.tif", " 40%  ━", "1.7 of 4.2 GB",
		"38.0 MB/s   1 m 06 s  4 parts", "! a␛[2J", "All 5 files", "no limit",
	} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is not in\n%s", want, screen)
		}
	}
}

func TestFilesOfSeveralPackagesAreShownByPackage(t *testing.T) {
	th, err := theme.NamedTheme("none", true)
	if err != nil {
		t.Fatal(err)
	}
	d := deliveries.NewDownloads(fetch.Options{Dir: "/data"}, nil)
	item := func(mission, name string, state fetch.State, done int64) fetch.Item {
		return fetch.Item{
			PackageID: mission, PackageName: "Block A", Mission: mission,
			Name: name, State: state, Size: 3e6, Done: done, Speed: float64(done) / 10,
		}
	}
	cut := item("MSN-3", "photo-0001.jpg", fetch.Failed, 0)
	cut.Err = errors.New("the line was cut")
	d.Items = []fetch.Item{
		item("MSN-1", "photo-0001.jpg", fetch.Waiting, 0),
		item("MSN-2", "photo-0001.jpg", fetch.Fetching, 15e5),
		item("MSN-2", "photo-0002.jpg", fetch.Done, 3e6),
		cut,
	}
	d.Sum = fetch.Summary{
		Count: map[fetch.State]int{fetch.Fetching: 1, fetch.Waiting: 1, fetch.Done: 1, fetch.Failed: 1},
		Size:  12e6, Done: 45e5, Left: 92 * time.Second, Rate: 1e6,
	}
	d.Free = 80_300_000_000
	if d.Rows() != 5 {
		t.Errorf("the panel has %d rows, want a row per package, the title and the sum", d.Rows())
	}
	screen := strings.Join(downloadPanel(d, th, 80, 5, func(s string) string { return s }), "\n")
	lines := strings.Split(ansi.Strip(screen), "\n")
	for i, want := range []string{
		"─ Downloads  1 of 4 · limit 1.0 MB/s ─",
		" ↓ Block A MSN-2  75%  ━",
		" ! Block A MSN-3   0%  ─",
		" · Block A MSN-1   0%  ─",
		"   All 4 files    37%  ━",
	} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d of the panel does not begin with %q:\n%s", i, want, strings.Join(lines, "\n"))
		}
	}
	for _, want := range []string{"1 of 2    4.5 of 6.0 MB", " 3 s", "0 of 1    photo-0001.jpg: the line was cut", "1 of 4    4.5 of 12.0 MB       1 m 32 s"} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is not in the panel:\n%s", want, screen)
		}
	}
}

func TestThePackageOfAFileOfUnknownSizeHasNoPercentage(t *testing.T) {
	d := deliveries.NewDownloads(fetch.Options{Dir: "/data"}, nil)
	d.Items = []fetch.Item{
		{PackageID: "p", State: fetch.Done, Size: 100, Done: 100},
		{PackageID: "p", State: fetch.Fetching, Size: -1, Done: 50},
	}
	bar := packageBar(&d.ByPackage()[0])
	if !math.IsNaN(bar.Share) {
		t.Errorf("the bar has the share %v and the text %q", bar.Share, bar.Text)
	}
	d.Items[1] = fetch.Item{PackageID: "p", State: fetch.Done, Size: 50, Done: 50}
	if bar := packageBar(&d.ByPackage()[0]); bar.Share != 1 {
		t.Errorf("after the download, the share is %v", bar.Share)
	}
}

func TestOneDownloadRefreshIsScheduledAtATime(t *testing.T) {
	var timer downloadTimer
	if timer.schedule(false) {
		t.Error("a refresh was scheduled although nothing is running")
	}
	if !timer.schedule(true) || timer.schedule(true) {
		t.Error("not exactly one refresh was scheduled")
	}
	checks := 0
	for range 2 * freeRefreshes {
		if timer.countRefresh() {
			checks++
		}
	}
	if checks != 2 || !timer.schedule(true) {
		t.Errorf("the free space was checked %d times in %d refreshes", checks, 2*freeRefreshes)
	}
}

func TestResumeAttemptsBecomeLessFrequent(t *testing.T) {
	var timer downloadTimer
	for i, want := range []time.Duration{1, 2, 4, 8, 16, 32, 32} {
		wait, isFirst := timer.countResume()
		if wait != want*resumeTime || isFirst != (i == 0) {
			t.Errorf("attempt %d: again after %v, is first: %v", i+1, wait, isFirst)
		}
	}
}

func TestExistingFilesDoNotCountAsDownloaded(t *testing.T) {
	d := deliveries.NewDownloads(fetch.Options{Dir: "/data"}, nil)
	shortPath := func(path string) string { return path }
	d.Sum = fetch.Summary{Count: map[fetch.State]int{fetch.Here: 2}}
	if got := describeEnd(d, deliveries.DownloadChange{}, shortPath).Text; got != "2 files already in /data" {
		t.Error(got)
	}
	d.Sum.Count[fetch.Done] = 3
	got := describeEnd(d, deliveries.DownloadChange{Bytes: 9}, shortPath).Text
	if got != "3 files (9 B) downloaded to /data, 2 already there" {
		t.Error(got)
	}
}
