package order

import (
	"bufio"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/format"
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

// writeJSON writes a [ParsedFile], each placemark as it comes: a large file has
// hundreds of thousands.
func writeJSON(w io.Writer, found *kmlcsv.Result) error {
	placemark := func(out *jsontext.Encoder, p *kmlcsv.Placemark) error {
		points := ordering.WirePoints(p.Points())
		return json.MarshalEncode(
			out,
			parsedPlacemark{p.Name, p.Country, p.City, points, p.Kind(), p.Area, p.Length},
		)
	}
	warning := func(out *jsontext.Encoder, w *kmlcsv.Warning) error {
		return json.MarshalEncode(out, parsedWarning{w.Code, w.Line, w.Placemark, w.Message})
	}
	lists := struct {
		Placemarks []kmlcsv.Placemark `json:"placemarks"`
		Warnings   []kmlcsv.Warning   `json:"warnings"`
	}{found.Placemarks, found.Warnings}
	out := jsontext.NewEncoder(w, jsontext.EscapeForJS(true)) // which ends the line
	return json.MarshalEncode(out, lists,
		json.WithMarshalers(json.JoinMarshalers(json.MarshalToFunc(placemark), json.MarshalToFunc(warning))))
}

// writeTable prints placemarks for people, with totals below.
func writeTable(w io.Writer, placemarks []kmlcsv.Placemark, width int) error {
	s := run.NewSheet("placemark", "placemarks", placemarkColumns(), time.Now, "")
	s.Width = width
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
	out := bufio.NewWriterSize(w, 1<<16)
	s.PrintTable(out, run.PointersTo(placemarks), w)
	return out.Flush()
}

func placemarkColumns() []columns.Column[kmlcsv.Placemark] {
	return columns.MakeColumns([]columns.ColumnSpec{
		{Title: "Label", Name: "name", Least: 12},
		{Title: "Type"},
		{Title: "Country", Least: 7},
		{Title: "City", Least: 4},
		{Title: "Size", Right: true},
		{Title: "Points", Right: true},
	}, columns.Values[kmlcsv.Placemark]{
		"Type": func(p *kmlcsv.Placemark) columns.Cell {
			return columns.TextCell(labels.Word(api.MissionType(p.Kind())).Label)
		},
		"Size": sizeCell,
		"Points": func(p *kmlcsv.Placemark) columns.Cell {
			return columns.TextCell(format.GroupInt(max(1, len(p.Points()))))
		},
	})
}

func sizeCell(p *kmlcsv.Placemark) columns.Cell {
	switch p.Kind() {
	case kmlcsv.Area:
		return columns.TextCell(format.Units{}.Area(p.Area))
	case kmlcsv.Linear:
		return columns.TextCell(format.Length(p.Length))
	}
	return columns.NoCell()
}
