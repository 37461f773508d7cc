package kmlcsv

import (
	"bytes"
	"encoding/hex"

	"flightdesk/kmlcsv/crs"
)

// minHexWKB is the minimum length of well-known binary in hexadecimal digits, which is the length of a point.
const minHexWKB = 42

// isHexWKB reports whether a cell is well-known binary in hexadecimal digits, as PostGIS exports it. It starts
// with the byte order, 00 or 01.
func isHexWKB(cell []byte) bool {
	cell = bytes.TrimPrefix(bytes.TrimSpace(cell), []byte(`\x`))
	hasByteOrder := bytes.HasPrefix(cell, []byte("01")) || bytes.HasPrefix(cell, []byte("00"))
	if len(cell) < minHexWKB || len(cell)%2 != 0 || !hasByteOrder {
		return false
	}
	for _, c := range cell {
		isHexDigit := c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' // c|0x20 is the lower case
		if !isHexDigit {
			return false
		}
	}
	return true
}

// readWKB reads well-known binary in hexadecimal digits. It can contain an SRID, the code of the reference system,
// which PostGIS adds.
func (c *cellReader) readWKB(cell []byte) ([]rawFigure, *Error) {
	cell = bytes.TrimPrefix(bytes.TrimSpace(cell), []byte(`\x`))
	data := make([]byte, hex.DecodedLen(len(cell)))
	_, err := hex.Decode(data, cell)
	if err != nil {
		return nil, newError(GeometryUnreadable, "the well-known binary is not valid")
	}
	r := &wkbReader{data: data}
	figures, problem := r.readGeometry(0)
	if problem != nil {
		return nil, problem
	}
	if r.srid != 0 && r.srid != 4326 { // 4326 is WGS 84
		system, err := crs.FindCode(r.srid)
		if err != nil {
			return nil, newError(OtherReference, "SRID %d: %v", r.srid, err)
		}
		c.system = system
	}
	return figures, nil
}
