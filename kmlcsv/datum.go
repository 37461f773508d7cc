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

// datumReader finds the datum of coordinates in degrees. It is only used if neither the file nor the options name a
// reference system. The geographic system of a datum has longitude and latitude in degrees.
type datumReader struct {
	column int         // column with the datum of each row, or -1
	named  *crs.System // geographic system of the datum that a header or a title names, or nil

	rowText  []byte      // datum of the last row that was read, as written in the row
	rowDatum *crs.System // geographic system of the datum in rowText, nil for WGS 84
}

// findDatum finds the column with the datum of each row. It also looks for a datum in the texts, and uses the first
// that it finds.
func (c *coordinateReader) findDatum(texts []string) {
	c.datum = datumReader{column: c.layout.finder.findColumn(datumNames)}
	if c.datum.column < 0 && !c.grid.metric {
		c.datum.column = c.layout.finder.findColumn(crsNames)
	}
	if i := c.datum.column; i >= 0 && c.rows.isBlankColumn(i) {
		c.datum.column = -1
	}
	for _, text := range texts {
		if datum := datumIn(text); datum != nil && c.datum.named == nil {
			c.datum.named = datum
		}
	}
}

// datumIn returns the geographic system of the datum that a text mentions. The datum is an abbreviation with a year,
// or a name after the word "datum". datumIn returns nil if the text mentions no datum.
func datumIn(text string) *crs.System {
	if _, name, ok := strings.Cut(strings.ToLower(text), "datum"); ok {
		if datum := crs.FindDatum(strings.Trim(name, " :=,;\t")); datum != nil {
			return datum
		}
	}
	datum, _ := crs.CutDatum(text)
	return datum
}

// datumOfRow returns the geographic system of the datum of the current row, nil for WGS 84. A row without a datum is
// read as WGS 84 unless the table names a datum. There is one warning for all such rows.
func (c *coordinateReader) datumOfRow() (*crs.System, *Error) {
	if c.datum.column < 0 {
		return orWGS84(c.datum.named), nil
	}
	cell := bytes.TrimSpace(c.rows.cellAt(c.datum.column))
	if len(c.datum.rowText) > 0 && bytes.Equal(cell, c.datum.rowText) {
		return c.datum.rowDatum, nil
	}
	datum, problem := c.readDatum(string(cell))
	if problem != nil {
		return nil, problem
	}
	c.datum.rowText = append(c.datum.rowText[:0], cell...)
	c.datum.rowDatum = orWGS84(datum)
	return c.datum.rowDatum, nil
}

// readDatum returns the geographic system of the datum in a cell. If the cell is blank or has a word for an unknown
// datum, readDatum uses the datum that the table names. It returns nil if the table names none.
func (c *coordinateReader) readDatum(cell string) (*crs.System, *Error) {
	name := foldName(cell)
	if name == "" || unknownDatums[name] {
		if c.datum.named == nil {
			c.out.conversions.assumesWGS84 = true
		}
		return c.datum.named, nil
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

// orWGS84 returns s, or nil if s is WGS 84, because WGS 84 needs no conversion.
func orWGS84(s *crs.System) *crs.System {
	if s != nil && s.IsWGS84() {
		return nil
	}
	return s
}

// useDatum finds the datum of coordinates in degrees. It does nothing if the file or the user chose a reference
// system.
func (c *coordinateReader) useDatum() {
	c.datum.column = -1
	if c.out.opts.CRS != 0 || c.out.system != nil {
		return
	}
	c.findDatum(c.layout.systemTexts())
	if named := orWGS84(c.datum.named); named != nil && c.datum.column < 0 {
		c.out.useSystem(named)
	}
}

// convertFromDatum converts a position to WGS 84 from the datum of the current row.
func (c *coordinateReader) convertFromDatum(p orb.Point) (orb.Point, *Error) {
	datum, problem := c.datumOfRow()
	if problem != nil || datum == nil {
		return p, problem
	}
	return c.convertPoint(datum, p)
}

// convertPoint converts a position from a reference system to WGS 84, and counts the conversion.
func (c *coordinateReader) convertPoint(system *crs.System, p orb.Point) (orb.Point, *Error) {
	converted, ok := placeIn(system, p[0], p[1])
	if !ok {
		return p, newError(OutOfRange, "its coordinates are not of %s", []byte(system.Reference()))
	}
	c.out.conversions.count(system, converted)
	return converted, nil
}
