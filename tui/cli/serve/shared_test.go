package serve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"flightdesk/api/server"
)

const database, bucket = "postgres://desk:hush@db.example:5432/desk", "s3://surveys/desk?endpoint=https://s3.example"

func TestFlagsOfProcessesBelongTogether(t *testing.T) {
	for line, want := range map[string]string{
		"": "",
		"--database " + database + " --files " + bucket:                                                   "",
		"--database " + database + " --database-connections 2 --secrets-key k --database-password-file f": "",
		"--files " + bucket + " --files-redirect --files-key-file f":                                      "",
		"--database " + database + " --memory":                                                            "--memory cannot be combined",
		"--files " + bucket + " --memory":                                                                 "--memory cannot be combined",
		"--database " + database + " --demo":                                                              "cannot be combined with --database",
		"--database " + database + " --simulate 60":                                                       "cannot be combined with --database",
		"--database " + database + " --database-connections 1":                                            "at least 2",
		"--secrets-key k":            "need --database",
		"--database-password-file f": "need --database",
		"--files-redirect":           "need --files",
		"--files-key-file f":         "need --files",
		"--copy-from dir":            "needs --database",
	} {
		var f sharedFlags
		flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
		f.addFlags(flags)
		memory, demo := flags.Bool("memory", false, ""), flags.Bool("demo", false, "")
		simulate := flags.Float64("simulate", 0, "")
		if err := flags.Parse(strings.Fields(line)); err != nil {
			t.Fatal(err)
		}
		err := f.checkFlags(*memory, *demo, *simulate)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestFlagsOfProcessesReachTheServer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("p@ss word\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := sharedFlags{
		database: database, passwordFile: file, secretsKey: "key", connections: 7, files: bucket, filesKeyFile: "id", redirect: true, name: "desk-1",
	}
	s := &server.Server{}
	if err := f.applyTo(s); err != nil {
		t.Fatal(err)
	}
	if d := s.Database; d.URL != database || d.Password != "p@ss word" || d.KeyFile != "key" || d.Connections != 7 || s.Name != "desk-1" {
		t.Errorf("%+v of %q", d, s.Name)
	}
	if s.Bucket != (server.Bucket{Address: bucket, KeyFile: "id", Redirect: true}) {
		t.Errorf("%+v", s.Bucket)
	}
	f.name, f.passwordFile = "", filepath.Join(t.TempDir(), "none")
	if err := f.applyTo(s); err == nil || !strings.Contains(err.Error(), "--database-password-file") {
		t.Errorf("without the file: %v", err)
	}
	if host, _ := os.Hostname(); !strings.HasPrefix(s.Name, host+":") {
		t.Errorf("a process is named %q", s.Name)
	}
	if places := f.describePlaces("dir"); strings.Contains(places, "hush") || places != "postgres://desk:xxxxx@db.example:5432/desk, files in s3://surveys/desk" {
		t.Errorf("kept in %s", places)
	}
	if !f.isOnCommandLine() || (&sharedFlags{database: "postgres://desk@db.example/desk"}).isOnCommandLine() {
		t.Error("a password on the command line is not noticed, or one that is not there is")
	}
}
