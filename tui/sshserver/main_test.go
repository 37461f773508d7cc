package sshserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/pkg/sftp"
	gossh "golang.org/x/crypto/ssh"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui"
)

// testRoom is a server whose guests can only copy files.
type testRoom struct {
	*Server
	addr string
	log  *lockedLog
}

// lockedLog is a log that can be read while it is written.
type lockedLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func openTestRoom(t testing.TB, change func(*Options)) *testRoom {
	t.Helper()
	r := &testRoom{log: new(lockedLog)}
	dir := t.TempDir()
	o := Options{
		HostKey: filepath.Join(dir, "host_ed25519"), Dir: filepath.Join(dir, "users"),
		Log: slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Check: func(_ context.Context, l *Login) (bool, error) {
			if l.User == Operations {
				l.Operator = ops.Operator{Name: ops.OperationsKey, Role: ops.RoleAdmin}
			}
			return l.Secret == codeOf(l.User), nil
		},
		Open: func(context.Context, *Login) (tui.Options, error) {
			return tui.Options{}, errors.New("no service")
		},
	}
	if change != nil {
		change(&o)
	}
	var err error
	if r.Server, err = New(o); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.addr = l.Addr().String()
	served := api.Go(func() error { return r.Serve(l) })
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if err := <-served; !errors.Is(err, ErrClosed) {
			t.Errorf("Serve returns %v", err)
		}
	})
	return r
}

func (r *testRoom) tryLogin(user, code string) (*gossh.Client, error) {
	return gossh.Dial("tcp", r.addr, &gossh.ClientConfig{
		User: user, Auth: []gossh.AuthMethod{gossh.Password(code)},
		HostKeyCallback: gossh.InsecureIgnoreHostKey(), Timeout: time.Minute,
	})
}

func codeOf(user string) string { return "code of " + user }

func (r *testRoom) login(t testing.TB, user string) *gossh.Client {
	t.Helper()
	c, err := r.tryLogin(user, codeOf(user))
	if err != nil {
		t.Fatalf("%s: %v", user, err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func openSFTP(t testing.TB, c *gossh.Client) *sftp.Client {
	t.Helper()
	files, err := sftp.NewClient(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	return files
}

// waitFor waits until a condition is true.
func waitFor(t testing.TB, what string, is func() bool) {
	t.Helper()
	late := time.After(time.Minute)
	for !is() {
		select {
		case <-late:
			t.Fatal("this never happens: ", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// putFile writes a file of a guest.
func putFile(files *sftp.Client, name, text string) error {
	f, err := files.Create(name)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Close())
}

func userName(i int) string { return fmt.Sprintf("user%d", i) }
