package cli

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/kmlcsv/basemap"
	"flightdesk/kmlcsv/places"
	"flightdesk/tui/cli/deliveries"
	"flightdesk/tui/cli/operations"
	"flightdesk/tui/cli/order"
	"flightdesk/tui/cli/profile"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/cli/serve"
	"flightdesk/tui/cli/support"
	"flightdesk/tui/cli/webhook"
)

func rootCommand(p *run.Program) *cobra.Command {
	root := &cobra.Command{
		Use:   "flightdesk",
		Short: "Place and track drone-survey orders",
		Long:  "flightdesk turns survey files into drone-survey orders and tracks them. Without a command, it opens the app with the configured profile.",
		Example: `# explore the app with sample data
flightdesk demo

# read a survey file
flightdesk parse sites.kml

# run the service on this machine, with sample data
flightdesk serve --demo`,
	}
	root.Args = run.SubcommandOnly
	p.Command(root, appFlags(p, root))
	root.SuggestionsMinimumDistance = 2
	for _, g := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"orders", "orders and data", []*cobra.Command{
			order.ParseCommand(p), order.TemplateCommand(p), order.PlaceCommand(p), order.ListCommand(p), order.Command(p), order.MissionCommand(p), order.QuoteCommand(p), deliveries.Command(p),
			support.TimelineCommand(p), support.InspectCommand(p),
			webhook.Command(p), webhook.ListenCommand(p),
		}},
		{"service", "the service", []*cobra.Command{demoCommand(p), serve.Command(p, openProfile), serve.BackupCommand(p), serve.RestoreCommand(p), operations.Command(p)}},
		{"program", "configuration and help", []*cobra.Command{
			profile.LoginCommand(p), profile.LogoutCommand(p), profile.ProfilesCommand(p), profile.Command(p), profile.DoctorCommand(p), environmentCommand(p), aboutCommand(p), versionCommand(p), manCommand(p, root),
		}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.id
		}
		root.AddCommand(g.commands...)
	}
	root.SetCompletionCommandGroupID("program")
	addCompletion(p, root)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		p.Err = run.BadUsage(cmd, inWords(err))
		return nil
	})
	help := helpCommand(p, root)
	help.GroupID = "program"
	root.SetHelpCommand(help)
	p.CompleteProfileFlags(root)
	root.Flags().BoolP("version", "v", false, "print the version")
	completeHelp(root, root)
	return root
}

// addCompletion adds the command of the library, which would answer a shell that
// it does not know with its help and success.
func addCompletion(p *run.Program, root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Short = "Print the completion script of a shell"
		cmd.Example = "# print the script for bash\nflightdesk completion bash"
		cmd.Long = "Prints the completion script of a shell. The help of each command below shows how to load it."
		shells := cmd.Commands()
		for _, shell := range shells {
			shell.Short = "Print the completion script for " + shell.Name()
			_, loading, _ := strings.Cut(shell.Long, "\n\n")
			shell.Long = "Prints the completion script for " + shell.Name() + ".\n\n" + strings.ReplaceAll(loading, "#### ", "On ")
			shell.Example = "# print the script\nflightdesk completion " + shell.Name()
			write := shell.RunE
			shell.RunE, shell.Args = nil, nil
			p.Command(shell, func(_ context.Context, c *run.Call) error { return write(c.Cmd, c.Args) })
		}
		cmd.RemoveCommand(shells...) // Group adds them
		p.Group(cmd, shells...)
		cmd.SuggestionsMinimumDistance = 1 // names of other shells are near
	}
}

func helpCommand(p *run.Program, root *cobra.Command) *cobra.Command {
	return p.Command(&cobra.Command{
		Use:                   "help [command]",
		Short:                 "Show the help of a command",
		Example:               "# the help of parse\nflightdesk help parse",
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}, func(_ context.Context, c *run.Call) error {
		found, rest, err := root.Find(c.Args)
		if err != nil || len(rest) > 0 {
			return run.SubcommandOnly(found, rest)
		}
		found.InitDefaultHelpFlag()
		return found.Help()
	})
}

func versionCommand(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "# for bug reports\nflightdesk version --output json",
	}
	return p.PrintCommand(cmd, func(_ context.Context, c *run.Call) error {
		version, built := run.Version(), runtime.Version()
		value := map[string]string{"version": version, "go": built, "os": runtime.GOOS, "arch": runtime.GOARCH}
		return c.PrintAnswer(
			value,
			fmt.Sprintf("flightdesk %s, %s, %s/%s", version, built, runtime.GOOS, runtime.GOARCH),
		)
	})
}

// credits name the data that the program embeds, as its licences ask.
var credits = []string{places.Attribution, basemap.Attribution}

func aboutCommand(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "about",
		Short:   "Show the licences of the program and its data",
		Example: "# the embedded map data and its licences\nflightdesk about",
	}
	return p.PrintCommand(cmd, func(_ context.Context, c *run.Call) error {
		if c.Output == "json" {
			value := map[string]any{
				"name":    "flightdesk",
				"licence": "MIT",
				"version": run.Version(),
				"data":    credits,
			}
			return run.PrintValue(c.Out(), value)
		}
		_, err := fmt.Fprintf(c.Out(), about, run.Version(), strings.Join(credits, "\n  "))
		return err
	})
}

const about = `flightdesk %s, a terminal app for drone-survey orders, under the MIT licence.

It embeds:
  %s
`
