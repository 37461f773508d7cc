package sshserver

import (
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

// Options configures a Server.
type Options struct {
	HostKey string // file of the host key; created if it does not exist
	Dir     string // folder with a folder for each user
	Samples string // folder of sample survey files, or ""
	Keys    string // file of public keys, each with the name of its user as the comment, or ""
	IsOpen  bool   // guests can log in without a code
	Log     *slog.Logger
	// Patience is how long to wait for a client that does not respond. If it is 0, the server waits half a
	// minute. Other timeouts are fractions or multiples of Patience.
	Patience time.Duration
	// Check reports whether the secret of a login is right. For an operations user with a
	// public key it reports whether the user in Named exists. It sets Operator for every
	// operations user.
	Check func(ctx context.Context, l *Login) (bool, error)
	// Open returns the app's options for a user.
	Open func(ctx context.Context, l *Login) (tui.Options, error)
}

// Server serves the app over SSH. It is safe for concurrent use.
type Server struct {
	Options
	hostKey      gossh.AlgorithmSigner
	connections  *connectionTable
	wrongCodes   *wrongCodeCounts
	failedLogins *failedLogins
	disk         *roomDisk
	readings     chan struct{} // has an element for each survey file being read

	listener net.Listener
	serving  api.Group     // the connections, watchDisk and watchRights
	done     chan struct{} // closed by Close
	closing  func()        // closes done; can be called several times

	mu     sync.Mutex
	guests []*guest // in the order in which they connected
	last   int      // number of the newest guest
}

// New returns a server that does not listen yet. It creates the host key if the file does not exist, and fails if
// the file of public keys is invalid.
func New(o Options) (*Server, error) {
	if o.Patience == 0 {
		o.Patience = 30 * time.Second
	}
	if err := o.checkKeys(); err != nil {
		return nil, err
	}
	hostKey, err := openHostKey(o.HostKey)
	if err != nil {
		return nil, err
	}
	disk, err := openRoomDisk(o.Dir)
	if err != nil {
		return nil, err
	}
	done := make(chan struct{})
	format.DrawOnSeveral() // the guests have different terminals
	return &Server{
		Options:      o,
		hostKey:      hostKey,
		disk:         disk,
		connections:  newConnectionTable(o.idleTime()),
		wrongCodes:   newWrongCodeCounts(),
		failedLogins: newFailedLogins(o.Log),
		readings:     make(chan struct{}, maxReadings),
		done:         done,
		closing:      sync.OnceFunc(func() { close(done) }),
	}, nil
}

// ErrClosed is returned by Serve after Close.
var ErrClosed = errors.New("the server is closed")

// Serve accepts connections until the server is closed, and then returns ErrClosed. If the server is
// closed already, it closes the listener and returns ErrClosed at once.
func (s *Server) Serve(l net.Listener) error {
	s.setListener(l)
	if s.isClosed() { // Close may not have seen the listener
		return errors.Join(ErrClosed, l.Close())
	}
	s.serving.Go(s.watchDisk)
	s.serving.Go(s.watchRights)
	for {
		conn, err := l.Accept()
		if s.isClosed() {
			if err == nil {
				_ = conn.Close()
			}
			return ErrClosed
		}
		if errors.Is(err, net.ErrClosed) { // the caller has closed the listener
			return err
		}
		if err != nil { // for example, the process has too many open files
			s.Log.Warn("a connection was not accepted", "error", err)
			s.wait(time.Second)
			continue
		}
		s.startConnection(conn)
	}
}

// startConnection serves a new connection in the background.
func (s *Server) startConnection(conn net.Conn) {
	c := newConnection(conn)
	if isFull := s.connections.add(c); isFull {
		s.wait(fullPause)
	}
	if s.isClosed() { // Close may have closed all connections before this one was added
		s.connections.remove(c)
		return
	}
	s.serving.Go(func() { s.handleConnection(c) })
}

// handleConnection serves a connection until it ends, and logs why it has ended.
func (s *Server) handleConnection(c *connection) {
	defer s.connections.remove(c)
	err := api.Guard(func() error { return s.serveConnection(c) })
	if err != nil {
		s.Log.Debug("an SSH connection has ended", "remote", c.RemoteAddr().String(), "error", err)
	}
}

// wait waits for the duration d, or until Close.
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

// Close closes the listener and all connections. It waits until the sessions have saved their state,
// but at most five seconds.
func (s *Server) Close() error {
	s.closing()
	err := s.closeListener()
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

func (s *Server) setListener(l net.Listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listener = l
}

func (s *Server) closeListener() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listener == nil {
		return nil
	}
	return s.listener.Close()
}

// serveConnection logs a client in and serves its sessions until the connection ends.
func (s *Server) serveConnection(c *connection) error {
	s.closeIfSilent(c)
	config, attempt := s.configFor(c)
	conn, channels, requests, err := gossh.NewServerConn(c, config) // returns after the login
	if err != nil {
		s.logFailure(c, attempt)
		return err
	}
	login, ok := conn.Permissions.ExtraData[loginKey{}].(*Login)
	if !ok {
		return errDenied
	}
	s.Log.Info("logged in", login.logAttrs()...)
	client := s.logIn(c, conn, login)
	client.serve(channels, requests)
	lasted := time.Since(c.since).Round(time.Second)
	s.Log.Info("logged out", append(login.logAttrs(), "after", lasted.String())...)
	return nil
}

// logFailure logs that a client has not logged in, if it has tried a wrong code or key.
func (s *Server) logFailure(c *connection, a *attempt) {
	wrongCodes := s.connections.wrongCodes(c)
	if wrongCodes+a.wrongKeys > 0 {
		s.failedLogins.add(a, c.RemoteAddr(), wrongCodes)
	}
}

// logIn records the login of a connection, and returns its client.
func (s *Server) logIn(c *connection, conn *gossh.ServerConn, l *Login) *client {
	return &client{
		server:   s,
		tcp:      c,
		conn:     conn,
		login:    l,
		person:   s.connections.logIn(c, l),
		requests: rate.NewLimiter(requestRate, requestBurst),
		sizes:    rate.NewLimiter(sizeRate, sizeRate),
	}
}

// serve serves the sessions of the client until the connection ends. It then waits until all sessions have
// ended.
func (c *client) serve(channels <-chan gossh.NewChannel, requests <-chan *gossh.Request) {
	var work api.Group
	work.Go(func() { c.refuseRequests(requests) })
	work.Go(c.sendKeepalives)
	c.serveChannels(channels, &work)
	_ = c.tcp.Close() // ends refuseRequests and sendKeepalives
	work.Wait()
}

// client is a connection whose user has logged in.
type client struct {
	server   *Server
	tcp      *connection
	conn     *gossh.ServerConn
	login    *Login
	person   *person
	requests *rate.Limiter // for all SSH requests except new sizes of terminals
	sizes    *rate.Limiter // for new sizes of terminals
}

// waitToHandle waits until the rate limit allows the server to handle a request. It returns early if
// the session's context ends.
func (c *client) waitToHandle(ctx context.Context, req *gossh.Request) {
	limiter := c.requests
	if req.Type == windowChange {
		limiter = c.sizes
	}
	_ = limiter.Wait(ctx) // fails when the session ends
}

// refuseRequests refuses requests that do not belong to a channel, for example to forward a port.
func (c *client) refuseRequests(requests <-chan *gossh.Request) {
	for req := range requests {
		_ = c.requests.Wait(c.tcp.ctx) // fails when the connection ends
		if req.WantReply {
			_ = req.Reply(false, nil)
		}
	}
}

// sendKeepalives sends requests to the client until the connection ends. It closes the connection if
// the client does not respond.
func (c *client) sendKeepalives() {
	for {
		select {
		case <-c.tcp.ctx.Done():
			return
		case <-time.After(c.server.Patience / 2):
		}
		silent := time.AfterFunc(c.server.Patience, c.cut)
		_, _, err := c.conn.SendRequest("keepalive@openssh.com", true, nil)
		silent.Stop()
		if err != nil { // earlier requests of the client are not handled any more
			c.cut()
			return
		}
	}
}

// cut closes the connection of the client.
func (c *client) cut() { _ = c.tcp.Close() }

// serveChannels serves the sessions that a client opens, until the connection ends. It closes the
// connection of a client that opens too many refused channels.
func (c *client) serveChannels(channels <-chan gossh.NewChannel, work *api.Group) {
	refused := 0
	for ch := range channels {
		_ = c.requests.Wait(c.tcp.ctx) // fails when the connection ends
		if c.refuseChannel(ch) {
			refused++
			if refused > maxRefused {
				c.cut()
			}
			continue
		}
		work.Go(func() {
			defer c.server.connections.closeSession(c.tcp)
			c.serveSession(ch)
		})
	}
}

// refuseChannel refuses a channel if it is not a session, or if the user has too many sessions. It returns
// true if it has refused the channel. Otherwise it counts the new session.
func (c *client) refuseChannel(ch gossh.NewChannel) bool {
	if ch.ChannelType() != "session" {
		_ = ch.Reject(gossh.UnknownChannelType, "not available here")
		return true
	}
	if err := c.server.connections.openSession(c.tcp); err != nil {
		_ = ch.Reject(gossh.ResourceShortage, err.Error())
		return true
	}
	return false
}

// serveSession serves a session until the client closes it, and then waits until its program has ended. A client
// that starts no program in time gets an error, and its session is closed.
func (c *client) serveSession(newChannel gossh.NewChannel) {
	ch, requests, err := newChannel.Accept()
	if err != nil {
		return
	}
	g := c.newGuest(ch)
	g.startTimer = time.AfterFunc(c.server.startTime(), func() {
		g.refuse("nothing was started on this session")
		_ = ch.Close()
	})
	var work api.Group
	for req := range requests {
		c.waitToHandle(g.ctx, req)
		g.handleRequest(req, &work)
	}
	g.startTimer.Stop()
	g.end()
	work.Wait()
	c.server.connections.fitSize(c.person, g.size, tea.WindowSizeMsg{}) // frees the terminal's cells
}

// handleRequest handles a request of the session and replies to it. The first request for a program starts
// the program. All other requests are about the terminal.
func (g *guest) handleRequest(req *gossh.Request, work *api.Group) {
	program := g.client.server.programOf(req)
	if program == nil || g.hasStarted {
		isAccepted := g.handleTerminalRequest(req)
		_ = req.Reply(isAccepted, nil)
		return
	}
	_ = req.Reply(true, nil) // before the program writes or ends the session
	g.start(program, work)
}

// start starts a program in the background, and passes new sizes of the terminal to it.
func (g *guest) start(program func(*guest) uint32, work *api.Group) {
	g.startTimer.Stop()
	g.hasStarted = true
	g.initialSize = g.size
	if g.initialSize.Width > 0 {
		work.Go(g.passSizes)
	}
	work.Go(func() { g.run(program) })
}

// newGuest returns the guest of a session.
func (c *client) newGuest(ch gossh.Channel) *guest {
	ctx, end := context.WithCancel(c.tcp.sessionsCtx)
	return &guest{
		Channel: ch,
		Visit: session.Visit{
			User:  c.login.User,
			From:  hostOf(c.login.Address),
			Since: api.TimeOf(time.Now()),
		},
		client:   c,
		log:      c.server.Log.With(c.login.logAttrs()...),
		ctx:      ctx,
		end:      end,
		patience: c.server.Patience,
		events:   make(chan tea.Msg, 16),
		newSize:  make(chan tea.WindowSizeMsg, 1),
	}
}

// programOf returns the program that a request starts, or nil for other requests. A program runs
// until the session ends and returns its exit status.
func (s *Server) programOf(req *gossh.Request) func(*guest) uint32 {
	switch req.Type {
	case "shell":
		return s.showApp
	case "exec":
		return refuseCommand
	case "subsystem":
		if string(req.Payload) == "\x00\x00\x00\x04sftp" {
			return s.serveSFTP
		}
	}
	return nil
}

// run runs a program, sends its exit status to the client, and ends the session.
func (g *guest) run(program func(*guest) uint32) {
	defer func() {
		g.end()
		_ = g.Close()
	}()
	status := struct{ Code uint32 }{program(g)}
	_, _ = g.SendRequest("exit-status", false, gossh.Marshal(status))
}

func hostOf(address string) string {
	host, _, _ := net.SplitHostPort(address)
	return host
}
