package cli

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/api/server"
	"flightdesk/config"
)

func ran(t *testing.T, args ...string) (out string, err error) {
	t.Helper()
	var b bytes.Buffer
	p := &program{Env: config.SystemEnv()}
	root := rootCommand(p)
	root.SetOut(&b)
	root.SetErr(&b)
	root.SetArgs(args)
	err = root.ExecuteContext(t.Context())
	return b.String(), errors.Join(err, p.Fault)
}

// A service's data is backed up while the service runs, checked and restored.
func TestBackupCheckAndRestore(t *testing.T) {
	dir := t.TempDir()
	data, backup, again := filepath.Join(dir, "data"), filepath.Join(dir, "backup"), filepath.Join(dir, "again")
	s := &server.Server{Dir: data, Demo: true}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for _, step := range [][]string{
		{"backup", "--data", data, backup},
		{"serve", "--check", backup},
		{"restore", "--data", again, backup},
		{"serve", "--check", again},
	} {
		if out, err := ran(t, step...); err != nil || !strings.Contains(out, step[len(step)-1]) {
			t.Fatalf("%q: %s%v", step, out, err)
		}
	}
	if out, err := ran(t, "restore", "--data", data, backup); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("onto what is served: %s%v", out, err)
	}
	db, err := sql.Open("sqlite", filepath.Join(again, "flightdesk.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), `UPDATE missions SET order_id = 999999 WHERE id = 1`); err != nil {
		t.Fatal(err)
	}
	out, err := ran(t, "serve", "--check", again)
	if err == nil || !strings.Contains(out, "missions row 1") || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("a mission without its order: %s%v", out, err)
	}
	path := filepath.Join(backup, "flightdesk.db")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(content[:len(content)/2], bytes.Repeat([]byte{0x5a}, len(content)/2)...), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err = ran(t, "serve", "--check", backup)
	if err == nil || !strings.Contains(out, "database: ") || !strings.Contains(err.Error(), "flightdesk restore") {
		t.Errorf("a damaged folder: %s%v", out, err)
	}
}

// The address of a database or a bucket is refused as a folder; the error names the flags for it.
func TestBackupsRefuseAddressesAsFolders(t *testing.T) {
	dir := t.TempDir()
	for _, c := range [][]string{
		{"--database and --files", "backup", "--data", "postgres://desk@db.example/desk", dir},
		{"--database and --files", "backup", "--data", dir, "s3://surveys/backup"},
		{"--database and --files", "restore", "--data", "postgres://desk@db.example/desk", dir},
		{"--database and --files", "serve", "--check", "postgres://desk@db.example/desk"},
		{"--database and --files", "serve", "--check", dir, "--database", "postgres://desk@db.example/desk"},
	} {
		var wrong *usageError
		if _, err := ran(t, c[1:]...); !errors.As(err, &wrong) || !strings.Contains(err.Error(), c[0]) {
			t.Errorf("%q: %v", c[1:], err)
		}
	}
}
