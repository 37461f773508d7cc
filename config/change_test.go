package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"flightdesk/config"
)

func TestChangeLeavesOtherSettingsUnchanged(t *testing.T) {
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
	if err := change(t, env, p); err != nil {
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
	if err := change(t, env, p); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(path); strings.Contains(string(after), "legacy") || strings.Contains(string(after), "band") {
		t.Errorf("what is empty stays in\n%s", after)
	}
	for _, wrong := range []config.Profile{{Name: "none", BaseURL: p.BaseURL}, {Name: "prod", BaseURL: "nowhere"}} {
		if err := change(t, env, wrong); err == nil {
			t.Errorf("%+v is taken", wrong)
		}
	}
}

// change changes the profile with a name, but not its key.
func change(t *testing.T, env config.Env, p config.Profile) error {
	t.Helper()
	return env.Change(t.Context(), p.Name, p, config.Secret{})
}

const twoProfiles = `# mine
default_profile = "prod" # of both

[profiles.prod] # the account
base_url = "https://one.example/api/v1/public"
read_only = true
credential = { keyring = "prod" }
ops_credential = { env = "OPS" }

[profiles."prod.eu"]
base_url = "https://eu.example/api/v1/public"
[profiles."prod.eu".credential]
keyring = "prod.eu"
`

// renaming returns a configuration of two profiles with their keys.
func renaming(t *testing.T, text string) (env config.Env, path string, keys map[string]string) {
	t.Helper()
	env = world(t, nil)
	keys = map[string]string{"flightdesk/prod": "one", "flightdesk/prod.eu": "two"}
	env.Keyring = fakeKeyring{keys: keys}.ring()
	return env, write(t, filepath.Join(env.Dirs.Config, "config.toml"), text, 0o600), keys
}

func TestARenamedProfileKeepsItsKeyAndState(t *testing.T) {
	env, path, keys := renaming(t, twoProfiles)
	p := config.Profile{Name: "live", BaseURL: "https://one.example/api/v1/public", OpsURL: "https://one.example/api/ops/v1"}
	if err := env.Change(t.Context(), "prod", p, config.Secret{}); err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(
		`default_profile = "prod"`, `default_profile = "live"`, "[profiles.prod]", "[profiles.live]",
		"base_url = \"https://one.example/api/v1/public\"\n",
		"base_url = \"https://one.example/api/v1/public\"\nops_url = \"https://one.example/api/ops/v1\"\nstate = \"prod\"\n",
	).Replace(twoProfiles)
	if after, _ := os.ReadFile(path); string(after) != want {
		t.Errorf("the file is\n%s\nwant\n%s", after, want)
	}
	if s, key := kept(t, env, "live"); key != "one" || s.StateName() != "prod" {
		t.Errorf("its key is %q, its state that of %q", key, s.StateName())
	}
	p.Name = "a.b" // afterwards back to the first name
	if err := env.Change(t.Context(), "live", p, config.NewSecret("three")); err != nil {
		t.Fatal(err)
	}
	if _, key := kept(t, env, "a.b"); key != "three" || len(keys) != 2 || keys["flightdesk/prod.eu"] != "two" {
		t.Errorf("its new key is %q, the keyring has %v", key, keys)
	}
	p.Name = "prod"
	if err := env.Change(t.Context(), "a.b", p, config.Secret{}); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(path); strings.Contains(string(after), "state") || !strings.Contains(string(after), "[profiles.prod] # the account") {
		t.Errorf("the file is\n%s", after)
	}
	p.Name = "prod.uk"
	if err := env.Change(t.Context(), "prod.eu", p, config.Secret{}); err != nil {
		t.Fatal(err)
	}
	if _, key := kept(t, env, "prod.uk"); key != "two" {
		t.Errorf("the key of the other one is %q", key)
	}
}

func TestTheKeyOfARenamedProfileIsForgotten(t *testing.T) {
	address := "https://one.example/api/v1/public"
	for name, text := range map[string]string{
		"under its first name":    "[profiles.live]\nbase_url = \"https://one.example/api/v1/public\"\nstate = \"prod\"\ncredential = { keyring = \"prod\" }\n",
		"moved to its name":       "[profiles.prod]\nbase_url = \"https://one.example/api/v1/public\"\nstate = \"first\"\ncredential = { keyring = \"prod\" }\n",
		"a file":                  "[profiles.live]\nbase_url = \"https://one.example/api/v1/public\"\nstate = \"prod\"\ncredential = { file = \"prod.key\" }\n",
		"a file moved to a name":  "[profiles.prod]\nbase_url = \"https://one.example/api/v1/public\"\nstate = \"first\"\ncredential = { file = \"prod.key\" }\n",
		"another account is kept": "[profiles.live]\nbase_url = \"https://one.example/api/v1/public\"\ncredential = { keyring = \"prod\" }\n",
	} {
		t.Run(name, func(t *testing.T) {
			env, path, keys := renaming(t, text)
			file := write(t, filepath.Join(filepath.Dir(path), "prod.key"), "one\n", 0o600)
			c, err := config.Load(env)
			if err != nil {
				t.Fatal(err)
			}
			// The key of a new profile does not overwrite the existing key, and is not deleted with it.
			if _, err := env.Keep(t.Context(), config.Profile{Name: "first", BaseURL: address}, config.NewSecret("new")); err != nil {
				t.Fatal(err)
			}
			forgot, err := env.Forget(t.Context(), c.Profiles[0].Name)
			_, missing := os.Stat(file)
			gone := keys["flightdesk/prod"] == "" || missing != nil
			if want := name != "another account is kept"; err != nil || forgot != want || gone != want {
				t.Errorf("forgot %t, %v; the keyring has %v, the file: %v", forgot, err, keys, missing)
			}
			if _, key := kept(t, env, "first"); key != "new" {
				t.Errorf("the other key is %q", key)
			}
		})
	}
}

func TestANewProfileDoesNotUseTheKeyOfARenamedOne(t *testing.T) {
	address := "https://one.example/api/v1/public"
	for name, text := range map[string]string{
		"under its first name": "[profiles.live]\nbase_url = \"https://one.example/api/v1/public\"\nstate = \"new\"\ncredential = { keyring = \"prod\" }\n",
		"in the keyring":       "[profiles.live]\nbase_url = \"https://one.example/api/v1/public\"\ncredential = { keyring = \"new\" }\n",
		"of the operations":    "[profiles.live]\nbase_url = \"https://one.example/api/v1/public\"\nops_credential = { keyring = \"new\" }\n",
		"in a file":            "[profiles.live]\nbase_url = \"https://one.example/api/v1/public\"\ncredential = { file = \"new.key\" }\n",
	} {
		t.Run(name, func(t *testing.T) {
			env, _, keys := renaming(t, text)
			if _, err := env.Keep(t.Context(), config.Profile{Name: "new", BaseURL: address}, config.NewSecret("k")); err != nil {
				t.Fatal(err)
			}
			if s, key := kept(t, env, "new"); key != "k" || s.StateName() != "new-2" || keys["flightdesk/new-2"] != "k" || keys["flightdesk/new"] != "" {
				t.Errorf("%q, %q, %v", key, s.StateName(), keys)
			}
		})
	}
}

func TestNothingIsLostIfAStepOfAChangeFails(t *testing.T) {
	p := config.Profile{Name: "live", BaseURL: "https://one.example/api/v1/public"}
	t.Run("the keyring is locked", func(t *testing.T) {
		env, path, keys := renaming(t, twoProfiles)
		env.Keyring.Set = func(string, string, string) error { return errors.New("locked") }
		err := env.Change(t.Context(), "prod", p, config.NewSecret("three"))
		if err == nil || strings.Count(err.Error(), "locked") != 1 || strings.Contains(err.Error(), "three") {
			t.Errorf("got %v", err)
		}
		unchanged(t, path, keys)
	})
	t.Run("the file cannot be written", func(t *testing.T) {
		env, path, keys := renaming(t, twoProfiles)
		var once sync.Once
		set := env.Keyring.Set
		env.Keyring.Set = func(service, account, secret string) error {
			once.Do(func() { // the file has been read by then
				if err := errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "in the way"), 0o700)); err != nil {
					t.Error(err)
				}
			})
			return set(service, account, secret)
		}
		if err := env.Change(t.Context(), "prod", p, config.NewSecret("three")); err == nil {
			t.Error("it is changed")
		}
		if keys["flightdesk/prod"] != "one" || len(keys) != 2 {
			t.Errorf("the keyring has %v", keys)
		}
	})
	for name, p := range map[string]config.Profile{
		"a name that is taken": {Name: "prod.eu", BaseURL: p.BaseURL}, "no name": {Name: "-", BaseURL: p.BaseURL},
	} {
		t.Run(name, func(t *testing.T) {
			env, path, keys := renaming(t, twoProfiles)
			if err := env.Change(t.Context(), "prod", p, config.NewSecret("three")); err == nil {
				t.Error("it is taken")
			}
			unchanged(t, path, keys)
		})
	}
}

// unchanged checks that the file and the keyring are the same as in twoProfiles.
func unchanged(t *testing.T, path string, keys map[string]string) {
	t.Helper()
	if after, err := os.ReadFile(path); err != nil || string(after) != twoProfiles {
		t.Errorf("the file is\n%s", after)
	}
	if len(keys) != 2 || keys["flightdesk/prod"] != "one" || keys["flightdesk/prod.eu"] != "two" {
		t.Errorf("the keyring has %v", keys)
	}
}

func TestANewProfileDoesNotShareTheStateOfARenamedOne(t *testing.T) {
	env, _, _ := renaming(t, twoProfiles)
	address := "https://one.example/api/v1/public"
	if err := env.Change(t.Context(), "prod", config.Profile{Name: "live", BaseURL: address}, config.Secret{}); err != nil {
		t.Fatal(err)
	}
	if _, err := env.Keep(t.Context(), config.Profile{Name: "prod", BaseURL: address}, config.NewSecret("new")); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(env)
	if err != nil {
		t.Fatal(err)
	}
	live, _ := c.Profile("live")
	prod, _ := c.Profile("prod")
	if live.StateName() != "prod" || prod.StateName() != "prod-2" {
		t.Errorf("%q and %q", live.StateName(), prod.StateName())
	}
}
