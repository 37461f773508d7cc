package tui_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/tui"
	"flightdesk/tui/tuitest"
)

// desk is the real app on the real service, driven without a terminal.
type desk struct {
	*tuitest.Driver
	client *api.Client
	opts   tui.Options
}

// open starts the app at a size, on a service with the demo accounts.
func open(t *testing.T, w, h int, change ...func(*tui.Options)) *desk {
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

// launch starts the app on a service.
func launch(t *testing.T, d *tuitest.Driver, base, key, company string, w, h int, change ...func(*tui.Options)) *desk {
	t.Helper()
	client, err := api.NewClient(base, api.WithKey(key), api.WithTimeout(5*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.Abs("testdata/surveys")
	if err != nil {
		t.Fatal(err)
	}
	opts := tui.Options{
		Client: client, Account: company, Profile: "demo", Theme: "dark", Folder: folder, Now: d.Now, After: d.After,
		Host: "127.0.0.1:8080", ServerMode: true,
	}
	for _, c := range change {
		c(&opts)
	}
	d.Start(tui.New(opts), w, h)
	return &desk{d, client, opts}
}

func TestAKMLBecomesAPlacedOrder(t *testing.T) {
	d := open(t, 120, 36)
	t.Log(d.Screen())
	d.Press("n")
	t.Log(d.Screen())
	d.Type("elbe")
	t.Log(d.Screen())
	d.Press("enter")
	t.Log(d.Screen())
	d.Press("]")
	t.Log(d.Screen())
	d.Press("ctrl+s")
	t.Log(d.Screen())
	d.Type("wat")
	d.Press("ctrl+s")
	t.Log(d.Screen())
	d.Press("S")
	t.Log(d.Screen())
	d.Press("enter")
	t.Log(d.Screen())
	d.Press("esc")
	t.Log(d.Screen())
}

var (
	_ = context.Background
	_ http.Handler
)
