package serve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/config"
	"flightdesk/tui/cli/run"
)

// Scripts and other programs start the service with these.
func TestServeHasItsFlags(t *testing.T) {
	serve := Command(&run.Program{Env: config.SystemEnv()})
	for flag, preset := range map[string]string{
		"addr": "127.0.0.1:8080", "data": "", "memory": "false", "demo": "false", "simulate": "0", "ops-key": "", "tls-cert": "",
		"tls-key": "", "ops-key-file": "", "check": "", "smtp-password-file": "", "webhook-allow": "[]", "webhook-ca": "", "rate-limit": "0", "drain": "0s", "trusted-proxies": "[]", "wrong-keys": "60", "smtp": "", "public-url": "", "output": "table",
	} {
		if f := serve.Flags().Lookup(flag); f == nil || f.DefValue != preset || f.Usage == "" {
			t.Errorf("--%s: %+v", flag, f)
		}
	}
}

// What only its reader may see comes from a file or the environment.
func TestServeReadsSecretsOffTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key, password := file("key", "from-a-file\n"), file("password", "p@ss:word\r\n")
	empty, broken := file("empty", "\n"), file("broken", "two words\n")
	for name, c := range map[string]struct {
		flags      serveFlags
		variable   string
		opsKey     string
		smtp, fail string
	}{
		"nothing":                      {},
		"the variable":                 {variable: "from-outside", opsKey: "from-outside"},
		"the flag beats the variable":  {flags: serveFlags{opsKey: "given"}, variable: "from-outside", opsKey: "given"},
		"the file beats the variable":  {flags: serveFlags{opsKeyFile: key}, variable: "from-outside", opsKey: "from-a-file"},
		"a variable that is no key":    {variable: "two words", fail: "FLIGHTDESK_OPS_KEY"},
		"a file that is empty":         {flags: serveFlags{opsKeyFile: empty}, fail: "is empty"},
		"a file that is no key":        {flags: serveFlags{opsKeyFile: broken}, fail: "--ops-key-file"},
		"no such file":                 {flags: serveFlags{opsKeyFile: filepath.Join(dir, "none")}, fail: "--ops-key-file"},
		"a password":                   {flags: serveFlags{smtp: "smtp://desk@mail.example:587", smtpPasswordFile: password}, smtp: "smtp://desk:p%40ss%3Aword@mail.example:587"},
		"a password of an address":     {flags: serveFlags{smtp: "desk@mail.example:25", smtpPasswordFile: password}, smtp: "smtp://desk:p%40ss%3Aword@mail.example:25"},
		"a password of nobody":         {flags: serveFlags{smtp: "mail.example:25", smtpPasswordFile: password}, fail: "needs a user in --smtp"},
		"a password beside a password": {flags: serveFlags{smtp: "smtp://a:b@mail.example", smtpPasswordFile: password}, fail: "already has a password"},
	} {
		err := c.flags.readSecrets(func(string) string { return c.variable })
		if c.fail != "" {
			if err == nil || !strings.Contains(err.Error(), c.fail) || strings.Contains(err.Error(), "p@ss") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || c.flags.opsKey != c.opsKey || c.smtp != "" && c.flags.smtp != c.smtp {
			t.Errorf("%s: key %q, smtp %q, %v", name, c.flags.opsKey, c.flags.smtp, err)
		}
	}
}
