package main

import (
	"encoding/binary"
	"math"
)

// encodeBasemap writes the lines of each TopoJSON source as a chunk.
func encodeBasemap(sources ...[]byte) (blob []byte) {
	for _, source := range sources {
		blob = appendChunks(blob, encodeLines(readLines(source)))
	}
	return blob
}

// line is a run of points, in hundredths of a degree, that is a border of two countries or a coast.
type line struct {
	border bool
	points []point
}

// readLines reads a topology into lines. An arc that two countries use is a
// border between them; all others are coast.
func readLines(source []byte) (lines []line) {
	var t struct {
		Transform struct{ Scale, Translate [2]float64 }
		Arcs      [][][2]int
		Objects   struct {
			Countries struct{ Geometries []struct{ Arcs any } }
		}
	}
	decode(source, &t)
	uses := make([]int, len(t.Arcs))
	for _, country := range t.Objects.Countries.Geometries {
		countUses(country.Arcs, uses)
	}
	for i, arc := range t.Arcs {
		var x, y int
		degrees := make([][2]float64, len(arc))
		for k, d := range arc { // differences
			x, y = x+d[0], y+d[1]
			degrees[k] = [2]float64{
				float64(x)*t.Transform.Scale[0] + t.Transform.Translate[0],
				float64(y)*t.Transform.Scale[1] + t.Transform.Translate[1],
			}
		}
		for _, points := range cut(degrees) {
			lines = append(lines, line{border: uses[i] > 1, points: points})
		}
	}
	return lines
}

// countUses counts the arcs of a polygon or several. ^n stands for arc n run backwards.
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

// cut rounds an arc and cuts it where the source runs along the antimeridian
// or the pole only to close a polygon: nobody should see a coast there. Where
// a coast crosses the antimeridian its longitudes go on beyond 180°.
func cut(arc [][2]float64) (out [][]point) {
	var run []point
	turn := 0
	flush := func() {
		if len(run) > 1 {
			out = append(out, run)
		}
		run, turn = nil, 0
	}
	for i, p := range arc {
		if i > 0 {
			switch before := arc[i-1]; {
			case seam(before, p):
				flush()
			case p[0]-before[0] > 180:
				turn -= 36000
			case p[0]-before[0] < -180:
				turn += 36000
			}
		}
		q := point{int(math.Round(p[0]*100)) + turn, int(math.Round(p[1] * 100))}
		if len(run) == 0 || run[len(run)-1] != q {
			run = append(run, q)
		}
	}
	flush()
	return out
}

// seam reports whether a segment only closes a polygon at the edge of the map.
func seam(a, b [2]float64) bool {
	const edge = 179.995
	return math.Abs(a[0]) > edge && math.Abs(b[0]) > edge || a[1] < -89.9 || b[1] < -89.9
}

// encodeLines writes lines as varints: their number; for each the number of points
// times two plus one for a border; then the points as differences, the first
// to the last point of the line before.
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
