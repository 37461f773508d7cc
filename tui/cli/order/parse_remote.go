package order

import (
	"bufio"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"flightdesk/kmlcsv"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/layout"
)

// parseRemote has the service read files, and prints how that compares.
func parseRemote(p *run.Program, cmd *cobra.Command, files []string, profile, output string) error {
	if output != "table" && output != "json" {
		return run.WrongUsage(cmd, "--remote prints only a table or json, not %s", output)
	}
	o, err := p.Connect(cmd.Context(), profile)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	for _, path := range files {
		name := nameOf(path)
		data, err := run.ReadInput(cmd.Context(), cmd.InOrStdin(), path)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		done := run.ShowWaiting(cmd.ErrOrStderr(), "waiting for the service to read "+name)
		read, err := ordering.CompareReadings(cmd.Context(), o.Client, data, kmlcsv.Options{Name: name})
		done()
		if err == nil && output == "json" {
			err = run.PrintJSON(out, read)
		} else if err == nil {
			err = printReading(out, read)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// printReading prints a comparison for people.
func printReading(to io.Writer, r *ordering.ServiceReading) error {
	out := bufio.NewWriter(to)
	fmt.Fprintln(out, layout.Clean(r.File+": "+r.CountSummary()))
	if r.Message != "" {
		fmt.Fprintln(out, "  message: "+layout.Clean(r.Message))
	}
	if len(r.Differences) > 0 {
		columns := []*run.TableColumn{{Title: "  Placemark", Least: 12}, {Title: "Difference"}, {Title: "Here", Least: 10}, {Title: "Service", Least: 10}}
		for _, d := range r.Differences {
			for i, text := range []string{"  " + d.Placemark, d.What, run.OrNone(d.Here), run.OrNone(d.Service)} {
				columns[i].Texts = append(columns[i].Texts, layout.Clean(text))
			}
		}
		printColumns(out, columns, run.TerminalWidth(to))
	}
	return out.Flush()
}

// filesToParse checks the arguments: one file, or with --remote several.
func filesToParse(remote *bool) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if !*remote || len(args) < 2 {
			return oneFile(cmd, args)
		}
		for _, path := range args {
			if err := oneFile(cmd, []string{path}); err != nil {
				return err
			}
		}
		return nil
	}
}
