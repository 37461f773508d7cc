package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"flightdesk/config"
)

var fresh = config.Profile{
	Name: "prod", BaseURL: "https://desk.example/api/v1/public", LegacyBaseURL: "https://desk.example/api/v2", Band: "live",
}

// kept loads the configuration again and returns the key of a profile.
func kept(t *testing.T, env config.Env, name string) (config.Settings, string) {
	t.Helper()
	c, err := config.Load(env)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Resolve(name, false)
	if err != nil {
		t.Fatal(err)
	}
	key, err := s.Key(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s, key.Reveal()
}

func TestKeepWritesAProfileAndItsKey(t *testing.T) {
	env := world(t, nil)
	env.Keyring = fakeKeyring{keys: map[string]string{}}.ring()
	got, err := env.Keep(t.Context(), fresh, config.NewSecret("hunter2"))
	if err != nil || got.KeyFile != "" {
		t.Fatalf("%+v, %v", got, err)
	}
	s, key := kept(t, env, "")
	if key != "hunter2" || s.BaseURL != fresh.BaseURL || s.LegacyBaseURL != fresh.LegacyBaseURL || s.Band != "live" || s.Credential.Keyring != "prod" {
		t.Errorf("%+v with the key %q", s.Profile, key)
	}
	text, err := os.ReadFile(got.Path)
	if err != nil || strings.Contains(string(text), "hunter2") {
		t.Errorf("the file is %q, %v", text, err)
	}
}

func TestKeepWithoutAKeyring(t *testing.T) {
	for name, ring := range map[string]fakeKeyring{"none": {err: errors.New("no keyring")}, "locked": {err: errors.New("locked\nreally")}} {
		t.Run(name, func(t *testing.T) {
			env := world(t, nil)
			env.Keyring = ring.ring()
			got, err := env.Keep(t.Context(), fresh, config.NewSecret("hunter2"))
			if err != nil || got.Reason == "" || strings.Contains(got.Reason, "\n") {
				t.Fatalf("%+v, %v", got, err)
			}
			info, err := os.Stat(got.KeyFile)
			if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("the key's file: %v, %v", info, err)
			}
			if _, key := kept(t, env, ""); key != "hunter2" {
				t.Errorf("the key is %q", key)
			}
		})
	}
}

func TestKeepLeavesTheTextOfTheFileUnchanged(t *testing.T) {
	env := world(t, nil)
	env.Keyring = fakeKeyring{keys: map[string]string{"flightdesk/a": "first"}}.ring()
	before := "# mine\ntheme = \"light\"\n\n[profiles.a] # old\nbase_url = \"https://a.example/api/v1/public\"\ncredential = { keyring = \"a\" }"
	path := write(t, filepath.Join(env.Dirs.Config, "config.toml"), before, 0o600)
	if _, err := env.Keep(t.Context(), fresh, config.NewSecret("hunter2")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), before) {
		t.Errorf("the file is\n%s", text)
	}
	if s, key := kept(t, env, ""); s.Name != "a" || key != "first" {
		t.Errorf("the profile that was the only one is no longer the one to use: %s", s.Name)
	}
	if _, key := kept(t, env, "prod"); key != "hunter2" {
		t.Errorf("the new key is %q", key)
	}
}

func TestKeepRejectsInvalidProfiles(t *testing.T) {
	for name, change := range map[string]func(*config.Profile){
		"name":         func(p *config.Profile) { p.Name = "../x" },
		"taken name":   func(p *config.Profile) { p.Name = "a" },
		"no address":   func(p *config.Profile) { p.BaseURL = "" },
		"address":      func(p *config.Profile) { p.BaseURL = "https://desk.example" },
		"legacy":       func(p *config.Profile) { p.LegacyBaseURL = "https://desk.example" },
		"band":         func(p *config.Profile) { p.Band = "red" },
		"open address": func(p *config.Profile) { p.BaseURL = "http://desk.example/api/v1/public" },
	} {
		t.Run(name, func(t *testing.T) {
			env := world(t, nil)
			env.Keyring = fakeKeyring{keys: map[string]string{}}.ring()
			before := "[profiles.a]\nbase_url = \"https://a.example/api/v1/public\"\n"
			path := write(t, filepath.Join(env.Dirs.Config, "config.toml"), before, 0o600)
			p := fresh
			change(&p)
			if _, err := env.Keep(t.Context(), p, config.NewSecret("hunter2")); err == nil || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("error %v", err)
			}
			if text, err := os.ReadFile(path); err != nil || string(text) != before {
				t.Errorf("the file is\n%s", text)
			}
		})
	}
}

func TestKeepDoesNotChangeAnInvalidFile(t *testing.T) {
	env := world(t, nil)
	path := write(t, filepath.Join(env.Dirs.Config, "config.toml"), "theme = \"solar\"\n", 0o600)
	if _, err := env.Keep(t.Context(), fresh, config.NewSecret("hunter2")); err == nil {
		t.Error("a file with a fault is written to")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "theme = \"solar\"\n" {
		t.Errorf("the file is\n%s", text)
	}
}

func TestKeepFollowsTheVariableAndALink(t *testing.T) {
	vars := map[string]string{}
	env := world(t, vars)
	env.Keyring = fakeKeyring{keys: map[string]string{}}.ring()
	vars["FLIGHTDESK_CONFIG"] = filepath.Join(t.TempDir(), "new", "mine.toml")
	if got, err := env.Keep(t.Context(), fresh, config.NewSecret("k")); err != nil || got.Path != vars["FLIGHTDESK_CONFIG"] {
		t.Fatalf("%+v, %v", got, err)
	}
	if runtime.GOOS == "windows" {
		return // Windows needs a privilege to create links
	}
	real := write(t, filepath.Join(t.TempDir(), "dotfiles.toml"), "theme = \"dark\"\n", 0o600)
	link := filepath.Join(t.TempDir(), "config.toml")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	vars["FLIGHTDESK_CONFIG"] = link
	if _, err := env.Keep(t.Context(), fresh, config.NewSecret("k")); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(real); err != nil || !strings.Contains(string(text), "profiles.prod") {
		t.Errorf("the linked file is\n%s", text)
	}
}
