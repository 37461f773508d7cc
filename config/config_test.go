package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"flightdesk/config"
)

// world returns an environment with its own folders, variables and keyring.
func world(t *testing.T, vars map[string]string) config.Env {
	t.Helper()
	root := t.TempDir()
	return config.Env{
		Lookup:  func(name string) (string, bool) { v, ok := vars[name]; return v, ok },
		Keyring: fakeKeyring{err: errors.New("no keyring")}.ring(),
		Dirs: config.Dirs{
			Home:      filepath.Join(root, "home"),
			Config:    filepath.Join(root, "config"),
			State:     filepath.Join(root, "state"),
			Downloads: filepath.Join(root, "downloads"),
		},
	}
}

func write(t *testing.T, path, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // regardless of the umask
		t.Fatal(err)
	}
	return path
}

func load(t *testing.T, env config.Env, text string) (*config.Config, error) {
	t.Helper()
	write(t, filepath.Join(env.Dirs.Config, "config.toml"), text, 0o644)
	return config.Load(env)
}

const full = `# everything that can be said
default_profile = "prod"
theme = "high-contrast"
download_dir = "~/Surveys"

[profiles.test]
base_url = "http://127.0.0.1:8080/api/v1/public/"

[profiles.prod]
base_url = "https://desk.example/eu/api/v1/public"
legacy_base_url = "https://desk.example/eu/api/v2"
ops_url = "https://desk.example/eu/api/ops/v1"
ca_file = "company-ca.pem"
company = "ACME Geo GmbH"
band = "live"
read_only = true
credential = { keyring = "prod" }

[profiles.prod.ops_credential]
command = ["~/bin/key", "ops"]
timeout = "20s"
`

func TestLoadReadsEverything(t *testing.T) {
	env := world(t, nil)
	got, err := load(t, env, full)
	if err != nil {
		t.Fatal(err)
	}
	want := &config.Config{
		Path:           filepath.Join(env.Dirs.Config, "config.toml"),
		Found:          true,
		DefaultProfile: "prod",
		Theme:          config.HighContrast,
		DownloadDir:    filepath.Join(env.Dirs.Home, "Surveys"),
		Profiles: []config.Profile{
			{Name: "test", BaseURL: "http://127.0.0.1:8080/api/v1/public/"},
			{
				Name:          "prod",
				BaseURL:       "https://desk.example/eu/api/v1/public",
				LegacyBaseURL: "https://desk.example/eu/api/v2",
				OpsURL:        "https://desk.example/eu/api/ops/v1",
				CAFile:        filepath.Join(env.Dirs.Config, "company-ca.pem"),
				Company:       "ACME Geo GmbH",
				Band:          "live",
				ReadOnly:      true,
				Credential:    config.Credential{Keyring: "prod"},
				OpsCredential: config.Credential{
					Command: []string{filepath.Join(env.Dirs.Home, "bin/key"), "ops"},
					Timeout: "20s",
				},
			},
		},
	}
	unexported := cmp.Options{cmpopts.IgnoreUnexported(config.Config{})}
	if diff := cmp.Diff(want, got, unexported); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestLoadWithoutAFileIsEmpty(t *testing.T) {
	env := world(t, nil)
	c, err := config.Load(env)
	if err != nil {
		t.Fatal(err)
	}
	if c.Found || len(c.Profiles) != 0 || c.Theme != config.Auto || c.DownloadDir != env.Dirs.Downloads {
		t.Errorf("got %+v", c)
	}
	if _, err := c.Resolve("", false); !errors.Is(err, config.ErrNoProfile) {
		t.Errorf("Resolve: got %v, want ErrNoProfile", err)
	}
}

func TestLoadUsesTheFileOfTheVariable(t *testing.T) {
	vars := map[string]string{}
	env := world(t, vars)
	vars["FLIGHTDESK_CONFIG"] = write(t, filepath.Join(t.TempDir(), "mine.toml"), `theme = "light"`, 0o600)
	c, err := config.Load(env)
	if err != nil || c.Theme != config.Light || c.Path != vars["FLIGHTDESK_CONFIG"] {
		t.Fatalf("got %+v, %v", c, err)
	}
	vars["FLIGHTDESK_CONFIG"] += ".gone"
	_, err = config.Load(env)
	if err == nil || !strings.Contains(err.Error(), "mine.toml.gone: file not found") {
		t.Errorf("a missing file that was named: got %v", err)
	}
	vars["FLIGHTDESK_CONFIG"] = t.TempDir()
	_, err = config.Load(env)
	if err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: got %v", err)
	}
}

func TestLoadWithoutAHomeFolderIsAnError(t *testing.T) {
	env := world(t, nil)
	env.Dirs.Config = "flightdesk"
	if _, err := config.Load(env); err == nil || !strings.Contains(err.Error(), "FLIGHTDESK_CONFIG") {
		t.Errorf("got %v", err)
	}
}

func TestFaultsNameLineAndKey(t *testing.T) {
	const ok = "[profiles.a]\nbase_url = \"https://desk.example/api/v1/public\"\n"
	long := strings.Repeat("x", 41)
	for _, tt := range []struct {
		name, text string
		want       []string // line: key: start of the problem
	}{
		{"syntax", "theme = \"dark\"\n[profiles a]\n", []string{"2: : expected '.' or ']'"}},
		{"bare value", "\nx = sk_live_1234\n", []string{"2: x: not a TOML value; put text in quotes"}},
		{"bad number", "x = 12_\n", []string{"1: x: not a TOML value"}},
		{"key twice", "theme = \"dark\"\ntheme = \"dark\"\n", []string{"2: theme: key 'theme' has already been defined"}},
		{"unknown key", ok + "colour = \"red\"\n", []string{"3: profiles.a.colour: unknown key; known keys are allow_http, areas, band,"}},
		{"misspelt key", "[profiles.a]\nbase-url = \"x\"\n", []string{
			"1: profiles.a.base_url: missing; set", "2: profiles.a.base-url: unknown key; did you mean base_url",
		}},
		{"unknown table", "[hotkeys]\nn = \"x\"\n", []string{"1: hotkeys: unknown key"}},
		{"key with control characters", "\"a\\u001b[2J\" = 1\n", []string{`1: "a\u001b[2J": unknown key`}},
		{"syntax under a key with control characters", "\"a\\n\\u001b\" = x\n", []string{"1: a: not a TOML value"}},
		{"escape of a control character", "a = \"\\\x1b\"\n", []string{"1: a: "}},
		{"wrong types", "theme = 3\ndownload_dir = [1]\nprofiles = \"a\"\n", []string{
			"1: theme: expected quoted text, not a number", "2: download_dir: expected quoted text, not a list", "3: profiles: expected a table [",
		}},
		{"list of tables", "[[profiles]]\nbase_url = \"x\"\n", []string{"1: profiles: expected a table ["}},
		{"profile is text", "[profiles]\na = \"https://desk.example\"\n", []string{"2: profiles.a: expected a table [profiles.a], not text"}},
		{"profile is a date", "[profiles]\na = 2026-01-02\n", []string{"2: profiles.a: expected a table ["}},
		{"flag", ok + "read_only = \"yes\"\n", []string{"3: profiles.a.read_only: expected true or false, not text"}},
		{"empty", ok + "ca_file = \"\"\n", []string{"3: profiles.a.ca_file: empty"}},
		{"glyphs", "glyphs = \"latin\"\n", []string{"1: glyphs: unknown character set; use auto, unicode, ascii"}},
		{"theme", "theme = \"solar\"\n", []string{"1: theme: unknown theme; use auto, dark, light, high-contrast, none"}},
		{"band", ok + "band = \"#7a1f2b\"\n", []string{"3: profiles.a.band: unknown environment; use live, test, demo"}},
		{"company", ok + "company = \"a\\nb\"\n", []string{"3: profiles.a.company: not a valid company name"}},
		{"path of another user", "download_dir = \"~bob/x\"\n", []string{"1: download_dir: only ~/ is supported"}},
		{"path with a newline", "download_dir = \"a\\nb\"\n", []string{"1: download_dir: a path cannot contain control characters"}},
		{"no such default", "default_profile = \"b\"\n" + ok, []string{`1: default_profile: no profile "b"; profiles in the file: a`}},
		{"default without profiles", "default_profile = \"b\"\n", []string{`1: default_profile: no profile "b"; add it with flightdesk login ADDRESS --name b`}},
		{"profile name", "[profiles.\"../a\"]\n", []string{
			`1: profiles."../a": not a valid profile name`, `1: profiles."../a".base_url: missing; set`,
		}},
		{"long profile name", strings.Replace(ok, "profiles.a", "profiles."+long, 1), []string{"1: profiles." + long + ": not a valid profile name"}},
		{"missing address, table without its own line", "[profiles.a.credential]\nenv = \"K\"\n", []string{"1: profiles.a.base_url: missing; set"}},
		{"missing address, inline table", "theme = \"dark\"\nprofiles = { a = { read_only = true } }\n", []string{"2: profiles.a.base_url: missing; set"}},
		{"two sources", ok + "credential = { env = \"K\", keyring = \"a\" }\n", []string{"3: profiles.a.credential: 2 sources (keyring, env); keep one"}},
		{"no source", ok + "[profiles.a.credential]\n", []string{"3: profiles.a.credential: missing source"}},
		{"credential is text", ok + "credential = \"abc\"\n", []string{"3: profiles.a.credential: expected a table ["}},
		{"a key in the file", ok + "credential = { key = \"abc\" }\n", []string{"3: profiles.a.credential.key: unknown key; known keys are command, env, file, keyring, timeout"}},
		{"variable", ok + "credential = { env = \"$KEY\" }\n", []string{"3: profiles.a.credential.env: not a variable name"}},
		{"command is text", ok + "credential = { command = \"pass show\" }\n", []string{"3: profiles.a.credential.command: expected a list of strings"}},
		{"command is empty", ok + "credential = { command = [] }\n", []string{"3: profiles.a.credential.command: empty list"}},
		{"command has a number", ok + "credential = { command = [\"a\", 1] }\n", []string{"3: profiles.a.credential.command: item 2: expected text, not a number"}},
		{"command has no program", ok + "credential = { command = [\"\"] }\n", []string{"3: profiles.a.credential.command: item 1: expected text, not empty text"}},
		{"timeout", ok + "credential = { command = [\"a\"], timeout = \"0s\" }\n", []string{"3: profiles.a.credential.timeout: not a valid duration"}},
		{"long timeout", ok + "credential = { command = [\"a\"], timeout = \"11m\" }\n", []string{"3: profiles.a.credential.timeout: not a valid duration; use one above 0 and up to 10m0s"}},
		{"timeout of a file", ok + "credential = { file = \"a\", timeout = \"1s\" }\n", []string{"3: profiles.a.credential.timeout: timeout applies only to command"}},
		{"too large", "#" + strings.Repeat("x", config.MaxBytes), []string{"0: : larger than 64 KiB"}},
		{"binary", "\x00\x01\x02", []string{"1: : files cannot contain NULL bytes"}},
		{"UTF-16", "\xff\xfet\x00h\x00", []string{"1: : files cannot contain NULL bytes"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := world(t, nil)
			_, err := load(t, env, tt.text)
			checkFaults(t, filepath.Join(env.Dirs.Config, "config.toml"), err, tt.want)
		})
	}
}

func checkFaults(t *testing.T, path string, err error, want []string) {
	t.Helper()
	var faults config.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("got %v, want faults", err)
	}
	if len(faults) != len(want) {
		t.Fatalf("got %d faults, want %d: %q", len(faults), len(want), faults)
	}
	for i, f := range faults {
		line, rest, _ := strings.Cut(want[i], ": ")
		key, problem, _ := strings.Cut(rest, ": ")
		if key != f.Key || !strings.HasPrefix(f.Problem, problem) || line != itoa(f.Line) || f.File != path {
			t.Errorf("got %+v, want %s", f, want[i])
		}
		if strings.ContainsAny(f.Error(), "\n\r\x1b\x00") {
			t.Errorf("more than one plain line: %q", f.Error())
		}
	}
	text := err.Error()
	if strings.Contains(text, "\n") || !strings.HasPrefix(text, path) {
		t.Errorf("the error is no single line that starts with the file: %q", text)
	}
	if more := len(faults) > 1; more != strings.Contains(text, "more; run flightdesk config check") {
		t.Errorf("the error does not say how many faults there are: %q", text)
	}
}

func itoa(n int) string { return string(rune('0' + n)) } // lines of the tests above have one digit

func TestAddresses(t *testing.T) {
	for _, tt := range []struct{ address, want string }{
		{"https://desk.example/api/v1/public", ""},
		{"https://desk.example:8443/eu/api/v1/public/", ""},
		{"http://localhost:8080/api/v1/public", ""},
		{"http://[::1]:8080/api/v1/public", ""},
		{"http://desk.example/api/v1/public", "http sends the key unencrypted"},
		{"http://127.0.0.1.example/api/v1/public", "http sends the key unencrypted"},
		{"https://desk.example", "the address must end in /api/v1/public"},
		{"https://desk.example/api/v2", "the address must end in /api/v1/public"},
		{"desk.example/api/v1/public", "not a valid address; use a URL such as"},
		{"ftp://desk.example/api/v1/public", "not a valid address; use a URL such as"},
		{"https:///api/v1/public", "not a valid address; use a URL such as"},
		{"https://:8080/api/v1/public", "not a valid address; use a URL such as"},
		{"https://a b/api/v1/public", "not a valid address; use a URL such as"},
		{"https://u:hunter2@desk.example/api/v1/public", "the address must not have a user"},
		{"https://desk.example/api/v1/public?key=hunter2", "the address must not have a user"},
		{"https://desk.example/api/v1/public#hunter2", "the address must not have a user"},
	} {
		t.Run("", func(t *testing.T) {
			_, err := load(t, world(t, nil), "[profiles.a]\nbase_url = \""+tt.address+"\"\n")
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), ":2: profiles.a.base_url: "+tt.want)):
				t.Errorf("%s: got %v, want %s", tt.address, err, tt.want)
			case err != nil && strings.Contains(err.Error(), "hunter2"):
				t.Errorf("the error shows the key: %v", err)
			}
		})
	}
}

func TestPlainHTTPWhenAllowed(t *testing.T) {
	c, err := load(t, world(t, nil), "[profiles.a]\nallow_http = true\nbase_url = \"http://desk.example/api/v1/public\"\n")
	if err != nil || !c.Profiles[0].AllowHTTP {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestForeignFileHasABoundedNumberOfFaults(t *testing.T) {
	var text strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&text, "[a%d]\nb=1\n", i)
	}
	_, err := load(t, world(t, nil), text.String())
	var faults config.Faults
	if !errors.As(err, &faults) || len(faults) != 100 {
		t.Errorf("got %d faults, want 100", len(faults))
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte("[[profiles]]\n[profiles.a]\n"))
	f.Add([]byte("profiles.a.credential = { command = [[1], {x = 2}] }\n"))
	f.Add([]byte("theme = 'sk_secret"))
	f.Fuzz(func(t *testing.T, data []byte) {
		env := world(t, nil)
		c, err := load(t, env, string(data))
		if (c == nil) == (err == nil) {
			t.Fatalf("got %v and %v", c, err)
		}
		if err != nil && strings.ContainsFunc(err.Error(), unicode.IsControl) {
			t.Fatalf("no single plain line: %q", err)
		}
	})
}

func TestTheErrorOfAProfileNameSaysHowItCanBegin(t *testing.T) {
	for name, isValid := range map[string]bool{"_prod": true, "prod.eu": true, "9": true, ".prod": false, "-prod": false, "": false} {
		p := config.Profile{Name: name, BaseURL: "https://one.example/api/v1/public"}
		err := p.Validate()
		if isValid != (err == nil) {
			t.Errorf("%q: %v", name, err)
		}
		if err != nil && !strings.Contains(err.Error(), "not starting with '.' or '-'") {
			t.Errorf("%q: the error does not say how a name can begin: %v", name, err)
		}
	}
}
