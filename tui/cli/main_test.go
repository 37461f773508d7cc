package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"flightdesk/api"
	"flightdesk/kmlcsv"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"flightdesk": func() { os.Exit(Main()) },
		"crash":      crash,
		"curl":       curl,
		"request":    request,
	})
}

// hearsHangUps makes the programs that a test starts end with a hang-up, even if the tests run with
// nohup and therefore ignore it.
func hearsHangUps(t *testing.T) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(heard) })
}

func TestScripts(t *testing.T) {
	hearsHangUps(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "TMPDIR", "LOCALAPPDATA"} {
				dir := env.WorkDir + "/places/" + name
				if err := os.MkdirAll(dir, 0o700); err != nil {
					return err
				}
				env.Setenv(name, dir)
			}
			if err := survey(env.WorkDir); err != nil {
				return err
			}
			env.Values[backgroundKey{}] = map[string]*background{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"capture":     capture,
			"certificate": certificate,
			"fails":       fails,
			"interrupts":  interrupts,
			"launch":      launch,
			"hears":       hearsEvents,
			"end":         end,
			"delivers":    delivers,
			"enlarge":     enlarge,
			"stopped":     stopped,
		},
	})
}

// fails is the script command "fails STATUS PROGRAM ARGUMENT...". It checks the exit status and that
// the program prints one line on standard error.
func fails(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fails status program argument...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		ts.Fatalf("got %v, want status %d", err, want)
	}
	if got := exit.ExitCode(); got != want {
		ts.Fatalf("status %d, want %d", got, want)
	}
	if stderr := ts.ReadFile("stderr"); strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") || strings.ContainsAny(stderr, "\x1b\r\x00") {
		ts.Fatalf("standard error is no single plain line: %q", stderr)
	}
}

// survey writes the files that are too unusual or too long for a script.
func survey(dir string) error {
	many := "name,latitude,longitude\nGood,48,11\n" + strings.Repeat("Bad,120,11\n", 120)
	for name, content := range map[string]string{
		"binary.kml":   "\x7fELF\x02\x01\x01\x00\x00\x00" + strings.Repeat("\x00\xff", 500),
		"large.csv":    "",
		"many.csv":     many,
		"thousand.csv": "name,latitude,longitude\n" + strings.Repeat("Mast,48.4,11.7\n", api.MaxMissions),
		"row.csv":      "name,latitude,longitude\n" + strings.Repeat("Mast,48.4,11.7\n", api.MaxMissions+1),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return err
		}
	}
	return os.Truncate(filepath.Join(dir, "large.csv"), kmlcsv.DefaultMaxBytes+1)
}

// interrupts is the script command "interrupts PROGRAM ARGUMENT...". It interrupts a program that
// waits for more standard input, and checks that the exit status is 130.
func interrupts(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: interrupts program argument...")
	}
	silent, keep, err := os.Pipe()
	ts.Check(err)
	defer keep.Close()
	defer silent.Close()
	program, err := exec.LookPath(args[0])
	ts.Check(err)
	var stderr strings.Builder
	cmd := exec.Command(program, args[1:]...)
	cmd.Stdin, cmd.Stderr = silent, &stderr
	ts.Check(cmd.Start())
	// This is more than a pipe can hold, so that the program is reading when it is written.
	_, err = keep.Write(bytes.Repeat([]byte("\n"), 256<<10))
	ts.Check(err)
	ts.Check(cmd.Process.Signal(os.Interrupt))
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted || stderr.String() != "interrupted\n" {
		ts.Fatalf("got %v and %q, want status 130 and one word", err, stderr.String())
	}
}

// crash is the program with a command that panics.
func crash() {
	os.Exit(run(os.Stderr, func(*program) { panic("the wing\x1b[2Jfell off") }))
}
