package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"flightdesk/kmlcsv"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

// maxWarnings is how many warnings are shown to people; JSON has them all.
const maxWarnings = 100

func (p *program) parseCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "parse FILE",
		Short: "Print the placemarks of a survey file, or convert it",
		Long: "Reads a KML, KMZ or CSV file and prints its placemarks: as a table, as JSON, or written as GeoJSON, CSV or " +
			"KML. - reads standard input. What is odd about the file goes to standard error, a line each.",
		Example: "flightdesk parse sites.kml\nflightdesk parse --output geojson sites.csv > sites.geojson\n" +
			"flightdesk parse - --output json < sites.kmz",
	}
	output := outputFlag(cmd, "table", "json", "geojson", "csv", "kml")
	return p.command(cmd, oneFile, func(cmd *cobra.Command, args []string) error {
		return parse(cmd, args[0], output.value)
	})
}

func oneFile(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return wrongUsage(cmd, "name the survey file to read; - is standard input")
	case len(args) > 1:
		return wrongUsage(cmd, "one file at a time, but %d were named", len(args))
	case args[0] == "":
		return wrongUsage(cmd, "the name of the file is empty")
	}
	return nil
}

func parse(cmd *cobra.Command, path, output string) error {
	name := path
	if path == "-" {
		name = "standard input"
	}
	data, err := readSurvey(cmd.Context(), cmd.InOrStdin(), path)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	found, err := kmlcsv.Parse(data, kmlcsv.Options{Name: path})
	if found != nil && (output != "json" || err != nil) {
		printWarnings(cmd.ErrOrStderr(), name, found.Warnings)
	}
	if err != nil {
		return inFile(name, err)
	}
	if err := write(cmd.OutOrStdout(), found, output); err != nil {
		return fmt.Errorf("writing the placemarks: %w", err)
	}
	return nil
}

func write(to io.Writer, found *kmlcsv.Result, output string) error {
	switch output {
	case "json":
		return writeJSON(to, found)
	case "geojson":
		return kmlcsv.WriteGeoJSON(to, found.Placemarks)
	case "csv":
		return kmlcsv.WriteCSV(to, found.Placemarks)
	case "kml":
		return kmlcsv.WriteKML(to, found.Placemarks)
	default:
		return writeTable(to, found.Placemarks, terminalWidth(to))
	}
}

// readSurvey reads a file, or standard input for "-", up to one byte past the
// limit: the parser says that it is too large. It returns when the context
// ends, also while a pipe says nothing.
func readSurvey(ctx context.Context, stdin io.Reader, path string) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	read := make(chan result, 1)
	go func() {
		from := stdin
		if path != "-" {
			f, err := os.Open(path)
			if err != nil {
				read <- result{err: advice(err)}
				return
			}
			defer func() { _ = f.Close() }()
			from = f
		}
		data, err := io.ReadAll(io.LimitReader(from, kmlcsv.DefaultMaxBytes+1))
		read <- result{data, advice(err)}
	}()
	select {
	case r := <-read:
		return r.data, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// advice is a file error without the path, which its reader puts in front, and
// with what to do.
func advice(err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there is no such file; check the path")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("this file may not be read; check its permissions")
	case errors.Is(err, syscall.EISDIR):
		return errors.New("this is a folder; name a KML, KMZ or CSV file in it")
	case errors.As(err, &path):
		return path.Err
	}
	return err
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
			fmt.Fprintf(lines, "%s: %s more; --output json has them all\n", name, format.Count(len(warnings)-i, "warning", "warnings"))
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
