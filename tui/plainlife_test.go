package tui_test

import (
	"bytes"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/tui"
)

// plainDemo runs a demo service in this process, and returns options with the key of its first
// account and an operations key. The caller runs in synctest.Test, whose clock only advances when
// nothing else is left to do. So no timeout depends on the speed of this machine.
func plainDemo(t *testing.T) tui.Options {
	t.Helper()
	s := &server.Server{Demo: true}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	transport := api.WithTransport(s.Transport())
	client, err := api.NewClient(
		s.BaseURL(), api.WithKey(s.Accounts()[0].Key), api.WithLegacyURL(s.LegacyURL()), transport,
	)
	if err != nil {
		t.Fatal(err)
	}
	opsClient, err := ops.NewClient(s.OpsURL(), s.OpsKey, transport)
	if err != nil {
		t.Fatal(err)
	}
	profile := tui.ProfileOptions{Client: client, Ops: opsClient, Profile: "prod"}
	profile.Fetch.Transport = slowTransport{s.Transport()}
	return tui.Options{ProfileOptions: profile, Folder: t.TempDir()}
}

// slowTransport waits a second before each request.
type slowTransport struct{ http.RoundTripper }

func (s slowTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(time.Second) // of the fake clock
	return s.RoundTripper.RoundTrip(r)
}

// spoken runs the app in plain mode with input lines, and returns its output.
func spoken(t *testing.T, opts tui.Options, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := tui.RunPlain(t.Context(), opts, strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// says fails unless the output matches the patterns one after the other.
func says(t *testing.T, out string, patterns ...string) {
	t.Helper()
	rest := out
	for _, p := range patterns {
		at := regexp.MustCompile("(?m)" + p).FindStringIndex(rest)
		if at == nil {
			t.Fatalf("no %q behind what was found before, in\n%s", p, out)
		}
		rest = rest[at[1]:]
	}
}

func TestPlainLoadsAnOrderBeforePrintingIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := spoken(t, plainDemo(t), ":ORD-100231", ":quotes", ":webhooks", "quit")
		says(
			t, out, `ORD-100231 - refreshed`, `^Express, 28,454\.00 EUR`, `^selected: MSN-300538`,
			`== Quotes - `, `== Webhooks - 3 endpoints`,
		)
	})
}

func TestPlainPlacesAnOrderAndDownloadsItsData(t *testing.T) {
	synctest.Test(t, placeAnOrderAndDownloadItsData)
}

func placeAnOrderAndDownloadItsData(t *testing.T) {
	opts := plainDemo(t)
	if err := os.WriteFile(
		filepath.Join(opts.Folder, "quay.csv"), []byte("name,lat,lng\nCrane 7,53.53,9.91\n"), 0o600,
	); err != nil {
		t.Fatal(err)
	}
	out := spoken(t, opts,
		"2", "n", "quay.csv", "]", "other", "in 2 weeks", "in 4 weeks", "Harbour Works", "Quay crane", "", "jpg, 3d map", "asset insp", ":ctrl+s", "place order", "perhaps", "y",
		"9", "/", "quay", "i", "enter",
		":100250", "c", "A", "300", "350", "wait",
		"9", "/", "crane 7", "a", "Mele Taufa", "s", "in 3 days", "09:30", "enter", "d", "enter", "A", "enter",
		":100250", "f", "f", "wait", "quit",
	)
	says(t, out,
		`^Asset type: empty\. One of: .*, Other$`, `^> Products: Photos \(JPEG\), 2D map\. Any of, with commas between: Photos`,
		`^Answer y or enter: place order; n or esc: back\.$`, `^> -- answer y or n$`, `^> -- Order ORD-100250 placed$`,
		`^> Issue quote: ORD-100250$`, `^> -- Quote Standard issued: 350\.00 EUR`,
		`^selected: Quote 1 of 1: Standard`, `^Final price: 350\.00 EUR$`, `^Type 350 to confirm$`, `^> Confirm: 300\. Does not match 350$`, `^-- Accepting .*; wait to continue then$`, `^> -- Accepted`,
		`^> -- MSN-300568 .*: operator assigned, Mele Taufa$`, `^> -- MSN-300568 .*: flight scheduled, .* 09:30 [+-]\d\d:\d\d$`, `^> -- Package 1 delivered: [0-9]+ files`, `^> -- MSN-300568 .*: Completed$`,
		`^-- downloading [0-9]+ of [0-9]+ files.*; wait to continue then$`, `^> -- [0-9]+ files .* downloaded to `, `photo-0001.*Local: yes\.$`,
	)
	var files []string
	err := filepath.WalkDir(filepath.Join(opts.Folder, "deliveries"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, filepath.Base(path))
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Errorf("files %v, %v, after\n%s", files, err, out)
	}
}
