// Package cli is the command line: it opens the app and has the commands, in files by
// noun. Each is made of a [program] and its [Call]: its flags, the client of its
// profile, how it prints, asks and completes, and how it ends: 0 done, 1 failed,
// 2 wrong usage, 75 sent and not confirmed, 130 interrupted; 129 and 143 where
// a hang-up or a request to terminate did that. Commands of the operations API that
// change something are made from the descriptors of tui/app/commands.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/config"
	"flightdesk/kmlcsv/basemap"
	"flightdesk/kmlcsv/crs"
	"flightdesk/kmlcsv/places"
	"flightdesk/tui"
	"flightdesk/tui/format"
)

// Main runs the command in the arguments of the process and returns its exit status.
func Main() int { return guarded(os.Stderr, execute) }

// guarded runs a program, prints its error and returns its exit status. If the program panics,
// guarded saves a report.
func guarded(stderr io.Writer, execute func(*program)) (status int) {
	p := &program{Env: config.SystemEnv()}
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintln(stderr, format.Clean(crashed(p, r, debug.Stack())))
			status = exitFailed
		}
	}()
	ctx, stop := interruptible()
	defer stop()
	p.Interruption = newInterruption(ctx, stderr, answerPatience)
	defer p.Interruption.Forget()
	p.Ctx = p.Interruption.Ctx
	execute(p)
	for _, c := range p.observed {
		c.Shown() // waits until the requests are printed
	}
	var crash *tui.Crash
	if errors.As(p.Fault, &crash) {
		p.Fault = errors.New(crashed(p, crash.Reason, crash.Stack))
	}
	return reportError(p.Interruption, stderr, p.Fault)
}

func execute(p *program) {
	if os.Getenv("NO_COLOR") != "" {
		_ = os.Setenv("NO_COLOR", "1") // any value turns colours off, but the libraries parse it as a boolean
	}
	root := rootCommand(p)
	root.InitDefaultHelpCmd()
	// For "list unknown --help" the library would show the help of list.
	cmd, rest, _ := root.Find(os.Args[1:])
	if len(rest) == 2 && cmd.HasSubCommands() && !strings.HasPrefix(rest[0], "-") && (rest[1] == "--help" || rest[1] == "-h") {
		p.Fault = subcommandOnly(cmd, rest)
		return
	}
	if err := root.ExecuteContext(p.Ctx); err != nil {
		p.Fault = &usageError{"flightdesk", err} // from a command of the library
	}
}

// interruptible returns a context that is canceled by the first signal to stop; a second
// signal ends the program at once. A hang-up is such a signal unless it is ignored, as with
// nohup.
func interruptible() (context.Context, context.CancelFunc) {
	signals := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// crashed saves the report of a panic in the state folder, and returns a text for the user
// with the path of the report.
func crashed(p *program, reason any, stack []byte) string {
	path := filepath.Join(p.Env.Dirs.State, "crash-"+time.Now().UTC().Format("20060102-150405")+".txt")
	message := api.Mask(fmt.Sprint(reason))
	report := fmt.Sprintf("flightdesk %s\n%s\n\n%s", Version(), message, api.Mask(string(stack)))
	err := os.MkdirAll(p.Env.Dirs.State, 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(report), 0o600)
	}
	if err != nil {
		return fmt.Sprintf("internal error: %s; could not save the report (%v)", message, err)
	}
	return fmt.Sprintf("internal error: %s; please send the report in %s", message, path)
}

func rootCommand(p *program) *cobra.Command {
	root := newCommand(
		"flightdesk",
		"Place and track drone-survey orders",
		"flightdesk turns survey files into drone-survey orders and tracks them. Without a command, it opens the app with the configured profile. flightdesk help environment lists the environment variables.",
		`# explore the app with sample data
flightdesk demo

# read a survey file
flightdesk parse sites.kml

# run the service on this machine, with sample data
flightdesk serve --demo`,
	)
	root.Args = subcommandOnly
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) {
		cmd.SetContext(context.WithValue(cmd.Context(), programKey{}, p))
	}
	defineCommand(root, appFlags(p, root))
	root.SuggestionsMinimumDistance = 2
	for _, g := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"orders", "orders and data", []*cobra.Command{
			parseCommand(), crsCommand(), templateCommand(), placeCommand(), listCommand(), orderCommand(), missionCommand(), quoteCommand(), fetchCommand(), checkCommand(),
			findCommand(), timelineCommand(), inspectCommand(),
			webhookCommand(), listenCommand(),
		}},
		{"service", "the service", []*cobra.Command{demoCommand(), serveCommand(), backupCommand(), restoreCommand(), operationsCommand()}},
		{"program", "configuration and help", []*cobra.Command{
			loginCommand(), logoutCommand(), profilesCommand(), configCommand(), doctorCommand(), environmentCommand(), aboutCommand(), versionCommand(), manCommand(root),
		}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.id
		}
		root.AddCommand(g.commands...)
	}
	root.SetCompletionCommandGroupID("program")
	addCompletion(root)
	hideRetired(root)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		p.Fault = &usageError{cmd.CommandPath(), inWords(err)}
		return nil
	})
	help := helpCommand(root)
	help.GroupID = "program"
	root.SetHelpCommand(help)
	root.Flags().BoolP("version", "v", false, "print the version")
	root.PersistentFlags().BoolP("help", "h", false, "show this help")
	root.SetHelpFunc(printHelp)
	root.Version = Version()
	root.SilenceUsage = true
	root.SilenceErrors = true
	return root
}

// addCompletion adds the library's command completion, changed so that an unknown shell is an
// error instead of printing the help.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	cmd, _, _ := root.Find([]string{"completion"})
	cmd.Use = "completion SHELL"
	cmd.Short = "Print the completion script of a shell"
	cmd.Example = "# print the script for bash\nflightdesk completion bash"
	cmd.Long = `Prints the completion script of a shell: bash, zsh, fish or powershell. To load it in each session, add a line to the file that the shell reads
when it starts.

~/.bashrc: source <(flightdesk completion bash)

~/.zshrc: source <(flightdesk completion zsh)

~/.config/fish/config.fish: flightdesk completion fish | source

$PROFILE: flightdesk completion powershell | Out-String | Invoke-Expression`
	shells := cmd.Commands()
	for _, shell := range shells {
		shell.Short = "Print the completion script for " + shell.Name()
		shell.Long = ""
		shell.Hidden = true
		shell.Example = "# print the script\nflightdesk completion " + shell.Name()
		writeScript := shell.RunE
		shell.RunE = nil
		shell.Args = nil
		defineCommand(shell, func(c *Call) error { return writeScript(c.Cmd, c.Args) })
	}
	cmd.RemoveCommand(shells...) // defineGroup adds them again
	defineGroup(cmd, shells...)
}

func helpCommand(root *cobra.Command) *cobra.Command {
	manual := false
	cmd := &cobra.Command{
		Use:                   "help [command]",
		Short:                 "Show the help of a command",
		Example:               "# the help of parse\nflightdesk help parse\n\n# the manual page of all commands\nflightdesk help --man > flightdesk.1",
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	addFlag(cmd, "man,print the manual page of all commands, formatted for man", &manual)
	return defineCommand(cmd, func(c *Call) error {
		if manual {
			return printManual(c, root)
		}
		found, rest, err := root.Find(c.Args)
		if err != nil || len(rest) > 0 && found.HasSubCommands() {
			return subcommandOnly(found, rest)
		}
		found.InitDefaultHelpFlag()
		return found.Help()
	})
}

func versionCommand() *cobra.Command {
	cmd := newCommand(
		"version",
		"Print the version, or the licences",
		"Prints the version. --licences prints the licences of the program and of the data in it.",
		"# for bug reports\nflightdesk version --output json\n\n# the embedded data and its licences\nflightdesk version --licences",
	)
	licences := false
	addFlag(cmd, "licences,print the licences of the program and its data", &licences)
	return definePrinting(cmd, func(c *Call) error {
		if licences {
			return printLicences(c)
		}
		version, built := Version(), runtime.Version()
		value := map[string]string{
			"version": version,
			"go":      built,
			"os":      runtime.GOOS,
			"arch":    runtime.GOARCH,
		}
		return c.PrintAnswer(value, fmt.Sprintf("flightdesk %s, %s, %s/%s",
			version, built, runtime.GOOS, runtime.GOARCH))
	})
}

func aboutCommand() *cobra.Command {
	cmd := newCommand(
		"about",
		"Show the licences of the program and its data",
		"", "# the embedded data and its licences\nflightdesk about",
	)
	return definePrinting(cmd, printLicences)
}

// printLicences prints the licences of the program and of its embedded data.
func printLicences(c *Call) error {
	credits := []string{places.Attribution, basemap.Attribution, crs.Attribution} // as the licences of the data ask
	value := map[string]any{
		"name":    "flightdesk",
		"licence": "MIT",
		"version": Version(),
		"data":    credits,
	}
	return c.PrintParts(value, func(to *paper) {
		fmt.Fprintf(to, about, Version(), strings.Join(credits, "\n  "))
	})
}

const about = `flightdesk %s, a terminal app for drone-survey orders, under the MIT licence.

It embeds:
  %s
`
