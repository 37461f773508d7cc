package server_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
)

// A new operations key is accepted and the old one refused without a restart. A file that
// cannot be read changes nothing.
func TestTheOperationsKeyIsReplacedWithoutARestart(t *testing.T) {
	var key atomic.Value
	key.Store("first-key")
	log := &lockedBuffer{}
	b := newBenchOn(t, &server.Server{
		OpsKey: "first-key",
		ReadOpsKey: func() (string, error) {
			if key.Load() == "" {
				return "", errors.New("the file is empty")
			}
			return key.Load().(string), nil
		},
		Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	status := func(key string) int { return b.call("GET", opsPath+"/accounts", key, nil).status }
	if status("first-key") != 200 {
		t.Fatal("the first key is refused")
	}
	key.Store("second-key")
	end := time.Now().Add(time.Minute)
	for status("second-key") != 200 {
		if time.Now().After(end) {
			t.Fatal("the second key is refused")
		}
	}
	if got := status("first-key"); got != 401 {
		t.Errorf("the first key afterwards: %d", got)
	}
	key.Store("")
	for !strings.Contains(log.String(), "cannot be reloaded") {
		if status("second-key") != 200 {
			t.Fatal("the second key is refused when the file cannot be read")
		}
		if time.Now().After(end) {
			t.Fatal("nothing is logged about the file")
		}
	}
	if strings.Contains(log.String(), "second-key") || strings.Count(log.String(), "the operations key was replaced") != 1 {
		t.Errorf("the log: %s", log)
	}
}

// The password of the SMTP server is part of its address, which is read again for each message.
func TestTheSMTPPasswordIsReplacedWithoutARestart(t *testing.T) {
	first := newSMTPServer(t, 0)
	second := newSMTPServer(t, 0)
	var address atomic.Value
	address.Store(first.Addr().String())
	s := &server.Server{
		SMTP:     first.Addr().String(),
		ReadSMTP: func() (string, error) { return address.Load().(string), nil },
	}
	server.SetTiming(s, quick)
	b := newBenchOn(t, s)
	address.Store(second.Addr().String())
	eventually(t, "the second server gets a message", func() bool {
		b.noticesOf(finished(t, b, "").uuid)
		second.mu.Lock()
		defer second.mu.Unlock()
		return strings.Contains(strings.Join(second.said, "\n"), "Subject: Order ORD-")
	})
}

// newVaultBench returns a service on a data folder with an endpoint, whose secret is encrypted, the
// file with the key of the secrets and the log of the service.
func newVaultBench(t *testing.T) (b *bench, keyFile string, log *lockedBuffer) {
	t.Helper()
	dir := t.TempDir()
	log = &lockedBuffer{}
	b = newBenchOn(t, &server.Server{Dir: dir, Log: slog.New(slog.NewTextHandler(log, nil))})
	made := b.call("POST", publicHandlers+"/webhooks", b.alice, map[string]any{"url": "https://hooks.example/in"})
	if made.status != 201 {
		t.Fatal(made.status)
	}
	return b, filepath.Join(dir, "secrets.key"), log
}

// replaceFile replaces a file in one step, as a careful editor does.
func replaceFile(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file+".new", []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
}

// A new key is added as the first line of secrets.key. Once the service has encrypted all
// secrets with it, the earlier line can be removed.
func TestTheKeyOfTheSecretsIsReplacedWithoutARestart(t *testing.T) {
	b, file, log := newVaultBench(t)
	earlier, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	replace := func(content string) { replaceFile(t, file, content) }
	fresh := strings.Repeat("5a", 32) + "\n"
	replace(fresh)
	eventually(t, "a file without the current key is refused", func() bool {
		return strings.Contains(log.String(), "does not contain the current key")
	})
	replace(fresh + string(earlier))
	eventually(t, "the secrets are encrypted again", func() bool {
		return strings.Contains(log.String(), "all secrets are encrypted with the new key")
	})
	replace(fresh)
	if err := b.s.Close(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(file)
	if faults, err := server.CheckFolder(t.Context(), dir); err != nil || len(faults) > 0 {
		t.Errorf("with the new key alone: %v, %v", faults, err)
	}
	replace(string(earlier))
	faults, err := server.CheckFolder(t.Context(), dir)
	if err != nil || len(faults) == 0 {
		t.Errorf("with the earlier key: %v, %v", faults, err)
	}
}

// lockedBuffer is a log that can be read while it is written.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// eventually waits until a condition is true.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	end := time.After(time.Minute)
	for !holds() {
		select {
		case <-end:
			t.Fatalf("%s: not after a minute", what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// The service logs the owners of secrets that it cannot decrypt once, and encrypts the other secrets.
func TestAnIncompleteReplacementOfTheKeyIsLoggedOnce(t *testing.T) {
	b, file, log := newVaultBench(t)
	err := server.DomainOf(b.s).Store.Write(t.Context(), func(tx *store.Tx) error {
		return tx.SetSetting("secret.damaged", "bm90IGEgc2VjcmV0")
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, key := range []string{"5a", "5b"} {
		earlier, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		first := strings.Repeat(key, 32) + "\n"
		replaceFile(t, file, first+string(earlier))
		eventually(t, "the replacement is logged", func() bool {
			return strings.Count(log.String(), "unreadable=1 owners=[secret.damaged]") == i+1
		})
	}
	if text := log.String(); strings.Count(text, "is incomplete") != 2 || strings.Contains(text, "replaced=0") || strings.Contains(text, "bm90") {
		t.Errorf("the log: %s", text)
	}
}
