package config_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"flightdesk/config"
)

// TestMain runs the tests, or acts as the command of a credential.
func TestMain(m *testing.M) {
	switch os.Getenv("CONFIG_TEST_HELPER") {
	case "":
		os.Exit(m.Run())
	case "key":
		fmt.Print("  hunter2  \r\nsecond line\n")
	case "nothing":
		fmt.Print("\nhunter2\n")
	case "fail":
		fmt.Fprintln(os.Stderr, "hunter2")
		os.Exit(3)
	case "flood":
		for line := strings.Repeat("x", 4096); ; {
			if _, err := fmt.Println(line); err != nil {
				return
			}
		}
	case "hang":
		select {}
	}
}

type fakeKeyring struct {
	keys map[string]string
	err  error
}

// ring returns the keyring with its keys.
func (k fakeKeyring) ring() config.Keyring {
	return config.Keyring{Get: k.Get, Set: k.Set, Delete: k.Delete}
}

func (k fakeKeyring) Get(service, account string) (string, error) {
	if k.err != nil {
		return "", k.err
	}
	key, ok := k.keys[service+"/"+account]
	if !ok {
		return "", keyring.ErrNotFound
	}
	return key, nil
}

func (k fakeKeyring) Set(service, account, secret string) error {
	if k.err == nil {
		k.keys[service+"/"+account] = secret
	}
	return k.err
}

func (k fakeKeyring) Delete(service, account string) error {
	if k.err != nil {
		return k.err
	}
	if _, known := k.keys[service+"/"+account]; !known {
		return keyring.ErrNotFound
	}
	delete(k.keys, service+"/"+account)
	return nil
}

// key resolves a profile with a credential and returns its key.
func key(t *testing.T, env config.Env, credential string) (string, error) {
	t.Helper()
	c, err := load(t, env, "[profiles.a]\nbase_url = \"https://a.example/api/v1/public\"\ncredential = { "+credential+" }\n")
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Resolve("", false)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := s.Key(t.Context())
	return secret.Reveal(), err
}

func wantKey(t *testing.T, got string, err error, want, wantErr string) {
	t.Helper()
	if wantErr == "" {
		if err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
		return
	}
	if err == nil || !strings.Contains(err.Error(), wantErr) {
		t.Fatalf("got %q, %v, want an error with %q", got, err, wantErr)
	}
	if text := err.Error(); strings.Contains(text, "hunter2") || strings.Contains(text, "\n") || !strings.HasPrefix(text, "profile a: credential: ") {
		t.Errorf("no single line without the key and with its place: %q", text)
	}
}

func TestKeyFromVariableAndKeyring(t *testing.T) {
	ring := fakeKeyring{keys: map[string]string{"flightdesk/prod": "from-ring\n", "flightdesk/blank": "  "}}
	vars := map[string]string{"K": " from-env ", "ODD": "hun ter2", "UNICODE": "schlüssel"}
	for _, tt := range []struct {
		name, credential string
		ring             fakeKeyring
		want, wantErr    string
	}{
		{"variable", `env = "K"`, fakeKeyring{}, "from-env", ""},
		{"variable that is not set", `env = "NONE"`, fakeKeyring{}, "", "the variable NONE is not set"},
		{"variable with a space", `env = "ODD"`, fakeKeyring{}, "", "spaces or invalid characters"},
		{"variable with other letters", `env = "UNICODE"`, fakeKeyring{}, "", "spaces or invalid characters"},
		{"keyring", `keyring = "prod"`, ring, "from-ring", ""},
		{"keyring without the account", `keyring = "other"`, ring, "", `the keyring has no key for account "other"; store it with: `},
		{"keyring with a blank", `keyring = "blank"`, ring, "", `the keyring has no key for account "blank"`},
		{"keyring that is locked", `keyring = "prod"`, fakeKeyring{err: errors.New("locked\nreally")}, "", "keyring: not answering (locked really)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := world(t, vars)
			env.Keyring = tt.ring.ring()
			got, err := key(t, env, tt.credential)
			wantKey(t, got, err, tt.want, tt.wantErr)
		})
	}
}

func TestALockedKeyringIsRecognized(t *testing.T) {
	env := world(t, nil)
	env.Keyring = fakeKeyring{err: errors.New("locked")}.ring()
	if _, err := key(t, env, `keyring = "prod"`); !errors.Is(err, config.ErrNoKeyring) {
		t.Errorf("the error is %v", err)
	}
}

func TestSystemKeyring(t *testing.T) {
	keyring.MockInit()
	if err := keyring.Set("flightdesk", "prod", "from-ring"); err != nil {
		t.Fatal(err)
	}
	env := world(t, nil)
	env.Keyring = config.SystemEnv().Keyring
	got, err := key(t, env, `keyring = "prod"`)
	wantKey(t, got, err, "from-ring", "")
}

func TestKeyFromCommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, helper, command, want, wantErr string }{
		{"first line", "key", "[%q]", "hunter2", ""},
		{"empty first line", "nothing", "[%q]", "", "printed no key on its first line"},
		{"failing", "fail", "[%q, 'hunter2']", "", "failed with exit status 3; run it yourself"},
		{"too slow", "hang", "[%q], timeout = '50ms'", "", "took longer than 50ms"},
		{"printing without end", "flood", "[%q], timeout = '300ms'", "", "took longer than 300ms"},
		{"missing", "key", "['no-such-program-here']", "", `no command "no-such-program-here"`},
		{"missing path", "key", "['/no/such/program']", "", `no command "/no/such/program"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("CONFIG_TEST_HELPER", tt.helper)
			command := tt.command
			if strings.Contains(command, "%q") {
				command = fmt.Sprintf(command, self)
			}
			got, err := key(t, world(t, nil), "command = "+command)
			wantKey(t, got, err, tt.want, tt.wantErr)
		})
	}
}

func TestAnInterruptedCommandIsNotATimeout(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("CONFIG_TEST_HELPER", "hang")
	c, err := load(t, world(t, nil), fmt.Sprintf("[profiles.a]\nbase_url = \"https://a.example/api/v1/public\"\ncredential = { command = [%q] }\n", self))
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Resolve("", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Key(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestKeyFromFile(t *testing.T) {
	for _, tt := range []struct {
		name, text    string
		mode          os.FileMode
		want, wantErr string
	}{
		{"owner only", "hunter2\nnote\n", 0o600, "hunter2", ""},
		{"owner may only read", "hunter2", 0o400, "hunter2", ""},
		{"group may read", "hunter2", 0o640, "", "has mode 0640, so others can read the key; run: chmod 600"},
		{"all may write", "hunter2", 0o602, "", "has mode 0602"},
		{"empty", "", 0o600, "", "the first line is empty"},
		{"empty first line", "\nhunter2", 0o600, "", "the first line is empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(tt.wantErr, "mode") {
				tt.want, tt.wantErr = "hunter2", "" // Windows has no file modes
			}
			env := world(t, nil)
			write(t, filepath.Join(env.Dirs.Config, "key.txt"), tt.text, tt.mode)
			got, err := key(t, env, `file = "key.txt"`)
			wantKey(t, got, err, tt.want, tt.wantErr)
		})
	}
	t.Run("missing", func(t *testing.T) {
		got, err := key(t, world(t, nil), `file = "~/key.txt"`)
		wantKey(t, got, err, "", filepath.Join("home", "key.txt")+": no such file")
	})
	t.Run("folder", func(t *testing.T) {
		got, err := key(t, world(t, nil), `file = "."`)
		wantKey(t, got, err, "", "not a regular file")
	})
}

func TestCAFile(t *testing.T) {
	dir := t.TempDir()
	p := config.Profile{Name: "a"}
	if pool, err := p.CAs(); pool != nil || err != nil {
		t.Errorf("none: got %v, %v", pool, err)
	}
	p.CAFile = filepath.Join(dir, "gone.pem")
	if _, err := p.CAs(); err == nil || !strings.Contains(err.Error(), "gone.pem: no such file") {
		t.Errorf("missing: got %v", err)
	}
	p.CAFile = write(t, filepath.Join(dir, "odd.pem"), "no certificate", 0o644)
	if _, err := p.CAs(); err == nil || !strings.Contains(err.Error(), "no PEM certificate in") {
		t.Errorf("no certificate: got %v", err)
	}
	p.CAFile = write(t, filepath.Join(dir, "ca.pem"), certificate(t), 0o644)
	pool, err := p.CAs()
	if err != nil || pool == nil {
		t.Errorf("good: got %v, %v", pool, err)
	}
}
