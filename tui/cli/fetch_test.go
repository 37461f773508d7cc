package cli

import (
	"errors"
	"fmt"
	"testing"

	"flightdesk/api/fetch"
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
