package sshserver

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"charm.land/ssh"
	gossh "golang.org/x/crypto/ssh"

	"flightdesk/tui/app/session"
)

// Names that mean more than an account.
const (
	Operations = "operations" // the service side; opened with the operations key
	Viewer     = "viewer"     // reads, and changes nothing
)

// Logins says who may log in.
type Logins struct {
	Keys   string // file of public keys, each with the name of its user as the comment; "" for none
	OpsKey string // opens operations; the codes of invitations are made from it
	// IsOpsKey reports whether another key opens operations, as an operator's own does.
	IsOpsKey func(ctx context.Context, key string) bool
	Open     bool // everybody else needs nothing
}

// publicKeys reads the file of public keys, anew for each login: keys come and go.
func (l *Logins) publicKeys() (of map[string][]ssh.PublicKey, err error) {
	text, err := os.ReadFile(l.Keys)
	if err != nil {
		return nil, fmt.Errorf("public keys: %w", err)
	}
	of = map[string][]ssh.PublicKey{}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		key, comment, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
		user, _, _ := strings.Cut(comment, "@")
		if err != nil || !session.IsUserName(user) {
			return nil, fmt.Errorf(
				"%s:%d: not a public key with the name of its user behind it",
				l.Keys,
				number,
			)
		}
		of[user] = append(of[user], key)
	}
	return of, nil
}

// Check returns an error where nobody could log in, or the file of keys has a fault.
func (l *Logins) Check() error {
	if l.Keys == "" {
		return nil
	}
	_, err := l.publicKeys()
	return err
}

// loginDesk decides on logins.
type loginDesk struct {
	Logins
	invitations func() (session.Invitations, error)

	mu    sync.Mutex
	wrong map[string]int // tries of an address that failed since
	since time.Time
}

// maxWrong is how many tries of an address may fail in a minute.
const maxWrong = 60

func newLoginDesk(l Logins) *loginDesk {
	made := sync.OnceValues(func() (session.Invitations, error) { return session.NewInvitations(l.OpsKey) })
	return &loginDesk{Logins: l, invitations: made, wrong: map[string]int{}}
}

// mayTry reports whether an address may try to log in; failed notes that it did in vain.
func (d *loginDesk) mayTry(from net.Addr, failed int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := time.Now(); now.Sub(d.since) >= time.Minute {
		d.wrong, d.since = map[string]int{}, now
	}
	host := hostOf(from)
	if failed > 0 {
		d.wrong[host] += failed
	}
	return d.wrong[host] < maxWrong
}

func hostOf(addr net.Addr) string {
	host, _, err := net.SplitHostPort(addr.String())
	if err != nil {
		return addr.String()
	}
	return host
}

// takesKey reports whether a public key opens what a user asks for.
func (d *loginDesk) takesKey(ctx ssh.Context, key ssh.PublicKey) bool {
	if d.Keys == "" || !session.IsUserName(ctx.User()) || !d.mayTry(ctx.RemoteAddr(), 0) {
		return false
	}
	of, err := d.publicKeys()
	if err != nil {
		return false
	}
	for _, known := range of[ctx.User()] {
		if ssh.KeysEqual(known, key) {
			return true
		}
	}
	return false
}

type opsKey struct{}

// OpsKeyOf returns the operations key that the user of a session has logged in with, ""
// where it was a public key.
func OpsKeyOf(ctx context.Context) string {
	key, _ := ctx.Value(opsKey{}).(string)
	return key
}

// takesCode reports whether a code or the operations key opens what a user asks for.
func (d *loginDesk) takesCode(ctx ssh.Context, code string) bool {
	if !session.IsUserName(ctx.User()) || !d.mayTry(ctx.RemoteAddr(), 0) {
		return false
	}
	good := false
	if ctx.User() == Operations {
		if good = d.IsOpsKey(ctx, code); good {
			ctx.SetValue(opsKey{}, code)
		}
	} else if made, err := d.invitations(); err == nil && d.OpsKey != "" {
		good = made.IsCodeOf(ctx.User(), code)
	}
	if !good {
		d.mayTry(ctx.RemoteAddr(), 1)
	}
	return good
}

// asksForCode asks for what takesCode takes.
func (d *loginDesk) asksForCode(ctx ssh.Context, ask gossh.KeyboardInteractiveChallenge) bool {
	what := "Invitation code: "
	if ctx.User() == Operations {
		what = "Operations key: "
	}
	answers, err := ask("", "", []string{what}, []bool{false})
	return err == nil && len(answers) == 1 && d.takesCode(ctx, strings.TrimSpace(answers[0]))
}

// serverConfig lets everybody in without more where logins are open.
func (d *loginDesk) serverConfig(ssh.Context) *gossh.ServerConfig {
	return &gossh.ServerConfig{
		MaxAuthTries: 6, NoClientAuth: d.Open,
		NoClientAuthCallback: func(c gossh.ConnMetadata) (*gossh.Permissions, error) {
			if c.User() == Operations || !session.IsUserName(c.User()) {
				return nil, ssh.ErrPermissionDenied
			}
			return &gossh.Permissions{}, nil
		},
	}
}
