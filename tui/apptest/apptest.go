// Package apptest starts the real app for the tests of pages: on the real
// service or on one that answers as a test wants, driven without a terminal. It
// compares what a page draws with golden files of the package that tests it.
package apptest

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/tui"
	"flightdesk/tui/action"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/tuitest"
	"flightdesk/tui/widget/geomap"
)

// Session is the real app, driven without a terminal.
type Session struct {
	*tuitest.Driver
	T       testing.TB
	Client  *api.Client
	Options tui.Options
	App     *tui.App
}

// Close ends the app as the end of its program does.
func (d *Session) Close() {
	d.T.Helper()
	if err := d.App.Close(); err != nil {
		d.T.Fatal(err)
	}
}

// Open starts the app at a size, on the real service with its demo accounts.
func Open(t testing.TB, w, h int, change ...func(*tui.Options)) *Session {
	t.Helper()
	d, _ := OpenServer(t, &server.Server{Demo: true}, w, h, change...)
	return d
}

// OpenOperations starts the app at Operations of the real service.
func OpenOperations(t testing.TB, w, h int, change ...func(*tui.Options)) (*Session, *ops.Client) {
	t.Helper()
	return OpenServer(t, &server.Server{Demo: true}, w, h, append([]func(*tui.Options){AtOperations}, change...)...)
}

// OpenServer starts the app with the first account of a service, whose clock is that of
// the driver, and returns a client of its operations API.
func OpenServer(
	t testing.TB,
	s *server.Server,
	w, h int,
	change ...func(*tui.Options),
) (*Session, *ops.Client) {
	t.Helper()
	d := tuitest.New(t)
	s.Now = d.Now
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		web.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	desk, err := ops.NewClient(web.URL+server.OpsPath, s.OpsKey)
	if err != nil {
		t.Fatal(err)
	}
	withKey := func(o *tui.Options) {
		if o.Begin == action.GoOps {
			o.Ops = desk
		}
	}
	account := s.Accounts()[0]
	base := web.URL + server.PublicPath
	return OpenOn(t, d, base, account.Key, account.CompanyName, w, h, append(change, withKey)...), desk
}

// OpenAgainst starts the app on a service that answers with h.
func OpenAgainst(t testing.TB, h http.HandlerFunc, change ...func(*tui.Options)) *Session {
	t.Helper()
	d := tuitest.New(t)
	return OpenOn(t, d, serveAt(t, d.Now, h), "fd_test_key", "ACME Geo GmbH", 100, 30, change...)
}

// OpenUnanswered starts the app on a service whose answers are held until
// [tuitest.Driver.Release].
func OpenUnanswered(t testing.TB, h http.HandlerFunc, change ...func(*tui.Options)) *Session {
	t.Helper()
	d := tuitest.New(t)
	d.Hold()
	return OpenOn(t, d, serveAt(t, d.Now, h), "fd_test_key", "ACME Geo GmbH", 100, 30, change...)
}

// serveAt returns the address of a service whose clock is now.
func serveAt(t testing.TB, now func() time.Time, h http.HandlerFunc) string {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", now().UTC().Format(http.TimeFormat))
		w.Header().Set(api.HeaderTimestamp, now().UTC().Format(time.RFC3339)) // its clock was set
		h(w, r)
	}))
	t.Cleanup(web.Close)
	return web.URL
}

// The program that a test of this package runs does not wait either.
func init() { ordering.LookPauses = make([]time.Duration, 3) }

// Patience is how long an answer is waited for.
var Patience = time.Second

// OpenOn starts the app on a service.
func OpenOn(
	t testing.TB,
	d *tuitest.Driver,
	base, key, company string,
	w, h int,
	change ...func(*tui.Options),
) *Session {
	t.Helper()
	geomap.PreloadPlaces() // the app reads the names of towns a moment after its start
	legacy := strings.Replace(base, server.PublicPath, server.LegacyPath, 1)
	client, err := api.NewClient(
		base,
		api.WithKey(key),
		api.WithLegacyURL(legacy),
		api.WithTimeout(Patience),
		api.WithBackoff(time.Millisecond),
	)
	if err != nil {
		t.Fatal(err)
	}
	opts := tui.Options{
		ProfileOptions: tui.ProfileOptions{
			Client:     client,
			Company:    company,
			Profile:    "demo",
			Host:       "127.0.0.1:8080",
			ServerMode: true,
		},
		Theme:  "dark",
		Folder: CopySurveys(t),
		Begin:  action.GoOrders,
		Now:    d.Now,
		After:  d.After,
	}
	for _, c := range change {
		c(&opts)
	}
	app := tui.New(opts)
	d.Start(app, w, h)
	return &Session{d, t, client, opts, app}
}

// CopySurveys copies the survey files into a home of their own, with a date of
// their own, so that frames with paths and ages are always the same.
func CopySurveys(t testing.TB) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	folder := filepath.Join(home, "surveys")
	if err := os.CopyFS(folder, server.DemoSurveys()); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Chtimes(
			filepath.Join(folder, e.Name()),
			time.Time{},
			tuitest.Clock.Add(-3*time.Hour),
		); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// WriteFile puts a file beside the survey files and returns its path.
func (d *Session) WriteFile(name, content string) string {
	d.T.Helper()
	path := filepath.Join(d.Options.Folder, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		d.T.Fatal(err)
	}
	return path
}

// NewestOrder returns the newest order of the account, in full.
func (d *Session) NewestOrder() *api.Order {
	d.T.Helper()
	list, err := d.Client.Orders.List(d.T.Context(), api.ListOptions{Limit: 1})
	if err != nil || len(list.Items) == 0 {
		d.T.Fatalf("newest order: %+v, %v", list, err)
	}
	o, err := d.Client.Orders.Get(d.T.Context(), list.Items[0].OrderCode)
	if err != nil {
		d.T.Fatal(err)
	}
	return o
}

// ToReview goes from the list to the review of an order from a file.
func (d *Session) ToReview(file string) {
	d.T.Helper()
	d.Press("n")
	d.Type(file)
	d.Press("enter", "]")
	d.Type("wat")
	d.Press("ctrl+s")
	d.RequireText("[4 Review]")
}

// WriteAnswer writes an answer of the service.
func WriteAnswer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// OrderList returns a list answer of orders, each given as the members of an object.
func OrderList(members ...string) string {
	for i, m := range members {
		members[i] = "{" + m + "}"
	}
	return listOf(strings.Join(members, ","))
}

func listOf(items string) string {
	return answerOf(`{"data":[` + items + `],"nextCursor":null,"hasNextPage":false}`)
}

// answerOf returns an answer with data.
func answerOf(data string) string { return `{"success":true,"message":"","data":` + data + `}` }

// AnswerNothing answers that there is nothing.
func AnswerNothing(w http.ResponseWriter, _ *http.Request) { WriteAnswer(w, 200, OrderList()) }

// AnswerBroken answers that the service has a fault, which is not asked again.
func AnswerBroken(w http.ResponseWriter, _ *http.Request) {
	WriteAnswer(
		w,
		500,
		`{"success":false,"message":"the disk is full","data":{"code":"storage_full","requestId":"r-1"}}`,
	)
}

// AllKeys returns all that a page could be asked, and some letters.
func AllKeys() []string {
	all := []string{"a", "東", "left", "right", "esc", "esc", "x"}
	for _, act := range action.AllActions() {
		for _, k := range act.Keys {
			if act.ID != action.Quit && act.ID != action.Suspend {
				all = append(all, k)
			}
		}
	}
	return all
}

// AtHome begins where the app does.
func AtHome(o *tui.Options) { o.Begin = "" }

// AtOperations begins at Operations, with their key.
func AtOperations(o *tui.Options) { o.Begin = action.GoOps }

// ReadFile returns a file beside the survey files.
func (d *Session) ReadFile(name string) []byte {
	d.T.Helper()
	content, err := os.ReadFile(filepath.Join(d.Options.Folder, name))
	if err != nil {
		d.T.Fatal(err)
	}
	return content
}

// ServeMission answers like a service with one order of one mission, m-1, whose
// parts are given; a missing part is one that is not there.
func ServeMission(mission string, parts map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		part, permission := filepath.Base(r.URL.Path), parts["permission"]
		status := http.StatusOK
		var answer string
		switch {
		case part == "orders":
			answer = OrderList(
				`"uuid":"o-1","orderCode":"ORD-7","orderName":"Levee","status":"flyingDateSet","deadline":"2026-12-01T00:00:00+01:00","updatedAt":"2026-11-20T09:00:00Z"`,
			)
		case part == "missions":
			answer = OrderList(
				`"uuid":"m-1","missionCode":"MSN-9","missionName":"Levee km 3","country":"Germany","locationMap":[{"lat":53.6,"lng":9.4}],` + mission,
			)
		case part == "flight-permission" && permission == "":
			status = http.StatusNotFound
			answer = `{"success":false,"message":"no flight permission is recorded","data":{"code":"not_found"}}`
		case part == "flight-permission":
			answer = answerOf(strings.ReplaceAll(permission, "HOST", "http://"+r.Host))
		case part == "permit":
			_, _ = w.Write([]byte("%PDF-1.7 granted"))
			return
		default:
			answer = listOf(parts[part])
		}
		WriteAnswer(w, status, answer)
	}
}
