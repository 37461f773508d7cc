package sshserver

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"math"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/time/rate"

	"flightdesk/api/ops"
	"flightdesk/config/atomicfile"
)

// Names that mean more than an account.
const (
	Operations = "operations" // the service side; opened with the operations key
	Viewer     = "viewer"     // reads, and changes nothing
)

// Login says who has logged in.
type Login struct {
	User     string
	Address  string       // of the client, as host:port
	Secret   string       // code or operations key that was typed; "" for other logins. It is never logged
	Named    string       // operations user whom a public key names, as in operations@vera
	Operator ops.Operator // who works on operations; zero for guests

	key gossh.PublicKey // nil for other logins
}

// IsReadOnly reports whether the user changes nothing.
func (l *Login) IsReadOnly() bool {
	return l.User == Viewer || l.Operator.Role == ops.RoleRead
}

// person returns the name under which limits count what somebody takes.
func (l *Login) person() string {
	if l.User == Operations {
		return Operations + " (" + l.Operator.Name + ")"
	}
	return l.User
}

// logAttrs returns what the log has of a login.
func (l *Login) logAttrs() []any {
	attrs := []any{"user", l.User, "remote", l.Address}
	if l.User == Operations {
		attrs = append(attrs, "operator", l.Operator.Name)
	}
	if l.key != nil {
		attrs = append(attrs, "key", gossh.FingerprintSHA256(l.key))
	}
	return attrs
}

// findKey reports whether a user has a public key, and returns what the comment of the key
// has behind the @. The file is read for each login, so that keys can be added and removed.
func (o *Options) findKey(of string, key gossh.PublicKey) (host string, has bool, err error) {
	if o.Keys == "" {
		return "", false, nil
	}
	text, err := atomicfile.ReadSettings(o.Keys)
	if err != nil {
		return "", false, fmt.Errorf("public keys: %w", err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		known, comment, _, _, err := gossh.ParseAuthorizedKey([]byte(line))
		user, where, _ := strings.Cut(comment, "@")
		if err != nil || !ops.IsUserName(user) {
			return "", false, fmt.Errorf(
				"%s:%d: not a public key with the name of its user behind it", o.Keys, i+1,
			)
		}
		if user == of && key != nil && string(known.Marshal()) == string(key.Marshal()) {
			host, has = where, true
		}
	}
	return host, has, nil
}

// isAllowed reports whether a user may be here, and completes who works on operations. It
// is asked at the login and again and again after it: codes are withdrawn, users revoked
// and keys removed.
func (s *Server) isAllowed(ctx context.Context, l *Login) (bool, error) {
	if l.key != nil {
		named, has, err := s.findKey(l.User, l.key)
		if err != nil || !has {
			return false, err
		}
		l.Named = named
	}
	if l.User == Operations || l.Secret != "" {
		return s.Check(ctx, l)
	}
	return l.key != nil || s.IsOpen, nil
}

// watchRights ends the sessions of those who may not be here any more.
func (s *Server) watchRights() {
	for {
		select {
		case <-s.done:
			return
		case <-time.After(s.Patience / 30):
		}
		for _, c := range s.connections.loggedInConnections() {
			login := *c.login
			allowed, err := s.isAllowed(c.ctx, &login)
			if err != nil || allowed && login.Operator.Role == c.login.Operator.Role {
				continue // an error says nothing about their rights
			}
			s.Log.Info("the sessions of a user without access end", c.login.logAttrs()...)
			s.endConnection(c)
		}
	}
}

// endConnection ends the sessions of a connection, which have a moment to leave the
// terminal as it was, and then the connection.
func (s *Server) endConnection(c *connection) {
	c.endSessions()
	time.AfterFunc(s.Patience/15, func() { s.connections.remove(c) })
}

// attempt is the login of one connection.
type attempt struct {
	server    *Server
	conn      *connection
	user      string // the name that was tried last
	wrongKeys int
	wrongKey  gossh.PublicKey // the last one; nil for none
}

var errDenied = errors.New("permission denied")

type loginKey struct{}

// permit lets a client in.
func permit(l *Login) (*gossh.Permissions, error) {
	return &gossh.Permissions{ExtraData: map[any]any{loginKey{}: l}}, nil
}

// configFor returns the settings of SSH for one connection.
func (s *Server) configFor(c *connection) (*gossh.ServerConfig, *attempt) {
	a := &attempt{server: s, conn: c}
	config := &gossh.ServerConfig{
		ServerVersion: "SSH-2.0-flightdesk",
		NoClientAuth:  s.IsOpen,

		NoClientAuthCallback: a.acceptAnybody,
		PublicKeyCallback:    a.acceptKey,
		PasswordCallback: func(meta gossh.ConnMetadata, code []byte) (*gossh.Permissions, error) {
			return a.acceptCode(meta, string(code))
		},
		KeyboardInteractiveCallback: a.askForCode,
	}
	config.AddHostKey(meteredKey{s.hostKey, rate.NewLimiter(rate.Every(rekeyEvery), rekeyBurst)})
	return config, a
}

// acceptAnybody lets guests in without a code where logins are open.
func (a *attempt) acceptAnybody(meta gossh.ConnMetadata) (*gossh.Permissions, error) {
	if meta.User() == Operations || !ops.IsUserName(meta.User()) {
		return nil, errDenied
	}
	return permit(newLogin(meta))
}

func newLogin(meta gossh.ConnMetadata) *Login {
	return &Login{User: meta.User(), Address: meta.RemoteAddr().String()}
}

// acceptKey lets a user in with a public key.
func (a *attempt) acceptKey(meta gossh.ConnMetadata, key gossh.PublicKey) (*gossh.Permissions, error) {
	a.user = meta.User()
	l := newLogin(meta)
	l.key = key
	allowed, err := a.server.isAllowed(a.conn.ctx, l)
	if err != nil {
		a.server.Log.Error("a public key cannot be checked", "error", err)
		return nil, errDenied
	}
	if !allowed {
		a.wrongKeys++
		a.wrongKey = key
		if l.Named != "" && l.User == Operations {
			a.server.Log.Warn("a public key names no operations user; its comment must be operations@NAME",
				"name", l.Named)
		}
		return nil, errDenied
	}
	return permit(l)
}

// acceptCode lets a guest in with an invitation code, and operations with an operations
// key. After wrong codes every answer is delayed, right ones too, but a right code is
// never refused.
func (a *attempt) acceptCode(meta gossh.ConnMetadata, code string) (*gossh.Permissions, error) {
	a.user = meta.User()
	a.waitAfterWrongCodes(a.user)
	l := newLogin(meta)
	l.Secret = code
	allowed := false
	if ops.IsUserName(l.User) && code != "" {
		var err error
		if allowed, err = a.server.Check(a.conn.ctx, l); err != nil {
			a.server.Log.Error("a code cannot be checked", "error", err)
			return nil, errDenied
		}
	}
	if !allowed {
		a.server.connections.countWrongCode(a.conn)
		a.server.wrongCodes.count(a.user, time.Now())
		return nil, errDenied
	}
	return permit(l)
}

// askForCode asks for a code, for clients that do not send it as a password.
func (a *attempt) askForCode(
	meta gossh.ConnMetadata, ask gossh.KeyboardInteractiveChallenge,
) (*gossh.Permissions, error) {
	question := "Invitation code: "
	if meta.User() == Operations {
		question = "Operations key: "
	}
	answers, err := ask("", "", []string{question}, []bool{false})
	if err != nil || len(answers) != 1 {
		return nil, errDenied
	}
	return a.acceptCode(meta, strings.TrimSpace(answers[0]))
}

// How long an answer is delayed after wrong codes.
const (
	firstDelay    = 50 * time.Millisecond  // after one wrong code for a user, doubled by each further one
	delayEach     = 500 * time.Millisecond // for each wrong code of the same connection
	maxDelay      = 2 * time.Second
	wrongHalfLife = 10 * time.Second // until half of the wrong codes for a user are forgotten
)

// waitAfterWrongCodes waits longer the more wrong codes came on the connection and for
// the user.
func (a *attempt) waitAfterWrongCodes(user string) {
	delay := max(
		a.server.wrongCodes.delay(user, time.Now()),
		time.Duration(a.server.connections.wrongCodes(a.conn))*delayEach,
	)
	select {
	case <-time.After(min(delay, maxDelay)):
	case <-a.conn.ctx.Done():
	}
}

// wrongCodeCounts counts the wrong codes for each user. Names that strangers make up need
// no memory: users share a fixed number of counts.
type wrongCodeCounts struct {
	mu     sync.Mutex
	seed   maphash.Seed
	counts [256]struct {
		wrong float64
		at    time.Time
	}
}

func newWrongCodeCounts() *wrongCodeCounts { return &wrongCodeCounts{seed: maphash.MakeSeed()} }

// at returns the count of a user at a time.
func (w *wrongCodeCounts) at(user string, now time.Time) (i int, wrong float64) {
	i = int(maphash.String(w.seed, user) % uint64(len(w.counts)))
	age := now.Sub(w.counts[i].at)
	return i, w.counts[i].wrong * math.Exp2(-float64(age)/float64(wrongHalfLife))
}

// count counts a wrong code for a user.
func (w *wrongCodeCounts) count(user string, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i, wrong := w.at(user, now)
	w.counts[i].wrong = min(wrong+1, 10)
	w.counts[i].at = now
}

// delay returns how long an answer to a user is delayed.
func (w *wrongCodeCounts) delay(user string, now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, wrong := w.at(user, now)
	if wrong < 0.5 {
		return 0
	}
	return min(time.Duration(float64(firstDelay)*math.Exp2(wrong-1)), maxDelay)
}

// failedLogins logs connections that end without a login although they tried to. There
// are only so many lines; the next line has the number of those left out. The filter
// fail2ban.conf of the examples reads these lines.
type failedLogins struct {
	log     *slog.Logger
	limit   *rate.Limiter
	skipped atomic.Int64
}

// maxLoggedName is how many bytes of a user name the log has: a stranger sends it.
const maxLoggedName = 64

func (f *failedLogins) add(a *attempt, remote net.Addr, wrongCodes int) {
	if !f.limit.Allow() {
		f.skipped.Add(1)
		return
	}
	name := strings.ToValidUTF8(a.user[:min(len(a.user), maxLoggedName)], "�")
	attrs := []slog.Attr{
		slog.String("user", name), slog.String("remote", remote.String()),
		slog.Int("wrong_codes", wrongCodes), slog.Int("wrong_keys", a.wrongKeys),
	}
	if a.wrongKey != nil {
		attrs = append(attrs, slog.String("key", gossh.FingerprintSHA256(a.wrongKey)))
	}
	if n := f.skipped.Swap(0); n > 0 {
		attrs = append(attrs, slog.Int64("not_logged", n))
	}
	f.log.LogAttrs(context.Background(), slog.LevelWarn, "login failed", attrs...)
}
