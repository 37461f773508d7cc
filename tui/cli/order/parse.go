package order

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/kmlcsv"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

// maxWarnings is how many warnings are shown to people; JSON has them all.
const maxWarnings = 100

// ParseCommand prints or converts a survey file.
func ParseCommand(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "parse FILE...",
		Short: "Print the placemarks of a survey file, or convert it",
		Long: "Reads a KML, KMZ, CSV, XLSX, GeoJSON, GPX, GeoPackage or shapefile and prints its placemarks as a table, JSON, GeoJSON, CSV, KML or GPX. " +
			"- reads standard input. --crs names the reference system of a file that does not; --sheet and --header-row say where the table is " +
			"in a workbook or below other rows. " +
			"Warnings go to standard error, one per line. --remote also sends the files to the service and prints the differences: " +
			"number, names, places and points of the placemarks, and the service's messages.",
		Example: "# the placemarks of a file\nflightdesk parse sites.kml\n\n" +
			"# convert it\nflightdesk parse --output geojson sites.csv > sites.geojson\n\n" +
			"# from standard input\nflightdesk parse - --output json < sites.kmz\n\n" +
			"# compare with what the service reads\nflightdesk parse --remote sites.kml sites.csv",
	}
	remote := cmd.Flags().Bool("remote", false, "compare with what the service reads; accepts several files")
	output := run.OutputFlag(cmd, "table", "json", "geojson", "csv", "kml", "gpx")
	addReadingFlags(cmd)
	profile := run.ProfileFlag(cmd)
	cmd.Args = filesToParse(remote)
	return p.Command(cmd, func(cmd *cobra.Command, args []string) error {
		if *remote {
			return parseRemote(p, cmd, args, *profile, output.Value)
		}
		return parseFile(cmd, args[0], output.Value)
	})
}

func oneFile(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return run.WrongUsage(cmd, "missing FILE: name a survey file, or - for standard input")
	case len(args) > 1:
		return run.WrongUsage(cmd, "too many arguments: expected one file, got %d", len(args))
	case args[0] == "":
		return run.WrongUsage(cmd, "empty file name")
	}
	return nil
}

func parseFile(cmd *cobra.Command, path, output string) error {
	name := nameOf(path)
	data, err := run.ReadInput(cmd.Context(), cmd.InOrStdin(), path)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	opts, err := readingOptions(cmd, path)
	if err != nil {
		return err
	}
	found, err := kmlcsv.Parse(data, opts)
	if found != nil && (output != "json" || err != nil) {
		printWarnings(cmd.ErrOrStderr(), name, found.Warnings)
	}
	if err != nil {
		return inFile(name, err)
	}
	if err := writeParsed(cmd.OutOrStdout(), found, output); err != nil {
		return fmt.Errorf("write placemarks: %w", err)
	}
	return nil
}

func addReadingFlags(cmd *cobra.Command) {
	cmd.Flags().String("crs", "", "reference system of a file that names none, for example EPSG:25832")
	cmd.Flags().String("sheet", "", "sheet of a workbook; the first with coordinates if omitted")
	cmd.Flags().Int("header-row", 0, "row of a table's header, 0 for none; found by its content if omitted")
}

// readingOptions returns how the flags have a file read.
func readingOptions(cmd *cobra.Command, path string) (kmlcsv.Options, error) {
	opts := kmlcsv.Options{Name: path, Beside: ordering.ReadBeside(path), Sheet: cmd.Flag("sheet").Value.String()}
	if row, _ := cmd.Flags().GetInt("header-row"); cmd.Flag("header-row").Changed {
		if opts.HeaderRow = row; row < 1 {
			opts.HeaderRow = -1
		}
	}
	if text := cmd.Flag("crs").Value.String(); text != "" {
		if opts.CRS = kmlcsv.SystemNamed(text); opts.CRS == 0 {
			return opts, run.WrongUsage(cmd, "unknown reference system %q; use a code such as EPSG:25832", text)
		}
	}
	return opts, nil
}

// nameOf returns what a file is called in messages.
func nameOf(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

func writeParsed(to io.Writer, found *kmlcsv.Result, output string) error {
	switch output {
	case "json":
		return writeJSON(to, found)
	case "geojson":
		return kmlcsv.WriteGeoJSON(to, found.Placemarks)
	case "csv":
		return kmlcsv.WriteCSV(to, found.Placemarks)
	case "kml":
		return kmlcsv.WriteKML(to, found.Placemarks)
	case "gpx":
		return kmlcsv.WriteGPX(to, found.Placemarks)
	default:
		return writeTable(to, found.Placemarks, 0)
	}
}

// inFile names the file and the place in it.
func inFile(name string, err error) error {
	var e *kmlcsv.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%s: %w", name, err)
	}
	if e.Line > 0 {
		name = fmt.Sprintf("%s:%d", name, e.Line)
	}
	if e.Line > 0 && e.Column > 0 {
		name = fmt.Sprintf("%s:%d", name, e.Column)
	}
	return fmt.Errorf("%s: %s", name, e.Message)
}

func printWarnings(w io.Writer, name string, warnings []kmlcsv.Warning) {
	lines := bufio.NewWriter(w)
	defer func() { _ = lines.Flush() }() // standard error has nowhere to say that it failed
	name = layout.Clean(name)
	for i, warning := range warnings {
		if i == maxWarnings {
			fmt.Fprintf(
				lines,
				"%s: %s more; --output json prints all\n",
				name,
				format.Count(len(warnings)-i, "warning", "warnings"),
			)
			return
		}
		place := name
		if warning.Line > 0 {
			place = fmt.Sprintf("%s:%d", name, warning.Line)
		}
		warning.Line = 0 // it is in place
		if warning.Skipped {
			warning.Message += " (left out)"
		}
		fmt.Fprintf(lines, "%s: %s\n", place, layout.Clean(warning.String()))
	}
}

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
		read, err := ordering.CompareReadings(cmd.Context(), o.Client, data, kmlcsv.Options{Name: name, Beside: ordering.ReadBeside(path)})
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
		s := run.NewSheet("difference", "differences", columns.MakeColumns([]columns.ColumnSpec{
			{Title: "Placemark", Least: 12},
			{Title: "Difference", Name: "what"},
			{Title: "Here", Least: 10},
			{Title: "Service", Least: 10},
		}, columns.Values[ordering.ReadingDifference]{}), time.Now, "")
		s.PrintTable(out, run.PointersTo(r.Differences), to)
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

// SavedTemplate is what template --to FILE --output json prints.
type SavedTemplate struct {
	Path string `json:"path"`
	Size int    `json:"size"` // bytes
}

// TemplateCommand prints or saves the service's CSV template.
func TemplateCommand(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "template",
		Short: "Print or save the service's CSV template",
		Long: "Prints a CSV file with the columns that the service reads, or saves it as the file named by --to. Existing files are not " +
			`overwritten. --output json prints {"fileName", "contentType", "content"}; with --to, {"path", "size"}.`,
		Example: "# save it\nflightdesk template --to mysites.csv\n\n# redirect it to a file\nflightdesk template > mysites.csv",
	}
	to := cmd.Flags().String("to", "", "output file; standard output if omitted")
	return p.ServiceCommand(cmd, nil, func(ctx context.Context, c *run.ServiceCall) error {
		file, err := c.Client.Surveys.Template(ctx)
		switch {
		case err != nil:
			return err
		case *to != "" && *to != "-":
			return saveNew(c, *to, []byte(file.Content), SavedTemplate{*to, len(file.Content)})
		case c.Output == "json":
			return run.PrintValue(c.Out(), file)
		case run.IsTerminal(c.Out()):
			for _, line := range layout.SplitLines(file.Content) {
				fmt.Fprintln(c.Out(), layout.Clean(line))
			}
			return nil
		}
		_, err = fmt.Fprint(c.Out(), file.Content)
		return err
	})
}
