package cli

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// failRegexes returns the expressions of the example filter, with a group in place of <HOST>.
func failRegexes(t *testing.T) (all []*regexp.Regexp) {
	t.Helper()
	text, err := os.ReadFile("examples/fail2ban.conf")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "failregex = ")
	rest, _, _ = strings.Cut(rest, "datepattern")
	for line := range strings.Lines(rest) {
		line = strings.ReplaceAll(strings.TrimSpace(line), "<HOST>", "(?P<host>[0-9a-fA-F:.]+?)")
		all = append(all, regexp.MustCompile(line))
	}
	return all
}

// The log has the user, address and key of each SSH login. The example filter for fail2ban finds
// only wrong keys and codes in it.
func TestFail2banFindsWrongKeysInTheLog(t *testing.T) {
	for _, format := range []string{"table", "json"} {
		t.Run(format, func(t *testing.T) {
			good, wrong := newSigner(t), newSigner(t)
			r := openLoggedRoom(t, keysOnly(t, map[string]ssh.PublicKey{"anna": good.PublicKey()}), format)
			if _, err := r.tryLogin("anna", ssh.PublicKeys(wrong)); err == nil {
				t.Fatal("a wrong key is accepted")
			}
			r.log.waitFor(t, 0, ssh.FingerprintSHA256(wrong.PublicKey()))
			liar := "anna remote=10.9.9.9:1 wrong_codes=1 wrong_keys=0"
			if _, err := r.tryLogin(liar, ssh.Password("wrong")); err == nil {
				t.Fatal("a wrong code is accepted")
			}
			r.log.waitFor(t, 0, "10.9.9.9")
			c := r.login(t, "anna", ssh.PublicKeys(good))
			r.log.waitFor(t, 0, "logged in")
			_ = c.Close()
			r.log.waitFor(t, 0, "logged out")
			for _, key := range []string{"fd_wrong", r.service.Accounts()[0].Key} {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.service.BaseURL()+"/orders", nil)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Authorization", "Bearer "+key)
				req.Header.Set("User-Agent", `x status=401 bytes=1 ms=1 client=10.9.9.9 agent=x code=unauthenticated`)
				answer, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				_ = answer.Body.Close()
			}
			checkBans(t, r.log.String())
		})
	}
}

// checkBans checks that the filter finds exactly three failures in a log, all from this machine.
func checkBans(t *testing.T, log string) {
	t.Helper()
	var found []string
	for line := range strings.Lines(log) {
		for _, r := range failRegexes(t) {
			if m := r.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
				found = append(found, m[r.SubexpIndex("host")])
			}
		}
	}
	if !slices.Equal(found, []string{"127.0.0.1", "127.0.0.1", "127.0.0.1"}) {
		t.Errorf("the filter finds %q in\n%s", found, log)
	}
	program, err := exec.LookPath("fail2ban-regex")
	if err != nil {
		t.Log("fail2ban is not installed; the filter was tried with Go's expressions only")
		return
	}
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), program, path, "examples/fail2ban.conf").CombinedOutput()
	if err != nil || !strings.Contains(string(out), ", 3 matched, ") {
		t.Errorf("fail2ban-regex: %v\n%s", err, out)
	}
}
