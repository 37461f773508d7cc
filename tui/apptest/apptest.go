// Package apptest starts the complete app for the tests of pages, without a terminal. The app uses the
// real service, or a handler of the test. The package also compares pages with the golden files of the
// package under test.
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
	"flightdesk/tui/app/changes"
	"flightdesk/tui/tuitest"
	"flightdesk/tui/widget/geomap"
)

// Session is a run of the complete app, driven without a terminal.
type Session struct {
	*tuitest.Driver
	T       testing.TB
	Client  *api.Client
	Options tui.Options
	App     *tui.App
}

// Close closes the app, as the program does when it ends. It fails the test on an error.
func (d *Session) Close() {
	d.T.Helper()
	if err := d.App.Close(); err != nil {
		d.T.Fatal(err)
	}
}

// Open starts a demo service in this process, and the app with a demo account of that service, in a window of
// w by h cells.
func Open(t testing.TB, w, h int, change ...func(*tui.Options)) *Session {
	t.Helper()
	d, _ := OpenServer(t, &server.Server{Demo: true}, w, h, change...)
	return d
}

// OpenOperations starts a demo service in this process, and the app with the section Operations of that
// service. It also returns a client of the operations API.
func OpenOperations(t testing.TB, w, h int, change ...func(*tui.Options)) (*Session, *ops.Client) {
	t.Helper()
	changes := append([]func(*tui.Options){AtOperations}, change...)
	return OpenServer(t, &server.Server{Demo: true}, w, h, changes...)
}

// OpenServer starts the service s and the app with the first account of s. It also returns a client of the
// operations API. The service uses the clock of the session's driver.
func OpenServer(
	t testing.TB, s *server.Server, w, h int, change ...func(*tui.Options),
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
	opsClient, err := ops.NewClient(web.URL+server.OpsPath, s.OpsKey)
	if err != nil {
		t.Fatal(err)
	}
	addOpsKey := func(o *tui.Options) {
		if o.Begin == action.GoOps {
			o.Ops = opsClient
		}
	}
	account := s.Accounts()[0]
	base := web.URL + server.PublicPath
	// addOpsKey reads Begin, which the other changes can set, so it must be last.
	change = append(change, addOpsKey)
	app := OpenOn(t, d, base, account.Key, account.CompanyName, w, h, change...)
	return app, opsClient
}

// OpenAgainst starts the app on a service with the handler h.
func OpenAgainst(t testing.TB, h http.HandlerFunc, change ...func(*tui.Options)) *Session {
	t.Helper()
	d := tuitest.New(t)
	return OpenOn(t, d, serveAt(t, d.Now, h), "fd_test_key", "ACME Geo GmbH", 100, 30, change...)
}

// OpenUnanswered starts the app on a service with the handler h. The app sends no requests before
// [tuitest.Driver.Release].
func OpenUnanswered(t testing.TB, h http.HandlerFunc, change ...func(*tui.Options)) *Session {
	t.Helper()
	d := tuitest.New(t)
	d.Hold()
	return OpenOn(t, d, serveAt(t, d.Now, h), "fd_test_key", "ACME Geo GmbH", 100, 30, change...)
}

// serveAt starts a service with the handler h and the clock now, and returns its address.
func serveAt(t testing.TB, now func() time.Time, h http.HandlerFunc) string {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", now().UTC().Format(http.TimeFormat))
		w.Header().Set(api.HeaderTimestamp, now().UTC().Format(time.RFC3339))
		h(w, r)
	}))
	t.Cleanup(web.Close)
	return web.URL
}

// Patience is the timeout of requests. It is long, because tests with the race detector are slow on a busy machine.
var Patience = time.Minute

// OpenOn starts the app on the service at an address, with the key of an account.
func OpenOn(
	t testing.TB, d *tuitest.Driver, base, key, company string, w, h int, change ...func(*tui.Options),
) *Session {
	t.Helper()
	geomap.PreloadPlaces() // without this, the app would load them shortly after its start
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
		LookSchedule: changes.LookSchedule{Pauses: make([]time.Duration, 3)}, // without pauses
		Theme:        "dark",
		Folder:       CopySurveys(t),
		Begin:        action.GoOrders,
		Now:          d.Now,
		After:        d.After,
	}
	for _, c := range change {
		c(&opts)
	}
	app := tui.New(opts)
	t.Cleanup(func() { _ = app.Close() }) // otherwise the app may write to folders that are being removed
	d.Start(app, w, h)
	return &Session{d, t, client, opts, app}
}

// CopySurveys copies the survey files into a new home folder and sets their dates, so that screens with paths and
// ages of files are always the same.
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
	modified := tuitest.Clock.Add(-3 * time.Hour)
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if err := os.Chtimes(path, time.Time{}, modified); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// WriteFile writes a file into the folder of the survey files, and returns its path.
func (d *Session) WriteFile(name, content string) string {
	d.T.Helper()
	path := filepath.Join(d.Options.Folder, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		d.T.Fatal(err)
	}
	return path
}

// NewestOrder returns the newest order of the account, with all its details.
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

// ToReview creates an order from a survey file and goes to the order's review. The app must show the
// list of orders.
func (d *Session) ToReview(file string) {
	d.T.Helper()
	d.Press("n")
	d.Type(file)
	d.Press("enter", "]")
	d.Type("wat")
	d.Press("ctrl+s")
	d.RequireText("[4 Review]")
}

// WriteAnswer writes a response of the service.
func WriteAnswer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// OrderList returns the body of a response with a list of orders or other objects. Each argument has the JSON
// members of one object, such as `"uuid":"o-1","orderCode":"ORD-7"`.
func OrderList(members ...string) string {
	objects := make([]string, len(members))
	for i, m := range members {
		objects[i] = "{" + m + "}"
	}
	return listOf(strings.Join(objects, ","))
}

func listOf(items string) string {
	return answerOf(`{"data":[` + items + `],"nextCursor":null,"hasNextPage":false}`)
}

// answerOf returns the body of a successful response. data is the JSON of its member "data".
func answerOf(data string) string { return `{"success":true,"message":"","data":` + data + `}` }

// AnswerNothing responds with an empty list.
func AnswerNothing(w http.ResponseWriter, _ *http.Request) { WriteAnswer(w, 200, OrderList()) }

// AnswerBroken responds with the error storage_full, status 500. The client does not repeat a request after
// this error.
func AnswerBroken(w http.ResponseWriter, _ *http.Request) {
	const body = `{"success":false,"message":"the disk is full","data":{"code":"storage_full","requestId":"r-1"}}`
	WriteAnswer(w, 500, body)
}

// AllKeys returns the keys of all actions except Quit and Suspend. It adds a few keys that move, close or
// type text.
func AllKeys() []string {
	keys := []string{"a", "東", "left", "right", "esc", "esc", "x"}
	for _, act := range action.AllActions() {
		if act.ID != action.Quit && act.ID != action.Suspend {
			keys = append(keys, act.Keys...)
		}
	}
	return keys
}

// AtHome starts the app at Home.
func AtHome(o *tui.Options) { o.Begin = "" }

// AtOperations starts the app at Operations, with the operations key.
func AtOperations(o *tui.Options) { o.Begin = action.GoOps }

// ReadFile returns the content of a file in the folder of the survey files.
func (d *Session) ReadFile(name string) []byte {
	d.T.Helper()
	content, err := os.ReadFile(filepath.Join(d.Options.Folder, name))
	if err != nil {
		d.T.Fatal(err)
	}
	return content
}

// ServeMission returns the handler of a service with one order and one mission, whose ID is m-1. mission has
// more JSON members of the mission. parts has the items of the mission's lists as JSON. The key of a list is
// the last element of its path. parts["permission"] is the flight permission.
func ServeMission(mission string, parts map[string]string) http.HandlerFunc {
	const order = `"uuid":"o-1","orderCode":"ORD-7","orderName":"Levee","status":"flyingDateSet",` +
		`"deadline":"2026-12-01T00:00:00+01:00","updatedAt":"2026-11-20T09:00:00Z"`
	const site = `"uuid":"m-1","missionCode":"MSN-9","missionName":"Levee km 3","country":"Germany",` +
		`"locationMap":[{"lat":53.6,"lng":9.4}]`
	return func(w http.ResponseWriter, r *http.Request) {
		switch part := filepath.Base(r.URL.Path); part {
		case "orders":
			WriteAnswer(w, http.StatusOK, OrderList(order))
		case "missions":
			WriteAnswer(w, http.StatusOK, OrderList(site+","+mission))
		case "flight-permission":
			servePermission(w, r, parts["permission"])
		case "permit":
			_, _ = w.Write([]byte("%PDF-1.7 granted"))
		default:
			WriteAnswer(w, http.StatusOK, listOf(parts[part]))
		}
	}
}

// servePermission responds with a flight permission. In the text of the permission, HOST stands for the address of
// the service. If the permission is "", it responds with 404.
func servePermission(w http.ResponseWriter, r *http.Request, permission string) {
	if permission == "" {
		const body = `{"success":false,"message":"no flight permission is recorded","data":{"code":"not_found"}}`
		WriteAnswer(w, http.StatusNotFound, body)
		return
	}
	WriteAnswer(w, http.StatusOK, answerOf(strings.ReplaceAll(permission, "HOST", "http://"+r.Host)))
}
