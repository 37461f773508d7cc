package cli

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api/server"
	"flightdesk/config/atomicfile"
	"flightdesk/tui/sshserver"
)

// Scripts and other programs start the service with these flags.
func TestServeHasTheFlagsThatProgramsUse(t *testing.T) {
	serve := serveCommand()
	for flag, preset := range map[string]string{
		"addr": "127.0.0.1:8080", "data": "", "memory": "false", "demo": "false", "simulate": "0", "ops-key": "", "tls-cert": "",
		"tls-key": "", "secrets": "", "audit-file": "", "check": "", "demo-size": "", "webhook-allow": "", "webhook-ca": "", "rate-limit": "0", "drain": "0s", "keep-logs": "0s", "trusted-proxies": "", "smtp": "", "public-url": "", "output": "table",
	} {
		if f := serve.Flags().Lookup(flag); f == nil || f.DefValue != preset || f.Usage == "" {
			t.Errorf("--%s: %+v", flag, f)
		}
	}
}

// Secrets can be in files or variables, so that they are not on the command line.
func TestServeReadsSecretsFromFilesAndVariables(t *testing.T) {
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
		given      *server.Server
		variable   string
		opsKey     string
		smtp, fail string
	}{
		"nothing":                      {},
		"the variable":                 {variable: "from-outside", opsKey: "from-outside"},
		"the flag beats the variable":  {given: &server.Server{OpsKey: "given"}, variable: "from-outside", opsKey: "given"},
		"the file beats the variable":  {flags: serveFlags{OpsKeyFile: key}, variable: "from-outside", opsKey: "from-a-file"},
		"a variable that is no key":    {variable: "two words", fail: "FLIGHTDESK_OPS_KEY"},
		"a file that is empty":         {flags: serveFlags{OpsKeyFile: empty}, fail: "is empty"},
		"a file that is no key":        {flags: serveFlags{OpsKeyFile: broken}, fail: "operations key"},
		"no such file":                 {flags: serveFlags{OpsKeyFile: filepath.Join(dir, "none")}, fail: "operations key"},
		"a password":                   {given: &server.Server{SMTP: "smtp://desk@mail.example:587"}, flags: serveFlags{SMTPPasswordFile: password}, smtp: "smtp://desk:p%40ss%3Aword@mail.example:587"},
		"a password of an address":     {given: &server.Server{SMTP: "desk@mail.example:25"}, flags: serveFlags{SMTPPasswordFile: password}, smtp: "smtp://desk:p%40ss%3Aword@mail.example:25"},
		"a password of nobody":         {given: &server.Server{SMTP: "mail.example:25"}, flags: serveFlags{SMTPPasswordFile: password}, fail: "needs a user in --smtp"},
		"a password beside a password": {given: &server.Server{SMTP: "smtp://a:b@mail.example"}, flags: serveFlags{SMTPPasswordFile: password}, fail: "already has a password"},
	} {
		c.flags.service.server = cmp.Or(c.given, &server.Server{})
		err := c.flags.readSecrets(func(string) string { return c.variable })
		if c.fail != "" {
			if err == nil || !strings.Contains(err.Error(), c.fail) || strings.Contains(err.Error(), "p@ss") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || c.flags.service.server.OpsKey != c.opsKey || c.smtp != "" && c.flags.service.server.SMTP != c.smtp {
			t.Errorf("%s: key %q, smtp %q, %v", name, c.flags.service.server.OpsKey, c.flags.service.server.SMTP, err)
		}
	}
}

// The files of --secrets are used if the flags that they belong to are set; a file that a flag names
// is used instead.
func TestServeReadsSecretsFromAFolder(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"ops-key": "from-the-folder\n", "database-password": "p1\n", "smtp-password": "p2\n", "unrelated": "x",
		"bucket-key": "id\nsecret\n", "secrets.key": strings.Repeat("5a", 32) + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	noSecrets := t.TempDir()
	if err := os.WriteFile(filepath.Join(noSecrets, "ops_key"), []byte("mistyped"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for line, want := range map[string]string{
		"":                                 "   ",
		"--secrets " + dir:                 at("ops-key") + "   ",
		"--ops-key given --secrets " + dir: "   ",
		"--smtp smtp://desk@mail.example --secrets " + dir:                           at("ops-key") + " " + at("smtp-password") + "  ",
		"--smtp smtp://desk@mail.example --smtp-password-file mine --secrets " + dir: at("ops-key") + " mine  ",
		"--database " + database + " --secrets " + dir:                               at("ops-key") + "  " + at("database-password") + at("secrets.key") + " ",
		"--files " + bucket + " --secrets " + dir:                                    at("ops-key") + "   " + at("bucket-key"),
		"--secrets " + filepath.Join(dir, "none"):                                    "no such file or directory",
		"--secrets " + noSecrets:                                                     "has none of the files ops-key, database-password, bucket-key, smtp-password, secrets.key",
	} {
		f := serveFlags{service: localService{server: &server.Server{}}}
		cmd := &cobra.Command{}
		f.addServeFlags(cmd)
		if err := cmd.ParseFlags(strings.Fields(line)); err != nil {
			t.Fatal(err)
		}
		err := f.useSecrets()
		got := f.OpsKeyFile + " " + f.SMTPPasswordFile + " " + f.service.PasswordFile + f.service.server.Database.KeyFile + " " + f.service.server.Bucket.KeyFile
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// The name of a process is the application_name in the address of its database.
func TestAProcessHasTheNameInItsDatabaseAddress(t *testing.T) {
	d := localService{server: &server.Server{}}
	d.server.Database.URL = "postgres://desk@db.example/desk?application_name=desk-1"
	if err := d.readPassword(); err != nil || d.server.Name != "desk-1" {
		t.Errorf("named %q, %v", d.server.Name, err)
	}
}

// A missing folder for --audit-file is created.
func TestTheFolderOfTheAuditFileIsCreated(t *testing.T) {
	f := &serveFlags{}
	f.service.server = &server.Server{AuditFile: filepath.Join(t.TempDir(), "logs", "audit.jsonl")}
	if err := f.prepareAuditFile(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(f.service.server.AuditFile); err != nil {
		t.Error(err)
	}
}

func TestNoAuditFileIsCreatedIfThePortIsInUse(t *testing.T) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	folder := filepath.Join(t.TempDir(), "logs")
	command := "serve --memory --addr " + other.Addr().String() + " --audit-file " + filepath.Join(folder, "audit.jsonl")
	status, line := runAgainst(t, "https://desk.example", command)
	if status != exitFailed || !strings.Contains(line, " is in use; ") {
		t.Errorf("status %d: %q", status, line)
	}
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder of the audit file exists: %v", err)
	}
}

func TestThePortIsFreeIfTheAuditFileCannotBeWritten(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	command := "serve --memory --addr " + address + " --audit-file " + t.TempDir() // a folder
	if status, line := runAgainst(t, "https://desk.example", command); status != exitFailed {
		t.Errorf("status %d: %q", status, line)
	}
	again, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	_ = again.Close()
}

func TestServeReadsItsFlagsFromTheEnvironment(t *testing.T) {
	environment := []string{
		"FLIGHTDESK_SERVE_ADDR=0.0.0.0:80", "FLIGHTDESK_SERVE_WEBHOOK_ALLOW=10.0.0.0/8,127.0.0.0/8", "FLIGHTDESK_SERVE_MEMORY=true",
		"FLIGHTDESK_SERVE_KEEP_LOGS=90d", "FLIGHTDESK_SERVE_DATA=elsewhere", "FLIGHTDESK_API_KEY=other", "FLIGHTDESK_SERVER=other",
	}
	serve := serveCommand()
	if err := serve.Flags().Set("data", "here"); err != nil {
		t.Fatal(err)
	}
	if err := applySettings(serve, environment); err != nil || !serve.Flags().Changed("keep-logs") || !serve.Flags().Changed("webhook-allow") {
		t.Errorf("not all are set: %v", err)
	}
	for flag, want := range map[string]string{
		"addr": "0.0.0.0:80", "memory": "true", "data": "here",
	} {
		if got := serve.Flags().Lookup(flag).Value.String(); got != want {
			t.Errorf("--%s is %s, want %s", flag, got, want)
		}
	}
	for name, value := range map[string]string{"FLIGHTDESK_SERVE_MEMORY": "secret", "FLIGHTDESK_SERVE_KEEP_LOGS": "1h"} {
		err := applySettings(serveCommand(), []string{name + "=" + value})
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}

// Kubernetes sets variables for its services. Their names can begin like the variables of serve.
func TestServeIgnoresTheVariablesOfKubernetes(t *testing.T) {
	environment := []string{
		"FLIGHTDESK_SERVE_SERVICE_HOST=10.0.0.7", "FLIGHTDESK_SERVE_SERVICE_PORT=80", "FLIGHTDESK_SERVE_SERVICE_PORT_HTTP=80",
		"FLIGHTDESK_SERVE_PORT=tcp://10.0.0.7:80", "FLIGHTDESK_SERVE_PORT_80_TCP=tcp://10.0.0.7:80", "FLIGHTDESK_SERVE_PORT_80_TCP_PROTO=tcp",
		"FLIGHTDESK_SERVE_PORT_80_TCP_PORT=80", "FLIGHTDESK_SERVE_PORT_53_UDP_ADDR=10.0.0.7", "FLIGHTDESK_SERVE_SSH_SERVICE_HOST=10.0.0.8",
		"FLIGHTDESK_SERVE_SSH_PORT=tcp://10.0.0.8:22", "FLIGHTDESK_SERVE_ADDR=:80",
	}
	serve := serveCommand()
	if err := applySettings(serve, environment); err != nil || serve.Flags().Lookup("addr").Value.String() != ":80" {
		t.Errorf("addr is %s, %v", serve.Flags().Lookup("addr").Value, err)
	}
}

func TestServeRefusesAVariableWithoutAFlag(t *testing.T) {
	for _, name := range []string{
		"FLIGHTDESK_SERVE_BOGUS", "FLIGHTDESK_SERVE_ADR", "FLIGHTDESK_SERVE_HELP", "FLIGHTDESK_SERVE_", "FLIGHTDESK_SERVE_PORT", "FLIGHTDESK_SERVE_HOST",
	} {
		err := applySettings(serveCommand(), []string{"FLIGHTDESK_SERVE_DEMO=true", name + "=secret"})
		if err == nil || !strings.Contains(err.Error(), name+" sets no flag of serve") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Reading a device such as /dev/zero ends at a limit.
func TestServeRefusesFilesThatAreTooLarge(t *testing.T) {
	file := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(file, []byte(strings.Repeat("#", atomicfile.MaxSettings+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, certificate := readCertificate(file, file)
	_, secret := readSecretFile("operations key", file)
	_, publicKeys := sshserver.New(sshserver.Options{Keys: file})
	for what, err := range map[string]error{
		"settings":    applySettings(serveCommand(), []string{"FLIGHTDESK_SERVE_SETTINGS=" + file}),
		"certificate": certificate,
		"secret":      secret,
		"public keys": publicKeys,
	} {
		if err == nil || !strings.Contains(err.Error(), file+" is larger than 1 MiB") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Durations can be in days, and repeated networks add up.
func TestServeReadsTimesAndNetworks(t *testing.T) {
	f := serveFlags{service: localService{server: &server.Server{}}}
	add := addNetworks(&f.service.server.WebhookAllow)
	if err := errors.Join(f.setKeepLogs("90d"), add("10.1.2.3/8,127.0.0.0/8"), add("::1/128"), f.service.setDemoSize("5000, 20MB ")); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(f.service.server.KeepLogs, f.service.server.WebhookAllow, f.service.server.DemoOrders, " ", f.service.server.SampleFileSize); got != "2160h0m0s [10.0.0.0/8 127.0.0.0/8 ::1/128] 5000 20000000" {
		t.Error(got)
	}
	if f.setKeepLogs("1h") == nil || add("10.0.0.0") == nil || f.service.setDemoSize("2PB") == nil || f.service.setDemoSize("100k") == nil {
		t.Error("a value that does not hold is read")
	}
}

// The file of --settings sets the flags that neither the command line nor a variable sets.
func TestServeReadsItsFlagsFromAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "serve.toml")
	read := func(text string) (*cobra.Command, error) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		serve := serveCommand()
		for name, value := range map[string]string{"settings": file, "data": "here"} {
			if err := serve.Flags().Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		err := applySettings(serve, []string{"FLIGHTDESK_SERVE_ADDR=0.0.0.0:80"})
		return serve, err
	}
	serve, err := read("addr = '1.2.3.4:5'\ndata = 'elsewhere'\ndemo = true\nrate-limit = 2.5\nkeep-logs = '90d'\n" +
		"webhook-allow = ['10.0.0.0/8', '127.0.0.0/8']\n")
	if err != nil || !serve.Flags().Changed("keep-logs") || !serve.Flags().Changed("webhook-allow") {
		t.Errorf("not all are set: %v", err)
	}
	for flag, want := range map[string]string{
		"addr": "0.0.0.0:80", "data": "here", "demo": "true", "rate-limit": "2.5",
	} {
		if got := serve.Flags().Lookup(flag).Value.String(); got != want {
			t.Errorf("--%s is %s, want %s", flag, got, want)
		}
	}
	for text, want := range map[string]string{
		"colour = 'red'":    "serve has no flag --colour",
		"memory = 'secret'": "memory in " + file + " is not a valid value of --memory",
		"memory":            "settings:",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// makeCertificate writes a certificate with a serial number, and its key.
func makeCertificate(t *testing.T, c *certificateFiles, serial int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, of, of, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{c.cert: {Type: "CERTIFICATE", Bytes: der}, c.key: {Type: "PRIVATE KEY", Bytes: secret}} {
		at := time.Unix(1_800_000_000+serial, 0)
		if err := errors.Join(os.WriteFile(path, pem.EncodeToMemory(block), 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
}

// A renewed certificate is used from then on; an invalid one is not.
func TestACertificateIsReloaded(t *testing.T) {
	dir := t.TempDir()
	var log strings.Builder
	c := &certificateFiles{
		cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem"), log: slog.New(slog.NewTextHandler(&log, nil)),
	}
	if _, err := c.load(nil); err == nil {
		t.Error("there is no certificate, but it was loaded")
	}
	serial := func() int64 {
		pair, err := c.load(nil)
		if err != nil {
			t.Fatal(err)
		}
		return pair.Leaf.SerialNumber.Int64()
	}
	for want := range int64(3) {
		makeCertificate(t, c, want+1)
		if got := serial(); got != want+1 {
			t.Errorf("certificate %d is served, want %d", got, want+1)
		}
	}
	if err := os.WriteFile(c.cert, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := serial(); got != 3 {
			t.Errorf("certificate %d is served in place of a broken one", got)
		}
	}
	if n := strings.Count(log.String(), "cannot be reloaded"); n != 1 {
		t.Errorf("said %d times: %s", n, log.String())
	}
}

// The examples for containers and systemd only use existing flags.
func TestTheExamplesUseExistingFlags(t *testing.T) {
	flags := serveCommand().Flags()
	for name, least := range map[string]int{"Containerfile": 3, "flightdesk.service": 3} {
		text, err := os.ReadFile(filepath.Join("examples", name))
		if err != nil {
			t.Fatal(err)
		}
		used := 0
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "COPY") {
				continue
			}
			for _, found := range regexp.MustCompile(`FLIGHTDESK_SERVE_([A-Z_]+)=| --([a-z-]+)`).FindAllStringSubmatch(line, -1) {
				flag := found[2] + strings.ToLower(strings.ReplaceAll(found[1], "_", "-"))
				if used++; flags.Lookup(flag) == nil {
					t.Errorf("%s: there is no --%s", name, flag)
				}
			}
		}
		if used < least {
			t.Errorf("%s uses %d flags", name, used)
		}
	}
}
