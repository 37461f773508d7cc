package cli

import (
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

// usageError is an error in the flags or arguments of a command.
type usageError struct {
	Command string // the command whose help the message refers to
	Err     error
}

func (e *usageError) Error() string {
	text := e.Err.Error()
	if strings.HasSuffix(text, "?") {
		return text // the text already suggests another command
	}
	return text + "; see " + e.Command + " --help"
}

// wrongUsage formats a message and returns it as a usageError of the running command.
func wrongUsage(format string, args ...any) error { return badUsage(fmt.Errorf(format, args...)) }

// badUsage wraps err in a usageError of the running command.
func badUsage(err error) error { return &usageError{Err: err} }

// program is one run of the command line.
type program struct {
	Ctx   context.Context // canceled by a signal to stop
	Env   config.Env
	Fault error // error of the command that ran

	ReadOnly bool // the flag --read-only: changes are refused even if the profile allows them

	Interruption *interruption // nil if the run cannot be interrupted

	observed []session.LoggedClient // clients whose requests are printed
}

// OpenChanges opens this machine's log of sent changes, such as orders and decisions on quotes.
func (p *program) OpenChanges() *changes.Log {
	return changes.OpenLog(filepath.Join(p.Env.Dirs.State, "decisions.jsonl"))
}

// Call is one run of a command.
type Call struct {
	context.Context
	*program
	*Service // nil unless the command connects to a service
	Cmd      *cobra.Command
	Args     []string
	Output   string    // value of --output
	Chosen   string    // value of --profile
	Seen     seenNames // codes and names to complete in the shell
}

// newCommand returns a command with the texts of its help.
func newCommand(use, short, long, example string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Long: long, Example: example}
}

// lineEnd matches the end of a line within a paragraph.
var lineEnd = regexp.MustCompile(`(\S)\n(\S)`)

// action runs a command.
type action func(c *Call) error

// programKey is the key of the *program in a command's context.
type programKey struct{}

// programOf returns the program that runs cmd.
func programOf(cmd *cobra.Command) *program {
	return cmd.Context().Value(programKey{}).(*program)
}

// defineCommand makes cmd run do after its arguments were checked, with cmd.Args or, if that
// is nil, against cmd.Use. Errors are stored in the program instead of being returned to the
// library: before it shows an error, the library queries the terminal for its colours, and
// the responses would end up in the shell.
func defineCommand(cmd *cobra.Command, do action) *cobra.Command {
	check := cmd.Args
	if check == nil {
		check = checkArguments(cmd.Use, cmd.Example)
	}
	cmd.Args = cobra.ArbitraryArgs
	cmd.Long = lineEnd.ReplaceAllString(cmd.Long, "$1 $2")
	if cmd.ValidArgsFunction == nil && cmd.ValidArgs == nil {
		cmd.ValidArgsFunction = completeArguments
	}
	cmd.Run = func(cmd *cobra.Command, args []string) {
		c := newCall(cmd, args)
		err := check(cmd, args)
		if err == nil {
			err = do(c)
		}
		if usage, ok := errors.AsType[*usageError](err); ok && usage.Command == "" {
			usage.Command = cmd.CommandPath()
		}
		c.Fault = err
		if c.Service != nil {
			c.rememberNames()
		}
	}
	return cmd
}

// newCall returns a run of cmd with the values of --output and --profile, if cmd has these
// flags.
func newCall(cmd *cobra.Command, args []string) *Call {
	c := &Call{Context: cmd.Context(), program: programOf(cmd), Cmd: cmd, Args: args}
	if output := cmd.Flag("output"); output != nil {
		c.Output = output.Value.String()
	}
	if profile := cmd.Flag("profile"); profile != nil {
		c.Chosen = profile.Value.String()
	}
	return c
}

// definePrinting makes cmd run do and adds --output with the formats table and json, unless
// cmd has that flag already.
func definePrinting(cmd *cobra.Command, do action) *cobra.Command {
	if cmd.Flag("output") == nil {
		outputFlag(cmd, "table", "json")
	}
	return defineCommand(cmd, do)
}

// defineService makes cmd connect to the service of a profile and run do. Before that, check
// returns an error if the arguments or flags are wrong; check can be nil.
func defineService(cmd *cobra.Command, check func(args []string) error, do action) *cobra.Command {
	return defineConnected(cmd, (*Call).Connect, check, do)
}

// defineConnected is like defineService, with another function to connect.
func defineConnected(
	cmd *cobra.Command,
	connect func(*Call) (*Service, error),
	check func(args []string) error,
	do action,
) *cobra.Command {
	profileFlag(cmd)
	return definePrinting(cmd, func(c *Call) error {
		if check != nil {
			if err := check(c.Args); err != nil {
				return badUsage(err)
			}
		}
		service, err := connect(c)
		c.Service = service
		if err != nil {
			return err
		}
		return do(c)
	})
}

// Out returns the standard output of the command.
func (c *Call) Out() io.Writer { return c.Cmd.OutOrStdout() }

// Trouble returns the standard error of the command.
func (c *Call) Trouble() io.Writer { return c.Cmd.ErrOrStderr() }

// maxNamedCommands is the largest number of subcommands that an error lists.
const maxNamedCommands = 8

// defineGroup adds subcommands to cmd. Called without a subcommand, cmd returns an error that
// lists them.
func defineGroup(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(commands...)
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = subcommandOnly
	return defineCommand(cmd, func(c *Call) error {
		if len(commands) > maxNamedCommands {
			return wrongUsage("missing COMMAND")
		}
		names := make([]string, len(commands))
		for i, command := range commands {
			names[i] = command.Name()
		}
		return wrongUsage("missing COMMAND: use one of %s", strings.Join(names, ", "))
	})
}

// subcommandOnly returns an error if arguments are left after the command was looked up: the
// first one is then an unknown command. The error suggests a similar command, or list if the
// argument is something that list prints.
func subcommandOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	name := args[0]
	text := fmt.Sprintf("unknown command %q", name)
	if suggestion := suggestCommand(cmd, name); suggestion != "" {
		text += fmt.Sprintf("; did you mean %q?", suggestion)
	}
	return &usageError{cmd.CommandPath(), errors.New(text)}
}

// suggestCommand returns the command that an unknown name may stand for, or "".
func suggestCommand(cmd *cobra.Command, name string) string {
	list, _, err := cmd.Root().Find([]string{"list"})
	if err == nil && slices.Contains(list.ValidArgs, name) {
		return "list " + name
	}
	for _, similar := range cmd.SuggestionsFor(name) {
		// Nearly every word is within two letters of a short name.
		if len(similar) < 4 && name != "" && similar[0] != name[0] {
			continue
		}
		return similar
	}
	return ""
}

// checkArguments returns a function that checks arguments against the use of a command, such
// as "reject ORDER [REASON]": each word after the name is an argument, words in brackets are
// optional, and "..." after the last word allows more of it.
func checkArguments(use, example string) cobra.PositionalArgs {
	words := strings.Fields(use)[1:]
	call := firstCall(example)
	return func(_ *cobra.Command, args []string) error {
		if len(args) > len(words) && !strings.Contains(use, "...") {
			return wrongUsage("unexpected argument %q, e.g. %s", args[len(words)], call)
		}
		for i := range max(len(words), len(args)) {
			word := words[min(i, len(words)-1)]
			isMissing := word[0] != '['
			if i < len(args) {
				isMissing = strings.TrimSpace(args[i]) == ""
			}
			if isMissing {
				return wrongUsage("missing %s, e.g. %s", strings.Trim(word, "[]."), call)
			}
		}
		return nil
	}
}

// firstCall returns the first line of an example that is not a comment, or "".
func firstCall(example string) string {
	for line := range strings.Lines(example) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return ""
}

// checkReason returns an error if the reason, the second argument, is longer than the service
// accepts.
func checkReason(args []string) error {
	reason := strings.Join(args[1:], "")
	if n := len([]rune(reason)); n > api.MaxTextLength {
		return fmt.Errorf("the reason has %d characters; the limit is %d", n, api.MaxTextLength)
	}
	return nil
}

// released is the version of a release, set by the linker.
var released = ""

// Version returns the version of the program, or "unreleased" if it was built without one.
func Version() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "unreleased"
}

// reportError prints an error as one line and returns the exit status. If the run was
// interrupted, it prints the outcome of the command instead.
func reportError(i *interruption, stderr io.Writer, err error) int {
	if err == nil {
		return exitDone
	}
	_, isUnconfirmed := errors.AsType[*changes.UnconfirmedError](err)
	isCanceled := errors.Is(err, context.Canceled) || i.changes && !isUnconfirmed
	if i.Ctx.Err() != nil && isCanceled {
		fmt.Fprintln(stderr, format.Clean(i.describeOutcome(err)))
		return i.exitStatus()
	}
	if usage, ok := errors.AsType[*usageError](err); ok {
		fmt.Fprintln(stderr, format.Clean(usage.Error()))
		return exitUsage
	}
	// Joined errors have a line each.
	fmt.Fprintln(stderr, format.Clean(strings.ReplaceAll(errorText(err), "\n", "; ")))
	if isUnconfirmed {
		return exitUnconfirmed
	}
	return exitFailed
}

// errorText returns the text of an error for the user. A "not found" response is shown
// without its HTTP status, and without the name of the API call if the text has something
// else in front, and with the list command that shows valid names.
func errorText(err error) string {
	text := err.Error()
	notFound, ok := errors.AsType[*api.Error](err)
	if ok && notFound.Code == api.CodeNotFound {
		plain := notFound.Message
		if text == notFound.Error() {
			plain = notFound.Op + ": " + plain
		}
		text = strings.Replace(text, notFound.Error(), plain, 1)
	}
	for _, kind := range []string{"order", "mission", "endpoint", "dataset", "record"} {
		if strings.HasSuffix(text, " "+kind+" not found") {
			text += "; flightdesk list " + kind + "s shows those of the profile"
		}
	}
	return text
}

// maxPrintedBody is the largest number of bytes printed of a request's or response's body.
const maxPrintedBody = 8 << 10

// Observe prints the requests and responses of a client to standard error, with secrets
// masked, if the variable FLIGHTDESK_DEBUG is api.
func (p *program) Observe(c session.LoggedClient) {
	if p.Env.Lookup == nil {
		return
	}
	debugged, _ := p.Env.Lookup("FLIGHTDESK_DEBUG")
	if debugged != "api" {
		return
	}
	p.observed = append(p.observed, c)
	c.Observe(func(x api.Exchange) { printExchange(os.Stderr, &x) })
}

// printExchange writes a request with "> " before each line and its response with "< ".
func printExchange(to io.Writer, x *api.Exchange) {
	took := x.Duration.Milliseconds()
	result := fmt.Sprintf("no response after %d ms: %v", took, x.Err)
	if x.Status != 0 {
		status := strings.TrimSpace(fmt.Sprint(x.Status, " ", http.StatusText(x.Status)))
		result = fmt.Sprintf("%s in %d ms", status, took)
	}
	request := printedMessage{
		prefix:    "> ",
		firstLine: x.Method + " " + x.URL,
		header:    x.RequestHeader,
		body:      x.RequestBody,
		size:      x.RequestSize,
	}
	response := printedMessage{
		prefix:    "< ",
		firstLine: result,
		header:    x.ResponseHeader,
		body:      x.ResponseBody,
		size:      x.ResponseSize,
	}
	title := fmt.Sprintf("* %s, attempt %d\n", x.Began.Format("15:04:05.000"), max(1, x.Attempt))
	_, _ = io.WriteString(to, title+request.format()+response.format())
}

// printedMessage is a request or a response to print.
type printedMessage struct {
	prefix    string // before each line
	firstLine string
	header    http.Header
	body      []byte // as far as it was kept
	size      int64  // of the whole body
}

// format returns the lines of the message, with at most maxPrintedBody bytes of its body.
func (m *printedMessage) format() string {
	var message strings.Builder
	fmt.Fprintln(&message, m.firstLine)
	_ = m.header.Write(&message) // a strings.Builder returns no error
	shown := m.body[:min(len(m.body), maxPrintedBody)]
	message.Write(shown)
	if more := m.size - int64(len(shown)); more > 0 {
		message.WriteString("\n… " + format.Bytes(more) + " more")
	}
	var text strings.Builder
	for line := range strings.Lines(message.String()) {
		text.WriteString(m.prefix + format.Clean(strings.TrimRight(line, "\r\n")) + "\n")
	}
	return text.String()
}
