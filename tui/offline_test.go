package tui_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/tui"
	"flightdesk/tui/apptest"
	"flightdesk/tui/tuitest"
)

// away is a service that can be unreachable, and the folder of an app that keeps offline copies.
type away struct {
	t    *testing.T
	gone atomic.Bool
	url  string
	path string
}

func goesAway(t *testing.T, serve http.HandlerFunc) *away {
	a := &away{t: t, path: filepath.Join(t.TempDir(), "known", "prod.json")}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.gone.Load() {
			apptest.WriteAnswer(w, 500, `{"success":false,"message":"the service rests","data":{"code":"internal"}}`)
			return
		}
		serve(w, r)
	}))
	t.Cleanup(web.Close)
	a.url = web.URL
	return a
}

// app starts a run of the app, later than the first run by a duration.
func (a *away) app(later time.Duration, change ...func(*tui.Options)) *apptest.Session {
	a.t.Helper()
	d := tuitest.New(a.t)
	d.Advance(later)
	return apptest.OpenOn(
		a.t, d, a.url, "fd_test_key", "ACME Geo GmbH", 100, 40,
		append(change, func(o *tui.Options) { o.Known = a.path })...,
	)
}

// kept is a service with an entry in every list. Its responses have secrets.
func kept() http.HandlerFunc {
	g := &growing{
		mission: `"status":"flightScheduled","flightDate":"2026-11-27T08:30:00+01:00","operatorName":"AeroScan","secretUrl":"http://x/SECRET"`,
		quotes:  strings.Replace(aQuote, "}", `,"link":"http://x/SECRET"}`, 1), updated: tuitest.Clock.Add(-time.Hour),
	}
	return func(w http.ResponseWriter, r *http.Request) {
		g.serve(&linking{w}, r)
	}
}

// linking adds links and addresses to orders.
type linking struct{ http.ResponseWriter }

func (l *linking) Write(p []byte) (int, error) {
	s := strings.Replace(
		string(p), `"orderName":"Levee"`,
		`"orderName":"Levee","clientEmail":"SECRET@x","deliveryFiles":["http://x/SECRET"],"notifications":{"webhook":"https://x/SECRET"},"token":"SECRET"`,
		1,
	)
	_, err := l.ResponseWriter.Write([]byte(s))
	return len(p), err
}

func TestOfflineCopyIsShownWhileTheServiceIsDown(t *testing.T) {
	a := goesAway(t, kept())
	first := a.app(0, apptest.AtHome)
	first.RequireText("ORD-7", "AeroScan")
	first.Close()
	info, err := os.Stat(a.path)
	text, readErr := os.ReadFile(a.path)
	if err != nil || readErr != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v, %v", info, err, readErr)
	}
	for _, secret := range []string{"SECRET", "fd_test_key"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("%s is kept: %s", secret, text)
		}
	}

	a.gone.Store(true)
	d := a.app(2*time.Hour, apptest.AtHome)
	d.RequireText("as of 2 h ago", "MSN-9", "Fri 27 Nov  08:30", "1 quote", "Showing 1 order, loaded 2 h ago")
	d.Press("2")
	d.RequireText("ORD-7", "Levee", "Showing 1 order, loaded 2 h ago")
	d.Press("enter")
	d.RequireText("› ORD-7", "MSN-9", "Showing data loaded 2 h ago")
	d.Press("enter")
	d.RequireText("› MSN-9", "Flight    Fri 27 Nov 08:30", "AeroScan")
	d.Press("3")
	d.RequireText("as of 2 h ago", "MSN-9", "Showing 1 mission, loaded 2 h ago")
	d.Press("4")
	d.RequireText("as of 2 h ago", "ORD-7", "12,420.00 EUR")

	a.gone.Store(false)
	d.Press("r")
	d.RequireText("1 to decide · refreshed just now")
	d.Press("3", "r")
	d.RequireText("1 mission · refreshed just now")
	d.SeesNot("Kept:", "as of")
	d.Press("2", "2", "r")
	d.RequireText("1 order · refreshed just now")
}

func TestOfflineCopyOfAnotherServiceIsNotShown(t *testing.T) {
	a := goesAway(t, kept())
	a.app(0, apptest.AtHome).Close()
	text, err := os.ReadFile(a.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, spoilt := range []string{
		strings.Replace(string(text), a.url, "http://other.example", 1), string(text[:len(text)/2]),
		`{"format":99}`, "",
	} {
		if err := os.WriteFile(a.path, []byte(spoilt), 0o600); err != nil {
			t.Fatal(err)
		}
		a.gone.Store(true)
		d := a.app(time.Hour, apptest.AtHome)
		d.SeesNot("ORD-7", "as of")
		d.Close()
		a.gone.Store(false)
	}
}

func TestFramesWhileTheServiceIsAway(t *testing.T) {
	a := goesAway(t, kept())
	a.app(0, apptest.AtHome).Close()
	a.gone.Store(true)
	d := a.app(2*time.Hour, apptest.AtHome)
	for i, name := range []string{"home", "orders", "missions", "quotes"} {
		d.Press(string(rune('1' + i)))
		d.CompareFrames(t, name)
	}
	d.Press("2", "enter")
	d.CompareFrames(t, "order")
}
