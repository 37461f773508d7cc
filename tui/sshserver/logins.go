package sshserver

import (
	"context"
	"fmt"
	"net"
	"os"
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

// hasKey reports whether a user has a key. The file is read anew for each login: keys come and go.
func (l *Options) hasKey(of string, key ssh.PublicKey) (has bool, err error) {
	if l.Keys == "" {
		return false, nil
	}
	text, err := os.ReadFile(l.Keys)
	if err != nil {
		return false, fmt.Errorf("public keys: %w", err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		known, comment, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
		user, _, _ := strings.Cut(comment, "@")
		if err != nil || !session.IsUserName(user) {
			return false, fmt.Errorf(
				"%s:%d: not a public key with the name of its user behind it",
				l.Keys,
				i+1,
			)
		}
		has = has || user == of && ssh.KeysEqual(known, key)
	}
	return has, nil
}

// maxTries is how many codes may come from an address in a minute.
const maxTries = 120

// mayTry reports whether somebody may try a code.
func (s *Server) mayTry(ctx ssh.Context) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.since) >= time.Minute {
		s.tries, s.since = map[string]int{}, now
	}
	host := hostOf(ctx.RemoteAddr())
	s.tries[host]++
	return session.IsUserName(ctx.User()) && s.tries[host] <= maxTries
}

func hostOf(addr net.Addr) string {
	return addr.(*net.TCPAddr).IP.String()
}

// takesKey reports whether a public key opens what a user asks for.
func (s *Server) takesKey(ctx ssh.Context, key ssh.PublicKey) bool {
	has, err := s.hasKey(ctx.User(), key)
	return has && err == nil
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
	switch user := ctx.User(); {
	case !s.mayTry(ctx), user == Operations && !s.IsOpsKey(ctx, code):
		return false
	case user != Operations:
		return s.IsCodeOf(user, code)
	}
	ctx.SetValue(opsKey{}, code)
	return true
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
		NoClientAuthCallback: func(c gossh.ConnMetadata) (_ *gossh.Permissions, err error) {
			if c.User() == Operations || !session.IsUserName(c.User()) {
				err = ssh.ErrPermissionDenied
			}
			return nil, err
		},
	}
}
