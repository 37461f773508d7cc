package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/format"
)

// maxWarnings is the largest number of warnings that are printed for people; JSON has all warnings.
const maxWarnings = 100

// parseCommand returns the command that prints or converts survey files.
func parseCommand() *cobra.Command {
	cmd := newCommand(
		"parse FILE...",
		"Print the placemarks of a survey file, or convert it",
		`Reads a KML, KMZ, CSV, XLSX, GeoJSON, GPX, GeoPackage or shapefile and prints its placemarks as a table,
JSON, GeoJSON, CSV, KML or GPX. FILE is one file, or - for standard input; with --remote, several. A file that can
be read in more than one way is refused, with the possible answers and the flag for each: --crs, --axes, --hemisphere,
--letter-o, --unit, --encoding, --sheet, --columns. --header-row is the row with the column names. JSON has the same
questions. Warnings go to standard error, one per line. --remote also sends the files to the service and prints the differences: number, names, places
and points of the placemarks, and the service's messages. The flags apply to this program's reading.

--shape makes areas to survey: "circle 50m" and "rectangle 200x100" (width, height, and a bearing behind them; if only
one side has a unit, it is the unit of both) from points, "corridor 40m" from lines (with flat ends, or round), "hull"
from all placemarks. "grow 20m", "shrink 20m", "split 25ha" (along the long side), "simplify 100 points" and
"simplify 2m" change areas. Repeated flags apply one after the other. Placemarks that do not fit stay as they are.
Sizes are those on the ellipsoid, within 0.1 %. "1,500" and "1.500" are ambiguous and refused.

--template prints a CSV file with the columns that the service reads; with --output json
{"fileName", "contentType", "content"}.`,
		`# the placemarks of a file
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
flightdesk parse --template > mysites.csv`,
	)
	remote, template := false, false
	addFlag(cmd, "template,print the service's CSV template", &template)
	addFlag(cmd, "remote,compare with what the service reads", &remote)
	outputFlag(cmd, "table", "json", "geojson", "csv", "kml", "gpx")
	addReadingFlags(cmd)
	profileFlag(cmd)
	files := checkArguments(cmd.Use, cmd.Example)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if template && len(args) == 0 {
			return nil
		}
		return files(cmd, args)
	}
	return defineCommand(cmd, func(c *Call) error {
		switch {
		case template:
			return printTemplate(c)
		case remote:
			return parseRemote(c)
		case len(c.Args) > 1:
			return wrongUsage("too many arguments: expected one file, got %d", len(c.Args))
		}
		return parseFile(c)
	})
}

// printTemplate prints the CSV template of the service.
func printTemplate(c *Call) (err error) {
	if len(c.Args) > 0 {
		return wrongUsage("--template reads no files; remove FILE or --template")
	}
	if c.Service, err = c.Connect(); err != nil {
		return err
	}
	file, err := c.Client.Surveys.Template(c)
	if err != nil {
		return err
	}
	if c.Output != "json" && !isTerminal(c.Out()) {
		_, err = fmt.Fprint(c.Out(), file.Content)
		return err
	}
	return c.PrintParts(file, textPart(file.Content))
}

func parseFile(c *Call) error {
	name := nameOf(c.Args[0])
	found, err := readSurvey(c, c.Args[0])
	if found != nil && (c.Output != "json" || err != nil) {
		printWarnings(c.Trouble(), name, found.Warnings)
	}
	if err == nil && c.Output != "json" {
		printAlternatives(c.Trouble(), name, found.Questions)
	}
	if err != nil {
		return withQuestions(c, found, err)
	}
	if err := writeParsed(c, found); err != nil {
		return fmt.Errorf("write placemarks: %w", err)
	}
	return nil
}

// withQuestions returns the error of a file that was not read. With --output json it first prints the
// result so far, with the questions to answer.
func withQuestions(c *Call, found *kmlcsv.Result, failed error) error {
	if found == nil || c.Output != "json" {
		return failed
	}
	if err := writeJSON(c.Out(), found); err != nil {
		return fmt.Errorf("write questions: %w", err)
	}
	return failed
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
	if err == nil {
		return found, reshape(c, nameOf(path), found, ops)
	}
	return found, inFile(nameOf(path), answerWithFlags(found, err))
}

// nameOf returns the name of a file in messages.
func nameOf(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

func writeParsed(c *Call, found *kmlcsv.Result) error {
	switch to := c.Out(); c.Output {
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
		return c.PrintParts(nil, placemarkSheet(found.Placemarks).tablePart(c, columns.Pointers(found.Placemarks)))
	}
}

// inFile returns an error with the name of the file and the place in it.
func inFile(name string, err error) error {
	var e *kmlcsv.Error
	if !errors.As(err, &e) {
		return inName(name, err)
	}
	for _, at := range []int{e.Line, e.Column} {
		if e.Line > 0 && at > 0 {
			name = fmt.Sprintf("%s:%d", name, at)
		}
	}
	return fmt.Errorf("%s: %s", name, e.Message)
}

func printWarnings(w io.Writer, name string, warnings []kmlcsv.Warning) {
	lines := bufio.NewWriter(w)
	defer func() { _ = lines.Flush() }() // standard error has nowhere to say that it failed
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
		warning.Line = 0 // it is in place
		if warning.Skipped {
			warning.Message = "left out: " + warning.Message
		}
		fmt.Fprintf(lines, "%s: %s\n", place, format.Clean(warning.String()))
	}
}

// parseRemote sends files to the parser of the service and prints how its results differ.
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
		name := nameOf(path)
		data, err := c.readInput(path)
		if err != nil {
			return err
		}
		done := c.ShowWaiting("waiting for the service to read " + name)
		opts.Name = name
		opts.Beside = new(ordering.FileReader).ReadBeside(path)
		read, err := ordering.CompareReadings(c, s.Client, data, opts)
		done()
		if err == nil {
			err = c.PrintParts(read, func(to *paper) { writeReading(c, to, read) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writeReading writes a comparison for people.
func writeReading(c *Call, to *paper, r *ordering.ServiceReading) {
	linePart(r.File + ": " + r.CountSummary())(to)
	if r.Message != "" {
		linePart("  message: " + r.Message)(to)
	}
	if len(r.Differences) > 0 {
		all := columns.MakeColumns[*ordering.ReadingDifference]("differences", nil)
		newSheet("difference", all, "").tablePart(c, columns.Pointers(r.Differences))(to)
	}
}

// savedTemplate is what template --to FILE --output json prints.
type savedTemplate struct {
	Path string `json:"path"`
	Size int    `json:"size"` // bytes
}

// templateCommand prints or saves the service's CSV template.
func templateCommand() *cobra.Command {
	cmd := newCommand(
		"template",
		"Print or save the service's CSV template",
		`Prints a CSV file with the columns that the service reads, or saves it as the file named by --to. Existing
files are not overwritten. --output json prints {"fileName", "contentType", "content"}; with --to, {"path", "size"}.`,
		"# save it\nflightdesk template --to mysites.csv\n\n# redirect it to a file\nflightdesk template > mysites.csv",
	)
	to := ""
	addFlag(cmd, "to,output file; standard output if omitted", &to)
	outputFlag(cmd, "csv", "json")
	return defineService(cmd, nil, func(c *Call) error {
		if to == "" || to == "-" {
			return printTemplate(c)
		}
		file, err := c.Client.Surveys.Template(c)
		if err != nil {
			return err
		}
		return saveNew(c, to, []byte(file.Content), savedTemplate{to, len(file.Content)})
	})
}

// parsedFile is the value that parse --output json prints.
type parsedFile struct {
	Placemarks []parsedPlacemark `json:"placemarks"`
	Warnings   []parsedWarning   `json:"warnings"`
	Questions  []parsedQuestion  `json:"questions"`
}

// parsedQuestion is a question about a file that can be read in more than one way.
type parsedQuestion struct {
	Kind    kmlcsv.QuestionKind `json:"kind"`
	Line    int                 `json:"line"` // 0 for the whole file
	Text    string              `json:"text"`
	Flag    string              `json:"flag"`    // that answers it
	Certain bool                `json:"certain"` // the first choice was used
	Choices []parsedChoice      `json:"choices"`
}

type parsedChoice struct {
	Value string `json:"value"`
	Label string `json:"label"`
	Town  string `json:"town"` // where the first site would be, "" if unknown
}

type parsedPlacemark struct {
	LocationLabel string      `json:"locationLabel"`
	Country       string      `json:"country"`
	City          string      `json:"city"`
	LocationMap   []api.Point `json:"locationMap"`
	MissionType   kmlcsv.Kind `json:"missionType"`
	AreaSize      float64     `json:"areaSize"` // square metres
	Length        float64     `json:"length"`   // metres
}

type parsedWarning struct {
	Code      kmlcsv.Code `json:"code"`
	Line      int         `json:"line"`      // 0 for the whole file
	Placemark string      `json:"placemark"` // label, "" for none
	Message   string      `json:"message"`
}

// writeJSON writes parsed files as JSON.
func writeJSON(w io.Writer, found *kmlcsv.Result) error {
	parsed := parsedFile{
		Placemarks: make([]parsedPlacemark, len(found.Placemarks)),
		Warnings:   make([]parsedWarning, len(found.Warnings)),
		Questions:  make([]parsedQuestion, len(found.Questions)),
	}
	for i := range found.Placemarks {
		p := &found.Placemarks[i]
		points := ordering.WirePoints(p.Points())
		parsed.Placemarks[i] = parsedPlacemark{p.Name, p.Country, p.City, points, p.Kind(), p.Area, p.Length}
	}
	for i, w := range found.Warnings {
		parsed.Warnings[i] = parsedWarning{w.Code, w.Line, w.Placemark, w.Message}
	}
	for i, q := range found.Questions {
		question := parsedQuestion{q.Kind, q.Line, q.Text, answerFlags[q.Kind], q.Certain, make([]parsedChoice, len(q.Choices))}
		for k, choice := range q.Choices {
			question.Choices[k] = parsedChoice(choice)
		}
		parsed.Questions[i] = question
	}
	return json.MarshalEncode(jsontext.NewEncoder(w, jsontext.EscapeForJS(true)), parsed) // which ends the line
}

// placemarkSheet returns the sheet that prints placemarks for people, with totals below.
func placemarkSheet(placemarks []kmlcsv.Placemark) *rowSheet[*kmlcsv.Placemark] {
	s := newSheet("placemark", placemarkColumns(), "")
	var area, length float64
	for i := range placemarks {
		area += placemarks[i].Area
		length += placemarks[i].Length
	}
	if area > 0 {
		s.Totals = ", " + format.Units{}.Area(area)
	}
	if length > 0 {
		s.Totals += ", " + format.Length(length)
	}
	return s
}

func placemarkColumns() []columns.Column[*kmlcsv.Placemark] {
	return columns.MakeColumns("placemarks", columns.Values[*kmlcsv.Placemark]{
		"type": func(p *kmlcsv.Placemark) columns.Cell {
			return columns.TextCell(format.Word(api.MissionType(p.Kind())).Label)
		},
		"size": func(p *kmlcsv.Placemark) columns.Cell {
			kind := api.MissionType(p.Kind())
			site := ordering.Site{
				Type:     kind,
				Geometry: p.Geometry,
				Area:     p.Area,
				Length:   p.Length,
			}
			return columns.TextCell(site.SizeText(format.Units{}))
		},
		"points": func(p *kmlcsv.Placemark) columns.Cell {
			return columns.TextCell(format.GroupInt(max(1, len(p.Points()))))
		},
	})
}
