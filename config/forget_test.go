package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/config"
)

func TestForgetRemovesAProfileItsKeyAndNothingElse(t *testing.T) {
	env := world(t, nil)
	ring := fakeKeyring{keys: map[string]string{"flightdesk/a": "first", "flightdesk/a.b": "second"}}
	env.Keyring = ring.ring()
	path := write(t, filepath.Join(env.Dirs.Config, "config.toml"), `# mine
default_profile = "a"
theme = "light"

[profiles.a] # old
base_url = "https://a.example/api/v1/public"
# of a
[profiles.a.credential]
keyring = "a"

# the other
[profiles."a.b"]
base_url = "https://a.example/api/v1/public"
credential = { keyring = "a.b" }
`, 0o600)
	forgot, err := env.Forget(t.Context(), "a")
	if err != nil || !forgot || ring.keys["flightdesk/a"] != "" || ring.keys["flightdesk/a.b"] == "" {
		t.Fatalf("%t, %v, %v", forgot, err, ring.keys)
	}
	const want = "# mine\ntheme = \"light\"\n\n# the other\n[profiles.\"a.b\"]\nbase_url = \"https://a.example/api/v1/public\"\ncredential = { keyring = \"a.b\" }\n"
	if text, err := os.ReadFile(path); err != nil || string(text) != want {
		t.Errorf("the file is\n%s", text)
	}
}

func TestForgetFailsWithoutChanges(t *testing.T) {
	const inline = "profiles.a.base_url = \"https://a.example/api/v1/public\"\nprofiles.a.credential = { keyring = \"a\" }\n"
	for name, c := range map[string]struct {
		text, want string
		ring       fakeKeyring
	}{
		"another way of writing": {inline, "edit it manually", fakeKeyring{keys: map[string]string{"flightdesk/a": "first"}}},
		"a locked keyring": {
			"[profiles.a]\nbase_url = \"https://a.example/api/v1/public\"\ncredential = { keyring = \"a\" }\n", "locked",
			fakeKeyring{err: errors.New("locked")},
		},
		"no such profile": {"theme = \"light\"\n", `no profile "a"`, fakeKeyring{}},
	} {
		t.Run(name, func(t *testing.T) {
			env := world(t, nil)
			env.Keyring = c.ring.ring()
			path := write(t, filepath.Join(env.Dirs.Config, "config.toml"), c.text, 0o600)
			if _, err := env.Forget(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
			if text, _ := os.ReadFile(path); string(text) != c.text {
				t.Errorf("the file is\n%s", text)
			}
			if c.ring.keys != nil && c.ring.keys["flightdesk/a"] == "" {
				t.Error("the key is gone")
			}
		})
	}
}

func TestAddressesForTypedText(t *testing.T) {
	for typed, want := range map[string]string{
		"desk.example":                        "https://desk.example/api/v1/public",
		"https://desk.example/":               "https://desk.example/api/v1/public",
		"https://desk.example/api/v2":         "https://desk.example/api/v1/public",
		"https://desk.example/api/v1":         "https://desk.example/api/v1/public",
		"desk.example/eu":                     "https://desk.example/eu/api/v1/public",
		"https://desk.example/api/v1/public/": "https://desk.example/api/v1/public",
		"localhost:8080":                      "https://localhost:8080/api/v1/public http://localhost:8080/api/v1/public",
		"http://10.0.0.1":                     "http://10.0.0.1/api/v1/public",
	} {
		if got := strings.Join(config.CandidateAddresses(typed), " "); got != want {
			t.Errorf("%s: %s", typed, got)
		}
	}
	if got := config.LegacyAddress("https://desk.example/eu/api/v1/public"); got != "https://desk.example/eu/api/v2" {
		t.Error(got)
	}
}

// The command of the other profile has a line that looks like the table of the removed profile.
func TestTheErrorOfAProfileThatCannotBeRemovedNamesTheFault(t *testing.T) {
	const text = `[profiles.other]
base_url = "https://other.example/api/v1/public"
[profiles.other.credential]
command = ["sh", "-c", """
[profiles.prod]
echo"""]

[profiles.prod]
base_url = "https://one.example/api/v1/public"
`
	env := world(t, nil)
	path := write(t, filepath.Join(env.Dirs.Config, "config.toml"), text, 0o600)
	_, err := env.Forget(t.Context(), "prod")
	if err == nil || !strings.Contains(err.Error(), `could not edit profile "prod"`) || !strings.Contains(err.Error(), "config.toml:") {
		t.Errorf("got %v", err)
	}
	if after, _ := os.ReadFile(path); string(after) != text {
		t.Errorf("the file is\n%s", after)
	}
}
