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
	"unicode/utf8"

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
	exitUnconfirmed = 75 // a change was sent and is not confirmed; EX_TEMPFAIL in sysexits.h
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

// wrongUsage returns a usageError of the running command with a formatted message.
func wrongUsage(format string, args ...any) error { return badUsage(fmt.Errorf(format, args...)) }

// badUsage returns err as a usageError of the running command.
func badUsage(err error) error { return &usageError{Err: err} }

// program is one run of the program.
type program struct {
	Ctx   context.Context // canceled by a signal to stop
	Env   config.Env
	Fault error // error of the command that ran

	ReadOnly bool // value of --read-only: changes are refused even if the profile allows them

	Interruption *interruption // nil in tests that send no signals

	observed []session.LoggedClient // clients whose requests are printed
}

// OpenChanges opens the log of the changes that were sent from this machine, such as orders and
// decisions on quotes.
func (p *program) OpenChanges() *changes.Log {
	return changes.OpenLog(filepath.Join(p.Env.Dirs.State, "decisions.jsonl"))
}

// Call is one run of a command.
type Call struct {
	context.Context
	program     *program
	Service     *Service // nil unless the command connects to a service
	Cmd         *cobra.Command
	Args        []string
	Output      string        // value of --output
	ProfileFlag string        // value of --profile
	Names       nameCollector // for completion in the shell
}

// lineEnd matches a line end in a paragraph.
var lineEnd = regexp.MustCompile(`(\S)\n(\S)`)

// action runs a command.
type action func(c *Call) error

// programKey is the key of the *program in a command's context.
type programKey struct{}

// programOf returns the program that runs cmd.
func programOf(cmd *cobra.Command) *program {
	return cmd.Context().Value(programKey{}).(*program)
}

// defineCommand sets the action that cmd performs. Before the action, the arguments are checked: with cmd.Args if
// it is set, otherwise against cmd.Use.
//
// An error is stored in the program and not returned to the library: before the library shows an error, it
// queries the terminal for its colours, and the replies would end up in the shell.
func defineCommand(cmd *cobra.Command, perform action) *cobra.Command {
	checkArgs := cmd.Args
	if checkArgs == nil {
		checkArgs = checkArguments(cmd.Use, cmd.Example)
	}
	cmd.Args = cobra.ArbitraryArgs // so that the library checks nothing; checkArgs is called below
	cmd.Long = lineEnd.ReplaceAllString(cmd.Long, "$1 $2")
	if cmd.ValidArgsFunction == nil && cmd.ValidArgs == nil {
		cmd.ValidArgsFunction = completeArguments
	}
	cmd.Run = func(cmd *cobra.Command, args []string) {
		c := newCall(cmd, args)
		err := checkArgs(cmd, args)
		if err == nil {
			err = perform(c)
		}
		setUsageCommand(err, cmd)
		c.program.Fault = err
		if c.Service != nil {
			c.saveNames()
		}
	}
	return cmd
}

// setUsageCommand sets the command of a usageError, unless the error has a command already. It does nothing
// for other errors.
func setUsageCommand(err error, cmd *cobra.Command) {
	usage, isUsage := errors.AsType[*usageError](err)
	if isUsage && usage.Command == "" {
		usage.Command = cmd.CommandPath()
	}
}

// newCall returns a run of cmd with the values of --output and --profile, if cmd has these
// flags.
func newCall(cmd *cobra.Command, args []string) *Call {
	c := &Call{Context: cmd.Context(), program: programOf(cmd), Cmd: cmd, Args: args}
	if output := cmd.Flag("output"); output != nil {
		c.Output = output.Value.String()
	}
	if profile := cmd.Flag("profile"); profile != nil {
		c.ProfileFlag = profile.Value.String()
	}
	return c
}

// definePrinting is like defineCommand, for a command that prints a result. It adds --output with the
// formats table and json, unless cmd has that flag already.
func definePrinting(cmd *cobra.Command, perform action) *cobra.Command {
	if cmd.Flag("output") == nil {
		outputFlag(cmd, "table", "json")
	}
	return defineCommand(cmd, perform)
}

// defineService is like definePrinting, for a command that needs the service of a profile. The command first
// checks its arguments and flags with validate, unless validate is nil. Then it connects with the key of an
// account.
func defineService(cmd *cobra.Command, validate func(args []string) error, perform action) *cobra.Command {
	return defineConnected(cmd, (*Call).Connect, validate, perform)
}

// defineConnected is like defineService, for a command that connects with the function connect instead of
// [Call.Connect].
func defineConnected(
	cmd *cobra.Command,
	connect func(*Call) (*Service, error),
	validate func(args []string) error,
	perform action,
) *cobra.Command {
	profileFlag(cmd)
	return definePrinting(cmd, func(c *Call) error {
		if validate != nil {
			if err := validate(c.Args); err != nil {
				return badUsage(err)
			}
		}
		service, err := connect(c)
		if err != nil {
			return err
		}
		c.Service = service
		return perform(c)
	})
}

// Out returns the standard output of the command.
func (c *Call) Out() io.Writer { return c.Cmd.OutOrStdout() }

// Stderr returns the standard error of the command.
func (c *Call) Stderr() io.Writer { return c.Cmd.ErrOrStderr() }

// maxNamedCommands is the largest number of subcommands that an error names.
const maxNamedCommands = 8

// defineGroup adds subcommands to cmd. If cmd is called without a subcommand, the error lists the
// subcommands, unless there are more than maxNamedCommands.
func defineGroup(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(commands...)
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = refuseArguments
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

// refuseArguments returns an error if a command with subcommands has arguments, because the first argument is
// then an unknown command. The error suggests a similar command.
func refuseArguments(cmd *cobra.Command, args []string) error {
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

// suggestCommand returns the command that the user probably means by an unknown name, or "". For a
// kind of rows, such as orders, it suggests list.
func suggestCommand(cmd *cobra.Command, name string) string {
	list, _, err := cmd.Root().Find([]string{"list"})
	if err == nil && slices.Contains(list.ValidArgs, name) {
		return "list " + name
	}
	for _, similar := range cmd.SuggestionsFor(name) {
		// The library suggests commands that differ in two letters. Nearly every name differs in two
		// letters from a short command, so the first letter must be the same.
		isShort := len(similar) < 4
		if isShort && name != "" && similar[0] != name[0] {
			continue
		}
		return similar
	}
	return ""
}

// checkArguments returns a function that checks arguments against the use of a command, such as
// "reject ORDER [REASON]". Each word after the name is an argument; words in brackets are optional, and
// "..." after the last word allows more arguments of that kind. Errors contain the first call of the
// example.
func checkArguments(use, example string) cobra.PositionalArgs {
	words := strings.Fields(use)[1:]
	allowsMore := strings.Contains(use, "...")
	call := firstCall(example)
	return func(_ *cobra.Command, args []string) error {
		if len(args) > len(words) && !allowsMore {
			return wrongUsage("unexpected argument %q, e.g. %s", args[len(words)], call)
		}
		for i, arg := range args {
			word := words[min(i, len(words)-1)]
			if strings.TrimSpace(arg) == "" {
				return wrongUsage("missing %s, e.g. %s", strings.Trim(word, "[]."), call)
			}
		}
		for _, word := range words[min(len(args), len(words)):] {
			isOptional := word[0] == '['
			if !isOptional {
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

// checkReason returns an error if the reason is longer than the service accepts. The reason is the optional
// second argument.
func checkReason(args []string) error {
	reason := strings.Join(args[1:], "")
	length := utf8.RuneCountInString(reason)
	if length > api.MaxTextLength {
		return fmt.Errorf("the reason has %d characters; the limit is %d", length, api.MaxTextLength)
	}
	return nil
}

// released is the version of a release. The linker sets it.
var released = ""

// Version returns the version of the program, or "unreleased" if it was built without a version.
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

// reportError prints the error of a command as one line and returns the exit status. If the command
// was interrupted, it prints whether a change was sent.
func reportError(i *interruption, stderr io.Writer, err error) int {
	i.End()
	if err == nil {
		return exitDone
	}
	_, isUnconfirmed := errors.AsType[*changes.UnconfirmedError](err)
	isByInterruption := errors.Is(err, context.Canceled) || i.changes && !isUnconfirmed
	if i.Ctx.Err() != nil && isByInterruption {
		fmt.Fprintln(stderr, format.Clean(i.describeOutcome(err)))
		return i.exitStatus()
	}
	if usage, ok := errors.AsType[*usageError](err); ok {
		fmt.Fprintln(stderr, format.Clean(usage.Error()))
		return exitUsage
	}
	line := strings.ReplaceAll(errorText(err), "\n", "; ") // joined errors are on separate lines
	fmt.Fprintln(stderr, format.Clean(line))
	if isUnconfirmed {
		return exitUnconfirmed
	}
	return exitFailed
}

// errorText returns the text of an error for the user. For a "not found" response, the text has no HTTP
// status and ends with the list command that shows valid names. It names the API call only if err is the
// response itself: the text of an error that wraps the response already says what was not found.
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

// maxPrintedBody is the largest number of bytes that are printed of the body of a request or a response.
const maxPrintedBody = 8 << 10

// Observe makes a client print its requests and responses on standard error, with secrets masked. It does
// nothing unless the environment variable FLIGHTDESK_DEBUG has the value "api".
func (p *program) Observe(c session.LoggedClient) {
	if p.Env.Lookup == nil {
		return
	}
	debug, _ := p.Env.Lookup("FLIGHTDESK_DEBUG")
	if debug != "api" {
		return
	}
	p.observed = append(p.observed, c)
	c.Observe(func(exchange api.Exchange) { printExchange(os.Stderr, &exchange) })
}

// printExchange prints a request with "> " before each line, and its response with "< ".
func printExchange(w io.Writer, exchange *api.Exchange) {
	duration := exchange.Duration.Milliseconds()
	result := fmt.Sprintf("no response after %d ms: %v", duration, exchange.Err)
	if exchange.Status != 0 {
		status := strings.TrimSpace(fmt.Sprint(exchange.Status, " ", http.StatusText(exchange.Status)))
		result = fmt.Sprintf("%s in %d ms", status, duration)
	}
	request := httpMessage{
		prefix:    "> ",
		firstLine: exchange.Method + " " + exchange.URL,
		header:    exchange.RequestHeader,
		body:      exchange.RequestBody,
		size:      exchange.RequestSize,
	}
	response := httpMessage{
		prefix:    "< ",
		firstLine: result,
		header:    exchange.ResponseHeader,
		body:      exchange.ResponseBody,
		size:      exchange.ResponseSize,
	}
	title := fmt.Sprintf("* %s, attempt %d\n", exchange.Began.Format("15:04:05.000"), max(1, exchange.Attempt))
	_, _ = io.WriteString(w, title+request.format()+response.format())
}

// httpMessage is a request or a response to print.
type httpMessage struct {
	prefix    string // before each line
	firstLine string
	header    http.Header
	body      []byte // beginning of the body
	size      int64  // size of the whole body in bytes
}

// format returns the lines of the message, with at most maxPrintedBody bytes of its body.
func (m *httpMessage) format() string {
	var message strings.Builder
	fmt.Fprintln(&message, m.firstLine)
	_ = m.header.Write(&message) // a strings.Builder returns no error
	body := m.body[:min(len(m.body), maxPrintedBody)]
	message.Write(body)
	if more := m.size - int64(len(body)); more > 0 {
		message.WriteString("\n… " + format.Bytes(more) + " more")
	}
	var text strings.Builder
	for line := range strings.Lines(message.String()) {
		text.WriteString(m.prefix + format.Clean(strings.TrimRight(line, "\r\n")) + "\n")
	}
	return text.String()
}
