package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/kmlcsv"
	"flightdesk/kmlcsv/crs"
	"flightdesk/kmlcsv/shape"
	"flightdesk/tui/format"
)

// addReadingFlags adds the flags that control how a survey file is read.
func addReadingFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.String("crs", "", "reference system of a file that names none, for example EPSG:25832")
	flags.String("sheet", "", "sheet of a workbook; the first with coordinates if omitted")
	flags.Int("header-row", 0, "row of a table's header, 0 for none; found by its content if omitted")
	flags.String("columns", "",
		"columns of a table by their numbers, for example name=1,latitude=3,longitude=2")
	flags.String("axes", "", "order of unnamed coordinates: lat-lng or lng-lat; also northing or easting first")
	flags.String("hemisphere", "", "hemisphere of UTM zones that name none: north or south")
	flags.String("letter-o", "", "meaning of O in a longitude: east (Ost) or west (Oeste, Ouest)")
	flags.String("encoding", "", "encoding of a text, for example windows-1250; found by its letters if omitted")
	flags.StringArray("shape", nil,
		`area to make of points or lines, for example "rectangle 200x100" or "corridor 40m"; can be repeated`)
	flags.String("unit", "", "unit of coordinates that are whole numbers: "+
		"deg, gon, e5, e6, e7 (10^-7 of a degree), dm (ddmm.mm) or dms (ddmmss)")
}

// readShapes returns the operations in the values of --shape.
func readShapes(c *Call) ([]shape.Operation, error) {
	typed, err := c.Cmd.Flags().GetStringArray("shape")
	if err != nil {
		return nil, err
	}
	ops := make([]shape.Operation, len(typed))
	for i, text := range typed {
		op, err := shape.Parse(text)
		if err != nil {
			return nil, wrongUsage("--shape: %v", err)
		}
		ops[i] = op
	}
	return ops, nil
}

// reshape applies the operations of --shape one after the other to the placemarks of a file. If an operation
// does not fit some placemarks, it prints how many stay unchanged.
func reshape(c *Call, name string, found *kmlcsv.Result, ops []shape.Operation) error {
	for _, op := range ops {
		unchanged, reason, err := op.Reshape(found)
		if err != nil {
			return fmt.Errorf("%s: --shape %s: %w", name, op.Kind, err)
		}
		if unchanged > 0 {
			fmt.Fprintf(c.Stderr(), "%s: --shape %s: %s unchanged, first %s\n", format.Clean(name), op.Kind,
				format.Count(unchanged, "placemark"), format.Clean(reason))
		}
	}
	return nil
}

// readingOptions returns the options for reading a file, from the flags of addReadingFlags.
func readingOptions(c *Call) (kmlcsv.Options, error) {
	value := func(name string) string { return c.Cmd.Flag(name).Value.String() }
	opts := kmlcsv.Options{
		Sheet:      value("sheet"),
		Axes:       kmlcsv.AxisOrder(value("axes")),
		Hemisphere: kmlcsv.Hemisphere(value("hemisphere")),
		LetterO:    kmlcsv.LetterO(value("letter-o")),
		Encoding:   value("encoding"),
		Unit:       value("unit"),
	}
	none := kmlcsv.Options{}
	if err := checkReadingChoices(c); err != nil {
		return none, err
	}
	if err := kmlcsv.CheckEncoding(opts.Encoding); err != nil {
		return none, wrongUsage("--encoding: %v", err)
	}
	if text := value("crs"); text != "" {
		code, err := parseSystem(text)
		if err != nil {
			return none, err
		}
		opts.CRS = code
	}
	columns, err := parseColumns(value("columns"))
	if err != nil {
		return none, err
	}
	opts.Columns = columns
	opts.HeaderRow = headerRow(c)
	return opts, nil
}

// parseSystem returns the EPSG code of the reference system in --crs, which is given by its code or its name.
func parseSystem(text string) (int, error) {
	code, err := kmlcsv.SystemNamed(text)
	if err == nil {
		return code, nil
	}
	if unknown, isUnknown := errors.AsType[*crs.UnknownError](err); isUnknown {
		return 0, wrongUsage("--crs: %s; find its code with flightdesk crs QUERY", unknown.Problem)
	}
	return 0, wrongUsage("--crs: %v", err)
}

// headerRow returns the value of --header-row for [kmlcsv.Options]: -1 if the table has no header. It returns 0 if
// the flag is not set, so that the parser looks for the header.
func headerRow(c *Call) int {
	if !c.Cmd.Flag("header-row").Changed {
		return 0
	}
	row, _ := c.Cmd.Flags().GetInt("header-row")
	if row < 1 {
		return -1
	}
	return row
}

// checkReadingChoices returns an error if the value of a flag of addReadingFlags is not one of its fixed
// values.
func checkReadingChoices(c *Call) error {
	for _, choice := range []struct {
		flag    string
		allowed []string
	}{
		{"axes", []string{"lat-lng", "lng-lat"}},
		{"hemisphere", []string{"north", "south"}},
		{"letter-o", []string{"east", "west"}},
		{"unit", []string{"deg", "gon", "e5", "e6", "e7", "dm", "dms"}},
	} {
		value := c.Cmd.Flag(choice.flag).Value.String()
		if value != "" && !slices.Contains(choice.allowed, value) {
			return wrongUsage("--%s %s: expected %s", choice.flag, value, strings.Join(choice.allowed, ", "))
		}
	}
	return nil
}

// parseColumns parses a value of --columns, such as name=1,latitude=3,longitude=2. The first column has the
// number 1. It returns nil if the text is "".
func parseColumns(text string) (*kmlcsv.Columns, error) {
	if text == "" {
		return nil, nil
	}
	columns := kmlcsv.EmptyColumns()
	columnByName := map[string]*int{
		"name":      &columns.Label,
		"id":        &columns.ID,
		"sequence":  &columns.Sequence,
		"latitude":  &columns.Latitude,
		"northing":  &columns.Latitude,
		"longitude": &columns.Longitude,
		"easting":   &columns.Longitude,
		"geometry":  &columns.Geometry,
		"country":   &columns.Country,
		"city":      &columns.City,
		"type":      &columns.Type,
	}
	for pair := range strings.SplitSeq(text, ",") {
		name, numberText, _ := strings.Cut(pair, "=")
		column, isKnown := columnByName[strings.TrimSpace(name)]
		number, err := strconv.Atoi(strings.TrimSpace(numberText))
		if !isKnown || err != nil || number < 1 {
			return nil, wrongUsage("--columns %s: expected for example name=1,latitude=3,longitude=2", text)
		}
		*column = number - 1
	}
	return &columns, nil
}

// answerFlags are the flags that answer questions about a file, by the kind of the question.
var answerFlags = map[kmlcsv.QuestionKind]string{
	kmlcsv.AskSystem:     "--crs",
	kmlcsv.AskAxes:       "--axes",
	kmlcsv.AskHemisphere: "--hemisphere",
	kmlcsv.AskLetterO:    "--letter-o",
	kmlcsv.AskEncoding:   "--encoding",
	kmlcsv.AskSheet:      "--sheet",
	kmlcsv.AskColumns:    "--columns",
	kmlcsv.AskUnit:       "--unit",
}

// answerWithFlags returns the error of reading a file. If flags can answer the last question about the file, it
// adds the flags to the error. Other errors are returned unchanged.
func answerWithFlags(found *kmlcsv.Result, err error) error {
	readError, ok := errors.AsType[*kmlcsv.Error](err)
	if !ok || found == nil || len(found.Questions) == 0 {
		return err
	}
	question := found.Questions[len(found.Questions)-1]
	advised := *readError
	switch readError.Code {
	case kmlcsv.NeedsAnswer:
		advised.Message = question.Text + " " + strings.Join(describeChoices(&question), " or ")
	case kmlcsv.ProjectedCoords:
		advised.Message += "; choose it with --crs"
	case kmlcsv.NoColumns:
		advised.Message += "; or choose them with --columns latitude=2,longitude=3"
	default:
		return err
	}
	return &advised
}

// describeChoices returns the flag and the meaning of each possible answer to a question, such
// as "--crs EPSG:25832 (ETRS89 / UTM 32N)".
func describeChoices(q *kmlcsv.Question) []string {
	var choices []string
	for _, choice := range q.Choices {
		label := choice.Label
		if choice.Town != "" {
			label += ", " + choice.Town
		}
		choices = append(choices, fmt.Sprintf("%s %s (%s)", answerFlags[q.Kind], quoteArgument(choice.Value), format.Clean(label)))
	}
	return choices
}

// printAlternatives prints how else a file could have been read: for each question that the program answered itself,
// the flags for the other answers.
func printAlternatives(w io.Writer, name string, questions []kmlcsv.Question) {
	for _, question := range questions {
		choices := describeChoices(&question)
		if question.Certain && len(choices) > 1 {
			fmt.Fprintf(w, "%s: can also be read with %s\n", format.Clean(name), strings.Join(choices[1:], " or "))
		}
	}
}

// quoteArgument quotes a value for a shell if it has spaces, quotes or other special characters.
func quoteArgument(value string) string {
	value = format.Clean(value)
	if strings.ContainsAny(value, " '\"$`\\") {
		return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
	}
	return value
}
