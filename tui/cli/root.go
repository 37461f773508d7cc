package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/kmlcsv/basemap"
	"flightdesk/kmlcsv/places"
)

// released is set by the linker in a release.
var released = ""

func version() string {
	if released != "" {
		return released
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "unreleased"
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "flightdesk",
		Short: "A terminal desk for drone-survey orders",
		Long: "flightdesk turns survey files into drone-survey orders and follows them. Without a " +
			"command it opens the app on the configured profile.",
		Example: "# try everything, with no configuration\nflightdesk demo\n\n# read a survey file\nflightdesk parse sites.kml\n\n" +
			"# the whole service on this machine, with data to try\nflightdesk serve --demo",
	}
	p.command(root, subcommandOnly, p.appFlags(root))
	root.SuggestionsMinimumDistance = 2
	for _, g := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"orders", "orders and data", []*cobra.Command{
			p.parseCommand(), p.placeCommand(), p.listCommand(), p.orderCommand(), p.missionCommand(), p.quoteCommand(), p.fetchCommand(),
			p.webhookCommand(), p.listenCommand(),
		}},
		{"service", "the service", []*cobra.Command{p.demoCommand(), p.serveCommand(), p.backupCommand(), p.restoreCommand(), p.opsCommand()}},
		{"program", "this program", []*cobra.Command{p.configCommand(), p.doctorCommand(), p.aboutCommand(), p.versionCommand(), p.manCommand(root)}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.id
		}
		root.AddCommand(g.commands...)
	}
	root.SetCompletionCommandGroupID("program")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		p.err = usageError{cmd.CommandPath(), err}
		return nil
	})
	help := p.helpCommand(root)
	help.GroupID = "program"
	root.SetHelpCommand(help)
	p.completions(root)
	return root
}

func (p *program) helpCommand(root *cobra.Command) *cobra.Command {
	return p.command(&cobra.Command{
		Use:                   "help [command]",
		Short:                 "Show the help of a command",
		Example:               "flightdesk help parse",
		DisableFlagsInUseLine: true,
	}, cobra.ArbitraryArgs, func(cmd *cobra.Command, args []string) error {
		found, rest, err := root.Find(args)
		if err != nil || len(rest) > 0 {
			return subcommandOnly(found, rest)
		}
		found.InitDefaultHelpFlag()
		return found.Help()
	})
}

func (p *program) versionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "flightdesk version --output json",
	}
	output := outputFlag(cmd, "table", "json")
	return p.command(cmd, noArguments, func(cmd *cobra.Command, _ []string) error {
		out := cmd.OutOrStdout()
		if output.value == "json" {
			return printJSON(out, map[string]string{
				"version": version(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
			})
		}
		_, err := fmt.Fprintf(out, "flightdesk %s, %s, %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	})
}

// credits name the data that the program embeds, as its licences ask.
var credits = []string{places.Attribution, basemap.Attribution}

func (p *program) aboutCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "about",
		Short:   "Print whose data the program embeds, and under which licences",
		Example: "flightdesk about",
	}
	output := outputFlag(cmd, "table", "json")
	return p.command(cmd, noArguments, func(cmd *cobra.Command, _ []string) error {
		out := cmd.OutOrStdout()
		if output.value == "json" {
			return printJSON(out, map[string]any{"name": "flightdesk", "licence": "MIT", "version": version(), "data": credits})
		}
		_, err := fmt.Fprintf(out, "flightdesk %s, a terminal desk for drone-survey orders, under the MIT licence.\n\nIt embeds:\n  %s\n",
			version(), strings.Join(credits, "\n  "))
		return err
	})
}

// printJSON writes one value on one line. Names in it may come from a service
// or a file: what a terminal would obey is escaped.
func printJSON(w io.Writer, v any) error {
	var line strings.Builder
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, harmless(line.String()))
	return err
}
