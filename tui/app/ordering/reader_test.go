package ordering_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/kmlcsv"
	"flightdesk/tui/app/ordering"
)

const threeSites = "name,lat,lng\nA,48.71,9.11\nB,48.72,9.12\nC,48.73,9.13\n"

func TestTooLargeFilesAreRejected(t *testing.T) {
	const line = `{"type":"LineString","coordinates":[[9,48],[9.1,48],[9.1,48.1],[9,48.2]]}`
	for name, tt := range map[string]struct {
		reader     ordering.FileReader
		text, want string
	}{
		"bytes":  {ordering.FileReader{MaxBytes: 50}, threeSites, "too large: over 50 B"},
		"sites":  {ordering.FileReader{MaxSites: 2}, threeSites, "more than 2 sites"},
		"points": {ordering.FileReader{MaxPoints: 3}, line, "have 4 points, more than the 3 that can be read here"},
	} {
		path := filepath.Join(t.TempDir(), "sites.txt")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if read, err := tt.reader.ReadFile(t.Context(), path, kmlcsv.Options{}); err == nil || !strings.Contains(err.Error(), tt.want) || read.Result != nil {
			t.Errorf("%s of a file: %v, %v", name, read.Result, err)
		}
		if read, err := tt.reader.ReadPasted(t.Context(), "a", tt.text, kmlcsv.Options{}); err == nil || !strings.Contains(err.Error(), tt.want) || read.Result != nil {
			t.Errorf("%s of a text: %v, %v", name, read.Result, err)
		}
	}
}

func TestTheLimitsApplyToAllFilesOfADraft(t *testing.T) {
	reader := ordering.FileReader{MaxSites: 5, MaxPoints: 5}
	draft := ordering.NewDraft()
	first, err := reader.ReadPasted(t.Context(), "first", threeSites, kmlcsv.Options{})
	if err != nil || reader.CheckDraft(draft, first) != nil {
		t.Fatal(err, reader.CheckDraft(draft, first))
	}
	draft.AddFile(first)
	if err := reader.CheckDraft(draft, first); err != nil {
		t.Errorf("a file that is read again counts twice: %v", err)
	}
	second, err := reader.ReadPasted(t.Context(), "second", threeSites, kmlcsv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.CheckDraft(draft, second); err == nil || !strings.Contains(err.Error(), "5 sites here, not 6") {
		t.Error(err)
	}
	reader.MaxSites = 0
	if err := reader.CheckDraft(draft, second); err == nil || !strings.Contains(err.Error(), "5 points here, not 6") {
		t.Error(err)
	}
}

func TestAReaderWaitsUntilItMayRead(t *testing.T) {
	turns := 0
	reader := ordering.FileReader{Wait: func(context.Context) (func(), error) {
		turns++
		return func() { turns-- }, nil
	}}
	for _, text := range []string{threeSites, "no sites"} {
		if _, err := reader.ReadPasted(t.Context(), "a", text, kmlcsv.Options{}); turns != 0 {
			t.Errorf("%d turns are not given back after %v", turns, err)
		}
	}
	refused := errors.New("not now")
	reader.Wait = func(context.Context) (func(), error) { return nil, refused }
	if _, err := reader.ReadPasted(t.Context(), "a", threeSites, kmlcsv.Options{}); !errors.Is(err, refused) {
		t.Error(err)
	}
	if _, err := reader.CompareFile(t.Context(), nil, "a", kmlcsv.Options{}); !errors.Is(err, refused) {
		t.Error(err)
	}
}
