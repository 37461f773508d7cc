package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"flightdesk/api/server"
)

const database, bucket = "postgres://desk:hush@db.example:5432/desk", "s3://surveys/desk?endpoint=https://s3.example"

func TestFlagsOfSharedDataAreCheckedTogether(t *testing.T) {
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
		"--database " + database + " --database-connections 0":                                            "at least 2",
		"--secrets-key k":            "need --database",
		"--database-password-file f": "need --database",
		"--files-redirect":           "need --files",
		"--files-key-file f":         "need --files",
		"--copy-from dir":            "needs --database",
	} {
		f := serveFlags{service: localService{server: &server.Server{}}, Addr: "127.0.0.1:8080"}
		cmd := &cobra.Command{}
		f.addServeFlags(cmd)
		err := cmp.Or(cmd.ParseFlags(strings.Fields(line)), f.checkFlags(), f.service.checkDataFlags())
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestFlagsOfSharedDataReachTheServer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("p@ss word\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &server.Server{Bucket: server.Bucket{Address: bucket}}
	s.Database.URL = database
	f := localService{server: s, PasswordFile: file}
	if err := f.readPassword(); err != nil {
		t.Fatal(err)
	}
	if host, _ := os.Hostname(); s.Database.Password != "p@ss word" || !strings.HasPrefix(s.Name, host+":") {
		t.Errorf("%q, a process is named %q", s.Database.Password, s.Name)
	}
	f.PasswordFile = filepath.Join(t.TempDir(), "none")
	if err := f.readPassword(); err == nil || !strings.Contains(err.Error(), "password of the database") {
		t.Errorf("without the file: %v", err)
	}
	if places := f.describeData(); strings.Contains(places, "hush") || places != "postgres://desk:xxxxx@db.example:5432/desk, files in s3://surveys/desk" {
		t.Errorf("kept in %s", places)
	}
	shown := f.showsPassword()
	if s.Database.URL = "postgres://desk@db.example/desk"; !shown || f.showsPassword() {
		t.Error("a password on the command line is not noticed, or one that is not there is")
	}
}
