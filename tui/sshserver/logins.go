package sshserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/time/rate"

	"flightdesk/api/ops"
	"flightdesk/config/atomicfile"
)

// User names with a special meaning.
const (
	Operations = "operations" // the service side; needs the operations key
	Viewer     = "viewer"     // can only read; several people can share it
)

// Login is a login of a user.
type Login struct {
	User     string
	Address  string       // of the client, as host:port
	Secret   string       // typed code or operations key, "" for a login with a key; it is never logged
	Named    string       // operations user in the comment of the public key, such as "vera" in operations@vera
	Operator ops.Operator // the operations user; zero for guests

	key gossh.PublicKey // nil for a login without a key
}

// IsReadOnly reports whether the user cannot change anything.
func (l *Login) IsReadOnly() bool {
	return l.User == Viewer || l.Operator.Role == ops.RoleRead
}

// person returns the name under which the limits of a user are counted. All logins with the same name share
// their limits. Each operations user has a separate name, such as "operations (vera)".
func (l *Login) person() string {
	if l.User == Operations {
		return Operations + " (" + l.Operator.Name + ")"
	}
	return l.User
}

// logAttrs returns the attributes of a login for the log.
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

// userKey is a line of the file of public keys: a key, and its comment, such as operations@vera.
type userKey struct {
	key   gossh.PublicKey
	user  string // the comment before the @, such as "operations"
	named string // the comment after the @, such as "vera"; "" without an @
}

// checkKeys returns an error if the file of public keys cannot be read or has an invalid line.
func (o *Options) checkKeys() error {
	_, err := o.readKeys()
	return err
}

// readKeys reads the file of public keys. It returns an error if any line of the file is invalid.
func (o *Options) readKeys() ([]userKey, error) {
	if o.Keys == "" {
		return nil, nil
	}
	text, err := atomicfile.ReadSettings(o.Keys)
	if err != nil {
		return nil, fmt.Errorf("public keys: %w", err)
	}
	var keys []userKey
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, ok := parseUserKey(line)
		if !ok {
			return nil, fmt.Errorf("%s:%d: not a public key with the name of its user behind it", o.Keys, i+1)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// parseUserKey parses a line of the file of public keys, such as "ssh-ed25519 AAAA… operations@vera".
func parseUserKey(line string) (key userKey, ok bool) {
	public, comment, _, _, err := gossh.ParseAuthorizedKey([]byte(line))
	user, named, _ := strings.Cut(comment, "@")
	if err != nil || !ops.IsUserName(user) {
		return userKey{}, false
	}
	return userKey{key: public, user: user, named: named}, true
}

// findKey reports whether the file of public keys has a key for a user. named is the text after the @
// in the key's comment. The file is read for each login, so that keys can be added and removed.
func (o *Options) findKey(user string, key gossh.PublicKey) (named string, found bool, err error) {
	keys, err := o.readKeys()
	if err != nil {
		return "", false, err
	}
	for _, known := range slices.Backward(keys) { // the last of several lines counts
		if known.user == user && bytes.Equal(known.key.Marshal(), key.Marshal()) {
			return known.named, true, nil
		}
	}
	return "", false, nil
}

// checkLogin reports whether a user may log in, or may stay logged in. It is called again and again, because
// codes can be withdrawn, users revoked and keys removed. For an operations user it sets l.Operator.
func (s *Server) checkLogin(ctx context.Context, l *Login) (bool, error) {
	if l.key != nil {
		named, found, err := s.findKey(l.User, l.key)
		if err != nil {
			return false, err
		}
		if !found {
			return false, nil
		}
		l.Named = named
	}
	if l.User == Operations || l.Secret != "" {
		return s.Check(ctx, l)
	}
	return l.key != nil || s.IsOpen, nil
}

// watchRights ends the connections of users whose access was withdrawn or whose role has changed,
// until Close. A failed check does not end a connection.
func (s *Server) watchRights() {
	for {
		select {
		case <-s.done:
			return
		case <-time.After(s.Patience / 30):
		}
		for _, c := range s.connections.loggedInConnections() {
			login := *c.login
			allowed, err := s.checkLogin(c.ctx, &login)
			hasSameRole := login.Operator.Role == c.login.Operator.Role
			if err != nil || allowed && hasSameRole {
				continue
			}
			s.Log.Info("the sessions of a user without access end", c.login.logAttrs()...)
			s.endConnection(c)
		}
	}
}

// endConnection ends the sessions of a connection. It closes the connection shortly after, so that the
// sessions can first restore the user's terminal.
func (s *Server) endConnection(c *connection) {
	c.endSessions()
	time.AfterFunc(s.Patience/15, func() { s.connections.remove(c) })
}

// attempt is the login of one connection, which may try several names, keys and codes.
type attempt struct {
	server    *Server
	conn      *connection
	user      string          // the last user name that the client has tried
	wrongKeys int             // number of wrong public keys
	wrongKey  gossh.PublicKey // the last wrong public key, or nil
}

var errDenied = errors.New("permission denied")

// loginKey is the key of the Login in the permissions of a connection.
type loginKey struct{}

// permit returns the permissions of a successful login.
func permit(l *Login) (*gossh.Permissions, error) {
	return &gossh.Permissions{ExtraData: map[any]any{loginKey{}: l}}, nil
}

// configFor returns the SSH settings for a connection, and the handler of its login.
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

// acceptAnybody logs guests in without a code, if the server is open.
func (a *attempt) acceptAnybody(meta gossh.ConnMetadata) (*gossh.Permissions, error) {
	if meta.User() == Operations || !ops.IsUserName(meta.User()) {
		return nil, errDenied
	}
	return permit(newLogin(meta))
}

func newLogin(meta gossh.ConnMetadata) *Login {
	return &Login{User: meta.User(), Address: meta.RemoteAddr().String()}
}

// acceptKey logs a user in with a public key.
func (a *attempt) acceptKey(meta gossh.ConnMetadata, key gossh.PublicKey) (*gossh.Permissions, error) {
	a.user = meta.User()
	l := newLogin(meta)
	l.key = key
	allowed, err := a.server.checkLogin(a.conn.ctx, l)
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

// acceptCode logs a guest in with an invitation code, or an operations user with an operations key.
// After wrong codes all responses are delayed, but a right code is never refused.
func (a *attempt) acceptCode(meta gossh.ConnMetadata, code string) (*gossh.Permissions, error) {
	a.user = meta.User()
	a.waitAfterWrongCodes(a.user)
	l := newLogin(meta)
	l.Secret = code
	allowed, err := a.checkCode(l)
	if err != nil {
		a.server.Log.Error("a code cannot be checked", "error", err)
		return nil, errDenied
	}
	if !allowed {
		a.server.connections.countWrongCode(a.conn)
		a.server.wrongCodes.count(a.user, time.Now())
		return nil, errDenied
	}
	return permit(l)
}

// checkCode reports whether the code of a login is right.
func (a *attempt) checkCode(l *Login) (bool, error) {
	if l.Secret == "" || !ops.IsUserName(l.User) {
		return false, nil
	}
	return a.server.Check(a.conn.ctx, l)
}

// askForCode asks the user for a code, for clients that do not send it as a password.
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

// Delays of responses after wrong codes.
const (
	firstDelay    = 50 * time.Millisecond  // after one wrong code for a user; each further one doubles it
	delayEach     = 500 * time.Millisecond // for each wrong code of the same connection
	maxDelay      = 2 * time.Second
	wrongHalfLife = 10 * time.Second // time in which the count of wrong codes for a user is halved
)

// waitAfterWrongCodes waits before a response. It waits longer, the more wrong codes were tried on
// the connection, or recently for the user.
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

// wrongCodeCounts counts the wrong codes per user. The counts decrease with time. Users share a fixed
// number of counts, so that invented user names need no memory. It is safe for concurrent use.
type wrongCodeCounts struct {
	mu     sync.Mutex
	seed   maphash.Seed
	counts [256]wrongCodeCount
}

// wrongCodeCount is a count of wrong codes, and the time of the last one.
type wrongCodeCount struct {
	wrong  float64
	lastAt time.Time
}

// valueAt returns the count at the time now. The count halves every wrongHalfLife after the last wrong code.
func (c *wrongCodeCount) valueAt(now time.Time) float64 {
	age := now.Sub(c.lastAt)
	return c.wrong * math.Exp2(-float64(age)/float64(wrongHalfLife))
}

func newWrongCodeCounts() *wrongCodeCounts { return &wrongCodeCounts{seed: maphash.MakeSeed()} }

// countOf returns the count of a user. The caller holds the lock.
func (w *wrongCodeCounts) countOf(user string) *wrongCodeCount {
	i := maphash.String(w.seed, user) % uint64(len(w.counts))
	return &w.counts[i]
}

// count counts a wrong code for a user.
func (w *wrongCodeCounts) count(user string, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.countOf(user)
	c.wrong = min(c.valueAt(now)+1, 10)
	c.lastAt = now
}

// delay returns how long a response to a user is delayed.
func (w *wrongCodeCounts) delay(user string, now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	wrong := w.countOf(user).valueAt(now)
	if wrong < 0.5 {
		return 0
	}
	return min(time.Duration(float64(firstDelay)*math.Exp2(wrong-1)), maxDelay)
}

// failedLogins logs the connections that end without a login after wrong codes or keys. The rate of log lines
// is limited, and each line has the number of connections that were not logged before it. The example
// fail2ban.conf matches these lines.
type failedLogins struct {
	log     *slog.Logger
	limit   *rate.Limiter
	skipped atomic.Int64
}

func newFailedLogins(log *slog.Logger) *failedLogins {
	return &failedLogins{log: log, limit: rate.NewLimiter(rate.Every(logEvery), logBurst)}
}

// maxLoggedName is the maximum length of a user name in the log, in bytes. A stranger can send any
// name.
const maxLoggedName = 64

// add logs the failed logins of a connection.
func (f *failedLogins) add(a *attempt, remote net.Addr, wrongCodes int) {
	if !f.limit.Allow() {
		f.skipped.Add(1)
		return
	}
	name := strings.ToValidUTF8(a.user[:min(len(a.user), maxLoggedName)], "�")
	attrs := []slog.Attr{
		slog.String("user", name),
		slog.String("remote", remote.String()),
		slog.Int("wrong_codes", wrongCodes),
		slog.Int("wrong_keys", a.wrongKeys),
	}
	if a.wrongKey != nil {
		attrs = append(attrs, slog.String("key", gossh.FingerprintSHA256(a.wrongKey)))
	}
	if n := f.skipped.Swap(0); n > 0 {
		attrs = append(attrs, slog.Int64("not_logged", n))
	}
	f.log.LogAttrs(context.Background(), slog.LevelWarn, "login failed", attrs...)
}
