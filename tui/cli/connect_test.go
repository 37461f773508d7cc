package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/config"
	"flightdesk/tui/app/session"
)

// ring is a keyring in memory.
type ring struct {
	keys map[string]string
	err  error
}

func (r ring) keyring() config.Keyring {
	return config.Keyring{Get: r.Get, Set: r.Set, Delete: r.Delete}
}

func (r ring) Get(service, account string) (string, error) { return r.keys[service+"/"+account], r.err }

func (r ring) Set(service, account, secret string) error {
	if r.err == nil {
		r.keys[service+"/"+account] = secret
	}
	return r.err
}

func (r ring) Delete(service, account string) error {
	delete(r.keys, service+"/"+account)
	return r.err
}

// newSession returns a run of the app with its own folders, and an account of a new demo service.
func newSession(t *testing.T, keys ring) (*appRun, session.TypedAccount) {
	t.Helper()
	s := listen(t, &server.Server{})
	env := environment(t, nil)
	env.Keyring = keys.keyring()
	account := session.TypedAccount{Key: s.Accounts()[0].Key, Profile: config.Profile{
		Name: "training", BaseURL: s.BaseURL(), LegacyBaseURL: s.LegacyURL(), Band: "test",
	}}
	return &appRun{program: &program{Env: env}, cancel: func(error) {}}, account
}

func TestSetupChecksStoresAndOpensAnAccount(t *testing.T) {
	keys := ring{keys: map[string]string{}}
	s, account := newSession(t, keys)
	setup := s.setup()
	tried, err := setup.Try(t.Context(), account)
	if err != nil || len(tried.Grants) != len(api.Scopes()) || tried.Grants[0].Grant != api.Granted {
		t.Fatalf("%+v, %v", tried, err)
	}
	if written, err := os.ReadDir(s.Env.Dirs.Config); err != nil || len(written) > 0 || len(keys.keys) > 0 {
		t.Errorf("trying has written %v, %v", written, err)
	}
	notice, err := setup.Save(t.Context(), account)
	if err != nil || notice.Warn || !strings.Contains(notice.Text, "keyring") {
		t.Fatalf("%+v, %v", notice, err)
	}
	options, err := s.switchProfile(t.Context(), "training")
	if err != nil || options.Profile != "training" || options.Band != "test" || len(options.Profiles) != 1 {
		t.Fatalf("%+v, %v", options, err)
	}
	if _, err := options.Client.Orders.List(t.Context(), api.ListOptions{}); err != nil {
		t.Error(err)
	}
	var fault config.Fault
	if _, err := setup.Save(t.Context(), account); !errors.As(err, &fault) || fault.Key != session.FieldName {
		t.Errorf("the same name once more: %v", err)
	}
}

func TestSetupNamesTheInvalidField(t *testing.T) {
	s, account := newSession(t, ring{keys: map[string]string{}})
	for field, change := range map[string]func(*session.TypedAccount){
		session.FieldBaseURL:   func(a *session.TypedAccount) { a.BaseURL = "https://desk.example/?key=x" },
		session.FieldLegacyURL: func(a *session.TypedAccount) { a.LegacyBaseURL = "x" },
		session.FieldName:      func(a *session.TypedAccount) { a.Name = "two words" },
		session.FieldKey:       func(a *session.TypedAccount) { a.Key = "" },
	} {
		a := account
		change(&a)
		var fault config.Fault
		if _, err := s.setup().Try(t.Context(), a); !errors.As(err, &fault) || fault.Key != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	account.Key = "fd_test_nobody"
	if _, err := s.setup().Try(t.Context(), account); !api.IsStatus(err, 401) {
		t.Errorf("a key that nobody has: %v", err)
	}
	account.BaseURL = "http://127.0.0.1:1/api/v1/public"
	if _, err := s.setup().Try(t.Context(), account); err == nil {
		t.Error("a service that is not there takes the key")
	}
}

func TestSetupWarnsIfTheKeyIsStoredInAFile(t *testing.T) {
	s, account := newSession(t, ring{err: errors.New("no bus")})
	notice, err := s.setup().Save(t.Context(), account)
	if err != nil || !notice.Warn || !strings.Contains(notice.Text, "training.key") || !strings.Contains(notice.Text, "no bus") {
		t.Errorf("%+v, %v", notice, err)
	}
	if _, err := s.switchProfile(t.Context(), "training"); err != nil {
		t.Error(err)
	}
}

func TestSetupStartsTheDemoOnce(t *testing.T) {
	s, _ := newSession(t, ring{})
	for range 2 {
		if err := s.setup().Demo(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	options, err := s.switchProfile(t.Context(), session.Demo)
	if err != nil || !options.ServerMode {
		t.Fatalf("%+v, %v", options, err)
	}
	if _, err := options.Client.Orders.List(context.Background(), api.ListOptions{}); err != nil {
		t.Error(err)
	}
	if err := s.demo.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.demo.folder.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the demo leaves its folder: %v", err)
	}
}

// An SSH user gets only the profile of the user's name, with its key from this machine.
func TestAUserOverSSHHasTheProfileOfTheirName(t *testing.T) {
	_, account := newSession(t, ring{})
	file := filepath.Join(t.TempDir(), "users.toml")
	text := "[profiles.anna]\nbase_url = \"" + account.BaseURL + "\"\ncredential = { env = \"ANNA_KEY\" }\ncompany = \"Anna's Surveys\"\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ANNA_KEY", account.Key)
	t.Setenv("FLIGHTDESK_PROFILE", "other")
	o, err := openProfile(t.Context(), file, "anna")
	if err != nil || o.Company != "Anna's Surveys" {
		t.Fatalf("%q, %v", o.Company, err)
	}
	if page, err := o.Client.Orders.List(t.Context(), api.ListOptions{}); err != nil || len(page.Items) == 0 {
		t.Errorf("%+v, %v", page, err)
	}
	if _, err := openProfile(t.Context(), file, "bert"); err == nil || strings.Contains(err.Error(), account.Key) {
		t.Errorf("a user without a profile: %v", err)
	}
}
