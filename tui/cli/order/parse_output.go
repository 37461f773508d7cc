package order

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

// Parsed is the value that parse --output json prints.
type Parsed struct {
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

func writeJSON(w io.Writer, found *kmlcsv.Result) error {
	value := Parsed{
		Placemarks: make([]parsedPlacemark, len(found.Placemarks)),
		Warnings:   make([]parsedWarning, len(found.Warnings)),
	}
	for i, p := range found.Placemarks {
		points := p.Points()
		value.Placemarks[i] = parsedPlacemark{
			LocationLabel: p.Name, Country: p.Country, City: p.City, MissionType: p.Kind(),
			LocationMap: make([]api.Point, len(points)), AreaSize: p.Area, Length: p.Length,
		}
		for j, point := range points {
			value.Placemarks[i].LocationMap[j] = api.Point{Lat: point.Lat(), Lng: point.Lon()}
		}
	}
	for i, warning := range found.Warnings {
		value.Warnings[i] = parsedWarning{warning.Code, warning.Line, warning.Placemark, warning.Message}
	}
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	return out.Flush()
}

// writeTable prints placemarks for people, with totals below. Labels and
// places are cut so that a line fits the width; 0 cuts nothing.
func writeTable(w io.Writer, placemarks []kmlcsv.Placemark, width int) error {
	columns := []*run.Column{
		{Title: "Label", Least: 12},
		{Title: "Type"},
		{Title: "Country", Least: 7},
		{Title: "City", Least: 4},
		{Title: "Size", Right: true},
		{Title: "Points", Right: true},
	}
	sizes := make([]string, len(placemarks))
	for i := range placemarks {
		sizes[i] = size(&placemarks[i])
	}
	alignUnits(sizes)
	var area, length float64
	for i, p := range placemarks {
		row := []string{p.Name, string(p.Kind()), p.Country, p.City, sizes[i], format.Group(float64(len(p.Points())), 0)}
		for j, text := range row {
			columns[j].Texts = append(columns[j].Texts, layout.Clean(text))
		}
		area += p.Area
		length += p.Length
	}
	out := bufio.NewWriter(w)
	printColumns(out, columns, width)
	fmt.Fprintf(out, "\n%s\n", totals(len(placemarks), area, length))
	return out.Flush()
}

func size(p *kmlcsv.Placemark) string {
	switch p.Kind() {
	case kmlcsv.Area:
		return format.Area(p.Area)
	case kmlcsv.Linear:
		return format.Length(p.Length)
	default:
		return format.None
	}
}

// alignUnits pads the units to one width, so that right-aligned numbers stand
// below each other.
func alignUnits(sizes []string) {
	widest := 0
	for _, s := range sizes {
		_, unit, _ := strings.Cut(s, " ")
		widest = max(widest, layout.Width(unit))
	}
	for i, s := range sizes {
		number, unit, _ := strings.Cut(s, " ")
		sizes[i] = number + " " + layout.Left(unit, widest)
	}
}

// printColumns prints a table with its head, fitted to a width.
func printColumns(w *bufio.Writer, columns []*run.Column, width int) {
	run.Fit(columns, width)
	printRow(w, columns, func(c *run.Column) string { return c.Title })
	for i := range columns[0].Texts {
		printRow(w, columns, func(c *run.Column) string { return c.Texts[i] })
	}
}

func printRow(w *bufio.Writer, columns []*run.Column, text func(*run.Column) string) {
	parts := make([]string, len(columns))
	for i, c := range columns {
		if c.Right {
			parts[i] = layout.Right(text(c), c.Width)
		} else {
			parts[i] = layout.Left(text(c), c.Width)
		}
	}
	fmt.Fprintln(w, strings.TrimRight(strings.Join(parts, "  "), " "))
}

func totals(count int, area, length float64) string {
	s := format.Count(count, "placemark", "placemarks")
	if area > 0 {
		s += ", " + format.Area(area)
	}
	if length > 0 {
		s += ", " + format.Length(length)
	}
	return s
}
