package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/config"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// The exit statuses.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitUnconfirmed = 75 // sent, and not seen on the service; EX_TEMPFAIL of sysexits
	exitInterrupted = 130
)

// usageError is a command called in a wrong way.
type usageError struct {
	Command string // whose help says how
	Err     error
}

func (e *usageError) Error() string {
	text := e.Err.Error()
	if strings.HasSuffix(text, "?") {
		return text // asks whether something else is meant
	}
	return text + "; see " + e.Command + " --help"
}

// wrongUsage returns an error of the flags or arguments of the command that runs.
func wrongUsage(format string, args ...any) error { return badUsage(fmt.Errorf(format, args...)) }

// badUsage returns an error of the flags or arguments of the command that runs.
func badUsage(err error) error { return &usageError{Err: err} }

// program is one run of the command line.
type program struct {
	Ctx   context.Context // ends with a signal to stop
	Env   config.Env
	Fault error // of the command that ran

	ReadOnly bool // by a flag: nothing is changed, whatever the profile says

	Interruption *interruption // nil where nobody can interrupt

	observed []session.LoggedClient // whose requests are printed
}

// OpenChanges returns the log of changes of what this machine sent.
func (p *program) OpenChanges() *changes.Log {
	return changes.OpenLog(filepath.Join(p.Env.Dirs.State, "decisions.jsonl"))
}

// Call is one run of a command.
type Call struct {
	context.Context
	*program
	*Service // nil unless the command is of a service
	Cmd      *cobra.Command
	Args     []string
	Output   string // the format that --output names
	Chosen   string // the profile that --profile names
	Seen     seenNames
}

// newCommand returns a command with its help.
func newCommand(use, short, long, example string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Long: long, Example: example}
}

// lineEnd matches the end of a line within a paragraph.
var lineEnd = regexp.MustCompile(`(\S)\n(\S)`)

// action is what a command does.
type action func(c *Call) error

// programKey is what the context of a command has its run by.
type programKey struct{}

// programOf returns the run of a command.
func programOf(cmd *cobra.Command) *program {
	return cmd.Context().Value(programKey{}).(*program)
}

// defineCommand says what cmd does, whose arguments are those of its use unless it has a
// check for them. Errors are kept in the program instead of going through the library: it
// asks the terminal for its colours before it shows one, and the answers would end up in
// the shell.
func defineCommand(cmd *cobra.Command, do action) *cobra.Command {
	check := cmd.Args
	if check == nil {
		check = checkArguments(cmd.Use, cmd.Example)
	}
	cmd.Args, cmd.Long = cobra.ArbitraryArgs, lineEnd.ReplaceAllString(cmd.Long, "$1 $2")
	if cmd.ValidArgsFunction == nil && cmd.ValidArgs == nil {
		cmd.ValidArgsFunction = completeArguments
	}
	cmd.Run = func(cmd *cobra.Command, args []string) {
		p := programOf(cmd)
		c := &Call{Context: cmd.Context(), program: p, Cmd: cmd, Args: args}
		for name, value := range map[string]*string{"output": &c.Output, "profile": &c.Chosen} {
			if f := cmd.Flag(name); f != nil {
				*value = f.Value.String()
			}
		}
		if p.Fault = check(cmd, args); p.Fault == nil {
			p.Fault = do(c)
		}
		if wrong, is := errors.AsType[*usageError](p.Fault); is {
			wrong.Command = cmp.Or(wrong.Command, cmd.CommandPath())
		}
		if c.Service != nil {
			c.rememberNames()
		}
	}
	return cmd
}

// definePrinting says what cmd does, which prints a table or JSON unless it has other formats.
func definePrinting(cmd *cobra.Command, do action) *cobra.Command {
	if cmd.Flag("output") == nil {
		outputFlag(cmd, "table", "json")
	}
	return defineCommand(cmd, do)
}

// defineService says what cmd does with the service of a profile; it prints as others do.
// check says what is wrong with arguments and flags; nil for nothing.
func defineService(cmd *cobra.Command, check func(args []string) error, do action) *cobra.Command {
	return defineConnected(cmd, (*Call).Connect, check, do)
}

// defineConnected says what cmd does with what connect gets of a profile.
func defineConnected(
	cmd *cobra.Command,
	connect func(*Call) (*Service, error),
	check func(args []string) error,
	do action,
) *cobra.Command {
	profileFlag(cmd)
	return definePrinting(cmd, func(c *Call) (err error) {
		if check != nil {
			if err := check(c.Args); err != nil {
				return badUsage(err)
			}
		}
		if c.Service, err = connect(c); err != nil {
			return err
		}
		return do(c)
	})
}

// Out returns the standard output of the command.
func (c *Call) Out() io.Writer { return c.Cmd.OutOrStdout() }

// Trouble returns the standard error of the command.
func (c *Call) Trouble() io.Writer { return c.Cmd.ErrOrStderr() }

// mostNamed is how many commands an error names.
const mostNamed = 8

// defineGroup adds commands below cmd, which does nothing else.
func defineGroup(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(commands...)
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = subcommandOnly
	return defineCommand(cmd, func(c *Call) error {
		if len(commands) > mostNamed {
			return wrongUsage("missing COMMAND")
		}
		names := make([]string, len(commands))
		for i, one := range commands {
			names[i] = one.Name()
		}
		return wrongUsage("missing COMMAND: use one of %s", strings.Join(names, ", "))
	})
}

// subcommandOnly checks that no argument is left, which would be a command that does not exist.
func subcommandOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	// Of a short name nearly anything is two letters away.
	near := slices.DeleteFunc(
		cmd.SuggestionsFor(args[0]),
		func(name string) bool { return len(name) < 4 && args[0] != "" && name[0] != args[0][0] },
	)
	if list, _, err := cmd.Root().Find([]string{"list"}); err == nil && slices.Contains(list.ValidArgs, args[0]) {
		near = []string{"list " + args[0]}
	}
	text := fmt.Sprintf("unknown command %q", args[0])
	if len(near) > 0 {
		text += fmt.Sprintf("; did you mean %q?", near[0])
	}
	return &usageError{cmd.CommandPath(), errors.New(text)}
}

// checkArguments checks the arguments by what the use of a command says: words in
// capitals, in brackets where they may be left out, the last one with dots
// where there may be more.
func checkArguments(use, example string) cobra.PositionalArgs {
	words, example := strings.Fields(use)[1:], firstCall(example)
	return func(_ *cobra.Command, args []string) error {
		if len(args) > len(words) && !strings.Contains(use, "...") {
			return wrongUsage("unexpected argument %q, e.g. %s", args[len(words)], example)
		}
		for i := range max(len(words), len(args)) {
			word, isGiven := words[min(i, len(words)-1)], i < len(args)
			if isGiven && strings.TrimSpace(args[i]) == "" || !isGiven && word[0] != '[' {
				return wrongUsage("missing %s, e.g. %s", strings.Trim(word, "[]."), example)
			}
		}
		return nil
	}
}

// firstCall returns the first line of an example that is no remark.
func firstCall(example string) string {
	for line := range strings.Lines(example) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return ""
}

// checkReason returns an error where the second argument is a reason that is longer than
// the service accepts.
func checkReason(args []string) error {
	if n := len([]rune(strings.Join(args[1:], ""))); n > api.MaxTextLength {
		return fmt.Errorf("the reason has %d characters; the limit is %d", n, api.MaxTextLength)
	}
	return nil
}

// released is set by the linker in a release.
var released = ""

// Version returns the version of the program; "unreleased" where it was built without one.
func Version() string {
	if released != "" {
		return released
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "unreleased"
}

// reportError prints an error as one line and returns the exit status.
func reportError(i *interruption, stderr io.Writer, err error) int {
	var wrong *usageError
	var open *changes.UnconfirmedError
	switch {
	case err == nil:
		return exitDone
	case i.Ctx.Err() != nil && (errors.Is(err, context.Canceled) || i.changes && !errors.As(err, &open)):
		fmt.Fprintln(stderr, format.Clean(i.describeOutcome(err)))
		return i.exitStatus()
	case errors.As(err, &wrong):
		fmt.Fprintln(stderr, format.Clean(wrong.Error()))
		return exitUsage
	}
	// Joined errors have a line each.
	fmt.Fprintln(stderr, format.Clean(strings.ReplaceAll(errorText(err), "\n", "; ")))
	if errors.As(err, &open) {
		return exitUnconfirmed
	}
	return exitFailed
}

// errorText returns the text of an error. What is not found needs no status, and where its
// name stands before it not the call that looked for it either.
func errorText(err error) string {
	text := err.Error()
	var answered *api.Error
	if errors.As(err, &answered) && answered.Code == api.CodeNotFound {
		plain := answered.Message
		if text == answered.Error() {
			plain = answered.Op + ": " + plain
		}
		text = strings.Replace(text, answered.Error(), plain, 1)
	}
	for _, kind := range []string{"order", "mission", "endpoint", "dataset", "record"} {
		if strings.HasSuffix(text, " "+kind+" not found") {
			text += "; flightdesk list " + kind + "s shows those of the profile"
		}
	}
	return text
}

// mostShown is how many bytes of a body are printed.
const mostShown = 8 << 10

// Observe prints the requests of a client and their answers on standard error,
// with secrets masked, where FLIGHTDESK_DEBUG says api.
func (p *program) Observe(c session.LoggedClient) {
	if p.Env.Lookup == nil {
		return
	}
	if what, _ := p.Env.Lookup("FLIGHTDESK_DEBUG"); what != "api" {
		return
	}
	p.observed = append(p.observed, c)
	c.Observe(func(x api.Exchange) { printExchange(os.Stderr, &x) })
}

// printExchange writes a request behind >, and its answer behind <.
func printExchange(to io.Writer, x *api.Exchange) {
	took := x.Duration.Milliseconds()
	answer := fmt.Sprintf("no response after %d ms: %v", took, x.Err)
	if x.Status != 0 {
		status := strings.TrimSpace(fmt.Sprint(x.Status, " ", http.StatusText(x.Status)))
		answer = fmt.Sprintf("%s in %d ms", status, took)
	}
	text := fmt.Sprintf("* %s, attempt %d\n", x.Began.Format("15:04:05.000"), max(1, x.Attempt))
	for _, m := range []struct {
		mark, head string
		header     http.Header
		body       []byte
		size       int64
	}{
		{"> ", x.Method + " " + x.URL, x.RequestHeader, x.RequestBody, x.RequestSize},
		{"< ", answer, x.ResponseHeader, x.ResponseBody, x.ResponseSize},
	} {
		var message strings.Builder
		fmt.Fprintln(&message, m.head)
		_ = m.header.Write(&message) // no error is possible
		shown := m.body[:min(len(m.body), mostShown)]
		message.Write(shown)
		if more := m.size - int64(len(shown)); more > 0 {
			message.WriteString("\n… " + format.Bytes(more) + " more")
		}
		for line := range strings.Lines(message.String()) {
			text += m.mark + format.Clean(strings.TrimRight(line, "\r\n")) + "\n"
		}
	}
	_, _ = io.WriteString(to, text)
}
