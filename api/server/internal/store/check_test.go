package store_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"flightdesk/api/server/internal/store"
)

// filledFolder returns the data folder of a closed store. Its database has many pages and
// one file.
func filledFolder(t *testing.T) (dir string, a *store.Account) {
	t.Helper()
	dir = t.TempDir()
	s, err := store.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	a = account("A")
	a.UUID = uuidOf(0)
	write(t, s, func(tx *store.Tx) error { return store.Insert(tx, a) })
	for i := range 300 {
		o := order(a, i+1)
		o.UUID = uuidOf(i + 1)
		write(t, s, func(tx *store.Tx) error { return store.Insert(tx, o) })
	}
	write(t, s, func(tx *store.Tx) error {
		return store.Insert(tx, &store.File{UUID: uuidOf(301), Name: "a.jpg", MediaType: "image/jpeg", Kind: "jpg", Size: 7, SHA256: digestOf("content"), Place: "place-1", Created: a.Created})
	})
	if _, err := s.Vault(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "files"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "files", "place-1"), []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, a
}

func digestOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

func uuidOf(n int) string { return fmt.Sprintf("019cc6c4-0000-7000-8000-%012d", n) }

// spoil overwrites the second half of a database.
func spoil(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "flightdesk.db")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(content) / 2; i < len(content); i++ {
		content[i] ^= 0x5a
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// The error for a damaged database says what to do.
func TestADamagedDatabaseIsRefused(t *testing.T) {
	dir, _ := filledFolder(t)
	if faults, err := store.CheckFolder(t.Context(), dir); err != nil || len(faults) != 0 {
		t.Fatalf("a whole folder: %q, %v", faults, err)
	}
	spoil(t, dir)
	_, err := store.Open(t.Context(), dir)
	if !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "flightdesk serve --check "+dir) || strings.Contains(err.Error(), "\n") {
		t.Errorf("opening it: %v", err)
	}
	if faults, err := store.CheckFolder(t.Context(), dir); err != nil || len(faults) == 0 || !strings.HasPrefix(faults[0], "database: ") {
		t.Errorf("checking it: %q, %v", faults, err)
	}
	if err := store.RestoreFolder(t.Context(), dir, filepath.Join(t.TempDir(), "new")); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("restoring it: %v", err)
	}
}

// The check of a large database takes long, so it runs only if the database has changed
// since the last stop.
func TestTheCheckAtTheStartIsSkippedAfterACleanStop(t *testing.T) {
	dir, _ := filledFolder(t)
	path := filepath.Join(dir, "flightdesk.db")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	spoil(t, dir)
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if s, err := store.Open(t.Context(), dir); err == nil {
		err = s.Close()
		if err != nil {
			t.Error(err)
		}
	} else if strings.Contains(err.Error(), "serve --check") {
		t.Errorf("it was read whole: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "checked")); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), dir); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("without the note: %v", err)
	}
}

func TestMissingFilesAreFound(t *testing.T) {
	dir, _ := filledFolder(t)
	if err := os.WriteFile(filepath.Join(dir, "files", "place-1"), []byte("cut"), 0o600); err != nil {
		t.Fatal(err)
	}
	faults, err := store.CheckFolder(t.Context(), dir)
	if err != nil || !slices.Equal(faults, []string{"file place-1 has 3 bytes, and should have 7"}) {
		t.Errorf("%q, %v", faults, err)
	}
	if err := os.Remove(filepath.Join(dir, "files", "place-1")); err != nil {
		t.Fatal(err)
	}
	faults, err = store.CheckFolder(t.Context(), dir)
	if err != nil || !slices.Equal(faults, []string{"file place-1 is missing"}) {
		t.Errorf("%q, %v", faults, err)
	}
}

func TestChangedFilesAreFound(t *testing.T) {
	dir, _ := filledFolder(t)
	if err := os.WriteFile(filepath.Join(dir, "files", "place-1"), []byte("contemn"), 0o600); err != nil {
		t.Fatal(err)
	}
	faults, err := store.CheckFolder(t.Context(), dir)
	if err != nil || !slices.Equal(faults, []string{"file place-1 has changed; its SHA-256 is not the recorded one"}) {
		t.Errorf("%q, %v", faults, err)
	}
}

func TestMissingRowsAndLockedSecretsAreFound(t *testing.T) {
	dir, _ := filledFolder(t)
	db, err := sql.Open("sqlite", filepath.Join(dir, "flightdesk.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, statement := range []string{
		`UPDATE orders SET account_id = 99 WHERE id = 12`,
		`INSERT INTO webhooks (account_id, uuid, url, events, description, secret, created, updated)
			VALUES (1, '019cc6c4-0000-7000-8000-000000009999', 'https://x.example', '', '', 'c2VjcmV0', 1, 1)`,
		`INSERT INTO settings (name, value) VALUES ('secret.ops', 'c2VjcmV0'), ('other', 'c2VjcmV0')`,
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"orders row 12: its row of accounts is missing",
		"webhooks row 1: its secret does not open with the key in secrets.key",
		"setting secret.ops: its secret does not open with the key in secrets.key",
	}
	faults, err := store.CheckFolder(t.Context(), dir)
	if err != nil || !slices.Equal(faults, want) {
		t.Errorf("%v\n%s", err, strings.Join(faults, "\n"))
	}
	if err := os.Remove(filepath.Join(dir, "secrets.key")); err != nil {
		t.Fatal(err)
	}
	faults, err = store.CheckFolder(t.Context(), dir)
	if err != nil || len(faults) != 2 || !strings.HasPrefix(faults[1], "secrets: ") {
		t.Errorf("without the key: %v\n%s", err, strings.Join(faults, "\n"))
	}
}

// A backup of a folder in use is complete and can become a data folder.
func TestBackupsAreRestored(t *testing.T) {
	dir, a := filledFolder(t)
	s, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	write(t, s, func(tx *store.Tx) error { return store.Insert(tx, order(a, 1000)) })
	backup := filepath.Join(t.TempDir(), "deep", "monday")
	if err := store.BackupFolder(t.Context(), dir, backup); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(backup, "flightdesk.db")); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can read the backup's database: %v, %v", info, err)
	}
	write(t, s, func(tx *store.Tx) error { return store.Insert(tx, order(a, 1001)) })
	if err := store.BackupFolder(t.Context(), dir, backup); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("onto a backup: %v", err)
	}
	if err := store.RestoreFolder(t.Context(), backup, dir); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("onto a folder in use: %v", err)
	}
	for _, inside := range []string{"monday", "files/monday"} {
		err := store.BackupFolder(t.Context(), dir, filepath.Join(dir, inside))
		if err == nil || !strings.Contains(err.Error(), "would be inside "+dir) {
			t.Errorf("into itself: %v", err)
		}
	}
	again := filepath.Join(t.TempDir(), "again")
	if err := store.RestoreFolder(t.Context(), backup, again); err != nil {
		t.Fatal(err)
	}
	restored, err := store.Open(t.Context(), again)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = restored.Close() }()
	if _, err := restored.OrderByCode(t.Context(), order(a, 1000).Code); err != nil {
		t.Errorf("what was there at the backup: %v", err)
	}
	if _, err := restored.OrderByCode(t.Context(), order(a, 1001).Code); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("what came after it: %v", err)
	}
	for _, name := range []string{"secrets.key", "files/place-1"} {
		old, err1 := os.ReadFile(filepath.Join(dir, name))
		copied, err2 := os.ReadFile(filepath.Join(again, name))
		if err1 != nil || err2 != nil || string(old) != string(copied) {
			t.Errorf("%s: %v, %v", name, err1, err2)
		}
	}
}

func TestAFolderWithoutADatabaseIsRefused(t *testing.T) {
	dir := t.TempDir()
	if _, err := store.CheckFolder(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "is not a data folder") {
		t.Errorf("check: %v", err)
	}
	if err := store.BackupFolder(t.Context(), dir, filepath.Join(dir, "x")); err == nil || !strings.Contains(err.Error(), "is not a data folder") {
		t.Errorf("backup: %v", err)
	}
}

// A folder without webhooks gets a new key if its key is lost, and drops what only the lost key opens.
func TestALostKeyIsReplacedIfThereAreNoWebhooks(t *testing.T) {
	dir, _ := filledFolder(t)
	db, err := sql.Open("sqlite", filepath.Join(dir, "flightdesk.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(t.Context(), `INSERT INTO settings (name, value) VALUES ('secret.ops', 'c2VjcmV0')`)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "secrets.key")); err != nil {
		t.Fatal(err)
	}
	check := func(state string) {
		faults, err := store.CheckFolder(t.Context(), dir)
		if err != nil || len(faults) > 0 {
			t.Errorf("%s: %q, %v", state, faults, err)
		}
	}
	check("without a key")
	s, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Vault(t.Context())
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	check("with a new key")
}
