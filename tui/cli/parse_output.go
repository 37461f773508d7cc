package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"

	"flightdesk/api"
	"flightdesk/kmlcsv"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

// parsed is the value that parse --output json prints.
type parsed struct {
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
	value := parsed{
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

// terminalWidth is how many cells wide the terminal is, 0 for no terminal.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(f.Fd())
	if err != nil {
		return 0
	}
	return width
}

// column is one column of the table. Numbers stand right, their units below
// each other.
type column struct {
	title string
	right bool
	least int // cells that it keeps on a narrow terminal
	width int
	texts []string
}

// writeTable prints placemarks for people, with totals below. Labels and
// places are cut so that a line fits the width; 0 cuts nothing.
func writeTable(w io.Writer, placemarks []kmlcsv.Placemark, width int) error {
	columns := []*column{
		{title: "Label", least: 12},
		{title: "Type"},
		{title: "Country", least: 7},
		{title: "City", least: 4},
		{title: "Size", right: true},
		{title: "Points", right: true},
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
			columns[j].texts = append(columns[j].texts, layout.Clean(text))
		}
		area += p.Area
		length += p.Length
	}
	fit(columns, width)
	out := bufio.NewWriter(w)
	printRow(out, columns, func(c *column) string { return c.title })
	for i := range placemarks {
		printRow(out, columns, func(c *column) string { return c.texts[i] })
	}
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

// fit sets the columns' widths and narrows those that may be cut, the widest
// first, until the line fits.
func fit(columns []*column, width int) {
	total := 2 * (len(columns) - 1)
	for _, c := range columns {
		c.width = layout.Width(c.title)
		for _, text := range c.texts {
			c.width = max(c.width, layout.Width(text))
		}
		total += c.width
	}
	for ; width > 0 && total > width; total-- {
		var widest *column
		for _, c := range columns {
			if c.least > 0 && c.width > c.least && (widest == nil || c.width > widest.width) {
				widest = c
			}
		}
		if widest == nil {
			return
		}
		widest.width--
	}
}

func printRow(w *bufio.Writer, columns []*column, text func(*column) string) {
	parts := make([]string, len(columns))
	for i, c := range columns {
		if c.right {
			parts[i] = layout.Right(text(c), c.width)
		} else {
			parts[i] = layout.Left(text(c), c.width)
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
