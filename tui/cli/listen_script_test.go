package cli

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// hearsEvents is the script command "hears INT|KILL FILE PROGRAM ARGUMENT...". It runs a program
// that listens and delivers a file, which is an event. After the program has printed the event, it
// sends a signal and writes the output to out.txt and err.txt.
func hearsEvents(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: hears INT|KILL file program argument...")
	}
	program, err := exec.LookPath(args[2])
	ts.Check(err)
	var out, stderr bytes.Buffer
	cmd := exec.Command(program, args[3:]...)
	cmd.Dir, cmd.Stderr = ts.MkAbs("."), &stderr
	for _, name := range []string{
		"PATH", "HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "TMPDIR",
		"FLIGHTDESK_BASE_URL", "FLIGHTDESK_API_KEY", "FLIGHTDESK_OPS_URL", "FLIGHTDESK_OPS_KEY",
	} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	stdout, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	lines := bufio.NewReader(stdout)
	next := func(want string) {
		line, err := lines.ReadString('\n')
		if out.WriteString(line); err != nil || !strings.Contains(line, want) {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			ts.Fatalf("%q is no %s (%v): %s", line, want, err, stderr.String())
		}
	}
	next("listening")
	delivers(ts, false, []string{ts.Getenv("FLIGHTDESK_OPS_KEY"), args[1] + "=jpg"})
	next("mission.data_delivered")
	if args[0] == "KILL" {
		ts.Check(cmd.Process.Kill())
	} else {
		ts.Check(cmd.Process.Signal(syscall.SIGINT))
	}
	_, err = out.ReadFrom(lines)
	ts.Check(err)
	_ = cmd.Wait()
	ts.Check(os.WriteFile(ts.MkAbs("out.txt"), out.Bytes(), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("err.txt"), stderr.Bytes(), 0o600))
}
