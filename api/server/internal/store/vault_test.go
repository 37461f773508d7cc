package store_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api/server/internal/store"
)

// openVault returns a store in a folder and its vault.
func openVault(t *testing.T, dir string) (*store.Store, *store.Vault) {
	t.Helper()
	s, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	v, err := s.Vault(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s, v
}

// addVaultKey writes a new key above those in a file, and returns the new contents.
func addVaultKey(t *testing.T, file, key string) string {
	t.Helper()
	earlier, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	content := key + "\n" + string(earlier)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return content
}

func TestASecretThatDoesNotOpenDoesNotStopTheReplacementOfTheKey(t *testing.T) {
	dir := t.TempDir()
	s, v := openVault(t, dir)
	write(t, s, func(tx *store.Tx) error {
		for name, value := range map[string]string{
			"secret.a": "not base64!",
			"secret.b": v.Seal("another owner", "b"),
			"secret.c": v.Seal("secret.c", "c"),
		} {
			if err := tx.SetSetting(name, value); err != nil {
				return err
			}
		}
		return nil
	})
	addVaultKey(t, filepath.Join(dir, "secrets.key"), strings.Repeat("5a", 32))
	if changed, err := v.Reload(); err != nil || !changed {
		t.Fatalf("reload: %v, %v", changed, err)
	}
	result, err := s.ReplaceVaultKey(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(result.Unreadable)
	if result.Replaced != 1 || !slices.Equal(result.Unreadable, []string{"secret.a", "secret.b"}) {
		t.Errorf("result: %+v", result)
	}
}

// Both versions of the file have the same size and time, as two writes within one tick of the
// file system's clock.
func TestAKeyFileThatCouldNotBeReadIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	_, v := openVault(t, dir)
	file := filepath.Join(dir, "secrets.key")
	content := addVaultKey(t, file, strings.Repeat("5a", 32))
	later := time.Now().Add(time.Minute)
	writeAt := func(content string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, later, later); err != nil {
			t.Fatal(err)
		}
	}
	writeAt(strings.Repeat("?", len(content)))
	if changed, err := v.Reload(); err == nil || changed {
		t.Fatalf("a file without a key: %v, %v", changed, err)
	}
	writeAt(content)
	if changed, err := v.Reload(); err != nil || !changed {
		t.Errorf("the file with the keys: %v, %v", changed, err)
	}
}
