package webhooks_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"flightdesk/tui/app/webhooks"
)

// A pipe is a file that blocks its reader.
func TestASlowFileDoesNotBlockTheView(t *testing.T) {
	path := filepath.Join(t.TempDir(), "received.jsonl")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	l := webhooks.OpenLog(path)
	loaded := make(chan error)
	go func() { loaded <- l.LoadNew() }()
	pipe, err := os.OpenFile(path, os.O_WRONLY, 0) // returns once the log reads
	if err != nil {
		t.Fatal(err)
	}
	shown := make(chan int)
	go func() {
		l.EventByID("1")
		shown <- l.Version() + len(l.AllEvents()) + len(l.EventsOf("e-1"))
	}()
	select {
	case n := <-shown:
		if n != 0 {
			t.Errorf("%d events before the file is read", n)
		}
	case <-time.After(time.Minute):
		t.Error("what is shown waits for the file")
	}
	if _, err := pipe.WriteString(`{"endpoint":"e-1","event":{"id":"1","event":"x"}}`); err != nil {
		t.Fatal(err)
	}
	if err := pipe.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-loaded; err != nil || len(l.AllEvents()) != 1 {
		t.Errorf("%d events, %v", len(l.AllEvents()), err)
	}
}
