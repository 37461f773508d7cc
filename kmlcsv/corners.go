package kmlcsv

import (
	"bytes"
	"slices"
	"strings"

	"github.com/paulmach/orb"

	"flightdesk/kmlcsv/crs"
)

// findCorners chooses the positions that are combined into one site, if a row has several. These are the first
// position and all positions that are named as corners or ends of a line. It removes the other positions from the
// layout, with a warning.
func (g *geometryReader) findCorners() {
	if len(g.layout.positions) < 2 {
		return
	}
	corners := g.layout.positions[:1:1]
	hasOthers := false
	for _, p := range g.layout.positions[1:] {
		if parseCornerName(strings.Fields(p.rest)).isCorner() {
			corners = append(corners, p)
		} else {
			hasOthers = true
		}
	}
	if hasOthers {
		g.out.warnFile(DuplicateColumn, "several columns have coordinates; only %q and %q are used",
			[]byte(g.out.res.Header[g.layout.columns.Latitude]), []byte(g.out.res.Header[g.layout.columns.Longitude]))
	}
	g.layout.positions = corners
	g.useCornerNames(len(corners), func(i int) []string { return strings.Fields(corners[i].rest) })
}

// useCornerNames sets the outline according to the names of the positions in a row. n is the number of positions, and
// words returns the words in the name of the position at index i.
func (g *geometryReader) useCornerNames(n int, words func(i int) []string) {
	if n < 2 {
		return
	}
	names := make([]cornerName, n)
	for i := range names {
		names[i] = parseCornerName(words(i))
	}
	g.outline = newOutline(names)
	if g.outline.isBox && !g.outline.isNamedBox {
		g.out.warnFile(PlaceGuessed, "the two corners of a row were read as opposite corners of a rectangle")
	}
}

// addCorners adds the line or the boundary of a row with several positions. The caller passes the first position. The
// cells of the other positions may be blank.
func (r *csvReader) addCorners(first orb.Point) {
	points := make([]orb.Point, len(r.layout.positions))
	isGiven := make([]bool, len(r.layout.positions))
	points[0] = first
	isGiven[0] = true
	for i := 1; i < len(r.layout.positions); i++ {
		if r.isBlankPosition(i) {
			continue
		}
		p, ok := r.readPosition(i)
		if !ok {
			return
		}
		points[i] = p
		isGiven[i] = true
	}
	points = r.geometries.outline.arrange(points, isGiven)
	if lacksPosition(points) {
		r.out.skipPlacemark(zeroCorner)
		return
	}
	r.out.addFigure(r.geometries.figureOf(points))
}

// isBlankPosition reports whether the current row has neither the latitude nor the longitude of a position.
func (r *csvReader) isBlankPosition(index int) bool {
	p := &r.layout.positions[index]
	lat := bytes.TrimSpace(r.rows.cellAt(p.latitude()))
	lng := bytes.TrimSpace(r.rows.cellAt(p.longitude()))
	return len(lat) == 0 && len(lng) == 0
}

// figureOf returns the line or the boundary through the positions that a row has.
func (g *geometryReader) figureOf(points []orb.Point) rawFigure {
	corners := max(len(g.layout.positions), len(g.layout.finder.corners))
	if g.outline.isBox && len(points) == 2 {
		points = rectangle(points[0], points[1])
	} else if corners > 2 && len(points) < 3 {
		g.out.warnPlacemark(CornersMissing, "%d of its %d corners are given, which make no area", len(points), corners)
	}
	figure := outlineOf(slices.Compact(points))
	if figure.kind == polygonFigure && g.layout.readKind() == Linear {
		figure.kind = lineFigure
	}
	return figure
}

// findCornerCells finds the columns in which each cell is a whole corner of a site, such as "48.35, 11.78". It
// returns nil if there are fewer than two such columns.
func (h *headerFinder) findCornerCells() []int {
	names := make([]cornerName, len(h.columns))
	for i, column := range h.columns {
		if len(column.title) <= maxTitle {
			names[i] = parseCornerName(headerWords(column.title))
		}
	}
	for i := range names {
		if names[i].isCorner() && isOnePosition(h.columns[i].sample) {
			if columns := h.cornersOfStem(names, names[i].stem); len(columns) > 1 {
				return columns
			}
		}
	}
	return nil
}

// cornersOfStem returns the columns whose cells are corners and whose names have the given stem, such as "corner" for
// Corner 1 and Corner 2. If two names have the same key, such as "2", only the first column is returned.
func (h *headerFinder) cornersOfStem(names []cornerName, stem string) (columns []int) {
	seen := map[string]bool{} // keys of the corners
	for i, name := range names {
		isFirst := name.key == "" && name.stem != "" // such as Coordinates before Coordinates 2
		isCorner := name.isCorner() || isFirst
		if name.stem != stem || !isCorner || seen[name.key] {
			continue
		}
		hasPosition := len(h.columns[i].sample) == 0 || isOnePosition(h.columns[i].sample)
		if !hasPosition {
			continue
		}
		seen[name.key] = true
		columns = append(columns, i)
	}
	return columns
}

// isOnePosition reports whether a cell has exactly one position. It returns false for a number with a decimal comma
// such as 48,7.
func isOnePosition(cell []byte) bool {
	if len(cell) == 0 || len(cell) > maxPair || decimalText().Match(cell) || !looksLikeGeometry(cell) {
		return false
	}
	figures, problem := new(cellReader).readCell(cell)
	return problem == nil && len(figures) == 1 && len(figures[0].points) == 1
}

// addCornerCells adds the line or the boundary of a row in which each corner has a cell of its own.
func (g *geometryReader) addCornerCells() {
	corners, problem := g.readCornerCells()
	if problem != nil {
		g.out.skipPlacemark(problem)
		return
	}
	points := g.outline.arrange(corners.points, corners.isGiven)
	if lacksPosition(points) {
		g.out.skipPlacemark(zeroCorner)
		return
	}
	g.out.addFromSystem(g.figureOf(points), corners.system)
}

// cornerCells has the corners of a row in which each corner has a cell of its own.
type cornerCells struct {
	points  []orb.Point
	isGiven []bool      // whether the row has the corner; false if its cell is blank
	system  *crs.System // reference system of all corners, nil for WGS 84
}

// readCornerCells reads the positions in the corner cells of the current row. It returns an error if the positions
// are in different reference systems.
func (g *geometryReader) readCornerCells() (cornerCells, *Error) {
	columns := g.layout.finder.corners
	var corners cornerCells
	corners.points = make([]orb.Point, len(columns))
	corners.isGiven = make([]bool, len(columns))
	isFirst := true
	for i, column := range columns {
		cell := bytes.TrimSpace(g.rows.cellAt(column))
		if len(cell) == 0 {
			continue
		}
		point, system, problem := g.readCorner(cell)
		if problem != nil {
			return cornerCells{}, problem
		}
		if !isFirst && system != corners.system {
			return cornerCells{}, newError(OtherReference, "its corners are of several reference systems")
		}
		isFirst = false
		corners.system = system
		corners.points[i] = point
		corners.isGiven[i] = true
	}
	return corners, nil
}

// readCorner reads a cell with one position. It returns the position and its reference system, which is nil for WGS
// 84.
func (g *geometryReader) readCorner(cell []byte) (orb.Point, *crs.System, *Error) {
	figures, system, problem := g.readGeometry(cell)
	if problem != nil {
		return orb.Point{}, nil, problem
	}
	if len(figures) != 1 || len(figures[0].points) != 1 {
		return orb.Point{}, nil, newError(GeometryUnreadable, "not a single position: %s", cell)
	}
	return figures[0].points[0], system, nil
}

// hasCornerCell reports whether at least one corner cell of the current row is not blank.
func (g *geometryReader) hasCornerCell() bool {
	hasCell := func(column int) bool { return len(bytes.TrimSpace(g.rows.cellAt(column))) > 0 }
	return slices.ContainsFunc(g.layout.finder.corners, hasCell)
}

// rectangle returns the four corners of the rectangle that has a and b as opposite corners.
func rectangle(a, b orb.Point) []orb.Point {
	west := min(a[0], b[0])
	east := max(a[0], b[0])
	south := min(a[1], b[1])
	north := max(a[1], b[1])
	return []orb.Point{{west, south}, {east, south}, {east, north}, {west, north}}
}

// boxSides are the names of columns that have the northern, southern, eastern or western side of a rectangle.
var boxSides = [4][]string{
	strings.Fields("north northbound nord top ymax maxy latmax maxlat maxlatitude latitudemax northlat northlatitude"),
	strings.Fields("south southbound sud bottom ymin miny latmin minlat minlatitude latitudemin southlat southlatitude"),
	strings.Fields(`east eastbound ost right xmax maxx lonmax maxlon lngmax maxlng maxlongitude longitudemax eastlon
		eastlongitude`),
	strings.Fields(`west westbound left xmin minx lonmin minlon lngmin minlng minlongitude longitudemin westlon
		westlongitude`),
}

// findBox finds the columns with the four sides of a rectangle. It returns them as the columns of two opposite
// corners. The bool result is false if the table does not have these columns.
func (h *headerFinder) findBox() ([]positionColumns, bool) {
	var sides [4]int
	for i, names := range boxSides {
		sides[i] = h.findColumn(names)
		if sides[i] < 0 {
			return nil, false
		}
	}
	north, south, east, west := sides[0], sides[1], sides[2], sides[3]
	northWest := newPosition(north, west)
	northWest.rest = "nw"
	southEast := newPosition(south, east)
	southEast.rest = "se"
	return []positionColumns{northWest, southEast}, true
}
