package kmlcsv

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/paulmach/orb"
)

var (
	endNames   = regexp.MustCompile(`^(end|to|bis|ende|stop|finish|fin|final|2|b)$`)
	numberText = regexp.MustCompile(`^(corner|point|punkt|eck|ecke|vertex|pt|p)?\s*([0-9]+|ne|nw|se|sw|no|so|so|a|b|c|d)$|^[0-9]+`)
)

// boxCorners are the words for opposite corners of a rectangle.
var boxCorners = map[string]string{
	"nw": "se", "se": "nw", "ne": "sw", "sw": "ne", "no": "sw", "so": "nw", "min": "max", "max": "min",
	"northwest": "southeast", "southeast": "northwest", "northeast": "southwest", "southwest": "northeast",
	"topleft": "bottomright", "bottomright": "topleft", "upperleft": "lowerright", "lowerright": "upperleft",
	"top left": "bottom right", "bottom right": "top left", "upper left": "lower right", "lower right": "upper left",
	"north west": "south east", "south east": "north west", "north east": "south west", "south west": "north east",
	"ul": "lr", "lr": "ul", "ll": "ur", "ur": "ll", "tl": "br", "br": "tl", "bl": "tr", "tr": "bl",
}

// findCorners keeps the positions of a row that are its corners, or the end of a line. It
// warns about positions that are neither.
func (r *csvReader) findCorners() {
	if len(r.positions) < 2 {
		return
	}
	corners := r.positions[:1:1]
	hasOthers := false
	for _, p := range r.positions[1:] {
		if endNames.MatchString(p.rest) || numberText.MatchString(p.rest) || r.isOpposite(&p) {
			corners = append(corners, p)
		} else {
			hasOthers = true
		}
	}
	if hasOthers {
		r.warnFile(
			DuplicateColumn,
			"several columns have coordinates; only %q and %q are used",
			[]byte(r.res.Header[r.columns.Latitude]),
			[]byte(r.res.Header[r.columns.Longitude]),
		)
	}
	r.positions = corners
}

// isOpposite reports whether a position is the corner of a rectangle opposite of the first.
func (r *csvReader) isOpposite(p *positionColumns) bool {
	opposite, ok := boxCorners[r.positions[0].rest]
	return ok && p.rest == opposite
}

// isBox reports whether a row has two opposite corners of a rectangle.
func (r *csvReader) isBox() bool {
	return len(r.positions) == 2 && r.isOpposite(&r.positions[1])
}

// addCorners adds the line or boundary of a row with several positions.
func (r *csvReader) addCorners(p orb.Point) {
	points := []orb.Point{p}
	for i := 1; i < len(r.positions); i++ {
		lat, lng := r.positions[i].latitude(), r.positions[i].longitude()
		if len(bytes.TrimSpace(r.cellAt(lat)))+len(bytes.TrimSpace(r.cellAt(lng))) == 0 {
			continue
		}
		p, ok := r.readPosition(i)
		if !ok {
			return
		}
		points = append(points, p)
	}
	if lacksPosition(points) {
		r.skipPlacemark(zeroCorner)
		return
	}
	if r.isBox() && len(points) == 2 {
		points = rectangle(points[0], points[1])
	}
	r.addFigure(outlineOf(slices.Compact(points)))
}

// rectangle returns the corners of the rectangle that two opposite corners span.
func rectangle(a, b orb.Point) []orb.Point {
	west, east := min(a[0], b[0]), max(a[0], b[0])
	south, north := min(a[1], b[1]), max(a[1], b[1])
	return []orb.Point{{west, south}, {east, south}, {east, north}, {west, north}}
}

// boxSides are the names of columns with the sides of a rectangle.
var boxSides = [4][]string{
	strings.Fields("north northbound nord top ymax maxy latmax maxlat maxlatitude latitudemax northlat northlatitude"),
	strings.Fields("south southbound sud bottom ymin miny latmin minlat minlatitude latitudemin southlat southlatitude"),
	strings.Fields("east eastbound ost right xmax maxx lonmax maxlon lngmax maxlng maxlongitude longitudemax eastlon eastlongitude"),
	strings.Fields("west westbound left xmin minx lonmin minlon lngmin minlng minlongitude longitudemin westlon westlongitude"),
}

// findBox finds the columns with the four sides of a rectangle, as two opposite corners.
func (h *headerFinder) findBox() ([]positionColumns, bool) {
	var sides [4]int
	for i, names := range boxSides {
		if sides[i] = h.findColumn(names); sides[i] < 0 {
			return nil, false
		}
	}
	corner := func(lat, lng int, rest string) positionColumns {
		return positionColumns{axes: [2]axisColumns{newAxisColumns(lat), newAxisColumns(lng)}, rest: rest}
	}
	return []positionColumns{corner(sides[0], sides[3], "nw"), corner(sides[1], sides[2], "se")}, true
}
