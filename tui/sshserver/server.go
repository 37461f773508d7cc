// Package sshserver serves the app over SSH to people who need nothing but a terminal.
// Each gets a folder of their own, which sftp reaches, and nothing else of the
// host: no shell, no programs, no forwarding.
package sshserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/ssh"
	"charm.land/wish/v2"
	"github.com/pkg/sftp"
	gossh "golang.org/x/crypto/ssh"

	"flightdesk/api"
	"flightdesk/tui"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// Options say what is served, and to whom.
type Options struct {
	HostKey  string // file of the host key; made if it is not there
	Dir      string // has a folder for each user
	Samples  string // folder of sample survey files; "" for none
	Keys     string // file of public keys, each with the name of its user as the comment; "" for none
	OpsKey   string // the codes of invitations are made from it; never ""
	IsOpen   bool   // everybody else needs nothing to log in
	Log      *slog.Logger
	Patience time.Duration // with clients that do not answer; people get four times as long to log in; 0 is half a minute
	// IsOpsKey reports whether a key opens operations, as an operator's own does.
	IsOpsKey func(ctx context.Context, key string) bool
	// Open returns what a user works on.
	Open func(ctx context.Context, user string) (tui.Options, error)
}

// maxSessions is how many sessions there are, of all users.
const maxSessions = 64

// Server serves the app.
type Server struct {
	Options
	session.Invitations
	ssh  *ssh.Server
	open atomic.Int64 // sessions, of whatever kind

	mu     sync.Mutex
	guests []*guest       // in the order in which they came
	last   int            // number of the newest guest
	tries  map[string]int // of an address since
	since  time.Time
}

// New returns a server, which listens to nothing yet.
func New(o Options) (*Server, error) {
	_, err := o.hasKey("", nil)
	if err != nil {
		return nil, err
	}
	o.Patience = cmp.Or(o.Patience, 30*time.Second)
	s := &Server{Options: o, Invitations: session.NewInvitations(o.OpsKey)}
	s.ssh, err = wish.NewServer(
		wish.WithHostKeyPath(o.HostKey), wish.WithVersion("flightdesk"),
		wish.WithPublicKeyAuth(s.takesKey), wish.WithPasswordAuth(s.takesCode),
		wish.WithKeyboardInteractiveAuth(s.asksForCode), ssh.WrapConn(s.admit),
	)
	if err != nil {
		return nil, fmt.Errorf("host key %s: %w", o.HostKey, err)
	}
	s.ssh.ServerConfigCallback = s.serverConfig
	s.ssh.ChannelHandlers = map[string]ssh.ChannelHandler{"session": s.openSession}
	format.DrawOnSeveral()
	return s, nil
}

// Serve serves until Close, which is an error.
func (s *Server) Serve(l net.Listener) error { return s.ssh.Serve(l) }

// Close ends all sessions and waits a moment until they have saved what they have.
func (s *Server) Close() error {
	err := s.ssh.Close()
	for late := time.Now().Add(5 * time.Second); s.open.Load() > 0 && time.Now().Before(late); {
		<-time.After(10 * time.Millisecond)
	}
	return err
}

type waitingKey struct{}

// admit cuts a connection that has no session in time. The library's own deadlines are
// not safe for concurrent use.
func (s *Server) admit(ctx ssh.Context, conn net.Conn) net.Conn {
	ctx.SetValue(waitingKey{}, time.AfterFunc(4*s.Patience, func() { _ = conn.Close() }))
	return conn
}

// openSession serves a session of a connection, until its client closes it.
func (s *Server) openSession(_ *ssh.Server, conn *gossh.ServerConn, asks gossh.NewChannel, ctx ssh.Context) {
	defer s.open.Add(-1)
	if s.open.Add(1) > maxSessions {
		_ = asks.Reject(gossh.ResourceShortage, "too many sessions")
		return
	}
	ch, requests, err := asks.Accept()
	if err != nil {
		return
	}
	ctx.Value(waitingKey{}).(*time.Timer).Stop()
	life, end := context.WithCancel(ctx)
	g := &guest{
		Channel: ch, ctx: life, end: end, patience: s.Patience, events: make(chan tea.Msg, 16),
		cut: func() { _ = conn.Close() },
		Visit: session.Visit{
			User:  conn.User(),
			From:  hostOf(conn.RemoteAddr()),
			Since: api.TimeOf(time.Now()),
		},
	}
	api.Go(func() error { return g.watchLife(conn) })
	g.log = s.Log.With("user", g.User, "remote", conn.RemoteAddr().String())
	begin := map[string]func(*guest) uint32{
		"shell":     s.showApp,
		"exec":      refuseCommand,
		"subsystem": s.serveSFTP,
	}
	var work api.Group
	for req := range requests {
		do := begin[req.Type]
		if g.begun || req.Type == "subsystem" && string(req.Payload) != "\x00\x00\x00\x04sftp" {
			do = nil // once is enough
		}
		_ = req.Reply(do != nil || g.takeFact(req), nil)
		if do != nil {
			g.begun = true
			work.Go(func() {
				defer func() {
					end()
					_ = ch.Close()
				}()
				status := struct{ Code uint32 }{do(g)}
				_, _ = ch.SendRequest("exit-status", false, gossh.Marshal(status))
			})
		}
	}
	end()
	work.Wait()
}

// filesOf returns the folder of a user's files, beside which the app keeps its state.
func (s *Server) filesOf(user string) (string, error) {
	dir := filepath.Join(s.Dir, user, "files")
	return dir, os.MkdirAll(dir, 0o700)
}

// serveSFTP copies the files of a user, also for scp since OpenSSH 9.
func (s *Server) serveSFTP(g *guest) uint32 {
	files, err := openFolder(s.filesOf(g.User))
	if err == nil {
		err = sftp.NewRequestServer(g.Channel, sftp.Handlers{
			FileGet:  files,
			FilePut:  files,
			FileCmd:  files,
			FileList: files,
		}).Serve()
		_ = files.root.Close()
	}
	failed := err != nil && !errors.Is(err, io.EOF)
	if g.log.Info("files copied", "failed", failed); failed {
		return 1
	}
	return 0
}
