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

// change changes the profile of a name, and not its key.
func change(t *testing.T, env config.Env, p config.Profile) error {
	t.Helper()
	_, err := env.Change(t.Context(), p.Name, p, config.Secret{})
	return err
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

// renaming is a configuration of two profiles with their keys.
func renaming(t *testing.T, text string) (env config.Env, path string, keys map[string]string) {
	t.Helper()
	env = world(t, nil)
	keys = map[string]string{"flightdesk/prod": "one", "flightdesk/prod.eu": "two"}
	env.Keyring = fakeKeyring{keys: keys}
	return env, write(t, filepath.Join(env.Dirs.Config, "config.toml"), text, 0o600), keys
}

func TestAKeyFollowsTheNameOfItsProfile(t *testing.T) {
	env, path, keys := renaming(t, twoProfiles)
	p := config.Profile{Name: "live", BaseURL: "https://one.example/api/v1/public", OpsURL: "https://one.example/api/ops/v1"}
	left, err := env.Change(t.Context(), "prod", p, config.Secret{})
	if err != nil || left != "" {
		t.Fatal(left, err)
	}
	want := strings.NewReplacer(
		`default_profile = "prod"`, `default_profile = "live"`, "[profiles.prod]", "[profiles.live]", `{ keyring = "prod" }`, `{ keyring = "live" }`,
		"base_url = \"https://one.example/api/v1/public\"\n",
		"base_url = \"https://one.example/api/v1/public\"\nops_url = \"https://one.example/api/ops/v1\"\nstate = \"prod\"\n",
	).Replace(twoProfiles)
	if after, _ := os.ReadFile(path); string(after) != want {
		t.Errorf("the file is\n%s\nwant\n%s", after, want)
	}
	if len(keys) != 2 || keys["flightdesk/live"] != "one" || keys["flightdesk/prod.eu"] != "two" {
		t.Errorf("the keyring has %v", keys)
	}
	c, err := config.Load(env)
	if err != nil {
		t.Fatal(err)
	}
	if now, _ := c.Profile("live"); now.StateName() != "prod" {
		t.Errorf("its state is that of %q", now.StateName())
	}
	p.Name = "a.b" // and back to the first name after that
	if _, err := env.Change(t.Context(), "live", p, config.NewSecret("three")); err != nil || keys["flightdesk/a.b"] != "three" || keys["flightdesk/live"] != "" {
		t.Errorf("%v, %v", err, keys)
	}
	p.Name = "prod"
	if _, err := env.Change(t.Context(), "a.b", p, config.Secret{}); err != nil || keys["flightdesk/prod"] != "three" {
		t.Errorf("%v, %v", err, keys)
	}
	if after, _ := os.ReadFile(path); strings.Contains(string(after), "state") || !strings.Contains(string(after), "[profiles.prod] # the account") {
		t.Errorf("the file is\n%s", after)
	}
	p.Name = "prod.uk"
	if _, err := env.Change(t.Context(), "prod.eu", p, config.Secret{}); err != nil || keys["flightdesk/prod.uk"] != "two" || len(keys) != 2 {
		t.Errorf("%v, %v", err, keys)
	}
}

func TestAKeyFileFollowsTheNameOfItsProfile(t *testing.T) {
	env, path, _ := renaming(t, "[profiles.prod]\nbase_url = \"https://one.example/api/v1/public\"\ncredential = { file = \"prod.key\" }\n")
	write(t, filepath.Join(filepath.Dir(path), "prod.key"), "one\n", 0o600)
	if _, err := env.Change(t.Context(), "prod", config.Profile{Name: "live", BaseURL: "https://one.example/api/v1/public"}, config.Secret{}); err != nil {
		t.Fatal(err)
	}
	if key, err := os.ReadFile(filepath.Join(filepath.Dir(path), "live.key")); err != nil || string(key) != "one\n" {
		t.Errorf("%q, %v", key, err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), "prod.key")); err == nil {
		t.Error("the old file is still there")
	}
}

// failingKeyring fails after some calls that change it.
type failingKeyring struct {
	fakeKeyring
	calls *int
}

func (k failingKeyring) Set(service, account, secret string) error {
	if *k.calls--; *k.calls < 0 {
		return errors.New("locked")
	}
	return k.fakeKeyring.Set(service, account, secret)
}

func (k failingKeyring) Delete(service, account string) error {
	if *k.calls--; *k.calls < 0 {
		return errors.New("locked")
	}
	return k.fakeKeyring.Delete(service, account)
}

func TestNothingIsLostWhereAStepOfAChangeFails(t *testing.T) {
	p := config.Profile{Name: "live", BaseURL: "https://one.example/api/v1/public"}
	t.Run("the keyring is locked", func(t *testing.T) {
		env, path, keys := renaming(t, twoProfiles)
		calls := 0
		env.Keyring = failingKeyring{fakeKeyring{keys: keys}, &calls}
		if _, err := env.Change(t.Context(), "prod", p, config.Secret{}); err == nil || !strings.Contains(err.Error(), "locked") {
			t.Errorf("got %v", err)
		}
		unchanged(t, path, keys)
	})
	t.Run("the keyring is locked meanwhile", func(t *testing.T) {
		env, _, keys := renaming(t, twoProfiles)
		calls := 1
		env.Keyring = failingKeyring{fakeKeyring{keys: keys}, &calls}
		left, err := env.Change(t.Context(), "prod", p, config.Secret{})
		if err != nil || !strings.Contains(left, "locked") || keys["flightdesk/live"] != "one" || keys["flightdesk/prod"] != "one" {
			t.Errorf("%q, %v, %v", left, err, keys)
		}
	})
	t.Run("the file cannot be written", func(t *testing.T) {
		env, path, keys := renaming(t, twoProfiles)
		keys["flightdesk/live"] = "of before"
		var once sync.Once
		env.Keyring = onSet{fakeKeyring{keys: keys}, func() {
			once.Do(func() { // the file is read by now
				if err := errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "in the way"), 0o700)); err != nil {
					t.Error(err)
				}
			})
		}}
		if _, err := env.Change(t.Context(), "prod", p, config.Secret{}); err == nil {
			t.Error("it is changed")
		}
		if keys["flightdesk/prod"] != "one" || keys["flightdesk/live"] != "of before" {
			t.Errorf("the keyring has %v", keys)
		}
	})
	for name, p := range map[string]config.Profile{
		"a name that is taken": {Name: "prod.eu", BaseURL: p.BaseURL}, "no name": {Name: "-", BaseURL: p.BaseURL},
	} {
		t.Run(name, func(t *testing.T) {
			env, path, keys := renaming(t, twoProfiles)
			if _, err := env.Change(t.Context(), "prod", p, config.Secret{}); err == nil {
				t.Error("it is taken")
			}
			unchanged(t, path, keys)
		})
	}
	t.Run("another profile's key", func(t *testing.T) {
		env, _, keys := renaming(t, strings.Replace(twoProfiles, `env = "OPS"`, `keyring = "live"`, 1))
		if _, err := env.Change(t.Context(), "prod", p, config.Secret{}); err == nil || keys["flightdesk/live"] != "" {
			t.Errorf("%v, %v", err, keys)
		}
	})
}

// onSet does something before a key is stored.
type onSet struct {
	fakeKeyring
	do func()
}

func (k onSet) Set(service, account, secret string) error {
	k.do()
	return k.fakeKeyring.Set(service, account, secret)
}

// unchanged checks that file and keyring are those of twoProfiles.
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
	if _, err := env.Change(t.Context(), "prod", config.Profile{Name: "live", BaseURL: address}, config.Secret{}); err != nil {
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
