package sshserver

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"math"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/time/rate"

	"flightdesk/tui/app/session"
)

// Names that mean more than an account.
const (
	Operations = "operations" // the service side; opened with the operations key
	Viewer     = "viewer"     // reads, and changes nothing
)

// Login says who has logged in.
type Login struct {
	User    string // the name that was logged in with
	Address string // of the client, as host:port
	Key     string // the operations key that was typed; "" for other logins. It is a secret
}

// person returns the name under which limits count what somebody takes.
func (l *Login) person() string { return l.User }

// hasKey reports whether a user has a key. The file is read for each login, so that keys
// can be added and removed.
func (o *Options) hasKey(of string, key gossh.PublicKey) (has bool, err error) {
	if o.Keys == "" {
		return false, nil
	}
	text, err := os.ReadFile(o.Keys)
	if err != nil {
		return false, fmt.Errorf("public keys: %w", err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		known, comment, _, _, err := gossh.ParseAuthorizedKey([]byte(line))
		user, _, _ := strings.Cut(comment, "@")
		if err != nil || !session.IsUserName(user) {
			return false, fmt.Errorf(
				"%s:%d: not a public key with the name of its user behind it", o.Keys, i+1,
			)
		}
		if user == of && key != nil && string(known.Marshal()) == string(key.Marshal()) {
			has = true
		}
	}
	return has, nil
}

// attempt is the login of one connection.
type attempt struct {
	server    *Server
	conn      *connection
	user      string // the name that was tried last
	wrongKeys int
}

var errDenied = errors.New("permission denied")

type loginKey struct{}

// permit lets a client in.
func permit(l Login) (*gossh.Permissions, error) {
	return &gossh.Permissions{ExtraData: map[any]any{loginKey{}: &l}}, nil
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
	if meta.User() == Operations || !session.IsUserName(meta.User()) {
		return nil, errDenied
	}
	return permit(Login{User: meta.User(), Address: meta.RemoteAddr().String()})
}

// acceptKey lets a user in with a public key.
func (a *attempt) acceptKey(meta gossh.ConnMetadata, key gossh.PublicKey) (*gossh.Permissions, error) {
	a.user = meta.User()
	has, err := a.server.hasKey(a.user, key)
	if !has || err != nil {
		a.wrongKeys++
		return nil, errDenied
	}
	return permit(Login{User: meta.User(), Address: meta.RemoteAddr().String()})
}

// acceptCode lets a guest in with an invitation code, and operations with an operations
// key. After wrong codes every answer is delayed, right ones too, but a right code is
// never refused.
func (a *attempt) acceptCode(meta gossh.ConnMetadata, code string) (*gossh.Permissions, error) {
	user := meta.User()
	a.user = user
	a.waitAfterWrongCodes(user)
	l := Login{User: user, Address: meta.RemoteAddr().String()}
	isRight := session.IsUserName(user)
	switch {
	case !isRight:
	case user == Operations:
		isRight = a.server.IsOpsKey(a.conn.ctx, code)
		l.Key = code
	default:
		isRight = a.server.IsCodeOf(user, code)
	}
	if !isRight {
		a.server.connections.countWrongCode(a.conn)
		a.server.wrongCodes.count(user, time.Now())
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
// are only so many lines; the next line has the number of those left out.
type failedLogins struct {
	log     *slog.Logger
	limit   *rate.Limiter
	skipped atomic.Int64
}

// maxLoggedName is how many bytes of a user name the log has: a stranger sends it.
const maxLoggedName = 64

func (f *failedLogins) add(user string, remote net.Addr, wrongCodes, wrongKeys int) {
	if !f.limit.Allow() {
		f.skipped.Add(1)
		return
	}
	name := strings.ToValidUTF8(user[:min(len(user), maxLoggedName)], "�")
	attrs := []slog.Attr{
		slog.String("user", name), slog.String("remote", remote.String()),
		slog.Int("wrong_codes", wrongCodes), slog.Int("wrong_keys", wrongKeys),
	}
	if n := f.skipped.Swap(0); n > 0 {
		attrs = append(attrs, slog.Int64("not_logged", n))
	}
	f.log.LogAttrs(context.Background(), slog.LevelWarn, "login failed", attrs...)
}
