// Package cli is the command line: it opens the app, and puts together the commands
// of the packages below it, which are by noun.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"charm.land/fang/v2"

	"flightdesk/api"
	"flightdesk/config"
	"flightdesk/tui"
	"flightdesk/tui/app/guard"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/layout"
)

// Main runs the command that the program was called with and returns its exit
// status.
func Main() int { return guarded(os.Stderr, execute) }

// guarded runs a program and returns its exit status, also when it panics.
func guarded(stderr io.Writer, execute func(*run.Program)) (status int) {
	p := &run.Program{Env: config.SystemEnv()}
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintln(stderr, layout.Clean(crashed(p, r, debug.Stack())))
			status = run.ExitFailed
		}
	}()
	ctx, stop := interruptible(context.Background())
	defer stop()
	p.Interruption = run.NewInterruption(ctx, stderr, run.AnswerPatience)
	defer p.Interruption.Forget()
	p.Ctx = p.Interruption.Ctx
	execute(p)
	p.WaitObserved()
	var crash *tui.Crash
	if errors.As(p.Err, &crash) {
		p.Err = errors.New(crashed(p, crash.Reason, crash.Stack))
	}
	return run.ReportError(p.Interruption, stderr, p.Err)
}

func execute(p *run.Program) {
	if os.Getenv("NO_COLOR") != "" {
		_ = os.Setenv("NO_COLOR", "1") // any value counts; the libraries take it for a truth value
	}
	silent := func(io.Writer, fang.Styles, error) {}
	root := rootCommand(p)
	root.InitDefaultHelpCmd()
	// Of an unknown command the library would show the help of the one above it.
	cmd, rest, _ := root.Find(os.Args[1:])
	if len(rest) == 2 && cmd.HasSubCommands() && !strings.HasPrefix(rest[0], "-") && (rest[1] == "--help" || rest[1] == "-h") {
		p.Err = run.SubcommandOnly(cmd, rest)
		return
	}
	err := fang.Execute(
		p.Ctx,
		root,
		fang.WithVersion(run.Version()),
		fang.WithoutManpage(),
		fang.WithErrorHandler(silent),
	)
	if err != nil {
		p.Err = run.UsageError{Command: "flightdesk", Err: err} // of a command that the library brings along
	}
}

// interruptible returns a context that ends with the first signal to stop. A
// second one then stops the program at once. Hang-ups count, too, unless the
// program was started to outlive its terminal.
func interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	came := make(chan os.Signal, 1)
	signal.Notify(came, signals...)
	ctx, cancel := context.WithCancelCause(parent)
	context.AfterFunc(ctx, func() { signal.Stop(came) })
	guard.Go(func() error {
		select {
		case s := <-came:
			signal.Stop(came)
			cancel(run.StoppedError{Signal: s})
		case <-ctx.Done():
		}
		return nil
	})
	return ctx, func() { cancel(nil) }
}

// crashed keeps the report of a panic and says where.
func crashed(p *run.Program, reason any, stack []byte) string {
	path := filepath.Join(p.Env.Dirs.State, "crash-"+time.Now().UTC().Format("20060102-150405")+".txt")
	said := api.Mask(fmt.Sprint(reason))
	text := fmt.Sprintf("flightdesk %s\n%s\n\n%s", run.Version(), said, api.Mask(string(stack)))
	err := os.MkdirAll(p.Env.Dirs.State, 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		return fmt.Sprintf("internal error: %s; could not save the report (%v)", said, err)
	}
	return fmt.Sprintf("internal error: %s; please send the report in %s", said, path)
}
