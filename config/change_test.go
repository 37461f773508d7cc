package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/config"
)

func TestChangeLeavesAllElseAsItIs(t *testing.T) {
	const before = `# mine
default_profile = "prod"

[profiles.prod] # the account
base_url = "https://one.example/api/v1/public"
company = "Nordwind AG"
[profiles.prod.credential]
keyring = "prod"

[profiles.other]
base_url = "https://other.example/api/v1/public"
credential = { env = "OTHER" }
`
	env := world(t, nil)
	path := write(t, filepath.Join(env.Dirs.Config, "config.toml"), before, 0o600)
	p := config.Profile{Name: "prod", BaseURL: "https://two.example/api/v1/public", LegacyBaseURL: "https://two.example/api/v2", Band: "test"}
	if err := env.Change(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(before, "base_url = \"https://one.example/api/v1/public\"\n",
		"base_url = \"https://two.example/api/v1/public\"\nlegacy_base_url = \"https://two.example/api/v2\"\nband = \"test\"\n", 1)
	if string(after) != want {
		t.Errorf("the file is\n%s\nwant\n%s", after, want)
	}
	p.LegacyBaseURL, p.Band = "", ""
	if err := env.Change(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(path); strings.Contains(string(after), "legacy") || strings.Contains(string(after), "band") {
		t.Errorf("what is empty stays in\n%s", after)
	}
	for _, wrong := range []config.Profile{{Name: "none", BaseURL: p.BaseURL}, {Name: "prod", BaseURL: "nowhere"}} {
		if err := env.Change(t.Context(), wrong); err == nil {
			t.Errorf("%+v is taken", wrong)
		}
	}
}
