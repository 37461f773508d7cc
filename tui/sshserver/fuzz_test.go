package sshserver

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/time/rate"

	"flightdesk/api/ops"
)

// fuzzChannel is a channel whose client has sent all of its data.
type fuzzChannel struct {
	gossh.Channel
	from io.Reader
}

func (c fuzzChannel) Read(p []byte) (int, error)  { return c.from.Read(p) }
func (c fuzzChannel) Write(p []byte) (int, error) { return len(p), nil }
func (c fuzzChannel) Close() error                { return nil }

// noConn is a connection without a client.
type noConn struct{ net.Conn }

func (noConn) RemoteAddr() net.Addr { return &net.TCPAddr{} }
func (noConn) Close() error         { return nil }

func discardLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

func newFuzzGuest(s *Server, input []byte) *guest {
	login := &Login{User: "user1", Address: "127.0.0.1:1"}
	p := newPerson(login)
	p.operations = rate.NewLimiter(rate.Inf, 0)
	c := &client{server: s, tcp: newConnection(noConn{}), login: login, person: p}
	g := &guest{
		Channel: fuzzChannel{from: bytes.NewReader(input)}, client: c, events: make(chan tea.Msg, 16),
		newSize:  make(chan tea.WindowSizeMsg, 1),
		patience: time.Minute, log: s.Log,
	}
	g.User = login.User
	g.ctx, g.end = context.WithCancel(context.Background())
	return g
}

// FuzzSFTP sends arbitrary sftp packets. No file outside the folder changes, and no handle stays open.
func FuzzSFTP(f *testing.F) {
	packet := func(kind byte, rest ...string) []byte {
		body := []byte{kind, 0, 0, 0, 1}
		for _, text := range rest {
			body = append(binary.BigEndian.AppendUint32(body, uint32(len(text))), text...)
		}
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	}
	begin := []byte{0, 0, 0, 5, 1, 0, 0, 0, 3}
	f.Add(append(bytes.Clone(begin), packet(11, "/")...))
	f.Add(append(bytes.Clone(begin), packet(14, "../../../x")...))
	f.Add(append(bytes.Clone(begin), packet(20, "../../secret", "link")...))
	f.Add(append(bytes.Clone(begin), packet(3, "a\x1b[2J", "\x00\x00\x00")...))
	f.Add(append(bytes.Clone(begin), packet(200, "posix-rename@openssh.com", "a", "/../../b")...))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, input []byte) {
		r := newFuzzRoom(t)
		g := newFuzzGuest(r, append(bytes.Clone(begin), input...))
		r.serveSFTP(g)
		if r.disk.handles != 0 || len(r.disk.open) != 0 {
			t.Errorf("%d handles and %d folders are open", r.disk.handles, len(r.disk.open))
		}
		files := filepath.Join("users", "user1", "files")
		root := filepath.Dir(r.Dir)
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				t.Fatal(err)
			}
			rel, _ := filepath.Rel(root, path)
			isInside := rel == files || strings.HasPrefix(rel, files+string(filepath.Separator))
			if !isInside && rel != "." && !strings.HasPrefix(files, rel) && rel != "secret" {
				t.Errorf("%q is made", rel)
			}
			if strings.ContainsFunc(rel, unicode.IsControl) {
				t.Errorf("a file is called %q", rel)
			}
			return nil
		})
	})
}

// newFuzzRoom returns a server that does not listen. It has no host key, because creating one takes
// longer than the rest of a test.
func newFuzzRoom(t *testing.T) *Server {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	users := filepath.Join(dir, "users")
	disk, err := openRoomDisk(users)
	if err != nil {
		t.Fatal(err)
	}
	return &Server{Options: Options{Dir: users, Log: discardLog()}, disk: disk}
}

// FuzzSessionRequests sends arbitrary requests about a terminal. The app gets only short, known and
// harmless values.
func FuzzSessionRequests(f *testing.F) {
	f.Add("pty-req", gossh.Marshal(struct {
		Term                string
		W, H, Width, Height uint32
		Modes               string
	}{"xterm", 1 << 30, 0, 0, 0, ""}))
	f.Add("env", gossh.Marshal(struct{ Name, Value string }{"TZ", "../../etc/passwd"}))
	f.Add("window-change", gossh.Marshal(struct{ W, H, X, Y uint32 }{0, 1, 2, 3}))
	f.Fuzz(func(t *testing.T, kind string, payload []byte) {
		s := &Server{connections: newConnectionTable(time.Hour), Options: Options{Log: discardLog()}}
		g := newFuzzGuest(s, nil)
		for range maxVariables + 2 {
			g.handleTerminalRequest(&gossh.Request{Type: kind, Payload: payload})
		}
		g.hasStarted = true
		g.initialSize = g.size
		g.handleTerminalRequest(&gossh.Request{Type: kind, Payload: payload})
		if len(g.newSize) > 0 {
			g.resize(<-g.newSize)
		}
		if len(g.environ) > maxVariables+2 {
			t.Errorf("%d variables", len(g.environ))
		}
		for _, v := range g.environ {
			name, value, _ := strings.Cut(v, "=")
			known := name == "TERM" || name == "TTY_FORCE"
			for _, variable := range acceptedVariables {
				known = known || name == variable
			}
			if !known || len(value) > 128 || strings.ContainsFunc(value, unicode.IsControl) {
				t.Errorf("%q", v)
			}
		}
		if g.size.Width > maxWidth || g.size.Height > maxHeight || g.size.Width < 0 {
			t.Errorf("%+v", g.size)
		}
	})
}

// FuzzUserNames tries arbitrary names. Valid user names are valid folder names on every system.
func FuzzUserNames(f *testing.F) {
	for _, name := range []string{"user1", "../x", "a\x1b[2J", "con", "a.", "Ä", ""} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if ops.IsUserName(name) && (!filepath.IsLocal(name) || strings.ContainsAny(name, `/\:`) || len(name) > 32 || strings.HasSuffix(name, ".")) {
			t.Errorf("%q is a name", name)
		}
	})
}
