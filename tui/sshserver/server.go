// Package sshserver serves the app over SSH to people who need nothing but a terminal.
// Each gets a folder of their own, which sftp reaches, and nothing else of the
// host: no shell, no programs, no forwarding.
package sshserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"charm.land/ssh"
	"charm.land/wish/v2"
	"github.com/pkg/sftp"
	gossh "golang.org/x/crypto/ssh"

	"flightdesk/tui"
	"flightdesk/tui/app/guard"
	"flightdesk/tui/app/session"
	"flightdesk/tui/layout"
)

// Options say what is served, and to whom.
type Options struct {
	HostKey string // file of the host key; made if it is not there
	Dir     string // has a folder for each user
	Samples string // folder of sample survey files; "" for none
	Logins  Logins
	Log     *slog.Logger
	// Open returns what a user works on.
	Open func(ctx context.Context, user string) (tui.Options, error)
}

// The limits.
const (
	loginTime   = 30 * time.Second // to log in
	maxWaiting  = 48               // connections of one address without a session
	maxSessions = 64               // of all users
	beat        = 15 * time.Second // between two signs of life that are asked for
	patience    = 45 * time.Second // until one comes
)

// Server serves the app.
type Server struct {
	Options
	ssh         *ssh.Server
	invitations func() (session.Invitations, error)

	open atomic.Int64 // sessions, of whatever kind
	busy atomic.Int64 // those that may still write

	mu      sync.Mutex
	waiting []*waitingConn // oldest first
	guests  map[int]*guest
	last    int            // number of the newest guest
	wrong   map[string]int // tries of an address that failed since
	since   time.Time
}

// New returns a server, which listens to nothing yet.
func New(o Options) (*Server, error) {
	err := errors.Join(os.MkdirAll(filepath.Dir(o.HostKey), 0o700), os.MkdirAll(o.Dir, 0o700))
	if _, fault := o.Logins.publicKeys(""); fault != nil || err != nil {
		return nil, errors.Join(err, fault)
	}
	s := &Server{Options: o, guests: map[int]*guest{}, invitations: sync.OnceValues(func() (session.Invitations, error) {
		return session.NewInvitations(o.Logins.OpsKey)
	})}
	s.ssh, err = wish.NewServer(
		wish.WithHostKeyPath(o.HostKey), wish.WithVersion("flightdesk"),
		wish.WithPublicKeyAuth(s.takesKey), wish.WithPasswordAuth(s.takesCode),
		wish.WithKeyboardInteractiveAuth(s.asksForCode),
		wish.WithSubsystem("sftp", ssh.SubsystemHandler(s.attend(s.serveSFTP))),
		wish.WithMiddleware(func(ssh.Handler) ssh.Handler { return s.attend(s.showApp) }),
	)
	if err != nil {
		return nil, fmt.Errorf("host key %s: %w", o.HostKey, err)
	}
	s.ssh.ServerConfigCallback, s.ssh.ConnCallback, s.ssh.HandshakeTimeout = s.serverConfig, s.admit, loginTime
	s.ssh.ChannelHandlers = map[string]ssh.ChannelHandler{"session": s.openSession}
	layout.DrawOnSeveral()
	return s, nil
}

// Serve serves until the listener is closed, by Close perhaps.
func (s *Server) Serve(l net.Listener) error {
	if err := s.ssh.Serve(l); !errors.Is(err, ssh.ErrServerClosed) {
		return err
	}
	return nil
}

// Close ends all sessions and waits a moment until they have saved what they have.
func (s *Server) Close() error {
	err := s.ssh.Close()
	for late := time.Now().Add(5 * time.Second); s.busy.Load() > 0 && time.Now().Before(late); {
		<-time.After(10 * time.Millisecond)
	}
	return err
}

// waitingConn is a connection that has not opened a session.
type waitingConn struct {
	net.Conn
	of *Server
}

// Close closes it.
func (c *waitingConn) Close() error {
	c.leave()
	return c.Conn.Close()
}

// leave ends the waiting.
func (c *waitingConn) leave() {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.of.waiting = slices.DeleteFunc(c.of.waiting, func(other *waitingConn) bool { return other == c })
}

type waitingKey struct{}

// admit has a connection wait for a session. Too many of one address cut its oldest.
func (s *Server) admit(ctx ssh.Context, conn net.Conn) net.Conn {
	c, host := &waitingConn{conn, s}, hostOf(conn.RemoteAddr())
	ctx.SetValue(waitingKey{}, c)
	s.mu.Lock()
	s.waiting = append(s.waiting, c)
	others := func(c *waitingConn) bool { return hostOf(c.RemoteAddr()) != host }
	same := slices.DeleteFunc(slices.Clone(s.waiting), others)
	s.mu.Unlock()
	if len(same) > maxWaiting {
		_ = same[0].Close()
	}
	return c
}

// openSession opens a session on a connection.
func (s *Server) openSession(srv *ssh.Server, conn *gossh.ServerConn, ch gossh.NewChannel, ctx ssh.Context) {
	defer s.open.Add(-1)
	if s.open.Add(1) > maxSessions {
		_ = ch.Reject(gossh.ResourceShortage, "too many sessions")
		return
	}
	ctx.Value(waitingKey{}).(*waitingConn).leave()
	over := make(chan struct{})
	defer close(over)
	guard.Go(func() error { return watchLife(conn, over) })
	ssh.DefaultSessionHandler(srv, conn, filteredChannel{ch}, ctx)
}

// watchLife closes a connection whose client does not answer any more.
func watchLife(conn gossh.Conn, over <-chan struct{}) error {
	for {
		select {
		case <-over:
			return nil
		case <-time.After(beat):
		}
		silent := time.AfterFunc(patience, func() { _ = conn.Close() })
		_, _, err := conn.SendRequest("keepalive@openssh.com", true, nil)
		silent.Stop()
		if err != nil {
			return err
		}
	}
}

// The limits of what a client says before its session begins.
const maxRequests, maxRequest = 40, 4 << 10

// allowed are the requests that a session needs; the last three begin it.
var allowed = []string{"pty-req", "env", "shell", "exec", "subsystem"}

// filteredChannel lets only those requests of a session through that it needs.
type filteredChannel struct{ gossh.NewChannel }

// Accept accepts the session.
func (c filteredChannel) Accept() (gossh.Channel, <-chan *gossh.Request, error) {
	ch, asked, err := c.NewChannel.Accept()
	if err != nil {
		return nil, nil, err
	}
	passed := make(chan *gossh.Request)
	guard.Go(func() error {
		defer close(passed)
		before, begun := 0, false
		for req := range asked {
			i := slices.Index(allowed, req.Type)
			before++
			switch {
			case begun && req.Type == "window-change": // nobody would take it before
				passed <- req
			case i >= 0 && before <= maxRequests && len(req.Payload) <= maxRequest:
				begun = begun || i > 1
				passed <- req
			case req.WantReply:
				_ = req.Reply(false, nil)
			}
		}
		return nil
	})
	return ch, passed, nil
}

// userFolder returns a folder of a user: files, or the state that the app keeps.
func (s *Server) userFolder(user, kind string) (string, error) {
	dir := filepath.Join(s.Dir, user, kind)
	return dir, os.MkdirAll(dir, 0o700)
}

// attend returns what does something with a session. Then nobody asks for the sizes of its terminal any more, which
// its requests would wait for.
func (s *Server) attend(do ssh.Handler) ssh.Handler {
	return func(sess ssh.Session) {
		s.busy.Add(1)
		defer s.busy.Add(-1)
		do(sess)
		if _, sizes, isTerminal := sess.Pty(); isTerminal {
			guard.Go(func() error {
				for range sizes {
					continue
				}
				return nil
			})
		}
	}
}

// serveSFTP copies the files of the session's user.
func (s *Server) serveSFTP(sess ssh.Session) {
	dir, err := s.userFolder(sess.User(), "files")
	if err == nil {
		err = serveFolder(sess, dir)
	}
	s.Log.Info("files copied", "user", sess.User(), "command", sess.Subsystem(), "failed", err != nil)
	if err != nil {
		_ = sess.Exit(1)
	}
}

func serveFolder(client io.ReadWriteCloser, dir string) error {
	files, err := openFolder(dir)
	if err != nil {
		return err
	}
	handlers := sftp.Handlers{FileGet: files, FilePut: files, FileCmd: files, FileList: files}
	if err = sftp.NewRequestServer(client, handlers).Serve(); errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, files.root.Close())
}
