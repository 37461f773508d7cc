package session_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"flightdesk/api"
	"flightdesk/tui/app/session"
)

func TestTheMethodOfAChangeIsStoredForTheProfile(t *testing.T) {
	var sent []string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Method)
		if r.Method != http.MethodPut {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		_, _ = w.Write([]byte(`{"success":true,"data":{"uuid":"u1","status":"cancelled"}}`))
	}))
	defer web.Close()
	path := filepath.Join(t.TempDir(), "methods.json")
	for _, want := range [][]string{{"POST", "PUT"}, {"PUT"}} {
		sent = nil
		c, err := api.NewClient(web.URL, session.OpenMethodFile(path).Option())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Orders.Cancel(t.Context(), "u1"); err != nil || !slices.Equal(sent, want) {
			t.Errorf("sent by %v, want %v; %v", sent, want, err)
		}
	}
}

func TestADamagedMethodFileIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "methods.json")
	if err := os.WriteFile(path, []byte("{damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := session.OpenMethodFile(path)
	if got := f.Load(); len(got) != 0 {
		t.Errorf("read %v", got)
	}
	if err := f.Save("cancel order", "PUT"); err != nil || f.Load()["cancel order"] != "PUT" {
		t.Errorf("%v, %v", f.Load(), err)
	}
}
