package tui_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/demodata"
	"flightdesk/tui"
	"flightdesk/tui/action"
	"flightdesk/tui/tuitest"
	"flightdesk/tui/widget/geomap"
)

// TestMain reads the names of towns: the app does so a moment after its start.
func TestMain(m *testing.M) {
	geomap.Preload()
	os.Exit(m.Run())
}

// desk is the real app, driven without a terminal.
type desk struct {
	*tuitest.Driver
	t      testing.TB
	client *api.Client
	opts   tui.Options
	app    *tui.App
}

// Close ends the app as the end of its program does.
func (d *desk) Close() {
	d.t.Helper()
	if err := d.app.Close(); err != nil {
		d.t.Fatal(err)
	}
}

// open starts the app at a size, on the real service with its demo accounts.
func open(t testing.TB, w, h int, change ...func(*tui.Options)) *desk {
	t.Helper()
	d := tuitest.New(t)
	s := &server.Server{Demo: true, Now: d.Now}
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
	account := s.Accounts()[0]
	return launch(t, d, web.URL+server.PublicPath, account.Key, account.CompanyName, w, h, change...)
}

// against starts the app on a service that answers with h.
func against(t testing.TB, h http.HandlerFunc, change ...func(*tui.Options)) *desk {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	return launch(t, tuitest.New(t), web.URL, "fd_test_key", "ACME Geo GmbH", 100, 30, change...)
}

// patience is how long an answer is waited for.
var patience = time.Second

// launch starts the app on a service.
func launch(t testing.TB, d *tuitest.Driver, base, key, company string, w, h int, change ...func(*tui.Options)) *desk {
	t.Helper()
	legacy := strings.Replace(base, server.PublicPath, server.LegacyPath, 1)
	client, err := api.NewClient(base, api.WithKey(key), api.WithLegacyURL(legacy), api.WithTimeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	opts := tui.Options{
		Client: client, Account: company, Profile: "demo", Theme: "dark", Folder: surveys(t), Now: d.Now, After: d.After,
		Host: "127.0.0.1:8080", ServerMode: true, Begin: action.GoOrders,
	}
	for _, c := range change {
		c(&opts)
	}
	app := tui.New(opts)
	d.Start(app, w, h)
	return &desk{d, t, client, opts, app}
}

// surveys copies the survey files into a home of their own, with a date of
// their own, so that frames with paths and ages are always the same.
func surveys(t testing.TB) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	folder := filepath.Join(home, "surveys")
	if err := os.CopyFS(folder, demodata.Surveys()); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Chtimes(filepath.Join(folder, e.Name()), time.Time{}, tuitest.Clock.Add(-3*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// write puts a file beside the survey files and returns its path.
func (d *desk) write(name, content string) string {
	d.t.Helper()
	path := filepath.Join(d.opts.Folder, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		d.t.Fatal(err)
	}
	return path
}

// newest returns the newest order of the account, in full.
func (d *desk) newest() *api.Order {
	d.t.Helper()
	list, err := d.client.Orders.List(d.t.Context(), api.ListOptions{Limit: 1})
	if err != nil || len(list.Items) == 0 {
		d.t.Fatalf("newest order: %+v, %v", list, err)
	}
	o, err := d.client.Orders.Get(d.t.Context(), list.Items[0].OrderCode)
	if err != nil {
		d.t.Fatal(err)
	}
	return o
}

// toReview goes from the list to the review of an order from a file.
func (d *desk) toReview(file string) {
	d.t.Helper()
	d.Press("n")
	d.Type(file)
	d.Press("enter", "]")
	d.Press("tab", "tab", "tab", "tab", "tab") // to the asset type
	d.Type("wat")
	d.Press("ctrl+s")
	d.Sees("[4 Review]")
}

// answer writes an answer of the service.
func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
}

// orders is a list answer of orders, each given as the members of an object.
func orders(members ...string) string {
	for i, m := range members {
		members[i] = "{" + m + "}"
	}
	return fmt.Sprintf(`{"success":true,"message":"","data":{"data":[%s],"nextCursor":null,"hasNextPage":false}}`, strings.Join(members, ","))
}
