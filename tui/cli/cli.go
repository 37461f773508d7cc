// Package cli is the command line. It opens the app, and has the commands in files by noun, such as
// order.go.
//
// A [program] is one run of the program; a [Call] is the run of a command. Call has the arguments and
// flags, connects to the service, asks for confirmation and prints results. The commands of the
// operations API that change something are built from the descriptors in tui/app/commands.
//
// The exit status is 0 if the command succeeded, 1 if it failed, 2 after wrong usage, 75 if a change
// was sent and is not confirmed, and 130, 129 or 143 if the command was interrupted by Ctrl+C, a
// hang-up or a request to terminate.
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

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/config"
	"flightdesk/tui"
	"flightdesk/tui/format"
)

// Main runs the command in the arguments of the process and returns its exit status.
func Main() int { return run(os.Stderr, execute) }

// run runs a program, prints its error and returns its exit status. If the program panics, run saves a
// report and prints its path.
func run(stderr io.Writer, execute func(*program)) (status int) {
	p := &program{Env: config.SystemEnv()}
	defer func() {
		if reason := recover(); reason != nil {
			fmt.Fprintln(stderr, format.Clean(saveCrash(p, reason, debug.Stack())))
			status = exitFailed
		}
	}()
	signals, stop := signalContext()
	defer stop()
	p.Interruption = newInterruption(signals, stderr, responseTimeout)
	defer p.Interruption.End()
	p.Ctx = p.Interruption.Ctx
	execute(p)
	for _, c := range p.observed {
		c.Shown() // waits until the requests are printed
	}
	if crash, ok := errors.AsType[*tui.Crash](p.Fault); ok {
		p.Fault = errors.New(saveCrash(p, crash.Reason, crash.Stack))
	}
	return reportError(p.Interruption, stderr, p.Fault)
}

// execute runs the command in the arguments of the process and stores its error in p.
func execute(p *program) {
	if os.Getenv("NO_COLOR") != "" {
		_ = os.Setenv("NO_COLOR", "1") // any value turns colours off, but the libraries parse it as a boolean
	}
	root := rootCommand(p)
	root.InitDefaultHelpCmd()
	// For "list unknown --help" Cobra would show the help of list.
	cmd, rest, _ := root.Find(os.Args[1:])
	isHelpOfUnknown := len(rest) == 2 && cmd.HasSubCommands() && !strings.HasPrefix(rest[0], "-") &&
		(rest[1] == "--help" || rest[1] == "-h")
	if isHelpOfUnknown {
		p.Fault = refuseArguments(cmd, rest)
		return
	}
	if err := root.ExecuteContext(p.Ctx); err != nil {
		p.Fault = &usageError{"flightdesk", err} // only commands of Cobra return errors
	}
}

// signalContext returns a context that is canceled by the first signal to stop: an interrupt, a termination
// request or a hang-up. Hang-ups are not handled if nohup started the program, which makes it ignore them.
// A second signal ends the program at once.
func signalContext() (context.Context, context.CancelFunc) {
	signals := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// saveCrash saves the report of a panic in the state folder, and returns a text for the user with the
// path of the report.
func saveCrash(p *program, reason any, stack []byte) string {
	message := api.Mask(fmt.Sprint(reason))
	report := fmt.Sprintf("flightdesk %s\n%s\n\n%s", Version(), message, api.Mask(string(stack)))
	path := filepath.Join(p.Env.Dirs.State, "crash-"+time.Now().UTC().Format("20060102-150405")+".txt")
	if err := writeCrash(path, report); err != nil {
		return fmt.Sprintf("internal error: %s; could not save the report (%v)", message, err)
	}
	return fmt.Sprintf("internal error: %s; please send the report in %s", message, path)
}

func writeCrash(path, report string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(report), 0o600)
}

// rootCommand returns the command flightdesk with all its subcommands.
func rootCommand(p *program) *cobra.Command {
	root := &cobra.Command{
		Use:   "flightdesk",
		Short: "Place and track drone-survey orders",
		Long:  "flightdesk turns survey files into drone-survey orders and tracks them. Without a command, it opens the app with the configured profile. flightdesk help environment lists the environment variables.",
		Example: `# explore the app with sample data
flightdesk demo

# read a survey file
flightdesk parse sites.kml

# run the service on this machine, with sample data
flightdesk serve --demo`,
		Version:                    Version(),
		Args:                       refuseArguments,
		SilenceUsage:               true,
		SilenceErrors:              true,
		SuggestionsMinimumDistance: 2,
	}
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) {
		cmd.SetContext(context.WithValue(cmd.Context(), programKey{}, p))
	}
	root.SetHelpFunc(printHelp)
	root.SetFlagErrorFunc(p.recordFlagError)
	root.Flags().BoolP("version", "v", false, "print the version")
	root.PersistentFlags().BoolP("help", "h", false, "show this help")
	addAppFlags(p, root)
	defineCommand(root, runApp)
	addSubcommands(root)
	return root
}

// recordFlagError handles an invalid flag. It stores a usage error that names the subcommand in p.Fault. It returns
// nil, because execute would report a returned error as wrong usage of "flightdesk" and not of the subcommand.
//
// Cobra calls it instead of running the command.
func (p *program) recordFlagError(cmd *cobra.Command, err error) error {
	p.Fault = &usageError{cmd.CommandPath(), explainFlagError(err)}
	return nil
}

// addSubcommands adds all subcommands of flightdesk, in groups.
func addSubcommands(root *cobra.Command) {
	for _, group := range rootGroups(root) {
		root.AddGroup(&cobra.Group{ID: group.id, Title: group.title})
		for _, command := range group.commands {
			command.GroupID = group.id
		}
		root.AddCommand(group.commands...)
	}
	root.SetCompletionCommandGroupID("program") // addCompletion uses the group
	addCompletion(root)
	hideRetired(root) // finds the retired commands among the commands added above
	help := helpCommand(root)
	help.GroupID = "program"
	root.SetHelpCommand(help)
}

// rootGroup is a group of commands in the help of flightdesk.
type rootGroup struct {
	id       string
	title    string
	commands []*cobra.Command
}

// rootGroups returns the subcommands of flightdesk.
func rootGroups(root *cobra.Command) []rootGroup {
	return []rootGroup{
		{
			id:    "orders",
			title: "orders and data",
			commands: []*cobra.Command{
				parseCommand(),
				crsCommand(),
				templateCommand(),
				placeCommand(),
				listCommand(),
				orderCommand(),
				missionCommand(),
				quoteCommand(),
				fetchCommand(),
				checkCommand(),
				findCommand(),
				timelineCommand(),
				inspectCommand(),
				webhookCommand(),
				listenCommand(),
			},
		},
		{
			id:    "service",
			title: "the service",
			commands: []*cobra.Command{
				demoCommand(),
				serveCommand(),
				backupCommand(),
				restoreCommand(),
				operationsCommand(),
			},
		},
		{
			id:    "program",
			title: "configuration and help",
			commands: []*cobra.Command{
				loginCommand(),
				logoutCommand(),
				profilesCommand(),
				configCommand(),
				doctorCommand(),
				environmentCommand(),
				aboutCommand(),
				versionCommand(),
				manCommand(root),
			},
		},
	}
}
