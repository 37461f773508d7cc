package sshserver

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pkg/sftp"
	gossh "golang.org/x/crypto/ssh"

	"flightdesk/api"
)

// guessCodes tries wrong codes for a user, ten at a time.
func (r *testRoom) guessCodes(user string, n int) {
	var guessing sync.WaitGroup
	for worker := range 10 {
		guessing.Go(func() {
			for i := worker; i < n; i += 10 {
				if c, err := r.tryLogin(user, "wrong"); err == nil {
					_ = c.Close()
				}
			}
		})
	}
	guessing.Wait()
}

// usersNotSharing returns n users whose wrong codes are not counted together with those of the given user. Users
// share counts by chance, but not all of them.
func (r *testRoom) usersNotSharing(t *testing.T, given string, n int) []string {
	t.Helper()
	var users []string
	for i := range 100 {
		user := userName(i)
		if r.wrongCodes.countOf(user) != r.wrongCodes.countOf(given) {
			users = append(users, user)
		}
		if len(users) == n {
			return users
		}
	}
	t.Fatalf("all users share the count of %s", given)
	return nil
}

// Wrong codes from an address delay logins but refuse none, neither of the user whose code is guessed nor
// of other users.
func TestRightCodeIsAcceptedAfterManyWrongCodes(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, nil)
	r.guessCodes("user9", 130)
	for _, user := range []string{"user9", "user2", Operations, Viewer} {
		r.login(t, user)
	}
	for _, user := range r.usersNotSharing(t, "user9", 2) {
		fastest := time.Hour
		for try := 0; try < 20 && fastest > maxDelay; try++ { // a busy machine may delay many logins
			began := time.Now()
			r.login(t, user)
			fastest = min(fastest, time.Since(began))
		}
		if fastest > maxDelay {
			t.Errorf("%s logs in after %v", user, fastest)
		}
	}
}

// A response takes longer after wrong codes, and the count of a user's wrong codes decreases.
func TestWrongCodesAreDelayed(t *testing.T) {
	w := newWrongCodeCounts()
	now := time.Now()
	if d := w.delay("user1", now); d != 0 {
		t.Errorf("the first answer is delayed by %v", d)
	}
	last := time.Duration(0)
	for range 6 {
		w.count("user1", now)
		d := w.delay("user1", now)
		if d <= last || d > maxDelay {
			t.Errorf("an answer is delayed by %v after %v", d, last)
		}
		last = d
	}
	for range 1000 {
		w.count("user1", now)
	}
	if d := w.delay("user1", now); d != maxDelay {
		t.Errorf("an answer is delayed by %v", d)
	}
	if d := w.delay("user1", now.Add(time.Minute)); d != 0 {
		t.Errorf("a minute later an answer is delayed by %v", d)
	}
}

// The log has a line per connection with failed logins, and the number of lines is limited.
func TestFailedLoginsAreLogged(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, nil)
	if _, err := r.tryLogin("user1\x1b[2J", "wrong"); err == nil {
		t.Fatal("a wrong code is accepted")
	}
	waitFor(t, "a line about the login", func() bool { return strings.Contains(r.log.String(), "login failed") })
	text := r.log.String()
	for _, want := range []string{`user="user1\x1b[2J"`, "remote=127.0.0.1:", "wrong_codes=1"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	for range 10 * logBurst {
		r.failedLogins.add(&attempt{user: "user1"}, &net.TCPAddr{}, 1)
	}
	if n := strings.Count(r.log.String(), "login failed"); n > 2*logBurst {
		t.Errorf("%d lines", n)
	}
}

// openChannels opens sessions that start nothing, and returns how many of them the server accepted.
func openChannels(c *gossh.Client, n int) (open int) {
	for range n {
		_, requests, err := c.OpenChannel("session", nil)
		if err != nil {
			continue
		}
		go gossh.DiscardRequests(requests)
		open++
	}
	return open
}

func TestOneUserCannotOpenAllSessions(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, func(o *Options) { o.Patience = 3 * time.Minute }) // unused sessions stay open
	one, two := r.login(t, "user1"), r.login(t, "user1")
	if n := openChannels(one, 20) + openChannels(two, 20); n != maxSessionsOf {
		t.Errorf("a user has %d sessions", n)
	}
	for _, user := range []string{"user2", Operations, Viewer} {
		openSFTP(t, r.login(t, user))
	}
	if n := r.connections.sessions(); n != maxSessionsOf+3 {
		t.Errorf("%d sessions are counted", n)
	}
}

func TestOperationsUsersHaveSeparateSessions(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, func(o *Options) { o.Patience = 3 * time.Minute }) // unused sessions stay open
	for i := range maxGuests/maxSessionsOf + 1 {
		openChannels(r.login(t, userName(i)), maxSessionsOf)
	}
	if n := r.connections.sessions(); n != maxGuests {
		t.Errorf("%d sessions", n)
	}
	openSFTP(t, r.login(t, Operations))
}

func TestSessionThatStartsNothingIsClosed(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, func(o *Options) { o.Patience = 12 * time.Second }) // a busy machine needs a third of it
	c := r.login(t, "user1")
	openChannels(c, maxSessionsOf)
	waitFor(t, "no session is open", func() bool { return r.connections.sessions() == 0 })
	waitFor(t, "a session is open", func() bool { // on a busy machine it may start too late and be closed, too
		files, err := sftp.NewClient(c)
		if err != nil {
			return false
		}
		_ = files.Close()
		return true
	})
}

func TestTooManyRefusedChannelsCloseTheConnection(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, nil)
	c := r.login(t, "user1")
	// The client is never answered if it asks for a channel while the connection ends, so nothing waits for it.
	go openChannels(c, requestBurst+maxRefused)
	ended := api.Go(c.Wait)
	select {
	case err := <-ended:
		if err == nil {
			t.Error("the connection ends well")
		}
	case <-time.After(time.Minute): // later, the connection would end because it has no session
		t.Error("the connection is not closed")
	}
}

// numberOfStrangers returns the number of connections without a login.
func (r *testRoom) numberOfStrangers() (n int) {
	r.connections.mu.Lock()
	defer r.connections.mu.Unlock()
	for c := range r.connections.all {
		if c.person == nil {
			n++
		}
	}
	return n
}

// Connections without a login are limited and closed soon, so that they do not block other clients.
func TestIdleConnectionsDoNotBlockOthers(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, func(o *Options) { o.Patience = 15 * time.Second })
	const many = 400
	cut := make(chan struct{}, many)
	for i := range many {
		conn, err := net.Dial("tcp", r.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		go func() {
			_, _ = io.Copy(io.Discard, conn)
			cut <- struct{}{}
		}()
		if n := r.numberOfStrangers(); n > maxStrangersOf {
			t.Fatalf("%d connections of one address wait", n)
		}
		if i%100 == 50 {
			r.login(t, userName(i))
		}
	}
	for range many {
		select {
		case <-cut:
		case <-time.After(time.Minute):
			t.Fatal("an idle connection is not cut")
		}
	}
}

// If a person has too many connections, an idle one is closed for a new one.
func TestConnectionsOfOnePersonAreLimited(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, nil)
	working := openSFTP(t, r.login(t, "user1"))
	for range 3 * maxConnectionsOf {
		r.login(t, "user1")
	}
	r.connections.mu.Lock()
	n := r.connections.people["user1"].connections
	r.connections.mu.Unlock()
	if n > maxConnectionsOf {
		t.Errorf("%d connections", n)
	}
	if _, err := working.ReadDir("/"); err != nil {
		t.Errorf("a connection with a session was closed: %v", err)
	}
}

// A client that exchanges keys too often is disconnected, because each exchange needs a signature.
func TestKeyExchangesAreLimited(t *testing.T) {
	t.Parallel()
	r := openTestRoom(t, nil)
	config := &gossh.ClientConfig{
		User: "user1", Auth: []gossh.AuthMethod{gossh.Password(codeOf("user1"))},
		HostKeyCallback: gossh.InsecureIgnoreHostKey(),
	}
	config.RekeyThreshold = 256
	c, err := gossh.Dial("tcp", r.addr, config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	files := openSFTP(t, c)
	for range 100 * rekeyBurst {
		if err := putFile(files, "x", strings.Repeat("x", 1024)); err != nil {
			return
		}
	}
	t.Error("the client is not cut")
}

// If there are many large terminals, they get a smaller size.
func TestCellsOfAllTerminalsAreLimited(t *testing.T) {
	table := newConnectionTable(time.Hour)
	total := 0
	for i := range maxGuests {
		p := newPerson(&Login{User: userName(i / 4)})
		size := table.fitSize(p, sizeOf(nil), sizeOf(gossh.Marshal(struct{ W, H uint32 }{1 << 30, 1 << 30})))
		total += size.Width * size.Height
		if size.Width < 80 || size.Height < 24 {
			t.Errorf("a terminal is drawn in %dx%d", size.Width, size.Height)
		}
	}
	if total > maxCells+maxGuests*minCells {
		t.Errorf("%d cells are drawn", total)
	}
}

// The requests of a client that is gone are still rate-limited.
func TestSessionsEndWhenTheClientIsGone(t *testing.T) {
	r := openAppRoom(t)
	c := r.login(t, "user1")
	s, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.RequestPty("xterm-256color", 24, 80, nil), s.Shell()); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the app is open", func() bool { return len(r.Visits()) == 1 })
	for n := range 5000 {
		if err := s.WindowChange(24, 80+n%2); err != nil {
			break
		}
	}
	_ = c.Close()
	waitFor(t, "the session ends", func() bool { return len(r.Visits()) == 0 })
}

func TestServeReturnsAtOnceAfterClose(t *testing.T) {
	dir := t.TempDir()
	s, err := New(Options{HostKey: filepath.Join(dir, "host_ed25519"), Dir: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(l); !errors.Is(err, ErrClosed) {
		t.Errorf("Serve returns %v", err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is still open: %v", err)
	}
}
