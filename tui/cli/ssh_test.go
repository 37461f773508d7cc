package cli

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/tui/app/session"
)

// lockedText is a log that can be read while it is written.
type lockedText struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // has an element when there is new text
}

func newLockedText() *lockedText { return &lockedText{more: make(chan struct{}, 1)} }

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	select {
	case l.more <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// waitFor waits until the text behind a position contains a text, and returns the length of all
// text.
func (l *lockedText) waitFor(t testing.TB, from int, want string) int {
	t.Helper()
	late := time.After(patience)
	for {
		if all := l.String(); strings.Contains(ansi.Strip(all[from:]), want) {
			return len(all)
		}
		select {
		case <-l.more:
		case <-late:
			t.Fatalf("no %q in %q", want, ansi.Strip(l.String()[from:]))
		}
	}
}

// trainingRoom is a running service with its room.
type trainingRoom struct {
	*TrainingRoom
	service *server.Server
	log     *lockedText
	state   string
}

func openRoom(t testing.TB, change func(*SSH)) *trainingRoom {
	t.Helper()
	return openLoggedRoom(t, change, "table")
}

// openLoggedRoom opens a room whose log has the format of an --output.
func openLoggedRoom(t testing.TB, change func(*SSH), format string) *trainingRoom {
	t.Helper()
	r := &trainingRoom{log: newLockedText(), state: t.TempDir()}
	r.service = &server.Server{Demo: true, OpsKey: "fd_ops_SECRET", Log: newLogger(r.log, format)}
	if _, err := r.service.Bind(t.Context(), "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	lasting := context.WithoutCancel(t.Context())
	if err := errors.Join(r.service.Start(lasting), r.service.Serve(lasting)); err != nil {
		t.Fatal(err)
	}
	f := &SSH{State: r.state, Addr: "127.0.0.1:0", accounts: &choice[string]{}}
	if change != nil {
		change(f)
	}
	var err error
	if r.TrainingRoom, err = f.Open(lasting, r.service); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(r.Close(), r.service.Close()); err != nil {
			t.Error(err)
		}
	})
	return r
}

// keysOnly returns a change of the flags that allows only logins with codes and with these public
// keys.
func keysOnly(t testing.TB, users map[string]ssh.PublicKey) func(*SSH) {
	t.Helper()
	var text strings.Builder
	text.WriteString("# users\n\n")
	for user, key := range users {
		fmt.Fprintf(&text, "%s %s@laptop\n", strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))), user)
	}
	path := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return func(f *SSH) { f.Keys = path }
}

// codeOf invites a user and returns the code.
func (r *trainingRoom) codeOf(t testing.TB, user string) string {
	t.Helper()
	made, err := r.operations(t).Invitations.Invite(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	return made[0].Code
}

// operations returns a client with the operations key.
func (r *trainingRoom) operations(t testing.TB) *ops.Client {
	t.Helper()
	desk, err := r.service.Ops()
	if err != nil {
		t.Fatal(err)
	}
	return desk
}

func newSigner(t testing.TB) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

func (r *trainingRoom) tryLogin(user string, auth ...ssh.AuthMethod) (*ssh.Client, error) {
	return ssh.Dial("tcp", r.Addr.String(), &ssh.ClientConfig{
		User: user, Auth: auth, HostKeyCallback: ssh.InsecureIgnoreHostKey(), Timeout: time.Minute,
	})
}

func (r *trainingRoom) login(t testing.TB, user string, auth ...ssh.AuthMethod) *ssh.Client {
	t.Helper()
	c, err := r.tryLogin(user, auth...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// screen is the app in the terminal of an SSH client.
type screen struct {
	*ssh.Session
	*lockedText
	keys  io.Writer
	seen  int
	timed int // number of keys that timeKey has typed
}

func openApp(t testing.TB, c *ssh.Client, term string, environ ...string) *screen {
	t.Helper()
	sess, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{Session: sess, lockedText: newLockedText()}
	sess.Stdout, sess.Stderr = s, s
	if s.keys, err = sess.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		_ = sess.Setenv(name, value)
	}
	if term != "" {
		err := sess.RequestPty(term, 24, 80, nil)
		if (err == nil) != strings.HasPrefix(term, "xterm") { // other terminals have no screen
			t.Fatalf("a terminal %q: %v", term, err)
		}
	}
	if err := sess.Shell(); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *screen) typeKeys(t testing.TB, keys string) {
	t.Helper()
	if _, err := io.WriteString(s.keys, keys); err != nil {
		t.Fatal(err)
	}
}

// timeKey moves the cursor of a list down or up, in turn, and returns how long the response takes. If nothing is
// drawn for a second, it types the next key: the app draws nothing for two keys that arrive together, because they
// leave the cursor where it was.
func (s *screen) timeKey() (time.Duration, error) {
	for len(s.more) > 0 {
		<-s.more
	}
	began := time.Now()
	for range 10 {
		key := []string{"j", "k"}[s.timed%2]
		s.timed++
		if _, err := io.WriteString(s.keys, key); err != nil {
			return 0, fmt.Errorf("a session has ended: %w", err)
		}
		select {
		case <-s.more:
			return time.Since(began), nil
		case <-time.After(time.Second):
		}
	}
	return 0, errors.New("no key is answered")
}

// medianKey types a key, and further keys as long as goesOn returns true for the number of typed keys. It returns the
// median of the times of timeKey.
func (s *screen) medianKey(t *testing.T, goesOn func(keys int) bool) time.Duration {
	t.Helper()
	var all []time.Duration
	for len(all) == 0 || goesOn(len(all)) {
		took, err := s.timeKey()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, took)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func (s *screen) shows(t testing.TB, want string) {
	t.Helper()
	s.seen = s.waitFor(t, s.seen, want)
}

// openOperations opens the app with a key of the operations API, on the page Operations.
func (r *trainingRoom) openOperations(t testing.TB, key string) *screen {
	t.Helper()
	s := openApp(t, r.login(t, "operations", ssh.Password(key)), "xterm-256color")
	s.typeKeys(t, "9")
	s.shows(t, "Key requests")
	return s
}

// waitForVisits waits until a number of users have the app open.
func (r *trainingRoom) waitForVisits(t testing.TB, want int) []session.Visit {
	t.Helper()
	late := time.After(patience)
	for {
		all := r.Visits()
		if len(all) == want {
			return all
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-late:
			t.Fatalf("%d have the app open, want %d: %+v", len(all), want, all)
		}
	}
}

func TestTheAppIsShownOverSSH(t *testing.T) {
	r := openRoom(t, nil)
	s := openApp(t, r.login(t, "user1"), "xterm-256color", "LANG=C.UTF-8")
	s.shows(t, "Needs a decision")
	s.typeKeys(t, "2")
	s.shows(t, "Due")
	if err := s.WindowChange(40, 140); err != nil {
		t.Fatal(err)
	}
	s.shows(t, "Operator assigned") // in the detail beside the list, or in a wider column
	if all := r.waitForVisits(t, 1); all[0].User != "user1" || all[0].Place != "Orders" || all[0].From != "127.0.0.1" {
		t.Errorf("%+v", all)
	}
	s.typeKeys(t, "q")
	if err := s.Wait(); err != nil {
		t.Errorf("the session ended with %v", err)
	}
	r.waitForVisits(t, 0)
	if strings.Contains(r.log.String(), "msg=change") {
		t.Errorf("what was only read is logged as a change:\n%s", r.log)
	}
	if key := r.hostKey(t); key.Mode().Perm() != 0o600 {
		t.Errorf("the host key has mode %v", key.Mode())
	}
}

func (r *trainingRoom) hostKey(t testing.TB) fs.FileInfo {
	t.Helper()
	info, err := os.Stat(filepath.Join(r.state, "ssh", "host_ed25519"))
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func TestOnlyInvitedUsersCanLogIn(t *testing.T) {
	anna, other := newSigner(t), newSigner(t)
	r := openRoom(t, keysOnly(t, map[string]ssh.PublicKey{"anna": anna.PublicKey()}))
	code := r.codeOf(t, "user1")
	asked := ssh.KeyboardInteractive(func(_, _ string, questions []string, _ []bool) ([]string, error) {
		return []string{strings.ToLower(code)}[:len(questions)], nil
	})
	for _, c := range []struct {
		user string
		auth ssh.AuthMethod
		good bool
	}{
		{"anna", ssh.PublicKeys(anna), true},
		{"anna", ssh.PublicKeys(other), false},
		{"bert", ssh.PublicKeys(anna), false},
		{"operations", ssh.PublicKeys(anna), false},
		{"user1", ssh.Password(code), true},
		{"user1", asked, true},
		{"user2", ssh.Password(code), false},
		{"user1", ssh.Password(""), false},
		{"user1", ssh.Password(r.service.OpsKey), false},
		{"operations", ssh.Password(code), false},
		{"operations", ssh.Password(r.codeOf(t, "operations")), false},
		{"operations", ssh.Password(""), false},
		{"operations", ssh.Password(r.service.OpsKey), true},
		{"../user1", ssh.Password(code), false},
		{"user1/..", ssh.Password(code), false},
		{"..", ssh.Password(code), false},
		{".ssh", ssh.Password(code), false},
		{"", ssh.Password(code), false},
		{"User1", ssh.Password(code), false},
		{"a\x1b[2J", ssh.Password(code), false},
		{strings.Repeat("a", 33), ssh.Password(code), false},
	} {
		client, err := r.tryLogin(c.user, c.auth)
		if (err == nil) != c.good {
			t.Errorf("%q: %v", c.user, err)
		}
		if client != nil {
			_ = client.Close()
		}
	}
	if _, err := r.tryLogin("user1"); err == nil {
		t.Error("somebody needs neither key nor code")
	}
	if text := r.log.String(); strings.Contains(text, r.service.OpsKey) || strings.Contains(text, code) {
		t.Error("the log has a secret")
	}
}

// On a loopback address users can log in without a code, except for operations.
func TestOperationsAlwaysNeedsAKeyToLogIn(t *testing.T) {
	r := openRoom(t, nil)
	for _, user := range []string{"operations", "../x", "", "Root"} {
		if _, err := r.tryLogin(user); err == nil {
			t.Errorf("%q logs in without a key", user)
		}
	}
	r.openOperations(t, r.service.OpsKey)
	v := openApp(t, r.login(t, "viewer"), "xterm-256color")
	v.shows(t, "READ-ONLY")
}

// Two users have separate accounts. Two sessions of one user are notified of each other.
func TestSeveralUsersShareAService(t *testing.T) {
	r := openRoom(t, nil)
	one := openApp(t, r.login(t, "user1"), "xterm-256color")
	one.shows(t, "Needs a decision")
	two := openApp(t, r.login(t, "user2"), "xterm-256color")
	two.shows(t, "Needs a decision")
	all := r.waitForVisits(t, 2)
	if all[0].Account != "user1" || all[1].Account != "user2" {
		t.Errorf("%+v", all)
	}
	again := openApp(t, r.login(t, "user1"), "xterm-256color")
	one.shows(t, "user1 also works on this account")
	again.shows(t, "user1 also works on this account")
	if err := r.View(r.operations(t), server.Peer{}, r.service.OpsKey).Restart(t.Context(), "viewer"); err == nil {
		t.Error("a shared account is reset")
	}
	r.Tell(0, "Lunch at noon")
	one.shows(t, "Lunch at noon")
	two.shows(t, "Lunch at noon")
	r.Tell(all[1].Number, "Only for \x1b]52;c;eA==\x07you")
	two.shows(t, "Only for")
	if strings.Contains(two.String(), "\x1b]52") {
		t.Error("a note reaches the clipboard")
	}
}

// A client that disconnects leaves no session, with or without a message.
func TestADeadConnectionLeavesNoSession(t *testing.T) {
	r := openRoom(t, nil)
	closed := r.login(t, "user1")
	openApp(t, closed, "xterm-256color").shows(t, "Needs a decision")
	half := r.login(t, "user2")
	sess := openApp(t, half, "xterm-256color")
	sess.shows(t, "Needs a decision")
	r.waitForVisits(t, 2)
	if err := errors.Join(closed.Close(), sess.Close()); err != nil {
		t.Error(err)
	}
	r.waitForVisits(t, 0)
}

// A client can neither run programs on this machine nor forward connections, and nothing in its
// environment makes the service run programs.
func TestAClientReachesNothingOfTheHost(t *testing.T) {
	r := openRoom(t, nil)
	c := r.login(t, "user1")
	for _, command := range []string{"id", "sh", "scp", "scp -t", "rsync --server", "cat /etc/passwd", "'", "scp -t .", "scp -f sites.csv"} {
		sess, err := c.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		if out, err := sess.CombinedOutput(command); err == nil || strings.Contains(string(out), "root:") {
			t.Errorf("%s: %s", command, out)
		}
	}
	if _, err := c.Dial("tcp", r.service.BaseURL()[len("http://"):][:15]); err == nil {
		t.Error("a port is forwarded")
	}
	if _, err := c.Listen("tcp", "127.0.0.1:0"); err == nil {
		t.Error("a port is listened on")
	}
	sess, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	for request, payload := range map[string]any{
		"auth-agent-req@openssh.com": struct{ A string }{}, "x11-req": struct{ A string }{"x"}, "break": struct{ N uint32 }{1}, "signal": struct{ S string }{"KILL"},
	} {
		if ok, _ := sess.SendRequest(request, true, ssh.Marshal(payload)); ok {
			t.Errorf("%s is granted", request)
		}
	}
	if err := sess.RequestSubsystem("shell"); err == nil {
		t.Error("another subsystem is there")
	}
}

// A guest can only reach the files in two folders, also in the app.
func TestTheAppOpensNoFilesOfTheHost(t *testing.T) {
	r := openRoom(t, nil)
	secret := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(secret, []byte("name,lat,lon\nSecretPlace,52.1,13.2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openApp(t, r.login(t, "user1"), "xterm-256color")
	s.shows(t, "Needs a decision")
	s.typeKeys(t, "n")
	s.shows(t, "sample files")
	s.typeKeys(t, "\x1b[200~"+secret+"\x1b[201~")
	s.shows(t, "outside your folder")
	s.typeKeys(t, "\r")
	s.typeKeys(t, "\x1a") // ctrl+z would stop the whole service
	if strings.Contains(s.String(), "SecretPlace") {
		t.Error("a file of the host is read")
	}
}

// openMissingFile opens a file that does not exist, while another file is being read.
func openMissingFile(t *testing.T, s *screen, path string) {
	t.Helper()
	const missing = "no such file"
	for late := time.Now().Add(patience); !strings.Contains(s.String(), missing); {
		if time.Now().After(late) {
			t.Fatalf("no %q on the screen", missing)
		}
		s.typeKeys(t, "\x15\x1b[200~"+path+"\x1b[201~\r")
		for soon := time.Now().Add(2 * time.Second); !strings.Contains(s.String(), missing) && time.Now().Before(soon); {
			<-time.After(5 * time.Millisecond)
		}
	}
}

// Errors and the file picker show no path of the host.
func TestNoPathOfTheHostIsShown(t *testing.T) {
	t.Parallel()
	r := openRoom(t, nil)
	users := filepath.Join(r.temp.Path, "users")
	for _, term := range []string{"xterm-256color", ""} {
		s := openApp(t, r.login(t, "user1"), term)
		if term == "" {
			s.shows(t, "Home")
			s.typeKeys(t, "new order\n")
			s.shows(t, "Files")
			s.typeKeys(t, "sites.kml\n")
			s.shows(t, "no such file")
		} else {
			s.shows(t, "Needs a decision")
			s.typeKeys(t, "n")
			s.shows(t, "sample files")
			for _, path := range []string{"../account.json", filepath.Join(users, "user2", "account.json")} {
				s.typeKeys(t, "\x1b[200~"+path+"\x1b[201~\r")
			}
			openMissingFile(t, s, filepath.Join(users, "user1", "files", "gone.kml"))
		}
		if shown := ansi.Strip(s.String()); strings.Contains(shown, r.temp.Path) {
			at := strings.Index(shown, r.temp.Path)
			t.Errorf("a path of the host is shown: %q", shown[max(0, at-200):at+200])
		}
		if strings.Contains(s.String(), "file://") {
			t.Error("a link names a file of the host")
		}
	}
}

// A session and the sessions of others continue whatever bytes arrive as keys.
func TestHostileKeysDisturbNoSession(t *testing.T) {
	r := openRoom(t, nil)
	calm := openApp(t, r.login(t, "user2"), "xterm-256color")
	calm.shows(t, "Needs a decision")
	s := openApp(t, r.login(t, "user1"), "xterm-256color")
	s.shows(t, "Needs a decision")
	noise := make([]byte, 4096)
	_, _ = rand.Read(noise)
	api.Go(func() error {
		for _, keys := range []string{
			"\x1b[200~", string(noise), "\x1b[201~", "\x1bP" + strings.Repeat("x", 5000), "\x1b\\", "\x1b]52;c;!!!\x07", "\x1b[<0;99999;99999M",
			"\x1b[8;1;1t", "\x1b[?2027;1$y", strings.Repeat("\x1b[A", 200), "\x1b[999999999999999;1R", "\xff\xfe\x00",
		} {
			if _, err := io.WriteString(s.keys, keys); err != nil {
				return err
			}
		}
		return nil
	})
	for _, size := range [][2]int{{0, 0}, {1, 1}, {1 << 30, 1 << 30}, {24, 80}} {
		_ = s.WindowChange(size[0], size[1])
	}
	calm.typeKeys(t, "2")
	calm.shows(t, "Due")
	_ = s.Close()
	r.waitForVisits(t, 1)
}

func TestTerminalsWithoutAScreenGetLinesOfText(t *testing.T) {
	r := openRoom(t, nil)
	for term, keys := range map[string]string{"": "orders\nquit\n", "dumb": "orders\nquit\n", "../../etc/passwd": "orders\nquit\n"} {
		s := openApp(t, r.login(t, "user1"), term)
		s.shows(t, "== Home")
		s.typeKeys(t, keys)
		s.shows(t, "== Orders")
		if err := s.Wait(); err != nil {
			t.Errorf("%q: %v", term, err)
		}
	}
}

// Each session uses the time zone and the character set of its terminal.
func TestEachSessionUsesTheSettingsOfItsTerminal(t *testing.T) {
	r := openRoom(t, nil)
	one := openApp(t, r.login(t, "user1"), "xterm-256color", "TZ=Asia/Tokyo", "LANG=en_US.UTF-8", "TMUX=/tmp/x", "NO_COLOR=1", "TTY_FORCE=1")
	one.shows(t, "+09")
	if strings.Contains(one.String(), "\x1b[38;5") || strings.Contains(one.String(), "\x1b[38;2") {
		t.Error("NO_COLOR is ignored")
	}
	two := openApp(t, r.login(t, "user2"), "xterm", "TZ=../../etc/passwd", "LANG=C")
	two.shows(t, "Needs a decision")
	if strings.Contains(two.String(), "▸") || strings.Contains(two.String(), "\x1b[38;2") {
		t.Error("a terminal of bytes and sixteen colours gets more than it shows")
	}
}

// Two people can use different units at the same time, each the units of their last session.
func TestEachSessionHasItsUnits(t *testing.T) {
	r := openRoom(t, nil)
	open := func(user string) *screen {
		s := openApp(t, r.login(t, user), "xterm-256color")
		if err := s.WindowChange(40, 140); err != nil { // wide enough for areas
			t.Fatal(err)
		}
		s.shows(t, "Needs a decision")
		return s
	}
	one, two := open("user1"), open("user2")
	for _, next := range []string{"hectares", "km²", "acres"} {
		one.typeKeys(t, "U")
		one.shows(t, next)
	}
	two.typeKeys(t, "U")
	two.shows(t, "hectares")
	for _, s := range []*screen{one, two} {
		s.typeKeys(t, "2")
	}
	one.shows(t, "Area acres")
	two.shows(t, "Area ha")
	one.typeKeys(t, "q")
	if err := one.Wait(); err != nil {
		t.Fatal(err)
	}
	again := open("user1")
	again.typeKeys(t, "2")
	again.shows(t, "Area acres")
}

// The server ends connections that never log in, and logins that open no session. Others can still
// log in.
func TestConnectionsThatNeverLogInAreEnded(t *testing.T) {
	t.Parallel()
	r := openRoom(t, func(f *SSH) { f.Patience = guestsPatience })
	const many = 200
	cut := make(chan struct{}, many+1)
	for range many {
		conn, err := net.Dial("tcp", r.Addr.String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		api.Go(func() error {
			_, _ = io.Copy(io.Discard, conn)
			cut <- struct{}{}
			return nil
		})
	}
	lazy := r.login(t, "user2")
	api.Go(func() error {
		_ = lazy.Wait()
		cut <- struct{}{}
		return nil
	})
	s := openApp(t, r.login(t, "user1"), "xterm-256color")
	s.shows(t, "Needs a decision")
	late := time.After(patience)
	for i := range many + 1 {
		select {
		case <-cut:
		case <-late:
			t.Fatalf("%d connections were cut, want %d", i, many+1)
		}
	}
	s.typeKeys(t, "2")
	s.shows(t, "Due")
}

// deafConn is a connection whose client stops reading.
type deafConn struct {
	net.Conn
	deaf chan struct{} // closed when the client stops reading
}

// Read reads until the client stops reading.
func (c *deafConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	select {
	case <-c.deaf:
		select {}
	default:
		return n, err
	}
}

// A client that hangs is disconnected, whether it does not read its connection or only its session.
// Neither that client nor one that floods the server slows others down.
func TestAClientThatHangsIsDisconnected(t *testing.T) {
	t.Parallel()
	r := openRoom(t, func(f *SSH) { f.Patience = guestsPatience })
	other := openApp(t, r.login(t, "user1"), "xterm-256color")
	other.shows(t, "Needs a decision")
	other.typeKeys(t, "2")
	other.shows(t, "Holtriem")
	quiet := other.medianKey(t, func(keys int) bool { return keys < 20 })
	conn, err := net.Dial("tcp", r.Addr.String())
	if err != nil {
		t.Fatal(err)
	}
	deaf := &deafConn{conn, make(chan struct{})}
	config := &ssh.ClientConfig{User: "user2", HostKeyCallback: ssh.InsecureIgnoreHostKey()}
	c, channels, requests, err := ssh.NewClientConn(deaf, r.Addr.String(), config)
	if err != nil {
		t.Fatal(err)
	}
	hung := openApp(t, ssh.NewClient(c, channels, requests), "xterm-256color")
	hung.shows(t, "Needs a decision")
	full, err := r.login(t, "user3").NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := full.StdoutPipe(); err != nil { // the output is not read
		t.Fatal(err)
	}
	if err := errors.Join(full.RequestPty("xterm-256color", 200, 500, nil), full.Shell()); err != nil {
		t.Fatal(err)
	}
	r.waitForVisits(t, 3)
	flood := openApp(t, r.login(t, "user4"), "xterm-256color")
	flood.shows(t, "Needs a decision")
	api.Go(func() error {
		for {
			if _, err := io.WriteString(flood.keys, strings.Repeat("jk", 2000)); err != nil {
				return err
			}
		}
	})
	close(deaf.deaf)
	api.Go(func() error {
		for n := 0; ; n++ { // the app draws a full screen for each size
			if err := full.WindowChange(200-n%2, 500); err != nil {
				return err
			}
		}
	})
	late := time.Now().Add(patience)
	beside := other.medianKey(t, func(int) bool {
		if time.Now().After(late) {
			t.Fatalf("still here: %+v", r.Visits())
		}
		return len(r.Visits()) > 2
	})
	// If other programs use the processors, keys take long without the two clients, too.
	if allowed := max(500*time.Millisecond, guestsShare*quiet); beside > allowed {
		t.Errorf("a key of another session takes %v, without the others %v", beside, quiet)
	}
	other.typeKeys(t, "1")
	other.shows(t, "Needs a decision")
}

func TestFilesAreCopiedBySFTP(t *testing.T) {
	r := openRoom(t, nil)
	c, err := sftp.NewClient(r.login(t, "user1"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	write := func(name, text string) error {
		f, err := c.Create(name)
		if err != nil {
			return err
		}
		_, err = f.Write([]byte(text))
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(c.Mkdir("sub"), write("sub/sites.csv", "name,lat,lon\n"), c.Rename("sub/sites.csv", "sites.csv")); err != nil {
		t.Fatal(err)
	}
	f, err := c.Open("/sites.csv")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(f); err != nil || string(text) != "name,lat,lon\n" {
		t.Errorf("%q, %v", text, err)
	}
	_ = f.Close()
	for _, name := range []string{"/etc/passwd", "../../../../../../etc/passwd", "../state/drafts", "../account.json", "../../user2/files/x"} {
		if f, err := c.Open(name); err == nil {
			t.Errorf("%s is read", name)
			_ = f.Close()
		}
	}
	if err := write("../outside.csv", "x"); err != nil {
		t.Errorf("a path that leads out begins at the folder: %v", err)
	}
	if _, err := c.Stat("outside.csv"); err != nil {
		t.Error(err)
	}
	for what, err := range map[string]error{
		"a link": c.Symlink("/etc/passwd", "link"), "a hard link": c.Link("sites.csv", "hard"), "an escape code": write("a\x1b[2J.csv", ""),
	} {
		if err == nil {
			t.Errorf("%s is made", what)
		}
	}
	var held []*sftp.File
	for range 80 {
		if f, err := c.Open("sites.csv"); err == nil {
			held = append(held, f)
		}
	}
	if len(held) > 64 {
		t.Errorf("%d files are open at once", len(held))
	}
	big, err := c.Create("big")
	if err != nil {
		t.Log("no more files: ", err)
	} else if _, err := big.WriteAt([]byte("x"), 1<<40); err == nil {
		t.Error("a file of a terabyte is begun")
	}
	var outside []string
	users := filepath.Join(r.temp.Path, "users")
	if err := filepath.WalkDir(users, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(users, path)
		if err == nil && !d.IsDir() && !strings.HasPrefix(rel, filepath.Join("user1", "files")) {
			outside = append(outside, rel)
		}
		return err
	}); err != nil || len(outside) > 0 {
		t.Errorf("written beside the folder: %q, %v", outside, err)
	}
}

// The programs of OpenSSH, if they are installed, copy folders in both directions and open the app.
func TestOpenSSHWorks(t *testing.T) {
	if _, err := exec.LookPath("sftp"); err != nil {
		t.Log("without OpenSSH there is nothing to try")
		return
	}
	r := openRoom(t, nil)
	dir := t.TempDir()
	for name, text := range map[string]string{"sites.csv": "name,lat,lon\n", "more/deeper/a b.kml": "<kml/>"} {
		path := filepath.Join(dir, "out", filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	host, port, err := net.SplitHostPort(r.Addr.String())
	if err != nil {
		t.Fatal(err)
	}
	call := func(input, program string, args ...string) string {
		t.Helper()
		calm := []string{"-F", os.DevNull, "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=" + os.DevNull}
		cmd := exec.CommandContext(t.Context(), program, append(calm, args...)...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(input)
		text, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", program, err, text)
		}
		return string(text)
	}
	call("put -r out\nget -r out back\nls out\nrm out/sites.csv\n", "sftp", "-b", "-", "-P", port, "user1@"+host)
	for name, want := range map[string]string{"sites.csv": "name,lat,lon\n", "more/deeper/a b.kml": "<kml/>"} {
		if text, err := os.ReadFile(filepath.Join(dir, "back", filepath.FromSlash(name))); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if text := call("orders\nquit\n", "ssh", "-T", "-p", port, "user1@"+host); !strings.Contains(text, "== Orders") {
		t.Errorf("the app shows %q", text)
	}
}

// After a restart the service has the same host key, and users have their accounts.
func TestAnAccountIsKeptOverARestart(t *testing.T) {
	r := openRoom(t, nil)
	accounts := r.TrainingRoom
	first, err := accounts.ownAccount(t.Context(), "user1")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := (&TrainingRoom{service: r.service, Server: r.Server}).ownAccount(t.Context(), "user1"); err != nil || again.UUID != first.UUID || again.Key != first.Key {
		t.Errorf("%v, %v", again.UUID, err)
	}
	client, err := r.service.Ops()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.World.SetFaults(t.Context(), ops.FaultsInput{Status: 503}); err != nil {
		t.Fatal(err)
	}
	if again, err := accounts.ownAccount(t.Context(), "user1"); err != nil || again.UUID != first.UUID {
		t.Errorf("with faults: %v, %v", again.UUID, err)
	}
	if _, err := client.World.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again, err := accounts.ownAccount(t.Context(), "user1"); err != nil || again.UUID == first.UUID {
		t.Errorf("after a reset: %v, %v", again.UUID, err)
	}
	if fresh, err := accounts.newAccount(t.Context(), "user1"); err != nil || fresh.UUID == first.UUID {
		t.Errorf("%v, %v", fresh.UUID, err)
	}
	if info, err := os.Stat(accounts.accountFile("user1")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestFlagsOfSSHAreCheckedTogether(t *testing.T) {
	for _, c := range []struct {
		f    SSH
		demo bool
		want string
	}{
		{SSH{}, false, ""},
		{SSH{Addr: ":2222"}, true, ""},
		{SSH{Addr: ":2222", Profiles: "p"}, false, ""},
		{SSH{Addr: ":2222"}, false, "--demo or --ssh-profiles"},
		{SSH{Addr: "2222"}, true, "not a valid address"},
		{SSH{Keys: "k"}, true, "need --ssh"},
		{SSH{Addr: ":2222", Profiles: "p"}, true, "cannot be combined"},
	} {
		c.f.accounts = &choice[string]{}
		err := c.f.checkFlags(c.demo)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.f, err)
		}
	}
}

// On a real service each user works with the profile of the user's name only.
func TestUsersOfAServiceHaveTheirProfiles(t *testing.T) {
	anna, bert := newSigner(t), newSigner(t)
	keys := keysOnly(t, map[string]ssh.PublicKey{"anna": anna.PublicKey(), "bert": bert.PublicKey()})
	file := filepath.Join(t.TempDir(), "users.toml")
	r := openRoom(t, func(f *SSH) {
		keys(f)
		f.Profiles = file
	})
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("ANNA_KEY", r.service.Accounts()[0].Key)
	text := fmt.Sprintf("[profiles.%%s]\nbase_url = %q\ncredential = { env = \"ANNA_KEY\" }\ncompany = \"Anna's Surveys\"\n", r.service.BaseURL())
	if err := os.WriteFile(file, []byte(fmt.Sprintf(text, "anna")+fmt.Sprintf(text, "carl")), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openApp(t, r.login(t, "anna", ssh.PublicKeys(anna)), "xterm-256color", "LANG=C.UTF-8")
	s.shows(t, "Anna's Surveys")
	s.typeKeys(t, "\x0f")
	s.shows(t, "only one profile")
	s = openApp(t, r.login(t, "bert", ssh.PublicKeys(bert)), "xterm-256color", "LANG=C.UTF-8")
	s.shows(t, "cannot be opened")
	r.log.waitFor(t, 0, `no profile \"bert\"`)
}

// The trainer sees the users and their pages, can write to them, and can give a user a new account.
func TestTheTrainerSeesTheUsers(t *testing.T) {
	r := openRoom(t, nil)
	s := openApp(t, r.login(t, "user1"), "xterm-256color")
	s.shows(t, "Needs a decision")
	trainer := r.openOperations(t, r.service.OpsKey)
	trainer.typeKeys(t, "[") // to the last tab
	trainer.shows(t, "user1")
	s.typeKeys(t, "2")
	trainer.shows(t, "Orders")
	trainer.typeKeys(t, "a")
	trainer.shows(t, "Note to everybody")
	trainer.typeKeys(t, "Lunch at noon\r")
	s.shows(t, "Lunch at noon")
	trainer.shows(t, "Note sent to 1 participant")
	trainer.typeKeys(t, "i")
	trainer.shows(t, r.codeOf(t, "user1"))
	if strings.Contains(trainer.String(), "Note from the trainer") {
		t.Error("the trainer gets the note, too")
	}
	before := r.waitForVisits(t, 2)[0]
	if err := r.View(r.operations(t), server.Peer{}, r.service.OpsKey).Restart(t.Context(), "user1"); err != nil {
		t.Fatal(err)
	}
	s.shows(t, "connect again")
	r.waitForVisits(t, 1)
	again := openApp(t, r.login(t, "user1"), "xterm-256color")
	again.shows(t, "Needs a decision")
	if before.User != "user1" || before.Place != "Orders" {
		t.Errorf("%+v", before)
	}
}

// A scenario plays on the account of each participant.
func TestAScenarioIsPlayedForEverybody(t *testing.T) {
	r := openRoom(t, nil)
	for _, user := range []string{"user1", "user2"} {
		openApp(t, r.login(t, user), "xterm-256color").shows(t, "Needs a decision")
	}
	trainer := r.openOperations(t, r.service.OpsKey)
	trainer.typeKeys(t, "[p")
	trainer.shows(t, "quote-expiring")
	trainer.typeKeys(t, "quote")
	trainer.shows(t, "✓ quote-expiring")
	trainer.typeKeys(t, "\r")
	trainer.shows(t, "quote-expiring begins in 2 accounts")
	for _, user := range []string{"user1", "user2"} {
		account, err := r.readAccount(user)
		if err != nil {
			t.Fatal(err)
		}
		client, _, err := newLocalClients(r.service, account.Key, r.service.OpsKey, api.WithTransport(r.service.Transport()))
		if err != nil {
			t.Fatal(err)
		}
		for late := time.Now().Add(patience); ; {
			orders, err := client.Orders.List(t.Context(), api.ListOptions{Limit: 1})
			if err != nil || time.Now().After(late) {
				t.Fatal(user, "has no order of the scenario:", err)
			}
			if orders.Items[0].OrderName == "Transmission mast, inspection" {
				break
			}
		}
	}
	if _, err := r.View(r.operations(t), server.Peer{}, r.service.OpsKey).Play(t.Context(), "../../etc/passwd"); err == nil {
		t.Error("a file is played")
	}
}

// addOperator adds an operations user and returns the user and the key.
func (r *trainingRoom) addOperator(t testing.TB, name string, role ops.Role) *ops.Operator {
	t.Helper()
	o, err := r.operations(t).Operators.Add(t.Context(), ops.OperatorInput{Name: name, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// actsOf returns the entries of an operations user in the audit trail, as kind, operation and
// address.
func (r *trainingRoom) actsOf(t testing.TB, name string) (acts []string) {
	t.Helper()
	for e, err := range r.operations(t).Operators.AllAudit(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Operator == name {
			acts = append(acts, string(e.Kind)+" "+e.Operation+" "+e.Address)
		}
	}
	return acts
}

// The key of an operations user opens operations until it is revoked, which ends open sessions.
func TestOperatorsLogInWithTheirOwnKeys(t *testing.T) {
	t.Parallel()
	r := openRoom(t, nil)
	vera := r.addOperator(t, "vera", ops.RoleAdmin)
	s := r.openOperations(t, vera.Key)
	files, err := sftp.NewClient(r.login(t, "operations", ssh.Password(vera.Key)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.operations(t).Operators.Revoke(t.Context(), vera.UUID); err != nil {
		t.Fatal(err)
	}
	s.shows(t, "connect again")
	if err := files.Wait(); err == nil {
		t.Error("a transfer ends well")
	}
	if _, err := r.tryLogin("operations", ssh.Password(vera.Key)); err == nil {
		t.Error("a revoked key opens operations")
	}
	r.openOperations(t, r.service.OpsKey)
}

// A public key for operations names an operations user, whose role the session has.
func TestAPublicKeyOfOperationsNamesAPerson(t *testing.T) {
	t.Parallel()
	hers, other := newSigner(t), newSigner(t)
	line := func(key ssh.Signer, comment string) string {
		return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key.PublicKey()))) + " " + comment + "\n"
	}
	path := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(path, []byte(line(hers, "operations@vera")+line(other, "operations@laptop")), 0o600); err != nil {
		t.Fatal(err)
	}
	r := openRoom(t, func(f *SSH) { f.Keys = path })
	if _, err := r.tryLogin("operations", ssh.PublicKeys(hers)); err == nil {
		t.Error("a key opens operations for nobody")
	}
	vera := r.addOperator(t, "vera", ops.RoleAdmin)
	if _, err := r.tryLogin("operations", ssh.PublicKeys(other)); err == nil {
		t.Error("a key of a laptop opens operations")
	}
	s := openApp(t, r.login(t, "operations", ssh.PublicKeys(hers)), "xterm-256color")
	s.typeKeys(t, "9")
	s.shows(t, "Key requests")
	s.typeKeys(t, "[i")
	s.shows(t, "Invitation codes")
	if acts := r.actsOf(t, "vera"); !slices.Contains(acts, "change POST /invitations 127.0.0.1") {
		t.Errorf("the trail has %q", acts)
	}
	if _, err := r.operations(t).Operators.Revoke(t.Context(), vera.UUID); err != nil {
		t.Fatal(err)
	}
	s.shows(t, "connect again")
}

// The audit trail has who does what in the room, and from which address.
func TestChangesInTheRoomAreInTheAuditTrail(t *testing.T) {
	t.Parallel()
	r := openRoom(t, nil)
	guest := openApp(t, r.login(t, "user1"), "xterm-256color")
	guest.shows(t, "Needs a decision")
	vera := r.addOperator(t, "vera", ops.RoleAdmin)
	s := r.openOperations(t, vera.Key)
	s.typeKeys(t, "[")
	s.shows(t, "user1")
	s.typeKeys(t, "a")
	s.shows(t, "Note to everybody")
	s.typeKeys(t, "Lunch at noon\r")
	guest.shows(t, "Lunch at noon")
	s.shows(t, "Note sent to 1 participant")
	s.typeKeys(t, "p")
	s.shows(t, "quote-expiring")
	s.typeKeys(t, "quote")
	s.shows(t, "✓ quote-expiring")
	s.typeKeys(t, "\r")
	s.shows(t, "begins in 1 account")
	s.typeKeys(t, "\x1b[3~")
	s.shows(t, "new account with the initial orders")
	s.typeKeys(t, "\r")
	guest.shows(t, "connect again")
	acts := r.actsOf(t, "vera")
	for _, want := range []string{
		"change send note 127.0.0.1", "change POST /scenarios/{name}/play 127.0.0.1", "change POST /demo-accounts 127.0.0.1",
	} {
		if !slices.Contains(acts, want) {
			t.Errorf("no %s in %q", want, acts)
		}
	}
}

// A note is sent only if the audit trail has its sender and the role allows it.
func TestNotesAreRecorded(t *testing.T) {
	t.Parallel()
	r := openRoom(t, nil)
	guest := openApp(t, r.login(t, "user1"), "xterm-256color")
	guest.shows(t, "Needs a decision")
	number := r.waitForVisits(t, 1)[0].Number
	vera, reader := r.addOperator(t, "vera", ops.RoleOperate), r.addOperator(t, "reader", ops.RoleRead)
	desk := r.operations(t)
	hers := r.View(desk, server.Peer{Address: "198.51.100.7:4242"}, vera.Key)
	if reached, err := hers.Tell(t.Context(), number, "Lunch at noon"); reached != 1 || err != nil {
		t.Fatalf("%d participants got the note, %v", reached, err)
	}
	guest.shows(t, "Lunch at noon")
	if _, err := hers.Tell(t.Context(), number+1, "Hello"); err == nil || !strings.Contains(err.Error(), "no longer connected") {
		t.Errorf("a note to nobody: %v", err)
	}
	readers := r.View(desk, server.Peer{Operator: reader.UUID}, "")
	if _, err := readers.Tell(t.Context(), 0, "Only read"); err == nil || !strings.Contains(err.Error(), "needs the role operate") {
		t.Errorf("a note of somebody who may only read: %v", err)
	}
	unknown := r.View(desk, server.Peer{}, "fd_ops_WRONG")
	if _, err := unknown.Tell(t.Context(), 0, "Only read"); err == nil {
		t.Error("a note of nobody is sent")
	}
	var notes []*ops.AuditEntry // newest first
	for e, err := range desk.Operators.AllAudit(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Operation == ops.SendNote {
			notes = append(notes, e)
		}
	}
	if len(notes) != 2 {
		t.Fatalf("%d notes are recorded", len(notes))
	}
	refused, sent := notes[0], notes[1]
	if sent.Operator != "vera" || sent.Address != "198.51.100.7" || sent.Operation != ops.SendNote ||
		sent.Subject != "user1" || sent.Kind != ops.AuditChange || strings.Contains(sent.Request, "Lunch") {
		t.Errorf("%+v", sent)
	}
	if refused.Operator != "reader" || refused.Kind != ops.AuditRefused || refused.Subject != "everybody" {
		t.Errorf("%+v", refused)
	}
	if strings.Contains(ansi.Strip(guest.String()), "Only read") {
		t.Error("a refused note is shown")
	}
}

// An operations user with a read-only role sees no codes and changes nothing.
func TestAReadOnlyOperatorChangesNothing(t *testing.T) {
	t.Parallel()
	r := openRoom(t, nil)
	guest := openApp(t, r.login(t, "user1"), "xterm-256color")
	guest.shows(t, "Needs a decision")
	reader := r.addOperator(t, "reader", ops.RoleRead)
	c := r.login(t, "operations", ssh.Password(reader.Key))
	s := openApp(t, c, "xterm-256color", "LANG=C.UTF-8")
	s.shows(t, "READ-ONLY")
	s.typeKeys(t, "9")
	s.shows(t, "Key requests")
	s.typeKeys(t, "[")
	s.shows(t, "user1")
	for _, key := range []string{"n", "a", "i", "p", "\x1b[3~"} {
		s.typeKeys(t, key)
		s.shows(t, "role")
	}
	if strings.Contains(s.String(), r.codeOf(t, "user1")) {
		t.Error("codes are shown")
	}
	files, err := sftp.NewClient(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := files.Create("x"); !errors.Is(err, os.ErrPermission) {
		t.Errorf("a file is written: %v", err)
	}
	for _, act := range r.actsOf(t, "reader") {
		if strings.HasPrefix(act, "change") {
			t.Error(act)
		}
	}
	if len(r.Visits()) != 2 {
		t.Errorf("%+v", r.Visits())
	}
}

// A code opens sessions until it is withdrawn, which ends them.
func TestAWithdrawnCodeEndsSessions(t *testing.T) {
	t.Parallel()
	r := openRoom(t, keysOnly(t, nil))
	made, err := r.operations(t).Invitations.Invite(t.Context(), "user1", "user2")
	if err != nil {
		t.Fatal(err)
	}
	one := openApp(t, r.login(t, "user1", ssh.Password(made[0].Code)), "xterm-256color")
	two := openApp(t, r.login(t, "user2", ssh.Password(made[1].Code)), "xterm-256color")
	one.shows(t, "Needs a decision")
	two.shows(t, "Needs a decision")
	if _, err := r.operations(t).Invitations.Withdraw(t.Context(), made[0].UUID); err != nil {
		t.Fatal(err)
	}
	one.shows(t, "connect again")
	if _, err := r.tryLogin("user1", ssh.Password(made[0].Code)); err == nil {
		t.Error("a withdrawn code opens the app")
	}
	two.typeKeys(t, "2")
	two.shows(t, "Due")
}

func TestACodeIsWithdrawnInTheApp(t *testing.T) {
	t.Parallel()
	r := openRoom(t, keysOnly(t, nil))
	alice := r.codeOf(t, "alice")
	one := openApp(t, r.login(t, "alice", ssh.Password(alice)), "xterm-256color")
	one.shows(t, "Needs a decision")
	s := r.openOperations(t, "fd_ops_SECRET")
	s.typeKeys(t, "[i")
	s.shows(t, alice)
	s.typeKeys(t, "\x1b[F\x1b[3~") // end, delete
	s.shows(t, "Withdraw the code of alice")
	s.typeKeys(t, "\r")
	one.shows(t, "connect again")
	s.shows(t, "withdrawn")
	if _, err := r.tryLogin("alice", ssh.Password(alice)); err == nil {
		t.Error("a withdrawn code opens the app")
	}
	again := r.openOperations(t, "fd_ops_SECRET")
	again.typeKeys(t, "[i")
	again.shows(t, "user12")
	all, err := r.operations(t).Invitations.List(t.Context(), api.ListOptions{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range all.Items {
		if i.User == "alice" && i.WithdrawnAt.IsZero() {
			t.Error("a withdrawn user is invited again")
		}
	}
	if acts := r.actsOf(t, ops.OperationsKey); !slices.ContainsFunc(acts, func(act string) bool { return strings.Contains(act, "/withdraw 127.0.0.1") }) {
		t.Errorf("the trail has %q", acts)
	}
}

// BenchmarkTwelveSessions measures how long keys take while twelve people type, and the memory of a
// session.
func BenchmarkTwelveSessions(b *testing.B) {
	const people = 12
	r := openRoom(b, nil)
	screens := make([]*screen, people)
	open := func(i int) {
		screens[i] = openApp(b, r.login(b, fmt.Sprintf("user%d", i+1)), "xterm-256color")
		screens[i].shows(b, "Needs a decision")
		screens[i].typeKeys(b, "2")
		screens[i].shows(b, "Holtriem")
	}
	open(0) // the first session creates what all sessions share
	before := heapInUse()
	for i := 1; i < people; i++ {
		open(i)
	}
	each := float64(heapInUse()-before) / (people - 1) / (1 << 20)
	var took [people][]time.Duration
	for b.Loop() {
		var typing api.Group
		for i, s := range screens {
			typing.Go(func() {
				d, err := s.timeKey()
				if err != nil {
					b.Error(err)
				}
				took[i] = append(took[i], d)
			})
		}
		typing.Wait()
	}
	b.ReportMetric(each, "MiB/session")
	all := slices.Sorted(slices.Values(slices.Concat(took[:]...)))
	b.ReportMetric(float64(all[len(all)/2])/1e6, "ms-p50")
	b.ReportMetric(float64(all[len(all)*99/100])/1e6, "ms-p99")
}

// heapInUse returns the number of reachable bytes.
func heapInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
