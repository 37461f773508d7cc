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
	loginTime   = 30 * time.Second // to log in and open a session
	maxWaiting  = 48               // connections of one address that have not
	maxSessions = 64               // of all users
	beat        = 15 * time.Second // between two signs of life that are asked for
	beats       = 4                // so many without one end a connection
)

// Server serves the app.
type Server struct {
	Options
	ssh  *ssh.Server
	desk *loginDesk
	open atomic.Int64 // sessions, of whatever kind
	busy atomic.Int64 // those that may still write

	mu      sync.Mutex
	waiting map[string][]*waitingConn // by address, oldest first
	guests  map[int]*guest
	last    int // number of the newest guest
}

// New returns a server, which listens to nothing yet.
func New(o Options) (*Server, error) {
	if err := errors.Join(
		os.MkdirAll(filepath.Dir(o.HostKey), 0o700),
		os.MkdirAll(o.Dir, 0o700),
		o.Logins.Check(),
	); err != nil {
		return nil, err
	}
	s := &Server{
		Options: o,
		desk:    newLoginDesk(o.Logins),
		waiting: map[string][]*waitingConn{},
		guests:  map[int]*guest{},
	}
	var err error
	s.ssh, err = wish.NewServer(
		wish.WithHostKeyPath(o.HostKey), wish.WithVersion("flightdesk"),
		wish.WithPublicKeyAuth(s.desk.takesKey), wish.WithPasswordAuth(s.desk.takesCode),
		wish.WithKeyboardInteractiveAuth(s.desk.asksForCode),
		wish.WithSubsystem("sftp", s.serveSFTP),
		wish.WithMiddleware(func(ssh.Handler) ssh.Handler { return s.handleSession }),
	)
	if err != nil {
		return nil, fmt.Errorf("host key %s: %w", o.HostKey, err)
	}
	s.ssh.ServerConfigCallback, s.ssh.ConnCallback = s.desk.serverConfig, s.admit
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
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for s.busy.Load() > 0 && ctx.Err() == nil {
		<-time.After(10 * time.Millisecond)
	}
	return err
}

// waitingConn is a connection that nobody has logged in on.
type waitingConn struct {
	net.Conn
	cut   *time.Timer
	leave func() // the waiting room
}

// Close closes it.
func (c *waitingConn) Close() error {
	c.leave()
	return c.Conn.Close()
}

type waitingKey struct{}

// admit has a connection wait for a login. Too many of one address cut its oldest.
func (s *Server) admit(ctx ssh.Context, conn net.Conn) net.Conn {
	host := hostOf(conn.RemoteAddr())
	c := &waitingConn{Conn: conn}
	c.leave = sync.OnceFunc(func() {
		c.cut.Stop()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waiting[host] = slices.DeleteFunc(
			s.waiting[host],
			func(other *waitingConn) bool { return other == c },
		)
		if len(s.waiting[host]) == 0 {
			delete(s.waiting, host)
		}
	})
	c.cut = time.AfterFunc(loginTime, func() { _ = c.Close() })
	s.mu.Lock()
	s.waiting[host] = append(s.waiting[host], c)
	var oldest *waitingConn
	if len(s.waiting[host]) > maxWaiting {
		oldest = s.waiting[host][0]
	}
	s.mu.Unlock()
	if oldest != nil {
		_ = oldest.Close()
	}
	ctx.SetValue(waitingKey{}, c)
	return c
}

// openSession opens a session on a connection.
func (s *Server) openSession(srv *ssh.Server, conn *gossh.ServerConn, ch gossh.NewChannel, ctx ssh.Context) {
	if s.open.Add(1) > maxSessions {
		s.open.Add(-1)
		_ = ch.Reject(gossh.ResourceShortage, "too many sessions")
		return
	}
	defer s.open.Add(-1)
	if c, ok := ctx.Value(waitingKey{}).(*waitingConn); ok {
		c.leave()
	}
	over := make(chan struct{})
	defer close(over)
	guard.Go(func() error { watchLife(conn, over); return nil })
	ssh.DefaultSessionHandler(srv, conn, filteredChannel{ch}, ctx)
}

// watchLife closes a connection whose client does not answer any more.
func watchLife(conn gossh.Conn, over <-chan struct{}) {
	answered := make(chan struct{}, 1)
	silent := 0
	for {
		select {
		case <-over:
			return
		case <-answered:
			silent = 0
		case <-time.After(beat):
			if silent++; silent >= beats {
				_ = conn.Close()
				return
			}
			guard.Go(func() error {
				if _, _, err := conn.SendRequest("keepalive@openssh.com", true, nil); err == nil {
					answered <- struct{}{}
				}
				return nil
			})
		}
	}
}

// The limits of what a client says of its terminal.
const maxVariables, maxVariable = 32, 512

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
		variables, begun := 0, false
		for req := range asked {
			good := false
			switch req.Type {
			case "pty-req":
				good = true
			case "shell", "exec", "subsystem":
				good, begun = true, true
			case "window-change":
				good = begun // nobody would take it before
			case "env":
				variables++
				good = variables <= maxVariables && len(req.Payload) <= maxVariable
			}
			if good {
				passed <- req
			} else if req.WantReply {
				_ = req.Reply(false, nil)
			}
		}
		return nil
	})
	return ch, passed, nil
}

// userFolders returns the folders of a user: of their files, and of what the app keeps.
func (s *Server) userFolders(user string) (files, state string, err error) {
	files, state = filepath.Join(s.Dir, user, "files"), filepath.Join(s.Dir, user, "state")
	return files, state, errors.Join(os.MkdirAll(files, 0o700), os.MkdirAll(state, 0o700))
}

// serveSFTP copies the files of the session's user.
func (s *Server) serveSFTP(sess ssh.Session) {
	s.busy.Add(1)
	defer s.busy.Add(-1)
	defer drainSizes(sess)()
	dir, _, err := s.userFolders(sess.User())
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
	err = sftp.NewRequestServer(client, sftp.Handlers{FileGet: files, FilePut: files, FileCmd: files, FileList: files}).
		Serve()
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, files.root.Close())
}
