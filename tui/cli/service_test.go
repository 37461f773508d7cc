package cli

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/config"
)

// settings returns the settings of a profile for a service.
func settings(t *testing.T, service *httptest.Server, more string) config.Settings {
	t.Helper()
	dir := t.TempDir()
	var ca []byte
	if service.Certificate() != nil {
		ca = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: service.Certificate().Raw})
	}
	text := "[profiles.a]\nbase_url = \"" + service.URL + "/api/v1/public\"\nlegacy_base_url = \"" + service.URL + "/api/v2\"\n" +
		"credential = { env = \"KEY\" }\n" + more
	for name, content := range map[string]string{"config.toml": text, "ca.pem": string(ca)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	vars := map[string]string{"KEY": "key-of-the-test"}
	c, err := config.Load(config.Env{
		Lookup: func(name string) (string, bool) { v, ok := vars[name]; return v, ok },
		Dirs:   config.Dirs{Config: dir},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Resolve("", false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// empty is a service without orders. It checks the key and the user agent.
func empty(t *testing.T) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer key-of-the-test" {
			t.Errorf("Authorization %q", got)
		}
		if got := r.UserAgent(); !strings.HasPrefix(got, "flightdesk/") {
			t.Errorf("User-Agent %q", got)
		}
		_, _ = w.Write([]byte(`{"success":true,"message":"","data":{"data":[],"nextCursor":null,"hasNextPage":false}}`))
	})
}

func TestAClientUsesTheSettingsOfItsProfile(t *testing.T) {
	plain := httptest.NewServer(empty(t))
	defer plain.Close()
	private := httptest.NewTLSServer(empty(t))
	defer private.Close()
	for _, tt := range []struct {
		name    string
		service *httptest.Server
		more    string
		wantErr bool
	}{
		{"plain", plain, "", false},
		{"certificate of the profile's authority", private, "ca_file = \"ca.pem\"\n", false},
		{"certificate of an unknown authority", private, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &program{Env: config.Env{Dirs: config.Dirs{State: t.TempDir()}}}
			client, err := p.newClient(t.Context(), settings(t, tt.service, tt.more), nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.Orders.List(t.Context(), api.ListOptions{})
			if (err != nil) != tt.wantErr {
				t.Errorf("got %v", err)
			}
		})
	}
}
