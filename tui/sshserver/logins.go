package sshserver

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
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

// publicKeys returns the keys of a user, read anew for each login: they come and go.
func (l *Options) publicKeys(of string) (keys []ssh.PublicKey, err error) {
	if l.Keys == "" {
		return nil, nil
	}
	text, err := os.ReadFile(l.Keys)
	if err != nil {
		return nil, fmt.Errorf("public keys: %w", err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		key, comment, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
		user, _, _ := strings.Cut(comment, "@")
		if err != nil || !session.IsUserName(user) {
			return nil, fmt.Errorf("%s:%d: not a public key with the name of its user behind it", l.Keys, i+1)
		}
		if user == of {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// maxWrong is how many tries of an address may fail in a minute.
const maxWrong = 60

// mayTry reports whether somebody may try to log in, after more tries that failed.
func (s *Server) mayTry(ctx ssh.Context, failed int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.since) >= time.Minute {
		s.wrong, s.since = map[string]int{}, now
	}
	host := hostOf(ctx.RemoteAddr())
	s.wrong[host] += failed
	return session.IsUserName(ctx.User()) && s.wrong[host] < maxWrong
}

func hostOf(addr net.Addr) string {
	return addr.(*net.TCPAddr).IP.String()
}

// takesKey reports whether a public key opens what a user asks for.
func (s *Server) takesKey(ctx ssh.Context, key ssh.PublicKey) bool {
	keys, err := s.publicKeys(ctx.User())
	return err == nil &&
		slices.ContainsFunc(keys, func(known ssh.PublicKey) bool { return ssh.KeysEqual(known, key) })
}

type opsKey struct{}

// OpsKeyOf returns the operations key that the user of a session has logged in with, ""
// where it was a public key.
func OpsKeyOf(ctx context.Context) string {
	key, _ := ctx.Value(opsKey{}).(string)
	return key
}

// takesCode reports whether a code or the operations key opens what a user asks for.
func (s *Server) takesCode(ctx ssh.Context, code string) bool {
	if !s.mayTry(ctx, 0) {
		return false
	}
	var good bool
	if ctx.User() == Operations {
		if good = s.IsOpsKey(ctx, code); good {
			ctx.SetValue(opsKey{}, code)
		}
	} else {
		good = s.OpsKey != "" && s.invitations.IsCodeOf(ctx.User(), code)
	}
	if !good {
		s.mayTry(ctx, 1)
	}
	return good
}

// asksForCode asks for what takesCode takes.
func (s *Server) asksForCode(ctx ssh.Context, ask gossh.KeyboardInteractiveChallenge) bool {
	what := "Invitation code: "
	if ctx.User() == Operations {
		what = "Operations key: "
	}
	answers, err := ask("", "", []string{what}, []bool{false})
	return err == nil && len(answers) == 1 && s.takesCode(ctx, strings.TrimSpace(answers[0]))
}

// serverConfig lets everybody in without more where logins are open.
func (s *Server) serverConfig(ssh.Context) *gossh.ServerConfig {
	return &gossh.ServerConfig{
		NoClientAuth: s.IsOpen,
		NoClientAuthCallback: func(c gossh.ConnMetadata) (*gossh.Permissions, error) {
			if c.User() == Operations || !session.IsUserName(c.User()) {
				return nil, ssh.ErrPermissionDenied
			}
			return &gossh.Permissions{}, nil
		},
	}
}
