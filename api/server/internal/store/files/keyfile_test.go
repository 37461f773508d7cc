package files

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The key is read again when its file changes. If the file has no key, the previous one
// is used.
func TestAReplacedKeyOfABucketIsUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	write := func(text string, at time.Time) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	write("desk\nfirst\n", now)
	key, err := ReadS3Key(path)
	if err != nil {
		t.Fatal(err)
	}
	used := credentialsOf(key)
	for i, step := range []struct{ text, want string }{
		{"desk\nfirst\n", "first"},
		{"desk\nsecond\n", "second"},
		{"desk\n", "second"},
		{"desk\nthird\n", "third"},
	} {
		write(step.text, now.Add(time.Duration(i)*time.Second))
		got, err := used.GetWithContext(nil)
		if err != nil || got.SecretAccessKey != step.want || got.AccessKeyID != "desk" {
			t.Errorf("with %q: %s, %v", step.text, got.SecretAccessKey, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got, err := used.GetWithContext(nil); err != nil || got.SecretAccessKey != "third" {
		t.Errorf("without the file: %s, %v", got.SecretAccessKey, err)
	}
}
