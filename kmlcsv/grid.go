package kmlcsv

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
	"flightdesk/kmlcsv/places"
)

// maxAbove bounds the rows above the header.
const maxAbove = 50

// findHeader chooses the first row whose names are those of columns with coordinates,
// else a row above data. It returns the first row of data of a file without a
// header.
func (r *csvReader) findHeader() (first int) {
	rows := r.head[:min(len(r.head), maxAbove)]
	values := slices.IndexFunc(rows, func(row recordReader) bool {
		c := columnsByValue(row.fields)
		return c.HasLocation()
	})
	for i := range rows {
		if rows[i].row < r.opts.HeaderRow {
			continue
		}
		r.header = i
		for _, from := range []int{i + 1, values} { // rows above the first that has coordinates may be damaged
			if from <= i {
				continue
			}
			r.headerAt(i, from)
			c := r.findColumns()
			if c.HasLocation() || r.opts.HeaderRow != 0 || r.opts.Columns != nil || r.opts.Join != "" {
				if values >= 0 {
					i = min(i, values)
				}
				return i
			}
		}
	}
	r.header, first = rowAbove(rows, values)
	r.headerAt(r.header, r.header+1)
	return first
}

// rowAbove returns what may be the header where no names are known, and the first row
// of data: that is the row with coordinates, and the row above it the header if it is
// as wide. Where there are none, the header is the last row without a number before
// two of them, and the first row where there is nothing.
func rowAbove(rows []recordReader, values int) (header, data int) {
	switch {
	case values > 0 && len(rows[values-1].fields) == len(rows[values].fields):
		return values - 1, values
	case values >= 0:
		return values, values
	}
	for i := range rows {
		switch len(angleColumns(rows[i].fields)) {
		case 0:
			header = i
		case 1:
		default:
			return header, header
		}
	}
	return 0, 0
}

func cellTexts(cells [][]byte) []string {
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = string(c)
	}
	return texts
}

// columnsByValue finds columns by the coordinates in a row: a cell with a place,
// or the first two numbers of a latitude and a longitude.
func columnsByValue(cells [][]byte) Columns {
	c := EmptyColumns()
	var degrees []int
	for i, cell := range cells {
		cell = bytes.TrimSpace(cell)
		if c.Geometry < 0 && isPlace(cell) {
			c.Geometry = i
		}
		if degreeText.Match(cell) {
			degrees = append(degrees, i)
		}
	}
	if len(degrees) < 2 || c.Geometry >= 0 {
		return c
	}
	c.Latitude, c.Longitude = degrees[0], degrees[1]
	a, _ := readAngle(cells[degrees[0]], longitude)
	b, _ := readAngle(cells[degrees[1]], longitude)
	if math.Abs(a) > 90 || math.Abs(b) <= 90 && isRemote(orb.Point{b, a}) && !isRemote(orb.Point{a, b}) {
		c.Latitude, c.Longitude = degrees[1], degrees[0]
	}
	return c
}

func isRemote(p orb.Point) bool {
	place := places.Lookup(p)
	return !isAtTown(&place)
}

func isAtTown(place *places.Place) bool { return place.City != "" && !place.IsFar }

var (
	degreeText = regexp.MustCompile(`^[-+]?1?[0-9]{1,2}[.,][0-9]{3,}$`)
	placeText  = regexp.MustCompile(
		`[0-9][.,][0-9]{3,}.*[^0-9].*[0-9][.,][0-9]{3,}|[0-9] ?[°ºd] ?[0-9]+.*[0-9]|^https?://|^geo:|^[2-9CFGHJMPQRVWX]{8}\+|^[0-9]{1,2}[C-X] ?[A-Z]{2} ?[0-9]|^[HNSTO][A-Z] ?[0-9]{3,5} ?[0-9]{3,5}$`,
	)
)

// isPlace reports whether a cell has a place, whatever its column is called.
func isPlace(cell []byte) bool {
	if len(cell) >= maxPair*10 || !isWKT(cell) && !placeText.Match(cell) {
		return false
	}
	_, problem := new(cellReader).readCell(cell) // "Points" is the name of a column, "Point 1" of a site
	return problem == nil
}

// chooseSystem finds the reference system of coordinates that are not degrees.
func (r *csvReader) chooseSystem() (err *Error) {
	r.zone = -1
	if r.opts.CRS != 0 {
		if r.system, err = findSystem(r.opts.CRS); err != nil {
			return err
		}
	}
	lat, lng := r.columns.Latitude, r.columns.Longitude
	if min(lat, lng) < 0 || max(lat, lng) >= len(r.sample) {
		return nil
	}
	north, east := r.sample[lat], r.sample[lng]
	y, okY := metres(north)
	x, okX := metres(east)
	grid, xy := r.grid()
	_, areDegrees := degreesOf(north, east) // 51.957 and 4.021 can be, with marks of thousands or without
	far := !areDegrees && okX && okY && isFar(x, y)
	switch {
	case !grid && !far, xy && r.areDegrees():
		r.ignoreProjection()
		return nil
	case !grid && far && isTenMillionths(north, east, y):
		r.scale = 1e-7
		r.warnFile(PlaceGuessed, "the coordinates were read as ten-millionths of a degree")
		return nil
	}
	code, err := r.systemOf(x, y)
	if err != nil {
		return err
	}
	return r.useSystem(code)
}

// useSystem takes the coordinates for northings and eastings in the reference system
// of an EPSG code; 0 stands for UTM in the zone of each row.
func (r *csvReader) useSystem(code int) *Error {
	r.metric = true
	if code == 0 {
		r.warnFile(SystemConverted, "converted from UTM by the zone of each row, accurate to about 1 m")
		return nil
	}
	return r.takeSystem(code)
}

// isFar reports whether coordinates cannot be degrees.
func isFar(x, y float64) bool { return math.Abs(x) > 360 && math.Abs(y) > 360 }

// ignoreProjection drops a system of metres that was asked for: the coordinates
// are degrees.
func (r *csvReader) ignoreProjection() {
	if r.system != nil && !r.system.Geographic {
		r.warnFile(OtherReference, "the coordinates are degrees; %s is not used", r.system.Name())
		r.system = nil
	}
}

// isTenMillionths reports whether whole numbers are too large for metres and are
// a latitude and a longitude in units of 1e-7 degrees.
func isTenMillionths(north, east []byte, y float64) bool {
	return isWhole(north) && isWhole(east) && math.Abs(y) > 1.1e7 && math.Abs(y) <= 9e8
}

func isWhole(cell []byte) bool { return !bytes.ContainsAny(cell, ".,' ") }

// systemOf returns the code of the reference system that the file names or that
// the numbers begin with, 0 where each row has its zone.
func (r *csvReader) systemOf(x, y float64) (int, *Error) {
	code := cmp.Or(r.opts.CRS, r.named)
	if i := r.findColumn(crsNames); code == 0 && i >= 0 {
		code = crs.Named(string(r.sample[i]))
	}
	if i := r.findColumn(zoneNames); code == 0 && i >= 0 {
		if code = crs.Named(string(r.sample[i])); code == 0 {
			r.zone = i
			return 0, nil
		}
	}
	for _, row := range r.head[:r.header] {
		code = cmp.Or(code, crs.Named(string(bytes.Join(row.fields, []byte(" ")))))
	}
	if code = cmp.Or(code, leadingZone(x, y)); code != 0 {
		return code, nil
	}
	return 0, r.askSystem(x, y)
}

// leadingZone returns the code of the system whose zone is written before the
// easting, 0 for none.
func leadingZone(x, y float64) int {
	switch zone := math.Floor(x / 1e6); {
	case zone >= 28 && zone <= 38:
		return 25800 + int(zone)
	case zone >= 1 && zone <= 60 && x > 6e6:
		return 32600 + int(zone)
	case zone >= 2 && zone <= 5 && y > 5.2e6 && y < 6.2e6:
		return 31464 + int(zone)
	}
	return 0
}

// commonSystems are runs of systems, the first and the last, and the countries that use
// them.
const commonSystems = `25832 25832 DE AT IT DK NO CH
25833 25833 DE AT PL CZ SE HU
25831 25831 DE FR BE NL ES LU
25830 25830 ES FR
27700 27700 GB IM
2154 2154 FR
28992 28992 NL
2056 2056 CH LI
21781 21781 CH LI
3006 3006 SE
3067 3067 FI
2180 2180 PL
2157 2157 IE GB
31287 31287 AT
28350 28356 AU
26910 26919 US CA
`

// askSystem returns the error that asks for the reference system, with the
// town where the first site would be in each of the common ones.
func (b *resultBuilder) askSystem(x, y float64) *Error {
	var named []string
	for run := range strings.Lines(commonSystems) {
		var system, last int
		_, _ = fmt.Sscan(run, &system, &last) // two numbers
		for ; system <= last; system++ {
			p, ok := crs.Find(system).Point(x, y)
			if code := places.Country(p).Code; !ok || code == "" || !strings.Contains(run, code) {
				continue
			}
			if place := places.Lookup(p); isAtTown(&place) {
				b.res.Systems = append(b.res.Systems, Guess{system, place.City})
				named = append(named, fmt.Sprintf("EPSG:%d (near %s)", system, place.City))
			}
		}
	}
	hint := ""
	if len(named) > 0 {
		hint = ", for example " + strings.Join(named[:min(len(named), 5)], ", ")
	}
	return newError(
		ProjectedCoords,
		"the coordinates are projected and the file names no reference system; select it, or export as WGS 84%s",
		hint,
	)
}

// gridPosition reads a northing and an easting.
func (r *csvReader) gridPosition(north, east []byte) (p orb.Point, problem *Error) {
	y, okY := metres(north)
	x, okX := metres(east)
	if !okY || !okX {
		return p, newError(
			CoordinatesUnreadable, "the northing or the easting is not a number: %s, %s", north, east,
		)
	}
	if r.zone >= 0 {
		return r.zonePosition(x, y)
	}
	if p, ok := r.system.Point(x, y); ok {
		return p, nil
	}
	if p, ok := r.system.Point(y, x); ok { // Gauss-Krüger calls the northing x
		r.warnPlacemark(Swapped, "the columns of northing and easting are exchanged")
		return p, nil
	}
	return p, newError(OutOfRange, "%s, %s are not coordinates of %s", east, north, r.system.Name())
}

// zonePosition reads UTM by the zone of the row.
func (r *csvReader) zonePosition(x, y float64) (orb.Point, *Error) {
	zone := strings.ToUpper(strings.ReplaceAll(string(bytes.TrimSpace(r.cellAt(r.zone))), " ", ""))
	if zone != "" && zone[len(zone)-1] <= '9' {
		zone += "N"
		r.warnPlacemark(PlaceGuessed, "the UTM zone names no hemisphere; it was read as northern")
	}
	p, _, err := readGrid(fmt.Sprintf("%s %.3f %.3f", zone, x, y))
	switch {
	case errors.Is(err, errNoGrid):
		return p, newError(CoordinatesUnreadable, "the UTM zone is not readable: %q", []byte(zone))
	case err != nil:
		return p, newError(OutOfRange, "%v", err)
	}
	return p, nil
}

// metres reads a number with points, commas, apostrophes or blanks for
// thousands.
func metres(cell []byte) (float64, bool) {
	text := strings.TrimRight(metreText.Replace(strings.TrimSpace(string(cell))), "mM")
	if isThousand(text) {
		text = strings.NewReplacer(".", "", ",", "").Replace(text)
	}
	decimal := decimalMark(text)
	thousands := map[string]string{".": ",", ",": "."}[decimal]
	text = strings.Replace(strings.ReplaceAll(text, thousands, ""), decimal, ".", 1)
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// isThousand reports whether the one mark of a number stands before its last
// three digits: as a decimal mark it would make less than a kilometre.
func isThousand(text string) bool {
	at := strings.IndexAny(text, ".,")
	return at > 0 && at <= 3 && len(text)-at == 4 && at == strings.LastIndexAny(text, ".,")
}

// decimalMark returns which mark of a number stands before its decimals.
func decimalMark(text string) string {
	point, comma := strings.LastIndexByte(text, '.'), strings.LastIndexByte(text, ',')
	switch {
	case comma > point && (point >= 0 || strings.Count(text, ",") == 1 && len(text)-comma != 4):
		return ","
	case point >= 0 && comma < 0 && strings.Count(text, ".") > 1:
		return ","
	}
	return "."
}

var metreText = strings.NewReplacer("'", "", "’", "", " ", "", "\u00a0", "", "\u202f", "")
