package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/config"
)

// Without the scope to change orders, a command fails before it reads, asks or composes anything.
func TestOrdersAreNotChangedWithAKeyThatLacksTheScope(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/api/v1/public/csv/example" {
			t.Errorf("%s %s was asked", r.Method, r.URL.Path)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"success":false,"message":"no","data":{"code":"missing_scope"}}`)
	}))
	defer service.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "sites.csv")
	if err := os.WriteFile(file, []byte("name,lat,lng\nMast,48.4,11.7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	values := map[string]string{
		"FLIGHTDESK_BASE_URL": service.URL + "/api/v1/public", "FLIGHTDESK_LEGACY_BASE_URL": service.URL + "/api/v2", "FLIGHTDESK_API_KEY": "k",
	}
	for _, args := range [][]string{{"place", file}, {"order", "cancel", "ORD-1"}, {"quote", "accept", "ORD-1", "q-1", "--yes"}} {
		p := &program{Env: config.Env{
			Lookup: func(name string) (string, bool) { v, ok := values[name]; return v, ok },
			Dirs:   config.Dirs{Config: dir, State: filepath.Join(dir, "state"), Home: dir},
		}}
		root := rootCommand(p)
		root.SetIn(strings.NewReader(""))
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		root.SetArgs(args)
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		if p.Fault == nil || !strings.Contains(p.Fault.Error(), "the key lacks orders:write; use a key with it, or another profile") {
			t.Errorf("%v: %v", args, p.Fault)
		}
	}
}
