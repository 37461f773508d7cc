package order

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"flightdesk/kmlcsv"
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
		Long: "Reads a KML, KMZ, CSV, XLSX, GeoJSON, GPX or zipped shapefile and prints its placemarks as a table, JSON, GeoJSON, CSV, KML or GPX. " +
			"- reads standard input. --crs names the reference system of a file that does not. " +
			"Warnings go to standard error, one per line. --remote also sends the files to the service and prints the differences: " +
			"number, names, places and points of the placemarks, and the service's messages.",
		Example: "# the placemarks of a file\nflightdesk parse sites.kml\n\n" +
			"# convert it\nflightdesk parse --output geojson sites.csv > sites.geojson\n\n" +
			"# from standard input\nflightdesk parse - --output json < sites.kmz\n\n" +
			"# compare with what the service reads\nflightdesk parse --remote sites.kml sites.csv",
	}
	remote := cmd.Flags().Bool("remote", false, "compare with what the service reads; accepts several files")
	output := run.OutputFlag(cmd, "table", "json", "geojson", "csv", "kml", "gpx")
	addSystemFlag(cmd)
	profile := run.ProfileFlag(cmd)
	return p.Command(cmd, filesToParse(remote), func(cmd *cobra.Command, args []string) error {
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

func addSystemFlag(cmd *cobra.Command) {
	cmd.Flags().String("crs", "", "reference system of a file that names none, for example EPSG:25832")
}

// readingOptions returns how a file is read, with the reference system of the
// flag.
func readingOptions(cmd *cobra.Command, path string) (kmlcsv.Options, error) {
	opts := kmlcsv.Options{Name: path}
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
		return writeTable(to, found.Placemarks, run.TerminalWidth(to))
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
			fmt.Fprintf(lines, "%s: %s more; --output json prints all\n", name, format.Count(len(warnings)-i, "warning", "warnings"))
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
