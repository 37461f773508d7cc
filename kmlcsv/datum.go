package kmlcsv

import (
	"bytes"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
)

var (
	datumNames = strings.Fields(`datum geodeticdatum horizontaldatum horizdatum mapdatum gpsdatum coordinatedatum
		bezugssystem referenzsystem dato`)

	// unknownDatums are the words that people and programs write for an unknown datum.
	unknownDatums = wordSet(`unknown notrecorded none na unbekannt desconocido inconnu undefined notknown
		dd decimaldegrees degrees geographic latlong latlon gcs geodetic gps dms`)
)

// datumReader has the datum of coordinates whose reference system is not named otherwise.
type datumReader struct {
	column int         // column with the datum of each row, or -1
	named  *crs.System // geographic system of the datum in a header or a title, nil for none

	rowText  []byte      // datum in the last row, as written
	rowDatum *crs.System // geographic system of that datum, nil for WGS 84
}

// findDatum finds the column with the datum of each row, and the datum that the texts mention.
func (r *csvReader) findDatum(texts []string) {
	r.datum = datumReader{column: r.finder.findColumn(datumNames)}
	if r.datum.column < 0 && !r.grid.metric {
		r.datum.column = r.finder.findColumn(crsNames)
	}
	if i := r.datum.column; i >= 0 && r.isBlankColumn(i) {
		r.datum.column = -1
	}
	for _, text := range texts {
		if datum := datumIn(text); datum != nil && r.datum.named == nil {
			r.datum.named = datum
		}
	}
}

// datumIn returns the geographic system of the datum that a text mentions by an abbreviation
// with a year, or by a name after the word "datum". It returns nil if there is none.
func datumIn(text string) *crs.System {
	if _, name, ok := strings.Cut(strings.ToLower(text), "datum"); ok {
		if datum := crs.FindDatum(strings.Trim(name, " :=,;\t")); datum != nil {
			return datum
		}
	}
	datum, _ := crs.CutDatum(text)
	return datum
}

// datumOfRow returns the geographic system of the record's datum, nil for WGS 84. A row without
// a datum is read as WGS 84, with one warning for the file.
func (r *csvReader) datumOfRow() (*crs.System, *Error) {
	if r.datum.column < 0 {
		return orWGS84(r.datum.named), nil
	}
	cell := bytes.TrimSpace(r.cellAt(r.datum.column))
	if len(r.datum.rowText) > 0 && bytes.Equal(cell, r.datum.rowText) {
		return r.datum.rowDatum, nil
	}
	datum, problem := r.readDatum(string(cell))
	if problem != nil {
		return nil, problem
	}
	r.datum.rowText = append(r.datum.rowText[:0], cell...)
	r.datum.rowDatum = orWGS84(datum)
	return r.datum.rowDatum, nil
}

// readDatum returns the geographic system of the datum in a cell. If the cell is blank or says that
// the datum is unknown, it returns the system of the datum that the table names, or nil.
func (r *csvReader) readDatum(cell string) (*crs.System, *Error) {
	name := foldName(cell)
	if name == "" || unknownDatums[name] {
		if r.datum.named == nil {
			r.out.assumesWGS84 = true
		}
		return r.datum.named, nil
	}
	if datum := crs.FindDatum(cell); datum != nil {
		return datum, nil
	}
	if datum := datumIn(cell); datum != nil {
		return datum, nil
	}
	return nil, newError(OtherReference,
		"the datum %s is not known; choose the system of the table, such as EPSG:4326", []byte(cell))
}

// orWGS84 returns s, or nil if s is WGS 84, whose degrees need no conversion.
func orWGS84(s *crs.System) *crs.System {
	if s != nil && s.IsWGS84() {
		return nil
	}
	return s
}

// useDatum finds the datum of degrees, unless their reference system was chosen.
func (r *csvReader) useDatum() {
	r.datum.column = -1
	if r.out.opts.CRS != 0 || r.out.system != nil {
		return
	}
	r.findDatum(r.systemTexts())
	if named := orWGS84(r.datum.named); named != nil && r.datum.column < 0 {
		r.out.useSystem(named)
	}
}

// convertFromDatum converts a position from the datum of the record to WGS 84.
func (r *csvReader) convertFromDatum(p orb.Point) (orb.Point, *Error) {
	datum, problem := r.datumOfRow()
	if problem != nil || datum == nil {
		return p, problem
	}
	return r.convertPoint(datum, p)
}

// convertPoint converts a position from a reference system to WGS 84, and counts the conversion.
func (r *csvReader) convertPoint(system *crs.System, p orb.Point) (orb.Point, *Error) {
	converted, ok := placeIn(system, p[0], p[1])
	if !ok {
		return p, newError(OutOfRange, "its coordinates are not of %s", []byte(system.Reference()))
	}
	r.out.countConversion(system, converted)
	return converted, nil
}
