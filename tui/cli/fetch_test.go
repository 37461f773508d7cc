package cli

import (
	"errors"
	"fmt"
	"testing"

	"flightdesk/api/fetch"
)

func TestProductsAreNamedInAnyCaseAndWithoutUnderscore(t *testing.T) {
	only := fetchCommand().Flag("only").Value
	if err := only.Set("_2dMap,JPG, lidar"); err != nil {
		t.Error(err)
	}
	if err := only.Set("elevationmap"); err != nil || only.String() != "_2dMap,jpg,LiDAR,elevationMap" {
		t.Errorf("%s, %v", only, err)
	}
	if only.Set("jpg,photos") == nil {
		t.Error("photos are a product")
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

func TestFilesOnDiskAreListedInTheWordsOfTheApp(t *testing.T) {
	for want, state := range map[string]fetch.FileState{
		"local":   {Whole: true, Known: true, Done: 7},
		"changed": {Known: true, Changed: true, Done: 9},
		"part":    {Done: 3},
		"missing": {Known: true},
		"new":     {},
	} {
		if got := stateWord(&state); got != want {
			t.Errorf("%+v is %s, want %s", state, got, want)
		}
	}
}
