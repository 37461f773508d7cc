package kmlcsv

import (
	"iter"

	"flightdesk/kmlcsv/crs"
)

// Format is a kind of survey file.
type Format string

// The formats.
const (
	FormatAuto    Format = ""    // recognised by the content
	FormatKML     Format = "kml" // KMZ too, by its first bytes
	FormatCSV     Format = "csv"
	FormatGeoJSON Format = "geojson"
)

// Options say how a file is read. The zero value is the usual way.
type Options struct {
	Format     Format   // FormatAuto recognises it by the content
	Name       string   // of the file, "" if unknown; its ending helps to say what is wrong
	MaxBytes   int64    // 0 means DefaultMaxBytes; of a KMZ also what it inflates to
	SwapLatLng bool     // read latitude as longitude and the reverse
	Columns    *Columns // the columns of a CSV, nil to find them by their names
	NoPlaces   bool     // leave country and city as the file gives them

	MaxWarnings int // how many are listed, 0 for DefaultMaxWarnings; one more then says how many there are besides

	CRS       int  // EPSG code of the coordinates of a file that names none, 0 for WGS 84
	Waypoints bool // leave the waypoints of a DJI flight as placemarks, in place of joining them to a line
	Join      Kind // Linear or Area: the rows of a CSV are the vertices of one line or polygon, in order
}

// Result is the outcome of reading a file.
type Result struct {
	Format     Format
	Placemarks []Placemark
	Warnings   []Warning
	Header     []string // header cells of a CSV as in the file, nil for KML
	Columns    Columns  // columns of a CSV as used
	Systems    []Guess  // reference systems that the coordinates of a file that names none can be of
	Skipped    int      // placemarks and parts of placemarks that were not read
}

// Guess is a reference system that a file may use.
type Guess struct {
	Code int    // EPSG
	Town string // where the first site would be
}

// All yields the placemarks in order, each with the warnings about it.
// Warnings about the file, or about what was skipped, are not among them.
func (r *Result) All() iter.Seq2[Placemark, []Warning] {
	return func(yield func(Placemark, []Warning) bool) {
		by := make(map[int][]Warning)
		for _, w := range r.Warnings {
			if w.Index >= 0 {
				by[w.Index] = append(by[w.Index], w)
			}
		}
		for i, p := range r.Placemarks {
			if !yield(p, by[i]) {
				return
			}
		}
	}
}

// Parse reads a survey file. It keeps nothing of data.
//
// The error is always an [*Error]. Where the file was understood but nothing
// in it is usable, the result is there too, so that its warnings and header
// can be shown; after other errors it is nil.
func Parse(data []byte, opts Options) (*Result, error) {
	res, err := parseFormat(data, opts)
	if err == nil {
		return res, nil
	}
	switch err.Code {
	case NothingUsable, NoPlacemarks, OnlyLinks, NoColumns, NoRows, ProjectedCoords:
		return res, err
	}
	return nil, err
}

// SystemNamed returns the EPSG code of a reference system by a text such as
// "EPSG:25832" or "UTM 32N", for [Options], 0 for an unknown one.
func SystemNamed(text string) int { return crs.Named(text) }
