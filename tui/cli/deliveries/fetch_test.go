package deliveries

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"flightdesk/api/fetch"
	"flightdesk/tui/layout"
)

func TestProductNamed(t *testing.T) {
	for name, want := range map[string]string{"_2dMap": "_2dMap", "2dmap": "_2dMap", "JPG": "jpg", "lidar": "LiDAR", "elevationMap": "elevationMap"} {
		if got, err := productNamed(name); err != nil || string(got) != want {
			t.Errorf("%q: %s, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "photos", "_"} {
		if got, err := productNamed(name); err == nil {
			t.Errorf("%q is %s", name, got)
		}
	}
}

func TestMetersFit(t *testing.T) {
	items := []fetch.Item{
		{Name: "map.tif", Size: 4_000_000_000, Done: 1_234_567_890, Speed: 12_345_678, Left: 3*time.Hour + 5*time.Second},
		{Name: strings.Repeat("東", 90) + ".tif", Size: -1, Done: 5, Left: -1},
		{Name: "a\x1b[2J\nb", Size: 0, Note: "retrying at 12:00:00"},
	}
	for width := meterNarrow; width < 200; width++ {
		lines := []string{sumMeter(fetch.Summary{
			Count: map[fetch.State]int{fetch.Done: 1200, fetch.Failed: 3, fetch.Waiting: 99}, Size: 1 << 50, Done: 1 << 49, Speed: 1e9, Left: -1,
		}, width)}
		for _, it := range items {
			lines = append(lines, fileMeter(it, width))
		}
		for _, line := range lines {
			if layout.Width(line) > width || strings.ContainsAny(line, "\x1b\n") {
				t.Fatalf("at %d: %d cells: %q", width, layout.Width(line), line)
			}
		}
	}
	const want = "map.tif                                    ██████░░░░░░░░░░░░░░   30%     1.2 GB     12.3 MB/s   3:00:05"
	if got := fileMeter(items[0], 104); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestFailure(t *testing.T) {
	full := fmt.Errorf("%w: 2 GB are to come", fetch.ErrNoSpace)
	for want, items := range map[string][]fetch.Item{
		"": {{Name: "a"}},
		"a: cut; run the command again to resume":                                                 {{Name: "b"}, {Name: "a", Err: errors.New("cut")}},
		"a: cut; run the command again to resume (2 files failed)":                                {{Name: "a", Err: errors.New("cut")}, {Name: "b", Err: errors.New("x")}},
		"the disk is full: 2 GB are to come; free some space and run the command again to resume": {{Name: "a", Err: full}, {Name: "b", Err: full}},
		"to/a: another file has this name; move the file and run the command again":               {{Name: "a", Path: "to/a", Err: fetch.ErrExists}},
	} {
		got := ""
		if err := failuresError(items); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
