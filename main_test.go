package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"flightdesk": main,
		"crash":      crash,
		"request":    request,
	})
}

func TestScripts(t *testing.T) {
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
			env.Values[backgroundKey{}] = map[string]*background{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"fails":  fails,
			"launch": launch,
			"end":    end,
		},
	})
}

// fails runs a program that has to end with the given status and one line on
// standard error: fails STATUS PROGRAM ARGUMENT...
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

// crash is the command line with a configuration that panics.
func crash() {
	os.Exit(guarded(os.Stderr, func(*program) { panic("the wing\x1b[2Jfell off") }))
}

func TestReport(t *testing.T) {
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name   string
		ctx    context.Context
		err    error
		status int
		line   string
	}{
		{"done", t.Context(), nil, 0, ""},
		{"failed", t.Context(), errors.New("a.kml: no such file"), 1, "a.kml: no such file\n"},
		{"text from outside", t.Context(), errors.New("\x1b[2Ja\nb\u202e"), 1, "␛[2Ja; b\uFFFD\n"},
		{"wrong usage", t.Context(), fmt.Errorf("x: %w", usageError{"flightdesk parse", errors.New("no file")}), 2, "no file; see flightdesk parse --help\n"},
		{"interrupted", stopped, fmt.Errorf("reading: %w", context.Canceled), 130, "interrupted\n"},
		{"failed while it was stopped", stopped, errors.New("disk full"), 1, "disk full\n"},
		{"cancelled by itself", t.Context(), context.Canceled, 1, "context canceled\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stderr strings.Builder
			if status := report(tt.ctx, &stderr, tt.err); status != tt.status || stderr.String() != tt.line {
				t.Errorf("got %d %q, want %d %q", status, stderr.String(), tt.status, tt.line)
			}
		})
	}
}
