package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
)

// maxWarnings is the largest number of warnings that are printed for people; JSON has all warnings.
const maxWarnings = 100

const parseHelp = `Reads a KML, KMZ, CSV, XLSX, GeoJSON, GPX, GeoPackage or shapefile and prints its placemarks as a table,
JSON, GeoJSON, CSV, KML or GPX. FILE is one file, or - for standard input; with --remote, several. A file that can
be read in more than one way is refused, with the possible answers and the flag for each: --crs, --axes, --hemisphere,
--letter-o, --unit, --encoding, --sheet, --columns. --header-row is the row with the column names. JSON has the same
questions. Warnings go to standard error, one per line. --remote also sends the files to the service and prints the differences: number, names, places
and points of the placemarks, and the service's messages. The flags apply to this program's reading.

--shape makes areas to survey: "circle 50m" and "rectangle 200x100" (width, height, and a bearing behind them; if only
one side has a unit, it is the unit of both) from points, "corridor 40m" from lines (with flat ends, or round), "hull"
from all placemarks. "grow 20m", "shrink 20m", "split 25ha" (along the long side), "simplify 100 points" and
"simplify 2m" change areas. Repeated flags apply one after the other. Placemarks that do not fit stay as they are.
Sizes are measured on the ellipsoid, within 0.1%. "1,500" and "1.500" are ambiguous and refused.

--template prints a CSV file with the columns that the service reads; with --output json
{"fileName", "contentType", "content"}.`

const parseExample = `# the placemarks of a file
flightdesk parse sites.kml

# convert it
flightdesk parse --output geojson sites.csv > sites.geojson

# areas of 200 by 100 m around points, as KML
flightdesk parse masts.csv --shape "rectangle 200x100" --output kml > areas.kml

# from standard input
flightdesk parse - --output json < sites.kmz

# compare with what the service reads
flightdesk parse --remote sites.kml sites.csv

# a CSV file to start from
flightdesk parse --template > mysites.csv`

// parseCommand returns the command that prints or converts survey files.
func parseCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "parse FILE...",
		Short:   "Print the placemarks of a survey file, or convert it",
		Long:    parseHelp,
		Example: parseExample,
	}
	remote := false
	template := false
	cmd.Flags().BoolVar(&template, "template", false, "print the service's CSV template")
	cmd.Flags().BoolVar(&remote, "remote", false, "compare with what the service reads")
	outputFlag(cmd, "table", "json", "geojson", "csv", "kml", "gpx")
	addReadingFlags(cmd)
	profileFlag(cmd)
	checkFiles := checkArguments(cmd.Use, cmd.Example)
	cmd.Args = func(cmd *cobra.Command, files []string) error {
		if template {
			return nil // printTemplate checks that there are no files
		}
		return checkFiles(cmd, files)
	}
	return defineCommand(cmd, func(c *Call) error {
		if template {
			return printTemplate(c)
		}
		if remote {
			return parseRemote(c)
		}
		return parseFile(c)
	})
}

// parseFile reads the survey file in the arguments and prints its placemarks.
func parseFile(c *Call) error {
	if len(c.Args) > 1 {
		return wrongUsage("unexpected argument %q: several files need --remote", c.Args[1])
	}
	name := fileLabel(c.Args[0])
	found, err := readSurvey(c, c.Args[0])
	if err != nil {
		if found != nil {
			printWarnings(c.Stderr(), name, found.Warnings)
		}
		return failWithQuestions(c, found, err)
	}
	if c.Output != "json" { // the JSON has warnings and questions
		printWarnings(c.Stderr(), name, found.Warnings)
		printAlternatives(c.Stderr(), name, found.Questions)
	}
	if err := writeParsed(c, found); err != nil {
		return fmt.Errorf("write placemarks: %w", err)
	}
	return nil
}

// failWithQuestions returns the error of a file that could not be read. With --output json it first prints
// the placemarks found so far and the questions, which the user must answer with flags.
func failWithQuestions(c *Call, found *kmlcsv.Result, readErr error) error {
	if found == nil || c.Output != "json" {
		return readErr
	}
	if err := writeJSON(c.Out(), found); err != nil {
		return fmt.Errorf("write questions: %w", err)
	}
	return readErr
}

// readSurvey reads and parses a survey file with the options of the flags.
func readSurvey(c *Call, path string) (*kmlcsv.Result, error) {
	data, err := c.readInput(path)
	if err != nil {
		return nil, err
	}
	opts, err := readingOptions(c)
	if err != nil {
		return nil, err
	}
	ops, err := readShapes(c)
	if err != nil {
		return nil, err
	}
	opts.Name = path
	opts.Beside = new(ordering.FileReader).ReadBeside(path)
	found, err := kmlcsv.ParseContext(c, data, opts)
	if err != nil {
		return found, prefixPlace(fileLabel(path), answerWithFlags(found, err))
	}
	return found, reshape(c, fileLabel(path), found, ops)
}

// fileLabel returns the name of a file for messages.
func fileLabel(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// writeParsed writes placemarks in the format of --output.
func writeParsed(c *Call, found *kmlcsv.Result) error {
	out := c.Out()
	switch c.Output {
	case "json":
		return writeJSON(out, found)
	case "geojson":
		return kmlcsv.WriteGeoJSON(out, found.Placemarks)
	case "csv":
		return kmlcsv.WriteCSV(out, found.Placemarks)
	case "kml":
		return kmlcsv.WriteKML(out, found.Placemarks)
	case "gpx":
		return kmlcsv.WriteGPX(out, found.Placemarks)
	default:
		return c.PrintParts(nil, placemarkSheet(found.Placemarks).tablePart(c, columns.Pointers(found.Placemarks)))
	}
}

// prefixPlace returns the error of a file with the place in front, such as "sites.csv:3:7". The place has
// the line and the column only if the error has them.
func prefixPlace(name string, err error) error {
	readErr, ok := errors.AsType[*kmlcsv.Error](err)
	if !ok {
		return prefixError(name, err)
	}
	place := name
	if readErr.Line > 0 {
		place += fmt.Sprintf(":%d", readErr.Line)
	}
	if readErr.Line > 0 && readErr.Column > 0 {
		place += fmt.Sprintf(":%d", readErr.Column)
	}
	return fmt.Errorf("%s: %s", place, readErr.Message)
}

// printWarnings prints warnings, one per line and at most maxWarnings.
func printWarnings(w io.Writer, name string, warnings []kmlcsv.Warning) {
	lines := bufio.NewWriter(w)
	defer func() { _ = lines.Flush() }() // an error of standard error cannot be reported
	name = format.Clean(name)
	for i, warning := range warnings {
		if i == maxWarnings {
			more := format.Count(len(warnings)-i, "warning")
			fmt.Fprintf(lines, "%s: %s more; --output json prints all\n", name, more)
			return
		}
		place := name
		if warning.Line > 0 {
			place = fmt.Sprintf("%s:%d", name, warning.Line)
		}
		warning.Line = 0 // the line is part of place
		if warning.Skipped {
			warning.Message = "left out: " + warning.Message
		}
		fmt.Fprintf(lines, "%s: %s\n", place, format.Clean(warning.String()))
	}
}

// parseRemote sends files to the parser of the service and prints the differences between its results
// and this program's.
func parseRemote(c *Call) error {
	if c.Output != "table" && c.Output != "json" {
		return wrongUsage("--remote prints only a table or json, not %s", c.Output)
	}
	if c.Cmd.Flag("shape").Changed {
		return wrongUsage("--shape changes what this program reads, and --remote compares it with the file; use one of them")
	}
	opts, err := readingOptions(c)
	if err != nil {
		return err
	}
	s, err := c.Connect()
	if err != nil {
		return err
	}
	for _, path := range c.Args {
		reading, err := compareReadings(c, s.Client, path, opts)
		if err != nil {
			return err
		}
		err = c.PrintParts(reading, func(to *textWriter) { writeReading(c, to, reading) })
		if err != nil {
			return err
		}
	}
	return nil
}

// compareReadings reads a file, sends it to the service, and compares how both read it.
func compareReadings(
	c *Call, client *api.Client, path string, opts kmlcsv.Options,
) (*ordering.ServiceReading, error) {
	data, err := c.readInput(path)
	if err != nil {
		return nil, err
	}
	opts.Name = fileLabel(path)
	opts.Beside = new(ordering.FileReader).ReadBeside(path)
	stopWaiting := c.ShowWaiting("waiting for the service to read " + opts.Name)
	defer stopWaiting()
	return ordering.CompareReadings(c, client, data, opts)
}

// writeReading writes the result of a comparison for people: the numbers of placemarks, the message of the
// service and the differences.
func writeReading(c *Call, to *textWriter, r *ordering.ServiceReading) {
	fmt.Fprintln(to, format.Clean(r.File+": "+r.CountSummary()))
	if r.Message != "" {
		fmt.Fprintln(to, format.Clean("  message: "+r.Message))
	}
	if len(r.Differences) > 0 {
		all := columns.MakeColumns[*ordering.ReadingDifference]("differences", nil)
		writeTable := newSheet("difference", all, "").tablePart(c, columns.Pointers(r.Differences))
		writeTable(to)
	}
}
