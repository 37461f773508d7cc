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
	"slices"
	"strings"
	"syscall"
	"time"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/config"
	"flightdesk/tui"
	"flightdesk/tui/layout"
)

// The exit statuses.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// Main runs the command that the program was called with and returns its exit
// status.
func Main() int { return guarded(os.Stderr, (*program).execute) }

// guarded runs a program and returns its exit status, also when it panics.
func guarded(stderr io.Writer, execute func(*program)) (status int) {
	p := &program{env: config.System()}
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintln(stderr, layout.Clean(p.crashed(r, debug.Stack())))
			status = exitFailed
		}
	}()
	ctx, stop := interruptible(context.Background())
	defer stop()
	p.interruption = newInterruption(ctx, stderr, answerPatience)
	defer p.interruption.forget()
	p.ctx = p.interruption.ctx
	execute(p)
	var crash *tui.Crash
	if errors.As(p.err, &crash) {
		p.err = errors.New(p.crashed(crash.Reason, crash.Stack))
	}
	return report(p.interruption, stderr, p.err)
}

func (p *program) execute() {
	if os.Getenv("NO_COLOR") != "" {
		_ = os.Setenv("NO_COLOR", "1") // any value counts; the libraries take it for a truth value
	}
	silent := func(io.Writer, fang.Styles, error) {}
	err := fang.Execute(p.ctx, p.root(), fang.WithVersion(version()), fang.WithoutManpage(), fang.WithErrorHandler(silent))
	if err != nil {
		p.err = usageError{"flightdesk", err} // of a command that the library brings along
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
	ctx, stop := signal.NotifyContext(parent, signals...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// report prints an error as one line and returns the exit status.
func report(i *interruption, stderr io.Writer, err error) int {
	var wrong usageError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, context.Canceled) && i.ctx.Err() != nil:
		fmt.Fprintln(stderr, layout.Clean(i.outcome(err)))
		return exitInterrupted
	case errors.As(err, &wrong):
		fmt.Fprintln(stderr, layout.Clean(wrong.Error()))
		return exitUsage
	default:
		// Joined errors have a line each.
		fmt.Fprintln(stderr, layout.Clean(strings.ReplaceAll(err.Error(), "\n", "; ")))
		return exitFailed
	}
}

// usageError is a command called in a wrong way.
type usageError struct {
	command string
	err     error
}

func (e usageError) Error() string { return e.err.Error() + "; see " + e.command + " --help" }

func wrongUsage(cmd *cobra.Command, format string, args ...any) error {
	return usageError{cmd.CommandPath(), fmt.Errorf(format, args...)}
}

// program is one run of the command line.
type program struct {
	ctx context.Context // ends with a signal to stop
	env config.Env
	err error // of the command that ran

	interruption *interruption // nil where nobody can interrupt
}

// action is what a command does.
type action func(cmd *cobra.Command, args []string) error

// command completes cmd. Errors are kept in p instead of going through the
// library: it asks the terminal for its colours before it shows one, and the
// answers would end up in the shell.
func (p *program) command(cmd *cobra.Command, check cobra.PositionalArgs, do action) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	cmd.Run = func(cmd *cobra.Command, args []string) {
		if p.err = check(cmd, args); p.err == nil {
			p.err = do(cmd, args)
		}
	}
	return cmd
}

// group is a command that only has commands below it.
func (p *program) group(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(commands...)
	cmd.SuggestionsMinimumDistance = 2
	return p.command(cmd, subcommandOnly, func(cmd *cobra.Command, _ []string) error {
		names := make([]string, len(commands))
		for i, c := range commands {
			names[i] = c.Name()
		}
		return wrongUsage(cmd, "%s needs one of %s", cmd.CommandPath(), strings.Join(names, ", "))
	})
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return wrongUsage(cmd, "%s takes no argument, but %q was given", cmd.CommandPath(), args[0])
	}
	return nil
}

func subcommandOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	// Of a short name nearly anything is two letters away.
	near := slices.DeleteFunc(cmd.SuggestionsFor(args[0]), func(name string) bool { return len(name) < 4 && args[0] != "" && name[0] != args[0][0] })
	if len(near) > 0 {
		return wrongUsage(cmd, "there is no command %q; %s is meant, perhaps", args[0], near[0])
	}
	return wrongUsage(cmd, "there is no command %q", args[0])
}

// choice is a flag with a fixed set of values.
type choice struct {
	value string
	known []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return "choice" }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.known, s) {
		return errors.New("choose one of " + strings.Join(c.known, ", "))
	}
	c.value = s
	return nil
}

// outputFlag adds --output; the first format is what people get.
func outputFlag(cmd *cobra.Command, formats ...string) *choice {
	c := &choice{formats[0], formats}
	cmd.Flags().VarP(c, "output", "o", "how to print it: "+strings.Join(formats, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// crashed keeps the report of a panic and says where.
func (p *program) crashed(reason any, stack []byte) string {
	path := filepath.Join(p.env.Dirs.State, "crash-"+time.Now().UTC().Format("20060102-150405")+".txt")
	said := api.Mask(fmt.Sprint(reason))
	text := fmt.Sprintf("flightdesk %s\n%s\n\n%s", version(), said, api.Mask(string(stack)))
	err := os.MkdirAll(p.env.Dirs.State, 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		return fmt.Sprintf("internal error: %s; the report could not be kept (%v)", said, err)
	}
	return fmt.Sprintf("internal error: %s; please send the report in %s", said, path)
}
