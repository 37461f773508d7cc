package config_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"flightdesk/config"
)

const (
	profileA = `
[profiles.a]
base_url = "https://a.example/api/v1/public"
legacy_base_url = "https://a.example/api/v2"
ops_url = "https://a.example/api/ops/v1"
credential = { env = "KEY_A" }
ops_credential = { env = "OPS_A" }
`
	profileB = `
[profiles.b]
base_url = "https://b.example/api/v1/public"
credential = { env = "KEY_B" }
`
)

func TestResolveChoosesAProfile(t *testing.T) {
	moved := map[string]string{"FLIGHTDESK_BASE_URL": "https://c.example/api/v1/public"}
	for _, tt := range []struct {
		name, text, ask string
		vars            map[string]string
		want, wantErr   string
	}{
		{"the one asked for", profileA + profileB, "b", nil, "b", ""},
		{"the one asked for over the default", `default_profile = "a"` + profileA + profileB, "b", nil, "b", ""},
		{"the default", `default_profile = "b"` + profileA + profileB, "", nil, "b", ""},
		{"the only one", profileB, "", nil, "b", ""},
		{"one of variables alone", "", "", moved, "environment", ""},
		{"none", "", "", nil, "", "no profile configured"},
		{"one that is missing", profileA + profileB, "c", nil, "", `: no profile "c"; profiles in the file: a, b`},
		{"none of two", profileB + profileA, "", nil, "", "select one with --profile; profiles in the file: b, a"},
		{"one asked for without a file", "", "c", moved, "", `no profile "c"; add it with flightdesk login ADDRESS --name c`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := load(t, world(t, tt.vars), tt.text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Resolve(tt.ask, false)
			if tt.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) {
					t.Fatalf("got %v, want %s", err, tt.wantErr)
				}
				return
			}
			if err != nil || got.Name != tt.want {
				t.Errorf("got %q, %v, want %q", got.Name, err, tt.want)
			}
		})
	}
}

func TestVariablesOverride(t *testing.T) {
	for _, tt := range []struct {
		name                         string
		vars                         map[string]string
		base, legacy, ops, key, desk string // desk is the operations API's key
		wantErr                      string
	}{
		{
			name: "nothing",
			base: "https://a.example/api/v1/public", legacy: "https://a.example/api/v2", ops: "https://a.example/api/ops/v1",
			key: "key-a", desk: "ops-a",
		},
		{
			name: "the keys", vars: map[string]string{"FLIGHTDESK_API_KEY": "other", "FLIGHTDESK_OPS_KEY": "else"},
			base: "https://a.example/api/v1/public", legacy: "https://a.example/api/v2", ops: "https://a.example/api/ops/v1",
			key: "other", desk: "else",
		},
		{
			name: "another path of the same origin", vars: map[string]string{"FLIGHTDESK_BASE_URL": "https://a.example/eu/api/v1/public"},
			base: "https://a.example/eu/api/v1/public", legacy: "https://a.example/api/v2", ops: "https://a.example/api/ops/v1",
			key: "key-a", desk: "ops-a",
		},
		{
			name: "another origin with its key", vars: map[string]string{"FLIGHTDESK_BASE_URL": "https://x.example/api/v1/public", "FLIGHTDESK_API_KEY": "other"},
			base: "https://x.example/api/v1/public", key: "other", desk: "ops-a",
		},
		{
			name: "everything", vars: map[string]string{
				"FLIGHTDESK_BASE_URL": "https://x.example/api/v1/public", "FLIGHTDESK_LEGACY_BASE_URL": "https://x.example/api/v2",
				"FLIGHTDESK_OPS_URL": "https://x.example/api/ops/v1", "FLIGHTDESK_API_KEY": "other", "FLIGHTDESK_OPS_KEY": "else",
			},
			base: "https://x.example/api/v1/public", legacy: "https://x.example/api/v2", ops: "https://x.example/api/ops/v1",
			key: "other", desk: "else",
		},
		{
			name: "another origin without its key", vars: map[string]string{"FLIGHTDESK_BASE_URL": "https://x.example/api/v1/public"},
			wantErr: "profile a, whose key is not sent to other addresses; also set FLIGHTDESK_API_KEY",
		},
		{
			name: "another port is another origin", vars: map[string]string{"FLIGHTDESK_LEGACY_BASE_URL": "https://a.example:444/api/v2"},
			wantErr: "profile a, whose key is not sent to other addresses; also set FLIGHTDESK_API_KEY",
		},
		{
			name: "the desk elsewhere without its key", vars: map[string]string{"FLIGHTDESK_OPS_URL": "https://x.example/api/ops/v1"},
			wantErr: "set FLIGHTDESK_OPS_KEY",
		},
		{
			name: "a bad address", vars: map[string]string{"FLIGHTDESK_BASE_URL": "x.example"},
			wantErr: "FLIGHTDESK_BASE_URL: not a valid address; use a URL such as https://desk.example/api/v1/public",
		},
		{
			name: "an address in the clear", vars: map[string]string{"FLIGHTDESK_OPS_URL": "http://a.example/api/ops/v1"},
			wantErr: "FLIGHTDESK_OPS_URL: http sends the key unencrypted",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			vars := map[string]string{"KEY_A": "key-a", "OPS_A": "ops-a"}
			maps.Copy(vars, tt.vars)
			c, err := load(t, world(t, vars), profileA)
			if err != nil {
				t.Fatal(err)
			}
			s, err := c.Resolve("", false)
			if tt.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) {
					t.Fatalf("got %v, want %s", err, tt.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			key, err := s.Key(t.Context())
			ops, opsErr := s.OpsKey(t.Context())
			if err := errors.Join(err, opsErr); err != nil {
				t.Fatal(err)
			}
			got := []string{s.BaseURL, s.LegacyBaseURL, s.OpsURL, key.Reveal(), ops.Reveal()}
			want := []string{tt.base, tt.legacy, tt.ops, tt.key, tt.desk}
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("got %q, want %q", got[i], want[i])
				}
			}
		})
	}
}

func TestResolveReportsWhichVariablesWereUsed(t *testing.T) {
	c, err := load(t, world(t, map[string]string{"FLIGHTDESK_BASE_URL": "https://a.example/api/v1/public", "FLIGHTDESK_API_KEY": "k"}), profileA)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Resolve("a", false)
	if err != nil || !maps.Equal(s.From, map[string]string{"base_url": "FLIGHTDESK_BASE_URL", "credential": "FLIGHTDESK_API_KEY"}) {
		t.Errorf("got %v, %v", s.From, err)
	}
}

func TestVariablesAreEnoughForTheOperationsAPI(t *testing.T) {
	vars := map[string]string{"FLIGHTDESK_OPS_URL": "https://x.example/api/ops/v1", "FLIGHTDESK_OPS_KEY": "else"}
	c, err := load(t, world(t, vars), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Resolve("", false); !errors.Is(err, config.ErrNoProfile) {
		t.Errorf("the two interfaces: %v", err)
	}
	s, err := c.Resolve("", true)
	if err != nil || s.OpsURL != vars["FLIGHTDESK_OPS_URL"] || s.Name != config.FromEnvironment || s.BaseURL != "" {
		t.Fatalf("%+v, %v", s, err)
	}
	if key, err := s.OpsKey(t.Context()); err != nil || key.Reveal() != "else" {
		t.Errorf("the key: %v", err)
	}
	if _, err := c.Resolve("a", true); err == nil || errors.Is(err, config.ErrNoProfile) {
		t.Errorf("a profile that there is not: %v", err)
	}
	c, err = load(t, world(t, nil), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Resolve("", true); !errors.Is(err, config.ErrNoProfile) {
		t.Errorf("nothing at all: %v", err)
	}
	c, err = load(t, world(t, map[string]string{"FLIGHTDESK_OPS_URL": "ftp://x.example"}), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Resolve("", true); err == nil || !strings.Contains(err.Error(), "FLIGHTDESK_OPS_URL: ") {
		t.Errorf("no address: %v", err)
	}
}

func TestAMissingKeyIsAnError(t *testing.T) {
	c, err := load(t, world(t, nil), "[profiles.a]\nbase_url = \"https://a.example/api/v1/public\"\n")
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Resolve("", false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Key(t.Context()); err == nil || !strings.Contains(err.Error(), "add a credential to the profile or set FLIGHTDESK_API_KEY") {
		t.Errorf("Key: got %v", err)
	}
	if key, err := s.OpsKey(t.Context()); err != nil || key != (config.Secret{}) {
		t.Errorf("OpsKey: got %v, %v; most profiles have none", key, err)
	}
}
