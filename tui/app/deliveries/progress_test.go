package deliveries

import (
	"path/filepath"
	"testing"
	"time"

	"flightdesk/api/fetch"
	"flightdesk/tui/app/session"
)

func TestSizesAndTimesAreWritten(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{SizeDone(1_700_000_000, 4_200_000_000), "1.7 of 4.2 GB"},
		{SizeDone(241_900_000, 1_100_000_000), "241.9 MB of 1.1 GB"},
		{SizeDone(5, 5), "5 B"},
		{SizeDone(7, -1), "7 B"},
		{SizeDone(1, 10), "1 of 10 B"},
		{Lasts(-1), "–"},
		{Lasts(0), "0 s"},
		{Lasts(66 * time.Second), "1 m 06 s"},
		{Lasts(125 * time.Minute), "2 h 05 m"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestDamagedDownloadsOfTheLastRunAreDropped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	saved := session.OpenUIState(path)
	saved.Put(keptName, map[string]any{"open": []any{nil}})
	d := NewDownloads(fetch.Options{Dir: t.TempDir()}, saved)
	if d.IsPending() {
		t.Error("a download without a package is pending")
	}
}

func TestTheSizeOfDownloadedFilesLeavesOutFilesThatWereThereBefore(t *testing.T) {
	d := &Downloads{Items: []fetch.Item{
		{State: fetch.Done, Size: -1, Done: 5}, // the service has sent no size
		{State: fetch.Here, Size: 700, Done: 700},
		{State: fetch.Failed, Size: 30, Done: 10},
	}}
	if size, _ := d.result(); size != 5 {
		t.Errorf("size %d, want 5", size)
	}
}

func TestTheTimeLeftOfAPackageIsForFilesThatWillBeDownloaded(t *testing.T) {
	file := func(state fetch.State, size, done int64, speed float64) fetch.Item {
		return fetch.Item{PackageID: "p", State: state, Size: size, Done: done, Speed: speed}
	}
	running := file(fetch.Fetching, 100, 50, 10)
	for name, test := range map[string]struct {
		items []fetch.Item
		want  time.Duration
	}{
		"a waiting file":     {[]fetch.Item{running, file(fetch.Waiting, 100, 0, 0)}, 15 * time.Second},
		"a failed file":      {[]fetch.Item{running, file(fetch.Failed, 100, 0, 0)}, 5 * time.Second},
		"a paused file":      {[]fetch.Item{running, file(fetch.Paused, 100, 0, 0)}, 5 * time.Second},
		"a cancelled file":   {[]fetch.Item{running, file(fetch.Cancelled, 100, 0, 0)}, 5 * time.Second},
		"an unknown size":    {[]fetch.Item{running, file(fetch.Fetching, -1, 50, 10)}, -1},
		"a stalled download": {[]fetch.Item{file(fetch.Fetching, 1e15, 0, 1)}, -1}, // longer than a duration can be
	} {
		d := NewDownloads(fetch.Options{Dir: t.TempDir()}, nil)
		d.Items = test.items
		if got := d.ByPackage()[0].Sum.Left; got != test.want {
			t.Errorf("%s: %v left, want %v", name, got, test.want)
		}
	}
}
