package sshserver

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/time/rate"

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
	IsOpen   bool   // everybody else needs nothing to log in
	Log      *slog.Logger
	Patience time.Duration // with clients that do not answer; other deadlines are parts of it; 0 is half a minute
	// Check reports whether the secret of a login is right, or whether there is an operations
	// user of the name that a public key has. It sets the operator of operations.
	Check func(ctx context.Context, l *Login) (bool, error)
	// Open returns what a user works on.
	Open func(ctx context.Context, l *Login) (tui.Options, error)
}

// Server serves the app.
type Server struct {
	Options
	hostKey      gossh.AlgorithmSigner
	connections  *connectionTable
	wrongCodes   *wrongCodeCounts
	failedLogins *failedLogins
	disk         *roomDisk
	readings     chan struct{} // has an element for each survey file that is read

	listener net.Listener
	serving  api.Group // connections, and what watches the disk
	done     chan struct{}
	closing  func() // closes done

	mu     sync.Mutex
	guests []*guest // in the order in which they came
	last   int      // number of the newest guest
}

// New returns a server, which listens to nothing yet.
func New(o Options) (*Server, error) {
	if _, _, err := o.findKey("", nil); err != nil {
		return nil, err
	}
	o.Patience = cmp.Or(o.Patience, 30*time.Second)
	s := &Server{
		Options:     o,
		done:        make(chan struct{}),
		readings:    make(chan struct{}, maxReadings),
		connections: newConnectionTable(o.idleTime()),
		wrongCodes:  newWrongCodeCounts(),
		failedLogins: &failedLogins{
			log: o.Log, limit: rate.NewLimiter(rate.Every(logEvery), logBurst),
		},
	}
	var err error
	if s.hostKey, err = openHostKey(o.HostKey); err != nil {
		return nil, err
	}
	if s.disk, err = openRoomDisk(o.Dir); err != nil {
		return nil, err
	}
	s.closing = sync.OnceFunc(func() { close(s.done) })
	format.DrawOnSeveral()
	return s, nil
}

// ErrClosed is returned by Serve after Close.
var ErrClosed = errors.New("the server is closed")

// Serve serves until Close. After Close it closes the listener and returns at once.
func (s *Server) Serve(l net.Listener) error {
	s.mu.Lock()
	s.listener = l
	isClosed := s.isClosed()
	s.mu.Unlock()
	if isClosed { // Close did not have the listener
		return errors.Join(ErrClosed, l.Close())
	}
	s.serving.Go(s.watchDisk)
	s.serving.Go(s.watchRights)
	for {
		conn, err := l.Accept()
		switch {
		case s.isClosed():
			if err == nil {
				_ = conn.Close()
			}
			return ErrClosed
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil: // such as too many open files of the process
			s.Log.Warn("a connection was not accepted", "error", err)
			s.wait(time.Second)
			continue
		}
		c := newConnection(conn)
		if isFull := s.connections.add(c); isFull {
			s.wait(fullPause)
		}
		if s.isClosed() { // after all connections were closed
			s.connections.remove(c)
			return ErrClosed
		}
		s.serving.Go(func() {
			defer s.connections.remove(c)
			if err := api.Guard(func() error { return s.serveConnection(c) }); err != nil {
				s.Log.Debug("an SSH connection has ended", "remote", conn.RemoteAddr().String(), "error", err)
			}
		})
	}
}

// wait waits for some time, or until Close.
func (s *Server) wait(d time.Duration) {
	select {
	case <-time.After(d):
	case <-s.done:
	}
}

func (s *Server) isClosed() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// Close ends all sessions and waits a moment until they have saved what they have.
func (s *Server) Close() (err error) {
	s.closing()
	s.mu.Lock()
	if s.listener != nil {
		err = s.listener.Close()
	}
	s.mu.Unlock()
	s.connections.closeAll()
	ended := api.Go(func() error {
		s.serving.Wait()
		return nil
	})
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
	}
	return err
}

// serveConnection serves a connection until it ends.
func (s *Server) serveConnection(c *connection) error {
	s.cutIfSilent(c)
	config, attempt := s.configFor(c)
	conn, channels, requests, err := gossh.NewServerConn(c, config)
	if err != nil {
		wrong := s.connections.wrongCodes(c)
		if wrong+attempt.wrongKeys > 0 {
			s.failedLogins.add(attempt, c.RemoteAddr(), wrong)
		}
		return err
	}
	login, ok := conn.Permissions.ExtraData[loginKey{}].(*Login)
	if !ok {
		return errDenied
	}
	s.Log.Info("logged in", login.logAttrs()...)
	client := &client{
		server: s, tcp: c, conn: conn, login: login,
		person:   s.connections.logIn(c, login),
		requests: rate.NewLimiter(requestRate, requestBurst),
		sizes:    rate.NewLimiter(sizeRate, sizeRate),
	}
	var work api.Group
	work.Go(func() { client.refuseRequests(requests) })
	work.Go(client.watchLife)
	client.serveChannels(channels, &work)
	_ = c.Close()
	work.Wait()
	lasted := time.Since(c.since).Round(time.Second)
	s.Log.Info("logged out", append(login.logAttrs(), "after", lasted.String())...)
	return nil
}

// client is a connection whose user has logged in.
type client struct {
	server   *Server
	tcp      *connection
	conn     *gossh.ServerConn
	login    *Login
	person   *person
	requests *rate.Limiter
	sizes    *rate.Limiter // of terminals, as they are received
}

// waitToHandle waits until a request of a session may be handled. It returns at once after
// the session has ended.
func (c *client) waitToHandle(session context.Context, req *gossh.Request) {
	limiter := c.requests
	if req.Type == windowChange {
		limiter = c.sizes
	}
	_ = limiter.Wait(session) // fails when the session ends
}

// refuseRequests refuses requests that do not belong to a channel, as to forward a port.
func (c *client) refuseRequests(requests <-chan *gossh.Request) {
	for req := range requests {
		_ = c.requests.Wait(c.tcp.ctx) // fails when the connection ends
		if req.WantReply {
			_ = req.Reply(false, nil)
		}
	}
}

// watchLife cuts a client that does not answer any more, or has gone.
func (c *client) watchLife() {
	for {
		select {
		case <-c.tcp.ctx.Done():
			return
		case <-time.After(c.server.Patience / 2):
		}
		silent := time.AfterFunc(c.server.Patience, c.cut)
		_, _, err := c.conn.SendRequest("keepalive@openssh.com", true, nil)
		silent.Stop()
		if err != nil { // it is gone; what it has sent before is not waited for
			c.cut()
			return
		}
	}
}

func (c *client) cut() { _ = c.tcp.Close() }

// serveChannels serves the sessions that a client opens, until the connection ends.
func (c *client) serveChannels(channels <-chan gossh.NewChannel, work *api.Group) {
	refused := 0
	for ch := range channels {
		_ = c.requests.Wait(c.tcp.ctx) // fails when the connection ends
		reason, text := gossh.ResourceShortage, ""
		if ch.ChannelType() != "session" {
			reason, text = gossh.UnknownChannelType, "not available here"
		} else if err := c.server.connections.openSession(c.tcp); err != nil {
			text = err.Error()
		}
		if text == "" {
			work.Go(func() {
				defer c.server.connections.closeSession(c.tcp)
				c.serveSession(ch)
			})
			continue
		}
		_ = ch.Reject(reason, text)
		if refused++; refused > maxRefused {
			c.cut()
		}
	}
}

// serveSession serves a session until its client closes it.
func (c *client) serveSession(asks gossh.NewChannel) {
	ch, requests, err := asks.Accept()
	if err != nil {
		return
	}
	life, end := context.WithCancel(c.tcp.life)
	g := &guest{
		Channel: ch, client: c, patience: c.server.Patience, ctx: life, end: end, events: make(chan tea.Msg, 16),
		newSize: make(chan tea.WindowSizeMsg, 1),
		Visit: session.Visit{
			User:  c.login.User,
			From:  hostOf(c.login.Address),
			Since: api.TimeOf(time.Now()),
		},
	}
	g.log = c.server.Log.With(c.login.logAttrs()...)
	late := time.AfterFunc(c.server.startTime(), func() {
		g.refuse("nothing was started on this session")
		_ = ch.Close()
	})
	begin := map[string]func(*guest) uint32{
		"shell":     c.server.showApp,
		"exec":      refuseCommand,
		"subsystem": c.server.serveSFTP,
	}
	var work api.Group
	for req := range requests {
		c.waitToHandle(life, req)
		do := begin[req.Type]
		if g.begun || req.Type == "subsystem" && string(req.Payload) != "\x00\x00\x00\x04sftp" {
			do = nil // once is enough
		}
		_ = req.Reply(do != nil || g.takeFact(req), nil)
		if do == nil {
			continue
		}
		g.begun = true
		g.opening = g.size
		late.Stop()
		if g.opening.Width > 0 {
			work.Go(g.passSizes)
		}
		work.Go(func() {
			defer func() {
				end()
				_ = ch.Close()
			}()
			status := struct{ Code uint32 }{do(g)}
			_, _ = ch.SendRequest("exit-status", false, gossh.Marshal(status))
		})
	}
	late.Stop()
	end()
	work.Wait()
	c.server.connections.fitSize(c.person, g.size, tea.WindowSizeMsg{})
}

func hostOf(address string) string {
	host, _, _ := net.SplitHostPort(address)
	return host
}
