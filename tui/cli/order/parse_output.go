package order

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

// ParsedFile is the value that parse --output json prints.
type ParsedFile struct {
	Placemarks []parsedPlacemark `json:"placemarks"`
	Warnings   []parsedWarning   `json:"warnings"`
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

// writeJSON writes a [Parsed], each placemark as it comes: a large file has
// hundreds of thousands.
func writeJSON(w io.Writer, found *kmlcsv.Result) error {
	out := jsontext.NewEncoder(w, jsontext.EscapeForJS(true))
	list := func(name string, count int, item func(i int) any) error {
		if err := cmp.Or(out.WriteToken(jsontext.String(name)), out.WriteToken(jsontext.BeginArray)); err != nil {
			return err
		}
		for i := range count {
			if err := json.MarshalEncode(out, item(i)); err != nil {
				return err
			}
		}
		return out.WriteToken(jsontext.EndArray)
	}
	var p parsedPlacemark
	placemark := func(i int) any {
		p.setPlacemark(&found.Placemarks[i])
		return &p
	}
	warning := func(i int) any {
		w := &found.Warnings[i]
		return parsedWarning{w.Code, w.Line, w.Placemark, w.Message}
	}
	return cmp.Or(
		out.WriteToken(jsontext.BeginObject),
		list("placemarks", len(found.Placemarks), placemark),
		list("warnings", len(found.Warnings), warning),
		out.WriteToken(jsontext.EndObject),
	)
}

// setPlacemark takes over a placemark, and reuses the memory of the one before.
func (p *parsedPlacemark) setPlacemark(from *kmlcsv.Placemark) {
	p.LocationLabel, p.Country, p.City, p.MissionType = from.Name, from.Country, from.City, from.Kind()
	p.AreaSize, p.Length = from.Area, from.Length
	points := from.Points()
	p.LocationMap = slices.Grow(p.LocationMap[:0], len(points))
	for _, point := range points {
		p.LocationMap = append(p.LocationMap, api.Point{Lat: point.Lat(), Lng: point.Lon()})
	}
}

// writeTable prints placemarks for people, with totals below. Labels and
// places are cut so that a line fits the width; 0 cuts nothing. It makes the
// texts twice, the first time for their widths, for there may be many.
func writeTable(w io.Writer, placemarks []kmlcsv.Placemark, width int) error {
	columns := []*run.TableColumn{
		{Title: "Label", Least: 12},
		{Title: "Type"},
		{Title: "Country", Least: 7},
		{Title: "City", Least: 4},
		{Title: "Size", Right: true},
		{Title: "Points", Right: true},
	}
	var widest [sizeColumn + 2]int
	var area, length float64
	unit, measure := 0, func(j int, text string) {
		if w := layout.Width(text); w > widest[j] {
			widest[j], columns[j].Texts = w, []string{text}
		}
	}
	for i := range placemarks {
		p := &placemarks[i]
		for j, text := range tableRow(p) {
			if j == sizeColumn {
				var u string
				text, u, _ = strings.Cut(text, " ")
				unit = max(unit, layout.Width(u))
			}
			measure(j, text)
		}
		area += p.Area
		length += p.Length
	}
	for _, number := range columns[sizeColumn].Texts {
		measure(sizeColumn, number+layout.BlankCells(1+unit))
	}
	out := bufio.NewWriterSize(w, 1<<16)
	run.FitColumns(columns, width)
	printRow(out, columns, func(j int) string { return columns[j].Title })
	none := format.None + layout.BlankCells(1+unit)
	for i := range placemarks {
		row := tableRow(&placemarks[i])
		if row[sizeColumn] == format.None {
			row[sizeColumn] = none
		} else {
			number, u, _ := strings.Cut(row[sizeColumn], " ")
			row[sizeColumn] = number + " " + layout.FitLeft(u, unit)
		}
		printRow(out, columns, func(j int) string { return row[j] })
	}
	fmt.Fprintf(out, "\n%s\n", totalsText(len(placemarks), area, length))
	return out.Flush()
}

// sizeColumn is the column whose units stand below each other.
const sizeColumn = 4

// tableRow returns a placemark in the table.
func tableRow(p *kmlcsv.Placemark) [sizeColumn + 2]string {
	points := "1"
	if _, is := p.Geometry.(orb.Point); !is {
		points = format.GroupDigits(float64(len(p.Points())), 0)
	}
	return [...]string{
		layout.Clean(p.Name),
		labels.MissionType(api.MissionType(p.Kind())).Label,
		layout.Clean(p.Country),
		layout.Clean(p.City),
		sizeText(p),
		points,
	}
}

func sizeText(p *kmlcsv.Placemark) string {
	switch p.Kind() {
	case kmlcsv.Area:
		return format.Area(p.Area)
	case kmlcsv.Linear:
		return format.Length(p.Length)
	default:
		return format.None
	}
}

// printColumns prints a table with its head, fitted to a width.
func printColumns(w *bufio.Writer, columns []*run.TableColumn, width int) {
	run.FitColumns(columns, width)
	printRow(w, columns, func(j int) string { return columns[j].Title })
	for i := range columns[0].Texts {
		printRow(w, columns, func(j int) string { return columns[j].Texts[i] })
	}
}

const manyBlanks = "                                                                "

// printRow prints a line of a table without blanks at its end.
func printRow(w *bufio.Writer, columns []*run.TableColumn, text func(j int) string) {
	blanks := 0
	for j, c := range columns {
		s := text(j)
		rest := c.Width - layout.Width(s)
		if rest < 0 {
			s = layout.CutLine(s, c.Width)
			rest = c.Width - layout.Width(s)
		}
		if c.Right {
			blanks, rest = blanks+rest, 0
		}
		end := len(strings.TrimRight(s, " "))
		if end > 0 {
			for ; blanks > 0; blanks -= min(blanks, len(manyBlanks)) {
				_, _ = w.WriteString(manyBlanks[:min(blanks, len(manyBlanks))]) // Flush returns the error
			}
			_, _ = w.WriteString(s[:end])
		}
		blanks += len(s) - end + rest + 2
	}
	_ = w.WriteByte('\n')
}

func totalsText(count int, area, length float64) string {
	s := format.Count(count, "placemark", "placemarks")
	if area > 0 {
		s += ", " + format.Area(area)
	}
	if length > 0 {
		s += ", " + format.Length(length)
	}
	return s
}
