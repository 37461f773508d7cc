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

	// unknownDatums are words that tables have in the datum column although they name no datum, such as "unknown" and
	// "gps".
	unknownDatums = wordSet(`unknown notrecorded none na unbekannt desconocido inconnu undefined notknown
		dd decimaldegrees degrees geographic latlong latlon gcs geodetic gps dms`)
)

// datumReader finds the datum of longitudes and latitudes in degrees. It is used only if neither the file nor the
// options name a reference system. It represents a datum by its geographic system, which is the reference system with
// longitude and latitude in degrees on this datum.
type datumReader struct {
	column int         // column with the datum of each row, or -1
	named  *crs.System // datum that a header or a title names, or nil

	rowText  []byte      // datum of the last row that was read, as written in the row
	rowDatum *crs.System // datum that rowText means, nil for WGS 84
}

// findDatum finds the column that has the datum of each row. It also looks for the name of a datum in texts, such as
// the titles of the table, and uses the first that it finds.
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

// datumIn returns the geographic system of the datum that a text mentions, or nil. It recognises an abbreviation with
// a year, such as NAD27, and a name after the word "datum".
func datumIn(text string) *crs.System {
	if _, name, ok := strings.Cut(strings.ToLower(text), "datum"); ok {
		if datum := crs.FindDatum(strings.Trim(name, " :=,;\t")); datum != nil {
			return datum
		}
	}
	datum, _ := crs.CutDatum(text)
	return datum
}

// datumOfRow returns the geographic system of the datum of the current row, or nil for WGS 84. A row without a datum
// has the datum that the table names, otherwise WGS 84.
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

// readDatum returns the geographic system of the datum that a cell names. If the cell names none, it returns the
// datum that the table names. If the table names none either, it returns nil for WGS 84, and notes that WGS 84 was
// assumed, so that the user gets one warning for all rows. It returns an error if the cell names an unknown datum.
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

// orWGS84 replaces the system WGS 84 by nil, because nil means that no conversion is needed. It returns any other
// system unchanged.
func orWGS84(s *crs.System) *crs.System {
	if s != nil && s.IsWGS84() {
		return nil
	}
	return s
}

// useDatum finds the datum of longitudes and latitudes in degrees, and uses it for their conversion. It does nothing
// if the file or the user already chose a reference system.
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

// convertFromDatum converts a position in degrees from the datum of the current row to WGS 84.
func (c *coordinateReader) convertFromDatum(p orb.Point) (orb.Point, *Error) {
	datum, problem := c.datumOfRow()
	if problem != nil || datum == nil {
		return p, problem
	}
	return c.convertPoint(datum, p)
}

// convertPoint converts a position from a reference system to WGS 84. It records the conversion, so that the user is
// told about it.
func (c *coordinateReader) convertPoint(system *crs.System, p orb.Point) (orb.Point, *Error) {
	converted, ok := placeIn(system, p[0], p[1])
	if !ok {
		return p, newError(OutOfRange, "its coordinates are not of %s", []byte(system.Reference()))
	}
	c.out.conversions.count(system, converted)
	return converted, nil
}
