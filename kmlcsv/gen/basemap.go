package main

import (
	"encoding/binary"
	"math"
)

// encodeBasemap encodes the lines of each TopoJSON source as a chunk.
func encodeBasemap(sources ...[]byte) (blob []byte) {
	for _, source := range sources {
		blob = appendChunks(blob, encodeLines(readLines(source)))
	}
	return blob
}

// line is a part of a coast, or of the border between two countries.
type line struct {
	border bool
	points []point // in hundredths of a degree
}

// topology is a TopoJSON file. Countries share the arcs that their boundaries are made of.
type topology struct {
	Transform struct{ Scale, Translate [2]float64 }
	Arcs      [][][2]int // each point is the difference from the point before
	Objects   struct {
		Countries struct{ Geometries []struct{ Arcs any } }
	}
}

// readLines returns the lines of a TopoJSON file. An arc that two countries use is a border, and any other arc is a
// coast.
func readLines(source []byte) (lines []line) {
	var t topology
	decode(source, &t)
	uses := make([]int, len(t.Arcs))
	for _, country := range t.Objects.Countries.Geometries {
		countUses(country.Arcs, uses)
	}
	for i := range t.Arcs {
		for _, points := range cutArc(t.degreesOf(i)) {
			lines = append(lines, line{border: uses[i] > 1, points: points})
		}
	}
	return lines
}

// degreesOf returns the points of an arc in degrees.
func (t *topology) degreesOf(arc int) [][2]float64 {
	degrees := make([][2]float64, len(t.Arcs[arc]))
	x := 0
	y := 0
	for i, difference := range t.Arcs[arc] {
		x += difference[0]
		y += difference[1]
		degrees[i] = [2]float64{
			float64(x)*t.Transform.Scale[0] + t.Transform.Translate[0],
			float64(y)*t.Transform.Scale[1] + t.Transform.Translate[1],
		}
	}
	return degrees
}

// countUses counts how often the nested lists of a geometry contain each arc. A list contains ^n if it uses the arc n
// backwards.
func countUses(arcs any, uses []int) {
	list, isList := arcs.([]any)
	if !isList {
		n := int(arcs.(float64))
		uses[max(n, ^n)]++
	}
	for _, part := range list {
		countUses(part, uses)
	}
}

// fullTurn is 360 degrees in hundredths.
const fullTurn = 36000

// cutArc removes the segments of an arc that only close a polygon along the antimeridian or at the pole, because no
// coast is there. It returns the remaining pieces of at least two points, in hundredths of a degree.
func cutArc(arc [][2]float64) (lines [][]point) {
	start := 0 // of the current piece
	for i := 1; i <= len(arc); i++ {
		isEnd := i == len(arc) || isSeam(arc[i-1], arc[i])
		if !isEnd {
			continue
		}
		line := roundLine(arc[start:i])
		if len(line) > 1 {
			lines = append(lines, line)
		}
		start = i
	}
	return lines
}

// roundLine rounds the points of a line to hundredths of a degree. A point that is then equal to the previous point is
// left out. Where the line crosses the antimeridian, its longitudes continue beyond 180 degrees.
func roundLine(line [][2]float64) (rounded []point) {
	turn := 0 // added to longitudes
	for i, p := range line {
		if i > 0 {
			turn += turnBetween(line[i-1][0], p[0])
		}
		next := point{int(math.Round(p[0]*100)) + turn, int(math.Round(p[1] * 100))}
		if len(rounded) == 0 || rounded[len(rounded)-1] != next {
			rounded = append(rounded, next)
		}
	}
	return rounded
}

// turnBetween returns a full turn to the west or east if a segment between two longitudes crosses the antimeridian,
// otherwise 0.
func turnBetween(from, to float64) int {
	if to-from > 180 {
		return -fullTurn
	}
	if to-from < -180 {
		return fullTurn
	}
	return 0
}

// isSeam reports whether a segment only closes a polygon at the edge of the map.
func isSeam(a, b [2]float64) bool {
	const edge = 179.995
	const pole = -89.9
	isAtAntimeridian := math.Abs(a[0]) > edge && math.Abs(b[0]) > edge
	return isAtAntimeridian || a[1] < pole || b[1] < pole
}

// encodeLines encodes lines as varints: the number of lines, and then each line. A line starts with twice the number
// of its points, plus one for a border. Its points follow, each as the difference from the previous point. The first
// point of a line continues from the last point of the previous line.
func encodeLines(lines []line) []byte {
	b := binary.AppendUvarint(nil, uint64(len(lines)))
	var last point
	for _, l := range lines {
		head := uint64(len(l.points)) << 1
		if l.border {
			head |= 1
		}
		b = binary.AppendUvarint(b, head)
		for _, p := range l.points {
			b = binary.AppendVarint(b, int64(p.x-last.x))
			b = binary.AppendVarint(b, int64(p.y-last.y))
			last = p
		}
	}
	return b
}
