package cli

import (
	"context"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/config"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/session"
)

// program is the state of one run of the flightdesk program.
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
	return changes.OpenLog(filepath.Join(p.Env.Dirs.State, changes.LogFile))
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

// lineEnd matches a line end within a paragraph. defineCommand replaces it by a space, so that the help can be
// wrapped to the width of the terminal.
var lineEnd = regexp.MustCompile(`(\S)\n(\S)`)

// action runs a command.
type action func(c *Call) error

// programKey is the key of the *program in a command's context.
type programKey struct{}

// programOf returns the program that runs cmd.
func programOf(cmd *cobra.Command) *program {
	return cmd.Context().Value(programKey{}).(*program)
}

// defineCommand sets the action that cmd performs. Before the action, the arguments are checked: with cmd.Args if it
// is set, otherwise against cmd.Use.
//
// An error is stored in the program and not returned to Cobra: before Cobra shows an error, it queries the terminal
// for its colours, and the replies would end up in the shell.
func defineCommand(cmd *cobra.Command, perform action) *cobra.Command {
	checkArgs := cmd.Args
	if checkArgs == nil {
		checkArgs = checkArguments(cmd.Use, cmd.Example)
	}
	cmd.Args = cobra.ArbitraryArgs // so that Cobra checks nothing; checkArgs is called below
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
	return defineCommand(cmd, func(*Call) error {
		names := subcommandNames(cmd)
		if len(names) > maxNamedCommands {
			return wrongUsage("missing COMMAND")
		}
		return wrongUsage("missing COMMAND: use %s", chooseFrom(names))
	})
}

// chooseFrom returns names as a text for errors: "edit", or "one of edit, rename".
func chooseFrom(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return "one of " + strings.Join(names, ", ")
}

// subcommandNames returns the names of the subcommands of a command, in alphabetical order and without retired
// commands.
func subcommandNames(cmd *cobra.Command) []string {
	var names []string
	for _, command := range cmd.Commands() { // sorted by Cobra
		if !isRetired(command) {
			names = append(names, command.Name())
		}
	}
	return names
}
