package deliveries_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"flightdesk/api/server"
	"flightdesk/tui/apptest"
	"flightdesk/tui/tuitest"
)

func TestDeliveriesThatCouldNotBeLoadedAreNotToldAsDownloaded(t *testing.T) {
	s := &server.Server{Demo: true}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/delivery-packages") || strings.HasPrefix(r.URL.Path, server.LegacyPath) {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		s.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	account := s.Accounts()[0]
	x := apptest.OpenOn(t, tuitest.New(t), web.URL+server.PublicPath, account.Key, account.CompanyName, 120, 36)
	x.Press("5", "F")
	x.RequireText("download new: no new files are known; not all deliveries could be loaded")
	x.Press("f")
	x.RequireText("download: nothing is selected")
	x.SeesNot("everything is downloaded", "nothing new")
}
