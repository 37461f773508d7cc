//go:build unix

package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/xpty"

	"flightdesk/api/server"
)

// terminal is a program in a pseudo-terminal.
type terminal struct {
	t      *testing.T
	pty    *xpty.UnixPty
	cmd    *exec.Cmd
	places string // folder with all folders of the user
	before *term.State

	mu     sync.Mutex
	output bytes.Buffer
	wrote  chan struct{} // has an element when there is new output
	ended  chan error
}

// inTerminal starts the program in a terminal, with environment variables and arguments.
func inTerminal(t *testing.T, vars []string, args ...string) *terminal {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return programInTerminal(t, &exec.Cmd{
		Path: self, Args: append([]string{"flightdesk"}, args...), Env: slices.Clone(vars),
		SysProcAttr: &syscall.SysProcAttr{Setsid: true}, // the test stops the process group
	})
}

// programInTerminal starts a program in a terminal, with a new home folder.
func programInTerminal(t *testing.T, cmd *exec.Cmd) *terminal {
	t.Helper()
	pty, err := xpty.NewUnixPty(100, 30)
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, pty: pty, cmd: cmd, places: t.TempDir(), wrote: make(chan struct{}, 1), ended: make(chan error, 1)}
	if x.before, err = term.GetState(pty.Slave().Fd()); err != nil {
		t.Fatal(err)
	}
	if cmd.Dir == "" {
		cmd.Dir = x.places
	}
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "HOME="+x.places, "XDG_CONFIG_HOME="+x.places, "XDG_STATE_HOME="+x.places, "TMPDIR="+x.tmp())
	if err := os.Mkdir(x.tmp(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := pty.Start(x.cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = x.cmd.Process.Kill()
		_ = pty.Close()
	})
	go x.read()
	go func() { x.ended <- x.cmd.Wait() }()
	return x
}

func (x *terminal) tmp() string { return filepath.Join(x.places, "tmp") }

func (x *terminal) read() {
	buf := make([]byte, 4096)
	for {
		n, err := x.pty.Read(buf)
		x.mu.Lock()
		x.output.Write(buf[:n])
		x.mu.Unlock()
		select {
		case x.wrote <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// sees waits until the program has written a text.
func (x *terminal) sees(text string) {
	x.t.Helper()
	late := time.After(patience)
	for {
		x.mu.Lock()
		found := strings.Contains(x.output.String(), text)
		x.mu.Unlock()
		if found {
			return
		}
		select {
		case <-x.wrote:
		case <-late:
			x.mu.Lock()
			defer x.mu.Unlock()
			x.t.Fatalf("no %q in %q", text, x.output.String())
		}
	}
}

// ends waits for the end of the program, and checks the exit status and that the terminal has its
// original state.
func (x *terminal) ends(status int) {
	x.t.Helper()
	select {
	case err := <-x.ended:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			x.t.Fatal(err)
		}
	case <-time.After(patience):
		x.t.Fatal("the program does not end")
	}
	if got := x.cmd.ProcessState.ExitCode(); got != status {
		x.t.Errorf("status %d, want %d", got, status)
	}
	after, err := term.GetState(x.pty.Slave().Fd())
	if err != nil || !reflect.DeepEqual(after, x.before) {
		x.t.Errorf("the terminal's mode has changed: %v, %v", after, err)
	}
	x.sees("\x1b[?1049l") // leaves the alternate screen
}

func (x *terminal) keys(s string) {
	x.t.Helper()
	if _, err := x.pty.Write([]byte(s)); err != nil {
		x.t.Fatal(err)
	}
}

func TestDemoInATerminal(t *testing.T) {
	hearsHangUps(t)
	t.Run("quit", func(t *testing.T) {
		x := inTerminal(t, nil, "demo")
		x.sees("ORD-1")
		x.keys("q")
		x.ends(exitDone)
		left, err := os.ReadDir(x.tmp())
		if err != nil || len(left) > 0 {
			t.Errorf("left in the temporary folder: %v, %v", left, err)
		}
		places, err := os.ReadDir(x.places)
		if err != nil || len(places) != 1 {
			t.Errorf("written outside of the temporary folder: %v, %v", places, err)
		}
	})
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			x := inTerminal(t, nil, "demo")
			x.sees("ORD-1")
			if err := x.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			x.ends(128 + int(signal))
			if left, err := os.ReadDir(x.tmp()); err != nil || len(left) > 0 {
				t.Errorf("left in the temporary folder: %v, %v", left, err)
			}
		})
	}
}

// The terminal is queried before anything is drawn, the replies do not appear on the screen, and the
// title is restored at the end.
func TestTheTerminalIsQueriedBeforeAnythingIsDrawn(t *testing.T) {
	x := inTerminal(t, []string{"LANG=C.UTF-8"}, "demo")
	x.sees("ORD-1")
	x.keys("q")
	x.ends(exitDone)
	x.sees("\x1b[23;2t")
	x.mu.Lock()
	defer x.mu.Unlock()
	output, at := x.output.String(), -1
	for _, part := range []string{"\x1b[22;2t", "\x1b[?1049h", "\x1b[?1049l", "\x1b[23;2t"} {
		next := strings.Index(output, part)
		if next <= at {
			t.Fatalf("%q does not come in its turn in %q", part, output)
		}
		at = next
	}
	if strings.Count(output, "\x1b[6n") != 1 || strings.Index(output, "\x1b[6n") > strings.Index(output, "\x1b[?1049h") {
		t.Error("the width is not asked for once, before the screen is the app's")
	}
	if strings.Contains(output, "\x1b]2;\a") {
		t.Error("the title is wiped")
	}
}

func TestHelpAndWrongUsageDoNotQueryTheTerminal(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"place", "--help"}, {"help", "list"}, {"bogus"}, {"list", "--bogus"}, {"--version"}} {
		x := inTerminal(t, nil, args...)
		if err := <-x.ended; err != nil && x.cmd.ProcessState.ExitCode() != exitUsage {
			t.Fatalf("%q: %v", args, err)
		}
		x.sees("flightdesk")
		x.mu.Lock()
		for _, query := range []string{"\x1b]11;?", "\x1b]10;?", "\x1b[c", "\x1b[6n"} {
			if strings.Contains(x.output.String(), query) {
				t.Errorf("%q sends %q and waits for the answer", args, query)
			}
		}
		x.mu.Unlock()
	}
}

// After ctrl+z the shell has the terminal until the program continues.
func TestASuspendedAppLeavesTheTerminalToTheShell(t *testing.T) {
	x := inTerminal(t, nil, "demo")
	x.sees("ORD-1")
	x.keys("\x1a")
	x.sees("\x1b[?1049l")
	x.sees("\x1b[23;2t")
	x.mu.Lock()
	x.output.Reset()
	x.mu.Unlock()
	over := make(chan struct{})
	defer close(over)
	go func() { // the program can miss a signal that is sent before it waits for it
		for every := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case <-every.C:
				_ = x.cmd.Process.Signal(syscall.SIGCONT)
			case <-over:
				every.Stop()
				return
			}
		}
	}()
	x.sees("\x1b[?1049h")
	x.sees("ORD-1")
	x.keys("q")
	x.ends(exitDone)
}

func TestAppOnAProfile(t *testing.T) {
	s := listen(t, &server.Server{})
	file := filepath.Join(t.TempDir(), "config.toml")
	text := "[profiles.training]\nbase_url = \"" + s.BaseURL() + "\"\ncredential = { env = \"KEY\" }\ncompany = \"Bosun Surveys\"\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	x := inTerminal(t, []string{"FLIGHTDESK_CONFIG=" + file, "KEY=" + s.Accounts()[0].Key}, "--read-only")
	x.sees("Bosun Surveys · training · READ-ONLY")
	x.sees("ORD-1")
	x.keys("q")
	x.ends(exitDone)
}

func TestTheFirstRunInATerminal(t *testing.T) {
	x := inTerminal(t, nil)
	x.sees("Welcome to flightdesk")
	x.keys("d")
	x.sees("ORD-1")
	x.keys("q")
	x.ends(exitDone)
	if left, err := os.ReadDir(x.tmp()); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
}

// A draft is kept if the terminal is closed.
func TestAHangUpKeepsTheDraft(t *testing.T) {
	hearsHangUps(t)
	s := listen(t, &server.Server{})
	x := inTerminal(t, []string{"FLIGHTDESK_BASE_URL=" + s.BaseURL(), "FLIGHTDESK_API_KEY=" + s.Accounts()[0].Key})
	x.sees("ORD-1")
	survey := filepath.Join(x.places, "quay.csv")
	if err := os.WriteFile(survey, []byte("name,lat,lng\nCrane seven,53.53,9.91\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x.keys("n")
	x.sees("[1 Files]")
	x.keys("quay.csv\r")
	x.sees("Added 1 site") // the preview shows the site before the draft has it
	if err := x.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	x.ends(128 + int(syscall.SIGHUP))
	kept, err := os.ReadFile(filepath.Join(x.places, "flightdesk", "drafts", "environment", "new-order.json"))
	if err != nil || !bytes.Contains(kept, []byte("Crane seven")) {
		t.Errorf("the draft is %q, %v", kept, err)
	}
}
